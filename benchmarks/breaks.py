"""Replay the breaks of the adoption benchmark: does `gitmem adopt --base` report each at the commit that made it false?

    .venv/bin/python -m benchmarks.breaks MIRRORS BENCHMARK [--check]

Each line of BENCHMARK/breaks.jsonl is judged as a pull request of the commit `broke_commit` would be: compared with its
first parent. A line is printed for each break, with the correction that is offered: a new name, or what should go from
the document. A correction is confirmed if the document was later changed so: at the last commit of the benchmark it has
the new name, or not the lines that should go. MIRRORS is as for adopt.py.

With --check, the documents are adopted (`adopt --apply`) before each break, in a clone, and `gitmem check` judges the
commit: a break is caught if the fact of its name is shown at a line of its document, as false or as outdated.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.adopt import find_mirror, rows
from gitmem.commands.adopt.code import read_texts
from gitmem.commands.adopt.findings import FALSE, Adoption, JudgedClaim
from gitmem.commands.adopt.formats import advice
from gitmem.commands.adopt.run import adopt
from gitmem.git import Git
from gitmem.git.repository import Repository
from gitmem.model import ADOPTED
from gitmem.text.slugs import hashed_slug

# Characters of the hash at the end of an adopted fact's key (`gitmem.commands.adopt.memories`).
HASH_LENGTH = 8


@dataclass(frozen=True)
class Replayed:
    """What came of one break.

    Attributes:
        place: Which one it is: repository, commit, document, token.
        is_caught: Whether it was reported.
        offers: The corrections that are offered.
        is_confirmed: Whether the document was later corrected so.
        others: How many more statements the commit is said to make false.
        seconds: CPU time of the commit; with --check, by the clock.
    """

    place: str
    is_caught: bool
    offers: list[str]
    is_confirmed: bool
    others: int
    seconds: float


def main() -> None:
    """Print what came of each break, and the counts."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("benchmark", type=Path)
    parser.add_argument("--check", action="store_true", help="ask `gitmem check` of adopted facts")
    args = parser.parse_args()
    found = []
    for one in (replay_check if args.check else replay)(args.mirrors, args.benchmark):
        found.append(one)
        print(f"{'caught' if one.is_caught else 'MISSED'} {one.place} → {'; '.join(one.offers) or '-'}"
              f"{' (confirmed)' * one.is_confirmed}; {one.others} others; {one.seconds:.1f} s", flush=True)  # fmt: skip
    counts = (sum(one.is_caught for one in found), sum(bool(one.offers) for one in found))
    confirmed = sum(one.is_confirmed for one in found)
    print(f"{len(found)} breaks: {counts[0]} caught, {counts[1]} with a correction, {confirmed} of them confirmed")


def replay(mirrors: Path, benchmark: Path) -> Iterator[Replayed]:
    """Yield what came of each break whose repository is there."""
    heads = {repo: commit for repo, commit, _ in rows(benchmark / "repositories.tsv")}
    adoptions: dict[tuple[str, str], tuple[Adoption, float]] = {}
    for line in (benchmark / "breaks.jsonl").read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        folder, key = find_mirror(mirrors, one["repo"]), (one["repo"], one["broke_commit"])
        if folder is None:
            print(f"no mirror of {one['repo']}", file=sys.stderr)
            continue
        git = Git(Repository(str(folder), str(folder), None))
        if key not in adoptions:
            start = time.process_time()
            made = adopt(git, one["broke_commit"], base=git.resolve(f"{one['broke_commit']}^1"))
            adoptions[key] = made, time.process_time() - start
        adoption, seconds = adoptions[key]
        hits = [finding for finding in adoption.of(FALSE) if _is_of(finding, one)]
        later = _text(git, f"{heads[one['repo']]}:{one['file']}")
        yield Replayed(
            f"{one['repo']} {one['broke_commit'][:10]} {one['file']} {one['token']}",
            bool(hits),
            [advice(finding) for finding in hits if advice(finding)],
            any(is_confirmed(finding, later) for finding in hits),
            len(adoption.of(FALSE)) - len(hits),
            seconds,
        )


