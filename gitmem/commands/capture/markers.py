"""Find what is marked as learned or decided in a text: after a word and a colon, in the list below it, under a heading.

Text in a code fence or a quotation (``>``) is skipped: it is by someone else, or an example.
"""

from __future__ import annotations

import re

from gitmem.commands.capture.placeholder import is_placeholder
from gitmem.frozen import frozen
from gitmem.text.marker_words import DECISION, FACT, LEARNED, MARKERS

__all__ = ("AT_MOST", "DECISION", "FACT", "LEARNED", "TEXT_LIMIT", "Marker", "find_marked")

# A text with more of them is a changelog, not learnings; and the longest one.
AT_MOST = 5
TEXT_LIMIT = 4_000
_WORD = "|".join(re.escape(word) for word in sorted(MARKERS, key=len, reverse=True))
_CAPITALS = "|".join(word.upper() for word in MARKERS if word.isascii() and " " not in word and MARKERS[word] != FACT)
_ITEM = r"(?:[-*+•]|\d{1,3}[.)、])"
# A symbol before the word: "💡 Learned: …".
_SIGN = r"[\u2600-\u27bf\u2b50\U0001f300-\U0001faff]\ufe0f?"
# At the beginning of a line, after a list marker and in bold as well; a dash in place of the colon is prose otherwise.
_BEGINS = re.compile(
    rf"(?i: {{0,3}}(?:{_ITEM}[ \t]+)?(?:{_SIGN}[ \t]*)?(?P<bold>\*\*|__)?(?P<word>{_WORD}))"
    r"(?:[ \t]?\([^()\n]{1,40}\))?"
    r"(?P<sign>(?(bold)(?:[ \t]*[:：][ \t]*(?P=bold)?|[ \t]*(?P=bold)[ \t]*[:：]?)|[ \t]*[:：]))[ \t]*(?P<text>.*)"
)
# "[LEARNED] …"; and a line that is code as a whole.
_BRACKETS = re.compile(rf" {{0,3}}(?:{_ITEM}[ \t]+)?\[(?P<word>{_CAPITALS})\][ \t]*[:：]?[ \t]+(?P<text>\S.*)")
_CODE_LINE = re.compile(r"^`([^`]+)`[ \t]*$")
_COLON = re.compile(rf"(?i:(?:\*\*|__)?(?:{_WORD})(?:\*\*|__)?[ \t]*[:：])")
_DASH = re.compile(r" {0,3}(?:\*\*|__)?([A-ZÀ-Ý][A-ZÀ-Ý ]+)(?:\*\*|__)?[ \t]+[—–-][ \t]+(.*)")
# Inside a line only after the end of a sentence, in capitals: "All done. LEARNED: …" (an agent's last message).
_INSIDE = re.compile(rf"(?<=[.!?…。][ \t])({_CAPITALS}):[ \t]*(.*)|(?<=[。！？])(经验|学到|学び|決定|决定)[:：](.*)")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*")
_RULE = re.compile(r" {0,3}(?:-{3,}|\*{3,}|_{3,})[ \t]*")
_FENCE = re.compile(r" {0,3}(```|~~~)")
_LIST_MARKER = re.compile(rf"([ \t]*){_ITEM}[ \t]+(?:\[[ xX]\][ \t]+)?(.*)")
_ITEM_OR_HEAD = re.compile(rf"[ \t]*(?:{_ITEM}|#{{1,6}})[ \t]")


@frozen
class Marker:
    """A marked learning in a text.

    Attributes:
        word: ``learned``, ``decision`` or ``fact``.
        text: The learning; not empty.
    """

    word: str
    text: str


