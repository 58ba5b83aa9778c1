"""Find the text after ``LEARNED:``, ``LEARNING:``, ``DECISION:`` or ``FACT:``. Pure.

What is in a code fence or is quoted (``>``) are somebody else's words, or an example.
"""

from __future__ import annotations

import re

from gitmem.frozen import frozen

LEARNED = "learned"
DECISION = "decision"
FACT = "fact"
# More than a few of one text are no learnings but a changelog; one is not an essay.
AT_MOST = 5
TEXT_LIMIT = 4_000
_WORDS = {"LEARNED": LEARNED, "LEARNING": LEARNED, "LEARNT": LEARNED, "DECISION": DECISION, "FACT": FACT}
# At the begin of a line, behind the sign of a list and in bold as well.
_BEGINS = re.compile(
    r" {0,3}(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)?(?:\*\*|__)?"
    r"(LEARNED|LEARNING|LEARNT|[Ll]earned|[Ll]earning|[Ll]earnt|DECISION|FACT)(?:\*\*|__)?[ \t]*:[ \t]*(.*)"
)
# In the middle of one only behind the end of a sentence: "All done. LEARNED: …" (an agent's last words).
_INSIDE = re.compile(r"(?<=[.!?…][ \t])(LEARNED|LEARNING|DECISION):[ \t]*(.*)")
_FENCE = re.compile(r" {0,3}(```|~~~)")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)]|#{1,6})[ \t]")
_LEFT_OPEN = re.compile(r"<[^<>]*>|\[[^\[\]]*\]|\.{2,}|…")


@frozen
class Marker:
    """One thing that a text says was learned.

    Attributes:
        word: ``learned``, ``decision`` or ``fact``.
        text: What was; not empty.
    """

    word: str
    text: str


def find_marked(text: str, *, is_comment: bool) -> list[Marker]:
    """Return what a text says was learned, in its order; what is there twice, once.

    Args:
        text: The text.
        is_comment: Whether it was written for what it says: then what begins with a mark goes on to the end, and what
            follows a mark further down to the end of the paragraph. Elsewhere it is a line, with what is indented
            below it; and a claimed fact does not count.
    """
    found: list[tuple[str, list[str]]] = []
    in_fence, goes_on, is_all = "", False, False
    for number, line in enumerate(text.replace("\r\n", "\n").strip("\n").split("\n")):
        fence = _FENCE.match(line)
        if fence and (not in_fence or in_fence == fence[1]):
            in_fence = "" if in_fence else fence[1]
            goes_on = goes_on and is_all
        begins = None if in_fence or fence else _begins(line, is_comment=is_comment)
        if begins:
            found.append((begins[0], [begins[1]]))
            goes_on, is_all = True, is_comment and (is_all or number == 0)
        elif goes_on and (is_all or _belongs(line, is_comment=is_comment)):
            found[-1][1].append(line.rstrip() if is_comment else line.strip())
        else:
            goes_on = False
    said = [Marker(word, _joined(lines, is_comment=is_comment)) for word, lines in found]
    return list(dict.fromkeys(one for one in said if one.text and not _LEFT_OPEN.fullmatch(one.text)))


def _begins(line: str, *, is_comment: bool) -> tuple[str, str] | None:
    at = _BEGINS.fullmatch(line) or _INSIDE.search(line)
    if at is None:
        return None
    word = _WORDS[at[1].upper()]
    return (word, at[2]) if is_comment or word != FACT else None


def _belongs(line: str, *, is_comment: bool) -> bool:
    """Return whether a line goes on with what was learned in the one before."""
    if not line.strip() or line.lstrip().startswith(">"):
        return False
    return is_comment or (line[0] in " \t" and not _ITEM.match(line))


def _joined(lines: list[str], *, is_comment: bool) -> str:
    text = ("\n" if is_comment else " ").join(lines).strip()
    return text.removeprefix("**").removesuffix("**").strip()[:TEXT_LIMIT]
