"""Turn an edit into a code pattern: the definition, its file and its lines.

Only if the policy asks for it: git already records every edit, and a memory of each would bury the learnings. Even
then, only definitions of 50 to 500 tokens in files of the project's own code.
"""

from __future__ import annotations

from binascii import crc32

from gitmem.agents.capture.source import place_of, read_inside
from gitmem.frozen import frozen
from gitmem.text import format_json
from gitmem.text.budget import count_tokens
from gitmem.text.code.definitions import DEFINES, definitions
from gitmem.text.code.languages import is_code, language_of
from gitmem.text.code.span import Span
from gitmem.text.slugs import hashed_slug, slug

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.agents.event import Edit, Event
    from gitmem.repository import OpenRepository

# AI Memory Module, "Validation Requirements": "Minimum 50 tokens content", and at most 500 of one pattern.
TOKENS_AT_LEAST = 50
TOKENS_AT_MOST = 500
# The most edits examined per tool use, and the most definitions in all of them.
AT_MOST, PATTERNS_AT_MOST = 5, 20
FILE_LIMIT = 1_000_000
KIND, TTL = "code_pattern", "30d"
NOTEBOOK = ".ipynb"
# Replaces the rest of a definition that is too long.
CUT = "…"


@frozen
class Pattern:
    """A code pattern.

    Attributes:
        name: The first name that it defines.
        place: The file.
        first: Its first line, from 1.
        last: Its last line.
        code: The lines.
    """

    name: str
    place: str
    first: int
    last: int
    code: str

    @property
    def ref(self) -> str:
        """Return its location as ``path:first-last``."""
        return f"{self.place}:{self.first}-{self.last}" if self.last > self.first else f"{self.place}:{self.first}"

    @property
    def language(self) -> str:
        """Return the language of its file."""
        return language_of(self.place)

    @property
    def key(self) -> str:
        """Return the key of its memory: the same each time it is changed."""
        return hashed_slug(self.title, self._digest, otherwise=KIND)

    @property
    def former_key(self) -> str:
        """Return the key that earlier versions gave its memory."""
        return f"code-pattern-{slug(f'{self.place} {self.name}', limit=48)}-{self._digest}"

    @property
    def title(self) -> str:
        """Return the title of its memory."""
        return f"{self.name} in {self.place}"

    @property
    def _digest(self) -> str:
        return f"{crc32(f'{self.place} {self.name}'.encode()):08x}"

    @property
    def body(self) -> str:
        """Return the body of its memory; the code is indented, so that none of its lines can end the body."""
        return f"File: {self.ref} ({self.language})\n\n" + "\n".join(
            f"    {line}".rstrip() for line in self.code.split("\n")
        )


def patterns_of(repository: OpenRepository, event: Event) -> list[Pattern]:
    """Return the code patterns in a tool's edits, at most 20: the definitions, truncated if too long."""
    patterns: list[Pattern] = []
    for edit in event.edits[:AT_MOST]:
        defined = DEFINES.search(edit.after) is not None and len(edit.after) <= FILE_LIMIT
        place = place_of(repository, event, edit.path) if defined else ""
        if place and is_code(place) and not _is_ignored(repository, place):
            text = read_inside(repository, place, limit=FILE_LIMIT)
            patterns += [] if text is None else patterns_in(text, edit, place)
    return patterns[:PATTERNS_AT_MOST]


def patterns_in(text: str, edit: Edit, place: str) -> list[Pattern]:
    """Return the patterns that an edit made, with their current lines in the file; none if the lines are uncertain.

    An edit that fits is one pattern; a longer one is split into its definitions.
    """
    text, code = text.replace("\r\n", "\n"), edit.after.replace("\r\n", "\n").strip("\n")
    if place.endswith(NOTEBOOK):
        return _in_notebook(text, code, place)
    at, defined = text.find(code), DEFINES.search(code)
    if at < 0 or defined is None or text.find(code, at + 1) >= 0:
        return []
    first = text.count("\n", 0, at) + 1
    if count_tokens(code) <= TOKENS_AT_MOST:
        parts = [(Span(defined[1], 0, code.count("\n") + 1), code)]
    else:
        parts = _definitions(code, place)
    return [
        _pattern(span, part, place, first + span.first) for span, part in parts if count_tokens(part) >= TOKENS_AT_LEAST
    ]


def first_lines(code: str, *, limit_tokens: int) -> str:
    """Return the first lines of a definition that fit, with a sign that there are more; all of it if it fits."""
    if count_tokens(code) <= limit_tokens:
        return code
    selected: list[str] = []
    room = limit_tokens - 1
    for line in code.split("\n"):
        room -= count_tokens(line)
        if room < 0:
            break
        selected.append(line)
    return "\n".join([*selected, CUT])


def _definitions(code: str, place: str) -> list[tuple[Span, str]]:
    lines = code.split("\n")
    return [(span, "\n".join(lines[span.first : span.end])) for span in definitions(code, language_of(place))]


def _pattern(span: Span, code: str, place: str, first: int) -> Pattern:
    last = first + span.end - span.first - 1
    return Pattern(span.name, place, first, last, first_lines(code, limit_tokens=TOKENS_AT_MOST))


def _in_notebook(text: str, code: str, place: str) -> list[Pattern]:
    """Return the definitions of a notebook cell, at the line of the file that has their first line as JSON."""
    patterns = []
    for span, part in _definitions(code, place):
        written = format_json(part.split("\n", 1)[0])[1:-1]
        at = text.find(f'"{written}')
        if at >= 0 and text.find(f'"{written}', at + 1) < 0 and count_tokens(part) >= TOKENS_AT_LEAST:
            patterns.append(_pattern(span, part, place, text.count("\n", 0, at) + 1))
    return patterns


def _is_ignored(repository: OpenRepository, place: str) -> bool:
    """Return whether git ignores a file: its content must not go onto a branch that is pushed."""
    result = repository.git.run(
        "-C", repository.git.repository.top or ".", "check-ignore", "-q", "--", place, check=False
    )
    return result.status != 1
