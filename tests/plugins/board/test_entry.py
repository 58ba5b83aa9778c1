"""An entry reads back from its file, its id is a hash of its content, and every part by others is validated."""

from __future__ import annotations

import pytest
from support.each import each

from gitmem.errors import RefusedError
from gitmem.frozen import replace
from gitmem.plugins.board.entry import (
    ClaimSource,
    Entry,
    find_place,
    format_entry,
    id_of,
    parse_entry,
    path_of,
    validate_entry,
)

PLAIN = Entry("observation", "The pool leaks", "w1", "Ana", 1_790_000_000, {})
FULL = replace(
    PLAIN,
    links={"supports": ("0123456789abcdef",)},
    source=ClaimSource("report.pdf", "src/pool.py:88", "2 failed"),
    confidence=0.5,
    must_surface=True,
)


@each("entry", [PLAIN, FULL, replace(PLAIN, type="signal", severity="high"), replace(PLAIN, text="ü\n⚑")])
def test_entry_file_parses_back_to_the_entry(entry):
    found = parse_entry(format_entry(entry))

    assert found == replace(entry, id=id_of(entry))


def test_id_depends_on_the_content_and_not_on_the_time():
    assert id_of(PLAIN) == id_of(replace(PLAIN, at=1, number=7))
    assert len({id_of(one) for one in (PLAIN, FULL, replace(PLAIN, worker="w2"), replace(PLAIN, text="x"))}) == 4


@each(
    "path",
    [
        "entries/0000/e0-0123456789abcdef.json",
        "entries/0000/e1-0123456789abcdeg.json",
        "entries/0001/e17-0123456789abcdef.json",
        "entries/0000/x17-0123456789abcdef.json",
        "entries/0000/e17-0123456789abcdef.json/x",
        "e17-0123456789abcdef.json",
    ],
)
def test_entry_at_another_path_is_rejected(path):
    assert find_place(path) is None


def test_path_contains_number_and_id():
    place = find_place(path_of("s", 1234, "0123456789abcdef"))

    assert (place.name, place.number, place.id) == ("s1234", 1234, "0123456789abcdef")


@each(
    ("old", "new"),
    [
        ('"observation"', '"prayer"'),
        ('"observation"', '"signal"'),
        ('"w1"', '"W 1"'),
        ('"w1"', '""'),
        ("1790000000", '"now"'),
        ("1790000000", "true"),
        ('"The pool leaks"', '" "'),
        ('"The pool leaks"', f'"{"x" * 9000}"'),
        ('"format": 1', '"format": 2'),
        ('"format": 1', '"format": 1, "links": {"likes": []}'),
        ('"format": 1', '"format": 1, "links": {"supports": ["e1"]}'),
        ('"format": 1', '"format": 1, "confidence": 2'),
        ('"format": 1', '"format": 1, "source": {"url": "x"}'),
        ("{", "[" * 5000),
    ],
)
def test_invalid_entry_file_is_rejected(old, new):
    raw = format_entry(PLAIN).decode().replace(old, new).encode()

    with pytest.raises(ValueError):
        parse_entry(raw)


def test_changed_content_under_a_known_id_is_rejected():
    place = find_place(path_of("e", 1, id_of(PLAIN)))

    assert parse_entry(format_entry(PLAIN), place).number == 1
    with pytest.raises(ValueError, match="does not match its content"):
        parse_entry(format_entry(replace(PLAIN, text="The pool is fine")), place)


def test_empty_post_is_refused():
    with pytest.raises(RefusedError, match="the text is empty"):
        validate_entry(replace(PLAIN, text=" \n"))
