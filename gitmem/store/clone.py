"""The state folder of a clone: whether it was made here, what may be in it, what waits there, and its counters.

The clones known to this machine are registered outside the repository, in the person's own state folder.

A ``.git`` that was copied or unpacked from elsewhere brings a state folder along: its index can hide or invent
memories, its verdicts can claim to be made here. Nothing in that folder can prove that this machine wrote it, so the
proof is outside: a file named for the clone's id and the inode of the file with the id. It contains the time at which
the kernel last changed that file (stat(2), st_ctime), which no archive can set. A repository that was renamed or moved
on its disk stays known. The device number is not used: it may change at the next boot.

Use: ``is_registered(state, what)`` costs two small reads; ``registration.register(state, what)`` writes;
``settle(state)`` makes the state folder usable before anything is read from it. *what* names the property that is
registered, such as ``SEEN``.

Such a folder can also hold ``gitmem/at -> /home/ana`` or ``gitmem/catalog.sqlite -> /home/ana/notes.sqlite``: cleaning
up or writing through such a link would destroy files outside the repository. ``remove_links`` removes whatever gitmem
never puts there (links, FIFOs, sockets, devices) before anything else is opened: only the entry itself, relative to a
folder that was opened without following links (open(2), O_NOFOLLOW).
"""

from __future__ import annotations

import os
import stat

from gitmem.config import clones_place, second_place
from gitmem.errors import UnwritableError, suppress
from gitmem.frozen import frozen
from gitmem.system import CLOSE_ON_EXEC, NO_FOLLOW, ONLY_FOLDER, append_file, discard, read_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# The file with the clone's id, and the one with state that cannot be derived (``store.local``).
ID_NAME = "clone-id"
LOCAL = "local.sqlite"
# Everything derived in the state folder was made on this machine.
SEEN = "seen"


@frozen
class CloneState:
    """Whether a state folder can be used.

    Attributes:
        is_usable: Whether derived data may be read and written there.
        notice: A line for the person, or empty.
    """

    is_usable: bool
    notice: str = ""


def is_registered(state: str, what: str = SEEN) -> bool:
    """Return whether this person registered this very clone on this machine."""
    try:
        name, content = identity_of(state)
        return is_private_folder(clones_place()) and _read(os.path.join(clones_place(), f"{name}.{what}")) == content
    except (OSError, ValueError):
        return False


def settle(state: str) -> CloneState:
    """Make a state folder usable: in an unknown clone, remove all derived data before anything is read.

    If the clone cannot be registered or something cannot be removed, the folder must not be used.
    """
    if is_registered(state):
        return CloneState(True)
    from gitmem.store.state.registration import accept_clone

    return accept_clone(state)


def identity_of(state: str) -> tuple[str, bytes]:
    """Return the name under which a clone is registered, and the content of the registration.

    Raises:
        OSError, ValueError: It has no id made by gitmem.
    """
    fd = os.open(os.path.join(state, ID_NAME), os.O_RDONLY | NO_FOLLOW | CLOSE_ON_EXEC)
    with open(fd, "rb") as file:
        name, found = file.read(100).decode("ascii").strip(), os.fstat(fd)
    if len(name) != 32 or set(name) - set("0123456789abcdef"):
        raise ValueError(f"{state} has no id of gitmem's")
    return f"{name}-{found.st_ino}", f"{found.st_ctime_ns}\n".encode("ascii")


def _read(path: str) -> bytes:
    with open(os.open(path, os.O_RDONLY | NO_FOLLOW | CLOSE_ON_EXEC), "rb") as file:
        return file.read(1000)


def is_private_folder(folder: str) -> bool:
    """Return whether a folder is owned by the current user, and only writable for them."""
    if not os.path.isabs(folder):
        return False  # HOME is empty
    found = os.lstat(folder)
    if not hasattr(os, "geteuid"):
        return stat.S_ISDIR(found.st_mode)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o022


# gitmem's own folders are nested at most five deep (a session's archived topics); deeper ones are never opened.
DEPTH = 8
# Scratch clones contain the code's own links; clones are created and removed without following them.
CLONES = "ground"


