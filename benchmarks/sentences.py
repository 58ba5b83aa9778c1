"""Count adopted claims that are verified although what their title says is false.

    .venv/bin/python -m benchmarks.sentences [--errors]

``sentences.jsonl`` has 12 small projects, each with a document of sentences that name real files, names and values,
labelled by hand: whether the sentence is true at first, and after a change of the code. Most are false, or say more
than any of their names can prove. Each project is adopted (`gitmem adopt --apply`), verified, changed and verified
again. A verified claim is wrong if its title is a false sentence, or says something that a plain look at the files does
not confirm; the judge here shares no code with gitmem.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

PROJECTS = Path(__file__).with_name("sentences.jsonl")
# What a title may say: how a plain look at the files confirms it.
FORMS = (
    (r"`(.+)` exists", lambda files, path: path in files or any(one.startswith(f"{path}/") for one in files)),
    (r"`(.+)` (?:is defined|occurs) in the code", lambda files, name: any(name in text for text in files.values())),
    (r"`(.+)` (?:is defined|occurs) in `(.+)`", lambda files, name, path: name in files.get(path, "")),
    (r"`(.+)` (?:defines|lists) `(.+?)`(?: at .+)?", lambda files, path, name: name in files.get(path, "")),
    (r"`(.+)` in `(.+)` is (?:within )?(.+)",
     lambda files, key, path, value: any(
         key.rsplit(".", 1)[-1] in line and value in line for line in files.get(path, "").split("\n"))),
)  # fmt: skip


def main() -> None:
    """Print how many verified claims are wrong, and with ``--errors`` which."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--errors", action="store_true", help="print the claims that are judged wrongly")
    args = parser.parse_args()
    claims = wrong = 0
    for line in PROJECTS.read_text("utf-8").splitlines():
        project = json.loads(line)
        with tempfile.TemporaryDirectory() as folder:
            for title, is_true in judge(project, Path(folder)):
                claims, wrong = claims + 1, wrong + (not is_true)
                if args.errors and not is_true:
                    print(f"{project['name']}: {title}")
    print(f"{wrong} of {claims} verified claims say something false")


def judge(project: dict[str, Any], folder: Path) -> list[tuple[str, bool]]:
    """Return the titles of the verified claims of a project, before and after its change, and whether each is true."""
    files = dict(project["files"])
    text = "\n".join(one["text"] if one["text"].startswith("|") else f"- {one['text']}" for one in project["said"])
    header = "| Name | Default | Meaning |\n|---|---|---|\n" if text.startswith("|") else ""
    _run(folder, "git", "init", "-q", "-b", "main")
    _commit(folder, files | {"AGENTS.md": f"# Guide\n\n{header}{text}\n"})
    _gitmem(folder, "init", "--no-view")
    _gitmem(folder, "adopt", "--apply")
    found = [(title, is_true(title, project, files, "true")) for title in _verified(folder)]
    if project["later"]:
        _commit(folder, project["later"])
        files |= project["later"]
        found += [(title, is_true(title, project, files, "later")) for title in _verified(folder)]
    return found


def is_true(title: str, project: dict[str, Any], files: dict[str, str], when: str) -> bool:
    """Return whether a title is true: a sentence by its label, anything else by a plain look at the files."""
    for one in project["said"]:
        if _words(title) == _words(one["text"]):
            return bool(one[when])
    for pattern, holds in FORMS:
        if found := re.fullmatch(pattern, title):
            return bool(holds(files, *found.groups()))
    return False


def _words(text: str) -> list[str]:
    return re.findall(r"[\w.-]+", text)


def _verified(folder: Path) -> list[str]:
    _gitmem(folder, "verify")
    listed = json.loads(_gitmem(folder, "list", "--kind", "claim", "--limit", "100", "--json"))
    return [one["title"] for one in listed["memories"] if one["status"] == "verified"]


def _commit(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    _run(folder, "git", "add", "-A")
    _run(folder, "git", "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", "files")


def _gitmem(folder: Path, *words: str) -> str:
    return _run(folder, sys.executable, "-m", "gitmem", *words)


def _run(folder: Path, *words: str) -> str:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{words}: {done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
