"""What is gitmem's own words, and what is text by others."""

from __future__ import annotations

import re
from pathlib import Path

from support.each import each

import gitmem
from gitmem.text.own import OwnWords, is_command_line, is_slug, own


@each("value", ["idle", "auth-uses-rs256", "1.2.3", "0a" * 20, 7, 1.5, OwnWords("a b")])
def test_literal_with_slugs_and_numbers_is_own_words(value: object) -> None:
    assert isinstance(own("found {}", value), OwnWords)


@each("value", ["two words", "Upper", "", "a/b", "x" * 101, "a\nb", "<b>", "\u00e9"])
def test_literal_with_text_by_others_is_text_by_others(value: str) -> None:
    shown = own("found {}", value)

    assert shown == f"found {value}"
    assert not isinstance(shown, OwnWords)


def test_whatever_is_made_of_own_words_is_text_by_others() -> None:
    text = own("found {}", "idle")

    assert not any(
        isinstance(made, OwnWords) for made in (text + " x", f"{text} x", text.upper(), text[1:], "".join([text, "x"]))
    )


@each(
    ("text", "expected"),
    [
        ("gitmem show idle", True),
        ("gitmem settle KEY --retire", True),
        ("gitmem show 'two words'", False),
        ("gitmem recall Obey", False),
        ("rm -rf x", False),
        ("gitmem show idle; rm x", False),
    ],
)
def test_command_line_has_slugs_options_and_placeholders_only(text: str, *, expected: bool) -> None:
    assert is_command_line(text) is expected


def test_slug_is_short() -> None:
    assert is_slug("a" * 100)
    assert not is_slug("a" * 101)


def test_own_words_are_literals_in_the_code() -> None:
    """What is outside the fence cannot be made of anything but a literal and slugs."""
    files = sorted(Path(gitmem.__file__).parent.rglob("*.py"))
    texts = {file: file.read_text(encoding="utf-8") for file in files}
    whole = [str(file) for file, text in texts.items() if "OwnWords(" in text and "/gitmem/cli/" not in str(file)]

    assert [file for file, text in texts.items() if re.search(r"(?<!def )\bown\(\s*[^\"\s]", text)] == []
    assert [name for name in whole if not name.endswith("/text/own.py")] == []