class _Search:
    """One pass over the lines of a text.

    Attributes:
        found: The marked texts so far: each one's word, and its lines.
    """

    def __init__(self, *, is_comment: bool) -> None:
        self.found: list[tuple[str, list[str]]] = []
        self._is_comment = is_comment
        self._goes_on = self._is_all = False
        # Below a mark without text: its word, and the depth of its heading, 0 for a line.
        self._below = ""
        self._depth = 0
        self._indent = -1
        self._blank = self._in_paragraph = False

    def see(self, line: str, number: int) -> None:
        """Search a line outside code."""
        heading = _HEADING.fullmatch(line)
        if not self._is_comment and heading and self._head(len(heading[1]), heading[2]):
            return
        begins = _match_mark(line, is_comment=self._is_comment)
        if begins is not None:
            self._begin(*begins, number)
        elif self._goes_on and (self._is_all or _belongs(line, is_comment=self._is_comment)):
            self.found[-1][1].append(line.rstrip() if self._is_comment else line.strip())
        else:
            self._goes_on = False
            self._list(line)

    def code(self, line: str) -> None:
        """Handle a line of code: it belongs to the text of a comment only."""
        if self._goes_on and self._is_all:
            self.found[-1][1].append(line.rstrip())
        else:
            self._goes_on = False

    def _begin(self, word: str, text: str, number: int) -> None:
        self.found.append((word, [text]))
        self._goes_on, self._is_all = True, self._is_comment and (self._is_all or number == 0)
        self._below, self._depth, self._indent, self._blank, self._in_paragraph = "", 0, -1, False, False
        if not text.strip() and not self._is_comment:
            self.found.pop()
            self._goes_on, self._below = False, word

    def _head(self, depth: int, title: str) -> bool:
        """Open or close the section of a heading; return whether the heading is a marker."""
        word = MARKERS.get(_plain(title), "")
        if word and word != FACT:
            self._begin(word, "", 1)
            self._depth = depth
            return True
        if self._below and (not self._depth or depth <= self._depth):
            self._below = ""
        return False

    def _list(self, line: str) -> None:
        """Add a line to the list or paragraph below a mark without text."""
        if not self._below:
            return
        if not line.strip():
            self._blank = True
            return
        item = _LIST_MARKER.fullmatch(line)
        is_closed = line.lstrip().startswith(">") or _RULE.fullmatch(line)
        if is_closed or (self._depth and _COLON.match(line.strip())):
            self._below = ""
        elif item is not None:
            indent = len(item[1].expandtabs(4))
            if self._indent < 0 or indent <= self._indent:
                self._indent = indent if self._indent < 0 else self._indent
                self.found.append((self._below, [item[2].strip()]))
            elif self.found:
                self.found[-1][1].append(item[2].strip())
        elif self._indent >= 0 and line[0] in " \t" and not self._blank:
            self.found[-1][1].append(line.strip())
        elif self._indent < 0 and (self._depth or not self._blank):
            if not self._in_paragraph or self._blank:
                self.found.append((self._below, []))
            self.found[-1][1].append(line.strip())
            self._in_paragraph = True
        else:
            self._below = ""
        self._blank = False


def find_marked(text: str, *, is_comment: bool) -> list[Marker]:
    """Return the marked learnings in a text, in order, without duplicates and without those that say nothing.

    Args:
        text: The text.
        is_comment: Whether the text is a comment: then a mark at its beginning applies to the whole text, and a later
            one to its paragraph. Otherwise a mark applies to its line, with indented lines below it, to the list below
            it if its line has no text, and as a heading to the items of its section; claimed facts do not count.
    """
    search, in_fence = _Search(is_comment=is_comment), ""
    for number, line in enumerate(text.replace("\r\n", "\n").strip("\n").split("\n")):
        fence = _FENCE.match(line)
        if fence and (not in_fence or in_fence == fence[1]):
            in_fence = "" if in_fence else fence[1]
            search.code(line)
        elif in_fence or fence:
            search.code(line)
        else:
            search.see(line, number)
    markers = [Marker(word, _join_lines(lines, is_comment=is_comment)) for word, lines in search.found]
    return list(dict.fromkeys(marker for marker in markers if marker.text and not is_placeholder(marker.text)))


def _plain(title: str) -> str:
    """Return a heading without emphasis, numbering, signs and a colon, in lower case."""
    bare = title.strip().strip("*_").rstrip(":： ").strip("*_").casefold()
    return " ".join(bare.lstrip("0123456789.)、 ").strip().split()) if bare[:1].isalnum() else _after_sign(bare)


def _after_sign(title: str) -> str:
    start = next((at for at, char in enumerate(title) if char.isalnum()), len(title))
    return " ".join(title[start:].split())


def _match_mark(line: str, *, is_comment: bool) -> tuple[str, str] | None:
    if bracketed := _BRACKETS.fullmatch(line):
        return MARKERS[bracketed["word"].casefold()], bracketed["text"]
    begins = _BEGINS.fullmatch(_CODE_LINE.sub(r"\1", line))
    # A word alone in bold is a heading.
    if begins is not None and (not begins["text"] or begins["sign"].strip(" \t*_")):
        word = MARKERS[begins["word"].casefold()]
        return (word, begins["text"]) if is_comment or word != FACT else None
    dashed = _DASH.fullmatch(line)
    if dashed is not None and dashed[1].strip().casefold() in MARKERS:
        return MARKERS[dashed[1].strip().casefold()], dashed[2]
    inside = _INSIDE.search(line)
    if inside is None:
        return None
    return MARKERS[(inside[1] or inside[3]).casefold()], inside[2] or inside[4] or ""


def _belongs(line: str, *, is_comment: bool) -> bool:
    """Return whether a line continues the learning before it."""
    if not line.strip() or line.lstrip().startswith(">"):
        return False
    return is_comment or (line[0] in " \t" and not _ITEM_OR_HEAD.match(line))


def _join_lines(lines: list[str], *, is_comment: bool) -> str:
    text = ("\n" if is_comment else " ").join(lines).strip()
    if text.count("**") == 1 or (text.startswith("**") and text.find("**", 2) == len(text) - 2):
        text = text.removeprefix("**").removesuffix("**").strip()  # the mark began in bold
    return text[:TEXT_LIMIT]
