"""The spool: captured memories that are not committed yet, one file each, under the common git directory.

An entry is written to a temporary file, synced and renamed: many processes may write at once, a killed writer leaves
nothing incomplete, and an acknowledged entry is on disk. Reading costs one look at a folder if it is empty. Entries
that can never be written (a secret, an invalid field) are set aside with the reason, until a person accepts or drops
them.
"""

from __future__ import annotations

import os
import time

from gitmem.errors import suppress
from gitmem.git.repository import is_oid
from gitmem.store.state import losses, plain_files
from gitmem.store.state.plain_files import REFUSED, SUFFIX, WAITING, names_in_spool, spool_folders, spooled_names
from gitmem.system import discard, make_folder, only_regular, remove
from gitmem.system.atomic_write import sync_folder, write_durably, write_synced
from gitmem.system.file_lock import try_lock
from gitmem.text import format_json, parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

FORMAT = 1
# A memory may have 64 KB (`layout`), and JSON may need six bytes for one.
ENTRY_LIMIT = 1_000_000
# No name of a commit is longer.
TIP_LIMIT = 100
# A temporary file of a killed writer is removed after this long.
LITTER_S = 3600.0
# Replaces a text that was never stored.
NO_TEXT = b"{}"
REFUSED_AT_MOST = 200


class Spool:
    """The spool of one repository; no files exist before the first entry.

    If the repository's disk fails, an entry is stored in a second place, in the person's own state folder.
    """

    def __init__(self, state_folder: str | os.PathLike[str]) -> None:
        self._folders = spool_folders(state_folder)
        self._folder = self._folders[0]
        self.lock_path = os.path.join(self._folder, "lock")
        self._journal = os.path.join(self._folder, "draining")

    def append(self, entry: dict[str, Any]) -> str:
        """Store an entry durably and return its name.

        Raises:
            OSError: It cannot be stored in either place; the loss is recorded if possible.
        """
        name = f"{max(time.time_ns(), 0):020d}-{os.urandom(6).hex()}{SUFFIX}"
        content = format_json({"format": FORMAT, **entry}, is_ascii=True).encode("ascii")
        failed: list[OSError] = []
        for folder in self._folders:
            try:
                _put(folder, name, content)
                return name
            except OSError as err:
                failed.append(err)
        losses.note(self._folders, failed[0].strerror or type(failed[0]).__name__)
        raise failed[0]

    def list_waiting(self) -> list[str]:
        """Return the names of the waiting entries, oldest first."""
        return list(dict.fromkeys(spooled_names(self._folders, WAITING)))

    def read(self, name: str) -> dict[str, Any] | None:
        """Return a waiting entry; None if another process has drained it.

        Where a disk failed in the middle, both places may have it, and one of them half of it.

        Raises:
            ValueError: It is damaged, cannot be read, or was written by a newer gitmem.
        """
        problem = None
        for folder in self._folders:
            try:
                return _read(os.path.join(folder, WAITING, name))
            except (FileNotFoundError, NotADirectoryError):
                continue
            except ValueError as err:
                problem = err
            except OSError as err:  # another user's file
                problem = ValueError(err.strerror or type(err).__name__)
        if problem is not None:
            raise problem
        return None

    def remove(self, names: Iterable[str]) -> set[str]:
        """Remove committed entries; return those that cannot be removed: one of the places became read-only."""
        stuck = set()
        for name in names:
            for folder in self._folders:
                try:
                    remove(os.path.join(folder, WAITING, name))
                except OSError:
                    stuck.add(name)
        return stuck

    def set_aside(self, name: str, why: str) -> bool:
        """Move an entry that cannot be written out of the way, with the reason; return whether that was possible."""
        is_aside = True
        for folder in self._folders:
            waiting, refused = os.path.join(folder, WAITING, name), os.path.join(folder, REFUSED)
            try:
                if os.path.lexists(waiting):
                    make_folder(refused)
                    write_synced(os.path.join(refused, f"{name}.why"), why.encode("utf-8", "replace"))
                    os.replace(waiting, os.path.join(refused, name))
            except OSError:
                is_aside = False
        return is_aside

    def note_refused(self, why: str, entry: Mapping[str, Any] | None = None) -> None:
        """Store the reason why something was not captured, and the entry that it would have been.

        The entry must not contain secrets. Of too many refusals, the oldest are deleted.

        Raises:
            OSError: It cannot be stored.
        """
        plain_files.add_count(os.path.dirname(self._folder), plain_files.REFUSALS)
        content = NO_TEXT
        if entry is not None:
            content = format_json({"format": FORMAT, **entry}, is_ascii=True).encode("ascii")
        content = content if len(content) <= ENTRY_LIMIT else NO_TEXT
        try:
            _note_refused(os.path.join(self._folder, REFUSED), why, content)
        except OSError:
            _note_refused(os.path.join(self._folders[1], REFUSED), why, content)

    def read_refused(self, path: str) -> dict[str, Any]:
        """Return an entry that was set aside; empty if only its reason was stored, or it is damaged."""
        try:
            with open(path, "rb", opener=only_regular) as file:
                table = parse_json(file.read(ENTRY_LIMIT))
        except (OSError, ValueError, RecursionError):
            return {}
        return table if isinstance(table, dict) and isinstance(table.get("text"), str) else {}

    def accept(self, path: str) -> str:
        """Move an entry that was set aside back to the waiting ones, and return its name."""
        refused, name = os.path.split(path)
        folder = os.path.dirname(refused)
        _make_folders(folder)
        os.replace(path, os.path.join(folder, WAITING, name))
        remove(f"{path}.why")
        return name

    def drop(self, path: str) -> None:
        """Delete an entry that was set aside, with its reason."""
        remove(path)
        remove(f"{path}.why")

    def list_refused(self) -> list[tuple[str, str]]:
        """Return the entries that were set aside: path and reason, oldest first."""
        refused = []
        for folder in (os.path.join(folder, REFUSED) for folder in self._folders):
            for name in names_in_spool(folder):
                path = os.path.join(folder, name)
                try:
                    with open(f"{path}.why", encoding="utf-8", errors="replace", opener=only_regular) as file:
                        why = file.read(2000)
                except OSError:
                    why = "the reason was not recorded"
                refused.append((path, why))
        return refused

    def lock(self) -> int | None:
        """Return the open file that holds the drain's lock; None if another process drains. The caller closes it.

        Raises:
            OSError: The lock file cannot be written.
        """
        make_folder(self._folder)
        return try_lock(self.lock_path)

    def begin(self, tip: str) -> None:
        """Record the tip that entries are written on: after a crash, the next drain checks what was committed since."""
        write_durably(self._journal, tip.encode("ascii"))

    def interrupted_tip(self) -> str | None:
        """Return the tip recorded by a drain that never ended, empty if it is damaged; None if the last one ended."""
        try:
            with open(self._journal, encoding="utf-8", errors="replace", opener=only_regular) as file:
                tip = file.read(TIP_LIMIT)
        except FileNotFoundError:
            return None
        except OSError:
            return ""
        return tip if is_oid(tip) else ""

    def end(self) -> None:
        """Record that the drain ended, and remove leftovers of killed writers."""
        try:
            remove(self._journal)
        except (IsADirectoryError, PermissionError):  # a folder: EISDIR on Linux, EPERM elsewhere (unlink(2))
            os.rename(self._journal, f"{self._journal}.{time.time_ns()}.old")
        for folder in self._folders:
            _sweep(folder)


