"""Measure the CPU time of `gitmem adopt` on many repositories, the git processes that it starts included.

    .venv/bin/python -m benchmarks.adopt_cpu MIRRORS
    .venv/bin/python -m benchmarks.adopt_cpu MIRRORS --only OWNER+NAME --no-limit

MIRRORS is a folder with bare git repositories, as for `adopt.py`: OWNER+NAME/repo or OWNER+NAME.git. The command runs
in each, at its HEAD, as a process of its own. It prints a line for each, and the median and the most at the end.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
from pathlib import Path


def main() -> None:
    """Print the CPU time for each repository, then the median and the most."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("--only", default="", help="repositories whose name contains this")
    parser.add_argument("--no-limit", action="store_true", help="judge all statements")
    args = parser.parse_args()
    options = ["--no-limit"] if args.no_limit else []
    taken: dict[str, float] = {}
    partly = 0
    for name, folder in sorted(mirrors_in(args.mirrors).items()):
        if args.only in name:
            before = children_s()
            command = [sys.executable, "-m", "gitmem", "adopt", "--json", *options]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            taken[name] = children_s() - before
            if done.returncode > 1:
                raise SystemExit(f"{name}: {done.stderr}")
            found = json.loads(done.stdout)
            left = len(found["unjudged"])
            partly += left > 0
            judged = sum(len(found[verdict]) for verdict in ("false", "never_held", "holds"))
            documents = len(found["documents"])
            print(
                f"{taken[name]:7.2f} s  {name}: {documents} documents, {judged} claims, {left} not judged", flush=True
            )
    if taken:
        most = max(taken, key=lambda one: taken[one])
        print(f"{len(taken)} repositories: median {statistics.median(taken.values()):.1f} s, most {taken[most]:.1f} s")
        print(f"most: {most}; judged in part: {partly}")


def mirrors_in(folder: Path) -> dict[str, Path]:
    """Return the bare repositories in a folder by name."""
    found = [*folder.glob("*/repo"), *folder.glob("*.git")]
    return {path.parent.name if path.name == "repo" else path.stem: path for path in found if (path / "HEAD").is_file()}


def children_s() -> float:
    """Return the CPU time of the processes that this one has waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
