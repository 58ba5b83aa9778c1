"""Ask casual questions about the changelogs of seven projects, which were written before anything ran on them.

    python -m benchmarks.changelogs FOLDER [--embed wordllama] [-v]

FOLDER has one file for each project, named as in ``FILES``. The memories are the entries, those with a repeated text or
title left out. Prints how many of the 20 questions about each (60 about click) have their answer first, and in the
first five; with ``-v`` the others.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import judged
from benchmarks.retriever import Retriever
from gitmem.text.slugs import slug

QUERIES = judged.DATA / "changelog" / "others.jsonl"
# The file of each project, how a release begins, and how an entry does.
FILES = {
    "httpx": ("httpx.md", r"(?m)^## (\d[\w.]*)", r"(?m)^[*-] "),
    "yarl": ("yarl.rst", r"(?m)^v?(\d+\.\d+(?:\.\d+)?)(?: \([^)]*\))?\n=+$", r"(?m)^[*-] "),
    "kombu": ("kombu.rst", r"(?m)^(\d+\.\d+(?:\.\d+)?)\n=+$", r"(?m)^\s?[*-] "),
    "werkzeug": ("werkzeug.rst", r"(?m)^Version (\d[\d.]*)\n-+$", r"(?m)^[*-]   "),
    "httpie": ("httpie.md", r"(?m)^## \[(\d[\d.]*)", r"(?m)^[*-] "),
    "tox": ("tox.rst", r"(?m)^ v(\d[\w.]*) \([\d-]+\)\n\*+$", r"(?m)^[*-] "),
    "click": ("click.md", r"(?m)^## Version (\d[\w.]*)", r"(?m)^- +"),
}
# Numbers of issues, names of authors, and the marks of reStructuredText around a word.
NOISE = (
    (re.compile(r"\(?\[?#\d+\]?(\([^)]*\))?\)?"), ""),
    (re.compile(r"(?s)\*Related issues.*"), ""),
    (re.compile(r"-- by :user:`[^`]*`( and :user:`[^`]*`)?\.?"), ""),
    (re.compile(r"(?::\w+)+:`(?:[^`<]*<)?([^`<>]*)>?`"), r"\1"),
)
MOST, SHORTEST, TITLE = 400, 25, 110


def entries(text: str, release: str, item: str) -> list[dict[str, Any]]:
    """Return the newest entries of a changelog as documents, named by release and place."""
    found: list[dict[str, Any]] = []
    parts, seen = re.split(release, text), set()
    for version, body in zip(parts[1::2], parts[2::2], strict=True):
        while version in seen:
            version += "x"  # noqa: PLW2901 - a release that is listed twice
        seen.add(version)
        for number, entry in enumerate(re.split(item, body)[1:], 1):
            words = re.split(r"\n(?=\S)", entry)[0]
            for pattern, other in NOISE:
                words = pattern.sub(other, words)
            words = " ".join(words.split())
            if len(words) >= SHORTEST:
                title = re.split(r"(?<=[.;]) ", words)[0].rstrip(". ")[:TITLE]
                found.append({"id": f"{version}-{number}", "title": title, "text": words, "tags": [], "date": ""})
    return found[:MOST]


def places(folder: Path, project: str, documents: Sequence[dict[str, Any]], *, is_verbose: bool) -> list[int]:
    """Return the place of the answer to each question about a project, 0 if it is not shown."""
    kept: dict[str, str] = {}  # the document that each text, title or name stands for
    documents_kept = []
    for each in documents:
        names = (each["text"], each["title"].lower(), slug(each["id"]))
        same = next((kept[name] for name in names if name in kept), "")
        if not same:
            documents_kept.append(each)
        kept.update(dict.fromkeys((each["id"], *names), same or each["id"]))
    folder.mkdir()
    retriever = Retriever(folder)
    retriever.index(documents_kept)
    found = []
    for query in judged.read(QUERIES):
        if query["project"] != project:
            continue
        hits = retriever.search(query["text"], judged.SHOWN)
        wanted = kept[query["relevant"]]
        found.append(hits.index(wanted) + 1 if wanted in hits else 0)
        if is_verbose and found[-1] != 1:
            print(found[-1], query["text"], wanted, hits[:3], sep=" | ")
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--embed", default="off", metavar="PROVIDER", help="recall by meaning, too")
    parser.add_argument("-v", "--verbose", action="store_true", help="print the questions whose answer is not first")
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="gitmem-changelogs-") as name:
        os.environ.update(HOME=name, XDG_STATE_HOME=f"{name}/state", GITMEM_BACKGROUND="off", GITMEM_VIEW="false")
        os.environ["GITMEM_EMBED"] = options.embed
        for project, (file, release, item) in FILES.items():
            text = (options.folder / file).read_text(encoding="utf-8")
            at = places(Path(name) / project, project, entries(text, release, item), is_verbose=options.verbose)
            five = sum(0 < place <= 5 for place in at)
            print(f"{project}: first {at.count(1)}, in the first five {five}, of {len(at)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
