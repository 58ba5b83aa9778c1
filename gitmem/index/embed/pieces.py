"""Split a memory into the pieces that are embedded, and recognize memories that are code. Pure.

A model reads a few hundred words well; text beyond them does not affect its vector. So a long memory becomes several
pieces, each with the title in front, and the score of the best piece counts.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# With another way of splitting, increase ``vectors.folders.CUT``.
# Most pieces of one memory. At 900 characters each this is a text of 4,500 words, longer than any memory should be. A
# pasted log would otherwise take minutes to embed (MiniLM: 25 ms a piece, measured) and fill the results with pieces of
# one memory. The rest of a longer text is still found by its words.
MOST_PIECES = 32
# The title is context, so it may take at most this fraction (1/n) of its piece.
TITLE_SHARE = 3
# The share of a body's visible characters that must be code.
CODE_SHARE = 0.5
# A body is a conversation if this share of its lines, and at least this many, begin with a name and a colon.
TALK_SHARE, TALK_LINES = 0.6, 3

_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_SENTENCE = re.compile(r"(?<=[.!?])[ \t]+")
_SPEAKER = re.compile(r"[^\W\d_][\w .'-]{0,39}: ")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_.]+")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")
# `path:line` or `path:line-line`, as in `refs` (kinds.needs_refs), possibly as a list item.
_REF = re.compile(r"^(?:[-*+] +)?`?[\w./@+-]+:\d+(?:-\d+)?`?[,.;]?$")


def pieces_of(title: str, body: str, *, longest: int) -> list[str]:
    """Return the pieces of a memory that are embedded, in their order.

    In a conversation each line is a piece, together with the line before it, because a single line answers a question
    rather than the lines around it. On the recall benchmark's sessions the line before adds .008 recall@5.

    Args:
        title: Its title; an identifier is split into words, which models know better (+.013 nDCG@10 by
        cosines alone on code, measured).
        body: Its Markdown; code fences are left out.
        longest: How many characters a piece may have, >= 1 (``EmbeddingProvider.longest``).

    Returns:
        At most ``MOST_PIECES``, none longer than *longest*; cut between paragraphs, else between lines, else between
        sentences, else between words. Empty only if title and body are blank.
    """
    head = _in_words(title.strip())[: max(longest // TITLE_SHARE, 1)]
    text = "\n".join(line for line in body.splitlines() if not _FENCE.match(line)).strip()
    whole = f"{head}\n{text}".strip()
    talks = is_talk(text)
    if len(whole) <= longest and not talks:
        return [whole] if whole else []
    room = max(longest - len(head) - 1, 1)
    # Twice what fits; text beyond that would not be embedded anyway.
    text = text[: 2 * MOST_PIECES * room]
    if talks:
        lines = [part for line in text.splitlines() if line.strip() for part in _cut(line.strip(), room)]
        # If there are more lines than pieces, neighbouring lines share a piece, so that no line is left out.
        parts = _pair_lines(lines, room) if len(lines) <= MOST_PIECES else _pack(lines, "\n", _even(lines, room))
    else:
        parts = _pack((part for block in _PARAGRAPH.split(text) for part in _cut(block.strip(), room)), "\n\n", room)
    return [f"{head}\n{part}".strip() for part in parts[:MOST_PIECES]] or ([head] if head else [])


def is_talk(body: str) -> bool:
    """Return whether a text is a conversation: most of its lines begin with a name and a colon."""
    lines = [line for line in body.splitlines() if line.strip()]
    speakers = sum(1 for line in lines if _SPEAKER.match(line))
    return speakers >= max(TALK_LINES, TALK_SHARE * len(lines))


def _in_words(title: str) -> str:
    """Return a title split into words if it is a single identifier: ``get User Name`` for ``getUserName``."""
    return title if " " in title else " ".join(part for part in _HUMP.split(title) if part) or title


def _pair_lines(lines: Sequence[str], room: int) -> list[str]:
    """Return each line together with the one before it, if both fit."""
    pairs = zip(["", *lines[:-1]], lines, strict=True)
    return [f"{before}\n{line}" if before and len(before) + len(line) < room else line for before, line in pairs]


def _even(lines: Sequence[str], room: int) -> int:
    """Return the size of pieces, at most *room*, with which all lines fit into ``MOST_PIECES`` pieces, if possible."""
    # At most half of a piece is wasted, when the next line does not fit.
    total = sum(len(line) + 1 for line in lines)
    return min(room, max(-(-2 * total // MOST_PIECES), *map(len, lines)))


def _cut(text: str, room: int) -> list[str]:
    """Split a text into parts of at most *room* characters: into lines, else sentences, else words."""
    if len(text) <= room:
        return [text] if text else []
    lines = text.splitlines()
    if len(lines) > 1:
        return _pack((part for line in lines for part in _cut(line.strip(), room)), "\n", room)
    sentences = _SENTENCE.split(text)
    if len(sentences) > 1:
        return _pack((part for sentence in sentences for part in _cut(sentence, room)), " ", room)
    return _pack((word[at : at + room] for word in text.split() for at in range(0, len(word), room)), " ", room)


def _pack(parts: Iterable[str], between: str, room: int) -> list[str]:
    """Join consecutive parts as long as they fit into *room* characters."""
    packed: list[str] = []
    size = 0
    group: list[str] = []
    for part in parts:
        if group and size + len(between) + len(part) > room:
            packed.append(between.join(group))
            group, size = [], 0
        size += len(part) + (len(between) if group else 0)
        group.append(part)
    return [*packed, between.join(group)] if group else packed


def is_code(kind: str, body: str, refs: Sequence[str]) -> bool:
    """Return whether a memory is code rather than prose, which another model may embed (``gitmem.embedCode``).

    A memory is code if most of its body is code blocks and references to lines of code, or if it is a pattern that
    refers to code (a pattern is shown by its code: ``kinds``).

    Args:
        kind: The memory's kind.
        body: Its Markdown.
        refs: Its ``refs``.
    """
    if kind in ("pattern", "anti_pattern", "code_pattern") and any(_REF.match(ref) for ref in refs):
        return True
    code = visible = 0
    fence = ""
    for line in body.splitlines():
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence) and not mark[2].strip():
            fence = ""
        else:
            size = len("".join(line.split()))
            visible += size
            code += size if fence or _REF.match(line.strip()) else 0
    return code > CODE_SHARE * visible
