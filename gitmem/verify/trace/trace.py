"""Parse the output of strace: the paths that a run looked up, opened, listed, linked, moved and ran. Pure.

A trace that is truncated, or that shows a call which can open files unseen by strace, is opaque: the caller must then
treat every file as an input. Paths are absolute, as the processes named them; links in them are not resolved here.

Sources: strace(1) 6.1; the calls of its class ``%file`` (linux/syscallent.h); clone(2), path_resolution(7).
"""

from __future__ import annotations

import os
import re
from functools import lru_cache

from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Kinds of events. A file that is opened may be read; a lookup may still reveal its size and mode. A file that gets a
# second name (link(2)) may be a symbolic link, and then both names lead to the same place.
LOOKED, OPENED, LISTED, RAN, LINKED, MOVED, NAMED = "looked", "opened", "listed", "ran", "linked", "moved", "named"

# Kind; path; the program that did it, where relevant (its working folder, path and arguments); and the target of a
# ``linked`` link, the new path of ``moved``, the second name of ``named``.
Event = tuple[str, str, tuple[str, ...], str]

# Replaces arguments that strace did not show whole: a real argument has no NUL in it (execve(2)).
UNKNOWN = "\0"

# How each call names its paths: P a path, D a folder's descriptor and a path, F a descriptor, T a link's target.
_FORMS = {
    "P": "open creat stat lstat stat64 lstat64 oldstat oldlstat access readlink mkdir rmdir unlink chmod chown lchown"
    " chown32 lchown32 truncate truncate64 utime utimes statfs statfs64 mknod getxattr lgetxattr listxattr llistxattr"
    " setxattr lsetxattr removexattr lremovexattr chdir execve acct",
    "D": "openat openat2 newfstatat fstatat64 statx faccessat faccessat2 readlinkat mkdirat unlinkat fchmodat fchmodat2"
    " fchownat utimensat utimensat_time64 futimesat mknodat execveat name_to_handle_at inotify_add_watch",
    "PP": "rename link",
    "DD": "renameat renameat2 linkat",
    "TP": "symlink",
    "TD": "symlinkat",
    "F": "getdents getdents64 fchdir",
    "S": "bind connect",
    "": "getcwd exit exit_group clone clone3 fork vfork",
}
_FORM = {name: form for form, names in _FORMS.items() for name in names.split()}
_OPENS = frozenset(["open", "openat", "openat2", "creat", "truncate", "truncate64"])
_BIRTHS = frozenset(["clone", "clone3", "fork", "vfork"])
# Calls that create their last path; their success depends on the parent folder.
_MAKES = frozenset(["mkdir", "mkdirat", "mknod", "mknodat", "creat", "bind"])

# The calls to trace besides the class of calls that name a file; `?` marks calls that some machines do not have.
CALLS = (
    "%file,?getdents,getdents64,chdir,fchdir,?clone,?clone3,?fork,?vfork,exit,exit_group,ptrace,?io_uring_setup,"
    "open_by_handle_at,bind,connect"
)

