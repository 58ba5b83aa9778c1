"""Convert the trace of a run into what it read of the code: paths in the ground, link targets, git's data.

In doubt, the whole tree is an input. Ignored are the times of files, the number of links and folders in a folder, and
what a check reads of the code's history without reading its files.
"""

from __future__ import annotations

import re

from gitmem.frozen import frozen
from gitmem.verify.trace.reads import AT, BELOW, LINK, LIST, NAMES, fold
from gitmem.verify.trace.trace import LINKED, LISTED, MOVED, NAMED, OPENED, RAN, UNKNOWN, OpaqueError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gitmem.verify.trace.reads import Places
    from gitmem.verify.trace.trace import Event, Trace

# The most links that the kernel follows (path_resolution(7)).
MOST_LINKS = 40
_OBJECT = re.compile(r"/objects/(?:.*/)?(?:[0-9a-f]{2}/[0-9a-f]{38,62}|[^/]+\.(?:pack|idx|rev))\Z", re.DOTALL)
# Enough of a script for its first line (execve(2): 255 bytes since Linux 5.1).
FIRST_LINE = 256
# Events that change where paths lead.
_CHANGES = (LINKED, MOVED, NAMED)
# Where links lead to open files or to the folder of a process (proc(5)).
_DESCRIPTORS = ("/proc/", "/dev/fd/")
# Parts of a git directory that reveal nothing of the code's files: settings, and the places of borrowed objects.
_SETTINGS = (
    "config",
    "config.worktree",
    "commondir",
    "gitdir",
    "description",
    "info",
    "hooks",
    "shallow",
    "alternates",
)
# Options of `git rev-parse` that only print where the repository is.
_PLACE_OPTIONS = frozenset(
    [
        "--show-toplevel",
        "--show-prefix",
        "--show-cdup",
        "--git-dir",
        "--absolute-git-dir",
        "--git-common-dir",
        "--is-inside-work-tree",
        "--is-inside-git-dir",
        "--is-bare-repository",
    ]
)
_LISTING_OPTIONS = frozenset(
    ["-z", "-c", "--cached", "--error-unmatch", "--full-name", "-o", "--others", "--exclude-standard"]
)


@frozen
class Scene:
    """Where a run was executed.

    Attributes:
        ground: The folder that the run saw, absolute.
        places: The files of the code there.
        content: Returns the first bytes of a file or link of the code, by its object name.
        repository: The user's work tree, which shows the code as well; or an empty string.
        lent: Returns the target of a link in a folder that is shown with the code but is not part of it; empty if it is
            not a link. None if no such folder is shown.
    """

    ground: str
    places: Places
    content: Callable[[str], bytes]
    repository: str = ""
    lent: Callable[[str], str] | None = None


@frozen
class Observation:
    """What a run read.

    Attributes:
        reads: All reads, each with its mark (``reads``).
        text: The same, folded; empty if the whole tree was read.
        programs: The programs outside the code that were run, by the path used to run them, in order.
    """

    reads: frozenset[str]
    text: str
    programs: tuple[str, ...]


def observe(traces: Iterable[Trace], scene: Scene) -> Observation:
    """Return everything that consecutive runs on one ground read.

    Raises:
        OpaqueError: The reads cannot be determined.
    """
    watcher = _Watcher(scene)
    for trace in traces:
        for event in trace.events:
            watcher.take(event)
    reads = frozenset(watcher.reads)
    return Observation(reads, fold(reads, scene.places), tuple(watcher.programs))


