"""Find the repository, and read its refs and settings directly, or through the git binary for other formats.

Reading ``.git`` directly takes microseconds; ``git rev-parse`` takes half as long as starting Python. It is only done
if the result is certain: refs are files, and this user owns the repository. In all other cases git is asked, which also
words the errors. Layout: gitrepository-layout(5).

Of a configuration file, only plain lines of one section are read. Everything else that git allows (quotes, escapes,
comments after a value, continued lines, quoted section names, includes) is left to git: git-config(1), SYNTAX.
"""

from __future__ import annotations

import errno
import os
import stat

from gitmem.config import SEPARATOR, git_config_files, git_environment, has_several, known_name, variable
from gitmem.errors import GitmemError, NoRepositoryError, OutsideError, ProcessError
from gitmem.frozen import frozen
from gitmem.system import command_of, command_to_move, is_null_device, list_names, only_regular, read_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path


HEX = frozenset("0123456789abcdef")
# SHA-1 and SHA-256 object names in hex.
OID_LENGTHS = (40, 64)


# The folder given on the command line with ``-C``, as a real path; empty if none was given.
_named = ""


class Unsure(Exception):  # noqa: N818 - a signal inside this room, not an error
    """The file cannot be read directly with certainty: ask the git binary."""


@frozen
class Repository:
    """The location of a repository, as absolute paths.

    They are strings, and ``recall`` uses them as such: importing pathlib takes 2.5 ms, a quarter of starting Python
    (measured). Other code uses the properties.

    Attributes:
        git: This work tree's git directory (its HEAD and index).
        common: The directory that all work trees share (objects, refs, config, gitmem's state).
        top: The top folder, or None in a bare repository.
    """

    git: str
    common: str
    top: str | None

    @property
    def common_dir(self) -> Path:
        """Return the directory that all work trees share."""
        return _path(self.common)

    @property
    def work_tree(self) -> Path | None:
        """Return the top folder, or None in a bare repository."""
        return None if self.top is None else _path(self.top)

    @property
    def state(self) -> str:
        """Return the folder of gitmem's own local state, shared by all work trees; it may not exist yet."""
        return os.path.join(self.common, "gitmem")

    @property
    def state_dir(self) -> Path:
        """Return the folder of gitmem's own local state as a path."""
        return _path(self.state)

    @property
    def states(self) -> tuple[str, ...]:
        """Return the folders of local state: the shared one, and a linked work tree's own."""
        own = os.path.join(self.git, "gitmem")
        return (self.state,) if self.git == self.common else (self.state, own)

    @property
    def name(self) -> str:
        """Return the repository's name for display: that of its folder, without ``.git``."""
        top = os.path.dirname(self.common) if os.path.basename(self.common) == ".git" else self.common
        return os.path.basename(top).removesuffix(".git") or "repository"

    @property
    def is_partial(self) -> bool:
        """Return whether this is a partial clone, for which git fetches objects (git-clone(1), ``--filter``)."""
        return any(name.endswith(".promisor") for name in list_names(os.path.join(self.common, "objects", "pack")))


def _path(text: str) -> Path:
    from pathlib import Path

    return Path(text)


def is_oid(text: str) -> bool:
    """Return whether *text* is a full hex object name."""
    return len(text) in OID_LENGTHS and HEX.issuperset(text)


def name_folder(folder: str) -> None:
    """Remember the folder that was named on the command line."""
    global _named  # noqa: PLW0603 - a process has one command line
    _named = os.path.realpath(folder)


def _is_named(git_dir: str) -> bool:
    """Return whether the user named a git directory (a real path), with ``-C`` or in ``GIT_DIR``."""
    by_environment = variable("GIT_DIR")
    return git_dir == _named or bool(by_environment and os.path.realpath(by_environment) == git_dir)


def ignored_git_dir(paths: Repository | None) -> str:
    """Return the ``-C`` option for the repository that ``GIT_DIR`` names, if that is not this one; else empty.

    The variable is ignored: git sets it for hooks, in which a child would write the user's index.
    """
    by_environment = variable("GIT_DIR")
    real = os.path.realpath(by_environment)
    own = (paths.git, paths.common) if paths is not None else ()
    if not by_environment or _named or real in map(os.path.realpath, own):
        return ""
    import shlex

    return f"-C {shlex.quote(os.path.dirname(real) if os.path.basename(real) == '.git' else real)}"


