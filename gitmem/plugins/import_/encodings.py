"""Turn the text of other programs into UTF-8: UTF-16, UTF-32, and Windows-1252, which contains Latin-1. Pure.

Some programs write UTF-16 without its mark. It is recognized by zero bytes, of which text in UTF-8 has few or none,
and by characters that can all be printed. Single bytes do not tell their encoding, so Windows-1252 is assumed only
where that gives a text of a language that is written with few letters beyond ASCII. Text in another encoding stays as
it is, and is refused as "not UTF-8".
"""

from __future__ import annotations

import codecs
import re

# The largest share of characters beyond ASCII: 12 of 100 letters in French and German, nearly all in Russian.
MOST_FOREIGN = 0.25
# What Windows-1252 has beside letters: quotes, dashes, dots, signs of money and of paragraphs.
_SIGNS = frozenset("€‚„…†‡‰‹‘’“”•–—™›\xa0¡£©«®°±²³´·¹»¼½¾¿§×")
# Accented letters and quotes as UTF-8 has them, which read "Ã©" and "â€œ" as Windows-1252: the file mixes both.
_AS_UTF8 = re.compile(rb"[\xc2\xc3][\x80-\xbf]|\xe2\x80[\x90-\xbf]")
# The mark of UTF-32 begins with that of UTF-16.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_SPACES = dict.fromkeys(map(ord, " \n\r\t"))
REMARK = "it was read as {}, and is stored as UTF-8"


def to_utf8(data: bytes) -> tuple[bytes, str]:
    """Return bytes as UTF-8, and a remark if they were in another encoding; unknown ones unchanged."""
    for mark, encoding in _MARKS.items():
        if data.startswith(mark):
            try:
                return data.removeprefix(mark).decode(encoding).encode(), REMARK.format(encoding[:6].upper())
            except UnicodeError:
                return data, ""
    if b"\0" in data:
        return (data, "") if _is_text_with_zeros(data) else _without_mark(data)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return _from_windows(data)
    return data, ""


def _is_text_with_zeros(data: bytes) -> bool:
    """Return whether bytes are text in UTF-8 with a few zero bytes: read as UTF-16, it would be Chinese."""
    try:
        text = data.replace(b"\0", b"").decode()
    except UnicodeDecodeError:
        return False
    return 3 * data.count(0) < len(data) and text.translate(_SPACES).isprintable()


def _without_mark(data: bytes) -> tuple[bytes, str]:
    for encoding in _MARKS.values():
        try:
            text = data.decode(encoding)
        except UnicodeError:
            continue
        plain = text.translate(_SPACES)
        if len(plain) < len(text) and plain.isprintable():
            return text.encode(), REMARK.format(encoding[:6].upper())
    return data, ""


def _from_windows(data: bytes) -> tuple[bytes, str]:
    if data.startswith(b"%PDF-") or _AS_UTF8.search(data):
        return data, ""
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:  # five bytes are no characters
        return data, ""
    foreign = [char for char in text if not char.isascii()]
    is_text = "\0" not in text and all(char.isalpha() or char in _SIGNS for char in foreign)
    return (text.encode(), REMARK.format("Windows-1252")) if is_text and _is_rare(foreign, text) else (data, "")


def _is_rare(foreign: list[str], text: str) -> bool:
    """Return whether a text has few characters beyond ASCII, for its letters."""
    return len(foreign) <= MOST_FOREIGN * sum(map(str.isalpha, text))
