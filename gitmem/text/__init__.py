"""Make text by others safe to show, and read and write JSON: what every command needs of texts. Pure.

Everything from a memory, a commit, a file name or a program is untrusted: it may contain terminal escapes, invisible
characters, or sentences that pose as instructions. Nothing is dropped silently: removed parts leave a visible trace.
Credentials are handled by ``gitmem.text.secrets``; ``gitmem.text.fence`` puts text into a prompt.

Hidden characters are all characters of the general categories Cc, Cf, Cs, Co, Cn, Zl and Zp, and those that other
categories hide: the variation selectors, the combining grapheme joiner, and letters and symbols that draw nothing
(fillers, the blank Braille pattern). Spaces of any width are not hidden, nor are the unassigned code points of U+1F000
to U+1FAFF: UTS #51 reserves them as Extended_Pictographic, they draw a box or a newer emoji, and a character that one
colleague's Python knows must not be refused by another's. Source: Unicode Standard, DerivedCoreProperties.txt,
Default_Ignorable_Code_Point; UTR #36, section 3.

JSON is read and written by the scanner and encoder of CPython's ``json``, without importing that package: it imports
``re`` for its Python versions of both, which takes 6 ms with enum (measured), and agents' hooks run on every use of a
tool. Texts and values are the same, as the tests show. Only for texts short enough to be read as a whole.
"""

from __future__ import annotations

import _json

from gitmem.model import UNSEEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

# Category Zs. ``str.isprintable`` refuses all of them except the ASCII space.
_SPACES = frozenset("\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000")

_VS16, _ZWJ, _ZWNJ = "\ufe0f", "\u200d", "\u200c"
_JOINERS = frozenset((_VS16, _ZWJ, _ZWNJ))
_KEYCAP = "\u20e3"

# Blocks whose symbols have an emoji form, and the single ones outside them (UTS #51, emoji-data.txt).
_PICTOGRAPHS = ((0x2190, 0x23FF), (0x25A0, 0x27BF), (0x2900, 0x297F), (0x2B00, 0x2BFF), (0x1F000, 0x1FAFF))
_SINGLE_PICTOGRAPHS = frozenset("©®‼⁉™ℹⓂ〰〽㊗㊙")

# Scripts in which correct spelling needs joiners: Arabic, Syriac and the Arabic supplements; Devanagari to Sinhala;
# Myanmar; Khmer; Arabic presentation forms (Unicode Standard, 23.2; UAX #31, section 2.3).
_JOINING = ((0x600, 0x8FF), (0x900, 0xDFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0xFB50, 0xFDFF), (0xFE70, 0xFEFC))


def run_end(text: str, at: int, is_inside: Callable[[str], bool]) -> int:
    """Return where a run of such characters that begins at *at* ends."""
    while at < len(text) and is_inside(text[at]):
        at += 1
    return at


def display(text: str, *, lines: bool = False, sequences: bool = False) -> str:
    r"""Return the text with every hidden character spelled out, for a terminal or a log.

    Backslashes are not escaped, so that showing twice changes nothing: ``\x1b`` may be an escape character or
    four characters of the text.

    Args:
        text: Any text, lone surrogates included.
        lines: Whether to keep line feeds and tabs. Carriage returns are never kept.
        sequences: Whether to keep the joiners that ``find_hidden`` allows. For the prose of memories; never for a
            command or a name that a person must approve.

    Returns:
        Text whose hidden characters are ``\x1b`` below U+0100 and ``\u{202e}`` above, and whose bytes that are not
        UTF-8 (PEP 383) are ``\377``, as git quotes them; the same object if there are none (measured: 0.3 us for 80
        ASCII characters).
    """
    hidden = hidden_characters(text, lines=lines)
    if not hidden:
        return text
    if sequences and not hidden.isdisjoint(_JOINERS):
        visible = {at for at, char in enumerate(text) if char in _JOINERS and completes(text, at)}
        return "".join(_escape_of(c) if c in hidden and at not in visible else c for at, c in enumerate(text))
    return text.translate({ord(char): _escape_of(char) for char in hidden})


