"""The trail of a session: the files that its tools read and changed, and what failed, one line each; and its turns.

What an agent learns is mostly about what it has just touched, but its sentence seldom says so.
"""

from __future__ import annotations

from gitmem.agents import event as happened
from gitmem.agents.capture.state import session_file
from gitmem.errors import suppress
from gitmem.frozen import frozen
from gitmem.system import append_file, only_regular
from gitmem.text import display
from gitmem.text.secrets import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitmem.agents.event import Event
    from gitmem.repository import OpenRepository

SUFFIX = ".trail"
# The most bytes read of a trail, its end: about 2,000 files.
SIZE_LIMIT = 128 * 1024
READ, CHANGED, FAILED, TURN, SAID = "r", "c", "f", "t", "s"
# The most files that a learning is about, where its words name none: with more, none is more likely than the others.
PLACES_AT_MOST = 3
NAMED_AT_MOST = 5
# A shorter name of a file is a word as often: "app", "main".
NAME_LETTERS = 5
LINE_CHARS = 300
# What surrounds a name in a sentence.
_AROUND = ".,;:!?()[]{}\"'`*"
# Words in common that make a failure the cause of a learning, where one answer has several.
SHARED_LETTERS = 4


@frozen
class FailedCommand:
    """The last command of a turn that failed: the command, and the last line of its output."""

    command: str
    error: str


@frozen
class Trail:
    """What a session touched so far.

    Attributes:
        touched: All files that it read or changed, latest last.
        read: The files that were only read since the last learning, or if none was touched since, in the current turn.
        changed: The files that were changed since.
        failure: The last failure since the last learning, or if nothing happened since, in the current turn.
    """

    touched: tuple[str, ...]
    read: tuple[str, ...]
    changed: tuple[str, ...]
    failure: FailedCommand | None


def leave(
    repository: OpenRepository,
    event: Event,
    reads: Sequence[str] = (),
    edits: Sequence[str] = (),
    *,
    has_failed: bool = False,
) -> None:
    """Add what a tool touched to the trail, or begin a turn with a prompt; never fails.

    Args:
        repository: The store.
        event: The tool's use, or the prompt.
        reads: The files that it read, by their paths in the work tree.
        edits: The files that it changed.
        has_failed: Whether it failed.
    """
    path = _path(repository, event.session)
    lines = _lines_of(event, reads, edits, has_failed=has_failed) if path else []
    if lines:
        with suppress(OSError):
            append_file(path, "".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))


def trail_of(repository: OpenRepository, session: str) -> Trail:
    """Return the trail of a session; an empty one if it left none."""
    return trail_of_lines(_read(_path(repository, session)))


def trail_of_lines(lines: Iterable[str]) -> Trail:
    """Return what the lines of a trail say."""
    touched: dict[str, None] = {}
    # What happened in the turn, and since the last learning in it.
    turn, since = _Part(), _Part()
    for line in lines:
        what, _, rest = line.partition("\t")
        if what == TURN:
            turn, since = _Part(), _Part()
        elif what == SAID:
            since = _Part()
        elif what == FAILED:
            turn.failure = since.failure = FailedCommand(*rest.split("\t", 1)) if "\t" in rest else None
        elif what in (READ, CHANGED) and rest:
            touched.pop(rest, None)
            touched[rest] = None
            for part in (turn, since):
                part.places[rest] = part.places.get(rest, False) or what == CHANGED
    near = since if since.places else turn
    changed = tuple(place for place, is_changed in near.places.items() if is_changed)
    only_read = tuple(place for place, is_changed in near.places.items() if not is_changed)
    return Trail(tuple(touched), only_read, changed, (since if since.places or since.failure else turn).failure)


class _Part:
    """A part of a session: its files, each with whether it was changed, and its last failure."""

    def __init__(self) -> None:
        self.places: dict[str, bool] = {}
        self.failure: FailedCommand | None = None


def places_for(text: str, trail: Trail, files: Iterable[str] = ()) -> list[str]:
    """Return the files that a learning is about: those it names, else those that its turn changed, else those it read.

    Args:
        text: The learning.
        trail: The session's.
        files: Further files of the work tree that its words name.
    """
    words = {word.strip(_AROUND) for word in text.replace("(", " ").split()}
    named = [place for place in trail.touched if _names(words, place)]
    named = list(dict.fromkeys([*reversed(named), *files]))
    if named:
        return sorted(named[:NAMED_AT_MOST])
    places = trail.changed or trail.read
    return sorted(places) if len(places) <= PLACES_AT_MOST else []