def discover(start: str | Path) -> Repository:
    """Return the repository that contains the folder *start* (absolute).

    Raises:
        OutsideError: There is none.
        NoRepositoryError: It is broken, or git refuses it (then with git's own message and remedy).
        GitmemError: Its state folder is a symbolic link.
    """
    folder = os.fspath(start)
    try:
        return _refuse_link(_discover_in_files(folder))
    except (Unsure, OSError):
        if not os.path.isdir(folder):
            raise NoRepositoryError(f"{folder}: there is no such folder") from None
        paths = _discover_by_git(folder)
        _refuse_planted(paths, folder)
        return _refuse_link(paths)


def discover_or(start: str, fallback: Callable[[], Repository | None]) -> tuple[Repository, bool]:
    """Return the repository that contains a folder, or the fallback if none does; and whether it is the fallback.

    Raises:
        OutsideError: There is neither.
        NoRepositoryError, GitmemError: As ``discover``.
    """
    try:
        return discover(start), False
    except OutsideError:
        paths = fallback()
        if paths is None:
            raise
        return paths, True


def _refuse_planted(paths: Repository, start: str) -> None:
    """Refuse a bare repository inside another one's work tree unless the user named it (``-C``, ``GIT_DIR``).

    Anyone who can commit a folder can commit one that looks like a bare repository, and so control its configuration
    and its memory. Source: git-config(1), ``safe.bareRepository``.

    Raises:
        NoRepositoryError: It is such a repository.
    """
    git = os.path.realpath(paths.git)
    is_inside = f"{os.path.realpath(start)}{os.sep}".startswith(f"{git}{os.sep}")
    # A folder named .git cannot be committed, and git keeps its own bare ones below it: those of submodules and work
    # trees.
    if not is_inside or ".git" in git.split(os.sep) or _is_named(git):
        return
    folder = os.path.dirname(git)
    while folder != os.path.dirname(folder):
        if os.path.lexists(os.path.join(folder, ".git")):
            raise NoRepositoryError(
                f"{git} is a bare repository inside the work tree {folder}, and may be part of its files",
                hint=f"if you trust it: {command_of('gitmem', '-C', git, 'list')}",
            )
        folder = os.path.dirname(folder)


def _refuse_link(paths: Repository) -> Repository:
    """Return the repository unless its state folder is a link, whose target gitmem must not change.

    Raises:
        GitmemError: It is a link.
    """
    for state in paths.states:
        if os.path.islink(state):
            message = f"{state} is a symbolic link, which gitmem does not follow for its local state"
            raise GitmemError(message, hint=f"remove the link, which keeps its target: {command_of('rm', state)}")
    return paths


def discover_at(folder: str) -> Repository:
    """Return the repository at exactly this folder (absolute): a work tree's top, a git directory, or a bare one.

    A surrounding repository is not accepted: it could otherwise be taken for one that was moved away.

    Raises:
        NoRepositoryError: It is not a repository, or git refuses it (then with git's own message and remedy).
        GitmemError: Its state folder is a symbolic link.
    """
    if not os.path.isdir(folder):
        raise NoRepositoryError(f"{folder}: there is no such folder")
    looks_bare = is_bare(folder)
    if not looks_bare and not os.path.lexists(os.path.join(folder, ".git")):
        raise NoRepositoryError(f"{folder}: there is no repository in this folder")
    if looks_bare and hasattr(os, "geteuid") and os.stat(folder).st_uid == os.geteuid():
        return _refuse_link(Repository(folder, folder, None))
    paths = discover(folder)
    if not os.path.samefile(paths.top or paths.git, folder):
        raise NoRepositoryError(f"{folder}: the repository in this folder is incomplete")
    return paths


def is_bare(folder: str) -> bool:
    """Return whether a folder looks like a bare repository."""
    return os.path.isfile(os.path.join(folder, "HEAD")) and os.path.isdir(os.path.join(folder, "objects"))


