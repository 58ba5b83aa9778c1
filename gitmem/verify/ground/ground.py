"""The ground of a check: a commit's whole tree, privately writable, as it was for the next check.

Scratch clones are kept and used again (``<common git directory>/gitmem/ground/<n>``). Where overlays work
(``sandbox.probe_overlay``), one clone serves every check of its commit, and what each changes goes to a folder of
its own; elsewhere each check under way has a clone to itself, and what it changed is found by stamps and undone.
Where the repository cannot be written to, the clones are in a temporary folder and go with it.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from pathlib import Path

from gitmem.errors import ConflictError, GitmemError
from gitmem.frozen import frozen, replace
from gitmem.verify.ground.folders import ENVIRONMENTS, Lent, dependencies_of, find_folders, list_ignored
from gitmem.verify.ground.scratch import CodeSource, Scratch
from gitmem.verify.sandbox import toolchain
from gitmem.verify.sandbox.account import give, open_way
from gitmem.verify.sandbox.removal import remove_tree
from gitmem.verify.sandbox.temporary import temporary_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitmem.git.binary import Git

# More checks at once than any machine has use for; reaching it means that clones are not given back.
MOST_CLONES = 512
# A ground is never shown in the place of these, or of what they are in: the check would find no programs.
NEEDED = (*toolchain.SYSTEM, "/tmp", "/var/tmp", "/run", "/dev", "/proc")  # noqa: S108 - of the sandbox


@frozen
class Ground:
    """A folder that a check may change.

    Attributes:
        path: The folder, resolved.
        commit: The commit whose tree it shows; empty where it is none.
        readable: What git needs to read besides: the repository's objects.
        upper: Where changes go, when the folder must be covered by an overlay; else None and they go to the folder.
        seen_at: Where a check sees it, where that is another place (only bubblewrap can show it there).
        folders: Ignored folders of the work tree that are laid over it; without an overlay they are in it already.
            They are environment, and no inputs of the check.
        bound: Such folders that are shown read-only, where there is no overlay.
        lacking: Which of the folders asked for it lacks and why, on one line; or empty.
    """

    path: Path
    commit: str
    readable: tuple[Path, ...]
    upper: Path | None = None
    seen_at: Path | None = None
    folders: tuple[Lent, ...] = ()
    bound: tuple[Lent, ...] = ()
    lacking: str = ""

    @property
    def seen(self) -> Path:
        """Return where a check sees it: what the check says of its files, and a trace of it, begins with this."""
        return self.seen_at or self.path

    def search_path(self, path: str) -> str:
        """Return the PATH of a check: that of the project's Python environment first, where there is one."""
        tied = {lent.name for lent in (*self.folders, *self.bound) if lent.is_tied}
        return ":".join([*(f"{self.seen}/{name}/bin" for name in ENVIRONMENTS if name in tied), path])


