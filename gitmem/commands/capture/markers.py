"""Find the text after ``LEARNED:``, ``LEARNING:``, ``DECISION:`` or ``FACT:``. Pure.

Text in a code fence or a quotation (``>``) is skipped: it is by someone else, or an example.
"""

from __future__ import annotations

import re

from gitmem.frozen import frozen

LEARNED = "learned"
DECISION = "decision"
FACT = "fact"
# A text with more of them is a changelog, not learnings; and the longest one.
AT_MOST = 5
TEXT_LIMIT = 4_000
_WORDS = {"LEARNED": LEARNED, "LEARNING": LEARNED, "LEARNT": LEARNED, "DECISION": DECISION, "FACT": FACT}
# At the beginning of a line, after a list marker and in bold as well.
_BEGINS = re.compile(
    r" {0,3}(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)?(?:\*\*|__)?"
    r"(LEARNED|LEARNING|LEARNT|[Ll]earned|[Ll]earning|[Ll]earnt|DECISION|FACT)(?:\*\*|__)?[ \t]*:[ \t]*(.*)"
)
# Inside a line only after the end of a sentence: "All done. LEARNED: …" (an agent's last message).
_INSIDE = re.compile(r"(?<=[.!?…][ \t])(LEARNED|LEARNING|DECISION):[ \t]*(.*)")
_FENCE = re.compile(r" {0,3}(```|~~~)")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)]|#{1,6})[ \t]")
_LEFT_OPEN = re.compile(r"<[^<>]*>|\[[^\[\]]*\]|\.{2,}|…")


@frozen
class Marker:
    """A marked learning in a text.

    Attributes:
        word: ``learned``, ``decision`` or ``fact``.
        text: The learning; not empty.
    """

    word: str
    text: str


def find_marked(text: str, *, is_comment: bool) -> list[Marker]:
    """Return the marked learnings in a text, in order, without duplicates.

    Args:
        text: The text.
        is_comment: Whether the text is a comment: then a mark at its beginning applies to the whole text, and a later
            one to its paragraph. Otherwise a mark applies to its line, with indented lines below it, and claimed
            facts do not count.
    """
    found: list[tuple[str, list[str]]] = []
    in_fence, goes_on, is_all = "", False, False
    for number, line in enumerate(text.replace("\r\n", "\n").strip("\n").split("\n")):
        fence = _FENCE.match(line)
        if fence and (not in_fence or in_fence == fence[1]):
            in_fence = "" if in_fence else fence[1]
            goes_on = goes_on and is_all
        begins = None if in_fence or fence else _match_mark(line, is_comment=is_comment)
        if begins:
            found.append((begins[0], [begins[1]]))
            goes_on, is_all = True, is_comment and (is_all or number == 0)
        elif goes_on and (is_all or _belongs(line, is_comment=is_comment)):
            found[-1][1].append(line.rstrip() if is_comment else line.strip())
        else:
            goes_on = False
    said = [Marker(word, _join_lines(lines, is_comment=is_comment)) for word, lines in found]
    return list(dict.fromkeys(one for one in said if one.text and not _LEFT_OPEN.fullmatch(one.text)))


def _match_mark(line: str, *, is_comment: bool) -> tuple[str, str] | None:
    at = _BEGINS.fullmatch(line) or _INSIDE.search(line)
    if at is None:
        return None
    word = _WORDS[at[1].upper()]
    return (word, at[2]) if is_comment or word != FACT else None


def _belongs(line: str, *, is_comment: bool) -> bool:
    """Return whether a line continues the learning before it."""
    if not line.strip() or line.lstrip().startswith(">"):
        return False
    return is_comment or (line[0] in " \t" and not _ITEM.match(line))


def _join_lines(lines: list[str], *, is_comment: bool) -> str:
    text = ("\n" if is_comment else " ").join(lines).strip()
    return text.removeprefix("**").removesuffix("**").strip()[:TEXT_LIMIT]
