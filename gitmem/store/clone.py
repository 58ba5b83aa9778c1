"""The clones known to this machine: each is registered outside the repository, in the person's own state folder.

A ``.git`` that was copied or unpacked from elsewhere brings a state folder along: its index can hide or invent
memories, its verdicts can claim to be made here. Nothing in that folder can prove that this machine wrote it, so the
proof is outside: a file named for the clone's id and the inode of the file with the id. It contains the time at which
the kernel last changed that file (stat(2), st_ctime), which no archive can set. A repository that was renamed or moved
on its disk stays known. The device number is not used: it may change at the next boot.

Use: ``is_registered(state, what)`` costs two small reads; ``register(state, what)`` writes; ``settle(state)`` makes the
state folder usable before anything is read from it. *what* names the property that is registered, such as ``SEEN``.

Such a folder can also hold ``gitmem/at -> /home/ana`` or ``gitmem/catalog.sqlite -> /home/ana/notes.sqlite``: cleaning
up or writing through such a link would destroy files outside the repository. ``remove_links`` removes whatever gitmem
never puts there (links, FIFOs, sockets, devices) before anything else is opened: only the entry itself, relative to a
folder that was opened without following links (open(2), O_NOFOLLOW).
"""

from __future__ import annotations

import os
import stat

from gitmem.config import clones_place
from gitmem.errors import UnwritableError
from gitmem.frozen import frozen
from gitmem.system import file_lock
from gitmem.system.file_lock import CLOSE_ON_EXEC, NO_FOLLOW, ONLY_FOLDER, make_folder, open_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

# The file with the clone's id, and the one with state that cannot be derived (``store.local``).
ID_NAME = "clone-id"
LOCAL = "local.sqlite"
# Everything derived in the state folder was made on this machine.
SEEN = "seen"
LOCK = "clone.lock"
# Rebuilt from the branch: a secret that others may know, or servers that a token would be sent to.
DERIVED = (
    "at",
    "vectors",
    "whoosh",
    "listed",
    "home-index",
    "proposal-index",
    "companion-index",
    "proofs",
    "sources",
    "mcp-token",
)
CATALOG = "catalog.sqlite"
APART = ".elsewhere"


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
        name, content = _identity(state)
        return _is_private(clones_place()) and _read(os.path.join(clones_place(), f"{name}.{what}")) == content
    except (OSError, ValueError):
        return False


def register(state: str, what: str = SEEN) -> bool:
    """Register this clone, creating its id if it has none; return whether that was possible."""
    try:
        _make_id(state)
        name, content = _identity(state)
        folder = _made_place()
        if not folder:
            return False
        path = os.path.join(folder, f"{name}.{what}")
        new = f"{path}.{os.getpid()}"
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | NO_FOLLOW, 0o600), "wb") as file:
            file.write(content)
        os.replace(new, path)
    except (OSError, ValueError):
        return False
    return True


def unregister(state: str, what: str = SEEN) -> None:
    """Remove the registration of this clone."""
    try:
        name = _identity(state)[0]
        os.unlink(os.path.join(clones_place(), f"{name}.{what}"))
    except (OSError, ValueError):
        return  # it was not registered


def settle(state: str) -> CloneState:
    """Make a state folder usable: in an unknown clone, remove all derived data before anything is read.

    If the clone cannot be registered or something cannot be removed, the folder must not be used.
    """
    if is_registered(state):
        return CloneState(True)
    if not _made_place():
        return CloneState(False)
    try:
        os.makedirs(state, mode=0o700, exist_ok=True)
        lock = file_lock.open_lock(os.path.join(state, LOCK))
    except OSError:
        return CloneState(False)
    try:
        file_lock.lock(lock)
        if is_registered(state):
            return CloneState(True)  # another process did it first
        kept = _clear(state)
        file_lock.settle_modes(state)  # a later change would alter the registered time
        return CloneState(register(state), _words(kept))
    except OSError:
        return CloneState(False)
    finally:
        os.close(lock)