def _read(path: str) -> dict[str, Any]:
    """Return an entry; raise ValueError if it is none, and OSError if it cannot be read."""
    with open(path, "rb", opener=only_regular) as file:
        content = file.read(ENTRY_LIMIT)
    try:
        entry = parse_json(content)
    except RecursionError as err:
        raise ValueError("it is nested too deeply") from err
    if not isinstance(entry, dict) or not isinstance(entry.get("text"), str):
        raise ValueError("it is not an entry")
    if entry.get("format") != FORMAT:
        raise ValueError(f"its format {entry.get('format')!r} is unknown to this version of gitmem")
    return entry


def _put(folder: str, name: str, content: bytes) -> None:
    """Write an entry durably; on failure, nothing is left behind."""
    waiting, new = os.path.join(folder, WAITING), os.path.join(folder, f"{name}.new")
    _make_folders(folder)
    _sweep(folder)
    try:
        write_synced(new, content)
        os.rename(new, os.path.join(waiting, name))
        sync_folder(waiting)
    except OSError:
        discard(new)
        discard(os.path.join(waiting, name))
        raise


def _make_folders(folder: str) -> None:
    """Create the folders of a spool if missing, durably."""
    waiting = os.path.join(folder, WAITING)
    if os.path.isdir(waiting):
        return
    make_folder(waiting)
    losses.reserve(folder)
    state = os.path.dirname(folder)
    for directory in (folder, state, os.path.dirname(state)):
        sync_folder(directory)


def _note_refused(folder: str, why: str, content: bytes) -> None:
    make_folder(folder)
    name = f"{max(time.time_ns(), 0):020d}-{os.urandom(6).hex()}{SUFFIX}"
    write_synced(os.path.join(folder, f"{name}.why"), why.encode("utf-8", "replace"))
    write_synced(os.path.join(folder, name), content)
    for old in names_in_spool(folder)[:-REFUSED_AT_MOST]:
        remove(os.path.join(folder, old))
        remove(os.path.join(folder, f"{old}.why"))


def _sweep(folder: str) -> None:
    """Remove leftovers of killed writers."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".new") and time.time() - entry.stat().st_mtime > LITTER_S:
                remove(entry.path)


def counts(state_folder: str | os.PathLike[str]) -> dict[str, int]:
    """Return how many entries wait, and how many were set aside."""
    return {name: len(spooled_names(spool_folders(state_folder), name)) for name in (WAITING, REFUSED)}
