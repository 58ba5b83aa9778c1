"""A scratch clone: a tree of the code that a check may change, and that is restored after the check.

It is a separate repository that borrows the user's objects (gitrepository-layout(5), ``objects/info/alternates``), so
git works in a check but no change reaches the user's repository.

On disk, each clone is one folder::

    lock     held while a gitmem process uses the folder (flock)
    state    the commit that ``tree`` shows; missing if it may have other content
    git/     its pristine git directory, which checks never see
    tree/    what the check sees, with a copy of ``git/`` as ``.git``
    upper-*  where changes go while ``tree`` is covered by an overlay

git runs only on ``git/``, without the user's configuration: no filters (Git LFS), hooks or submodules.
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from pathlib import Path

from gitmem.config import git_environment
from gitmem.errors import GitmemError, NotFoundError, ProcessError
from gitmem.git.git import SAFE
from gitmem.system import process, read_regular
from gitmem.system.file_lock import try_lock
from gitmem.verify.ground.folders import LentFolder
from gitmem.verify.ground.mirror import lay_folder
from gitmem.verify.ground.snapshot import Stamp, stamp_tree, undo
from gitmem.verify.sandbox.removal import remove_tree

# Must change with the layout above: a clone of another format is rebuilt.
FORMAT = "gitmem scratch clone 1"
# The user's attributes and ignore files would change what is checked out; the variables below hide other settings.
ISOLATED = (*SAFE, "-c", "core.attributesFile=/dev/null", "-c", "core.excludesFile=/dev/null")
NO_CONFIG = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_ATTR_NOSYSTEM": "1"}
# Longer than a tick of the kernel's file clock (10 ms at 100 Hz), so that a later change has another time.
CLOCK_TICK_S = 0.012
SHA256_LENGTH = 64
# What `git init` made, by object format and file system: each file's content, and None for a folder, before what is in
# it. Without overlays there is a clone for each check that runs, and git is asked once for all.
_made: dict[tuple[str, int], dict[str, bytes | None]] = {}


class CodeSource:
    """What scratch clones use from the user's repository besides a commit.

    Attributes:
        objects: The folders of objects to borrow from: the repository's own first, then its alternates.
    """

    def __init__(self, common_dir: Path, tags: bytes, *, more: Path | None = None, seen_at: str = "") -> None:
        """Read the present state of the repository.

        Args:
            common_dir: The repository's common git directory.
            tags: Lines of object name and full ref, sorted by ref.
            more: A folder of objects besides the repository's own.
            seen_at: Where checks find the objects, in one numbered folder each; empty for their own paths.
        """
        self.objects = _list_object_folders(common_dir / "objects", *([more] if more else []))
        self._seen_at = seen_at
        self._packed_refs = b"# pack-refs with: sorted \n" + tags if tags else b""
        shallow = common_dir / "shallow"
        self._shallow = read_regular(shallow) if shallow.is_file() else b""

    def files(self, commit: str, objects: Path, *, is_seen: bool = False) -> dict[str, bytes]:
        """Return the small files of a scratch git directory by path; files with empty content must not exist.

        Args:
            commit: The commit of HEAD.
            objects: The git directory's own folder of objects.
            is_seen: Whether it is the copy that checks see.
        """
        own, *others = self.objects
        borrowed = [os.path.relpath(own, objects), *map(str, others)]
        if is_seen and self._seen_at:
            borrowed = [f"{self._seen_at}/{number}" for number in range(len(self.objects))]
        return {
            "HEAD": commit.encode() + b"\n",
            "packed-refs": self._packed_refs,
            "shallow": self._shallow,
            "objects/info/alternates": b"".join(_quote(path) + b"\n" for path in borrowed),
        }


def _list_object_folders(*objects: Path) -> tuple[Path, ...]:
    """Return folders of objects and all that they borrow from, each once, depth first, starting with the first."""
    object_folders: dict[Path, None] = {}
    waiting = [folder.resolve() for folder in reversed(objects)]
    while waiting:
        folder = waiting.pop()
        if folder in object_folders or not folder.is_dir():
            continue
        object_folders[folder] = None
        alternates = folder / "info" / "alternates"
        for line in read_regular(alternates).splitlines() if alternates.is_file() else []:
            # Quoted lines are names with line feeds, which git itself never writes (git-clone(1), --shared).
            if line and not line.startswith((b"#", b'"')):
                waiting.append((folder / os.fsdecode(line)).resolve())
    return tuple(object_folders)


def _quote(path: str) -> bytes:
    """Quote a path for an alternates file, where a line feed would end it (git's quote.c, C style)."""
    raw = os.fsencode(path)
    if b"\n" not in raw and not raw.startswith((b'"', b"#")):
        return raw
    return b'"' + raw.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'


class Scratch:
    """One scratch clone, locked by this process.

    Attributes:
        tree: What the check sees.
        lock: Held by the thread that prepares or restores it.
        wanted: The commit that it shows or is about to show, or empty.
        users: The number of checks that use it now.
        owner: The user that all of its tree was given to since it last changed; 0 for none.
    """

    def __init__(self, folder: Path, fd: int) -> None:
        self._folder = folder
        self._fd = fd
        self._git = folder / "git"
        self._state = folder / "state"
        self._shown = self._read_state()
        self._stamps: dict[str, Stamp] | None = None
        self._lent: tuple[LentFolder, ...] = ()
        self._shown_folders: tuple[LentFolder, ...] = ()
        self._made: list[Path] = []
        self._uppers = 0
        self.tree = folder / "tree"
        self.lock = threading.Lock()
        self.wanted = self._shown
        self.users = 0
        self.owner = 0

    @classmethod
    def find(cls, folder: Path) -> Scratch | None:
        """Lock the clone in a folder, creating it if missing; return None if another process has it.

        Raises:
            OSError: The folder cannot be written to.
        """
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        fd = try_lock(folder / "lock")
        if fd is None:
            return None
        for left in folder.glob("upper-*"):  # left by a killed process
            remove_tree(str(left))
        return cls(folder, fd)

    def close(self) -> None:
        """Release the clone, after removing the folders that were laid into it."""
        if self._lent and self._shown:
            shown = self._shown
            self._take_back()
            self._write_state(shown)
        os.close(self._fd)

    def show(self, commit: str, source: CodeSource, folders: tuple[LentFolder, ...] = ()) -> None:
        """Check out a commit, with as few changes as possible.

        Args:
            commit: The commit.
            source: The repository that it comes from.
            folders: Folders of an earlier ``lend`` that may stay, because they do not conflict with the commit.

        Raises:
            NotFoundError: There is no such commit.
            ProcessError: git cannot check it out.
            OSError: The folder cannot be written to.
        """
        if folders != self._lent:
            self._take_back()
        if len(self._shown) != len(commit):  # not intact, or of another object format
            self._make(commit)
        if self._shown != commit:
            self.owner = 0
            self._write(source.files(commit, self._git / "objects"), self._git)
            is_kept = not self._attributes_differ(commit)
            self.forget()
            if not is_kept:
                # git rewrites a file only if its content changed, not if only its attributes did
                self._make(commit)
                self._write(source.files(commit, self._git / "objects"), self._git)
            self._check_out(commit)
            self._copy_git(commit, source)
            self._write_state(commit)
        elif self._write(source.files(commit, self._git / "objects"), self._git):
            self._stamps, self.owner = None, 0
            self._copy_git(commit, source)
        dot_git = self.tree / ".git"
        if self._write(source.files(commit, dot_git / "objects", is_seen=True), dot_git):
            self._stamps, self.owner = None, 0  # the last check saw the objects at another path

    def open_to_changes(self) -> None:
        """Record the state of the tree before a check changes it in place."""
        if self._stamps is None:
            time.sleep(CLOCK_TICK_S)
            self._stamps = stamp_tree(self.tree)
        self._shown = ""
        self._state.unlink(missing_ok=True)

    def lend(self, folders: tuple[LentFolder, ...], seen_at: Path) -> tuple[LentFolder, ...]:
        """Show exactly these folders of the work tree in it; they stay until other folders are requested.

        Args:
            folders: The folders.
            seen_at: The path at which checks see the tree.

        Returns:
            Those that it shows: all that the policy names, and the others as far as they are not too large.

        Raises:
            GitmemError: A folder that the policy names is too large to copy.
            OSError: They cannot be read or written.
        """
        if folders == self._lent:
            return self._shown_folders
        self._take_back()
        self._state.unlink(missing_ok=True)
        self._lent = folders
        shown = []
        for lent in folders:
            above = [self.tree / lent.name, *(self.tree / lent.name).parents]
            created = [place for place in above if not place.exists()][-1]
            self._made.append(created)
            try:
                lay_folder(lent, self.tree, seen_at)
                shown.append(lent)
            except BaseException as err:
                if lent.is_named or not isinstance(err, GitmemError):
                    self._take_back()
                    raise
                remove_tree(str(created))
        self._shown_folders = tuple(shown)
        return self._shown_folders

    def _take_back(self) -> None:
        for place in self._made:
            remove_tree(str(place))
        self._lent, self._made, self._stamps = (), [], None
        self._shown_folders = ()

    def restore(self, commit: str, source: CodeSource) -> None:
        """Undo the changes of a check in place.

        Raises:
            OSError, ProcessError: A change cannot be undone; after ``forget``, the next ``show`` rebuilds the clone.
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
                self._take_back()  # there, only added files can be undone
            self._stamps = None
        self._write_state(commit)

    def forget(self) -> None:
        """Make the next ``show`` rebuild it."""
        self._shown = ""
        self._state.unlink(missing_ok=True)
        self._stamps = None

    def add_upper(self, folders: tuple[LentFolder, ...] = ()) -> Path:
        """Create the folder for one overlay's changes: ``u`` for the files, ``w`` for the kernel.

        The folders that other overlays show in it have ``u1`` and ``w1``, and so on; their mount points are created in
        ``u``.
        """
        self._uppers += 1
        upper = self._folder / f"upper-{self._uppers}"
        numbered = [f"{kind}{number}" for number in range(1, len(folders) + 1) for kind in "uw"]
        for name in ("u", "w", *numbered, *(f"u/{lent.name}" for lent in folders)):
            (upper / name).mkdir(parents=True, exist_ok=True)
        return upper

    def _read_state(self) -> str:
        try:
            state_format, boot, commit = read_regular(self._state).decode("ascii").splitlines()
        except (OSError, ValueError):
            return ""
        return commit if (state_format, boot) == (FORMAT, _boot()) else ""

    def _write_state(self, commit: str) -> None:
        """Record the commit that it shows; for the next process only if no other folders are in it."""
        self._shown = commit
        if self._lent:
            return
        new = self._state.with_suffix(".new")
        new.write_text(f"{FORMAT}\n{_boot()}\n{commit}\n", encoding="ascii")
        new.replace(self._state)

    def _attributes_differ(self, commit: str) -> bool:
        """Return whether *commit* has other checkout attributes than the commit shown (gitattributes(5)).

        Compares with the index, because the commit shown may be gone, such as a private commit.
        """
        if not self._shown:
            return False
        argv = ("diff-index", "--cached", "--quiet", f"{commit}^{{commit}}", "--", ":(glob)**/.gitattributes")
        status = self._run(*argv, check=False).status
        if status not in (0, 1):
            self._need(commit)
        return status != 0

    def _need(self, commit: str) -> None:
        if self._run("cat-file", "-e", f"{commit}^{{commit}}", check=False).status != 0:
            raise NotFoundError(f"{commit}: no such commit in this repository")

    def _make(self, commit: str) -> None:
        self.forget()
        self._lent, self._made, self._shown_folders = (), [], ()
        for place in (self.tree, self._git):
            remove_tree(str(place))
        kind = "sha256" if len(commit) == SHA256_LENGTH else "sha1"
        self.tree.mkdir()
        cache_key = (kind, self._folder.stat().st_dev)
        if cache_key in _made:
            for name, content in _made[cache_key].items():
                _put(self._git / name, content)
            return
        argv = ["git", *ISOLATED, "init", "--quiet", "--template=", f"--object-format={kind}", str(self.tree)]
        process.run(argv, env=git_environment() | NO_CONFIG)
        (self.tree / ".git").rename(self._git)
        (self._git / "objects" / "info").mkdir(exist_ok=True)
        places = sorted(self._git.rglob("*"))
        _made[cache_key] = {
            str(p.relative_to(self._git)): read_regular(p) if p.is_file() else None for p in (self._git, *places)
        }

    def _check_out(self, commit: str) -> None:
        try:
            self._run("read-tree", "--reset", "-u", f"{commit}^{{commit}}")
        except ProcessError:
            self._need(commit)
            raise

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
        """Update the small files of a git directory; return whether one had changed."""
        changed = False
        for name, content in files.items():
            place = git_dir / name
            if (read_regular(place) if place.exists() else b"") != content:
                changed = True
                if content:
                    place.write_bytes(content)
                else:
                    place.unlink()
        return changed


def _put(place: Path, content: bytes | None) -> None:
    """Write a file, or make a folder where *content* is None."""
    if content is None:
        place.mkdir()
    else:
        place.write_bytes(content)


def _boot() -> str:
    """Return an identifier of this boot, because files written just before a power cut may be empty after it."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return "-"