class _Watcher:
    """Follows the events of a trace and the changes that they make to the file system."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._places = scene.places
        self._inside = scene.ground + "/"
        self._work_tree = scene.repository + "/" if scene.repository else "\0"
        # Links that the run made, by their absolute path.
        self._links: dict[str, str] = {}
        self._has_links = scene.lent is not None or any(mode == LINK for mode, _, _ in scene.places.below(""))
        self.reads: set[str] = set()
        self.programs: dict[str, None] = {}

    def take(self, event: Event) -> None:
        """Process one event."""
        kind, path, program, more = event
        if not self._matters(path):
            if kind == RAN:
                self.programs[path] = None
            elif kind in _CHANGES:
                self._change(kind, path, more)
            return
        place = self._follow(path)
        if kind in _CHANGES:
            self._change(kind, path, more)
        inner = self._inner(place)
        if inner is None:
            self._take_outside(kind, place)
        elif inner == ".git" or inner.startswith(".git/"):
            self._take_git(kind, inner.removeprefix(".git").removeprefix("/"), program)
        else:
            self._take_inside(kind, inner)

    def _matters(self, path: str) -> bool:
        """Return whether a path can lead into the code; most of what a program opens cannot."""
        return (
            path.startswith((self._inside, self._work_tree, *_DESCRIPTORS))
            or path == self._scene.ground
            or "/objects/" in path
            or "/.." in path
            or bool(self._links)
        )

    def _inner(self, place: str) -> str | None:
        """Return a place's path in the ground; None if it is outside."""
        if place == self._scene.ground:
            return ""
        return place.removeprefix(self._inside) if place.startswith(self._inside) else None

    def _follow(self, path: str) -> str:
        """Resolve a path through the links of the code and of the run; the links passed are recorded as read."""
        if not self._links and not self._has_links and "/." not in path and "//" not in path and path[-1] != "/":
            return path
        waiting = [part for part in reversed(path.split("/")) if part not in ("", ".")]
        at, followed = "", 0
        while waiting:
            part = waiting.pop()
            if part == "..":
                self._read(at)
                at = at.rpartition("/")[0]
                continue
            if part == ".":
                continue
            place = f"{at}/{part}"
            target = self._link_at(place)
            if target is None:
                at = place
                continue
            followed += 1
            if followed > MOST_LINKS:
                return place
            at = "" if target.startswith("/") else at
            waiting += [part for part in reversed(target.split("/")) if part]
        return at or "/"

    def _link_at(self, place: str) -> str | None:
        """Return the target of a link, or None if no link is known at this place."""
        if place in self._links:
            self._read(place)
            return self._links[place]
        inner = self._inner(place)
        entry = self._places.find(inner) if inner else None
        if entry is not None:
            target = _decode(self._scene.content(entry[1])) if entry[0] == LINK else ""
        else:
            target = self._scene.lent(inner) if inner and self._scene.lent else ""
        if not target:
            return None
        self._read(place)
        return target

    def _read(self, place: str) -> None:
        inner = self._inner(place)
        if inner and inner != ".git" and not inner.startswith(".git/"):
            self.reads.add(AT + inner)

    def _change(self, kind: str, path: str, more: str) -> None:
        """Record a new link, a second name or a move. Links move along; a moved folder counts as read as a whole."""
        # The last component of either path is not followed (symlink(2), rename(2)).
        path, more = path.rstrip("/"), more if kind == LINKED else more.rstrip("/")
        path = _beside(self._follow(path.rpartition("/")[0] or "/"), path)
        if kind == LINKED:
            self._links[path] = more
            return
        target = _beside(self._follow(more.rpartition("/")[0] or "/"), more)
        said = self._link_at(path)
        if said is not None:
            self._links[target] = said
        if kind == NAMED:
            return
        moved = [link for link in self._links if link == path or link.startswith(f"{path}/")]
        for link in moved:
            self._links[target + link.removeprefix(path)] = self._links.pop(link)
        if not moved and said is None:
            self._links.pop(target, None)
        inner = self._inner(path)
        if inner is not None and self._places.is_folder(inner):
            if not inner or any(mode == LINK for mode, _, _ in self._places.below(inner)):
                raise OpaqueError("a folder with links in it was moved")
            self.reads.add(BELOW + inner)

    def _take_inside(self, kind: str, inner: str) -> None:
        if kind == LISTED:
            self.reads.add(LIST + inner)
        elif inner:
            self.reads.add(AT + inner)
        entry = self._places.find(inner) if kind == RAN and inner else None
        if entry is not None:
            self._take_script(entry[1])

    def _take_script(self, oid: str) -> None:
        """Record the interpreter of a script in the code, which the kernel opens without a call that strace sees."""
        first = self._scene.content(oid)[:FIRST_LINE].split(b"\n")[0]
        words = first.removeprefix(b"#!").split()
        if not first.startswith(b"#!") or not words:
            return
        interpreter = _decode(words[0])
        if not interpreter.startswith("/"):
            raise OpaqueError("a script names its interpreter by a path that depends on where it was run")
        self.take((RAN, interpreter, (), ""))

    def _take_outside(self, kind: str, place: str) -> None:
        if kind == RAN and not place.startswith("/proc/"):
            self.programs[place] = None
        if place.startswith(_DESCRIPTORS) and _leads_anywhere(place):
            raise OpaqueError(f"{place} could be any file")
        if kind == OPENED and _is_object(place):
            raise OpaqueError("git objects were read, which contain all files")
        if place.startswith(self._work_tree):
            inner = place.removeprefix(self._work_tree)
            is_file = self._places.find(inner) is not None or self._places.blocker(inner) is not None
            if is_file or (kind == LISTED and self._places.is_folder(inner)):
                raise OpaqueError("the work tree was read instead of the judged code")

    def _take_git(self, kind: str, name: str, program: tuple[str, ...]) -> None:
        """Record what a read of the git directory reveals of the files; this depends on the git command."""
        if kind != OPENED or any(part in _SETTINGS for part in name.split("/")):
            return
        if _is_object(name):
            raise OpaqueError("git objects were read, which contain all files")
        if name.startswith("objects/"):
            return
        if len(program) < 2 or program[1].rpartition("/")[2] != "git":
            raise OpaqueError("the git directory was read")
        folders = _named_by(program[2:], self._inner(self._follow(program[0])))
        if folders is None:
            raise OpaqueError("git was used to read more than names")
        if name == "index":
            self.reads.update(NAMES + folder for folder in folders)


