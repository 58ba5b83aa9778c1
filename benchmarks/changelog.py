"""Ask questions about another project's changelog: in words that are not its own, and about times.

    python -m benchmarks.changelog CHANGES.rst                    # by words
    python -m benchmarks.changelog CHANGES.rst --embed minilm     # by words and meaning

CHANGES.rst is that of urllib3 1.26.20 or later (``data/changelog/README.md``). Prints how many of the questions have an
answer in the first place, and in the first five.
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

QUERIES = judged.DATA / "changelog" / "queries.jsonl"
RELEASE = re.compile(r"(?m)^(\d+(?:\.\d+)+) \((\d{4}-\d\d-\d\d)\)$")
ITEM = re.compile(r"(?m)^[*-] ")
# Where a title ends: at a sentence, or at the number of an issue.
TITLE_END = re.compile(r"(?<=[.:;]) |(?= \((?:Issue|Pull|PR)s? )")
TITLE = 110
NEWEST = (1, 26, 20)


def entries(text: str) -> list[dict[str, Any]]:
    """Return the entries of a changelog as documents: each with its release, and the release's date."""
    found = []
    parts = RELEASE.split(text)
    for version, date, body in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        if tuple(map(int, version.split("."))) > NEWEST:
            continue
        for number, item in enumerate(ITEM.split(body)[1:], 1):
            words = " ".join(re.split(r"\n(?=\S)", item)[0].split())
            title = TITLE_END.split(words)[0].rstrip(". ")[:TITLE]
            tags = [f"release-{version}"]
            entry = {"id": f"{version}-{number}", "title": title, "text": words, "tags": tags}
            found.append(entry | {"date": f"{date}T00:00:00"})
    return found


def places(retriever: judged.Retriever, queries: Sequence[dict[str, Any]]) -> dict[str, list[int]]:
    """Return for each kind of question the place of the first answer, 0 if it is not among those shown."""
    found: dict[str, list[int]] = {}
    for query in queries:
        hits = retriever.search(query["text"], judged.SHOWN)
        place = next((at for at, one in enumerate(hits, 1) if one in query["relevant"]), 0)
        found.setdefault(query["kind"], []).append(place)
    return found


def measure(changelog: Path, embed: str) -> dict[str, list[int]]:
    """Make a store of the changelog, ask the questions, and return ``places``."""
    with tempfile.TemporaryDirectory(prefix="gitmem-changelog-") as name:
        os.environ.update(HOME=name, XDG_STATE_HOME=f"{name}/state", GITMEM_BACKGROUND="off", GITMEM_VIEW="false")
        os.environ["GITMEM_EMBED"] = embed or "off"
        retriever = Retriever(Path(name))
        retriever.index(entries(changelog.read_text(encoding="utf-8")))
        return places(retriever, judged.read(QUERIES))


def table(found: dict[str, list[int]]) -> str:
    """Return a Markdown table of the counts."""
    lines = ["| questions | first | in the first five |", "|---|---|---|"]
    for kind, at in found.items():
        first, five = sum(place == 1 for place in at), sum(0 < place <= 5 for place in at)
        lines.append(f"| {kind} | {first} of {len(at)} | {five} |")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("changelog", type=Path, metavar="CHANGES.rst")
    parser.add_argument("--embed", default="", metavar="PROVIDER", help="recall by meaning, too")
    options = parser.parse_args(argv)
    print(table(measure(options.changelog.resolve(), options.embed)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
