"""Run `gitmem adopt` on each repository of the adoption benchmark and print the answers in its score's format.

    .venv/bin/python benchmarks/adopt.py MIRRORS BENCHMARK > answers.jsonl
    .venv/bin/python BENCHMARK/score.py answers.jsonl

MIRRORS is a folder with a bare git repository for each line of BENCHMARK/repositories.tsv: OWNER+NAME/repo,
OWNER+NAME.git or OWNER/NAME. Each is judged at the commit that is named there, by the code that the command runs.
"""

from __future__ import annotations

import argparse
import csv
import json
import resource
import sys
import time
from pathlib import Path

from gitmem.commands.adopt.findings import HOLDS
from gitmem.commands.adopt.memories import withheld_of
from gitmem.commands.adopt.run import adopt
from gitmem.git import Git
from gitmem.git.repository import Repository

# The benchmark's class of each kind that it does not know.
CLASSES = {
    "package": "symbol", "service": "symbol", "program": "path", "test": "symbol", "count": "value",
    "absence": "dependency", "import rule": "symbol", "job": "symbol", "run in CI": "command", "option": "symbol",
    "style": "value", "variable": "symbol", "anchor": "path", "marker": "symbol", "extra": "symbol",
    "recipe": "command", "signature": "symbol", "import": "symbol", "subcommand": "command", "route": "symbol",
}  # fmt: skip


def main() -> None:
    """Print one line for each finding, and one for the seconds of each repository."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("benchmark", type=Path)
    parser.add_argument("--only", default="", help="repositories whose name contains this")
    args = parser.parse_args()
    wanted: dict[str, list[str]] = {}
    for repo, path, _ in rows(args.benchmark / "files.tsv"):
        wanted.setdefault(repo, []).append(path)
    for repo, commit, _ in rows(args.benchmark / "repositories.tsv"):
        folder = find_mirror(args.mirrors, repo)
        if args.only not in repo:
            continue
        if folder is None:
            print(f"no mirror of {repo}", file=sys.stderr)
            continue
        git = Git(Repository(str(folder), str(folder), None))
        start, used = time.perf_counter(), cpu_s()
        adoption = adopt(git, commit, wanted.get(repo, ["-"]))
        withheld = {id(one) for one in withheld_of(adoption.findings)}
        for finding in adoption.findings:
            if finding.verdict != HOLDS or id(finding) not in withheld:  # these become no facts
                # A number is only compared with the lines near it, so that it is answered for each of its lines.
                for line in (finding.claim.line, *(finding.more if finding.claim.stated else ())):
                    print(json.dumps(_answer(repo, finding) | {"line": line}))
        seconds = {"seconds": round(time.perf_counter() - start, 2), "cpu": round(cpu_s() - used, 2)}
        print(json.dumps({"repo": repo, **seconds}), flush=True)


def cpu_s() -> float:
    """Return the CPU time of this process and of the git processes that it has waited for."""
    usages = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(one.ru_utime + one.ru_stime for one in usages)


def rows(path: Path) -> list[list[str]]:
    """Return the rows of a table but for its first."""
    with path.open(encoding="utf-8") as stream:
        return list(csv.reader(stream, delimiter="\t"))[1:]


def find_mirror(mirrors: Path, repo: str) -> Path | None:
    """Return the mirror of a repository; None where there is none."""
    plus = repo.replace("/", "+")
    return next((mirrors / name for name in (f"{plus}/repo", f"{plus}.git", repo) if (mirrors / name).is_dir()), None)


def _answer(repo: str, finding) -> dict[str, object]:
    claim = finding.claim
    return {
        "repo": repo,
        "file": finding.document.path,
        "line": claim.line,
        "class": CLASSES.get(claim.kind, claim.kind),
        "token": _tokens(claim),
        "verdict": finding.verdict,
        "evidence": finding.source.where if finding.source else "",
        "culprit": finding.culprit.commit if finding.culprit else "",
        "merge": finding.culprit.merge.commit if finding.culprit and finding.culprit.merge else "",
    }


def _tokens(claim) -> list[str]:
    """Return the texts that a claim is known by; the two sides of an import rule are claims of their own."""
    if claim.stated:
        return [claim.name, claim.stated]
    return [claim.token] if claim.kind == "import rule" else [claim.token, claim.name, *claim.places[:1]]


if __name__ == "__main__":
    main()
