"""The local state of one clone that is in plain files: waiting captures and counters.

Every hook of an agent reads it, so it loads no SQLite (1 ms, and 3 more with ``functools``, measured).
"""

from __future__ import annotations

import os
import time

from gitmem.config import second_place
from gitmem.errors import suppress
from gitmem.system import append_file, discard, list_names, read_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# The database with the verdicts, access counts and outputs of checks (``store.local``).
LOCAL = "local.sqlite"
SPOOL_FOLDER = "spool"
WAITING = "waiting"
REFUSED = "refused"
# The commits from whose messages something was captured, and the HEAD at which they were looked at last.
CAPTURE, FOLLOWED, FOLLOWED_AT = "capture", "commits", "commits.head"
SUFFIX = ".json"
# Captures wait this long for the end of their session. Our choice: others see them an hour late at most, and a session
# that is resumed all day makes one commit an hour.
HELD_S = 3600


def spool_folders(state_folder: str | os.PathLike[str]) -> tuple[str, str]:
    """Return the folder of a spool, and its fallback."""
    return os.path.join(state_folder, SPOOL_FOLDER), os.path.join(second_place(state_folder), SPOOL_FOLDER)


def has_left_followed(state_folder: str | os.PathLike[str], head: str) -> bool:
    """Return whether HEAD has moved since the commits that taught something were looked at; mostly none did."""
    folder = os.path.join(state_folder, CAPTURE)
    if not os.path.exists(os.path.join(folder, FOLLOWED)):
        return False
    return read_file(os.path.join(folder, FOLLOWED_AT)).decode("ascii", "replace").strip() != head


def waiting_captures(state_folder: str | os.PathLike[str]) -> tuple[str, ...]:
    """Return the names of the waiting entries, oldest first; costs microseconds if there never were any."""
    return tuple(spooled_names(spool_folders(state_folder), WAITING))


def has_overdue_captures(state_folder: str | os.PathLike[str]) -> bool:
    """Return whether a capture has waited for longer than ``HELD_S``, so that it no longer waits for its session."""
    waiting = waiting_captures(state_folder)
    return bool(waiting) and time.time() - captured_at(waiting[0]) >= HELD_S


def captured_at(name: str) -> float:
    """Return when an entry of the spool was captured, epoch seconds; 0 if its name does not say."""
    stamp = name.partition("-")[0]
    return int(stamp) / 1e9 if stamp.isdigit() and stamp.isascii() else 0.0


def spooled_names(folders: Iterable[str], inside: str) -> list[str]:
    """Return the names of the entries in a folder of each of some spools, oldest first."""
    return sorted(name for folder in folders for name in names_in_spool(os.path.join(folder, inside)))


def names_in_spool(folder: str) -> list[str]:
    """Return the names of the entries in one folder, oldest first; none if it cannot be read."""
    return sorted(name for name in list_names(folder) if name.endswith(SUFFIX))


TALLY_FOLDER, DAYS_FOLDER = "tally", "days"
# Counters for metrics: how often something happened. Each is a file that grows by one byte per count: adding needs no
# lock and loses nothing, and the file's size is the count. For ``gitmem stats`` over time there is one file per day,
# and likewise for the keys that were shown on that day.
CAPTURES, REFUSALS, STARTS, PROMPTS, SHOWN = "captures", "refusals", "starts", "prompts", "shown"
COUNTERS = (CAPTURES, REFUSALS, STARTS, PROMPTS, SHOWN)
# The daily counters: prompts and recalls that searched the memory, and those that found something.
SEARCHED, ANSWERED = "prompts-searched", "prompts-answered"
RECALLS, RECALLS_ANSWERED = "recalls", "recalls-answered"
KEYS_NAME = "keys"
DAY_S = 86_400
# Days whose counts are kept: a year, and a month to compare it with (chosen, not measured).
DAYS_KEPT = 400


def add_count(state_folder: str | os.PathLike[str], name: str, number: int = 1) -> None:
    """Add to a counter; disk errors are ignored, since a count is not worth a failure."""
    _append(os.path.join(state_folder, TALLY_FOLDER, name), b"." * number)


def add_daily_count(state_folder: str | os.PathLike[str], now: int, name: str) -> None:
    """Add one to a daily counter."""
    _append(_path(state_folder, now // DAY_S, name), b".")


def note_shown_keys(state_folder: str | os.PathLike[str], now: int, keys: Iterable[str]) -> None:
    """Record that memories were shown on a day; each key is written once a day, or twice in a race."""
    path = _path(state_folder, now // DAY_S, KEYS_NAME)
    known = set(read_file(path).split(b"\n"))
    new = [line for key in keys if (line := key.encode()) not in known]
    if new:
        _append(path, b"\n".join(new) + b"\n")


def daily_counts(state_folder: str | os.PathLike[str]) -> dict[int, dict[str, int]]:
    """Return the counts by day, numbered since the epoch, oldest first."""
    sizes: dict[int, dict[str, int]] = {}
    for day, name, entry in _entries(state_folder):
        if name != KEYS_NAME:
            sizes.setdefault(day, {})[name] = entry.stat().st_size
    return dict(sorted(sizes.items()))


def shown_keys(state_folder: str | os.PathLike[str]) -> dict[str, int]:
    """Return the last day on which each memory was shown, by key."""
    keys: dict[str, int] = {}
    for day, name, entry in _entries(state_folder):
        for line in read_file(entry.path).decode(errors="replace").split("\n") if name == KEYS_NAME else ():
            keys[line] = max(day, keys.get(line, 0))
    keys.pop("", None)
    return keys


def sweep_counts(state_folder: str | os.PathLike[str], now: int) -> None:
    """Remove the counts of old days."""
    for day, _, entry in _entries(state_folder):
        if day < now // DAY_S - DAYS_KEPT:
            discard(entry.path)


def _path(state_folder: str | os.PathLike[str], day: int, name: str) -> str:
    return os.path.join(state_folder, TALLY_FOLDER, DAYS_FOLDER, f"{day}.{name}")


def _entries(state_folder: str | os.PathLike[str]) -> list[tuple[int, str, os.DirEntry[str]]]:
    try:
        entries = list(os.scandir(os.path.join(state_folder, TALLY_FOLDER, DAYS_FOLDER)))
    except OSError:
        return []
    parts = [(entry.name.partition("."), entry) for entry in entries]
    return [(int(day), name, entry) for (day, _, name), entry in parts if day.isascii() and day.isdigit()]


def _append(path: str, data: bytes) -> None:
    with suppress(OSError):
        append_file(path, data)


def read_count(state_folder: str | os.PathLike[str], name: str) -> int:
    """Return the value of a counter."""
    try:
        return os.stat(os.path.join(state_folder, TALLY_FOLDER, name)).st_size
    except OSError:
        return 0
