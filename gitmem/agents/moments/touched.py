"""Find the files that a tool read or changed, as paths in the work tree."""

from __future__ import annotations

import os

from gitmem.agents import event as happened
from gitmem.agents.capture.source import place_of
from gitmem.agents.moments.programs import GIT_PLACES, MOVES, commands_in, is_git, without_prefix
from gitmem.agents.session import log, topics
from gitmem.errors import ProcessError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.agents.event import Event
    from gitmem.agents.moments.shell_files import TouchedFiles
    from gitmem.repository import OpenRepository

# The most files of one event that are looked at.
FILES_AT_MOST = 10
# How long git may take to name the changed files.
GIT_S = 1.0
WILDCARDS = frozenset("*?[")
_QUOTES_AS_SPACES = str.maketrans(dict.fromkeys("()<>\"'`=", " "))
# What precedes the parenthesis of a subshell.
_BEFORE_SUBSHELL = (";", "&", "|", "\n", " do", " then", "!")
# Arguments of git with which all files are meant or may be, and signs of paths that are not known from their text.
_ALL = frozenset("-A --all -u --update -p --patch -i --interactive --pathspec-from-file -e --edit".split())
_TOP = frozenset((".", "./", "..", ":/", "*"))
_UNCLEAR = frozenset("$*?[`:{\x02")
_SHORT_VALUED = frozenset("mFCct")
_VALUED = frozenset("--message --file --author --date --template --fixup --squash --cleanup --trailer".split())


def touched_by(repository: OpenRepository, event: Event) -> tuple[list[str], list[str]]:
    """Return the files that a tool read and those that it changed, as paths in the work tree.

    Called before the event is recorded: what a script changed is what is newer than the event before.
    """
    if event.tool == happened.EDIT:
        return [], _places(repository, event, (edit.path for edit in event.edits[:FILES_AT_MOST]))
    if event.tool == happened.READ:
        return _read_places(repository, event), []
    if event.tool != happened.SHELL:
        return [], []
    from gitmem.agents.moments.shell_files import touched_files

    touched = touched_files(event.command)
    if not touched:
        return [], []
    edits = _places(repository, event, touched.edits)
    if touched.is_open or touched.named:
        edits += [place for place in _changed_since_last_event(repository, event, touched) if place not in edits]
    reads = [place for place in _places(repository, event, touched.reads) if place not in edits]
    return reads, edits


def named_in(repository: OpenRepository, event: Event) -> list[str]:
    """Return the files and folders of the work tree that a command names by a path: `go test ./billing`."""
    return _named_by(repository, event) if event.tool == happened.SHELL else []


def _named_by(repository: OpenRepository, event: Event) -> list[str]:
    paths, folder = [], ""
    for command in commands_in(event.command):
        words = command.translate(_QUOTES_AS_SPACES).split()
        if words[:1] == ["cd"] and len(words) > 1:
            folder = os.path.join(folder, words[1])
            continue
        named = (word.partition("::")[0].removesuffix("/...") for word in words if not word.startswith("-"))
        paths += [os.path.join(folder, word) for word in named if "/" in word]
    top = repository.git.repository.top or ""
    places = _placed(repository, event, paths[:FILES_AT_MOST])
    return [place for place in places if os.path.lexists(os.path.join(top, place))]


def committed_by(repository: OpenRepository, event: Event) -> list[str]:
    """Return the files that a command may commit; empty if they are unknown.

    They are those that are staged, and those that its `git add` and `git commit` name, or else all that were changed.
    """
    named = _committed_paths(repository, event)
    if named is None:
        return []
    paths, has_all = named
    top = repository.git.repository.top or ""
    argv = ("status", "--porcelain", "-z", "-uall", "--no-renames", "--ignore-submodules=all")
    try:
        raw = repository.git.run(f"--work-tree={top}", "-C", top, *argv, timeout_s=GIT_S, check=False).stdout
    except ProcessError:  # it took too long
        return []
    entries = [entry for entry in raw.split(b"\0") if len(entry) > 3]
    changed = [os.fsdecode(entry[3:]) for entry in entries]
    if has_all:
        from gitmem.agents.moments.shell_files import touched_files  # few commands commit all files

        edits = _places(repository, event, touched_files(event.command).edits) if "sed" in event.command else []
        return list(dict.fromkeys((*changed, *edits)))
    staged = [os.fsdecode(entry[3:]) for entry in entries if entry[:1] not in b" ?"]
    if not paths:
        return staged or changed
    places = _placed(repository, event, paths)
    if not all(place in changed or os.path.exists(os.path.join(top, place)) for place in places):
        return []
    below = [path for path in changed if any(path.startswith(f"{place.rstrip('/')}/") for place in places)]
    files = [place for place in places if place in changed or os.path.isfile(os.path.join(top, place))]
    return [*staged, *files, *below]


