"""Versions and ranges of versions, as written in manifests. Pure.

A version is read as PEP 440 if possible (``packaging``), else by its numbers (``1.2.3-canary.4``, ``3.11-slim``).
Ranges are those of npm, Cargo, Composer, Bundler and pip: ``^1.2``, ``~1.2``, ``~> 1.2``, ``~=1.2``, ``>=1,<2``,
``1.x``, ``1 - 2``, ``a || b``; a version alone means all versions with that prefix.

Source: PEP 440; docs.npmjs.com/cli/configuring-npm/package-json (ranges); doc.rust-lang.org/cargo (specifying
dependencies); guides.rubygems.org/patterns (pessimistic version constraint).
"""

from __future__ import annotations

import re
from functools import lru_cache

from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from packaging.version import Version

# A longer text is not a version.
LENGTH_LIMIT = 200
_NUMBERS = re.compile(r"[vV=]?(\d{1,9}(?:\.\d{1,9}){0,5})([0-9A-Za-z]*(?:[-.+_]+[0-9A-Za-z]+)*)")
_NAME_AND_VERSION = re.compile(
    r"(?:@?[A-Za-z][\w./-]*@|go|python|ruby|java|jdk|node)v?(\d[\w.-]*)(?:\+sha\d+\.[0-9a-f]+)?"
)
_ANY = frozenset({"", "*", "x", "X", "latest", "any"})
_COMPARATOR = re.compile(
    r"(\^|~>|~=|~|>=|<=|===|==|!=|=|>|<)?\s{0,20}[vV]?((?:\d+|[xX*])(?:\.(?:\d+|[xX*]))*)([0-9A-Za-z]*(?:[-+._]+[0-9A-Za-z]+)*(?:\.\*)?)"
)
_HYPHEN = re.compile(r"(\S+)\s+-\s+(\S+)")
_INTERVAL = re.compile(r"([\[(])\s*([^,\[\]()]*)(?:(,)\s*([^,\[\]()]*))?([\])])")


@frozen
class _Comparator:
    """One condition: an operator, the given numbers of its version, and the version."""

    sign: str
    numbers: tuple[int, ...]
    version: Version


def is_within(stated: str, wanted: str) -> bool | None:
    """Return whether a stated version is in a range; for a stated range, its lowest version counts.

    Returns:
        None if one of the two cannot be read as a version or range.
    """
    version, conditions = lowest(stated), parse_range(wanted)
    if version is None or conditions is None:
        return None
    return any(all(_holds(version, comparator) for comparator in those) for those in conditions)


def is_at_least(stated: str, wanted: str) -> bool | None:
    """Return whether a stated version is at least a version or number; None if they cannot be compared."""
    version, least = lowest(stated), lowest(wanted)
    if version is None or least is None:
        return None
    return version >= least


def is_same(stated: str, wanted: str) -> bool:
    """Return whether two texts state the same, ignoring spaces, quotes and a leading ``v``.

    A program's name before a version is ignored if the other text is a version alone: ``go1.22``, ``pnpm@9.1.0``.
    """
    one, other = _plain(stated), _plain(wanted)
    if bool(_NUMBERS.fullmatch(one)) != bool(_NUMBERS.fullmatch(other)):
        one, other = _unnamed(one), _unnamed(other)
    return one == other or bool(_NUMBERS.fullmatch(one) and one.lstrip("vV=") == other.lstrip("vV="))


@lru_cache(maxsize=512)
def lowest(text: str) -> Version | None:
    """Return a version, or the lowest one of a range; None if there is none (``<2``, ``latest``)."""
    text = _bare(text)
    version = parse_version(text)
    if version is not None:
        return version
    conditions = parse_range(text) or []
    lows = [_lowest_of(those) for those in conditions]
    known = [low for low in lows if low is not None]
    return min(known) if known and len(known) == len(lows) else None


@lru_cache(maxsize=512)
def parse_version(text: str) -> Version | None:
    """Return a version, or None if *text* is not one."""
    from packaging.version import InvalidVersion, Version  # 8 ms (measured), only if versions are compared

    text = text.strip()
    if not text or len(text) > LENGTH_LIMIT:
        return None
    try:
        return Version(text.removeprefix("="))
    except InvalidVersion:
        pass
    match = _NUMBERS.fullmatch(text)
    if match is None:
        return None
    # `1.2.3-canary.4` comes before `1.2.3` (semver.org, 11); a flavour (`3.11-slim`, `8.0-jre`) does not affect the
    # order.
    is_early = match[1].count(".") >= 2 and re.match(r"-[0-9A-Za-z]+\.\d", match[2]) is not None
    return Version(f"{match[1]}.dev0" if is_early else match[1])


