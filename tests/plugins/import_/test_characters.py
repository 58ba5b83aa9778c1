"""Marks that draw nothing are left out of imported texts; what hides a text stays, and is refused."""

from __future__ import annotations

from support.each import each

from gitmem.plugins.import_.characters import LAYOUT_REMARK, UNKNOWN_REMARK, in_stored_form
from gitmem.plugins.import_.fields import ImportRecord
from gitmem.text.hazards.hidden_characters import find_hidden


@each(
    ("text", "stored", "remark"),
    [
        ("plain", "plain", ""),
        ("Gro\u0308\u00dfe", "Größe", ""),
        ("a\r\nb\rc\x0cd\u2028e", "a\nb\nc\nd\ne", ""),
        ("\x1b]8;;https://x.dev\x1b\\here\x1b]0;title\x07 \x9b2Kok [31m", "here ok [31m", LAYOUT_REMARK),
        ("a half\x1b[ and \x1b]0;open", "a half[ and ]0;open", LAYOUT_REMARK),
        ("Fluss\u00adnetz\u200bwerk\ufeff", "Flussnetzwerk", LAYOUT_REMARK),
        ("#pruning-\ufe0f of a\u200db", "#pruning- of ab", LAYOUT_REMARK),
        ("done \u2714\ufe0f\ufe0f", "done \u2714\ufe0f", LAYOUT_REMARK),
        ("1\ufe0f\u20e3 \u2764\ufe0f", "1\ufe0f\u20e3 \u2764\ufe0f", ""),
        ("\u21a9\ufe0e \u200eC:\\\u202aUsers\u202c by \u2068Ana\u2069", "↩ C:\\Users by Ana", LAYOUT_REMARK),
        ("red \x1b[31mword\x1b[0m\x07 a\x1fb", "red word a b", LAYOUT_REMARK),
        ("a\u2800b\u3164c", "a b c", LAYOUT_REMARK),
        ("葛\U000e0100 \U0001f3f4\U000e0067\U000e0062\U000e0065\U000e007f", "葛 \U0001f3f4", LAYOUT_REMARK),
        ("\uf0b7 item \ud83d \u0bd4", "\ufffd item \ufffd \ufffd", UNKNOWN_REMARK),
        ("new \U0001faea emoji", "new \U0001faea emoji", ""),
    ],
)  # fmt: skip
def test_text_and_fields_are_imported_in_the_form_of_the_store(text: str, stored: str, remark: str) -> None:
    found = in_stored_form(ImportRecord("x:1", "", {text: [{"a": text}, 1]}, text))

    assert (found.fields, found.body, found.remark) == ({stored: [{"a": stored}, 1]}, stored, remark)
    assert find_hidden(found.body) == []


@each(
    "text",
    [
        "\u202e shows another text",
        "tags \U000e0068\U000e0069",
        "a\U000e0100\U000e0101\U000e0102",
        "a\ufe00\ufe01\ufe02",
        "NUL \0",
    ],
)
def test_what_may_hide_a_text_stays_and_is_refused(text: str) -> None:
    found = in_stored_form(ImportRecord("x:1", "", {}, text))

    assert (found.body, bool(find_hidden(found.body))) == (text, True)
