"""Register a clone on this machine, and clean the state folder of one that came from elsewhere (``store.local``).

A clone that a person has accepted is registered as such: only in these do hooks from personal settings show memories. A
repository, or a copy of one, cannot bring its own acceptance. A person accepts a clone by starting its memory, joining
it with ``gitmem init``, installing an agent's hooks in it or approving a command in it.
"""

from __future__ import annotations

import os

from gitmem.config import clones_place
from gitmem.store.state.clone import ID_NAME, SEEN, CloneState, clone_identity, is_private_folder, is_registered
from gitmem.store.state.foreign_files import CLONES
from gitmem.store.state.inventory import INVENTORY
from gitmem.store.state.plain_files import LOCAL
from gitmem.system import NO_FOLLOW, make_folder, only_regular, open_private, settle_modes
from gitmem.system.file_lock import lock as wait_for
from gitmem.system.file_lock import open_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

LOCK = "clone.lock"
# No id is longer (``store.state.clone``).
ID_LIMIT = 200
ACCEPTED = "accepted"

# Rebuilt from the branch: a secret that others may know, or servers that a token would be sent to.
DERIVED = tuple(file.path.rstrip("/") for file in INVENTORY if file.is_foreign)
CATALOG = "catalog.sqlite"
OTHER_REPOSITORY = ".elsewhere"


def settle_state(state: str) -> CloneState:
    """Make a state folder usable: in an unknown clone, remove all derived data before anything is read.

    If the clone cannot be registered or something cannot be removed, the folder must not be used.
    """
    if is_registered(state):
        return CloneState(True)
    return accept_clone(state)


def accept_clone(state: str) -> CloneState:
    """Register an unknown clone once all derived data in its state folder is removed.

    If it cannot be registered or something cannot be removed, the folder must not be used.
    """
    if not _make_folder():
        return CloneState(False)
    try:
        os.makedirs(state, mode=0o700, exist_ok=True)
        lock = open_lock(os.path.join(state, LOCK))
    except OSError:
        return CloneState(False)
    try:
        wait_for(lock)
        if is_registered(state):
            return CloneState(True)  # another process did it first
        cleared = _clear(state)
        settle_modes(state)  # a later change would alter the registered time
        return CloneState(register(state), _words(cleared))
    except OSError:
        return CloneState(False)
    finally:
        os.close(lock)


def register(state: str, what: str = SEEN) -> bool:
    """Register this clone, creating its id if it has none; return whether that was possible."""
    try:
        _make_id(state)
        name, content = clone_identity(state)
        folder = _make_folder()
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
        name = clone_identity(state)[0]
        os.unlink(os.path.join(clones_place(), f"{name}.{what}"))
    except (OSError, ValueError):
        return  # it was not registered


def _words(kept: list[str]) -> str:
    if not kept:
        return ""
    return (
        "this clone is new to this machine (copied, unpacked, or first used by this version): its local "
        f"verdicts do not count until gitmem verify runs again; they are set aside in {kept[0]}"
    )


def _clear(state: str) -> list[str]:
    """Remove derived data from a state folder and those of the work trees; return what was set aside."""
    remaining = []
    for folder in states_of(os.path.dirname(state)):
        for name in DERIVED:
            _remove(os.path.join(folder, name))
        remove_indexes([folder])
        for at, _, files in os.walk(folder):
            for name in files:
                if name in (LOCAL, f"{LOCAL}-wal", f"{LOCAL}-shm"):
                    os.replace(os.path.join(at, name), os.path.join(at, name + OTHER_REPOSITORY))
                    remaining += [os.path.join(at, name + OTHER_REPOSITORY)] if name == LOCAL else []
    return remaining


def remove_indexes(folders: Iterable[str]) -> bool:
    """Remove every index in some state folders, whatever has its name; return whether there was any."""
    indexes = []
    for folder in folders:
        for at, below, files in os.walk(folder):
            indexes += [os.path.join(at, name) for name in (*below, *files) if name.startswith(CATALOG)]
            below[:] = [name for name in below if name != CLONES]  # the code may have a file of that name
    for path in indexes:
        _remove(path)
    return bool(indexes)


def states_of(common: str) -> list[str]:
    """Return the state folders of a repository and of its linked work trees, with links resolved."""
    folder = os.path.join(common, "worktrees")
    names = os.listdir(folder) if os.path.isdir(folder) and not os.path.islink(folder) else []
    states = [os.path.join(common, "gitmem"), *(os.path.join(folder, name, "gitmem") for name in names)]
    return [state for state in states if not os.path.islink(state) and not os.path.islink(os.path.dirname(state))]


def _remove(path: str) -> None:
    """Remove a file or a folder; of a link, the link itself."""
    if os.path.isdir(path) and not os.path.islink(path):
        import shutil

        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)


def _make_id(state: str) -> None:
    """Create a clone's id if it has none; an unreadable one is set aside."""
    try:
        clone_id(state)
        clone_identity(state)
    except ValueError:
        path = os.path.join(state, ID_NAME)
        os.replace(path, f"{path}.damaged")
        clone_id(state)


def _make_folder() -> str:
    """Return the folder of registrations, created if missing; empty if this person cannot write to it."""
    folder = clones_place()
    if not folder:
        return ""
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError:
        return ""
    return folder if is_private_folder(folder) and os.access(folder, os.W_OK) else ""


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
    with open(path, encoding="utf-8", errors="replace", opener=only_regular) as file:
        content = file.read(ID_LIMIT).strip()
        return content and f"{content}-{os.fstat(file.fileno()).st_ino}"


def accept(state: str) -> bool:
    """Accept the clone with this state folder; return whether that could be recorded."""
    return register(state, ACCEPTED)


def is_accepted(state: str) -> bool:
    """Return whether the clone with this state folder was accepted."""
    return is_registered(state, ACCEPTED)
