"""Compare stated values with those in code: spellings, units, and what means "nothing". Pure."""

from __future__ import annotations

import re

NUMBER, TRUTH, TEXT = "number", "truth", "text"
_SAME = {
    **dict.fromkeys(("nil", "null", "undefined", "unset", "empty", "-", "—", "''", '""', "[]", "{}", "()"), "none"),
    "": "none", "on": "true", "off": "false", "yes": "true", "no": "false", "enabled": "true", "disabled": "false",
}  # fmt: skip
_QUANTITY = re.compile(r"(-?(?:\d[\d_,]{0,60})?\.?\d{1,60})\s{0,20}([a-zµ]*)")
# What a suffix may multiply by: a unit of time in seconds, of size in bytes, or a thousand and more. A letter may be
# one of several.
_UNITS: dict[str, tuple[float, ...]] = {
    **dict.fromkeys(("ms", "msec", "msecs", "millis", "millisecond", "milliseconds"), (0.001,)),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), (1,)),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), (60,)),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), (3600,)),
    **dict.fromkeys(("d", "day", "days"), (86400,)),
    **dict.fromkeys(("k", "kb", "kib"), (1000, 1024)),
    **dict.fromkeys(("mb", "mib"), (1000**2, 1024**2)),
    **dict.fromkeys(("gb", "gib", "g"), (1000**3, 1024**3)),
    "m": (60, 1000**2, 1024**2),
    "b": (1, 1000**3),
    "bytes": (1,),
}
# The unit at the end of a name: `TIMEOUT_MS`, `ttlMinutes`, `max-size-mb`.
_UNIT_OF_NAME = re.compile(r"(?:[-_.]|(?<=[a-z0-9])(?=[A-Z]))([A-Za-z]+)$")
_TIMES = (1.0, 0.001, 60, 3600, 86400)
_SIZES = (1.0, 1000, 1024, 1000**2, 1024**2, 1000**3, 1024**3)


def is_same(stated: str, actual: str, name: str = "") -> bool:
    """Return whether two values mean the same; the end of *name* may tell the unit of a number without one."""
    one, other = _plain(stated), _plain(actual)
    if one == other:
        return True
    first, second = _QUANTITY.fullmatch(one), _QUANTITY.fullmatch(other)
    if first is None or second is None:
        return False
    if not first[2] and not second[2]:
        return _is_close(_number(first[1]), _number(second[1]))
    return any(
        _is_close(left, right)
        for left in _amounts(first, name, second[2])
        for right in _amounts(second, name, first[2])
    )


def is_nothing(value: str) -> bool:
    """Return whether a value means that there is none."""
    return _plain(value) == "none"


def kind_of(value: str) -> str:
    """Return the type of a value: ``number``, also one with a unit, ``truth`` or ``text``."""
    plain = _plain(value)
    if plain in ("true", "false"):
        return TRUTH
    match = _QUANTITY.fullmatch(plain)
    return NUMBER if match and (not match[2] or match[2] in _UNITS) else TEXT


def can_replace(stated: str, actual: str) -> bool:
    """Return whether a document can say one value in place of another: a number keeps its unit."""
    one, other = _QUANTITY.fullmatch(_plain(stated)), _QUANTITY.fullmatch(_plain(actual))
    return not (one and other) or one[2] == other[2]


def plain_word(name: str) -> str:
    """Return a name without separators and in lower case: ``maxSize``, ``MAX_SIZE`` and ``max-size`` are the same."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _plain(value: str) -> str:
    text = value.strip().strip("\"'`").strip().lower()
    return _SAME.get(text, text.rstrip("/"))


def _number(digits: str) -> float:
    return float(digits.replace("_", "").replace(",", "")[:40])


def _amounts(found: re.Match[str], name: str, other: str) -> list[float]:
    """Return what a number may amount to, if the other one has a unit."""
    number = _number(found[1])
    if found[2]:
        return [number * factor for factor in _UNITS.get(found[2], ())]
    ending = _UNIT_OF_NAME.search(name)
    unit = ending[1].lower() if ending else ""
    if len(unit) > 1 and unit in _UNITS:
        return [number * factor for factor in _UNITS[unit]]
    is_size = other[:1] in ("k", "g", "b") or other in ("mb", "mib")
    return [number * factor for factor in (_SIZES if is_size else (*_TIMES, *_SIZES) if other == "m" else _TIMES)]


def _is_close(one: float, other: float) -> bool:
    return abs(one - other) <= 1e-9 * max(abs(one), abs(other))
