"""Counters of this clone for metrics: how often something happened.

Each is a file that grows by one byte per count: adding needs no lock and loses nothing, and the file's size is the
count. For ``gitmem stats`` over time there is one file per day, and likewise for the keys that were shown on that day.
"""

from __future__ import annotations

import os

from gitmem.system import make_folder, open_private, read_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDER, DAYS = "tally", "days"
# The counters.
CAPTURES, REFUSALS, STARTS, PROMPTS, SHOWN = "captures", "refusals", "starts", "prompts", "shown"
NAMES = (CAPTURES, REFUSALS, STARTS, PROMPTS, SHOWN)
# The daily counters: prompts and recalls that searched the memory, and those that found something.
SEARCHED, ANSWERED = "prompts-searched", "prompts-answered"
RECALLS, RECALLS_ANSWERED = "recalls", "recalls-answered"
KEYS = "keys"
DAY_S = 86_400
# Days whose counts are kept: a year, and a month to compare it with (chosen, not measured).
DAYS_KEPT = 400


def add(state_folder: str | os.PathLike[str], name: str, number: int = 1) -> None:
    """Add to a counter; disk errors are ignored, since a count is not worth a failure."""
    _append(os.path.join(state_folder, FOLDER, name), b"." * number)


def add_on(state_folder: str | os.PathLike[str], now: int, name: str) -> None:
    """Add one to a daily counter."""
    _append(_path(state_folder, now // DAY_S, name), b".")


def note_keys(state_folder: str | os.PathLike[str], now: int, keys: Iterable[str]) -> None:
    """Record that memories were shown on a day; each key is written once a day, or twice in a race."""
    path = _path(state_folder, now // DAY_S, KEYS)
    known = set(read_file(path).split(b"\n"))
    new = [line for key in keys if (line := key.encode()) not in known]
    if new:
        _append(path, b"\n".join(new) + b"\n")


def days_of(state_folder: str | os.PathLike[str]) -> dict[int, dict[str, int]]:
    """Return the counts by day, numbered since the epoch, oldest first."""
    found: dict[int, dict[str, int]] = {}
    for day, name, entry in _entries(state_folder):
        if name != KEYS:
            found.setdefault(day, {})[name] = entry.stat().st_size
    return dict(sorted(found.items()))


def keys_of(state_folder: str | os.PathLike[str]) -> dict[str, int]:
    """Return the last day on which each memory was shown, by key."""
    found: dict[str, int] = {}
    for day, name, entry in _entries(state_folder):
        for line in read_file(entry.path).decode(errors="replace").split("\n") if name == KEYS else ():
            found[line] = max(day, found.get(line, 0))
    found.pop("", None)
    return found


def sweep(state_folder: str | os.PathLike[str], now: int) -> None:
    """Remove the counts of old days."""
    for day, _, entry in _entries(state_folder):
        if day < now // DAY_S - DAYS_KEPT:
            try:
                os.unlink(entry.path)
            except OSError:
                continue


def _path(state_folder: str | os.PathLike[str], day: int, name: str) -> str:
    return os.path.join(state_folder, FOLDER, DAYS, f"{day}.{name}")


def _entries(state_folder: str | os.PathLike[str]) -> list[tuple[int, str, os.DirEntry[str]]]:
    try:
        entries = list(os.scandir(os.path.join(state_folder, FOLDER, DAYS)))
    except OSError:
        return []
    parts = [(entry.name.partition("."), entry) for entry in entries]
    return [(int(day), name, entry) for (day, _, name), entry in parts if day.isascii() and day.isdigit()]


def _append(path: str, data: bytes) -> None:
    try:
        make_folder(os.path.dirname(path))
        fd = open_private(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            os.write(fd, data)
        finally:
            os.close(fd)
    except OSError:
        return


def count(state_folder: str | os.PathLike[str], name: str) -> int:
    """Return the value of a counter."""
    try:
        return os.stat(os.path.join(state_folder, FOLDER, name)).st_size
    except OSError:
        return 0
