"""Measure the detection of contradictions on labelled pairs: how many are found, and the false positives.

    python -m benchmarks.contradictions [--errors] [FILE.jsonl …]

``pairs.jsonl`` says which texts say the same; those of its groups ``number`` and ``negation`` mostly contradict each
other, as do some of ``name``: ``OPPOSED`` lists by hand the pairs of the other groups that do, and ``APART`` the pairs
of these two that do not. With files, every pair of their lines' ``title`` is compared, and what is found is printed:
use it with real memories, which were not written to contradict each other.
"""

from __future__ import annotations

import argparse
import json
from itertools import combinations
from pathlib import Path

from benchmarks import record
from gitmem.write.contradictions import parse_statement, why_opposed

PAIRS = Path(__file__).with_name("pairs.jsonl")
GROUPS = ("exact", "reordered", "reworded", "paraphrased", "number", "negation", "name", "added", "unrelated")
# Beginnings of the first text: of another subject, or both may be true.
APART = ("Deployed v2.4.1", "The v1 API", "PR 412")
# The same thing with another value.
OPPOSED = (
    "Sessions are stored in Redis",
    "The orders service uses Postgres",
    "The nightly export job writes",
    "Ana owns",
    "The legacy importer is written in C",
    "Refunds are rounded up",
    "Errors of the payment provider are sent",
    "The replica lags",
    "Docker images are pushed to the Frankfurt",
)


def is_opposed(pair: dict[str, str]) -> bool:
    """Return whether the two speak against each other, by the labels."""
    begins = pair["a"].startswith
    return begins(OPPOSED) if pair["group"] == "name" else pair["group"] in ("number", "negation") and not begins(APART)


def main() -> None:
    """Print what is found of each group, precision and recall; and the errors, or what is found in files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--errors", action="store_true", help="print the pairs that are judged wrongly")
    parser.add_argument("--write", action="store_true", help="record the figures in measured/texts.jsonl")
    parser.add_argument("files", nargs="*", type=Path)
    args = parser.parse_args()
    if args.files:
        _compare([json.loads(line)["title"] for file in args.files for line in file.read_text("utf-8").splitlines()])
        return
    pairs = [json.loads(line) for line in PAIRS.read_text("utf-8").splitlines()]
    judged = [(pair, why_opposed(parse_statement(pair["a"]), parse_statement(pair["b"]))) for pair in pairs]
    for group in GROUPS:
        those = [(pair, why) for pair, why in judged if pair["group"] == group]
        right, lines = sum(is_opposed(pair) for pair, _ in those), [(pair, why) for pair, why in those if why]
        wrong = sum(not is_opposed(pair) for pair, _ in lines)
        print(f"{group}: {len(those)} pairs, {right} opposed, {len(lines) - wrong} found, {wrong} false alarms")
    found = [pair for pair, why in judged if why]
    right = sum(map(is_opposed, found))
    print(f"precision {right / max(1, len(found)):.2f}, recall {right / sum(is_opposed(p) for p in pairs):.2f}")
    if args.write:
        opposed = sum(is_opposed(pair) for pair in pairs)
        alarms = {"measured": len(found) - right, "of": len(pairs) - opposed}
        record.record("texts", {"contradictions": {"measured": right, "of": opposed}, "contradictions-false": alarms})
        record.main([])
    for pair, why in judged if args.errors else ():
        if bool(why) != is_opposed(pair):
            print(f"{'false alarm' if why else 'missed'} {pair['group']}: {pair['a']} | {pair['b']} {why}")


def _compare(titles: list[str]) -> None:
    said = [(title, parse_statement(title)) for title in dict.fromkeys(titles)]
    for (a, one), (b, other) in combinations(said, 2):
        why = why_opposed(one, other)
        if why:
            print(f"{a} | {b}: {why}")
    print(f"{len(said)} titles, {len(said) * (len(said) - 1) // 2} pairs")


if __name__ == "__main__":
    main()
