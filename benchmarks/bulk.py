"""Time many writes: an import, and many processes that write at once."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from random import Random

from benchmarks.measure import BenchmarkError, Command
from benchmarks.stores import STORES, Stores, gitmem, say
from benchmarks.texts import Writer

# The figure: 16 processes that write 100 memories each.
WRITERS = 16
EACH = 100

_CALLED = """
import sys
from gitmem import Memory
with Memory(".") as memory:
    for n in range(int(sys.argv[2])):
        memory.remember(f"Writer {sys.argv[1]} says number {n}", kind="gotcha", key=f"w{sys.argv[1]}-{n}")
"""
_BATCHED = """
import sys
from gitmem import Memory
with Memory(".") as memory, memory.bulk.batch() as batch:
    for n in range(int(sys.argv[2])):
        batch.remember(f"Writer {sys.argv[1]} says number {n}", kind="gotcha", key=f"w{sys.argv[1]}-{n}")
"""
_TYPED = 'for n in $(seq "$2"); do "$0" remember "Writer $1 says number $n" --kind gotcha --key "w$1-$n"; done'
# Starts the writers, waits for all of them, and fails when one did.
_ALL = """
import subprocess, sys
argv = sys.argv[3:]
children = [subprocess.Popen([*argv, str(n), sys.argv[2]]) for n in range(int(sys.argv[1]))]
sys.exit(any([child.wait() for child in children]))
"""


def import_command(stores: Stores, name: str, size: str) -> Command:
    """Return an import of JSONL into a new repository, with the catalog that is made of it."""
    count = STORES[size][0]
    source, folder = stores.folder / f"import-{size}.jsonl", stores.folder / f"import-{size}"
    if not source.exists():
        say(f"making {source.name}: {count} memories")
        with source.open("w", encoding="utf-8") as file:
            file.writelines(_line(number) for number in range(count))

    return Command(
        name,
        lambda _: [gitmem(), "import", str(source)],
        folder,
        before=lambda _: _new(stores, folder),
        after=lambda _: _need(stores, folder, count),
        says_something=True,
    )


def writers_command(stores: Stores, name: str, how: str) -> Command:
    """Return many processes that write at once: by the command, by the Python API, or by a batch of it."""
    folder = stores.folder / name
    python = [sys.executable, "-c"]
    argv = {"command": ["bash", "-ec", _TYPED, gitmem()], "api": [*python, _CALLED], "batch": [*python, _BATCHED]}[how]

    def before(_: int) -> None:
        _new(stores, folder)
        stores.run([gitmem(), "init"], folder)

    return Command(
        name,
        lambda _: [*python, _ALL, str(WRITERS), str(EACH), *argv],
        folder,
        before=before,
        after=lambda _: _need(stores, folder, WRITERS * EACH),
    )


def _line(number: int) -> str:
    writer = Writer(Random(f"import/{number}"), ["src/service.py"])
    writer.begin()
    kind = ("learned", "gotcha", "pattern", "recipe")[number % 4]
    title, body = writer.title(kind), writer.body(kind)
    table = {
        "title": f"{title} {number}",
        "body": body,
        "kind": kind,
        "ts": 1_706_360_000 + number,
        "tags": [writer.area],
    }
    return json.dumps(table) + "\n"


def _new(stores: Stores, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    stores.run(["git", "init", "-q"], folder)


def _need(stores: Stores, folder: Path, count: int) -> None:
    tree = stores.run(["git", "ls-tree", "-r", "--name-only", "memory"], folder)
    found = sum(line.endswith(b".md") and b"/" in line for line in tree.split(b"\n"))
    if found != count:
        raise BenchmarkError(f"{folder}: {found} memories on the branch, not {count}")