_QUOTED = r'"((?:[^"\\]|\\.)*)"(\.\.\.)?'
_DESCRIPTOR = r"(AT_FDCWD|-?\d+)(?:<((?:[^>\\]|\\.)*)>(\(deleted\))?)?"
_LINE = re.compile(r"(\d+) +(.*)")
_CALL = re.compile(
    r"(\w+)\((.*)\)\s+= (?:(-?\d+|0x[0-9a-f]+)(?:<((?:[^>\\]|\\.)*)>(?:\(deleted\))?)?(?: .*)?|\?.*)", re.DOTALL
)
_BIRTH = re.compile(r"(?m)^(\d+) +(?:<\.\.\. )?(?:clone3?|v?fork)(?:\(| resumed>).* = (\d+)$")
_STRING = re.compile(_QUOTED)
_WORDS = re.compile(r'\[(?:"(?:[^"\\]|\\.)*"(?:\.\.\.)?(?:, )?|\.\.\.)*\]')
# The path of a socket in the file system (unix(7)).
_SOCKET = re.compile(r"sun_path=" + _QUOTED)
# The address of another machine, or of a local DNS resolver, which may lead to one.
_ADDRESS = re.compile(r'sin6?_port=htons\((\d+)\).*?(?:inet_addr\(|inet_pton\(AF_INET6, )"([^"]*)"')
_LOCAL = re.compile(r"127\..*|0\.0\.0\.0|::1?|::ffff:127\..*")
_DOMAIN = "53"
_PATH = re.compile(r"(?:" + _QUOTED + r"|(NULL))")
_AT = re.compile(_DESCRIPTOR + r", ")
_FD = re.compile(_DESCRIPTOR)
# The error of a call that failed; those of a denial, and of an address where no program answers (connect(2), unix(7)).
_ERROR = re.compile(r"= -1 (E[A-Z]+) ")
_DENIED = frozenset(["EACCES", "EPERM"])
_REFUSED = frozenset(["ECONNREFUSED", "ENOENT", "ENETUNREACH"])
_ESCAPE = re.compile(rb'\\([0-7]{1,3}|x[0-9a-f]{2}|[abtnvfr"\\])')
_LETTERS = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}
# Paths whose meaning depends on the git command that uses them.
_PATHS_OF_GIT = (".git", "/objects/")
UNFINISHED = " <unfinished ...>"
# Calls and their paths that are remembered, each a line of a trace.
KNOWN_CALLS = 4096


class OpaqueError(ValueError):
    """A trace does not show everything that was read; the message gives the reason."""


@frozen
class Trace:
    """All that a run did with paths.

    Attributes:
        events: The events in order; repetitions are left out unless a link changed in between.
        is_online: Whether the run tried to connect to another machine.
        denied: The paths and addresses (``host:port``) that it was denied, in order.
        refused: The addresses on this machine where no program answered: ``host:port``, or the path of a socket.
    """

    events: tuple[Event, ...]
    is_online: bool = False
    denied: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


class _Place:
    """The working folder of a process; threads share one (CLONE_FS)."""

    def __init__(self, cwd: str) -> None:
        self.cwd = cwd


class _Process:
    """One process or thread."""

    def __init__(self, place: _Place, program: tuple[str, ...], group: object, *, is_announced: bool) -> None:
        self.place = place
        self.program = program
        self.group = group
        self.is_announced = is_announced
        self.pending = ""


def parse_trace(text: bytes, cwd: str) -> Trace:
    """Parse a trace into events.

    Args:
        text: The output of strace, with process numbers, descriptors' paths and exits (``-f -q -y``).
        cwd: The working folder of the first process, absolute.

    Raises:
        OpaqueError: The trace does not show everything.
    """
    return _Parser(text.decode("latin-1"), cwd).read()


