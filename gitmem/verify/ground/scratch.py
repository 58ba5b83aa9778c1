"""A scratch clone: a tree of the code that a check may change, and that is as it was when the check is gone.

It is a repository of its own that borrows the user's objects (gitrepository-layout(5), ``objects/info/alternates``),
so that git works in a check and nothing that a check does to it reaches the user's. On disk, in one folder each::

    lock     held while a gitmem process uses the folder (flock)
    state    the commit that ``tree`` shows; missing while it may be anything else
    git/     its git directory as it should be; a check never sees this one
    tree/    what the check sees, with a copy of ``git/`` as ``.git``
    upper-*  where changes go while ``tree`` is covered by an overlay

git runs on ``git/`` alone, without the user's configuration: no filters (Git LFS), hooks or submodules.
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from pathlib import Path

from gitmem.config import git_environment
from gitmem.errors import NotFoundError
from gitmem.git.binary import SAFE
from gitmem.system import process
from gitmem.system.file_lock import try_lock
from gitmem.verify.ground.folders import Lent, copy_folders
from gitmem.verify.ground.snapshot import Stamp, stamp_tree, undo
from gitmem.verify.sandbox.removal import remove_tree

# Changes with the layout above: a clone of another format is rebuilt.
FORMAT = "gitmem scratch clone 1"
# The user's attributes and ignore files would change what is checked out; the environment below hides the rest.
ISOLATED = (*SAFE, "-c", "core.attributesFile=/dev/null", "-c", "core.excludesFile=/dev/null")
NO_CONFIG = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_ATTR_NOSYSTEM": "1"}
# Longer than the kernel's file clock ticks (10 ms at 100 Hz), so that a change after it has another time.
CLOCK_TICK_S = 0.012
SHA256_LENGTH = 64
# Where a check that sees its ground elsewhere finds the objects that the clone borrows, each in a folder of its number.
SEEN_OBJECTS = "/run/gitmem/objects"


class CodeSource:
    """What scratch clones take from the user's repository besides a commit.

    Attributes:
        objects: The folders of objects to borrow from: the repository's own first, then its alternates.
    """

    def __init__(self, common_dir: Path, tags: bytes, *, more: Path | None = None, is_moved: bool = False) -> None:
        """Read what there is now.

        Args:
            common_dir: The repository's common git directory.
            tags: Lines of object name and full ref, sorted by ref.
            more: A folder of objects besides the repository's own.
            is_moved: Whether checks find the objects in ``SEEN_OBJECTS``.
        """
        self.objects = _list_object_folders(common_dir / "objects", *([more] if more else []))
        self._is_moved = is_moved
        self._packed_refs = b"# pack-refs with: sorted \n" + tags if tags else b""
        shallow = common_dir / "shallow"
        self._shallow = shallow.read_bytes() if shallow.is_file() else b""

    def files(self, commit: str, objects: Path, *, is_seen: bool = False) -> dict[str, bytes]:
        """Return the small files of a scratch git directory by their path in it; empty ones must not exist.

        Args:
            commit: What HEAD is.
            objects: The git directory's own objects.
            is_seen: Whether it is the copy that checks see.
        """
        own, *others = self.objects
        borrowed = [os.path.relpath(own, objects), *map(str, others)]
        if is_seen and self._is_moved:
            borrowed = [f"{SEEN_OBJECTS}/{number}" for number in range(len(self.objects))]
        return {
            "HEAD": commit.encode() + b"\n",
            "packed-refs": self._packed_refs,
            "shallow": self._shallow,
            "objects/info/alternates": b"".join(_quote(path) + b"\n" for path in borrowed),
        }


def _list_object_folders(*objects: Path) -> tuple[Path, ...]:
    """Return folders of objects and every one that they borrow from, each once, depth first; the first one first."""
    found: dict[Path, None] = {}
    waiting = [folder.resolve() for folder in reversed(objects)]
    while waiting:
        folder = waiting.pop()
        if folder in found or not folder.is_dir():
            continue
        found[folder] = None
        alternates = folder / "info" / "alternates"
        for line in alternates.read_bytes().splitlines() if alternates.is_file() else []:
            # Quoted names are those with line feeds; git itself writes none such (git-clone(1), --shared).
            if line and not line.startswith((b"#", b'"')):
                waiting.append((folder / os.fsdecode(line)).resolve())
    return tuple(found)


def _quote(path: str) -> bytes:
    """Quote a path as git reads it in an alternates file, where a line feed ends it (git's quote.c, C style)."""
    raw = os.fsencode(path)
    if b"\n" not in raw and not raw.startswith((b'"', b"#")):
        return raw
    return b'"' + raw.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'


class Scratch:
    """One scratch clone, held by this process alone.

    Attributes:
        tree: What the check sees.
        lock: Held by the thread that prepares or restores it.
        wanted: The commit that it shows or is about to show, or empty.
        users: How many checks use it now.
    """

    def __init__(self, folder: Path, fd: int) -> None:
        self._folder = folder
        self._fd = fd
        self._git = folder / "git"
        self._state = folder / "state"
        self._shown = self._read_state()
        self._stamps: dict[str, Stamp] | None = None
        self._lent: tuple[Lent, ...] = ()
        self._made: list[Path] = []
        self._uppers = 0
        self.tree = folder / "tree"
        self.lock = threading.Lock()
        self.wanted = self._shown
        self.users = 0

    @classmethod
    def find(cls, folder: Path) -> Scratch | None:
        """Take hold of the clone in a folder, which is made where it is missing; None when another has it.

        Raises:
            OSError: The folder cannot be written to.
        """
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        fd = try_lock(folder / "lock")
        if fd is None:
            return None
        for left in folder.glob("upper-*"):  # of a process that was killed
            remove_tree(str(left))
        return cls(folder, fd)

    def close(self) -> None:
        """Let go of it, without the folders that were copied into it."""
        if self._lent and self._shown:
            shown = self._shown
            self._take_back()
            self._write_state(shown)
        os.close(self._fd)

    def show(self, commit: str, source: CodeSource, folders: tuple[Lent, ...] = ()) -> None:
        """Make the tree that of a commit, by as little as that takes.

        Args:
            commit: The commit.
            source: Where it comes from.
            folders: The copies that may stay in it from before (``lend``): the commit leaves room for them.

        Raises:
            NotFoundError: There is no such commit.
            ProcessError: git cannot check it out.
            OSError: The folder cannot be written to.
        """
        if folders != self._lent:
            self._take_back()
        if not self._is_of(commit):
            self._make(commit)
        if self._shown != commit:
            self._write(source.files(commit, self._git / "objects"), self._git)
            if self._run("cat-file", "-e", f"{commit}^{{commit}}", check=False).status != 0:
                raise NotFoundError(f"{commit}: no such commit in this repository")
            is_kept = not self._attributes_differ(commit)
            self.forget()
            if not is_kept:
                # git writes a file again only when its content changed, not when the way it is checked out did.
                self._make(commit)
                self._write(source.files(commit, self._git / "objects"), self._git)
            self._check_out(commit)
            self._copy_git(commit, source)
            self._write_state(commit)
        elif self._write(source.files(commit, self._git / "objects"), self._git):
            self._stamps = None
            self._copy_git(commit, source)
        dot_git = self.tree / ".git"
        if self._write(source.files(commit, dot_git / "objects", is_seen=True), dot_git):
            self._stamps = None  # the check before saw the objects in another place

    def open_to_changes(self) -> None:
        """Note how the tree is, before a check changes it in place."""
        if self._stamps is None:
            time.sleep(CLOCK_TICK_S)
            self._stamps = stamp_tree(self.tree)
        self._shown = ""
        self._state.unlink(missing_ok=True)

    def lend(self, folders: tuple[Lent, ...]) -> None:
        """Have copies of folders of the work tree in it, and of no others; they stay until other ones are wanted.

        Raises:
            GitmemError: They are too large to be copied.
            OSError: They cannot be read or written.
        """
        if folders == self._lent:
            return
        self._take_back()
        self._state.unlink(missing_ok=True)
        self._lent = folders
        for lent in folders:
            above = [self.tree / lent.name, *(self.tree / lent.name).parents]
            self._made.append([place for place in above if not place.exists()][-1])
            try:
                copy_folders([lent], self.tree)
            except BaseException:
                self._take_back()
                raise

    def _take_back(self) -> None:
        for place in self._made:
            remove_tree(str(place))
        self._lent, self._made, self._stamps = (), [], None

    def restore(self, commit: str, source: CodeSource) -> None:
        """Undo what a check changed in place.

        Raises:
            OSError, ProcessError: It cannot be undone; the next ``show`` makes the clone again.
        """
        assert self._stamps is not None
        before, after = self._stamps, stamp_tree(self.tree)
        if after != before:
            undo(self.tree, before, after)
            changed = {path for path, _ in after.items() ^ before.items()}
            apart = tuple(f"{name}/" for name in (".git", *(lent.name for lent in self._lent)))
            if not all(f"{path}/".startswith(apart) for path in changed):
                self._check_out(commit)
            self._copy_git(commit, source)
            if any(path in before and f"{path}/".startswith(apart[1:]) for path in changed):
                self._take_back()  # only added files can be undone there
            self._stamps = None
        self._write_state(commit)

    def forget(self) -> None:
        """Have the next ``show`` rebuild it."""
        self._shown = ""
        self._state.unlink(missing_ok=True)
        self._stamps = None

    def add_upper(self, folders: tuple[Lent, ...] = ()) -> Path:
        """Make the folder of one overlay's changes: ``u`` for the files, ``w`` for the kernel.

        For the first of the folders that are laid over it, ``u1`` and ``w1``, and so on; in ``u`` is their place.
        """
        self._uppers += 1
        upper = self._folder / f"upper-{self._uppers}"
        numbered = [f"{kind}{number}" for number in range(1, len(folders) + 1) for kind in "uw"]
        for name in ("u", "w", *numbered, *(f"u/{lent.name}" for lent in folders)):
            (upper / name).mkdir(parents=True, exist_ok=True)
        return upper

    def _read_state(self) -> str:
        try:
            made, boot, commit = self._state.read_text(encoding="ascii").splitlines()
        except (OSError, ValueError):
            return ""
        return commit if (made, boot) == (FORMAT, _boot()) else ""

    def _write_state(self, commit: str) -> None:
        """Note what it shows; for the next process only where it shows nothing else."""
        self._shown = commit
        if self._lent:
            return
        new = self._state.with_suffix(".new")
        new.write_text(f"{FORMAT}\n{_boot()}\n{commit}\n", encoding="ascii")
        new.replace(self._state)

    def _is_of(self, commit: str) -> bool:
        """Return whether the clone is whole, and of the same object format."""
        return bool(self._shown) and len(self._shown) == len(commit)

    def _attributes_differ(self, commit: str) -> bool:
        """Return whether files are checked out in another way at *commit* than at the one shown (gitattributes(5)).

        By the index: the commit that is shown may be gone, such as one that was made of a work tree.
        """
        argv = ("diff-index", "--cached", "--quiet", commit, "--", ":(glob)**/.gitattributes")
        return bool(self._shown) and self._run(*argv, check=False).status != 0

    def _make(self, commit: str) -> None:
        self.forget()
        self._lent, self._made = (), []
        for place in (self.tree, self._git):
            remove_tree(str(place))
        kind = "sha256" if len(commit) == SHA256_LENGTH else "sha1"
        argv = ["git", *ISOLATED, "init", "--quiet", "--template=", f"--object-format={kind}", str(self.tree)]
        process.run(argv, env=git_environment() | NO_CONFIG)
        (self.tree / ".git").rename(self._git)
        (self._git / "objects" / "info").mkdir(exist_ok=True)

    def _check_out(self, commit: str) -> None:
        self._run("read-tree", "--reset", "-u", commit)

    def _run(self, *args: str, check: bool = True) -> process.ProcessResult:
        argv = ["git", f"--git-dir={self._git}", f"--work-tree={self.tree}", *ISOLATED, *args]
        return process.run(argv, cwd=self.tree, env=git_environment() | NO_CONFIG, check=check)

    def _copy_git(self, commit: str, source: CodeSource) -> None:
        dot_git = self.tree / ".git"
        remove_tree(str(dot_git))
        shutil.copytree(self._git, dot_git)
        self._write(source.files(commit, dot_git / "objects", is_seen=True), dot_git)

    @staticmethod
    def _write(files: dict[str, bytes], git_dir: Path) -> bool:
        """Bring the small files of a git directory up to date; tell whether one had changed."""
        changed = False
        for name, content in files.items():
            place = git_dir / name
            if (place.read_bytes() if place.exists() else b"") != content:
                changed = True
                if content:
                    place.write_bytes(content)
                else:
                    place.unlink()
        return changed


def _boot() -> str:
    """Return what names this start of the machine: files written just before a power cut may be empty after it."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return "-"
