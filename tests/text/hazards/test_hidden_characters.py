"""Hidden characters and text that is not NFC are found where they are, and normal spelling is not refused."""

from __future__ import annotations

import time
import unicodedata

from hypothesis import given
from support.each import each
from support.hard_texts import hidden_text

from gitmem.text import display
from gitmem.text.hazards.hidden_characters import find_hidden


@each(
    "text",
    [
        "plain\n\ttext with tabs",
        "caf\u00e9 \u00a0 漢字 한국어",
        "⚠\ufe0f ❤\ufe0f ℹ\ufe0f ©\ufe0f ▶\ufe0f ⬅\ufe0f",
        "1\ufe0f\u20e3 #\ufe0f\u20e3",
        "👨\u200d👩\u200d👧 👩🏽\u200d💻 🏳\ufe0f\u200d🌈 🏴\u200d☠\ufe0f 🙋\u200d♂\ufe0f ❤\ufe0f\u200d🔥",
        "می\u200cخواهم",
        "क्\u200dष क्\u200cष ශ්\u200dරී",
        "\U0001fae8 \U0001fa77 \U0001fadf",
    ],
    ids=["ascii", "letters", "emoji", "keycaps", "families", "Persian", "Indic", "newer emoji"],
)
def test_normal_spelling_is_not_refused(text):
    assert find_hidden(text) == []


@each(
    ("text", "codepoint", "column"),
    [
        ("a\u200bb", "U+200B", 2),
        ("a\u200db", "U+200D", 2),
        ("a\ufe0f", "U+FE0F", 2),
        ("⚠\ufe0f\ufe0f", "U+FE0F", 3),
        ("⚠\ufe0e", "U+FE0E", 2),
        ("1\ufe0f", "U+FE0F", 2),
        ("🔥\u200d", "U+200D", 2),
        ("🔥\u200d\u200d🔥", "U+200D", 2),
        ("a\ufe0f\u200d🔥", "U+FE0F", 2),
        ("می\u200c ", "U+200C", 3),
        ("۱\u200c۲", "U+200C", 2),
        ("\u200c", "U+200C", 1),
        ("🏴\U000e0067", "U+E0067", 2),
        ("x\U000e0120", "U+E0120", 2),
        ("\ufeffx", "U+FEFF", 1),
        ("soft\u00adhyphen", "U+00AD", 5),
        ("x\r", "U+000D", 2),
        ("\u2028", "U+2028", 1),
        ("\ue000", "U+E000", 1),
        ("\ud800", "U+D800", 1),
        ("\u0378", "U+0378", 1),
        ("\u3164", "U+3164", 1),
    ],
)
def test_a_hidden_character_is_a_flaw_at_its_place(text, codepoint, column):
    first = find_hidden("line one\n" + text)[0]

    assert (first.line, first.column, first.codepoint) == (2, column, codepoint)


@each(
    ("char", "name"),
    [
        ("\u202e", "RIGHT-TO-LEFT OVERRIDE"),
        ("\x1b", "control character"),
        ("\ud800", "lone surrogate"),
        ("\ue000", "private use character"),
        ("\u0378", "unassigned code point"),
    ],
)
def test_a_flaw_names_its_character(char, name):
    assert find_hidden(char)[0].name == name


@each(
    ("text", "codepoint", "column"),
    [("cafe\u0301", "U+0301", 5), ("5 \u212b", "U+212B", 3), ("a\u0301\u0316", "U+0301", 2)],
)
def test_text_that_is_not_nfc_has_a_flaw_where_it_begins(text, codepoint, column):
    (flaw,) = find_hidden("ok\n" + text + "\ncafe\u0301")

    assert (flaw.line, flaw.column, flaw.codepoint) == (2, column, codepoint)
    assert "NFC" in flaw.name


@given(hidden_text)
def test_only_text_that_is_not_nfc_has_that_flaw(text):
    flaws = [flaw for flaw in find_hidden(text) if "NFC" in flaw.name]

    assert len(flaws) == (unicodedata.normalize("NFC", text) != text)


def test_a_hostile_text_is_refused_in_linear_time():
    start = time.process_time()

    for text in (
        "a" + "\u0301\u0316" * 16_000,
        "\u200b" * 32_000,
        "🔥\u200d" * 16_000,
        "".join(map(chr, range(0xE000, 0xF800))),
    ):
        assert find_hidden(text)
        assert display(text, lines=True, sequences=True) != ""

    assert time.process_time() - start < 3