class _Parser:
    """Parses one trace."""

    def __init__(self, text: str, cwd: str) -> None:
        self._text = text
        self._cwd = cwd
        self._events: list[Event] = []
        self._known: set[Event] = set()
        self._processes: dict[str, _Process] = {}
        self._dead: set[str] = set()
        self._parents: dict[str, list[str]] = {}
        self._is_complete = False
        self._has_run = False
        self._is_online = False
        self._denied: dict[str, None] = {}
        self._refused: dict[str, None] = {}

    def read(self) -> Trace:
        """Return the parsed trace.

        Raises:
            OpaqueError: The trace does not show everything.
        """
        for parent, child in _BIRTH.findall(self._text):
            self._parents.setdefault(child, []).append(parent)
        # The tracer is killed with the processes that the check left running: perhaps in the middle of a line.
        for line in self._text.split("\n")[:-1]:
            self._take_line(line)
        if not self._is_complete or not self._has_run:
            raise OpaqueError("the trace does not show how the check ended")
        for process in list(self._processes.values()):
            if process.pending:
                self._take_call(process, f"{process.pending}) = ?")
        return Trace(tuple(self._events), self._is_online, tuple(self._denied), tuple(self._refused))

    def _take_line(self, line: str) -> None:
        match = _LINE.fullmatch(line)
        if match is None:
            raise OpaqueError("the trace cannot be read")
        pid, call = match.groups()
        process = self._processes.get(pid) or self._add(pid)
        if call.startswith("<... "):
            _, _, rest = call.partition(" resumed>")
            call, process.pending = process.pending + rest, ""
        if call.endswith(UNFINISHED):
            process.pending = call.removesuffix(UNFINISHED)
            self._note_end(process, call)
        elif call.startswith("+++ "):
            self._end(pid, call)
        elif not call.startswith("--- "):
            self._take_call(process, call)

    def _add(self, pid: str) -> _Process:
        """Register a process that appears in the trace before the call that created it has returned to its parent."""
        if not self._processes:
            first = _Process(_Place(self._cwd), (), object(), is_announced=True)
            self._root = first.group
            self._processes[pid] = first
            return first
        parents = self._parents.get(pid)
        parent = self._processes.get(parents.pop(0)) if parents else None
        if parent is None:
            raise OpaqueError("a process appeared without a known parent")
        return self._bear(pid, parent, parent.pending, is_announced=False)

    def _bear(self, pid: str, parent: _Process, call: str, *, is_announced: bool) -> _Process:
        place = parent.place if "CLONE_FS" in call else _Place(parent.place.cwd)
        group = parent.group if "CLONE_THREAD" in call else object()
        child = self._processes[pid] = _Process(place, parent.program, group, is_announced=is_announced)
        return child

    def _end(self, pid: str, line: str) -> None:
        process = self._processes[pid]
        _, separator, other = line.partition("superseded by execve in pid ")
        if separator:
            heir = self._processes.pop(other.split(" ")[0], None)
            if heir is None:
                raise OpaqueError("a process appeared without a known parent")
            heir.group = process.group
            self._processes[pid] = heir
            return
        if process.pending:  # it was killed in the middle of a call
            self._take_call(process, f"{process.pending}) = ?")
        del self._processes[pid]
        if not process.is_announced:
            self._dead.add(pid)

    def _take_call(self, process: _Process, line: str) -> None:
        name, args, value, leads_to = _parse_call(line)
        self._note_end(process, line)
        form = _FORM.get(name)
        if form is None:
            if value is None or not value.startswith("-"):
                raise OpaqueError(f"{name} can open files unseen")
            if name in ("ptrace", "io_uring_setup"):
                raise OpaqueError(f"{name} was called: the check may behave differently when it is not traced")
            return
        is_done = value is not None and not value.startswith("-")
        if name in _BIRTHS:
            if "CLONE_UNTRACED" in args:
                raise OpaqueError("a process was started that is not traced")
            if is_done and value is not None and value != "0":
                self._announce(value, process, args)
            return
        if name == "connect" and (is_done or "EINPROGRESS" in line):
            address = _ADDRESS.search(args)
            self._is_online |= address is not None and not (address[1] != _DOMAIN and _LOCAL.fullmatch(address[2]))
        paths = _list_paths(form, args, process.place.cwd)
        if not is_done:
            self._note_error(name, args, paths, line)
        if name == "execveat" and is_done and not paths:
            raise OpaqueError("a program was started by its descriptor")
        if "AT_FDCWD<" in args and name not in ("chdir", "fchdir"):
            self._note_cwd(process, args)
        if paths:
            self._note(process, name, args, paths, leads_to=leads_to, is_done=is_done)

    def _note_end(self, process: _Process, line: str) -> None:
        if line.startswith(("exit_group(", "exit(")) and process.group is self._root:
            self._is_complete = True

    def _announce(self, pid: str, parent: _Process, args: str) -> None:
        if pid in self._dead:
            self._dead.discard(pid)
        elif (known := self._processes.get(pid)) is not None and not known.is_announced:
            known.is_announced = True
        else:
            if self._parents.get(pid):
                self._parents[pid].pop(0)
            self._bear(pid, parent, args, is_announced=True)

    def _note_error(self, name: str, args: str, paths: Sequence[str], line: str) -> None:
        """Record a call that was denied, or that found no program at an address."""
        error = _ERROR.search(line)
        address = _ADDRESS.search(args) if error and name in ("connect", "bind") else None
        where = f"{address[2]}:{address[1]}" if address else paths[0] if paths else ""
        if error is None or not where:
            return
        if error[1] in _DENIED:
            self._denied[where] = None
        elif name == "connect" and error[1] in _REFUSED and (address is None or _LOCAL.fullmatch(address[2])):
            self._refused[where] = None

    @staticmethod
    def _note_cwd(process: _Process, args: str) -> None:
        match = _FD.match(args)
        if match and match[1] == "AT_FDCWD" and match[2] and match[2].startswith("/") and not match[3]:
            process.place.cwd = _unescape(match[2])

    def _note(
        self, process: _Process, name: str, args: str, paths: Sequence[str], *, leads_to: str | None, is_done: bool
    ) -> None:
        path = paths[0]
        if name in ("chdir", "fchdir"):
            if is_done:
                process.place.cwd = path
            self._add_event(LOOKED, path, process)
        elif name in ("execve", "execveat"):
            self._add_event(LOOKED, path, process)
            if is_done:
                self._has_run = True
                process.program = (process.place.cwd, path, *_arguments(args))
                self._add_event(RAN, path, process)
        elif name.startswith("getdents"):
            self._add_event(LISTED, path, process)
        elif name.startswith(("symlink", "rename", "link")):
            self._note_name(process, name, args, paths, is_done=is_done)
        elif name == "rmdir" or (name == "unlinkat" and "AT_REMOVEDIR" in args):
            self._add_event(LISTED, path, process)  # removal fails unless the folder is empty, so its content matters
        else:
            kind = OPENED if name in _OPENS and "O_DIRECTORY" not in args else LOOKED
            for each in paths:
                self._add_event(kind, each, process)
            if leads_to and leads_to.startswith("/") and name in _OPENS:
                self._add_event(kind, _unescape(leads_to), process)
            if name in _MAKES or "O_CREAT" in args:
                self._add_parent(path, process)

    def _note_name(self, process: _Process, name: str, args: str, paths: Sequence[str], *, is_done: bool) -> None:
        """Record a call that names a file: symbolic link, hard link or rename."""
        path, target = paths[0], paths[-1]
        if name.startswith("symlink"):
            text = _STRING.match(args)
            self._change(LINKED, path, process, _unescape(text[1]) if text and is_done else "")
        elif name.startswith("link"):
            self._change(NAMED, path, process, target if is_done and "AT_SYMLINK_FOLLOW" not in args else "")
            self._add_event(LOOKED, target, process)
        else:
            self._move(process, args, path, target, is_done=is_done)
        self._add_parent(target, process)

    def _move(self, process: _Process, args: str, path: str, target: str, *, is_done: bool) -> None:
        """Record a rename; onto a folder, the result depends on that folder's content (rename(2), ENOTEMPTY)."""
        if is_done and "RENAME_EXCHANGE" in args:
            raise OpaqueError("two files were exchanged")
        self._add_event(LOOKED, target, process)
        self._add_event(LISTED, target, process)
        self._change(MOVED, path, process, target if is_done else "")
        for one in self._processes.values() if is_done else ():
            if f"{one.place.cwd}/".startswith(f"{path}/"):
                one.place.cwd = target + one.place.cwd.removeprefix(path)

    def _add_parent(self, path: str, process: _Process) -> None:
        self._add_event(LOOKED, path.rstrip("/").rpartition("/")[0] or "/", process)

    def _change(self, kind: str, path: str, process: _Process, more: str) -> None:
        """Record an event after which the same path may lead elsewhere."""
        if not more:
            self._add_event(LOOKED, path, process)
            return
        self._events.append((kind, path, process.program, more))
        self._known.clear()

    def _add_event(self, kind: str, path: str, process: _Process) -> None:
        program = process.program if kind == RAN or any(part in path for part in _PATHS_OF_GIT) else ()
        event = (kind, path, program, "")
        if event not in self._known:
            self._known.add(event)
            self._events.append(event)


