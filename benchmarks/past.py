"""Generate a store with a history for ``--at``: a thousand commits of the code, and a memory written for each."""

from __future__ import annotations

import shutil
from pathlib import Path

from benchmarks import generate
from benchmarks.measure import BenchmarkError, Command
from benchmarks.stores import Stores, gitmem

COMMITS = 1_000
# How far back is asked.
BACK = 100
WHO = b"Ana <ana@example.invalid> %d +0000"


def at_command(stores: Stores, name: str, how: str) -> Command:
    """Return ``list --at`` a hundred commits back: with the index of that state kept, or made anew (``cold``)."""
    path = _grown(stores)
    kept = path / ".git" / "gitmem" / "at"

    def forget(_: int) -> None:
        if how == "cold":
            shutil.rmtree(kept, ignore_errors=True)

    def is_of_then(_: int) -> None:
        shown = stores.run([gitmem(), "status", "--at", f"main~{BACK}"], path, ok=(0, 1)).split(b" ")[0]
        now = stores.run([gitmem(), "status"], path, ok=(0, 1)).split(b" ")[0]
        if int(now) - int(shown) != BACK:
            raise BenchmarkError(f"{shown!r} memories at main~{BACK}, {now!r} now: not {BACK} fewer")

    argv = [gitmem(), "list", "--limit", "10", "--at", f"main~{BACK}"]
    return Command(name, lambda _: argv, path, before=forget, after=is_of_then, says_something=True)


def _grown(stores: Stores) -> Path:
    """Return a copy of the store of 10,000 memories, with the past on top of it."""
    path = stores.path("10k").with_name("past-of-10k")
    if path.exists():
        return path
    shutil.copytree(stores.path("10k"), path, symlinks=True)
    tips = {ref: stores.run(["git", "rev-parse", ref], path).strip() for ref in (b"main", b"memory")}
    stream = [b"feature done\n"]
    for number in range(COMMITS):
        code, about = b"refs/heads/main", b"one more change\n"
        stream += [_commit(code, about, mark=2 * number + 1), _from(tips[b"main"]) if number == 0 else b""]
        stream.append(f"M 100644 inline src/changed-{number % 50}.txt\n".encode() + _data(b"%d\n" % number))
    marks = path / ".git" / "marks"
    _import(stores, path, stream, marks)
    names = dict(line.split() for line in marks.read_bytes().splitlines())
    stream = [b"feature done\n"]
    for number in range(COMMITS):
        about = b"learned: add past-%d\n\nGitmem-Key: past-%d\nCode-Commit: %s\n"
        about %= (number, number, names[b":%d" % (2 * number + 1)])
        stream += [_commit(b"refs/heads/memory", about), _from(tips[b"memory"]) if number == 0 else b""]
        text = b"---\ntitle: Change %d\nkind: gotcha\n---\nWhat was learnt with change %d.\n" % (number, number)
        place = generate.place("gotchas", f"past-{number}", split=True)
        stream.append(f"M 100644 inline {place}\n".encode() + _data(text))
    _import(stores, path, stream, marks)
    stores.run(["git", "reset", "-q", "--hard", "main"], path)
    stores.run([gitmem(), "index"], path)
    return path


def _commit(ref: bytes, about: bytes, *, mark: int = 0) -> bytes:
    who = WHO % generate.END
    return b"commit %s\n%scommitter %s\n%s" % (ref, b"mark :%d\n" % mark if mark else b"", who, _data(about))


def _from(commit: bytes) -> bytes:
    return b"from %s\n" % commit


def _data(text: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(text), text)


def _import(stores: Stores, path: Path, stream: list[bytes], marks: Path) -> None:
    file = path / ".git" / "stream"
    file.write_bytes(b"".join([*stream, b"done\n"]))
    command = 'git fast-import --quiet --date-format=raw --export-marks="$1" < "$2"'
    stores.run(["sh", "-c", command, "sh", str(marks), str(file)], path)
