"""Globs over paths of a code tree: ``*`` and ``?`` match within one folder, ``**`` across folders. Pure.

A backslash before ``*``, ``?``, ``[`` or a backslash that is followed by one of these makes it an ordinary character.
File names such as ``[id]`` are common, so a set also matches its own text; which of the two is meant is decided where
the files are known (``verify.files``).

A glob comes from a memory, that is from other people: it runs on re2, whose time is linear in the path. re2 takes 8.5
ms to import and ``re`` 5 (measured), so both are loaded when the first glob is compiled that has more than one wildcard
in the name of its file.
"""

from __future__ import annotations

from functools import lru_cache

from gitmem.text import composed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

WILD = frozenset("*?[")
# What a backslash escapes.
ESCAPED = WILD | {"\\"}
# A longer glob is not a real path (PATH_MAX of Linux, limits.h).
LONGEST = 4096
# Matches no character: re2's form of a set without members, since it has no lookahead.
NO_MATCH = r"[^\x00-\x{10FFFF}]"


def is_plain(glob: str) -> bool:
    """Return whether *glob* names one path, without wildcards."""
    return WILD.isdisjoint(glob) or first_wildcard(glob) < 0


def is_path_like(glob: str) -> bool:
    """Return whether *glob* may be meant as a path: it has no ``*`` or ``?``; brackets are common in file names."""
    return WILD.isdisjoint(glob) or is_plain(without_sets(glob))


def first_wildcard(glob: str) -> int:
    """Return the position of the first wildcard that is not escaped, or -1."""
    at = 0
    while at < len(glob):
        if glob[at] in WILD:
            return at
        at += 1 + is_escape(glob, at)
    return -1


def is_escape(glob: str, at: int) -> bool:
    """Return whether the character there is a backslash that escapes the next one."""
    return glob[at] == "\\" and glob[at + 1 : at + 2] in ESCAPED


def escape(path: str) -> str:
    """Return the glob that names exactly this path; ``unescape`` undoes it."""
    if ESCAPED.isdisjoint(path):
        return path
    return "".join(f"\\{char}" if char in WILD or is_escape(path, at) else char for at, char in enumerate(path))


def unescape(glob: str) -> str:
    """Return the path that a plain glob names."""
    if "\\" not in glob:
        return glob
    chars, at = [], 0
    while at < len(glob):
        at += is_escape(glob, at)
        chars.append(glob[at])
        at += 1
    return "".join(chars)


def path_of(glob: str) -> str:
    """Return the path that a glob names, if it names one; else the glob in git's form."""
    pattern = normal(glob)
    return unescape(pattern) if is_plain(pattern) else pattern


def without_sets(glob: str) -> str:
    """Return a glob whose sets are read as text: ``app/[id]/*.ts`` names files of the folder ``[id]``."""
    if "[" not in glob:
        return glob
    chars, at = [], 0
    while at < len(glob):
        is_pair = is_escape(glob, at)
        chars.append("\\[" if glob[at] == "[" else glob[at : at + 1 + is_pair])
        at += 1 + is_pair
    return "".join(chars)


def with_names(glob: str, is_there: Callable[[str], bool]) -> str:
    """Return a glob in which each file or folder that exists exactly as it is written is escaped."""
    if len(glob) > LONGEST or escape(glob) == glob:
        return glob
    parts = glob.split("/")
    above = ["/".join(parts[: depth + 1]) for depth in range(len(parts))]
    forms = ((part, escape(part), path) for part, path in zip(parts, above, strict=True))
    return "/".join(form if form != part and is_there(path) else part for part, form, path in forms)


def fixed_prefix(glob: str) -> str:
    """Return the common beginning of all paths that *glob* matches (a set may also be read as text)."""
    pattern = normal(glob)
    at = first_wildcard(pattern)
    return unescape(pattern if at < 0 else pattern[:at])


def normal(glob: str) -> str:
    """Return *glob* in git's form: no leading ``./`` or ``/``, and a folder's trailing ``/`` replaced by ``/**``."""
    while glob.startswith(("./", "/")):
        glob = glob[2:] if glob.startswith("./") else glob[1:]
    return glob + "**" if glob.endswith("/") else glob


