"""Find which file a sentence says a name is in: "`load` is in `a.py`", "`a.py` defines `load`". Pure.

A file and a name in one sentence are not enough: "`cli.py` calls `load`" says nothing about where the name is defined.
"""

from __future__ import annotations

import re

from gitmem.commands.adopt.claims.claim import PATH, SYMBOL
from gitmem.commands.adopt.statements import CODE, TREE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitmem.commands.adopt.claims.claim import Claim
    from gitmem.commands.adopt.statements import Statement

# More characters between the two are another thought.
_NEAR = 80
_SIGN = r"[:–—→|(-]"
_NOUN = (
    r"(?:the|a|an|its|this|new|function|method|class|constant|type|helper|hook|component|module|file|setting|and|or)"
)
_BE = r"(?:is|are|was|were|lives?|sits?|resides?|defined|implemented|declared|located|found|kept|exported|both|all)"
_HAS = r"(?:defines?|has|contains?|declares?|exports?|implements?|provides?|holds?|with)"
# What may be between a name and its file, and the other way round: words and signs, without other code and commas.
_NAME_FIRST = re.compile(rf"(?:(?:and|or) )?(?:{_BE} )*(?:in|inside|within|at|from|of)(?: {_NOUN})*|{_SIGN}")
_FILE_FIRST = re.compile(rf"(?:\) )?(?:(?:which|that) )?(?:{_HAS}|{_SIGN})(?: {_NOUN})*")
_WITHIN = re.compile(r"\b(?:in|inside|within|from|of)(?: the| file)*[\s`*\[(]*$", re.I)
_CODE = re.compile(r"`[^`]*`")
_WORD = re.compile(r"[\w'’]+|[:–—→|()-]")


def tied_paths(statement: Statement, claims: Iterable[Claim]) -> Iterator[tuple[Claim, Claim]]:
    """Yield the names of a statement, each with a file that the statement says it is in."""
    if statement.kind in (CODE, TREE):
        return
    claims = list(claims)
    names, paths = ([one for one in claims if one.kind == kind] for kind in (SYMBOL, PATH))
    text = statement.text
    for name in names:
        for path in paths:
            if "." in path.name and _is_tied(text, name.token, path.token):
                yield name, path


def _is_tied(text: str, name: str, path: str) -> bool:
    places = [found.span() for found in re.finditer(rf"`[^`]*(?<!\w){re.escape(name)}(?!\w)[^`]*`", text)]
    link, plain = rf"\[[^\]]*\]\([^)\s]*{re.escape(path)}[^)]*\)", rf"`?(?<![\w/.-]){re.escape(path)}(?![\w/-])`?"
    files = [found.span() for found in re.finditer(rf"{link}|{plain}", text)]
    return any(_are_joined(text, one, other) for one in places for other in files)


def _are_joined(text: str, name: tuple[int, int], path: tuple[int, int]) -> bool:
    is_name_first = name[1] <= path[0]
    start, end = (name[1], path[0]) if is_name_first else (path[1], name[0])
    if not 0 <= end - start <= _NEAR:
        return False
    between = " ".join(_WORD.findall(_CODE.sub("", text[start:end])))
    if is_name_first:
        return _NAME_FIRST.fullmatch(between) is not None
    is_within = not between and "," in text[start:end] and _WITHIN.search(text[: path[0]]) is not None
    return is_within or _FILE_FIRST.fullmatch(between) is not None
