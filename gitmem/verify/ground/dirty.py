"""Make a private commit of the work tree with its uncommitted changes, for ``verify --dirty``.

Its objects are in a temporary folder and its index is a copy, so the user's index, objects, refs and work tree are not
touched. Files become blobs as with ``git add`` (line endings, by the user's settings), but none of the user's filter
drivers, hooks or file monitors runs.
"""

from __future__ import annotations

import json
import os
import stat
from contextlib import contextmanager
from pathlib import Path

from gitmem.errors import GitmemError, NoRepositoryError
from gitmem.frozen import frozen, replace
from gitmem.git import Git
from gitmem.git.repository import refuse_pipes
from gitmem.git.staging_area import index_file
from gitmem.index.catalog import fact_state, state
from gitmem.model import Check
from gitmem.text import display, list_some
from gitmem.verify import due as due_module
from gitmem.verify.ground.private_commits import Apart
from gitmem.verify.inputs import SEEN
from gitmem.verify.sandbox.temporary import temporary_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gitmem.index.catalog import Catalog
    from gitmem.model import Verdict
    from gitmem.store.local import LocalState
    from gitmem.verify.due import Due, KnownFacts
    from gitmem.verify.inputs import CodeTree

# Limits, chosen by us. A larger new file is left out and named: it may be a core dump or a data set that is not ignored
# yet. More changes than the other limits mean a folder that should be ignored, not work in progress.
NEW_FILE_BYTES = 32 << 20
MOST_BYTES = 2 << 30
MOST_FILES = 100_000
# How many omitted files are named.
PATHS_NAMED = 5
_COMMIT = b"160000 "


@frozen
class Snapshot:
    """A commit of the work tree at one moment.

    Attributes:
        git: git on the repository, with access to the commit.
        commit: The commit, on top of HEAD.
        notices: Messages for the user about what was left out.
    """

    git: Git
    commit: str
    notices: tuple[str, ...]


@contextmanager
def snapshot(git: Git) -> Iterator[Snapshot]:
    """Commit the work tree on top of HEAD, privately; the commit is deleted when the block ends.

    Raises:
        NoRepositoryError: There is no work tree.
        GitmemError: A tracked file cannot be read, or there are too many changes.
        ProcessError: git cannot read the index.
    """
    top = git.repository.work_tree
    if top is None:
        raise NoRepositoryError("there is no work tree here, so there are no uncommitted changes")
    with temporary_folder("gitmem-dirty-") as folder:
        maker = _SnapshotMaker(git, top, folder)
        commit = maker.commit()
        yield Snapshot(Git(git.repository, objects=maker.objects), commit, tuple(maker.notices))


@contextmanager
def staged_snapshot(git: Git) -> Iterator[Snapshot]:
    """Commit the staged changes on top of HEAD, privately; the commit is deleted when the block ends.

    Raises:
        ProcessError: git cannot read the index, or it contains an unfinished merge.
    """
    with temporary_folder("gitmem-staged-") as folder:
        apart = Apart(git, folder, Path(index_file(git)))
        commit = apart.commit(git.resolve("HEAD"), "The staged changes")
        yield Snapshot(Git(git.repository, objects=apart.objects), commit, ())


