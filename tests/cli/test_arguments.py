"""A plain line is read as argparse reads it; what is not plain is left to argparse."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.each import each

from gitmem.cli.arguments import read_plain
from gitmem.cli.commands import HIDDEN, all_commands, load_command
from gitmem.cli.parser import parser_of
from gitmem.errors import UsageError

NAMES = sorted({*all_commands(), *HIDDEN})
TEXTS = st.sampled_from(["a", "two words", "-", "", "-5", "--", "--nonsense", "7", "0.5", "gotcha", "ä"])


def lines_of(name: str) -> st.SearchStrategy[list[str]]:
    """Return a strategy for lines of a command: its own options, with values or without, and words, in any order."""
    parser = parser_of(name, load_command(name))
    options = [o for o in parser._option_string_actions if o not in ("-h", "--help")] or ["--json"]
    values = st.one_of(
        TEXTS, *(st.sampled_from([*map(str, action.choices)]) for action in parser._actions if action.choices)
    )
    option = st.sampled_from(options)
    pieces = st.one_of(
        values.map(lambda value: [value]),
        option.map(lambda o: [o]),
        st.tuples(option, values).map(list),
        st.tuples(option, values).map(lambda pair: ["=".join(pair)]),
    )
    return st.lists(pieces, max_size=6).map(lambda parts: [word for part in parts for word in part])


@given(name=st.sampled_from(NAMES), data=st.data())
def test_plain_line_gives_what_argparse_gives(name: str, data: st.DataObject) -> None:
    module, line = load_command(name), data.draw(lines_of(name))

    plain = read_plain(module, line)

    if plain is not None:
        assert vars(plain) == vars(parser_of(name, module).parse(line))


@each(
    ("name", "line"),
    [
        ("recall", ["how", "are", "--kind", "gotcha", "tokens", "--limit=3", "signed", "--json"]),
        ("remember", ["a text", "--tag", "a", "--tag", "b"]),
        ("fact", ["a title", "--absent", "setup.py"]),
        ("verify", []),
        ("task ready", ["--limit", "3"]),
    ],
)
def test_lines_that_are_typed_most_are_plain(name: str, line: list[str]) -> None:
    assert read_plain(load_command(name), line) is not None


@each(
    ("name", "line"),
    [
        ("recall", ["--help"]),
        ("recall", ["--", "-x"]),
        ("recall", ["--kin", "gotcha"]),
        ("recall", ["--limit"]),
        ("recall", ["--limit", "0"]),
        ("recall", ["--json=yes"]),
        ("show", []),
        ("fact", ["a title", "grep"]),
        ("inject", ["text", "--category", "pattern"]),
    ],
)
def test_other_lines_are_left_to_argparse(name: str, line: list[str]) -> None:
    assert read_plain(load_command(name), line) is None


def test_value_of_a_flag_is_refused_by_both() -> None:
    with pytest.raises(UsageError):
        parser_of("recall", load_command("recall")).parse(["--json=yes"])
