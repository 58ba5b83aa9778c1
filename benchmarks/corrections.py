"""Correct the documents of each repository of the adoption benchmark in a copy, and print every line that changes.

    .venv/bin/python -m benchmarks.corrections MIRRORS BENCHMARK

MIRRORS and BENCHMARK are those of `benchmarks/adopt.py`. Each alarm is printed with its correction, or without one. The
corrected documents are committed in a clone and judged once more: what is false then and was not before is printed, and
so is what a second correction would change. Both must be nothing. Whether a correction is right is for a reader to say.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from pathlib import Path

from benchmarks.adopt import find_mirror, rows
from gitmem.commands.adopt.correct import applicable
from gitmem.commands.adopt.findings import FALSE, HOLDS
from gitmem.commands.adopt.formats import advice, sentence
from gitmem.commands.adopt.run import adopt
from gitmem.git import Git
from gitmem.git.repository import Repository


def main() -> None:
    """Print the corrections of each repository, and the sums."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("benchmark", type=Path)
    parser.add_argument("--only", default="", help="repositories whose name contains this")
    parser.add_argument("--all", action="store_true", help="all documents, not only those of the benchmark")
    args = parser.parse_args()
    wanted: dict[str, list[str]] = {}
    for repo, path, _ in rows(args.benchmark / "files.tsv"):
        wanted.setdefault(repo, []).append(path)
    sums = dict.fromkeys(("alarms", "with a correction", "changed lines", "newly false", "changed by a second run"), 0)
    for repo, commit, _ in rows(args.benchmark / "repositories.tsv"):
        mirror = find_mirror(args.mirrors, repo) if args.only in repo else None
        if mirror is not None:
            counted = _correct(repo, mirror, commit, [] if args.all else wanted.get(repo, ["-"]))
            sums = {name: sums[name] + number for name, number in zip(sums, counted, strict=True)}
    print("\n" + ", ".join(f"{number} {name}" for name, number in sums.items()))


def _correct(repo: str, mirror: Path, commit: str, wanted: list[str]) -> tuple[int, int, int, int, int]:
    """Print what is corrected in one repository, and return the numbers of the sums."""
    adoption = adopt(_git(mirror), commit, wanted)
    false = adoption.of(FALSE)
    for finding in false:
        where = f"{finding.document.path}:{finding.claim.line}"
        print(f"\n{repo} {where}  {sentence(finding)}; {advice(finding) or 'no correction'}")
        print(f"    {finding.statement.text[:160]}")
    for one in adoption.corrections:
        print(f"\n  - {repo} {one.path}:{one.line}\n  - {one.before}\n  + {one.after}")
    corrected = sum(bool(one.fix or one.cut or one.is_surplus) for one in false)
    if not adoption.corrections:
        return len(false), corrected, 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder, "clone")
        _run("git", "clone", "-q", "--bare", "--shared", str(mirror), str(clone))
        again = adopt(_git(clone), _commit(clone, commit, adoption.corrections), wanted)
    bad = {_key(one) for one in adoption.findings if one.verdict != HOLDS}
    new = [one for one in again.findings if one.verdict != HOLDS and _key(one) not in bad]
    for one in new:
        print(f"\n!! newly {one.verdict}: {repo} {one.document.path}:{one.claim.line}  {sentence(one)}")
    for two in again.corrections:
        print(f"\n!! changed again: {repo} {two.path}:{two.line}\n  - {two.before}\n  + {two.after}")
    return len(false), corrected, len(adoption.corrections), len(new), len(again.corrections)


def _key(finding) -> tuple[str, str, str, str]:
    claim = finding.claim
    return finding.document.path, claim.kind, claim.name, claim.stated


def _commit(clone: Path, commit: str, corrections) -> str:
    """Commit corrected documents on top of a commit, and return the new one."""
    env = {**os.environ, "GIT_INDEX_FILE": str(clone / "corrected-index")}
    _run("git", "-C", str(clone), "read-tree", commit, env=env)
    for path in dict.fromkeys(one.path for one in corrections):
        text = _run("git", "-C", str(clone), "show", f"{commit}:{path}").decode("utf-8", "surrogateescape")
        lines = text.split("\n")
        new = {one.line: one.after for one in applicable(corrections, {path: lines}) if one.path == path}
        after = (new.get(at, line) for at, line in enumerate(lines, 1))
        content = "\n".join(line for line in after if line is not None).encode("utf-8", "surrogateescape")
        blob = _run("git", "-C", str(clone), "hash-object", "-w", "--stdin", input=content).decode().strip()
        _run("git", "-C", str(clone), "update-index", "--cacheinfo", f"100644,{blob},{path}", env=env)
    tree = _run("git", "-C", str(clone), "write-tree", env=env).decode().strip()
    named = ("-c", "user.name=Benchmark", "-c", "user.email=benchmark@example.invalid")
    argv = ("git", "-C", str(clone), *named, "commit-tree", "-p", commit, "-m", "correct documents", tree)
    return _run(*argv).decode().strip()


def _git(folder: Path) -> Git:
    return Git(Repository(str(folder), str(folder), None))


def _run(*argv: str, input: bytes = b"", env: dict[str, str] | None = None) -> bytes:
    return subprocess.run(argv, input=input, env=env, check=True, capture_output=True).stdout


if __name__ == "__main__":
    main()
