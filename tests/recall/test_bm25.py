"""Every part of a score by words moves the right memory, by how much its documentation says."""

from __future__ import annotations

from math import exp, inf, log
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.each import each

from gitmem.frozen import replace
from gitmem.index import FIELDS, Stats
from gitmem.model import IndexText
from gitmem.recall.bm25 import WEIGHTS, all_terms, lexical_scores, occurrences, variants
from gitmem.text.tokens import query_terms, terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.recall.bm25 import Bm25Weights

# BM25F alone: each further part is switched on by the test that is about it.
ALONE = replace(WEIGHTS, pair=0.0, coverage=0.0, related=0.0, shorthand=0.0, title=0.0)
FILLER = "alpha beta gamma delta"


def make_text(number: int, body: str = "", **fields: str) -> IndexText:
    return IndexText(**({"number": number, "title": "", "tags": "", "key": "", "paths": "", "body": body} | fields))


def stats_of(texts: Sequence[IndexText], asked: Sequence[str], documents: int = 1000) -> Stats:
    """Return exact statistics, as if all other memories were as long and had none of the words."""
    held = [[terms(part) for part in text.texts()] for text in texts]
    df = {term: sum(any(term in field for field in fields) for fields in held) for term in asked}
    lengths = tuple(sum(len(fields[i]) for fields in held) / len(held) for i in range(len(FIELDS)))
    return Stats(documents, {term: count for term, count in df.items() if count}, lengths)


def scores(query: str, *texts: IndexText, weights: Bm25Weights = ALONE) -> dict[int, float]:
    asked = query_terms(query)
    look_up = (lambda more: stats_of(texts, more)) if weights.related else None
    return lexical_scores(asked, texts, stats_of(texts, asked), weights=weights, frequencies=look_up)


def order(query: str, *texts: IndexText, weights: Bm25Weights = ALONE) -> list[int]:
    found = scores(query, *texts, weights=weights)
    return sorted(found, key=lambda number: (-found[number], number))


def test_one_term_scores_as_the_formula_says() -> None:
    stats = Stats(documents=100, frequency={"jwt": 4}, lengths=(2.0, 0.0, 0.0, 0.0, 10.0))
    text = make_text(1, "jwt alpha beta", title="jwt keys")

    found = lexical_scores(["jwt"], [text], stats, weights=ALONE)

    idf = log(1 + (100 - 4 + 0.5) / (4 + 0.5))
    count, length, average = 3 * 1 + 1, 3 * 2 + 3, 3 * 2 + 10
    norm = 1.2 * (1 - 0.75 + 0.75 * length / average)
    assert found == {1: pytest.approx(idf * count * 2.2 / (count + norm))}


def test_memory_without_a_word_of_the_query_has_no_score() -> None:
    assert list(scores("jwt", make_text(1, "jwt"), make_text(2, FILLER), weights=WEIGHTS)) == [1]


def test_query_without_known_words_scores_nothing() -> None:
    assert scores("absent", make_text(1, "jwt"), weights=WEIGHTS) == {}
    assert scores("", make_text(1, "jwt"), weights=WEIGHTS) == {}
    assert lexical_scores(["jwt"], [], Stats(0, {}, (0.0,) * 5)) == {}


@each(
    ("query", "better", "worse"),
    [
        pytest.param("jwt", {"title": "jwt", "body": FILLER}, {"title": "alpha", "body": f"jwt {FILLER}"}, id="title"),
        pytest.param("jwt", {"tags": "jwt", "body": FILLER}, {"body": f"jwt {FILLER}"}, id="tags"),
        pytest.param("jwt", {"body": "jwt alpha"}, {"body": f"jwt {FILLER} {FILLER}"}, id="shorter"),
        pytest.param("jwt", {"body": f"jwt jwt {FILLER}"}, {"body": f"jwt alpha {FILLER}"}, id="more-often"),
    ],
)
def test_a_word_counts_more_in_or_when(query: str, better: dict[str, str], worse: dict[str, str]) -> None:
    assert order(query, make_text(1, **worse), make_text(2, **better)) == [2, 1]


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    texts = [make_text(1, "token alpha"), make_text(2, "jwt alpha"), *(make_text(i, "token beta") for i in range(3, 9))]

    assert order("token jwt", *texts)[0] == 2


def test_repeating_a_word_counts_less_and_less() -> None:
    found = scores("jwt", *(make_text(i, "jwt " * i + "alpha " * (10 - i)) for i in (1, 2, 3)))

    assert found[3] - found[2] < found[2] - found[1]