class _SnapshotMaker:
    """Makes a snapshot."""

    def __init__(self, git: Git, top: Path, folder: Path) -> None:
        self.notices: list[str] = []
        self._git = git
        self._top = top
        self._apart = Apart(git, folder, Path(git.repository.git, "index"), options=git.without_filters())
        self.objects = self._apart.objects

    def commit(self) -> str:
        """Make the commit and return its name; refuse a pipe that git would wait for in a folder with tracked files."""
        tracked, submodules = self._list_tracked()
        folders = {"", *(path.rpartition("/")[0] for path in tracked)}
        while outer := {folder.rpartition("/")[0] for folder in folders} - folders:
            folders |= outer
        for folder in folders:
            refuse_pipes(str(self._top / folder))
        present, gone = self._sort(self._list_changed(), tracked, submodules)
        if gone:
            self._run("update-index", "-z", "--force-remove", "--stdin", input=_join(gone))
        if present:
            self._run("update-index", "-z", "--add", "--remove", "--replace", "--stdin", input=_join(present))
        return self._apart.commit(self._git.resolve("HEAD"), "The current work tree")

    def _list_tracked(self) -> tuple[set[str], set[str]]:
        """Return the files and the submodules of the index, by path."""
        tracked, submodules, unmerged = set(), set(), set()
        for line in self._run("ls-files", "-s", "-z").split(b"\0"):
            head, _, path = line.partition(b"\t")
            if head.startswith(_COMMIT):
                submodules.add(os.fsdecode(path))
            elif head:
                tracked.add(os.fsdecode(path))
                if not head.endswith(b" 0"):
                    unmerged.add(os.fsdecode(path))
        if submodules:
            self.notices.append(f"submodules are skipped: {_name_some(submodules)}")
        if unmerged:
            self.notices.append(f"there are unmerged files, judged with their conflict markers: {_name_some(unmerged)}")
        return tracked, submodules

    def _list_changed(self) -> list[str]:
        """Return the paths that are new or differ from the index, each once; folders end with a slash."""
        listed = self._run("ls-files", "-z", "--modified", "--others", "--exclude-standard")
        return sorted(set(os.fsdecode(listed).split("\0")) - {""})

    def _sort(self, changed: list[str], tracked: set[str], submodules: set[str]) -> tuple[list[str], list[str]]:
        """Split the changed files into those to commit and those that were deleted."""
        present, gone, large, unreadable, embedded = [], [], [], [], []
        total = 0
        for path in changed:
            if path in submodules:
                continue
            if path.endswith("/"):
                embedded.append(path)
                continue
            info = _look_at(self._top, path)
            is_tracked = path in tracked
            if info is None:
                gone.append(path)
            elif not stat.S_ISLNK(info.st_mode) and not os.access(self._top / path, os.R_OK):
                if is_tracked:
                    raise GitmemError(f"cannot judge the work tree: {display(path)} cannot be read")
                unreadable.append(path)
            elif not is_tracked and info.st_size > NEW_FILE_BYTES:
                large.append(path)
            else:
                present.append(path)
                total += info.st_size
        if total > MOST_BYTES or len(present) > MOST_FILES:
            raise GitmemError(
                f"the work tree has more changes than can be judged: {len(present)} files, {total >> 20} MiB",
                hint="commit the changes, or ignore files that are not code (.gitignore)",
            )
        self._leave_out(large, f"new files above {NEW_FILE_BYTES >> 20} MiB")
        self._leave_out(unreadable, "new files that cannot be read")
        self._leave_out(embedded, "nested repositories")
        return present, [path for path in gone if path in tracked]

    def _leave_out(self, paths: list[str], what: str) -> None:
        if paths:
            self.notices.append(f"left out, {what}: {_name_some(paths)}")

    def _run(self, *args: str, input: bytes | None = None) -> bytes:
        """Run git on the copy of the index."""
        result = self._apart.run(*args, input=input)
        if b"could not open directory" in result.stderr:
            self.notices.append("left out: folders that cannot be read")
        return result.stdout


def _look_at(top: Path, path: str) -> os.stat_result | None:
    """Return the status of a path if it is a file or link that git would add; parent folders must not be links."""
    parts = path.split("/")
    for depth in range(1, len(parts)):
        if os.path.islink(top.joinpath(*parts[:depth])):  # noqa: PTH114
            return None
    try:
        info = (top / path).lstat()
    except OSError:
        return None
    return info if stat.S_ISREG(info.st_mode) or stat.S_ISLNK(info.st_mode) else None


def _join(paths: Sequence[str]) -> bytes:
    return b"".join(os.fsencode(path) + b"\0" for path in paths)


def _name_some(paths: Iterable[str]) -> str:
    return list_some([*map(display, sorted(paths))], PATHS_NAMED)


def list_due(known: KnownFacts, ground: int, *, tree: CodeTree, keys: Sequence[str], everything: bool) -> list[Due]:
    """Return the facts to judge on the work tree, by key: the requested ones, else those whose inputs differ from HEAD.

    Args:
        known: The facts.
        ground: The ground of HEAD, whose states are complete.
        tree: The work tree.
        keys: Only these, or empty.
        everything: Whether to judge all facts.
    """
    is_named = bool(keys) or everything
    wanted = keys if is_named else _list_touched(known.catalog, known.local, ground, tree)
    if not wanted and not everything:
        return []
    due_facts = []
    for due in due_module.list_due(known, ground, keys=wanted, everything=everything):
        new = _digest_on(tree, json.loads(due.row.inputs), due.spec.check, due.verdict, due.digest)
        if is_named or new != due.digest:
            due_facts.append(replace(due, digest=new, why="inputs" if new != due.digest else "asked"))
    return due_facts


def _digest_on(tree: CodeTree, inputs: Sequence[str], check: Check, verdict: Verdict | None, known: str) -> str:
    """Return the digest of a fact's inputs on a tree, using the observed reads of a verdict that is valid at HEAD."""
    is_current = verdict is not None and verdict.inputs == known
    return due_module.digest_by(tree, inputs, check, verdict if is_current else None)


def _list_touched(catalog: Catalog, local: LocalState, ground: int, tree: CodeTree) -> list[str]:
    """Return the keys of the facts whose inputs may differ, without reading their texts and verdicts."""
    rows = catalog.rows(
        "SELECT m.key, f.form, f.words, f.inputs, s.digest FROM fact f JOIN memory m ON m.id = f.id JOIN state s"
        f" ON s.ground = ? AND s.fact = f.id WHERE {state.LIVE} AND {state.CLAIM} ORDER BY m.key",
        (ground,),
    )
    verdicts = fact_state.verdicts_of(catalog, ground, [row[0] for row in rows if row[4].startswith(SEEN)], local)
    return [
        key
        for key, form, words, inputs, known in rows
        if known
        != _digest_on(tree, json.loads(inputs), Check(form, tuple(json.loads(words))), verdicts.get(key), known)
    ]
