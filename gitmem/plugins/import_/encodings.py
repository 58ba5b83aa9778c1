"""Turn the text of other programs into UTF-8: UTF-16 with its mark, and Windows-1252, which contains Latin-1. Pure.

Bytes do not tell their encoding, so Windows-1252 is assumed only where that gives a text of a language that is written
with few letters beyond ASCII. Text in another encoding stays as it is, and is refused as "not UTF-8".
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
_MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
REMARK = "it was read as {}, and is stored as UTF-8"


def to_utf8(data: bytes) -> tuple[bytes, str]:
    """Return bytes as UTF-8, and a remark if they were in another encoding; unknown ones unchanged."""
    if (encoding := _MARKS.get(data[:2])) is not None:
        try:
            return data[2:].decode(encoding).encode(), REMARK.format("UTF-16")
        except UnicodeError:
            return data, ""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return _from_windows(data)
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
