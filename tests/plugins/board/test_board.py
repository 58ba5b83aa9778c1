"""A board computed from its entries in any order: live entries, open signals, required mentions."""

from __future__ import annotations

import random

import pytest
from support.each import each

from gitmem.errors import AmbiguousKeyError, NotFoundError
from gitmem.frozen import replace
from gitmem.plugins.board.board import board_of, resolve
from gitmem.plugins.board.entry import Entry, find_place, id_of, path_of

NUMBERS = iter(range(1, 10_000))


def entry(type: str, text: str, **more) -> Entry:
    links = {name: tuple(one.id for one in ones) for name, ones in more.pop("links", {}).items()}
    number = more.pop("number", 0) or next(NUMBERS)
    made = Entry(type, text, "w1", "Ana", 1_790_000_000 + number, links, number=number, **more)
    return replace(made, id=id_of(made))


def states(*entries: Entry) -> dict[str, tuple[str, bool]]:
    return {signal.entry.text: (signal.state, signal.blocks) for signal in board_of("r", entries).signals}


QUESTION = entry("signal", "Why?", severity="critical")
SMALL = entry("signal", "When?", severity="medium")
ANSWER = entry("answer", "Because", links={"addresses": [QUESTION]})
WAIVER = entry("waiver", "no time", links={"waives": [QUESTION]})


@each(
    ("entries", "state", "blocks"),
    [
        ((), "open", True),
        ((ANSWER,), "answered", False),
        ((WAIVER,), "waived", False),
        ((WAIVER, ANSWER), "answered", False),
        ((ANSWER, entry("observation", "No", links={"supersedes": [ANSWER]})), "open", True),
        ((WAIVER, entry("observation", "There is time", links={"supersedes": [WAIVER]})), "open", True),
        # A signal cannot be replaced, by nobody's entry: it would open the gate without a reason.
        ((entry("observation", "Never mind", links={"supersedes": [QUESTION]}),), "open", True),
        ((entry("observation", "Trust me", links={"waives": [QUESTION]}),), "open", True),
    ],
)
def test_signal_is_open_until_it_is_answered_or_waived(entries, state, blocks):
    assert states(QUESTION, *entries)["Why?"] == (state, blocks)


def test_only_critical_and_high_signals_block():
    found = board_of("r", [SMALL, QUESTION])

    assert [signal.entry for signal in found.signals] == [QUESTION, SMALL]
    assert [signal.entry for signal in found.closing_signals] == [QUESTION]


def test_link_of_another_entry_counts_like_one_of_its_own():
    late = entry("observation", "Because of the pool")
    link = entry("link", "", links={"of": [late], "addresses": [QUESTION]})

    assert states(QUESTION, late, link)["Why?"] == ("answered", False)


def test_entries_that_replace_each_other_both_stay():
    first, second = entry("observation", "yes"), entry("observation", "no")
    links = [
        entry("link", "", links={"of": [first], "supersedes": [second]}),
        entry("link", "", links={"of": [second], "supersedes": [first]}),
    ]

    assert board_of("r", [first, second, links[0]]).superseded == {second.id}
    assert board_of("r", [first, second, *links]).superseded == frozenset()


def test_report_must_mention_required_entries_contradictions_and_open_signals():
    old = entry("observation", "old", must_surface=True)
    plain, other = entry("observation", "plain"), entry("observation", "quiet")
    entries = [
        old,
        plain,
        other,
        entry("analysis", "loud", must_surface=True, links={"supersedes": [old]}),
        entry("observation", "against", links={"contradicts": [plain]}),
        entry("contradiction", "both"),
        QUESTION,
        SMALL,
        entry("waiver", "no time", links={"waives": [SMALL]}),
    ]

    due = board_of("r", entries).list_required()

    name = board_of("r", entries).name_of
    assert {one.entry.text: one.why for one in due} == {
        "loud": "must surface",
        "plain": f"contradicted by {name(entries[4].id)}",
        "against": f"contradicts {name(plain.id)}",
        "both": "a contradiction",
        "Why?": "open signal",
        "When?": "waived signal",
    }


def test_board_does_not_depend_on_the_order_of_entries():
    entries = [QUESTION, SMALL, ANSWER, WAIVER, *(entry("observation", f"finding {n}") for n in range(20))]
    shuffled = [*entries, replace(ANSWER, number=9)]
    random.Random(1).shuffle(shuffled)

    assert board_of("r", shuffled).signals == board_of("r", [*entries, replace(ANSWER, number=9)]).signals
    assert [one.id for one in board_of("r", shuffled).entries] == [
        one.id for one in board_of("r", shuffled[::-1]).entries
    ]
    assert len(board_of("r", shuffled).entries) == len(entries)


def test_ambiguous_short_name_needs_the_long_one():
    one, other = entry("observation", "here", number=7), entry("observation", "there", number=7)
    places = [find_place(path_of("e", 7, name)) for name in (one.id, other.id)]

    assert resolve("r", f"e7-{one.id}", places) == resolve("r", one.id, places) == one.id
    assert board_of("r", [one, other]).name_of(one.id) == f"e7-{one.id}"
    with pytest.raises(AmbiguousKeyError, match="e7 is the name of 2 entries"):
        resolve("r", "e7", places)
    with pytest.raises(NotFoundError, match="no entry e8"):
        resolve("r", "e8", places)
