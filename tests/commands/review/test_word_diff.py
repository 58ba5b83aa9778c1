"""Changed words, and that no text makes the comparison slow."""

from __future__ import annotations

import random
import time

from hypothesis import given
from hypothesis import strategies as st
from support.each import each

from gitmem.commands.review.word_diff import MOST_WORDS, PairBudget, diff


def messages(before: str, after: str, budget: PairBudget | None = None) -> list[tuple[str, str]]:
    return [(piece.op, piece.text.strip()) for piece in diff(before, after, budget or PairBudget())]


def test_words_that_changed_are_reported_between_those_that_stayed() -> None:
    assert messages("signed with HS256 by the gateway", "signed with RS256 by the gateway") == [
        ("=", "signed with"), ("-", "HS256"), ("+", "RS256"), ("=", "by the gateway"),
    ]  # fmt: skip


@each(("before", "after"), [("a b", "a b\n"), ("a  b", "a  b"), ("", "")])
def test_nothing_is_reported_where_nothing_changed(before: str, after: str) -> None:
    assert messages(before, after) == []


def test_what_stayed_is_cut_to_what_is_near_and_counted() -> None:
    many = " ".join(f"w{n}" for n in range(100))

    first, *_, last = messages(f"{many} old {many}", f"{many} new {many}")

    assert first == ("=", "[… 88 words …] " + " ".join(f"w{n}" for n in range(88, 100)))
    assert last == ("=", " ".join(f"w{n}" for n in range(12)) + " [… 88 words …]")


@given(st.text("ab \n", max_size=40), st.text("ab \n", max_size=40))
def test_pieces_give_both_texts(before: str, after: str) -> None:
    pieces = diff(before, after, PairBudget())

    for ops, text in (("=-", before), ("=+", after)):
        said = " ".join(
            "".join(p.text if p.text[-1:].isspace() else p.text + " " for p in pieces if p.op in ops).split()
        )
        assert not pieces or said == " ".join(text.split())


def test_a_text_made_to_be_slow_is_reported_as_replaced_whole() -> None:
    one, other = "of the " * MOST_WORDS, "the of the of " * MOST_WORDS
    begun = time.process_time()

    found = messages(f"x {one}", f"y {other}")

    assert [op for op, _ in found if op != "="] == ["-", "+"]
    assert time.process_time() - begun < 1


def test_a_review_compares_so_much_and_no_more() -> None:
    budget = PairBudget(left=50)

    assert [op for op, _ in messages("a b c d e", "b a d c e f", budget)] == ["-", "+"]
    assert budget.left < 0


def test_a_shuffled_text_is_compared_within_a_second() -> None:
    words = [f"w{n}" for n in range(MOST_WORDS - 1)]
    random.seed(1)
    begun = time.process_time()

    diff(" ".join(random.sample(words, len(words))), " ".join(random.sample(words, len(words))), PairBudget())

    assert time.process_time() - begun < 1
