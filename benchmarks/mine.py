"""Mine facts about a commit of a real project, for replays: what files define, which are there, and what a grep finds.

    python benchmarks/mine.py REPO REV --facts 300 > facts.jsonl

A third each is a built-in ``contains``, a built-in ``exists`` and a ``grep`` without declared paths; the seed chooses.
Lines are printed as ``replay.py`` and ``why.py`` take them. All of them hold at REV.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.history import run_git

DEFINED = re.compile(r"^[ ]*((?:def|class) [A-Za-z_]\w+[(:])", re.MULTILINE)
NOT_KEY = re.compile("[^a-z0-9]+")


def mine(repo: Path, rev: str, number: int, *, seed: int = 1) -> list[dict[str, Any]]:
    """Return so many facts about the Python files of a commit, by key; fewer where it has not as much to say."""
    chance = random.Random(seed)
    listed = run_git(repo, "ls-tree", "-r", "-z", "--name-only", rev).split("\0")
    paths = sorted(path for path in listed if path.endswith(".py") and path.isascii())
    definitions: list[tuple[str, str]] = []
    for path in paths:
        text = run_git(repo, "cat-file", "blob", f"{rev}:{path}")
        definitions += [(path, found) for found in dict.fromkeys(DEFINED.findall(text))]
    chance.shuffle(paths)
    chance.shuffle(definitions)
    half = len(definitions) // 2
    rows = [({"contains": text, "in": path}, f"{path} has {text}") for path, text in definitions[:half][: number // 3]]
    rows += [({"exists": path}, f"{path} is there") for path in paths[: number // 3]]
    left = number - len(rows)
    for path, text in definitions[half:][:left]:
        rows.append((f"grep -qF {shlex.quote(text)} {shlex.quote(path)}", f"grep finds {text} in {path}"))
    facts = [
        {
            "key": f"{NOT_KEY.sub('-', title.lower()).strip('-')[:70]}-{number}".strip("-"),
            "title": title,
            "verify": check,
        }
        for number, (check, title) in enumerate(rows)
    ]
    return sorted(facts, key=lambda fact: str(fact["key"]))


def main(argv: Sequence[str]) -> int:
    """Print the facts, one JSON object a line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repo", type=Path)
    parser.add_argument("rev")
    parser.add_argument("--facts", type=int, default=300, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    for fact in mine(args.repo, args.rev, args.facts, seed=args.seed):
        print(json.dumps(fact))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