def failure_for(text: str, trail: Trail, *, is_only_one: bool) -> FailedCommand | None:
    """Return the failure that a learning follows: that of its turn, if it is about it."""
    failure = trail.failure
    if failure is None or is_only_one:
        return failure
    words, seen = _long_words(text), _long_words(f"{failure.command} {failure.error}")
    return failure if words & seen else None


def files_named(repository: OpenRepository, text: str) -> list[str]:
    """Return the tracked files that a text names: by path, or alone by a name as code spells it ("SeatGrid")."""
    words = list(dict.fromkeys(word.strip(_AROUND) for word in text.replace("(", " ").split()))
    paths = [word for word in words if "/" in word and _is_plain(word) and not word.startswith(("/", "~", "-", "."))]
    names = [word for word in words if _is_identifier(word)][:NAMED_AT_MOST]
    if not paths and not names:
        return []
    globs = [glob for name in names for glob in ((f":(glob)**/{name}",) if "." in name else (f":(glob)**/{name}.*",))]
    command = ("-C", repository.git.repository.top or ".", "ls-files", "-z", "--full-name", "--")
    output = repository.git.run(*command, *(f":(literal){path}" for path in paths), *globs, check=False).stdout
    files = [name for name in output.decode("utf-8", "replace").split("\0") if name.isprintable() and name]
    stems = [place.rpartition("/")[2].partition(".")[0] for place in files]
    # Of several files with one name, none is meant more than the others.
    return [place for place, stem in zip(files, stems, strict=True) if place in paths or stems.count(stem) == 1][
        :NAMED_AT_MOST
    ]


def _is_plain(word: str) -> bool:
    return word.isprintable() and "://" not in word and not set(word) & set("*?[]{}\\:!$<>|")


def _is_identifier(word: str) -> bool:
    """Return whether a word is spelled as in code: with a capital inside, an underscore, or an ending."""
    if not _is_plain(word) or "/" in word or len(word) < NAME_LETTERS or not word.isascii():
        return False
    stem, _, ending = word.partition(".")
    has_ending = bool(ending) and ending.isalnum() and stem.replace("-", "_").isidentifier()
    return has_ending or (
        word.isidentifier() and ("_" in word.strip("_") or (not word[1:].islower() and not word.isupper()))
    )


def _long_words(text: str) -> set[str]:
    plain = "".join(char.lower() if char.isalnum() else " " for char in text)
    return {word for word in plain.split() if len(word) >= SHARED_LETTERS}


def _names(words: set[str], place: str) -> bool:
    """Return whether words name a file: its path, its name, or its name without an ending as code spells it."""
    name = place.rpartition("/")[2]
    stem = name.partition(".")[0]
    return place in words or name in words or (len(stem) >= NAME_LETTERS and stem in words and not stem.islower())


def _lines_of(event: Event, reads: Sequence[str], edits: Sequence[str], *, has_failed: bool) -> Sequence[str]:
    if event.name == happened.PROMPT:
        return [TURN]
    if event.name == happened.RESPONSE:
        return [SAID]
    if event.tool == happened.SHELL and has_failed:
        return [failed_line(event.command, event.output)]
    return [] if has_failed else file_lines(reads, edits)


def file_lines(reads: Iterable[str], edits: Iterable[str]) -> list[str]:
    """Return the lines for files that were read and changed."""
    return [*(f"{CHANGED}\t{place}" for place in edits), *(f"{READ}\t{place}" for place in reads)]


def failed_line(command: str, output: str) -> str:
    """Return the line for a failed command: the command and what its output says last."""
    from gitmem.agents.moments.output import error_line

    error = error_line(redact(output))
    return f"{FAILED}\t{display(' '.join(redact(command).split()))[:LINE_CHARS]}\t{error[:LINE_CHARS]}"


def _path(repository: OpenRepository, session: str) -> str:
    path = session_file(repository, session)
    return f"{path}{SUFFIX}" if path else ""


def _read(path: str) -> list[str]:
    if not path:
        return []
    try:
        with open(path, "rb", opener=only_regular) as file:
            file.seek(0, 2)
            file.seek(max(file.tell() - SIZE_LIMIT, 0))
            return file.read().decode("utf-8", "replace").split("\n")
    except OSError:
        return []
