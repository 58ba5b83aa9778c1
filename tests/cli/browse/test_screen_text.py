"""What commands print on a part of the screen: colours, no markup, nothing alive, lines folded without loss."""

from __future__ import annotations

import pytest
from support.each import each

pytest.importorskip("textual", reason="the extra tui is not installed")

from gitmem.cli.browse.screen_text import draw_text, fold_line


def test_text_is_neither_markup_nor_an_escape_sequence() -> None:
    evil = "[red]a[/red] [@click=app.quit]b[/] \x1b[31mc\x1b]52;c;aGk=\x07 \u202ed \\[x] $style"

    content = draw_text(lambda out: out.line((evil, "key"), evil), 120)

    spelt = evil.replace("\x1b", "\\x1b").replace("\x07", "\\x07").replace("\u202e", "\\u{202e}")
    assert content.plain == " ".join((spelt + spelt).split(" ")) or content.plain.replace("\n  ", " ") == spelt + spelt
    assert {str(span.style) for span in content.spans} == {"ansi_cyan"}


def test_styles_of_output_are_the_terminals_colours() -> None:
    content = draw_text(lambda out: out.line(("no", "failed"), " ", ("yes", "verified"), ("bold", "bold")), 80)

    assert content.plain == "no yesbold"
    assert [(span.start, str(span.style)) for span in content.spans] == [
        (0, "bold ansi_red"),
        (3, "ansi_green"),
        (6, "bold"),
    ]


@each(
    ("line", "pieces"),
    [
        ("", [""]),
        ("abcdef", ["abcd", "ef"]),
        ("a  b  c", ["a  b", "  c"]),
        ("漢字漢", ["漢字", "漢"]),
        ("abc漢", ["abc", "漢"]),
    ],
)
def test_folded_line_has_every_character_of_it(line: str, pieces: list[str]) -> None:
    assert fold_line(line, 4) == pieces
    assert "".join(pieces) == line