def _discover_in_files(start: str) -> Repository:
    device = os.stat(start).st_dev
    folder = start
    while os.stat(folder).st_dev == device:
        dot_git = os.path.join(folder, ".git")
        if os.path.isdir(dot_git):
            return _check_complete(dot_git, folder)
        if os.path.isfile(dot_git):
            return _check_complete(_gitdir_of_file(dot_git), folder)
        if os.path.isfile(os.path.join(folder, "HEAD")) or folder == os.path.dirname(folder):
            break  # a bare repository, a folder inside .git, or the end
        folder = os.path.dirname(folder)
    raise Unsure


def refuse_special(paths: Iterable[str]) -> None:
    """Refuse a pipe or device in the place of one of git's own files: git would wait for it forever.

    Raises:
        NoRepositoryError: One of the paths is neither a file, a folder nor the null device, which git reads as empty.
    """
    for path in paths:
        try:
            mode = os.stat(path).st_mode
        except OSError:
            continue
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or is_null_device(path)):
            raise _special(path)


def refuse_pipes(folder: str) -> None:
    """Refuse a pipe or device in the place of a file of a work tree's folder that git reads for any of its files.

    Raises:
        NoRepositoryError: There is one.
    """
    refuse_special(os.path.join(folder, name) for name in (".gitattributes", ".gitignore", ".gitmodules"))


def _special(path: str) -> NoRepositoryError:
    message = f"{path} is not a file, and git would wait for it forever"
    return NoRepositoryError(message, hint=f"move it away: {command_to_move(path)}")


def _read(path: str) -> str:
    return read_own(path).decode("utf-8", "surrogateescape")


def read_own(path: str, size: int = -1) -> bytes:
    """Return the content of one of git's own files; at most *size* bytes if that is not negative.

    Raises:
        NoRepositoryError: It is a pipe, or a device other than the null device.
        OSError: It cannot be read.
    """
    try:
        with open(path, "rb", opener=only_regular) as file:
            return file.read(size)
    except OSError as err:
        if is_null_device(path):
            return b""
        if err.errno == errno.ENXIO:
            raise _special(path) from err
        raise


def _gitdir_of_file(dot_git: str) -> str:
    text = _read(dot_git)
    if not text.startswith("gitdir: "):
        raise Unsure
    target = text.removeprefix("gitdir: ").rstrip("\n")
    return os.path.normpath(os.path.join(os.path.dirname(dot_git), target))


# What git reads of a git directory before, or while, it does anything.
_READ_FIRST = ("HEAD", "commondir", "config", "config.worktree", "packed-refs", "shallow", "index", "info/exclude")
# And of the folder that work trees share.
_READ_OF_OBJECTS = ("objects/info/alternates", "objects/info/commit-graph")


def _check_complete(git_dir: str, work_tree: str) -> Repository:
    """Return the repository if it is complete and owned by this user; git decides about others (safe.directory)."""
    refuse_special(os.path.join(git_dir, name) for name in _READ_FIRST)
    common_file = os.path.join(git_dir, "commondir")
    common = git_dir
    if os.path.isfile(common_file):
        common = os.path.normpath(os.path.join(git_dir, _read(common_file).rstrip("\n")))
    refuse_special(os.path.join(common, name) for name in _READ_OF_OBJECTS)
    owners = {os.stat(git_dir).st_uid, os.stat(work_tree).st_uid}
    is_whole = os.path.isfile(os.path.join(git_dir, "HEAD")) and os.path.isdir(os.path.join(common, "objects"))
    if not hasattr(os, "geteuid") or owners != {os.geteuid()} or not is_whole:
        raise Unsure
    return Repository(git_dir, common, work_tree)


def _discover_by_git(start: str) -> Repository:
    git_dir = _rev_parse(start, "--absolute-git-dir")
    common = _rev_parse(start, "--path-format=absolute", "--git-common-dir")
    try:
        top: str | None = _rev_parse(start, "--show-toplevel")
    except NoRepositoryError:
        top = None  # a bare repository, or a folder inside .git
    return Repository(git_dir, common, top)


