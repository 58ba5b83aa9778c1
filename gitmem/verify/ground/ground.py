"""Provide grounds: whole trees of a commit that one check may change, restored for the next check.

Scratch clones are kept and reused (``<common git directory>/gitmem/ground/<name>``). Where overlays work
(``sandbox.probe_overlay``), one clone serves all checks of its commit, and the changes of each go to its own folder.
Elsewhere each running check has its own clone, and its changes are detected by stamps and undone. If the repository is
read-only, the clones are in a temporary folder and deleted afterwards.
"""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from pathlib import Path

from gitmem.errors import ConflictError, GitmemError
from gitmem.frozen import frozen, replace
from gitmem.system import read_regular
from gitmem.verify.ground.folders import ENVIRONMENTS, LentFolder, dependencies_of, find_folders, list_ignored
from gitmem.verify.ground.scratch import CodeSource, Scratch
from gitmem.verify.sandbox import toolchain
from gitmem.verify.sandbox.account import can_reach, give, open_way
from gitmem.verify.sandbox.removal import remove_tree
from gitmem.verify.sandbox.temporary import temporary_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitmem.git import Git

# More than any machine runs at once; reaching it means that clones are not returned.
MOST_CLONES = 512
# Where a check under bubblewrap that sees its ground at another path finds the borrowed objects. A path must contain
# `/objects/`, by which a trace shows that they were read.
SEEN_OBJECTS = "/run/gitmem/objects"
# Hexadecimal digits of a clone's name.
NAME_LENGTH = 32
# A ground is never mounted over these folders or their parents, which would hide programs from the check.
NEEDED = (*toolchain.SYSTEM, "/tmp", "/var/tmp", "/run", "/dev", "/proc")  # noqa: S108 - of the sandbox


@frozen
class Ground:
    """A folder that a check may change.

    Attributes:
        path: The folder, resolved.
        commit: The commit whose tree it shows; empty for a folder without one.
        readable: What git must read besides: the repository's objects.
        upper: The folder for changes if an overlay must cover *path*; None if changes are made in *path* itself.
        seen_at: The path at which a check sees it by a mount, if that is different.
        objects_at: Where a check sees the borrowed objects then (``CodeSource``).
        folders: Ignored folders of the work tree that overlays show in it; without an overlay they are copied into it.
            They belong to the environment, not to the inputs of the check.
        bound: Such folders that are shown without an overlay: read-only by a mount, or mirrored (``mirror``).
        lacking: The requested folders that are missing and why, on one line; or empty.
    """

    path: Path
    commit: str
    readable: tuple[Path, ...]
    upper: Path | None = None
    seen_at: Path | None = None
    objects_at: str = ""
    folders: tuple[LentFolder, ...] = ()
    bound: tuple[LentFolder, ...] = ()
    lacking: str = ""

    @property
    def mirrored(self) -> tuple[Path, ...]:
        """Return the folders of the work tree that links in it lead to, which a check must be able to read."""
        return tuple(lent.place for lent in self.bound if lent.is_linked)

    def tied_path(self, path: str) -> str:
        """Return a PATH with the user's own Python environments behind it, whose interpreters a check needs."""
        tied = (f"{lent.place}/bin" for lent in (*self.folders, *self.bound) if lent.is_tied)
        return ":".join([path, *tied])

    @property
    def borrowed(self) -> tuple[tuple[str, str], ...]:
        """Return the folders of objects that it borrows: the path at which a check sees each, and its real path."""
        if not self.objects_at:
            return tuple((str(place), str(place)) for place in self.readable)
        return tuple((f"{self.objects_at}/{number}", str(place)) for number, place in enumerate(self.readable))

    def contains(self, place: Path) -> bool:
        """Return whether it has a file or folder itself, given the path that checks see."""
        name = place.relative_to(self.path_in_check)
        is_lent = any(name.is_relative_to(lent.name) for lent in (*self.folders, *self.bound))
        return is_lent or os.path.lexists(self.path / name)

    @property
    def path_in_check(self) -> Path:
        """Return the path at which a check sees it; paths in the check's output and its trace begin with this."""
        return self.seen_at or self.path

    def search_path(self, path: str) -> str:
        """Return the PATH of a check: the project's Python environment, if there is one, comes first."""
        tied = {lent.name for lent in (*self.folders, *self.bound) if lent.is_tied}
        return ":".join([*(f"{self.path_in_check}/{name}/bin" for name in ENVIRONMENTS if name in tied), path])