class Grounds:
    """The grounds of one process's checks, as a context manager; its methods are safe to call from many threads."""

    def __init__(
        self,
        git: Git,
        *,
        overlay: bool = False,
        in_place: bool = False,
        temporary: Path | None = None,
        user: int = 0,
    ) -> None:
        """Prepare to take grounds.

        Args:
            git: The repository that the code is in.
            overlay: Whether checks run on overlays over a common clone.
            in_place: Whether checks (under bubblewrap) see the ground where the work tree is: what was installed
                there names its place, and finds the ground's files then and not the person's.
            temporary: Where the clones are instead of the repository's own place.
            user: The user who owns a ground while a check uses it; 0 for the one who runs this.
        """
        self._git = git
        self._overlay = overlay
        self._seen_at = _place_of(git) if in_place else None
        self._temporary = temporary
        self._folder = temporary or place_of_clones(git)
        self._user = user
        self._found: dict[tuple[str, tuple[str, ...]], tuple[tuple[Lent, ...], tuple[str, ...]]] = {}
        self._ignored: tuple[str, ...] | None = None
        self._lock = threading.Lock()
        self._clones: list[Scratch] = []
        self._source: CodeSource | None = None

    def __enter__(self) -> Grounds:
        """Nothing is made or held before the first ``take``."""
        return self

    def __exit__(self, *_: object) -> None:
        """Let go of the clones; they stay on disk for the next run, without what is not a commit of the repository."""
        with self._lock:
            if self._git.objects and not self._temporary:
                self._leave_head()
            while self._clones:
                self._clones.pop().close()

    def _leave_head(self) -> None:
        head = self._git.read_head()[1]
        for clone in self._clones:
            try:
                if clone.users:  # a check was interrupted on it
                    clone.forget()
                else:
                    clone.show(head or "", self._read_source())
            except (OSError, GitmemError):
                clone.forget()

    @property
    def readable(self) -> tuple[Path, ...]:
        """Return what git in a check needs to read besides the ground: the repository's objects."""
        with self._lock:
            return self._read_source().objects

    @contextmanager
    def take(self, commit: str, folders: Sequence[str] = ()) -> Iterator[Ground]:
        """Lend a ground that shows a commit (full hex); all runs on it see each other's changes, nobody else does.

        Args:
            commit: The commit.
            folders: Ignored folders of the work tree to show as well, as the specification names them. Those of
                dependencies are shown besides where that costs no copy (under bubblewrap).

        Raises:
            NotFoundError: There is no such commit.
            ProcessError: git cannot check it out.
            GitmemError: The repository cannot be written to, or a folder is too large to be copied.
        """
        found, lacking = self._find(commit, tuple(folders)) if folders else ((), "")
        more = tuple(name for name in dependencies_of(self.ignored()) if name not in folders) if self._seen_at else ()
        shown = self._find(commit, more)[0] if more else ()
        found, bound = ((*found, *shown), ()) if self._overlay else (found, shown)
        clone, source = self._hold(commit)
        try:
            ground = self._open(clone, source, commit, found)
            try:
                yield replace(ground, folders=found, bound=bound, lacking=lacking)
            finally:
                self._give_back(clone, source, ground)
        finally:
            with self._lock:
                clone.users -= 1

    def ignored(self) -> tuple[str, ...]:
        """Return the folders of the work tree that git ignores, by path."""
        with self._lock:
            if self._ignored is None:
                self._ignored = list_ignored(self._git)
            return self._ignored

    @contextmanager
    def empty(self) -> Iterator[Path]:
        """Lend an empty folder, outside of any repository; it is removed afterwards."""
        with temporary_folder("gitmem-empty-") as folder:
            give(folder, self._user)
            yield folder

    def _hold(self, commit: str) -> tuple[Scratch, CodeSource]:
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
                if self._user and self._temporary:
                    open_way(found.tree.parent)
                self._clones.append(found)
                return found
        raise ConflictError(f"all {MOST_CLONES} scratch clones in {self._folder} are in use")

    def _open(self, clone: Scratch, source: CodeSource, commit: str, folders: tuple[Lent, ...]) -> Ground:
        with clone.lock:
            try:
                clone.show(commit, source, () if self._overlay else folders)
                if not self._overlay:
                    clone.lend(folders)
                give(clone.tree, self._user)
                if self._overlay:
                    upper = clone.add_upper(folders)
                    give(upper, self._user)
                    return Ground(clone.tree, commit, source.objects, upper, self._seen_at)
                clone.open_to_changes()
            except OSError as err:
                clone.forget()
                raise _unwritable(clone.tree, err) from err
            return Ground(clone.tree, commit, source.objects, None, self._seen_at)

    def _find(self, commit: str, names: tuple[str, ...]) -> tuple[tuple[Lent, ...], str]:
        """Return the folders that a ground can show, and on one line which it cannot show truly, and why."""
        with self._lock:
            if (commit, names) not in self._found:
                self._found[commit, names] = find_folders(self._git, commit, names)
            found, lacking = self._found[commit, names]
        if self._seen_at is None:
            why = "it works in its own place only (bubblewrap)"
            lacking += tuple(f"{lent.name}: {why}" for lent in found if lent.is_tied)
            found = tuple(lent for lent in found if not lent.is_tied)
        return found, "; ".join(lacking)

    def _give_back(self, clone: Scratch, source: CodeSource, ground: Ground) -> None:
        if ground.upper is not None:
            remove_tree(str(ground.upper))
            return
        with clone.lock:
            try:
                clone.restore(ground.commit, source)
            except (OSError, GitmemError):
                clone.forget()  # the next check has it rebuilt, and hears of it if that fails as well

    def _read_source(self) -> CodeSource:
        if self._source is None:
            listed = self._git.run("for-each-ref", "--format=%(objectname) %(refname)", "refs/tags")
            common = self._git.repository.common_dir.resolve()
            self._source = CodeSource(common, listed.stdout, more=self._git.objects, is_moved=self._seen_at is not None)
        return self._source


def place_of_clones(git: Git) -> Path:
    """Return where the scratch clones of a repository are kept."""
    return git.repository.common_dir.resolve() / "gitmem" / "ground"


def _place_of(git: Git) -> Path | None:
    """Return where the work tree is, where a ground can be shown there."""
    top = git.repository.work_tree
    if top is None:
        return None
    top = top.resolve()
    is_system = any(top.is_relative_to(folder) for folder in toolchain.SYSTEM)
    return None if is_system or any(Path(folder).is_relative_to(top) for folder in NEEDED) else top


def _unwritable(place: Path, err: OSError) -> GitmemError:
    return GitmemError(f"cannot create a scratch clone in {place}: {err.strerror}")