def _rev_parse(start: str, *what: str) -> str:
    from gitmem.system import process

    try:
        result = process.run(["git", "rev-parse", *what], cwd=start, env=git_environment())
    except ProcessError as err:
        first = err.stderr.strip().split("\n", 1)[0].removeprefix("fatal: ") or err.message
        hint = "run it inside a git repository, or create one: git init"
        if "dubious ownership" in err.stderr:
            hint = err.stderr.strip().rsplit("\n", 1)[-1].strip()
        elif option := ignored_git_dir(None):
            hint = f"GIT_DIR is ignored; to use that repository: gitmem {option} list"
        kind = OutsideError if first.startswith("not a git repository (") else NoRepositoryError
        raise kind(f"{start}: {first}", hint=err.hint or hint) from err
    return os.fsdecode(result.stdout).removesuffix("\n")


def read_ref(common_dir: str | Path, name: str) -> str | None:
    """Return the object name of the full ref *name*, or None if there is no such ref.

    Raises:
        Unsure: It cannot be read directly (reftable, a symbolic ref, a broken file): ask the git binary.
    """
    if os.path.isdir(os.path.join(common_dir, "reftable")):
        raise Unsure
    try:
        text = read_own(os.path.join(common_dir, name)).decode("utf-8").rstrip()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return _read_packed_ref(common_dir, name)
    except (OSError, ValueError) as err:
        raise Unsure from err
    if not is_oid(text):
        raise Unsure
    return text


def _read_packed_ref(common_dir: str | Path, name: str) -> str | None:
    try:
        packed = read_own(os.path.join(common_dir, "packed-refs"))
    except FileNotFoundError:
        return None
    except OSError as err:
        raise Unsure from err
    end = packed.find(os.fsencode(f" {name}\n"))
    if end < 0:
        return None
    oid = packed[packed.rfind(b"\n", 0, end) + 1 : end].decode("ascii", "replace")
    if not is_oid(oid):
        raise Unsure
    return oid


def read_head(paths: Repository) -> tuple[str, str | None]:
    """Return HEAD's branch (full ref, empty when detached) and its commit (None when unborn).

    Raises:
        Unsure: It cannot be read directly.
    """
    try:
        text = _read(os.path.join(paths.git, "HEAD")).rstrip("\n")
    except (OSError, ValueError) as err:
        raise Unsure from err
    if is_oid(text):
        return "", text
    name = text.removeprefix("ref: ")
    if name == text or name.endswith(".invalid"):
        raise Unsure  # a reftable repository contains refs/heads/.invalid
    return name, read_ref(paths.common, name)


SECTION = "gitmem"
# A setting's name without the section, its value, and whether it is from the repository's own configuration.
Setting = tuple[str, str, bool]
# The scopes of the user's configuration; all others belong to the repository.
PERSONS = ("system", "global", "command")
# Characters without which the text in a file is the value itself.
_ODD = frozenset('"\\#;\t\r')
# git 2.45 and later support the second, with a better message; the first blocks all transports in every git (git(1)).
NO_FETCH = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1"}
CONFIG_OF_WORKTREE = "config.worktree"
# Without these words nothing is fetched lazily, and without those below no program is named: most files have none.
_LAZY = (b"promisor", b"partialclone", b"[include")
_PROGRAMS = (
    *(b"sshcommand", b"gitproxy", b"askpass", b"alternaterefscommand", b"helper", b"uploadpack", b"vcs"),
    b"[include",
)
_PATTERN = (
    r"^(core\.(sshcommand|askpass|alternaterefscommand|gitproxy)|credential\.(.*\.)?helper|"
    r"remote\..*\.(uploadpack|vcs))$"
)
# Settings with one value (the last), in the usual spelling; git prints their names in lower case.
_SINGLE = {
    "core.sshcommand": "core.sshCommand",
    "core.askpass": "core.askPass",
    "core.alternaterefscommand": "core.alternateRefsCommand",
}


def core_pager() -> str:
    """Return git's pager setting for the current folder, or an empty string."""
    from gitmem.system import process

    result = process.run(["git", "config", "--get", "core.pager"], env=git_environment(), check=False)
    return os.fsdecode(result.stdout).strip()