@lru_cache(maxsize=512)
def parse_range(text: str) -> list[list[_Comparator]] | None:
    """Return a range as alternatives of conditions that must all hold; None if it cannot be read."""
    text = text.strip()
    if len(text) > LENGTH_LIMIT:
        return None
    alternatives = []
    for part in re.split(r"\|\|?", text):
        conditions = _conditions(part.strip())
        if conditions is None:
            return None
        alternatives.append(conditions)
    return alternatives


def _conditions(part: str) -> list[_Comparator] | None:
    if part in _ANY:
        return []
    interval, hyphen = _INTERVAL.fullmatch(part), _HYPHEN.fullmatch(part)
    if interval:
        return _interval(interval)
    if hyphen:
        part = f">={hyphen[1]} <={hyphen[2]}"
    comparators, at = [], 0
    for piece in _COMPARATOR.finditer(part):
        if part[at : piece.start()].strip(" ,"):
            return None
        at = piece.end()
        comparator = _comparator(piece[1] or "", piece[2], piece[3])
        if comparator is not None:
            comparators.append(comparator)
    return None if part[at:].strip(" ,") or not at else comparators


def _interval(match: re.Match[str]) -> list[_Comparator] | None:
    """Return the conditions in Maven's and NuGet's notation: ``[1.0,2.0)``."""
    opening, low, comma, high, closing = match.groups()
    conditions = []
    if low and not comma:
        conditions.append(_comparator("==", low, ""))
    elif low:
        conditions.append(_comparator(">=" if opening == "[" else ">", low, ""))
    if high:
        conditions.append(_comparator("<=" if closing == "]" else "<", high, ""))
    return [condition for condition in conditions if condition is not None]


def _comparator(sign: str, numbers: str, suffix: str) -> _Comparator | None:
    """Return one condition; None if it holds for every version (``*``)."""
    parts = []
    for part in numbers.split("."):
        if not part.isdecimal():
            break
        parts.append(int(part[:9]))
    if not parts:
        return None
    is_wild = len(parts) < len(numbers.split(".")) or suffix.endswith(".*")
    version = parse_version(".".join(map(str, parts)) + (suffix.removesuffix(".*") if not is_wild else ""))
    if version is None:
        version = parse_version(".".join(map(str, parts)))
    assert version is not None, "numbers are a version"
    if is_wild and sign in ("", "=", "==", "~", "^"):
        sign = ""
    return _Comparator(sign, tuple(parts), version)


def _holds(version: Version, comparator: _Comparator) -> bool:
    numbers, size = version.release, len(comparator.numbers)
    head = (*numbers, *(0,) * size)[:size]
    match comparator.sign:
        case "" | "=" | "==" | "===":
            return head == comparator.numbers and (
                not comparator.version.is_prerelease or version == comparator.version
            )
        case "!=":
            return head != comparator.numbers
        case ">=":
            return version >= comparator.version
        case ">":
            return version > comparator.version
        case "<":
            return version < comparator.version
        case "<=":
            return version <= comparator.version or head == comparator.numbers
        case "^":
            return version >= comparator.version and _first(numbers, comparator.numbers) == _first(
                comparator.numbers, comparator.numbers
            )
        case "~":
            length = min(size, 2)
        case _:  # ~= and ~>
            length = max(size - 1, 1)
    return version >= comparator.version and (*numbers, 0, 0)[:length] == comparator.numbers[:length]


def _first(numbers: tuple[int, ...], given: tuple[int, ...]) -> tuple[int, ...]:
    """Return the part that a caret keeps: up to the first number that is not zero."""
    length = next((at + 1 for at, number in enumerate(given) if number), len(given))
    return (*numbers, *(0,) * length)[:length]


def _lowest_of(conditions: list[_Comparator]) -> Version | None:
    lows = [condition.version for condition in conditions if condition.sign not in ("<", "<=", "!=")]
    return max(lows) if lows else None


def _bare(text: str) -> str:
    """Return a version without the package's name: ``pnpm@9.1.0``, ``node:20-slim``, ``go1.22``."""
    text = text.strip().strip("'\"")
    named = re.fullmatch(r"(?:[A-Za-z@][\w./-]*[@:])(\d.*)|(?:go|python|py|node|ruby|java|jdk)-?(\d[\w.-]*)", text)
    return (named[1] or named[2]) if named else text


def _unnamed(text: str) -> str:
    """Return a version without a program's name and the hash of its archive, as in packageManager of package.json."""
    named = _NAME_AND_VERSION.fullmatch(text)
    return named[1] if named else text


def _plain(text: str) -> str:
    return re.sub(r"\s+|['\"]", "", text)