# All checks run the same loader, shell and tools, so most calls of a trace are known from the one before.
@lru_cache(maxsize=KNOWN_CALLS)
def _parse_call(line: str) -> tuple[str, str, str | None, str | None]:
    """Return the name of a call, its arguments, its value and the path of a returned descriptor."""
    match = _CALL.fullmatch(line)
    if match is None:
        raise OpaqueError(f"not a call: {line[:80]}")
    return match[1], match[2], match[3], match[4]


@lru_cache(maxsize=KNOWN_CALLS)
def _list_paths(form: str, args: str, cwd: str) -> tuple[str, ...]:
    return tuple(_iter_paths(form, args, cwd))


def _iter_paths(form: str, args: str, cwd: str) -> Iterator[str]:
    """Yield the absolute paths in a call's arguments; an empty path names only a descriptor and is skipped."""
    if form == "S":
        socket = _SOCKET.search(args)
        if socket is not None and socket[1]:
            yield _join(cwd, _unescape(socket[1]))
        return
    if form == "F":
        match = _FD.match(args)
        if match is None or match[2] is None:
            raise OpaqueError("a descriptor without its path")
        if match[2].startswith("/") and not match[3]:
            yield _unescape(match[2])
        return
    yield from _iter_names(form, args, cwd)


def _iter_names(form: str, args: str, cwd: str) -> Iterator[str]:
    at = 0
    for letter in form:
        base = cwd
        if letter == "D":
            folder = _AT.match(args, at)
            if folder is None:
                raise OpaqueError("a descriptor without its path")
            at = folder.end()
            base = _base(folder, cwd)
        path = _PATH.match(args, at)
        if path is None:
            if args.startswith("0x", at):  # an invalid address: the call fails (EFAULT)
                return
            raise OpaqueError("a call without its path")
        comma = args.find(", ", path.end())
        at = comma + 2 if comma >= 0 else len(args)
        if letter == "T" or path[3]:
            continue
        if path[2]:
            raise OpaqueError("a truncated path")
        if path[1]:
            yield _join(base, _unescape(path[1]))


