"""A quick filter that clears most texts of containing credentials: all rules in one pass of re2, disguises in another.

A normal scan searches 126 needles in turn, 75 us for 700 characters of prose (measured); this takes 13, but 20 ms
before the first text: only code that scans many texts loads it. It may report a text without credentials, but never
misses one (a property test checks this): its patterns are those of the rules without the features that re2 lacks.
The signs of disguises take 3 us instead of 27 for the memories of ``benchmarks.generate`` (measured).
"""

from __future__ import annotations

import re
from functools import cache

import re2

from gitmem.text.secret_disguises import INVISIBLE, PREFIXES, SHORTEST_RUN
from gitmem.text.secret_rules import RULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# A look-around condition; none in the table contains another group.
_LOOK_AROUND = r"\(\?<?[=!](?:\\.|\[(?:\\.|[^\]\\])*\]|[^()\[\\])*\)"
# Digits, blanks and word characters of other scripts, which `re` matches and re2 does not.
_OTHER = r"\x{80}-\x{10FFFF}"
# The limit for counted repetitions: each is copied in re2's program, which would be three times as large with all.
_COUNTED = 8
# Letters or digits at the beginning of a pattern: re2 would count them in every word (measured: 20 us instead of 13).
_LEADING = r"^(\(?)(?:\[[^\]]*\]|\\d)\{[\d,]+\}"
# Letters that `re` equates with i, s and k if a pattern ignores case; re2 knows two of the four.
_FOLDED = "\u0130\u0131\u017f\u212a"


def may_hold_secret(text: str) -> bool:
    """Return whether a text may contain a credential."""
    if not text.isascii() and any(letter in text for letter in _FOLDED):
        return True
    try:
        return _pattern().search(text.encode()) is not None
    except UnicodeEncodeError:  # a lone surrogate
        return True


def may_have_disguise(text: str) -> bool:
    """Return whether a text may have a sign of a disguise (``secret_disguises.may_be_disguised``)."""
    if "%" in text or "\\" in text:
        return True
    try:
        return _signs().search(text.encode()) is not None
    except UnicodeEncodeError:
        return True


@cache
def _pattern() -> Any:
    return _compiled("|".join(f"(?:{rule.quick or _relaxed(rule.pattern)})" for rule in RULES))


@cache
def _signs() -> Any:
    r"""Return the pattern of what a disguise has besides ``%`` and ``\``: letters of any script count as base64."""
    run = rf"[A-Za-z0-9+/:{_OTHER}]{{{SHORTEST_RUN}}}"
    return _compiled("|".join([f"[{INVISIBLE}]", *PREFIXES, run]))


def _compiled(pattern: str) -> Any:
    options = re2.Options()
    options.never_capture = True
    options.log_errors = False  # if its memory limit prevents the fast algorithm, it uses the slow one
    options.max_mem = 32 << 20  # with 8 MiB, the default, it would: 60 us instead of 4 (measured)
    return re2.compile(pattern, options)


def _relaxed(pattern: str) -> str:
    """Return a pattern for re2 that matches wherever this one does."""
    bare = re.sub(_LOOK_AROUND, "", pattern)
    counted = re.sub(r"\{(\d+)(?:,\d*)?\}", _at_least, re.sub(_LEADING, r"\1", bare))
    blank = counted.replace(r"\s{", rf"[\s{_OTHER}]{{")
    return blank.replace(r"[\w", rf"[\w{_OTHER}").replace(r"\d", rf"[\d{_OTHER}]")


def _at_least(repetition: re.Match[str]) -> str:
    return f"{{{min(int(repetition[1]), _COUNTED)},}}"
