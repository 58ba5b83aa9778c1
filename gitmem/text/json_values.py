"""JSON by the scanner and the encoder that are inside CPython's ``json``, without that package.

``json`` imports ``re`` for its versions of both in Python: 6 ms with enum (measured), and hooks of agents run on every
use of a tool. The texts and values are the same, which the tests show. Only for text that is short enough to be read
whole; a syntax error is a ``json.JSONDecodeError``, as there. Pure.
"""

from __future__ import annotations

import _json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# White space between values (RFC 8259, section 2).
_SPACE = " \t\n\r"


class _Syntax:
    """What the scanner asks for: how ``json.loads`` reads by default."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int = float, int
    parse_constant = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}.__getitem__


# Only the attributes of what it is given are asked for.
_scan = _json.make_scanner(_Syntax)  # type: ignore[arg-type]


def parse_json(text: str | bytes) -> Any:
    """Return the value of a JSON text (bytes: in UTF-8).

    Raises:
        ValueError: It is none, or not UTF-8.
        RecursionError: It is nested too deeply.
    """
    whole = (text if isinstance(text, str) else text.decode("utf-8")).strip(_SPACE)
    try:
        value, end = _scan(whole, 0)
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
        is_compact: Whether there is no space behind commas and colons.
        default: Returns something else for a value of another type.

    Raises:
        TypeError: A value is of another type.
    """
    encode = _json.encode_basestring_ascii if is_ascii else _json.encode_basestring
    comma, colon = (",", ":") if is_compact else (", ", ": ")
    encoder = _json.make_encoder({}, default or _refuse, encode, None, colon, comma, False, False, True)
    return "".join(encoder(value, 0))


def _refuse(value: object) -> object:
    raise TypeError(f"a {type(value).__name__} is not a JSON value")
