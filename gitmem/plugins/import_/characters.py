"""Bring the characters of other programs' texts into the form of the store. Pure.

Editors, word processors and chats leave marks in a text that draw nothing: soft hyphens, marks of direction, selectors
of a glyph's form, control characters, colours. A text says the same without them. Overrides of direction, tags and runs
of selectors can hide a text or change its order: they stay, so that the text is refused.

Sources: Unicode Standard, DerivedCoreProperties.txt, Default_Ignorable_Code_Point; UAX #9, section 2; UAX #14 for line
breaks; UTS #37, Ideographic Variation Sequences; UTS #51, section C.1, for flags made of tags.
"""

from __future__ import annotations

import re
from unicodedata import category, normalize

from gitmem.frozen import replace
from gitmem.text import hidden_characters, without_stray_joiners

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitmem.plugins.import_.fields import ImportRecord

LAYOUT_REMARK = "invisible characters, such as control characters and soft hyphens, were left out"
UNKNOWN_REMARK = "characters without a meaning of their own, such as those of icon fonts, became \ufffd"
_BREAK = re.compile("\r\n?|[\v\f\x85\u2028\u2029]")
# Complete commands to a terminal: a link or a title, and a colour or a movement of the cursor (ECMA-48, 5.4 and 5.6).
_COMMAND = re.compile(r"\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)|(?:\x1b\[|\x9b)[0-?]*[@-~]")
# Control characters but NUL, soft hyphens, zero-width spaces, marks of direction, invisible signs of formulas, the
# openings and ends of embedded and isolated runs, old fillers of Korean; a selector alone after what it selects.
_UNDRAWN = re.compile(
    "[\x01-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    "\u202a-\u202c\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]"
    "|(?<=[^\ufe00-\ufe0f])[\ufe00-\ufe0e](?![\ufe00-\ufe0f])"
    "|(?<=[\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af])[\U000e0100-\U000e01ef](?![\U000e0100-\U000e01ef])"
    "|(?<=\U0001f3f4)[\U000e0030-\U000e0039\U000e0061-\U000e007a]{2,6}\U000e007f"
)
# Signs between words that draw nothing: separators of ASCII, the blank Braille pattern, fillers of Korean.
_BLANK = re.compile("[\x1c-\x1f\u2800\u3164\uffa0]")


def in_stored_form(record: ImportRecord) -> ImportRecord:
    """Return a memory of another system in NFC, with line feeds as its only line breaks, and without undrawn marks.

    Soft hyphens and zero-width spaces only say where a line may break, and a joiner that its neighbours do not require
    is a slip of an editor: without them the text says the same.
    """
    remarks: set[str] = set()
    fields, body = _stored(record.fields, remarks), _stored(record.body, remarks)
    return replace(record, fields=fields, body=body, remark="; ".join(filter(None, (record.remark, *sorted(remarks)))))


def _stored(value: Any, remarks: set[str]) -> Any:
    if isinstance(value, str):
        # Most texts need no change, and 100,000 of them are read at once.
        return value if value.isascii() and value.isprintable() else _text(value, remarks)
    if isinstance(value, dict):
        return {_stored(name, remarks): _stored(part, remarks) for name, part in value.items()}
    return [_stored(part, remarks) for part in value] if isinstance(value, list) else value


def _text(value: str, remarks: set[str]) -> str:
    text = _BREAK.sub("\n", value)
    if hidden_characters(text, lines=True):
        drawn = _BLANK.sub(" ", _UNDRAWN.sub("", without_stray_joiners(_COMMAND.sub("", text))))
        if drawn != text:
            remarks.add(LAYOUT_REMARK)
        unknown = {char for char in hidden_characters(drawn, lines=True) if _is_unknown(char)}
        if unknown:
            remarks.add(UNKNOWN_REMARK)
        text = drawn.translate(dict.fromkeys(map(ord, unknown), "\ufffd"))
    return text if text.isascii() else normalize("NFC", text)


def _is_unknown(char: str) -> bool:
    """Return whether a character has no meaning of its own; of tags and selectors, a text can be made."""
    return category(char) in ("Co", "Cs", "Cn") and not "\U000e0000" <= char <= "\U000e0fff"