def _text(git: Git, spec: str) -> str:
    """Return the text of a blob; empty where there is none."""
    return dict(read_texts(git, [spec])).get(spec, "")


def replay_check(mirrors: Path, benchmark: Path) -> Iterator[Replayed]:
    """Yield what `gitmem check` says of each break, of facts that were adopted at the commit before it."""
    heads = {repo: commit for repo, commit, _ in rows(benchmark / "repositories.tsv")}
    tables: dict[tuple[str, str], tuple[dict[str, Any], float]] = {}
    for line in (benchmark / "breaks.jsonl").read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        folder, commit = find_mirror(mirrors, one["repo"]), one["broke_commit"]
        if folder is None:
            print(f"no mirror of {one['repo']}", file=sys.stderr)
            continue
        if (one["repo"], commit) not in tables:
            with tempfile.TemporaryDirectory() as place:
                tables[one["repo"], commit] = _checked(folder, commit, Path(place) / "clone")
        table, seconds = tables[one["repo"], commit]
        named = hashed_slug(one["token"], "0" * HASH_LENGTH, otherwise=ADOPTED)[:-HASH_LENGTH]
        every = [
            (row["key"], line) for kind in ("newly_false", "outdated") for row in table[kind] for line in row["stated"]
        ]
        hits = [said for key, said in every if said["path"] == one["file"] and key[:-HASH_LENGTH] == named]
        git = Git(Repository(str(folder), str(folder), None))
        later = _text(git, f"{heads[one['repo']]}:{one['file']}")
        yield Replayed(
            f"{one['repo']} {commit[:10]} {one['file']} {one['token']}",
            bool(hits),
            [
                said["corrected"].strip() or f"remove {said['remove']}"
                for said in hits
                if said["corrected"] or said["remove"]
            ],
            any(
                said["corrected"].strip() in later if said["corrected"] else said["text"].strip() not in later
                for said in hits
                if said["corrected"] or said["remove"]
            ),
            len(table["newly_false"]) + len(table["outdated"]) - len(hits),
            seconds,
        )


def _checked(folder: Path, commit: str, clone: Path) -> tuple[dict[str, Any], float]:
    """Return the JSON of the check of a commit, and its seconds by the clock; nothing is checked out."""
    _run("git", "clone", "-q", "--shared", "--no-checkout", str(folder), str(clone), cwd=folder)
    before = _run("git", "rev-parse", f"{commit}^1", cwd=clone).strip()
    _run("git", "remote", "remove", "origin", cwd=clone)  # a branch of the name `memory` there is none of ours
    _run("git", "update-ref", "--no-deref", "HEAD", before, cwd=clone)
    gitmem = (sys.executable, "-m", "gitmem")
    for argv in (("init",), ("adopt", "--apply")):
        _run(*gitmem, *argv, cwd=clone)
    start = time.perf_counter()
    text = _run(*gitmem, "check", "--json", "--base", before, "--head", commit, cwd=clone)
    return json.loads(text), time.perf_counter() - start


def _run(*argv: str, cwd: Path) -> str:
    names = dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "Benchmark")
    mails = dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "benchmark@example.org")
    done = subprocess.run(
        argv, cwd=cwd, env={**os.environ, **names, **mails}, capture_output=True, text=True, check=False
    )
    if done.returncode not in (0, 1):  # 1: something is false
        raise SystemExit(f"{' '.join(argv)}: {done.stderr}")
    return done.stdout


def _is_of(finding: JudgedClaim, one: dict[str, str]) -> bool:
    names = {finding.claim.token.strip("./"), finding.claim.name.strip("./")}
    return finding.document.path == one["file"] and one["token"].strip("./") in names


def is_confirmed(finding: JudgedClaim, later: str) -> bool:
    """Return whether a later text of the document follows the correction that is offered."""
    if finding.fix:
        return finding.fix in later
    if finding.cut:
        return finding.statement.lines[0].strip() not in later
    return finding.is_surplus and f"`{finding.claim.token}`" not in later


if __name__ == "__main__":
    main()
