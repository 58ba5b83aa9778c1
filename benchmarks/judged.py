"""Read questions with judged answers, and score a ranking by them.

A task is a folder of corpora, a corpus one with ``docs.jsonl`` and ``queries.jsonl`` (``data/developer/README.md``).
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log2
from pathlib import Path
from statistics import fmean
from typing import Any, Protocol

DATA = Path(__file__).parent / "data"
# What a ranking is judged by: as many are shown.
SHOWN = 10


class Retriever(Protocol):
    """What can be asked."""

    def index(self, docs: Sequence[Mapping[str, Any]]) -> None:
        """Take the memories in: ``id``, ``title``, ``text``, ``date``, ``tags``, and more."""

    def search(self, query: str, k: int) -> list[str]:
        """Return the ids of at most *k* memories, the best first."""


@dataclass(frozen=True)
class Judged:
    """What came of one question.

    Attributes:
        id: The question's.
        kind: Of what kind it is.
        recall: Which part of its answers, of any grade, is among the first five.
        ndcg: nDCG@10 with linear gain.
    """

    id: str
    kind: str
    recall: float
    ndcg: float


def read(path: Path) -> list[dict[str, Any]]:
    """Return the JSON objects of a file, one a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def recall_at(ranking: Sequence[str], relevant: Mapping[str, int], k: int) -> float:
    """Return which part of the relevant ones (>= 1) is among the first *k*."""
    return len(relevant.keys() & set(ranking[:k])) / len(relevant)


def ndcg(ranking: Sequence[str], relevant: Mapping[str, int]) -> float:
    """Return nDCG of the first ten, from 0 to 1.

    Source: Järvelin, Kekäläinen 2002, "Cumulated gain-based evaluation of IR techniques"; the discount of a rank is
    1 / log2(rank + 1).
    """
    gained = _cumulated([relevant.get(one, 0) for one in dict.fromkeys(ranking)])
    return gained / _cumulated(sorted(relevant.values(), reverse=True))


def _cumulated(gains: Sequence[int]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains[:SHOWN], 1))


def measure(retriever: Retriever, corpus: Path, *, words_only: bool = False) -> list[Judged]:
    """Index a corpus, ask its questions, and return what came of each.

    Args:
        retriever: What is asked.
        corpus: The corpus' folder.
        words_only: Whether it reads title and text only: then tags and paths are words of the text.
    """
    docs = read(corpus / "docs.jsonl")
    retriever.index([_in_words(doc) for doc in docs] if words_only else docs)
    judged = []
    for query in read(corpus / "queries.jsonl"):
        found, relevant = retriever.search(query["text"], SHOWN), query["relevant"]
        judged.append(Judged(query["id"], query["kind"], recall_at(found, relevant, 5), ndcg(found, relevant)))
    return judged


def _in_words(doc: Mapping[str, Any]) -> dict[str, Any]:
    return {**doc, "text": "\n".join((doc["text"], *doc["tags"], *doc.get("paths", ())))}


def row(task: str, name: str, judged: Sequence[Judged]) -> dict[str, Any]:
    """Return the means over the questions, all of them and by kind."""
    kinds = sorted({one.kind for one in judged})
    by_kind = {kind: _means([one for one in judged if one.kind == kind]) for kind in kinds}
    return {"retriever": name, "task": task, **_means(judged), "kinds": by_kind}


def _means(judged: Sequence[Judged]) -> dict[str, float]:
    means = {"recall@5": fmean(one.recall for one in judged), "ndcg@10": fmean(one.ndcg for one in judged)}
    return {"queries": len(judged), **{name: round(mean, 4) for name, mean in means.items()}}


def p_value(ours: Sequence[float], theirs: Sequence[float], *, rounds: int = 5_000) -> float:
    """Return how often chance alone would make two means differ as much: a paired sign-flip test, two-sided.

    Source: Smucker, Allan, Carterette 2007, "A comparison of statistical significance tests for information retrieval
    evaluation" (the randomization test).
    """
    moved = [a - b for a, b in zip(ours, theirs, strict=True) if a != b]
    chance = random.Random(0)
    least = abs(sum(moved)) - 1e-9
    as_much = sum(abs(sum(one if chance.random() < 0.5 else -one for one in moved)) >= least for _ in range(rounds))
    return (as_much + 1) / (rounds + 1)