def _committed_paths(repository: OpenRepository, event: Event) -> tuple[list[str], bool] | None:
    """Return the paths that a command commits, and whether it may commit all files; None if this is unknown."""
    paths: list[str] = []
    folder, has_all = "", False
    for command in commands_in(event.command):
        words = [word.strip("'\"") for word in command.split()]
        if any(word.startswith(GIT_PLACES) for word in words):
            return None
        words = without_prefix(words)
        if not MOVES.isdisjoint(words[:1]):
            folder = os.path.join(folder, *words[1:2])
            is_clear = len(words) == 2 and words[1][:1] not in ("~", "-") and _UNCLEAR.isdisjoint(words[1])
            is_inside = place_of(repository, event, os.path.join(folder, "_")) != ""
            if words[0] != "cd" or not is_clear or not is_inside or _has_subshell(event.command):
                return None
        elif not is_git("".join(words[:1])):
            if any(map(is_git, words)):  # of a program that runs git
                return None
        elif "--amend" in words or "".join(words[1:2]).startswith("-"):  # also of the commit before, or elsewhere
            return None
        elif len(words) > 1 and words[1] in ("add", "stage", "rm", "mv", "commit"):
            named = _pathspecs(words[2:], has_message=words[1] == "commit")
            has_all = has_all or named is None
            paths += [os.path.join(folder, path) for path in named or ()]
    return paths, has_all


def _has_subshell(line: str) -> bool:
    """Return whether a command line may change the folder of a subshell only: `(cd books && make)`."""
    before, *inside = f"\n{line}".split("(")
    starts = (part.rstrip(" \t").endswith(_BEFORE_SUBSHELL) for part in (before, *inside[:-1]))
    return bool(inside) and (any(starts) or any(part.lstrip().startswith("cd ") for part in inside))


def _pathspecs(arguments: list[str], *, has_message: bool) -> list[str] | None:
    """Return the paths among the arguments of a command of git; None if it takes all files, or they are unclear.

    Args:
        arguments: The arguments, without quotation marks.
        has_message: Whether the command is a commit, whose options have values.
    """
    paths: list[str] = []
    is_value = False
    for word in arguments:
        is_short = word.startswith("-") and not word.startswith("--")
        if is_value or ">" in word or "<" in word:
            is_value = False
        elif word in _ALL or (is_short and has_message and "a" in word.partition("m")[0]):
            return None
        elif word.startswith("-"):
            is_value = has_message and (word in _VALUED or (is_short and _awaits_value(word)))
        elif word in _TOP or not _UNCLEAR.isdisjoint(word):
            return None
        else:
            paths.append(word)
    return paths


def _awaits_value(word: str) -> bool:
    """Return whether the value of short options is the next word: `-am`, but not `-m"Fix"`."""
    at = next((at for at, letter in enumerate(word) if letter in _SHORT_VALUED), -1)
    return at == len(word) - 1


def _places(repository: OpenRepository, event: Event, paths: Iterable[str]) -> list[str]:
    """Return paths in the work tree, without folders and what is outside."""
    return [place for place in _placed(repository, event, paths) if not place.endswith("/")]


def _placed(repository: OpenRepository, event: Event, paths: Iterable[str]) -> list[str]:
    """Return paths in the work tree, those of folders with a slash at the end; without what is outside."""
    top = repository.git.repository.top or ""
    places = dict.fromkeys(place for path in paths if path and (place := place_of(repository, event, path)))
    return [f"{place}/" if os.path.isdir(os.path.join(top, place)) else place for place in places]


def _read_places(repository: OpenRepository, event: Event) -> list[str]:
    """Return the files that a tool read, and the folder that it searched; a glob of many files names none."""
    places: list[str] = []
    for place in _placed(repository, event, (event.path, *event.paths)):
        places += _matched(repository, place) if not WILDCARDS.isdisjoint(place) else [place]
    return list(dict.fromkeys(places))


def _matched(repository: OpenRepository, glob: str) -> list[str]:
    """Return the tracked files that a glob matches, the path itself if there is such a file; none if they are many."""
    top = repository.git.repository.top or ""
    if os.path.lexists(os.path.join(top, glob)):
        return [glob]
    argv = (f"--work-tree={top}", "-C", top, "ls-files", "-z", "--", f":(top,glob){glob}")
    raw = repository.git.run(*argv, timeout_s=GIT_S, check=False).stdout
    paths = [os.fsdecode(entry) for entry in raw.split(b"\0") if entry]
    return paths if len(paths) <= FILES_AT_MOST else []


def _changed_since_last_event(repository: OpenRepository, event: Event, touched: TouchedFiles) -> list[str]:
    """Return the files that were changed since the last event of the session: those that a script names come first."""
    top = repository.git.repository.top or ""
    since = log.last_event_time(topics.workplace_of(repository), event.session)
    if not since:
        return []
    changed = [place for place in _places(repository, event, touched.named) if _time_of(top, place) >= since]
    if not touched.is_open:
        return changed
    argv = ("status", "--porcelain", "-z", "-uno", "--no-renames", "--ignore-submodules=all")
    raw = repository.git.run(f"--work-tree={top}", "-C", top, *argv, timeout_s=GIT_S, check=False).stdout
    listed = [os.fsdecode(entry[3:]) for entry in raw.split(b"\0") if len(entry) > 3]
    return [*changed, *(place for place in listed if place not in changed and _time_of(top, place) >= since)]


def _time_of(top: str, place: str) -> float:
    try:
        return os.stat(os.path.join(top, place)).st_mtime
    except OSError:
        return 0.0
