"""Undo disguises of a text: letters written apart, and base64, hex and ROT13.

What comes out is searched like the text itself; it is never shown.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import re

# A run of single letters with one and the same separator: "i.g.n.o.r.e", "I g n o r e".
_SPACED_LETTERS = re.compile(r"(?<!\w)[^\W\d_]([ ._*|-])(?:[^\W\d_]\1){3,}[^\W\d_](?!\w)")
# Longer texts are files, not sentences.
_BASE64 = re.compile(r"(?<![\w+/=])[A-Za-z0-9+/]{20,4000}={0,2}(?![\w+/=])")
_HEX = re.compile(r"(?<!\w)(?:[0-9a-fA-F]{2}){10,2000}(?!\w)")
# At most this many encoded words of one text are decoded.
DECODED_AT_MOST = 20


def undisguise(text: str) -> list[tuple[int, str]]:
    """Return the texts that are hidden in a text: the line where each begins, from 1, and the plain text."""
    plain_lines = [(number, plain) for number, line in enumerate(text.split("\n"), 1) if (plain := _joined(line))]
    if "rot13" in text.lower() or "rot-13" in text.lower():
        plain_lines.append((1, codecs.decode(text, "rot13")))
    for match in [*_BASE64.finditer(text), *_HEX.finditer(text)][:DECODED_AT_MOST]:
        if plain := _decoded(match[0]):
            plain_lines.append((text.count("\n", 0, match.start()) + 1, plain))
    return plain_lines


def _joined(line: str) -> str:
    """Return a line with its letters joined to words; empty if it has none that are written apart.

    Between words there is more space than between letters.
    """
    match = _SPACED_LETTERS.search(line)
    if match is None:
        return ""
    separator = re.escape(match[1])
    words = re.compile(rf"(?<!\w)[^\W\d_](?:{separator}[^\W\d_])+(?![^\W_])")
    return re.sub(r"\s+", " ", words.sub(lambda word: word[0].replace(match[1], ""), line))


def _decoded(word: str) -> str:
    """Return the ASCII text in a base64 or hex word; empty if it has none."""
    try:
        raw = bytes.fromhex(word) if _HEX.fullmatch(word) else base64.b64decode(word + "=" * (-len(word) % 4))
        plain = raw.decode("ascii")
    except (ValueError, binascii.Error):
        return ""
    return plain if plain.isprintable() or all(char.isprintable() or char.isspace() for char in plain) else ""