def remove_links(*state_folders: str) -> None:
    """Remove every entry of these folders and their subfolders that is neither a file nor a folder.

    Raises:
        UnwritableError: An entry cannot be removed, or a folder cannot be listed; nothing may be opened there.
    """
    for folder in state_folders:
        for place, name, parent in _listed(folder):
            try:
                os.unlink(name, dir_fd=parent)
            except FileNotFoundError:
                continue  # another process removed it
            except OSError as err:
                message = f"cannot remove {place}, which is a link or a special file: {err.strerror}"
                raise UnwritableError(message, hint=f"remove it: rm '{place}'") from err


def has_links(state_folder: str) -> bool:
    """Return whether a state folder has an entry that is neither a file nor a folder, or cannot be listed."""
    try:
        return any(True for _ in _listed(state_folder))
    except UnwritableError:
        return True


def _listed(folder: str) -> Iterator[tuple[str, str, int]]:
    """Yield the path of each such entry, its name, and its open folder."""
    if os.scandir in os.supports_fd:  # not on Windows, where unpacking creates no links without a privilege
        yield from _below(folder, folder, None, DEPTH)


def _below(path: str, name: str, parent: int | None, depth: int) -> Iterator[tuple[str, str, int]]:
    try:
        opened = os.open(name, os.O_RDONLY | ONLY_FOLDER | NO_FOLLOW | CLOSE_ON_EXEC, dir_fd=parent)
    except PermissionError as err:
        if not os.access(name, os.X_OK, dir_fd=parent):
            return  # then nothing in it can be opened either
        message = f"{path} cannot be listed: {err.strerror}"
        raise UnwritableError(message, hint=f"check its contents, then: chmod 700 '{path}'") from err
    except OSError:
        return  # it does not exist, or is a file
    try:
        with os.scandir(opened) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if depth and (parent is None or os.path.basename(path) != CLONES):
                        yield from _below(f"{path}/{entry.name}", entry.name, opened, depth - 1)
                elif not entry.is_file(follow_symlinks=False):
                    yield f"{path}/{entry.name}", entry.name, opened
    finally:
        os.close(opened)


SPOOL_FOLDER = "spool"
WAITING = "waiting"
REFUSED = "refused"
SUFFIX = ".json"


def spool_folders(state_folder: str | os.PathLike[str]) -> tuple[str, str]:
    """Return the folder of a spool, and its fallback."""
    return os.path.join(state_folder, SPOOL_FOLDER), os.path.join(second_place(state_folder), SPOOL_FOLDER)


def waiting_captures(state_folder: str | os.PathLike[str]) -> tuple[str, ...]:
    """Return the names of the waiting entries, oldest first; costs microseconds if there never were any."""
    return tuple(spooled_names(spool_folders(state_folder), WAITING))


def spooled_names(folders: Iterable[str], inside: str) -> list[str]:
    """Return the names of the entries in a folder of each of some spools, oldest first."""
    return sorted(name for folder in folders for name in names_in_spool(os.path.join(folder, inside)))


def names_in_spool(folder: str) -> list[str]:
    """Return the names of the entries in one folder, oldest first; none if it cannot be read."""
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(SUFFIX))
    except OSError:
        return []  # nothing was ever captured here, or not by this user


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
    found: dict[int, dict[str, int]] = {}
    for day, name, entry in _entries(state_folder):
        if name != KEYS_NAME:
            found.setdefault(day, {})[name] = entry.stat().st_size
    return dict(sorted(found.items()))


def shown_keys(state_folder: str | os.PathLike[str]) -> dict[str, int]:
    """Return the last day on which each memory was shown, by key."""
    found: dict[str, int] = {}
    for day, name, entry in _entries(state_folder):
        for line in read_file(entry.path).decode(errors="replace").split("\n") if name == KEYS_NAME else ():
            found[line] = max(day, found.get(line, 0))
    found.pop("", None)
    return found


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
