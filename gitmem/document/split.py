"""Decode a file and find the end of the frontmatter: the first checks, which cost next to nothing.

The limits are checked before any parser sees the text, because every YAML parser has inputs that are slow for their
length (measured with PyYAML 6.0.3: 1,000 opening brackets 1.2 s, a flow list of 1 MB 2.6 s).
"""

from __future__ import annotations

from gitmem.errors import FormatError
from gitmem.frozen import frozen

# 64 KiB per memory and 8 KiB of frontmatter: our limits, far above any real memory ("size caps asked
# before content is read").
MAX_BYTES = 64 * 1024
MAX_FRONTMATTER_BYTES = 8 * 1024

_BOM = "\ufeff"
_FENCE = "---"


@frozen
class Parts:
    """A memory file in parts; ``head + frontmatter + fence + body`` is the exact text of the file.

    Attributes:
        head: A byte order mark, if there is one, and the opening ``---`` line.
        frontmatter: The lines between the fences, with their original line breaks; may be empty.
        fence: The closing ``---`` line.
        body: Everything below it.
    """

    head: str
    frontmatter: str
    fence: str
    body: str


def decode(data: bytes | str, limit: int = MAX_BYTES) -> str:
    """Return the exact text of a file, including a byte order mark.

    Args:
        data: The content; text is limited to a memory's size.
        limit: The most bytes.

    Raises:
        FormatError: ``too-large``, ``not-utf8`` or ``nul-character``.
    """
    text = _decoded(data, limit) if isinstance(data, bytes) else _checked(data)
    if "\0" in text:
        raise FormatError("a NUL character", code="nul-character", line=_line_at(text, text.index("\0")))
    return text


def _decoded(data: bytes, limit: int) -> str:
    if len(data) > limit:
        raise _too_large(limit)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as err:
        line = 1 + data.count(b"\n", 0, err.start)
        raise FormatError("the file is not UTF-8", code="not-utf8", line=line) from err


def _checked(text: str) -> str:
    # The length in characters first: it costs nothing, and bounds the cost of encoding.
    if len(text) > MAX_BYTES:
        raise _too_large()
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError as err:
        raise FormatError("a lone surrogate", code="not-utf8", line=_line_at(text, err.start)) from err
    if size > MAX_BYTES:
        raise _too_large()
    return text


def _too_large(limit: int = MAX_BYTES) -> FormatError:
    return FormatError(
        f"the file is larger than {limit // 1024} KiB", code="too-large", hint="split it into several memories"
    )


def split(text: str) -> Parts:
    """Split a file at its fences: the first line is ``---``, and the next line that is ``---`` ends the frontmatter.

    Raises:
        FormatError: ``empty-file``, ``no-frontmatter``, ``unclosed-frontmatter`` or ``frontmatter-too-large``.
    """
    start = _line_end(text, len(_BOM) if text.startswith(_BOM) else 0)
    if not start:
        raise _without_frontmatter(text)
    at = start - 1
    while True:
        at = text.find("\n" + _FENCE, at)
        if at < 0:
            raise FormatError("the frontmatter has no closing `---`", code="unclosed-frontmatter", line=1)
        end = _line_end(text, at + 1)
        if end:
            break
        at += 1
    frontmatter = text[start : at + 1]
    if len(frontmatter) > MAX_FRONTMATTER_BYTES or len(frontmatter.encode()) > MAX_FRONTMATTER_BYTES:
        kib = MAX_FRONTMATTER_BYTES // 1024
        raise FormatError(
            f"the frontmatter is larger than {kib} KiB",
            code="frontmatter-too-large",
            line=1,
            hint="move text into the body",
        )
    return Parts(text[:start], frontmatter, text[at + 1 : end], text[end:])


def _line_end(text: str, at: int) -> int:
    """Return the offset after the fence line at *at*, or 0 if there is no fence."""
    if not text.startswith(_FENCE, at):
        return 0
    stop = text.find("\n", at)
    end = len(text) if stop < 0 else stop + 1
    return 0 if text[at + len(_FENCE) : end].strip(" \t\r\n") else end


def _without_frontmatter(text: str) -> FormatError:
    if not text.strip(" \t\r\n" + _BOM):
        return FormatError("the file is empty", code="empty-file", line=1)
    return FormatError(
        "the first line is not `---`",
        code="no-frontmatter",
        line=1,
        hint="begin the file with frontmatter between two lines of `---`",
    )


def _line_at(text: str, offset: int) -> int:
    return 1 + text.count("\n", 0, offset)