@each("field", ["title", "body"])
def test_words_that_stand_together_as_in_the_query_count_more(field: str) -> None:
    apart, together = make_text(1, **{field: "signing alpha key"}), make_text(2, **{field: "alpha signing keys"})

    assert scores("signed key", apart, together)[1] == scores("signed key", apart, together)[2]
    assert order("signed key", apart, together, weights=replace(ALONE, pair=0.1)) == [2, 1]
    assert order("key signed", apart, together, weights=replace(ALONE, pair=0.1)) == [1, 2]


def test_having_more_of_the_query_counts_more() -> None:
    one_often = make_text(1, "jwt jwt jwt", title="jwt jwt")
    both_once = make_text(2, f"jwt session {FILLER * 15}")

    assert order("jwt session", one_often, both_once) == [1, 2]
    assert order("jwt session", one_often, both_once, weights=replace(ALONE, coverage=0.8)) == [2, 1]


def test_sharing_words_with_the_best_memories_counts() -> None:
    best = [make_text(i, "jwt jwt signature gateway") for i in (1, 2, 3)]
    stray, akin = make_text(4, "jwt pancake recipe flour"), make_text(5, "jwt gateway signature flour")

    assert scores("jwt", *best, stray, akin)[4] == scores("jwt", *best, stray, akin)[5]
    assert order("jwt", *best, stray, akin, weights=replace(ALONE, related=0.3)) == [1, 2, 3, 5, 4]


def test_related_words_are_those_of_the_best_memories_weighted_by_their_scores() -> None:
    asked: list[list[str]] = []
    texts = [make_text(1, "jwt jwt signature"), make_text(2, "jwt alpha beta gamma delta pancake")]

    def look_up(more: Sequence[str]) -> Stats:
        asked.append(list(more))
        return stats_of(texts, more)

    weights = replace(ALONE, related=0.3, related_terms=2, related_memories=2)
    plain = lexical_scores(["jwt"], texts, stats_of(texts, ["jwt"]), weights=ALONE)
    found = lexical_scores(["jwt"], texts, stats_of(texts, ["jwt"]), weights=weights, frequencies=look_up)

    second = exp(plain[2] - plain[1])
    assert asked == [["jwt", "signatur"]]
    jwt, signature = 2 / 3 + second / 6, 1 / 3
    norm = 1.2 * (0.25 + 0.75 * 3 / 4.5)
    worth = [(jwt, 2, 2), (signature, 1, 1)]
    idf = {df: log(1 + (1000 - df + 0.5) / (df + 0.5)) for df in (1, 2)}
    values = [share / (jwt + signature) * idf[df] for share, _, df in worth]
    fit = sum(value * count * 2.2 / (count + norm) for value, (_, count, _) in zip(values, worth, strict=True))
    fit *= idf[2] / sum(values)  # the related words weigh no more than the asked one
    assert found[1] == pytest.approx(0.7 * plain[1] + 0.3 * fit)


def test_words_of_the_first_hits_leave_no_equal_one_below_the_floor() -> None:
    texts = [make_text(n, f"the gateway of region{n} and zone{n}") for n in range(120)]

    found = scores("gateway", *texts, weights=WEIGHTS)

    assert min(found.values()) > 0.5 * max(found.values())


def test_related_words_need_someone_to_look_them_up() -> None:
    texts = [make_text(1, "jwt signature"), make_text(2, "jwt pancake flour")]
    stats = stats_of(texts, ["jwt"])

    assert lexical_scores(["jwt"], texts, stats) == lexical_scores(
        ["jwt"], texts, stats, weights=replace(WEIGHTS, related=0.0)
    )


bodies = st.lists(st.lists(st.sampled_from(["jwt", "key", "signing", "alpha"]), max_size=8).map(" ".join), max_size=6)


@given(bodies, st.randoms(use_true_random=False))
def test_scores_do_not_depend_on_the_order_of_candidates_and_are_positive(bodies: list[str], random: object) -> None:
    texts = [make_text(i, body, title=body[:3]) for i, body in enumerate(bodies, 1)]
    mixed = texts.copy()
    random.shuffle(mixed)  # type: ignore[attr-defined]

    found, other = (scores("signing key jwt", *some, weights=WEIGHTS) if some else {} for some in (texts, mixed))

    assert found == {number: pytest.approx(score) for number, score in other.items()}
    assert all(0 < score < inf for score in found.values())