def escape_json(text: str) -> str:
    """Return JSON with every hidden character as a JSON escape, which is the same document; line feeds stay."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    hidden = {char for char in set(text) if char != "\n" and not char.isprintable()}
    return text.translate({ord(char): _json_escape(char) for char in hidden})


def _json_escape(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def unlike_command(text: str) -> str:
    """Return text in which no line is a workflow command for the runner of GitHub Actions.

    The runner recognizes ``::`` at the start of a line, and ``##[`` anywhere in a line (its ActionCommand.cs).
    """
    if "::" in text:
        import re  # 5 ms (measured), which recall and the hooks do without

        text = re.sub(r"(?m)^([^\S\n]*):(?=:)", r"\1: ", text)
    return text.replace("##[", "## [")


def workflow_command(level: str, message: str, *, title: str, path: str = "", line: int = 0) -> str:
    """Return one line that the runner of GitHub Actions reads as a command, such as ``::error file=a::what``.

    Source: the toolkit's command.ts for what is escaped.
    """
    values = {"file": path, "line": str(line) if path and line else "", "title": title}
    named = ",".join(f"{name}={_as_data(value, ':,')}" for name, value in values.items() if value)
    return f"::{level} {named}::{_as_data(message)}"


def _as_data(text: str, also: str = "") -> str:
    for char in f"%\r\n{also}":
        text = text.replace(char, f"%{ord(char):02X}")
    return unlike_command(text)


def count_of(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun: ``1 fact``, ``2 facts``, ``2 memories``."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def as_sentence(text: str) -> str:
    """Return a text with a capital at its start, if that is a plain word, and one full stop at its end."""
    first = text.partition(" ")[0]
    begun = text[:1].upper() + text[1:] if first.isalpha() and first.islower() else text
    return begun if begun.endswith((".", "!", "?", "…", ":")) else f"{begun}."


def list_some(names: Sequence[str], most: int) -> str:
    """Return the first names, and how many more there are: ``a, b and 3 more``."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def hidden_characters(text: str, *, lines: bool) -> frozenset[str]:
    r"""Return the hidden characters of the text; with *lines*, ``\n`` and ``\t`` do not count."""
    plain = text.replace("\n", "").replace("\t", "") if lines else text
    if plain.isascii() and plain.isprintable():
        return frozenset()
    return frozenset(char for char in set(plain) if _is_hidden(char))


def _is_hidden(char: str) -> bool:
    if char.isprintable():
        return char in UNSEEN
    return char not in _SPACES and not 0x1F000 <= ord(char) <= 0x1FAFF


def _escape_of(char: str) -> str:
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\{code - 0xDC00:o}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{{{code:x}}}"


def completes(text: str, at: int) -> bool:
    """Return whether the character at *at* is a joiner that its two neighbours require."""
    char, before, after = text[at], text[max(0, at - 1) : at], text[at + 1 : at + 2]
    if char == _VS16:
        return _is_pictograph(before) or (before in "0123456789#*" and before != "" and after == _KEYCAP)
    if char == _ZWJ and _is_pictograph(after):
        return _is_pictograph(before if before != _VS16 else text[max(0, at - 2) : at - 1])
    return char in (_ZWJ, _ZWNJ) and _needs_joiners(before) and _needs_joiners(after)


def without_stray_joiners(text: str) -> str:
    """Return a text without joiners that their neighbours do not require; the same object if there are none."""
    if _JOINERS.isdisjoint(text):
        return text
    return "".join(char for at, char in enumerate(text) if char not in _JOINERS or completes(text, at))


def _is_pictograph(char: str) -> bool:
    return char != "" and (char in _SINGLE_PICTOGRAPHS or _is_within(char, _PICTOGRAPHS))


def _needs_joiners(char: str) -> bool:
    from unicodedata import category

    return char != "" and _is_within(char, _JOINING) and category(char)[0] in "LM"


def _is_within(char: str, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= ord(char) <= last for first, last in ranges)


def composed(text: str) -> str:
    """Return a name in Unicode's composed form: macOS stores names in the other one, and they look the same."""
    if text.isascii():
        return text
    from unicodedata import normalize  # most names are ASCII

    return normalize("NFC", text)


# White space between values (RFC 8259, section 2).
_JSON_SPACE = " \t\n\r"


class _JsonSyntax:
    """The attributes that the scanner needs: the defaults of ``json.loads``."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int = float, int
    parse_constant = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}.__getitem__


# Only the attributes of its argument are read.
_scan_json = _json.make_scanner(_JsonSyntax)  # type: ignore[arg-type]


def parse_json(text: str | bytes) -> Any:
    """Return the value of a JSON text (bytes: in UTF-8).

    Raises:
        ValueError: It is not JSON, or not UTF-8.
        RecursionError: It is nested too deeply.
    """
    whole = (text if isinstance(text, str) else text.decode("utf-8")).strip(_JSON_SPACE)
    try:
        value, end = _scan_json(whole, 0)
    except StopIteration as err:
        raise ValueError(f"no JSON value at character {err.value}") from None
    if end != len(whole):
        raise ValueError(f"more than one JSON value, at character {end}")
    return value


def format_json(
    value: object, *, is_ascii: bool = False, is_compact: bool = False, default: Callable[[Any], Any] | None = None
) -> str:
    """Return a value as JSON on one line.

    Args:
        value: Made of dictionaries, lists, tuples, texts, numbers, booleans and None.
        is_ascii: Whether characters outside ASCII become escapes.
        is_compact: Whether to omit the space after commas and colons.
        default: Returns a replacement for a value of another type; it is kept, so not a function made for one call.

    Raises:
        TypeError: A value is of another type.
    """
    how = is_ascii, is_compact, default
    if how not in _encoders:  # making one takes a quarter of the time of a small value (measured)
        encode = _json.encode_basestring_ascii if is_ascii else _json.encode_basestring
        comma, colon = (",", ":") if is_compact else (", ", ": ")
        _encoders[how] = _json.make_encoder(
            None, default or _refuse_value, encode, None, colon, comma, False, False, True
        )
    return "".join(_encoders[how](value, 0))


_encoders: dict[tuple[object, ...], Any] = {}


def _refuse_value(value: object) -> object:
    raise TypeError(f"a {type(value).__name__} is not a JSON value")