class Grounds:
    """The grounds of one process's checks, as a context manager; its methods are thread-safe."""

    def __init__(
        self,
        git: Git,
        *,
        overlay: bool = False,
        in_place: bool = False,
        objects_at: str = SEEN_OBJECTS,
        temporary: Path | None = None,
        user: int = 0,
    ) -> None:
        """Store the settings; no clone is made yet.

        Args:
            git: The repository that the code is in.
            overlay: Whether checks run on overlays over a common clone.
            in_place: Whether mounts show the ground at the path of the work tree. Installed programs that contain this
                path then use the ground's files and not the user's.
            objects_at: Where checks find the objects then, by a mount.
            temporary: A folder for the clones instead of the one in the repository.
            user: The user who owns a ground while a check uses it; 0 for the current user.
        """
        self._git = git
        self._overlay = overlay
        self._seen_at = place_in_check(git) if in_place else None
        self._objects_at = objects_at if self._seen_at else ""
        self._temporary = temporary
        self._folder = temporary or place_of_clones(git)
        self._user = user
        self._found: dict[tuple[str, tuple[str, ...]], tuple[tuple[LentFolder, ...], tuple[str, ...]]] = {}
        self._ignored: tuple[str, ...] | None = None
        self._lock = threading.Lock()
        self._clones: list[Scratch] = []
        self._source: CodeSource | None = None

    def __enter__(self) -> Grounds:
        """Return itself; no clone is made or locked before the first ``take``."""
        return self

    def __exit__(self, *_: object) -> None:
        """Release the clones. They stay on disk for the next run, but show no private commit."""
        with self._lock:
            if self._git.objects and not self._temporary:
                self._leave_head()
            while self._clones:
                self._clones.pop().close()

    def _leave_head(self) -> None:
        head = self._git.read_head()[1]
        for clone in self._clones:
            try:
                if clone.users:  # a check was interrupted in it
                    clone.forget()
                else:
                    clone.show(head or "", self._read_source())
            except (OSError, GitmemError):
                clone.forget()

    @contextmanager
    def take(self, commit: str, folders: Sequence[str] = ()) -> Iterator[Ground]:
        """Provide a ground for a commit (full hex); runs on it see each other's changes, and no other run does.

        Args:
            commit: The commit.
            folders: Ignored folders of the work tree to show as well, as the specification names them. Folders of
                dependencies are added.

        Raises:
            NotFoundError: There is no such commit.
            ProcessError: git cannot check it out.
            GitmemError: The repository cannot be written to, or a folder is too large to copy.
        """
        lent_folders, lacking = self._find(commit, tuple(folders)) if folders else ((), "")
        more = tuple(name for name in dependencies_of(self.list_ignored()) if name not in folders)
        shown = self._find(commit, more)[0] if more else ()
        if self._overlay:
            lent_folders, shown = (*lent_folders, *shown), ()
        elif self._seen_at is None:
            is_near = (not self._user or can_reach(lent.place) for lent in shown)
            shown = tuple(
                replace(lent, is_linked=near, is_named=False) for lent, near in zip(shown, is_near, strict=True)
            )
        clone, source = self._hold(commit)
        try:
            ground = self._open(clone, source, commit, lent_folders, shown)
            try:
                yield replace(ground, lacking=lacking)
            finally:
                self._give_back(clone, source, ground)
        finally:
            with self._lock:
                clone.users -= 1

    def list_ignored(self) -> tuple[str, ...]:
        """Return the folders of the work tree that git ignores, by path."""
        with self._lock:
            if self._ignored is None:
                self._ignored = list_ignored(self._git)
            return self._ignored

    @contextmanager
    def empty(self) -> Iterator[Path]:
        """Provide an empty folder outside of any repository, and remove it afterwards."""
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
        for name in self._list_names():
            try:
                scratch = Scratch.find(self._folder / name)
            except OSError as err:
                raise _unwritable(self._folder, err) from err
            if scratch is not None:
                if self._user and self._temporary:
                    open_way(scratch.tree.parent)
                self._clones.append(scratch)
                return scratch
        raise ConflictError(f"all {MOST_CLONES} scratch clones in {self._folder} are in use")

    def _list_names(self) -> list[str]:
        """Return the names of the clones that exist, and a new one.

        A check cannot guess them: without namespaces, it may change the modes of any file whose path it knows.
        """
        try:
            names = sorted(os.listdir(self._folder))  # noqa: PTH208 - names
        except OSError:
            names = []
        for name in names:
            if name.isdecimal() and len(name) < NAME_LENGTH and (old := Scratch.find(self._folder / name)):
                old.close()
                remove_tree(str(self._folder / name))  # of gitmem 0.9, which numbered them
        names = [name for name in names if len(name) == NAME_LENGTH]
        return names if len(names) >= MOST_CLONES else [*names, os.urandom(NAME_LENGTH // 2).hex()]

    def _open(
        self,
        clone: Scratch,
        source: CodeSource,
        commit: str,
        folders: tuple[LentFolder, ...],
        bound: tuple[LentFolder, ...],
    ) -> Ground:
        """Show a commit in a clone, with folders to copy or to overlay, and others to mount or to mirror."""
        is_overlay, is_mounted = self._overlay, self._seen_at is not None
        laid = () if is_overlay else folders if is_mounted else (*folders, *bound)
        with clone.lock:
            try:
                clone.show(commit, source, laid)
                if not is_overlay:
                    shown = clone.lend(laid, self._seen_at or clone.tree)
                    bound = bound if is_mounted else tuple(lent for lent in bound if lent in shown)
                if not is_overlay or clone.owner != self._user:
                    give(clone.tree, self._user)
                    clone.owner = self._user
                upper = None
                if is_overlay:
                    upper = clone.add_upper(folders)
                    give(upper, self._user)
                else:
                    clone.open_to_changes()
            except OSError as err:
                clone.forget()
                raise _unwritable(clone.tree, err) from err
            seen = self._seen_at, self._objects_at
            return Ground(clone.tree, commit, source.objects, upper, *seen, folders, bound)

    def _find(self, commit: str, names: tuple[str, ...]) -> tuple[tuple[LentFolder, ...], str]:
        """Return the folders that a ground can show, and on one line the others with the reason."""
        with self._lock:
            if (commit, names) not in self._found:
                self._found[commit, names] = find_folders(self._git, commit, names)
            lent, lacking = self._found[commit, names]
        return lent, "; ".join(lacking)

    def _give_back(self, clone: Scratch, source: CodeSource, ground: Ground) -> None:
        if ground.upper is not None:
            remove_tree(str(ground.upper))
            return
        with clone.lock:
            try:
                clone.restore(ground.commit, source)
            except (OSError, GitmemError):
                clone.forget()  # the next check rebuilds it, and reports an error if that fails too

    def _read_source(self) -> CodeSource:
        if self._source is None:
            common = self._git.repository.common_dir.resolve()
            argv = ("for-each-ref", "--format=%(objectname) %(refname)", "refs/tags")
            tags = self._git.run(*argv).stdout if may_have_tags(common) else b""
            self._source = CodeSource(common, tags, more=self._git.objects, seen_at=self._objects_at)
        return self._source


def may_have_tags(common: Path) -> bool:
    """Return whether a repository may have tags, without starting git."""
    tags, packed = common / "refs" / "tags", common / "packed-refs"
    is_empty = not (common / "reftable").exists() and not (tags.is_dir() and any(tags.iterdir()))
    return not is_empty or (packed.exists() and b" refs/tags/" in read_regular(packed))


def place_of_clones(git: Git) -> Path:
    """Return the folder of a repository's scratch clones."""
    return git.repository.common_dir.resolve() / "gitmem" / "ground"


def place_in_check(git: Git) -> Path | None:
    """Return the path of the work tree if mounts can show a ground there; else None."""
    top = git.repository.work_tree
    if top is None:
        return None
    top = top.resolve()
    is_system = any(top.is_relative_to(folder) for folder in toolchain.SYSTEM)
    return None if is_system or any(Path(folder).is_relative_to(top) for folder in NEEDED) else top


def _unwritable(place: Path, err: OSError) -> GitmemError:
    return GitmemError(f"cannot create a scratch clone in {place}: {err.strerror}")
