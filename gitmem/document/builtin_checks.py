"""The table of built-in checks: the name of each, what it takes, and what it looks for. Pure.

Parsing, the options of the command line, the schema for MCP clients, the documentation, the inputs of a check and its
answer are made from these rows: a new check is one new row. ``verify.builtin`` answers them.
"""

from __future__ import annotations

from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from gitmem.model import Check

    # Tells whether the content of a file has what a check looks for.
    Probe = Callable[[bytes], bool]

# The field, and the option, that names the files that a check looks into.
IN = "in"


@frozen
class Value:
    """The kind of text that a check takes.

    Attributes:
        shown: Its name in help.
        is_valid: Whether a text is of this kind.
        refusal: The error for one that is not; ``{name}`` and ``{value}`` are filled in.
    """

    shown: str
    is_valid: Callable[[str], bool]
    refusal: str = ""


@frozen
class BuiltinCheck:
    """One row: a built-in check.

    Attributes:
        name: Its name, in the frontmatter and as an option.
        value: What it takes.
        about: What it proves, one line of help.
        failure: The reason for a failure; ``{text}`` (what it takes), ``{where}`` (the files) and ``{first}`` (the
            first file that has it) are filled in.
        probe: Makes the function that tells whether the content of a file has a text; returns None for a text that
            cannot be searched for. None for a check that only asks whether a file exists.
        is_denial: Whether it fails where something is found, and holds where nothing is.
        denies: The check that can never hold together with this one for the same text.
        unusable: The error for a text that cannot be searched for; ``{text}`` is filled in.
    """

    name: str
    value: Value
    about: str
    failure: str
    probe: Callable[[str], Probe | None] | None = None
    is_denial: bool = False
    denies: str = ""
    unusable: str = ""

    @property
    def fields(self) -> tuple[str, ...]:
        """Return the fields of its mapping, its name first."""
        return (self.name, IN) if self.probe else (self.name,)

    @property
    def shape(self) -> str:
        """Return how it is written."""
        return f"{{{self.name}: {self.value.shown}{f', {IN}: {GLOB.shown}' if self.probe else ''}}}"


def is_inside(path: str) -> bool:
    """Return whether a path or glob can name a file of the code tree (`absent: ../x` would hold for ever)."""
    return all(part not in ("", ".", "..") for part in path.removesuffix("/").split("/"))


def _is_sha256(text: str) -> bool:
    return len(text) == 64 and all(digit in "0123456789abcdef" for digit in text)


def _contains(text: str) -> Probe:
    # Text is bytes.
    sought = text.encode("utf-8", "surrogateescape")
    return lambda content: sought in content


def _matches(text: str) -> Probe | None:
    """Return what finds a regular expression: other people wrote it, so it runs in linear time (threat T25)."""
    import re2  # 8.5 ms (measured), and only where a regular expression is asked

    options = re2.Options()
    options.log_errors = False
    options.encoding = re2.Options.Encoding.LATIN1  # text is bytes
    try:
        pattern = re2.compile(b"(?m)" + text.encode("utf-8"), options)
    except (re2.error, UnicodeEncodeError):
        return None
    return lambda content: pattern.search(content) is not None


def _is_same(text: str) -> Probe:
    from hashlib import sha256  # 3 ms (measured), and only where a check names one

    return lambda content: sha256(content).hexdigest() == text.lower()


_OUTSIDE = "`{name}: {value}` is not a path inside the repository"
PATH, GLOB = Value("PATH", is_inside, _OUTSIDE), Value("GLOB", is_inside, _OUTSIDE)
TEXT, REGEX = Value("TEXT", bool), Value("RE", bool)
SHA256 = Value("SHA256", _is_sha256, "`{name}` must be a SHA-256 in 64 lower-case hexadecimal digits")

_TABLE = (
    BuiltinCheck("exists", PATH, "this file or folder exists", "{text} does not exist"),
    BuiltinCheck(
        *("absent", PATH, "this file or folder does not exist", "{text} exists"), is_denial=True, denies="exists"
    ),
    BuiltinCheck(
        *("contains", TEXT, "at least one file in --in contains this text", "no file of {where} contains {text!r}"),
        probe=_contains,
    ),
    BuiltinCheck(
        *("matches", REGEX, "at least one file in --in matches this regular expression"),
        "no file of {where} matches {text!r}",
        probe=_matches,
        unusable="{text!r} is not a regular expression that can be run in linear time",
    ),
    BuiltinCheck(
        *("lacks", TEXT, "no file in --in contains this text", "{first} contains {text!r}"),
        probe=_contains,
        is_denial=True,
        denies="contains",
    ),
    BuiltinCheck(
        *("same", SHA256, "the file given by --in has this SHA-256", "{where} has another SHA-256"),
        probe=_is_same,
    ),
)
CHECKS = {check.name: check for check in _TABLE}


def row_of(check: Check) -> BuiltinCheck:
    """Return the row of a built-in check."""
    return CHECKS[check.words[0]]


def find_row(names: Iterable[str]) -> BuiltinCheck | None:
    """Return the row whose mapping has exactly these fields, or None."""
    given = set(names)
    return next((row for row in CHECKS.values() if set(row.fields) == given), None)


def shapes() -> str:
    """Return how every built-in check is written, for help and errors."""
    return "; ".join(row.shape for row in CHECKS.values())


def glob_of(words: Sequence[str]) -> str:
    """Return what a built-in check reads, given its words: the path, or the files that it looks into."""
    return words[-1]


def words_of(mapping: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the words of a built-in check (``model.Check``) from its mapping, which is valid."""
    row = find_row(mapping)
    assert row is not None, "a parsed memory has valid checks only"
    return (row.name, *(mapping[field] for field in row.fields))