def _words(kept: list[str]) -> str:
    if not kept:
        return ""
    return (
        "this clone is new to this machine (copied, unpacked, or first used by this version): its local "
        f"verdicts do not count until gitmem verify runs again; they are set aside in {kept[0]}"
    )


def _clear(state: str) -> list[str]:
    """Remove derived data from a state folder and those of the work trees; return what was set aside."""
    kept = []
    for folder in states_of(os.path.dirname(state)):
        for name in DERIVED:
            _remove(os.path.join(folder, name))
        remove_indexes([folder])
        for at, _, files in os.walk(folder):
            for name in files:
                if name in (LOCAL, f"{LOCAL}-wal", f"{LOCAL}-shm"):
                    os.replace(os.path.join(at, name), os.path.join(at, name + APART))
                    kept += [os.path.join(at, name + APART)] if name == LOCAL else []
    return kept


def remove_indexes(folders: Iterable[str]) -> bool:
    """Remove every index in some state folders, whatever has its name; return whether there was any."""
    found = []
    for folder in folders:
        for at, below, files in os.walk(folder):
            found += [os.path.join(at, name) for name in (*below, *files) if name.startswith(CATALOG)]
            below[:] = [name for name in below if name != CLONES]  # the code may have a file of that name
    for path in found:
        _remove(path)
    return bool(found)


def states_of(common: str) -> list[str]:
    """Return the state folders of a repository and of its linked work trees, with links resolved."""
    folder = os.path.join(common, "worktrees")
    names = os.listdir(folder) if os.path.isdir(folder) and not os.path.islink(folder) else []
    found = [os.path.join(common, "gitmem"), *(os.path.join(folder, name, "gitmem") for name in names)]
    return [state for state in found if not os.path.islink(state) and not os.path.islink(os.path.dirname(state))]


def _remove(path: str) -> None:
    """Remove a file or a folder; of a link, the link itself."""
    if os.path.isdir(path) and not os.path.islink(path):
        import shutil

        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)


def _identity(state: str) -> tuple[str, bytes]:
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


def _make_id(state: str) -> None:
    """Create a clone's id if it has none; an unreadable one is set aside."""
    try:
        clone_id(state)
        _identity(state)
    except ValueError:
        path = os.path.join(state, ID_NAME)
        os.replace(path, f"{path}.damaged")
        clone_id(state)


def _read(path: str) -> bytes:
    with open(os.open(path, os.O_RDONLY | NO_FOLLOW | CLOSE_ON_EXEC), "rb") as file:
        return file.read(1000)


def _made_place() -> str:
    """Return the folder of registrations, created if missing; empty if this person cannot write to it."""
    folder = clones_place()
    if not folder:
        return ""
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError:
        return ""
    return folder if _is_private(folder) and os.access(folder, os.W_OK) else ""


def _is_private(folder: str) -> bool:
    """Return whether a folder is owned by the current user, and only writable for them."""
    if not os.path.isabs(folder):
        return False  # HOME is empty
    found = os.lstat(folder)
    if not hasattr(os, "geteuid"):
        return stat.S_ISDIR(found.st_mode)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o022


def clone_id(state_dir: str | Path) -> str:
    """Return the id of this clone, created on first use; its work trees share it, other clones differ.

    It is random, combined with the inode of the file that holds it: in a copy of the repository (cp -r) the file has
    another inode, so approvals do not carry over; a repository that was moved keeps its id.

    Raises:
        OSError: It does not exist and cannot be made here.
    """
    path = os.path.join(state_dir, ID_NAME)
    try:
        return _read_id(path)
    except FileNotFoundError:
        make_folder(state_dir)
    fresh = os.urandom(16).hex()
    # Atomically: another process must not read an empty id, which any clone could have.
    new = f"{path}.{fresh}"
    fd = open_private(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            file.write(fresh + "\n")
        os.link(new, path)
    except FileExistsError:
        pass  # another process was first
    finally:
        os.unlink(new)
    return _read_id(path)


def _read_id(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        found = file.read().strip()
        return found and f"{found}-{os.fstat(file.fileno()).st_ino}"


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
