"""Time the search for culprits in a real history whose facts were verified at only two of its commits.

This is the hardest case: the last commit at which a fact is known to hold is the first one of the history. (With a
verify run at every commit, as in ``replay.py``, only one or two commits remain to choose from.)

    python benchmarks/why.py REPO FACTS --from v1.0 --to v2.0 --results why.jsonl
    python benchmarks/why.py REPO FACTS --from v1.0 --to v2.0 --together       all failures at once, and their CPU time

FACTS is a file as ``replay.py`` takes it; facts that do not hold at the first commit are left out. Exit status: 0 if
every search stayed within its limit of runs, 1 if one exceeded it, 2 for wrong use, 3 if there is no history.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.history import Clone, ReplayError, read_facts, run_git
from gitmem.verify.options import Options


def promised(candidates: int) -> int:
    """Return how many runs a search may take: ``ceil(log2 candidates) + 2``."""
    return max(0, candidates - 1).bit_length() + 2


def ask(
    repo: Path, facts: Sequence[Mapping[str, Any]], ends: tuple[str, str], folder: Path, options: Options
) -> list[dict[str, Any]]:
    """Return the explanation of every fact that holds at the first commit and fails at the second, by key."""
    clone = Clone(repo, folder, facts, everything=False, options=options)
    first, last = (clone.at(end) for end in ends)
    broken = [key for key, told in last.told.items() if told.own == "failed" and first.told[key].own == "verified"]
    found = []
    with clone.open() as memory:
        for key in sorted(broken):
            began = time.perf_counter()
            table = memory.why(key, options=options).as_table()
            found.append(table | {"seconds": round(time.perf_counter() - began, 3)})
    return found


def ask_together(clone: Clone, options: Options) -> tuple[dict[str, tuple[str, str]], int, float]:
    """Explain all failures at once, as ``verify --why`` does.

    Returns:
        Outcome and culprit of each by key; runs of checks; seconds of CPU, those of all programs that were started too.
    """
    began = _cpu()
    with clone.open() as memory:
        found = memory.jobs.explain_failures(options)
    answers = {why.key: (why.outcome, why.found.culprit if why.found else "") for why in found}
    return answers, sum(why.runs for why in found), _cpu() - began


def _cpu() -> float:
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in spent)


def main(argv: Sequence[str]) -> int:
    """Ask, print a line for each fact and the sums, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repo", type=Path)
    parser.add_argument("facts", type=Path)
    parser.add_argument("--from", dest="first", required=True, metavar="REV", help="where the facts hold")
    parser.add_argument("--to", dest="last", default="HEAD", metavar="REV", help="where why is asked")
    parser.add_argument("--results", type=Path, help="write one JSON object a fact: key, culprit, …")
    parser.add_argument("--together", action="store_true", help="explain all at once, as verify --why does")
    parser.add_argument("--no-sandbox", action="store_true", help="run commands without a sandbox")
    args = parser.parse_args(argv)
    os.environ["GITMEM_BACKGROUND"] = "off"
    try:
        revs = [f"{rev}^{{commit}}" for rev in (args.first, args.last)]
        ends = [run_git(args.repo, "rev-parse", "--verify", "--end-of-options", rev) for rev in revs]
        with tempfile.TemporaryDirectory(prefix="gitmem-why-") as folder:
            os.environ["XDG_STATE_HOME"] = f"{folder}/state"
            options = Options(no_sandbox=args.no_sandbox)
            if args.together:
                clone = Clone(
                    args.repo, Path(folder, "clone"), read_facts(args.facts), everything=False, options=options
                )
                for end in ends:
                    clone.at(end)
                answers, runs, spent = ask_together(clone, options)
                if args.results:
                    rows = ({"key": k, "outcome": o, "culprit": c} for k, (o, c) in answers.items())
                    args.results.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
                culprits = {culprit for _, culprit in answers.values()}
                print(f"{len(answers)} failures, {len(culprits)} culprits, {runs} runs, {spent:.1f} s of CPU")
                return 0
            found = ask(args.repo, read_facts(args.facts), (ends[0], ends[1]), Path(folder, "clone"), options)
    except ReplayError as err:
        print(f"why: {err}", file=sys.stderr)
        return err.status
    if args.results:
        rows = ({**table, "culprit": (table["culprit"] or {}).get("commit")} for table in found)
        args.results.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for table in found:
        runs = f"{table['runs']} of {promised(table['candidates'])} runs"
        culprit = (table["culprit"] or {"commit": "-"})["commit"][:12]
        print(f"{table['outcome']}\t{culprit}\t{table['candidates']}\t{runs}\t{table['seconds']} s\t{table['key']}")
    over = [table["key"] for table in found if table["runs"] > promised(table["candidates"])]
    runs, most = (sum(numbers) for numbers in ([t["runs"] for t in found], [promised(t["candidates"]) for t in found]))
    print(f"{len(found)} facts broke; {runs} runs, {most} promised; {len(over)} took more than promised")
    return int(bool(over))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
