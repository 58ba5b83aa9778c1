"""What is told unprompted: a rare word or two, never an everyday one, and nothing that was told already counts."""

from __future__ import annotations

from functools import partial

import pytest
from support.each import each
from support.engines import make_text
from support.facts import make_memory, put

from gitmem.index import FIELDS, Stats
from gitmem.recall.gate import coverage, everyday, good_hits, worth
from gitmem.recall.query import Query
from gitmem.text.tokens import query_terms

SHELF = {
    **make_memory("cents", "Prices are integers in cents", "Never divide before the tax is added."),
    **make_memory("slots", "Delivery slots are in local time", "Twice converted, a slot moved by an hour in summer."),
    **make_memory("tests", "The failing test of the mailer pins a date", "Run it again."),
    **{k: v for n in range(20) for k, v in make_memory(f"n{n}", f"Unit {n} is greased", "It seized.").items()},
}  # fmt: skip

LONG = "Since Monday the merchant of Ravenna reports on the phone that {}, which his bookkeeper saw in a ledger"


def ask(memory, prompt: str, *seen: str) -> list[str]:
    found, repository = memory.recall(Query(text=prompt)), memory.repository
    catalog = repository.catalog()
    how = {"catalog_of": lambda _: catalog, "is_new": lambda hit: hit.key not in seen}
    return [hit.key for hit in good_hits(prompt, found, repository.policy(), **how)]


@pytest.fixture
def good(memory, repo):
    put(repo, SHELF)
    return partial(ask, memory)


@each(
    ("prompt", "expected"),
    [
        ("the delivery slot is an hour off", ["slots"]),
        ("add a discount and round the prices", ["cents"]),
        ("fix the failing test", []),
        ("run it again and show me the output", []),
        ("the colour of the boiler's paint", []),
        (LONG.format("customers abroad were summoned when the tax was divided"), ["cents"]),
        (LONG.format("customers abroad were summoned when the sum was divided"), []),
    ],
    ids=[
        "two rare words",
        "one of the title",
        "everyday words",
        "more of them",
        "no word",
        "a long one",
        "one word of it",
    ],
)
def test_only_rare_words_tell(good, prompt: str, expected: list[str]) -> None:
    assert good(prompt) == expected


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("let the users pick a dark theme", []),
        ("write a query for the ten biggest customers", []),
        ("why is Kafka late today", ["kafka"]),
        ("the magic link opens a blank page", ["users"]),
    ],
    ids=["common, in the title", "common, in the body", "rare, in the title", "two"],
)
def test_one_common_word_shows_no_decision(memory, repo, prompt: str, expected: list[str]) -> None:
    put(
        repo,
        make_memory("users", "Users get a magic link", "A user forgets passwords.", tags=["user"]),
        make_memory("sql", "We write SQL by hand and use no ORM", "The stock query was 30 times slower."),
        make_memory("kafka", "Kafka carries the orders", "Kafka lost none.", tags=["kafka"]),
    )

    assert ask(memory, prompt) == expected


def test_one_rare_word_of_the_body_alone_shows_nothing(memory, repo) -> None:
    body = "The stock query with its five joins was 30 times slower through SQLAlchemy."
    put(repo, make_memory("sql", "We write SQL by hand and use no ORM", body))

    assert ask(memory, "Write a job that pushes the new stock levels of all items to the warehouse API") == []


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("turn the new layout of labels on for each whole merchant, whatever the colour", []),
        ("an eircode on the label of a house", ["irish"]),
        ("the form rejects the zip of buyers in Hong Kong", ["irish"]),
    ],
    ids=["a word of several memories and a common one", "rare words", "two rare words, a quarter of the prompt"],
)
def test_a_common_word_adds_nothing_to_a_frequent_one(memory, repo, prompt: str, expected: list[str]) -> None:
    body = "In Hong Kong there are no codes at all."
    rolls = (make_memory(f"l{n}", f"Carrier {n} has a roll", f"Glue {n} for the label.") for n in range(6))
    put(repo, make_memory("irish", "Eircodes name a whole house, so a label has no street", body), *rolls, SHELF)

    assert ask(memory, prompt) == expected


@pytest.mark.parametrize(
    ("prompt", "is_shown"),
    [
        ("please change src/gateway/retry.py", True),
        ("what does `./src/gateway/retry.py` do?", True),
        ("please change src/gateway/other.py", False),
        ("please change retry", False),
    ],
)
def test_a_file_that_the_prompt_names_opens_the_gate_however_many_are_about_it(
    memory, repo, good, prompt: str, is_shown: bool
) -> None:
    about = [make_memory(f"p{n}", f"Pattern {n} of the gateway", paths=["src/gateway/retry.py"]) for n in range(14)]
    put(repo, *about)

    found = good(prompt)

    assert bool(found) == is_shown
    assert all(key.startswith("p") for key in found)


def test_what_was_seen_neither_opens_the_gate_nor_raises_the_floor(memory, repo, good) -> None:
    put(repo, make_memory("slots-2", "Delivery slots are booked twice", "The slot is an hour long."))
    prompt = "the delivery slot is an hour off"

    first = good(prompt)

    assert {*first, *good(prompt, *first)} == {"slots", "slots-2"}
    assert good(prompt, "slots", "slots-2") == []


def test_everyday_words_are_analysed_like_any_other() -> None:
    assert {"chang", "fail", "file", "test"} <= everyday()


@each(
    ("body", "low", "high"),
    [
        pytest.param("signing keys for jwt", 1.0, 1.0, id="all"),
        pytest.param("jwt", 0.3, 0.4, id="one-of-three"),
        pytest.param("pancake", 0.0, 0.0, id="none"),
    ],
)
def test_coverage_is_the_share_of_the_query_by_rarity(body: str, low: float, high: float) -> None:
    stats = Stats(1000, {"sign": 10, "key": 10, "jwt": 10}, (0.0,) * 5)

    assert low <= coverage(["sign", "key", "jwt"], make_text(1, body), stats) <= high


def test_a_word_that_no_memory_has_lowers_coverage_most() -> None:
    stats = Stats(1000, {"jwt": 10}, (0.0,) * 5)

    assert coverage(["jwt", "zebra"], make_text(1, "jwt"), stats) < 0.5
    assert coverage([], make_text(1, "jwt"), stats) == 0.0


def test_what_words_tell_is_counted_in_words_that_one_memory_has() -> None:
    text = make_text(1, "rare common")
    query, stats = query_terms("rare common missing"), Stats(1000, {"rare": 1, "common": 500}, (1.0,) * len(FIELDS))

    assert worth(["rare"], text, stats) == pytest.approx(1.0)
    assert 1.05 < worth(query, text, stats) < 1.2
    assert worth(["missing"], text, stats) == 0.0
    assert worth(query, make_text(2, "common"), stats) < 0.2
