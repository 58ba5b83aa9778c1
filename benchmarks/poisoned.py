"""Count the poisoned texts that the rules of `review` and `doctor` find, and the honest ones they report by mistake.

    .venv/bin/python -m benchmarks.poisoned                      # the cases of benchmarks/poisoned.jsonl
    .venv/bin/python -m benchmarks.poisoned MIRRORS BENCHMARK    # and the instruction files of other repositories

MIRRORS and BENCHMARK are those of `benchmarks/adopt.py`: every statement of every instruction file is tested.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from benchmarks import record
from benchmarks.adopt import find_mirror, rows
from gitmem.commands.adopt.statements import split
from gitmem.git import Git
from gitmem.git.repository import Repository
from gitmem.text.hazards.hazard import find_hazards
from gitmem.text.hazards.hidden_characters import find_hidden

CASES = Path(__file__).with_name("poisoned.jsonl")
# What instruction files are called (the benchmark's other documents are about the code, not to an agent).
NAMES = ("agents.md", "claude.md", "gemini.md", ".cursorrules", "copilot-instructions.md", ".mdc")


def findings(text: str) -> list[str]:
    """Return what the rules say of a text, each by the name of its rule."""
    return [f"{one.code}: {one.message}" for one in find_hazards(text)] + [
        f"hidden-character: {flaw.codepoint}" for flaw in find_hidden(text)
    ]


def main() -> None:
    """Print what is found and what is missed, by class, then the alarms on honest statements."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("mirrors", type=Path, nargs="?")
    parser.add_argument("benchmark", type=Path, nargs="?")
    parser.add_argument("--write", action="store_true", help="record what is found in measured/texts.jsonl")
    args = parser.parse_args()
    cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    for is_tuned in (True, False):
        mine = [case for case in cases if case["tuned"] is is_tuned]
        missed = [case for case in mine if not findings(case["text"])]
        print(f"{'tuned on' if is_tuned else 'others'}: {len(mine) - len(missed)} of {len(mine)} found")
        if args.write:
            found = {"measured": len(mine) - len(missed), "of": len(mine)}
            record.record("texts", {"poisoned-tuned" if is_tuned else "poisoned": found})
            record.main([])
        for case in missed:
            print(f"  missed {case['class']}: {case['text']}")
    if args.mirrors and args.benchmark:
        _honest(args.mirrors, args.benchmark)
        _documents(args.mirrors, args.benchmark)


def _honest(mirrors: Path, benchmark: Path) -> None:
    commits = {repo: commit for repo, commit, *_ in rows(benchmark / "repositories.tsv")}
    labelled = [json.loads(line) for line in (benchmark / "statements.jsonl").read_text(encoding="utf-8").splitlines()]
    total, alarms, accused = 0, list[tuple[str, str, int, list[str], str]](), 0
    for repo, path, *_ in rows(benchmark / "files.tsv"):
        folder = find_mirror(mirrors, repo)
        if folder is None or not path.lower().endswith(NAMES):
            continue
        content = Git(Repository(str(folder), str(folder), None)).read_blob(f"{commits[repo]}:{path}", limit=1 << 20)
        for one in split((content or b"").decode("utf-8", "replace")):
            total += 1
            said = findings("\n".join(one.lines))
            if said:
                alarms.append((repo, path, one.line, said, one.text))
                accused += any(
                    row["repo"] == repo and row["file"] == path and row["line"] <= one.line <= row["line_end"]
                    for row in labelled
                )
    kinds = Counter(said[0].partition(":")[0] for *_, said, _ in alarms)
    print(f"statements of instruction files: {total}; with a finding: {len(alarms)} {dict(kinds)}")
    print(f"of the {len(labelled)} labelled statements: {accused}")
    for repo, path, line, said, text in alarms:
        print(f"  {repo} {path}:{line}: {said[0]}: {text[:160]}")


def _documents(mirrors: Path, benchmark: Path) -> None:
    """Print the alarms in all other Markdown of these repositories, up to 400 documents of each."""
    documents, lines, found = 0, 0, Counter[str]()
    for repo, commit, *_ in rows(benchmark / "repositories.tsv"):
        folder = find_mirror(mirrors, repo)
        if folder is None:
            continue
        git = Git(Repository(str(folder), str(folder), None))
        names = [oid for _, oid, path in git.list_paths(commit) if path.lower().endswith((".md", ".mdx", ".mdc"))]
        sizes = git.sizes(names[:400])
        for _, content in git.read_blobs(oid for oid in names[:400] if 0 <= sizes[oid] < 200_000):
            text = (content or b"").decode("utf-8", "replace")
            documents, lines = documents + 1, lines + text.count("\n")
            found.update(one.code for one in find_hazards(text) if one.code != "spoken-markup")
    print(f"Markdown: {documents} documents, {lines} lines; {dict(found)}")


if __name__ == "__main__":
    main()
