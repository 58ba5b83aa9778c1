"""Write to the code tree: files in ``.memory/`` of the work tree, for the person to commit.

The same planning as for the memory branch, on the files as they are now, committed or not. gitmem does not touch the
index or any other file.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from gitmem.document.parse import parse
from gitmem.errors import FormatError, GitmemError, RefusedError
from gitmem.frozen import replace
from gitmem.index import fts_update
from gitmem.index.catalog import Catalog, schema, update
from gitmem.index.catalog.inserts import Inserts, StoredMemory
from gitmem.model import IndexText
from gitmem.policy import Policy
from gitmem.store import layout
from gitmem.store.code_folder import CODE_FOLDER, CODE_PREFIX
from gitmem.store.commit import CommitPlan, CommitResult, WriteTarget
from gitmem.store.state.write_lock import WriteLock
from gitmem.store.view.safe_folder import Folder
from gitmem.system import read_regular
from gitmem.write.place import Change
from gitmem.write.writer import Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from gitmem.git import Git
    from gitmem.write.draft import Author


class TreeWriter(Writer):
    """Writes files of the work tree on behalf of one author."""

    def __init__(self, git: Git, policy: Policy, *, author: Author, now: int, lock_timeout_s: float) -> None:
        """Set the repository and the author.

        Raises:
            RefusedError: There is no work tree, or its ``.memory`` is not a folder of the code.
        """
        super().__init__(
            WriteTarget(git, "", "", lock_timeout_s),
            catalog_at=lambda _: read_work_tree(git, self._top, policy),
            written=lambda *_: None,
            author=author,
            now=now,
        )
        self._top = _home_of(git)

    def _commit(self, *args: Any) -> Change:
        return _in_code_tree(super()._commit(*args))

    def _move(self, *args: Any) -> list[Change]:
        return [_in_code_tree(change) for change in super()._move(*args)]

    def write(self, plan: Callable[[str | None], CommitPlan | None], command: str) -> CommitResult | None:
        """Write the files that *plan* returns, each atomically."""
        with WriteLock(self._git.repository.state, command=command, timeout_s=self._target.lock_timeout_s):
            planned = plan(None)
            if planned is None:
                return None
            try:
                self._apply(planned)
            except OSError as err:
                raise GitmemError(f"{err.filename}: {err.strerror}", hint="make the work tree writable") from err
        return CommitResult("", "", {})

    def _apply(self, plan: CommitPlan) -> None:
        for old, new in plan.moves:
            target = self._safe(new)
            target.parent.mkdir(parents=True, exist_ok=True)
            self._safe(old).replace(target)
        for path, content in plan.writes:
            self._safe(path)
            self._top.mkdir(exist_ok=True)
            with Folder(str(self._top)) as folder:  # remove a link that came with the code
                folder.write(path, content, mode="100644")
        for path in plan.deletes:
            self._safe(path).unlink(missing_ok=True)

    def _safe(self, path: str) -> Path:
        """Return the path of a file; refuse one that a symbolic link would lead elsewhere."""
        target = self._top / path
        for part in (target, *target.parents):
            if part == self._top:
                return target
            if part.is_symlink():
                raise RefusedError(
                    f"{CODE_PREFIX}{path}: {part} is a symbolic link", hint="replace it with a folder or a file"
                )
        raise AssertionError("every path of the plan is below the home")


def _in_code_tree(change: Change) -> Change:
    return replace(change, path=CODE_PREFIX + change.path)


def _home_of(git: Git) -> Path:
    """Return the folder ``.memory`` of the work tree, which need not exist yet.

    Raises:
        RefusedError: There is no work tree, or its ``.memory`` is not a folder of the code.
    """
    top = git.repository.work_tree
    if top is None:
        raise RefusedError("there is no work tree here, so there is no code tree to write to", hint="remove --in-tree")
    home = top / CODE_FOLDER
    if (home / ".git").exists():
        message = f"{home} is a view of the memory branch, not a folder of the code"
        hint = "gitmem view --remove, then try again; gitmem view PATH shows the branch in another folder"
        raise RefusedError(message, hint=hint)
    if home.is_symlink() or (home.exists() and not home.is_dir()):
        raise RefusedError(f"{home} is not a folder", hint="the code tree's memories must be in a folder of this name")
    return home


def read_work_tree(git: Git, home: Path, policy: Policy) -> Catalog:
    """Return a catalog, in memory, of the files now in a work tree's ``.memory``."""
    files = list(_files(home))
    # Their content goes into the object database, as with `git add`: plans read it from there.
    names = "".join(f"{home / path}\n" for path, _ in files)
    oids = git.run("hash-object", "-w", "--no-filters", "--stdin-paths", input=os.fsencode(names)).stdout.split()

    def fill(catalog: Catalog) -> None:
        inserts, texts = Inserts(catalog), list[IndexText]()
        for (path, place), oid in zip(files, oids, strict=True):
            try:
                document = parse(read_regular(home / path).decode("utf-8"), path=path)
            except (FormatError, UnicodeDecodeError):
                continue  # doctor reports it once it is committed
            added = inserts.add_memory(StoredMemory(document, oid.decode("ascii"), place.archived), policy)
            texts += [added] if isinstance(added, IndexText) else []
        inserts.flush()
        fts_update.apply(catalog.connection, texts, [], language=policy.recall.language)
        catalog.set_meta("language", policy.recall.language)
        update.settle_keys(catalog, None)

    return schema.in_memory(fill)


def _files(home: Path) -> Iterator[tuple[str, layout.StorePath]]:
    """Yield the path and location of each memory's file, sorted by path; other and oversized files are skipped."""
    for folder, folders, names in os.walk(home):
        folders.sort()
        for name in sorted(names):
            whole = Path(folder, name)
            path = whole.relative_to(home).as_posix()
            place = layout.find_memory(path) if path.isascii() else None
            if place is None:
                continue
            info = whole.lstat()
            # Neither links nor pipes, which would block; nor files that only their owner may read.
            is_readable = stat.S_ISREG(info.st_mode) and os.access(whole, os.R_OK)
            if is_readable and info.st_size <= layout.MEMORY_LIMIT:
                yield path, place
