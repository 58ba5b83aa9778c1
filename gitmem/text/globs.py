"""Globs over paths of a code tree: ``*`` and ``?`` match within one folder, ``**`` across folders. Pure.

A glob comes from a memory, that is from other people: it runs on re2, whose time is linear in the path. re2 takes 8.5
ms to import and ``re`` 5 (measured), so both are loaded when the first glob is compiled that has more than one wildcard
in the name of its file.
"""

from __future__ import annotations

from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

WILD = frozenset("*?[")
# A longer glob is not a real path (PATH_MAX of Linux, limits.h).
LONGEST = 4096
# Matches no character: re2's form of a set without members, since it has no lookahead.
NOTHING = r"[^\x00-\x{10FFFF}]"


def is_plain(glob: str) -> bool:
    """Return whether *glob* names one path, without wildcards."""
    return not WILD.intersection(glob)


def normal(glob: str) -> str:
    """Return *glob* in git's form: no leading ``./`` or ``/``, and a folder's trailing ``/`` replaced by ``/**``."""
    while glob.startswith(("./", "/")):
        glob = glob[2:] if glob.startswith("./") else glob[1:]
    return glob + "**" if glob.endswith("/") else glob


def without_lines(ref: str) -> str:
    """Return the file in a reference: ``src/a.py`` of ``src/a.py:3-5`` (C8); other texts are returned unchanged."""
    path, _, lines = ref.rpartition(":")
    return path if path and lines.replace("-", "").isdecimal() else ref


@lru_cache(maxsize=4096)
def matcher(glob: str) -> Callable[[str], bool]:
    """Return a function that tests whether a path matches *glob*; a plain path also matches everything below it.

    ``**/`` matches any number of folders, also none; ``[abc]`` and ``[!abc]`` one character of a set.
    Source: gitignore(5), PATTERN FORMAT, for ``**``.
    """
    glob = normal(glob)[:LONGEST]
    if is_plain(glob):
        return lambda path: path == glob or path.startswith(f"{glob}/")
    above = glob.removesuffix("**")
    if above.endswith("/") and is_plain(above):
        return lambda path: path.startswith(above)  # the most common form: everything below one folder
    if (simple := _simple(glob)) is not None:
        return simple
    import re2

    options = re2.Options()
    options.log_errors = False
    compiled = re2.compile(f"(?s){_pattern(_encodable(glob))}", options)
    return lambda path: compiled.fullmatch(_encodable(path)) is not None


def _simple(glob: str) -> Callable[[str], bool] | None:
    """Return a matcher for ``folder/pre*post`` or ``folder/**/pre*post``, by comparison; None for any other glob."""
    folder, _, name = glob.rpartition("/")
    before, star, behind = name.partition("*")
    is_deep = folder == "**" or folder.endswith("/**")
    above = folder.removesuffix("**").removesuffix("/") if is_deep else folder
    if not star or not all(is_plain(part) for part in (above, before, behind)):
        return None
    root = f"{above}/" if above else ""

    def matches(path: str) -> bool:
        inside, _, last = path.rpartition("/")
        is_there = path.startswith(root) if is_deep else inside == above
        is_long = len(last) >= len(before) + len(behind)
        return is_there and is_long and last.startswith(before) and last.endswith(behind)

    return matches


def _encodable(text: str) -> str:
    """Return text that re2 accepts: a byte of a name that is not UTF-8 (a lone surrogate) becomes one character."""
    if text.isascii():
        return text
    return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)


def _pattern(glob: str) -> str:
    parts: list[str] = []
    at = 0
    while at < len(glob):
        if glob.startswith("**/", at) and (at == 0 or glob[at - 1] == "/"):
            parts.append("(?:[^/]+/)*")
            at += 3
        elif glob.startswith("**", at):
            parts.append(".*")
            at += 2
        elif glob[at] == "*":
            parts.append("[^/]*")
            at += 1
        elif glob[at] == "?":
            parts.append("[^/]")
            at += 1
        else:
            piece, at = _literal_or_set(glob, at)
            parts.append(piece)
    return "".join(parts)


def _literal_or_set(glob: str, at: int) -> tuple[str, int]:
    from re import escape

    # A bracket directly after the opening one (and its negation) is a member.
    first = at + 3 if glob[at + 1 : at + 2] in ("!", "^") else at + 2
    end = glob.find("]", first) if glob[at] == "[" else -1
    if end < 0:
        return escape(glob[at]), at + 1
    inside = glob[at + 1 : end]
    negated = inside.startswith(("!", "^"))
    chars = _members(inside[1:] if negated else inside)
    if negated:
        return f"[^/{chars}]", end + 1
    return (f"[{chars}]" if chars else NOTHING), end + 1


def _members(inside: str) -> str:
    """Return the members of a set for re2: never a slash, and nothing for a reversed range (fnmatch(3))."""
    from re import escape

    parts: list[str] = []
    at = 0
    while at < len(inside):
        is_range = inside[at + 1 : at + 2] == "-" and at + 2 < len(inside)
        low, high = inside[at], inside[at + 2 if is_range else at]
        at += 3 if is_range else 1
        around_slash = ((low, min(high, ".")), (max(low, "0"), high))
        parts += [f"{escape(a)}-{escape(b)}" for a, b in around_slash if a <= b]
    return "".join(parts)


def has_to_do(globs: Iterable[str], places: Sequence[str]) -> bool:
    """Return whether a memory's paths include one of these files, or something below one of these folders."""
    globs = [without_lines(glob) for glob in globs]
    for place in places:
        below = normal(place).removesuffix("/**").removesuffix("**") + "/"
        for glob in globs:
            if matcher(glob)(normal(place).removesuffix("/**")) or normal(glob).startswith(below):
                return True
            if not is_plain(place) and matcher(place)(normal(glob)):
                return True
    return False
