"""The meaning of plain (unquoted) words in the frontmatter, and which texts may be written as such. Pure.

The quick reader, the strict reader and the writer share these rules, so they cannot disagree.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    Plain = str | int | float | bool | None

# The longest typed integer: 18 digits always fit into 64 bits (10^18 < 2^63), as SQLite and JSON readers need.
_WHOLE_DIGITS = 18

# The longest fraction: that of the smallest float which `repr` writes without an exponent (0.0001234…: 4 zeros and 17
# significant digits), with room to spare.
_FRACTION_DIGITS = 24

_WORDS: dict[str, bool | None] = {"": None, "~": None, "null": None, "true": True, "false": False}

# YAML 1.2.2, rule 123 (ns-plain-first): these indicators cannot begin a plain scalar, or not safely.
NOT_FIRST = frozenset("-?:,[]{}#&*!|>%@`\"' ")

# Rule 127 (ns-plain-safe-in): these end a plain scalar inside brackets. libyaml 0.2.5 and PyYAML 6.0.3 disagree
# with the standard and each other about `?`, so it is on the list.
_FLOW_ENDS = frozenset(",[]{}?")

# Words that other readers (YAML 1.1) read as a boolean: they mean text here, and are quoted for those readers.
_ELSEWHERE = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))

# The deepest nesting of values, including the frontmatter itself. Enough for a task's attempts with a list in each, and
# a limit for every recursion.
MAX_DEPTH = 5

# libyaml limits implicit keys to 1,024 characters; a longer name is not a name.
LONGEST_NAME = 100


def resolve(text: str) -> Plain:
    """Return the value of a plain word.

    Only ``true``, ``false``, ``null``, ``~``, nothing, integers (decimal, at most 18 digits, no leading zero) and
    simple decimals have a type of their own. Dates, ``yes``, ``on``, ``1:30``, ``0x1F``, ``017``, ``1e3``, ``.nan``
    stay the text that they are.
    """
    if text in _WORDS:
        return _WORDS[text]
    return _number(text) if text[0] in "-0123456789" else text


def _number(text: str) -> int | float | str:
    whole, dot, fraction = text.removeprefix("-").partition(".")
    if not _is_digits(whole, _WHOLE_DIGITS) or (whole[0] == "0" and len(whole) > 1):
        return text
    if dot:
        return float(text) if _is_digits(fraction, _FRACTION_DIGITS) else text
    return text if text == "-0" else int(text)


def _is_digits(text: str, longest: int) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= longest


def is_plain(text: str) -> bool:
    """Return whether *text* may be unquoted after ``key:`` or ``-`` and reads back unchanged.

    It may still be resolved to another type: see ``resolve``. The answer errs on the safe side.
    """
    return (
        text != ""
        and text[0] not in NOT_FIRST
        and text[-1] not in ": "
        and ": " not in text
        and " #" not in text
        and text.isprintable()
    )


def is_plain_inside(text: str) -> bool:
    """Return whether *text* may be unquoted inside ``[…]`` or ``{…}`` and reads back unchanged."""
    if not (is_plain(text) and _FLOW_ENDS.isdisjoint(text)):
        return False
    # In brackets, readers differ about `a::b` and `a:"b"`, but not about `http://x` and `x.py:3`.
    return ":" not in text or all(part[:1].isalnum() or part[:1] == "/" for part in text.split(":")[1:])


def is_text(text: str) -> bool:
    """Return whether a plain *text* is text for every reader, not a number, a boolean or null."""
    return isinstance(resolve(text), str) and text.lower() not in _ELSEWHERE


def is_name(text: str) -> bool:
    """Return whether *text* may be an unquoted key: an ASCII identifier, with hyphens allowed inside."""
    return (
        text.isascii()
        and len(text) <= LONGEST_NAME
        and text.replace("-", "_").isidentifier()
        and text[0] != "-"
        and text not in _WORDS
    )


def is_key(text: str) -> bool:
    """Return whether *text* may be a key at all, quoted if necessary: 1 to 100 printable characters."""
    return 0 < len(text) <= LONGEST_NAME and text.isprintable()
