"""A scratch clone: a tree of the code that a check may change, and that is as it was when the check is gone.

It is a repository of its own that borrows the user's objects (gitrepository-layout(5), ``objects/info/alternates``),
so that git works in a check and nothing that a check does to it reaches the user's. On disk, in one folder each::

    lock     held while a process of ours uses the folder (flock)
    state    the commit that ``tree`` shows; missing while it may be anything else
    git/     its git directory as it should be; a check never sees this one
    tree/    what the check sees, with a copy of ``git/`` as ``.git``
    upper-*  where changes go while ``tree`` is covered by an overlay

git runs on ``git/`` alone, without the user's configuration: no filters (Git LFS), hooks or submodules.
"""

from __future__ import annotations

import os
import shutil
import stat
import threading
import time
from pathlib import Path

from gitmem import process
from gitmem.config import git_environment
from gitmem.errors import NotFoundError
from gitmem.git.binary import SAFE
from gitmem.locks import try_lock
from gitmem.verify.launch import remove_tree

# Changes with the layout above: a clone of another format is made anew.
FORMAT = "gitmem scratch clone 1"
# The user's attributes and ignore files would change what is checked out; the environment below hides the rest.
ISOLATED = (*SAFE, "-c", "core.attributesFile=/dev/null", "-c", "core.excludesFile=/dev/null")
NO_CONFIG = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_ATTR_NOSYSTEM": "1"}
# Longer than the kernel's file clock ticks (10 ms at 100 Hz), so that a change after it has another time.
CLOCK_TICK_S = 0.012
SHA256_LENGTH = 64
# Where a check that sees its ground elsewhere finds the objects that the clone borrows, each in a folder of its number.
SEEN_OBJECTS = "/run/gitmem/objects"

# What tells one state of a file from another: mode, inode, size, times of content and of inode in ns.
Stamp = tuple[int, ...]


class Source:
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
        self._stamps: dict[str, Stamp] | None = None
        self._uppers = 0
        self.tree = folder / "tree"
        self.lock = threading.Lock()
        self.wanted = self._read_state()
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
        """Let go of it."""
        os.close(self._fd)

    def show(self, commit: str, source: Source) -> None:
        """Make the tree that of a commit, by as little as that takes.

        Raises:
            NotFoundError: There is no such commit.
            ProcessError: git cannot check it out.
            OSError: The folder cannot be written to.
        """
        if not self._is_of(commit):
            self._make(commit)
        if self._read_state() != commit:
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
        self._state.unlink(missing_ok=True)

    def restore(self, commit: str, source: Source) -> None:
        """Undo what a check changed in place.

        Raises:
            OSError, ProcessError: It cannot be undone; the next ``show`` makes the clone anew.
        """
        assert self._stamps is not None
        after = stamp_tree(self.tree)
        if after != self._stamps:
            undo(self.tree, self._stamps, after)
            if any(path.split("/", 1)[0] != ".git" for path, _ in after.items() ^ self._stamps.items()):
                self._check_out(commit)
            self._copy_git(commit, source)
            self._stamps = None
        self._write_state(commit)

    def forget(self) -> None:
        """Have the next ``show`` make it anew."""
        self._state.unlink(missing_ok=True)
        self._stamps = None

    def add_upper(self) -> Path:
        """Make the folder of one overlay's changes: ``u`` for the files, ``w`` for the kernel."""
        self._uppers += 1
        upper = self._folder / f"upper-{self._uppers}"
        for name in ("u", "w"):
            (upper / name).mkdir(parents=True)
        return upper

    def _read_state(self) -> str:
        try:
            made, boot, commit = self._state.read_text(encoding="ascii").splitlines()
        except (OSError, ValueError):
            return ""
        return commit if (made, boot) == (FORMAT, _boot()) else ""

    def _write_state(self, commit: str) -> None:
        new = self._state.with_suffix(".new")
        new.write_text(f"{FORMAT}\n{_boot()}\n{commit}\n", encoding="ascii")
        new.replace(self._state)

    def _is_of(self, commit: str) -> bool:
        """Tell whether the clone is whole, and of the same object format."""
        return bool(shown := self._read_state()) and len(shown) == len(commit)

    def _attributes_differ(self, commit: str) -> bool:
        """Tell whether files are checked out in another way at *commit* than at the one shown (gitattributes(5)).

        By the index: the commit that is shown may be gone, such as one that was made of a work tree.
        """
        argv = ("diff-index", "--cached", "--quiet", commit, "--", ":(glob)**/.gitattributes")
        return bool(self._read_state()) and self._run(*argv, check=False).status != 0

    def _make(self, commit: str) -> None:
        self._state.unlink(missing_ok=True)
        for place in (self.tree, self._git):
            remove_tree(str(place))
        kind = "sha256" if len(commit) == SHA256_LENGTH else "sha1"
        argv = ["git", *ISOLATED, "init", "--quiet", "--template=", f"--object-format={kind}", str(self.tree)]
        process.run(argv, env=git_environment() | NO_CONFIG)
        (self.tree / ".git").rename(self._git)
        (self._git / "objects" / "info").mkdir(exist_ok=True)

    def _check_out(self, commit: str) -> None:
        self._run("read-tree", "--reset", "-u", commit)

    def _run(self, *args: str, check: bool = True) -> process.Finished:
        argv = ["git", f"--git-dir={self._git}", f"--work-tree={self.tree}", *ISOLATED, *args]
        return process.run(argv, cwd=self.tree, env=git_environment() | NO_CONFIG, check=check)

    def _copy_git(self, commit: str, source: Source) -> None:
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


def stamp_tree(top: Path) -> dict[str, Stamp]:
    """Return a stamp of everything in a folder, and of the folder itself as ``.``, by path; links are not followed.

    A folder's stamp is its mode alone: what is in it stands for itself. A folder that cannot be read is opened first.

    Raises:
        NotADirectoryError: It is no folder any more, but perhaps a link to one.
    """
    stamps: dict[str, Stamp] = {".": (top.lstat().st_mode,)}
    if not stat.S_ISDIR(stamps["."][0]):
        raise NotADirectoryError(f"{top} was replaced")
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        for entry in _list_opened(top / folder):
            path = folder + entry.name
            found = entry.stat(follow_symlinks=False)
            if entry.is_dir(follow_symlinks=False):
                stamps[path] = (found.st_mode,)
                waiting.append(path + "/")
            else:
                stamps[path] = (found.st_mode, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    return stamps


def _list_opened(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except PermissionError:
        folder.chmod(0o700)
    with os.scandir(folder) as entries:
        return list(entries)


def undo(top: Path, before: dict[str, Stamp], after: dict[str, Stamp]) -> None:
    """Remove what was added or changed in a folder and give folders their modes back; what is missing stays so.

    Args:
        top: The folder.
        before: Its stamps as they should be.
        after: Its stamps as they are.
    """
    for path in sorted(after):
        if before.get(path) == after[path]:
            continue
        place = top / path
        is_folder = len(after[path]) == 1
        if is_folder and len(before.get(path, ())) == 1:
            place.chmod(stat.S_IMODE(before[path][0]))
        elif is_folder:
            remove_tree(str(place))
        else:
            place.unlink(missing_ok=True)


def _boot() -> str:
    """Return what names this start of the machine: files written just before a power cut may be empty after it."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return "-"
