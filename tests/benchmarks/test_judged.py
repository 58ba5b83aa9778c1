"""Judged questions: the measures, and that the task `developer` is whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log2
from typing import Any

import pytest
from support.each import each

from benchmarks import judged
from benchmarks.engines import Fts5Porter, WhooshStem

CORPUS = judged.DATA / "developer" / "tollgate"


def test_recall_counts_what_is_among_the_first() -> None:
    assert judged.recall_at(["a", "x", "b", "c"], {"a": 2, "b": 1, "d": 1}, 3) == pytest.approx(2 / 3)


def test_ndcg_is_as_the_formula_says_and_one_for_the_best_order() -> None:
    relevant = {"a": 2, "b": 1}

    assert judged.ndcg(["x", "b", "a"], relevant) == pytest.approx((1 / log2(3) + 2 / log2(4)) / (2 + 1 / log2(3)))
    assert judged.ndcg(["a", "b", "x"], relevant) == 1
    assert judged.ndcg([*"0123456789", "a"], relevant) == 0


def test_an_id_counts_once() -> None:
    assert judged.ndcg(["a", "a", "a"], {"a": 2}) == 1


def test_chance_explains_a_difference_that_goes_either_way_and_no_steady_one() -> None:
    assert judged.p_value([1.0, 0.0] * 10, [0.0, 1.0] * 10) > 0.5
    assert judged.p_value([0.6] * 20, [0.5] * 20) < 0.01
    assert judged.p_value([0.5], [0.5]) == 1


class Echo:
    """Finds the memory whose text is the question."""

    def index(self, docs: Sequence[Mapping[str, Any]]) -> None:
        self.texts = {doc["text"]: doc["id"] for doc in docs}

    def search(self, query: str, k: int) -> list[str]:
        return [self.texts[query]][:k]


def test_the_questions_of_a_corpus_are_asked_and_judged(tmp_path: Any) -> None:
    (tmp_path / "docs.jsonl").write_text('{"id": "a", "text": "Port"}\n{"id": "b", "text": "Queue"}\n')
    (tmp_path / "queries.jsonl").write_text(
        '{"id": "1", "kind": "why", "text": "Port", "relevant": {"a": 2}}\n'
        '{"id": "2", "kind": "path", "text": "Queue", "relevant": {"a": 2}}\n'
    )

    found = judged.row("t", "echo", judged.measure(Echo(), tmp_path))

    assert (found["recall@5"], found["kinds"]["why"]["recall@5"], found["kinds"]["path"]["ndcg@10"]) == (0.5, 1, 0)


def test_every_judgement_is_of_a_memory_that_is_there_and_every_question_is_another() -> None:
    docs, queries = judged.read(CORPUS / "docs.jsonl"), judged.read(CORPUS / "queries.jsonl")
    unanswered = [query["text"] for query in judged.read(CORPUS / "unanswered.jsonl")]

    ids = {doc["id"] for doc in docs}
    texts = [*(query["text"] for query in queries), *unanswered]
    assert len(ids) == len(docs) >= 150
    assert all(query["relevant"].keys() <= ids for query in queries)
    assert {grade for query in queries for grade in query["relevant"].values()} == {1, 2}
    assert len(set(texts)) == len(texts)


@each("engine", [Fts5Porter, WhooshStem])
def test_an_engine_finds_by_stems_and_takes_no_word_for_syntax(engine: type[Any]) -> None:
    retriever = engine()
    texts = {"a": "the port of the gateways", "b": "a queue AND its consumers"}
    retriever.index([{"id": key, "title": "", "text": text} for key, text in texts.items()])

    found = retriever.search('"gateway) AND NOT (ports*', 1), retriever.search("?", 5)
    retriever.close()

    assert found == (["a"], [])
