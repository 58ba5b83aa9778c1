"""The ground of a check: a commit's whole tree, privately writable, as it was for the next check.

Scratch clones are kept and used again (``<common git directory>/gitmem/ground/<n>``). Where overlays work
(``sandbox.probe_overlay``), one clone serves every check of its commit, and what each changes goes to a folder of
its own; elsewhere each check under way has a clone to itself, and what it changed is found by stamps and undone.
"""

from __future__ import annotations

import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path

from gitmem.errors import ConflictError, GitmemError
from gitmem.frozen import frozen
from gitmem.verify.launch import remove_tree
from gitmem.verify.scratch import Scratch, Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitmem.git.binary import Git

# More checks at once than any machine has use for; reaching it means that clones are not given back.
MOST_CLONES = 512


@frozen
class Ground:
    """A folder that a check may change.

    Attributes:
        path: The folder, resolved.
        commit: The commit whose tree it shows; empty where it is none.
        readable: What git needs to read besides: the repository's objects.
        upper: Where changes go, when the folder must be covered by an overlay; else None and they go to the folder.
    """

    path: Path
    commit: str
    readable: tuple[Path, ...]
    upper: Path | None = None


class Grounds:
    """The grounds of one process's checks, as a context manager; its methods are safe to call from many threads."""

    def __init__(self, git: Git, *, overlay: bool = False) -> None:
        """Prepare to take grounds.

        Args:
            git: The repository that the code is in.
            overlay: Whether checks run on overlays over a common clone.
        """
        self._git = git
        self._overlay = overlay
        self._folder = git.repository.common_dir.resolve() / "gitmem" / "ground"
        self._lock = threading.Lock()
        self._clones: list[Scratch] = []
        self._source: Source | None = None

    def __enter__(self) -> Grounds:
        """Nothing is made or held before the first ``take``."""
        return self

    def __exit__(self, *_: object) -> None:
        """Let go of the clones; they stay on disk for the next run."""
        with self._lock:
            while self._clones:
                self._clones.pop().close()

    @property
    def readable(self) -> tuple[Path, ...]:
        """Return what git in a check needs to read besides the ground: the repository's objects."""
        with self._lock:
            return self._read_source().objects

    @contextmanager
    def take(self, commit: str) -> Iterator[Ground]:
        """Lend a ground that shows a commit (full hex); all runs on it see each other's changes, nobody else does.

        Raises:
            NotFoundError: There is no such commit.
            ProcessError: git cannot check it out.
            GitmemError: The repository cannot be written to.
        """
        clone, source = self._hold(commit)
        try:
            ground = self._open(clone, source, commit)
            try:
                yield ground
            finally:
                self._give_back(clone, source, ground)
        finally:
            with self._lock:
                clone.users -= 1

    @contextmanager
    def empty(self) -> Iterator[Path]:
        """Lend an empty folder, outside of any repository; it is removed afterwards."""
        folder = tempfile.mkdtemp(prefix="gitmem-empty-")
        try:
            yield Path(folder).resolve()
        finally:
            remove_tree(folder)

    def _hold(self, commit: str) -> tuple[Scratch, Source]:
        with self._lock:
            source = self._read_source()
            clone = self._pick(commit)
            clone.users += 1
            clone.wanted = commit
            return clone, source

    def _pick(self, commit: str) -> Scratch:
        fitting = [c for c in self._clones if c.wanted == commit and (self._overlay or not c.users)]
        idle = [c for c in self._clones if not c.users]
        for clone in fitting + idle:
            return clone
        for number in range(1, MOST_CLONES + 1):
            try:
                found = Scratch.find(self._folder / str(number))
            except OSError as err:
                raise _unwritable(self._folder, err) from err
            if found is not None:
                self._clones.append(found)
                return found
        raise ConflictError(f"all {MOST_CLONES} scratch clones in {self._folder} are in use")

    def _open(self, clone: Scratch, source: Source, commit: str) -> Ground:
        with clone.lock:
            try:
                clone.show(commit, source)
                if self._overlay:
                    return Ground(clone.tree, commit, source.objects, clone.add_upper())
                clone.open_to_changes()
            except OSError as err:
                clone.forget()
                raise _unwritable(clone.tree, err) from err
            return Ground(clone.tree, commit, source.objects)

    def _give_back(self, clone: Scratch, source: Source, ground: Ground) -> None:
        if ground.upper is not None:
            remove_tree(str(ground.upper))
            return
        with clone.lock:
            try:
                clone.restore(ground.commit, source)
            except (OSError, GitmemError):
                clone.forget()  # the next check has it made anew, and hears of it if that fails as well

    def _read_source(self) -> Source:
        if self._source is None:
            listed = self._git.run("for-each-ref", "--format=%(objectname) %(refname)", "refs/tags")
            self._source = Source(self._git.repository.common_dir.resolve(), listed.stdout)
        return self._source


def _unwritable(place: Path, err: OSError) -> GitmemError:
    return GitmemError(f"cannot keep a scratch clone in {place}: {err.strerror}")
