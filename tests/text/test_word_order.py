"""Two texts of the same words: which ones say them about different things."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support.each import each

from gitmem.text.similarity import have_swapped, likeness, wording_of


def is_duplicate(a: str, b: str) -> bool:
    return likeness(wording_of(a), wording_of(b)) >= 0.85


@each(
    ("a", "b"),
    [
        ("Use tabs and not spaces in Makefiles here", "Use spaces and not tabs in Makefiles here"),
        ("Use tabs and not spaces in Makefiles", "Use spaces and not tabs in all Makefiles"),
        ("Prefer fetch over axios", "Prefer axios over fetch"),
        ("Migrate from Yarn to pnpm", "Migrate from pnpm to Yarn"),
        ("Copy config from A to B", "Copy config from B to A"),
        ("A calls B", "B calls A"),
        ("The primary is eu-west, the replica us-east", "The primary is us-east, the replica eu-west"),
        ("timeouts: client 5, server 3", "timeouts: client 3, server 5"),
        ("finding 0 1 of the pool", "finding 1 0 of the pool"),
        ("memory 0 of w13-1", "memory 1 of w13-0"),
        ("us-east-1 writes, us-east-2 reads", "us-east-2 writes, us-east-1 reads"),
        ("Prefer tabs; spaces are forbidden", "Prefer spaces; tabs are forbidden"),
        ("red and green mean fail and pass", "green and red mean fail and pass"),
        ("Do not use mocks here, use the fake server", "Do not use the fake server here, use mocks"),
        ("Do not use the mock, use the fake server", "Use the mock, not the fake server"),
        ("The worker is restarted by the scheduler", "The worker restarts the scheduler"),
        ("Lint before you format", "Format before you lint"),
        ("Zuerst den Cache leeren, dann den Dienst starten", "Zuerst den Dienst starten, dann den Cache leeren"),
        ("Wir nehmen Gradle statt Maven", "Wir nehmen Maven statt Gradle"),
        ("用 pnpm 代替 yarn", "用 yarn 代替 pnpm"),
        ("用pnpm代替yarn", "用yarn代替pnpm"),
        ("npm ではなく pnpm を使う", "pnpm ではなく npm を使う"),
        ("Preferimos REST antes que GraphQL", "Preferimos GraphQL antes que REST"),
        ("yarn -> pnpm", "pnpm -> yarn"),
        ("x < 5 is slow", "x > 5 is slow"),
        ("✅ tabs ❌ spaces", "❌ tabs ✅ spaces"),
        ("Use ~~tabs~~ spaces", "Use tabs ~~spaces~~"),
    ],
)
def test_swapped_words_are_no_duplicate(a: str, b: str) -> None:
    assert not is_duplicate(a, b)
    assert not is_duplicate(b, a)


@each(
    ("a", "b"),
    [
        ("After a crash, the pool is closed", "The pool is closed after a crash"),
        ("If a webhook fails, it is retried 5 times", "A webhook is retried 5 times if it fails"),
        ("It owns the cart table; it is the only writer", "It is the only writer; it owns the cart table"),
        ("The worker is restarted by the scheduler", "The scheduler restarts the worker"),
        ("Tests need Redis and Postgres", "Tests need Postgres and Redis"),
        ("Jobs larger than 256 KB are dropped by the worker", "The worker drops jobs larger than 256 KB"),
        ("Nach einem Absturz wird der Pool geschlossen", "Der Pool wird nach einem Absturz geschlossen"),
    ],
)
def test_clauses_in_another_order_are_a_duplicate(a: str, b: str) -> None:
    assert is_duplicate(a, b)
    assert is_duplicate(b, a)


WORDS = st.lists(
    st.sampled_from(["gateway", "not", "pool", "and", "by", "over", "a", "A", ";", ",", "3", "5", "it", "用", "->"]),
    max_size=10,
)


@given(WORDS.map(" ".join), WORDS.map(" ".join))
def test_two_texts_have_swapped_words_in_either_order(a: str, b: str) -> None:
    one, other = wording_of(a), wording_of(b)

    assert have_swapped(one, other) == have_swapped(other, one)
    assert not have_swapped(one, one)