# Short forms, titles, logs


@each(("query", "body"), [("directory", "the dir of the cache"), ("dict", "a dictionary of users")])
def test_a_short_form_stands_for_its_word_and_counts_less(query: str, body: str) -> None:
    weights = replace(ALONE, shorthand=0.8)
    meant, said = make_text(1, body), make_text(2, body.replace("dir ", "directory ").replace("dictionary", "dict"))
    asked = query_terms(query)
    stats = stats_of([meant, said], all_terms(asked))

    found = lexical_scores(asked, [meant, said], stats, weights=weights)

    assert 0 < found[1] < found[2]
    assert 1 not in lexical_scores(asked, [meant, said], stats, weights=ALONE)


def test_a_word_and_its_short_form_together_count_once() -> None:
    weights = replace(ALONE, shorthand=0.8)
    both = make_text(1, "directory dir alpha")
    stats = stats_of([both], all_terms(["directori"]))

    found = lexical_scores(["directori"], [both], stats, weights=weights)

    assert found == lexical_scores(["directori"], [both], stats, weights=ALONE)


def test_a_title_of_nothing_but_the_questions_words_comes_first() -> None:
    exact = make_text(1, "alpha beta", title="token rotation")
    among = make_text(2, "alpha", title="token rotation beta")

    assert order("token rotation", among, exact, weights=replace(ALONE, title=0.3, b=0.0)) == [1, 2]
    assert len(set(scores("token rotation", among, exact, weights=replace(ALONE, b=0.0)).values())) == 1


def test_the_answer_beside_a_question_in_a_log_is_found_by_its_neighbours_words() -> None:
    asked = make_text(1, "which port does the gateway use")
    answer, other = make_text(2, "it is 8443 since the audit"), make_text(3, "lunch was good today")
    texts, query = [asked, answer, other], query_terms("gateway port")
    stats = stats_of(texts, query)

    alone = lexical_scores(query, texts, stats, weights=ALONE)
    in_log = lexical_scores(query, texts, stats, weights=ALONE, runs=[[1, 2]])

    assert set(alone) == {1}
    assert set(in_log) == {1, 2}
    assert in_log[1] > in_log[2] > 0


def test_the_nearer_neighbour_lends_more_and_the_one_before_more_than_the_one_after() -> None:
    texts = [make_text(n, "alpha beta") for n in range(1, 9)]
    texts[3] = make_text(4, "gateway")
    query = ["gateway"]

    found = lexical_scores(query, texts, stats_of(texts, query), weights=ALONE, runs=[range(1, 9)])

    assert found[4] > found[5] > found[3] > found[6] > found[2] > found[7] > found[1] > 0
    assert 8 not in found


def test_of_two_beside_each_other_in_a_log_the_one_whose_speaker_is_asked_for_comes_first() -> None:
    spoken_to = make_text(1, "thanks Ana, the gateway looks good", title="Ben")
    speaking = make_text(2, "it moved on Friday", title="Ana")
    texts, query = [spoken_to, speaking], query_terms("what did Ana say of the gateway")
    stats = stats_of(texts, query)

    found = lexical_scores(query, texts, stats, weights=ALONE, runs=[[1, 2]])
    level = lexical_scores(query, texts, stats, weights=replace(ALONE, speaker=0.0), runs=[[1, 2]])

    assert found[2] > found[1] == level[1]
    assert level[1] > level[2]


@each(
    ("asked", "meant"), [("directory", "dir"), ("dir", "folder"), ("config", "configuration"), ("initialize", "init")]
)
def test_forms_of_one_word_stand_for_each_other(asked: str, meant: str) -> None:
    (one,), (other,) = terms(asked), terms(meant)

    assert other in variants(one)
    assert one in variants(other)


def test_a_word_without_forms_has_none_and_no_word_stands_for_itself() -> None:
    assert variants("gateway") == ()
    assert "dir" not in variants("dir")


@given(st.sampled_from(["a", "b", "ab", "a b", "b a"]), st.lists(st.sampled_from(["a", "b", "ab", "ba", "c"])))
def test_words_are_counted_as_by_splitting_the_text(words: str, text: list[str]) -> None:
    wanted = words.split()
    places = range(len(text) - len(wanted) + 1)

    assert occurrences(words, " ".join(text)) == sum(text[at : at + len(wanted)] == wanted for at in places)
