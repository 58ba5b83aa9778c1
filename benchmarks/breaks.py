"""Replay the breaks of the adoption benchmark: does `gitmem adopt --base` report each at the commit that made it false?

    .venv/bin/python -m benchmarks.breaks MIRRORS BENCHMARK

Each line of BENCHMARK/breaks.jsonl is judged as a pull request of the commit `broke_commit` would be: compared with its
first parent. A line is printed for each break, with the correction that is offered and whether git can find what it
corrects to: a rename of the path in that commit. MIRRORS is as for adopt.py.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from benchmarks.adopt import find_mirror
from gitmem.commands.adopt.findings import FALSE
from gitmem.commands.adopt.run import adopt
from gitmem.git.binary import Git
from gitmem.git.repository import Repository


def main() -> None:
    """Print what came of each break, and the counts."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("benchmark", type=Path)
    args = parser.parse_args()
    breaks = [json.loads(line) for line in (args.benchmark / "breaks.jsonl").read_text(encoding="utf-8").splitlines()]
    adoptions: dict[tuple[str, str], tuple[object, float]] = {}
    caught = offered = 0
    for one in breaks:
        folder = find_mirror(args.mirrors, one["repo"])
        key = one["repo"], one["broke_commit"]
        if folder is None:
            print(f"no mirror of {one['repo']}")
            continue
        git = Git(Repository(str(folder), str(folder), None))
        if key not in adoptions:
            start = time.process_time()
            made = adopt(git, one["broke_commit"], base=git.resolve(f"{one['broke_commit']}^1"))
            adoptions[key] = made, time.process_time() - start
        adoption, seconds = adoptions[key]
        token = one["token"].strip("./")
        hits = [
            finding
            for finding in adoption.of(FALSE)
            if finding.document.path == one["file"]
            and (finding.claim.token.strip("./") == token or finding.claim.name.strip("./") == token)
        ]
        caught += bool(hits)
        fixes = [finding.fix for finding in hits if finding.fix]
        offered += bool(fixes)
        others = len(adoption.of(FALSE)) - len(hits)
        said = "caught" if hits else "MISSED"
        print(f"{said} {one['repo']} {one['broke_commit'][:10]} {one['file']} {one['token']} → {fixes or '-'}; "
              f"{others} others; {seconds:.1f} s", flush=True)  # fmt: skip
    print(f"{len(breaks)} breaks: {caught} caught, {offered} with a correction")


if __name__ == "__main__":
    main()