def without_lines(ref: str) -> str:
    """Return the file in a reference: ``src/a.py`` of ``src/a.py:3-5``; other texts are returned unchanged."""
    path, _, lines = ref.rpartition(":")
    return path if path and lines.replace("-", "").isdecimal() else ref


@lru_cache(maxsize=4096)
def matcher(glob: str) -> Callable[[str], bool]:
    """Return a function that tests whether a path matches *glob*; a plain path also matches everything below it.

    ``**/`` matches any number of folders, also none; ``[abc]`` and ``[!abc]`` one character of a set, or this text.
    Source: gitignore(5), PATTERN FORMAT, for ``**`` and the backslash.
    """
    glob = normal(glob)[:LONGEST]
    if glob.isascii():
        return _matcher(glob)
    matches = _matcher(composed(glob))
    return lambda path: matches(composed(path))


def quick_matcher(globs: Iterable[str]) -> Callable[[str], bool]:
    """Return a test that every path passes which one of many globs matches, and few others: one search for all."""
    import re2

    either = "|".join(
        part
        for glob in (composed(normal(glob_)[:LONGEST]) for glob_ in globs)
        for part in dict.fromkeys((_pattern(_encodable(glob)), re2.escape(_encodable(unescape(glob)))))
    )
    options = re2.Options()
    options.log_errors, options.max_mem = False, 64 * 1024 * 1024
    compiled = re2.compile(f"(?s)(?:{either})(?:/.*)?", options)
    return lambda path: any(
        compiled.fullmatch(_encodable(form)) is not None for form in dict.fromkeys((path, composed(path)))
    )


def is_same_name(path: str, other: str) -> bool:
    """Return whether two paths are the same, also if Unicode has two forms of them."""
    return path == other or composed(path) == composed(other)


def _matcher(glob: str) -> Callable[[str], bool]:
    is_named = _is_at_or_below(glob)
    if is_plain(glob):
        is_meant = _is_at_or_below(unescape(glob))
        return is_meant if "\\" not in glob else lambda path: is_named(path) or is_meant(path)
    above = glob.removesuffix("**")
    if above.endswith("/") and is_plain(above):
        folder = unescape(above)
        return lambda path: path.startswith(folder)  # the most common form: everything below one folder
    if (simple := _simple(glob)) is not None:
        return lambda path: simple(path) or is_named(path)
    import re2

    options = re2.Options()
    options.log_errors = False
    compiled = re2.compile(f"(?s){_pattern(_encodable(glob))}", options)
    return lambda path: is_named(path) or compiled.fullmatch(_encodable(path)) is not None


def _is_at_or_below(place: str) -> Callable[[str], bool]:
    below = f"{place}/"
    return lambda path: path == place or path.startswith(below)


def _simple(glob: str) -> Callable[[str], bool] | None:
    """Return a matcher for ``folder/pre*post``, ``folder/**/pre*post`` or ``folder/**/name``; None for other globs."""
    folder, _, name = glob.rpartition("/")
    before, star, behind = name.partition("*")
    is_deep = folder == "**" or folder.endswith("/**")
    above = folder.removesuffix("**").removesuffix("/") if is_deep else folder
    if not (star or is_deep) or not all(is_plain(part) for part in (above, before, behind)):
        return None
    above, before, behind = map(unescape, (above, before, behind))
    root = f"{above}/" if above else ""

    def matches(path: str) -> bool:
        inside, _, last = path.rpartition("/")
        is_there = path.startswith(root) if is_deep else inside == above
        is_long = len(last) >= len(before) + len(behind)
        is_so = is_long and last.startswith(before) and last.endswith(behind) if star else last == before
        return is_there and is_so

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
        elif is_escape(glob, at):
            parts.append(glob[at : at + 2])  # the same in a regular expression
            at += 2
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
    one = f"[^/{chars}]" if negated else f"[{chars}]" if chars else NO_MATCH
    return f"(?:{one}|{escape(glob[at : end + 1])})", end + 1


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
        here = unescape(normal(place).removesuffix("/**"))
        below = here.removesuffix("**") + "/"
        for glob in globs:
            named = unescape(normal(glob))
            if matcher(glob)(here) or named.startswith(below):
                return True
            if not is_plain(place) and matcher(place)(named):
                return True
    return False
