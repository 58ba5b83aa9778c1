"""Read and write JSON with the scanner and encoder of CPython's ``json``, without importing that package.

``json`` imports ``re`` for its Python versions of both: 6 ms with enum (measured), and agents' hooks run on every use
of a tool. Texts and values are the same, as the tests show. Only for texts short enough to be read as a whole; a syntax
error is a ``json.JSONDecodeError``, as there. Pure.
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
    """The attributes that the scanner needs: the defaults of ``json.loads``."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int = float, int
    parse_constant = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}.__getitem__


# Only the attributes of its argument are read.
_scan = _json.make_scanner(_Syntax)  # type: ignore[arg-type]


def parse_json(text: str | bytes) -> Any:
    """Return the value of a JSON text (bytes: in UTF-8).

    Raises:
        ValueError: It is not JSON, or not UTF-8.
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
        is_compact: Whether to omit the space after commas and colons.
        default: Returns a replacement for a value of another type.

    Raises:
        TypeError: A value is of another type.
    """
    encode = _json.encode_basestring_ascii if is_ascii else _json.encode_basestring
    comma, colon = (",", ":") if is_compact else (", ", ": ")
    encoder = _json.make_encoder({}, default or _refuse, encode, None, colon, comma, False, False, True)
    return "".join(encoder(value, 0))


def _refuse(value: object) -> object:
    raise TypeError(f"a {type(value).__name__} is not a JSON value")