def _named_by(words: Sequence[str], cwd: str | None) -> tuple[str, ...] | None:
    """Return the folders below which a git command only lists names; None if it may do more.

    Args:
        words: The arguments of git.
        cwd: The folder in the ground where git was started; None if it was started elsewhere.
    """
    if UNKNOWN in words or not words:
        return None
    verb, *rest = words
    if verb == "rev-parse" and rest and _PLACE_OPTIONS.issuperset(rest):
        return ()
    if verb == "grep":
        return ("",)  # the trace shows the files or git objects that are searched
    if verb != "ls-files":
        return None
    end = rest.index("--") if "--" in rest else len(rest)
    if not _LISTING_OPTIONS.issuperset(word for word in rest[:end] if word.startswith("-")):
        return None
    named = [word for word in rest[:end] if not word.startswith("-")] + rest[end + 1 :]
    if cwd is None or cwd.startswith(".git"):
        return ("",)
    return tuple(_folder_of(word, cwd) for word in named or ["."])


def _folder_of(word: str, cwd: str) -> str:
    """Return the folder that contains all that a pathspec can match (gitglossary(7), pathspec); empty for the root."""
    wild = min((at for char in "*?[\\" if (at := word.find(char)) >= 0), default=-1)
    fixed = word if wild < 0 else word[:wild].rpartition("/")[0]
    parts = [part for part in f"{cwd}/{fixed}".split("/") if part not in ("", ".")]
    return "" if word.startswith((":", "/")) or ".." in parts else "/".join(parts)


def _beside(folder: str, path: str) -> str:
    return f"{folder.rstrip('/')}/{path.rpartition('/')[2]}"


def _decode(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


def _is_object(place: str) -> bool:
    """Return whether a file holds git objects: a pack, its index, or a loose object."""
    return _OBJECT.search(f"/{place}") is not None


def _leads_anywhere(place: str) -> bool:
    """Return whether a path below /proc leads through a link to a folder of a process (proc(5)).

    A path to a descriptor itself does not: the trace shows how the descriptor was opened.
    """
    parts = place.replace("/dev/fd/", "/proc/self/fd/", 1).split("/")
    return not {"cwd", "root"}.isdisjoint(parts[3:-1]) or "fd" in parts[3:-2]