def _base(folder: re.Match[str], cwd: str) -> str:
    if folder[1] == "AT_FDCWD":
        return _unescape(folder[2]) if folder[2] and folder[2].startswith("/") and not folder[3] else cwd
    # The descriptor of a watch, or a closed one: the path after it is absolute, or the call failed.
    return _unescape(folder[2]) if folder[2] and folder[2].startswith("/") else cwd


def _join(base: str, path: str) -> str:
    return path if path.startswith("/") else f"{base}/{path}"


def _arguments(args: str) -> tuple[str, ...]:
    """Return a program's arguments, with ``UNKNOWN`` if their meaning is not fully known."""
    start = args.find(", [")
    words = _WORDS.match(args, start + 2) if start >= 0 else None
    if words is None:
        return (UNKNOWN,)
    arguments = _STRING.findall(words[0])
    is_cut = any(cut for _, cut in arguments) or words[0].endswith("...]")
    # Environment variables change what git's arguments mean (git(1), environment variables).
    is_redirected = any(name.startswith("GIT_") for name, _ in _STRING.findall(args, words.end()))
    return tuple(_unescape(word) for word, _ in arguments[1:]) + ((UNKNOWN,) if is_cut or is_redirected else ())


def _unescape(text: str) -> str:
    """Decode a name from strace's C notation; bytes that are not UTF-8 become surrogates."""
    raw = text.encode("latin-1")
    if b"\\" in raw:
        raw = _ESCAPE.sub(_letter, raw)
    return os.fsdecode(raw)


def _letter(match: re.Match[bytes]) -> bytes:
    escape = match[1]
    if escape[:1] == b"x":
        return bytes([int(escape[1:], 16)])
    return bytes([int(escape, 8) & 0xFF]) if escape.isdigit() else _LETTERS.get(escape, escape)
