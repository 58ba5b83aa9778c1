"""Import folders of other systems into an empty store and count the texts that arrived.

``python -m benchmarks.moving FOLDER…`` prints a row for each: Markdown files, those with a text, those whose every word
is in a memory, those that the import names with a reason, and those that are lost; it ends with 1 if one is lost.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import time
import unicodedata
from pathlib import Path
from typing import Any

GITMEM = (sys.executable, "-m", "gitmem")
# What is no text: the frontmatter, the names of Logseq's properties, and Excalidraw's drawings.
_NO_TEXT = re.compile(r"\A---\n.*?^---[ \t]*$|^[ \t-]*[\w-]+::|^#+ Drawing\n```.*?^```$", re.M | re.S)
# Marks without a width in words, which the import leaves out.
_LAYOUT = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))


def words_of(text: str) -> set[str]:
    """Return the words of a text, in the form in which a store has them."""
    return set(re.findall(r"\w+", unicodedata.normalize("NFC", text.translate(_LAYOUT)).lower()))


def run(repository: Path, *arguments: str) -> str:
    """Run gitmem in a repository and return what it printed."""
    done = subprocess.run([*GITMEM, *arguments], cwd=repository, capture_output=True, check=False)
    return done.stdout.decode()


def measure(folder: Path) -> tuple[str, ...]:
    """Import one folder and return its row."""
    with tempfile.TemporaryDirectory(prefix="gitmem-moving-") as place:
        repository = Path(place)
        for command in (("init", "-q"), ("commit", "-q", "--allow-empty", "-m", "start")):
            subprocess.run(["git", *command], cwd=repository, check=True)
        run(repository, "init", "--no-view")
        start = time.monotonic()
        done: dict[str, Any] = json.loads(run(repository, "import", str(folder), "--json"))
        took = time.monotonic() - start
        lines = run(repository, "export", "--all").splitlines()
    memories: dict[str, set[str]] = {}
    for line in lines:
        table = json.loads(line)
        name = str(table["frontmatter"].get("imported", "")).partition("/")[2]
        said = words_of(json.dumps(table["frontmatter"], ensure_ascii=False) + table["body"])
        memories[name] = memories.get(name, set()) | said
    every: set[str] = set().union(*memories.values()) if memories else set()
    named = {
        row["source"].removeprefix(f"{folder}/").split(":")[0]
        for rows in done.values()
        if isinstance(rows, list)
        for row in rows
    }
    counts = {"files": 0, "texts": 0, "whole": 0, "named": 0, "lost": 0}
    lost = []
    for path in sorted(folder.rglob("*.md")):
        inside = path.relative_to(folder).as_posix()
        if any(part.startswith(".") for part in inside.split("/")):
            continue
        counts["files"] += 1
        text = path.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
        body = words_of(_NO_TEXT.sub("", text))
        counts["texts"] += bool(body)
        if not body:
            continue
        if body <= memories.get(inside, set()) or (inside not in memories and body <= every and inside not in named):
            counts["whole"] += 1
        elif inside in named:
            counts["named"] += 1
        else:
            counts["lost"] += 1
            lost.append((inside, sorted(body - memories.get(inside, every))[:8]))
    for inside, missing in lost[:20]:
        print(f"lost: {inside}: {' '.join(missing)}", file=sys.stderr)
    return (folder.name, *(str(count) for count in counts.values()), str(done.get("imported")), f"{took:.1f} s")


def main(names: list[str]) -> int:
    """Print a table of all folders."""
    print("folder | Markdown files | texts | whole | named | lost | memories | import")
    rows = [measure(Path(name).resolve()) for name in names]
    for row in rows:
        print(" | ".join(row))
    return int(any(row[5] != "0" for row in rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
