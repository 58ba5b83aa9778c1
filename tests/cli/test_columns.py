"""Lines that fit the terminal and lose no word; commands that a shell takes for the same command."""

from __future__ import annotations

import shlex

from hypothesis import given
from hypothesis import strategies as st
from support.each import each

from gitmem.cli.columns import fill, in_columns, paragraphs, shell, width_of

texts = st.lists(st.text(st.sampled_from("abcé日.-"), max_size=5)).map(" ".join)


@given(texts, st.integers(20, 60))
def test_filled_lines_fit_and_keep_every_character_but_spaces(text: str, width: int) -> None:
    lines = fill(text, width)

    assert [line for line in lines if width_of(line) > width] == []
    assert "".join("".join(lines).split()) == "".join(text.split())


@each(
    ("text", "lines"),
    [
        ("one two three", ["one two", "  three"]),
        ("  one two three", ["  one two", "    three"]),
        ("in /a/long/path there", ["in /a/long/path", "  there"]),
        ("one  two", ["one  two"]),
    ],
)
def test_lines_are_broken_at_words_and_hang(text: str, lines: list[str]) -> None:
    assert fill(text, 10) == lines


@each(
    ("text", "lines"),
    [
        ("to see why: gitmem why key", ["to see why:", "  gitmem why key"]),
        ("it (gitmem why key) ends", ["it (gitmem why key)", "  ends"]),
        ("run gitmem why key; or not", ["run gitmem why key;", "  or not"]),
        ("gitmem settle a-key --retire all", ["gitmem settle a-key", "  --retire all"]),
        ("see why: gitmemo why key", ["see why: gitmemo why", "  key"]),
    ],
)
def test_command_in_a_sentence_stays_on_one_line_if_it_fits(text: str, lines: list[str]) -> None:
    assert fill(text, 20) == lines


@given(st.lists(st.text(st.sampled_from("ab -'\\"), max_size=30), min_size=1, max_size=8), st.integers(40, 80))
def test_broken_command_is_the_same_command(words: list[str], width: int) -> None:
    line = shlex.join(["gitmem", *(word.replace("'", "").replace("\\", "") for word in words)])
    lines = shell(line, width, lead=2)

    assert [part for part in lines if len(part) > width] == []
    assert " ".join("\n".join(lines).replace("\\\n", "").split()) == " ".join(line.split())


def test_option_stays_beside_its_value() -> None:
    assert shell("gitmem fact x --contains RS256 --in src", 30) == ["gitmem fact x \\", "    --contains RS256 --in src"]


def test_long_names_have_their_text_on_the_next_line() -> None:
    assert in_columns([("-a", "one"), ("--a-very-long-name", "two")], 40) == [
        "  -a  one",
        "  --a-very-long-name",
        "      two",
    ]


def test_paragraphs_are_refilled_and_lists_and_code_are_kept() -> None:
    text = "One\ntwo.\n\n- a b\n  c\n- d\n\n    gitmem list"

    assert paragraphs(text, 20) == ["One two.", "", "- a b c", "- d", "", "  gitmem list"]
