"""Addresses of values: each way of writing one, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.each import each

from gitmem.document.sources.address import Address, format_address, parse_address
from gitmem.errors import FormatError


@each(
    ("text", "address"),
    [
        ("package.json#engines.node", Address("package.json", ("engines", "node"))),
        ('setup.cfg#"tool:pytest".addopts', Address("setup.cfg", ("tool:pytest", "addopts"))),
        ("go.mod#require.'github.com/a/b'", Address("go.mod", ("require", "github.com/a/b"))),
        ("ci.yml#matrix.python[0]", Address("ci.yml", ("matrix", "python", "0"))),
        ("ci.yml#matrix[0].a", Address("ci.yml", ("matrix", "0", "a"))),
        (".nvmrc", Address(".nvmrc", ())),
    ],
)
def test_address_is_a_path_and_the_parts_of_a_key(text: str, address: Address) -> None:
    assert parse_address(text) == address


@each("text", ["", "#a", "a#", "a#b.", "a#.b", "a#'b", "a#b[x]", "a#b[0", "a#b..c", "a#'b'c"])
def test_text_that_names_no_place_is_no_address(text: str) -> None:
    with pytest.raises(FormatError):
        parse_address(text)


@given(st.lists(st.text(st.characters(exclude_characters="\"'"), min_size=1), max_size=5))
def test_format_and_parse_undo_each_other(keys: list[str]) -> None:
    address = Address("a.toml", tuple(keys))

    assert parse_address(format_address(address)) == address