def mentions(path: str, section: str = SECTION) -> bytes:
    """Return a file's content if it may contain settings of a section or includes; else nothing."""
    content = read_file(path)
    lower = content.lower()
    return content if section.encode() in lower or b"[include" in lower else b""


def read_section(content: bytes, section: str = SECTION, subsection: str = "") -> list[tuple[str, str]]:
    """Return the settings of a section in a file, by default gitmem's, in order: lower-case name and value.

    Raises:
        Unsure: The file uses syntax that only git can read.
    """
    text = os.fsdecode(content)
    if "[include" in text.lower() or text.startswith("\ufeff"):
        raise Unsure
    header = f'[{section} "{subsection}"]' if subsection else f"[{section}]"
    settings, is_ours = [], False
    for raw in text.split("\n"):
        line = raw.strip(" \t\r")
        if line.endswith("\\"):
            raise Unsure  # the next line continues it
        if line.startswith("["):
            is_ours = line == header if subsection else line.lower() == header
            if not is_ours and section in line.lower() and not (subsection and _is_other(line, section)):
                raise Unsure
        elif is_ours and line and line[0] not in "#;":
            settings.append(_setting(line))
    return settings


def _is_other(line: str, section: str) -> bool:
    """Return whether a line is the plain header of another subsection."""
    return line.startswith(f'[{section} "') and line.endswith('"]') and line.count('"') == 2 and "\\" not in line


def _setting(line: str) -> tuple[str, str]:
    name, equals, value = (part.strip(" \t") for part in line.partition("="))
    is_plain = name[:1].isalpha() and name.isascii() and name.replace("-", "").isalnum()
    if not equals or not is_plain or not _ODD.isdisjoint(value):
        raise Unsure
    return name.lower(), value


def read_scopes(printed: str) -> list[Setting]:
    """Return the settings printed by ``git config -z --show-scope --get-regexp``, in its order.

    Source: git-config(1), SCOPES. An included file has the scope of the file that includes it.
    """
    words = printed.split("\0")
    scopes = []
    for scope, setting in zip(words[:-1:2], words[1::2], strict=True):
        name, _, value = setting.partition("\n")
        scopes.append((name.removeprefix(f"{SECTION}."), value, scope not in PERSONS))
    return scopes


def effective_values(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the effective values of settings in git's order: the last one, or all of a setting with several values.

    An empty value resets the ones before it, as in git's own lists.
    """
    values: dict[str, str] = {}
    for typed, value in pairs:
        name = known_name(typed)
        before = values.get(name) if value and has_several(name) else None
        values[name] = f"{before}{SEPARATOR}{value}" if before else value
    return values


def programs_of(paths: Repository) -> dict[str, str]:
    """Return the programs that the repository's own configuration names, by setting without its subsection.

    For a setting with several values, the text is a JSON list of names and values.
    """
    own = (*git_config_files(paths.common)[:2], os.path.join(paths.git, CONFIG_OF_WORKTREE))
    text = b"".join(map(read_file, own)).lower()
    if not any(word in text for word in _LAZY) or not any(word in text for word in _PROGRAMS):
        return {}
    argv = ["git", f"--git-dir={paths.git}", "config", "-z", "--show-scope", "--get-regexp", _PATTERN]
    from gitmem.system import process

    result = process.run(argv, env=git_environment(), check=False)
    named = [(name, value) for name, value, is_own in read_scopes(os.fsdecode(result.stdout)) if is_own and value]
    several = [(name, value) for name, value in named if name not in _SINGLE]
    return {_SINGLE[name]: value for name, value in named if name in _SINGLE} | _list_values(several)


def _list_values(several: list[tuple[str, str]]) -> dict[str, str]:
    import json  # 1 ms, and only if a repository has such settings

    by_name: dict[str, list[tuple[str, str]]] = {}
    for name, value in several:
        by_name.setdefault(f"{name.partition('.')[0]}.{name.rpartition('.')[2]}", []).append((name, value))
    return {name: json.dumps(values) for name, values in by_name.items()}
