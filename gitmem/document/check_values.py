"""The arguments of built-in checks, and their kinds: paths, globs, addresses, versions, ranges. Pure."""

from __future__ import annotations

from gitmem.document.elsewhere import parse_elsewhere
from gitmem.document.sources.address import parse_address
from gitmem.errors import FormatError
from gitmem.frozen import frozen, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# The field, and the option, for the files that a check searches.
IN = "in"
# The field for the files that count as well once those of ``in`` have lost what the check looks for.
OR_IN = "or-in"
# The field of a check that does not follow renamed files.
EXACTLY = "exactly"


@frozen
class Value:
    """A kind of value in a check.

    Attributes:
        shown: Its name in help.
        is_valid: Whether a text is of this kind.
        refusal: The error for an invalid text; ``{name}`` and ``{value}`` are filled in.
        placed: For values that name files: returns one with its path or glob replaced by a function's result.
        is_pattern: Whether it names files by a glob; otherwise, a path is taken as it is.
    """

    shown: str
    is_valid: Callable[[str], bool]
    refusal: str = ""
    placed: Callable[[str, Callable[[str], str]], str] | None = None
    is_pattern: bool = False


def is_inside(path: str) -> bool:
    """Return whether a path or glob can name a file of the code tree (`absent: ../x` would always hold)."""
    return all(part not in ("", ".", "..") for part in path.removesuffix("/").split("/"))


def is_sha256(text: str) -> bool:
    """Return whether a text is a SHA-256 in lower-case hexadecimal digits."""
    return len(text) == 64 and all(digit in "0123456789abcdef" for digit in text)


def _is_place(text: str) -> bool:
    try:
        return is_inside(parse_address(text).path)
    except FormatError:
        return False


def _is_place_or_reference(text: str) -> bool:
    return parse_elsewhere(text) is not None or _is_place(text)


def _placed_or_reference(text: str, place: Callable[[str], str]) -> str:
    return text if parse_elsewhere(text) else _placed_address(text, place)


def _placed_address(text: str, place: Callable[[str], str]) -> str:
    path, mark, key = text.partition("#")
    return f"{place(path)}{mark}{key}"


def _is_range(text: str) -> bool:
    from gitmem.document.sources.versions import parse_range  # imports packaging, only if a range is given

    return parse_range(text) is not None


def _is_version(text: str) -> bool:
    from gitmem.document.sources.versions import parse_version  # the same

    return parse_version(text) is not None


_OUTSIDE = "`{name}: {value}` is not a path inside the repository"
_NO_PLACE = "`{name}: {value}` is not an address such as package.json#engines.node"
PATH = Value("PATH", is_inside, _OUTSIDE, lambda path, place: place(path))
GLOB = replace(PATH, shown="GLOB", is_pattern=True)
# A truth value: only ``true`` is written.
FLAG = Value("true", "true".__eq__, "`{name}` of a built-in check must be `true`, or left out")
TEXT, REGEX, NAME = Value("TEXT", bool), Value("RE", bool), Value("NAME", bool)
SHA256 = Value("SHA256", is_sha256, "`{name}` must be a SHA-256 in 64 lower-case hexadecimal digits")
PLACE = Value("PATH#KEY", _is_place, _NO_PLACE, _placed_address)
PLACE_OR_REFERENCE = replace(PLACE, is_valid=_is_place_or_reference, placed=_placed_or_reference)
VALUE = Value("VALUE", bool)
VERSION = Value("VERSION", _is_version, "`{name}: {value}` is not a version or a number")
RANGE = Value("RANGE", _is_range, "`{name}: {value}` is not a range of versions such as '>=3.11,<4' or '^1.2'")


@frozen
class CheckArguments:
    """The arguments of one check.

    Attributes:
        values: The value of its name: one text, or several if it takes a list.
        more: Its other fields.
    """

    values: tuple[str, ...]
    more: Mapping[str, str]

    @property
    def text(self) -> str:
        """Return the first value."""
        return self.values[0]

    @property
    def where(self) -> str:
        """Return the glob of the files that it searches; empty if it names none."""
        return self.more.get(IN, "")

    @property
    def is_exact(self) -> bool:
        """Return whether it counts only at the paths that it names."""
        return EXACTLY in self.more

    @property
    def is_everywhere(self) -> bool:
        """Return whether it is searched for in all of its ``or-in``, and not only where it was."""
        return bool(self.where) and self.where == self.more.get(OR_IN)
