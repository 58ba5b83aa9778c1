"""Measure the detection of near duplicates on labelled pairs: how many are found, and the false positives.

    python -m benchmarks.duplicates [--errors]

``pairs.jsonl`` was written before any measure was tried: memories that say the same (exactly, in another order, in
other words), memories that nearly do (another number, a negation, another name, a clause added) or not at all.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from gitmem.text.similarity import likeness, wording_of
from gitmem.text.tokens import all_terms

PAIRS = Path(__file__).with_name("pairs.jsonl")
GROUPS = ("exact", "reordered", "reworded", "paraphrased", "number", "negation", "name", "added", "unrelated")
THRESHOLDS = (0.7, 0.75, 0.8, 0.85, 0.9, 0.95)


def shingles(text: str, size: int) -> set[str]:
    """Return the runs of some characters of a text, lower case and with single spaces."""
    plain = " ".join(text.lower().split())
    return {plain[at : at + size] for at in range(max(1, len(plain) - size + 1))}


def by_shingles(a: str, b: str) -> float:
    """Return the share of five-character shingles that two texts have in common: what MinHash estimates."""
    one, other = shingles(a, 5), shingles(b, 5)
    return len(one & other) / len(one | other)


def by_words(a: str, b: str) -> float:
    """Return the Dice coefficient of all stemmed words."""
    ours, theirs = Counter(all_terms(a)), Counter(all_terms(b))
    return 2 * (ours & theirs).total() / (ours.total() + theirs.total())


def by_claims(a: str, b: str) -> float:
    """Return what gitmem compares by."""
    return likeness(wording_of(a), wording_of(b))


MEASURES: dict[str, Callable[[str, str], float]] = {
    "shingles (Jaccard)": by_shingles,
    "words (Dice)": by_words,
    "claims": by_claims,
}


def main() -> None:
    """Print a table: for each measure and threshold, what it finds of each group and where it is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--errors", action="store_true", help="print the pairs that gitmem's measure judges wrongly")
    args = parser.parse_args()
    pairs = [json.loads(line) for line in PAIRS.read_text("utf-8").splitlines()]
    sizes = {group: sum(pair["group"] == group for pair in pairs) for group in GROUPS}
    print("| measure | above |", " | ".join(f"{group} ({sizes[group]})" for group in GROUPS), "| precision | recall |")
    print("|---|---|" + "---|" * (len(GROUPS) + 2))
    for name, measure in MEASURES.items():
        values = [(pair, measure(pair["a"], pair["b"])) for pair in pairs]
        for threshold in THRESHOLDS:
            lines = [pair for pair, value in values if value >= threshold]
            right = sum(pair["same"] for pair in lines)
            cells = [str(sum(pair["group"] == group for pair in lines)) for group in GROUPS]
            precision, recall = right / max(1, len(lines)), right / sum(pair["same"] for pair in pairs)
            print(f"| {name} | {threshold} |", " | ".join(cells), f"| {precision:.2f} | {recall:.2f} |")
    if args.errors:
        for pair in pairs:
            value = by_claims(pair["a"], pair["b"])
            if (value >= 0.85) != pair["same"]:
                print(f"{value:.2f} {pair['group']}: {pair['a']} | {pair['b']}")


if __name__ == "__main__":
    main()
