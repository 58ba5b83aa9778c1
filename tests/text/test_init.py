"""What others wrote is shown, refused or framed so that nothing hidden and no instruction gets through."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st
from support.each import each
from support.hard_texts import hidden_text

from gitmem.text import display, workflow_command
from gitmem.text.hazards.hidden_characters import find_hidden

# Fillers and selectors, which draw nothing although their categories are visible.
DRAWN_AS_NOTHING = frozenset((
    *(0x115F, 0x1160, 0x3164, 0xFFA0, 0x2800, 0x034F, 0x17B4, 0x17B5),
    *(*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)),
))  # fmt: skip


def is_hidden_by_the_rules(code: int) -> bool:
    """Return whether a character is hidden, by the rule as the threat table words it."""
    if 0x1F000 <= code <= 0x1FAFF:
        return False
    if unicodedata.category(chr(code)) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        return True
    return code in DRAWN_AS_NOTHING


@each("plane", [0, 1, 2, 14, 16])
def test_display_spells_out_the_hidden_code_points_of_a_plane_and_no_other(plane):
    codes = range(plane << 16, (plane + 1) << 16)
    text = "".join(map(chr, codes))

    shown = display(text)

    def spell(code):
        if not is_hidden_by_the_rules(code):
            return chr(code)
        if 0xDC80 <= code <= 0xDCFF:  # a byte that is not UTF-8 (PEP 383)
            return f"\\{code - 0xDC00:o}"
        return f"\\x{code:02x}" if code < 256 else f"\\u{{{code:x}}}"

    assert shown == "".join(map(spell, codes))


@each(
    ("text", "shown"),
    [
        ("\x1b]52;c;ZXZpbA==\x07", "\\x1b]52;c;ZXZpbA==\\x07"),
        ("a\x1b[2Jb", "a\\x1b[2Jb"),
        ("safe\rrm -rf", "safe\\x0drm -rf"),
        ("rm\b\bls", "rm\\x08\\x08ls"),
        ("a\u202eb", "a\\u{202e}b"),
        ("\U000e0041", "\\u{e0041}"),
        ("caf\udcc3\ud800", "caf\\303\\u{d800}"),
        ("\x9b31m", "\\x9b31m"),
        ("two\nlines\t", "two\\x0alines\\x09"),
        ("⚠\ufe0f", "⚠\\u{fe0f}"),
        ("\\x1b stays, caf\u00e9 and \u00a0 too", "\\x1b stays, caf\u00e9 and \u00a0 too"),
    ],
    ids=["osc52", "csi", "cr", "backspace", "rlo", "tag", "surrogate", "c1", "lines", "vs16", "plain"],
)
def test_display_of(text, shown):
    assert display(text) == shown


def test_display_with_lines_keeps_line_feeds_and_tabs_but_no_carriage_return():
    assert display("a\n\tb\r\n\x00", lines=True) == "a\n\tb\\x0d\n\\x00"


def test_display_with_sequences_keeps_only_what_find_hidden_allows():
    assert display("⚠\ufe0f نمی\u200cخواهم a\u200db", sequences=True) == "⚠\ufe0f نمی\u200cخواهم a\\u{200d}b"


def test_display_returns_clean_text_itself():
    for text in ("Plain words, 100%.", "Grüße – 漢字 🔥"):
        assert display(text) is text


@given(hidden_text, st.booleans(), st.booleans())
def test_displaying_twice_changes_nothing(text, lines, sequences):
    once = display(text, lines=lines, sequences=sequences)

    assert display(once, lines=lines, sequences=sequences) == once


@given(hidden_text)
def test_nothing_hidden_is_left_in_displayed_text(text):
    assert not [char for char in display(text) if is_hidden_by_the_rules(ord(char))]


@given(hidden_text)
def test_find_hidden_and_display_agree(text):
    flaws = [flaw for flaw in find_hidden(text) if "NFC" not in flaw.name]

    assert bool(flaws) == (display(text, lines=True, sequences=True) != text)


def test_workflow_command_escapes_what_would_end_it() -> None:
    line = workflow_command("error", "50%\r\n::x", title="##[x", path="a:b,c")

    assert line == "::error file=a%3Ab%2Cc,title=## [x::50%25%0D%0A::x"
