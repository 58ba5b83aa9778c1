"""Fit the weight of meaning beside words, and check it on tasks that it was not fitted on.

    python -m benchmarks.mix BENCH --embed minilm                       # every task; BENCH as for recall.py
    python -m benchmarks.mix BENCH --embed wordllama --tasks cosqa developer --dir FOLDER

Each corpus is a real store, each question is recalled once, and what the mix gets is recorded: the scores by words, the
cosines, and the factors. Then every setting of GRID is applied to the records. The table names a left-out task in each
row: the setting that is best on the others, and what it gives for the task that it was not fitted on. Diversity (`mmr`)
is left out. The value of a setting for a task is the sum of its gains in recall@5 and nDCG@10; a loss against words
counts three times: a model that is installed should not find less. A FOLDER keeps the stores and their vectors.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from benchmarks import judged
from benchmarks.recall import DEVELOPER, TASKS
from benchmarks.retriever import Retriever
from gitmem.frozen import replace
from gitmem.policy.settings import DenseSettings
from gitmem.recall import fuse, ranker
from gitmem.recall.scoring import Ranking, Signals, rank

Setting = tuple[float, float]
WEIGHTS = (0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5)
GRID: tuple[Setting, ...] = tuple((weight, adapt) for weight in WEIGHTS for adapt in range(7))
WORDS: Setting = (0.0, 0.0)
LOSS = 3.0


@dataclass(frozen=True)
class Scored:
    """The part of a record that settings are applied to: a tenth of its size.

    Attributes:
        words: The documents found by words alone, best first.
        in_use: Those found with the model and the settings in use, best first.
        ids: The candidates, in the order that breaks ties.
        parts: A row for each: the scores by words and by meaning relative to the best, the product of the factors.
        peak: How far the best cosines stand out.
        has_words: Whether a candidate was found by words.
        floor: The least share of the best score that a hit needs.
        relevant: The judgements.
        kind: The kind of question.
    """

    words: Sequence[str]
    in_use: Sequence[str]
    ids: Sequence[str]
    parts: Any
    peak: float
    has_words: bool
    floor: float
    relevant: Mapping[str, int]
    kind: str = ""

    def ranked(self, setting: Setting) -> list[str]:
        """Return the documents of the best hits with another setting of the mix: what recall does, with numpy."""
        weight = setting[0] * self.peak ** setting[1] if setting[0] else 0.0
        share = (weight / (1 + weight) if self.has_words else 1.0) if weight else 0.0
        scores = ((1 - share) * self.parts[:, 0] + share * self.parts[:, 1]) * self.parts[:, 2]
        order = np.argsort(-scores, kind="stable")[: judged.SHOWN]
        least = max(scores[order[0]] * self.floor, 1e-12) if len(order) else 0.0
        return [self.ids[n] for n in order if scores[n] >= least]


@dataclass(frozen=True)
class Record:
    """What the mix got for one question.

    Attributes:
        words: The documents found by words alone, best first.
        in_use: Those found with the model and the settings in use, best first.
        lexical: Scores by words, by number.
        cosines: Cosines, by number.
        spread: The distribution of all cosines.
        signals: The other signals of each candidate, by number.
        ranking: The weights of the factors.
        ids: The documents of the candidates, by number.
        relevant: The judgements.
        kind: The kind of question.
    """

    words: Sequence[str]
    in_use: Sequence[str]
    lexical: Mapping[int, float]
    cosines: Mapping[int, float]
    spread: fuse.Spread
    signals: Mapping[int, Signals]
    ranking: Ranking
    ids: Mapping[int, str]
    relevant: Mapping[str, int]
    kind: str = ""

    @cached_property
    def peak(self) -> float:
        """Return how far the best cosines stand out, as `fuse` measures it."""
        settings = DenseSettings(weight=1.0, adapt=1.0)
        fused = fuse.fuse(self.lexical, self.cosines, spread=self.spread, settings=settings)
        share = next((one.weight for one in fused.values()), 0.0) if self.lexical else 0.5
        return share / (1 - share)

    @cached_property
    def candidates(self) -> tuple[list[str], Any]:
        """Return the documents of the candidates, in the order that breaks ties, and an array with a row of each.

        The columns are the score by words and the one by meaning relative to the best, and the product of the factors.
        """
        whole = DenseSettings(weight=1.0, adapt=0.0)
        fused = fuse.fuse(self.lexical, self.cosines, spread=self.spread, settings=whole)
        ordered = sorted(self.signals.values(), key=lambda one: (one.age_days, one.key, one.number))
        ranked = rank(ordered, limit=max(1, len(ordered)), ranking=self.ranking_of_all)
        factors = {one.number: one.score / self.signals[one.number].lexical for one in ranked}
        none = fuse.FusedScore(0.0, 0.0, 0.0, 0.0)
        parts = [(fused.get(one.number, none), factors[one.number]) for one in ordered]
        rows = [(found.lexical, found.dense, factor) for found, factor in parts]
        return [self.ids[one.number] for one in ordered], np.array(rows).reshape(-1, 3)

    @property
    def ranking_of_all(self) -> Ranking:
        """Return the weights of the factors, with which no candidate is dropped for its score."""
        return replace(self.ranking, floor=0.0)

    @cached_property
    def scored(self) -> Scored:
        """Return what any setting is applied to."""
        ids, parts = self.candidates
        settings = self.peak, bool(self.lexical), self.ranking.floor
        return Scored(self.words, self.in_use, ids, parts, *settings, self.relevant, self.kind)

    def ranked(self, setting: Setting) -> list[str]:
        """Return the documents of the best hits with another setting of the mix."""
        return self.scored.ranked(setting)


class Recorder:
    """Stands between recall and the mix, and notes what it is given."""

    def __init__(self) -> None:
        self._fuse, self._rank = fuse.fuse, ranker.rank
        self.given: tuple[dict[int, float], dict[int, float], fuse.Spread] | None = None
        self.signals: list[Signals] = []
        self.ranking = Ranking()

    def __enter__(self) -> Recorder:
        """Begin."""
        fuse.fuse = self._note_mix  # type: ignore[assignment]
        ranker.rank = self._note_signals  # type: ignore[assignment]
        return self

    def __exit__(self, *_: object) -> None:
        """Put the functions back."""
        fuse.fuse, ranker.rank = self._fuse, self._rank  # type: ignore[assignment]

    def _note_mix(
        self, lexical: Mapping[int, float], dense: Mapping[int, float], *, spread: fuse.Spread, settings: DenseSettings
    ) -> dict[int, fuse.FusedScore]:
        # Every candidate must have a score, so that its factors are known for every setting.
        self.given = dict(lexical), dict(dense), spread
        found = self._fuse(lexical, dense, spread=spread, settings=settings)
        return {n: found.get(n, fuse.FusedScore(1e-9, 0.0, 0.0, 0.0)) for n in lexical.keys() | dense.keys()}

    def _note_signals(self, candidates: Sequence[Signals], *, limit: int, ranking: Ranking) -> object:
        self.signals, self.ranking = list(candidates), ranking
        return self._rank(candidates, limit=limit, ranking=ranking)


@dataclass(frozen=True)
class Corpus:
    """The documents and questions of a corpus, by the name of its folder."""

    name: str
    docs: Sequence[Mapping[str, Any]]
    queries: Sequence[Mapping[str, Any]]


def corpora_of(bench: Path, task: str) -> list[Corpus]:
    """Return the corpora of a task, sorted by name."""
    folder = judged.DATA / DEVELOPER if task == DEVELOPER else bench / "data" / task
    folders = sorted(one for one in folder.iterdir() if one.is_dir())
    read = judged.read
    return [Corpus(f"{task}-{one.name}", read(one / "docs.jsonl"), read(one / "queries.jsonl")) for one in folders]


def record(
    corpus: Corpus, embed: str, folder: Path, by_words: Sequence[Sequence[str]] | None = None
) -> Iterator[Record]:
    """Yield what the mix gets for each question of a corpus, with an embedding model; *folder* keeps the store.

    *by_words* is what words alone find for each question, where it is known already. What is recorded changes no hit:
    candidates without a score stay below recall's floor.
    """
    place = folder / embed.replace("/", "-") / corpus.name
    place.mkdir(parents=True, exist_ok=True)
    os.environ.update(HOME=str(folder), XDG_STATE_HOME=str(folder), GITMEM_BACKGROUND="off", GITMEM_VIEW="false")
    os.environ["GITMEM_EMBED"] = embed
    retriever = Retriever(place)
    retriever.index(corpus.docs)
    for at, query in enumerate(corpus.queries):
        text = query["text"]
        words = by_words[at] if by_words else retriever.search(text, judged.SHOWN, lexical=True)
        with Recorder() as recorder:
            in_use = retriever.search(text, judged.SHOWN)
        ids = {one.number: retriever.id_of(one.key) for one in recorder.signals}
        signals = {one.number: one for one in recorder.signals}
        given = recorder.given or ({}, {}, fuse.Spread(0.0, 0.0, 0))
        judgements, kind = query["relevant"], query.get("kind", "")
        yield Record(words, in_use, *given, signals, recorder.ranking, ids, judgements, kind)


def mean_of(records: Sequence[Record | Scored], found: Sequence[Sequence[str]]) -> tuple[float, float]:
    """Return recall@5 and nDCG@10 of what was found for some questions."""
    pairs = [(one, record.relevant) for one, record in zip(found, records, strict=True)]
    return fmean(judged.recall_at(*one, 5) for one in pairs), fmean(judged.ndcg(*one) for one in pairs)


def figures(records: Sequence[Record | Scored], setting: Setting) -> tuple[float, float]:
    """Return recall@5 and nDCG@10 with a setting."""
    return mean_of(records, [one.ranked(setting) for one in records])


def value(found: tuple[float, float], words: tuple[float, float]) -> float:
    """Return what a setting is worth for a task: its gains against words, where a loss counts more."""
    gains = (one - other for one, other in zip(found, words, strict=True))
    return sum(gain if gain > 0 else LOSS * gain for gain in gains)


def values_of(records: Mapping[str, Sequence[Record | Scored]]) -> dict[str, dict[Setting, float]]:
    """Return what each setting is worth for each task."""
    found = {}
    for task, own in records.items():
        words = mean_of(own, [one.words for one in own])
        found[task] = {setting: value(figures(own, setting), words) for setting in GRID}
    return found


def best_of(values: Mapping[str, Mapping[Setting, float]], *, without: str = "") -> Setting:
    """Return the setting with the largest sum of values over the tasks, all but one."""
    tasks = [task for task in values if task != without]
    return max(GRID, key=lambda setting: sum(values[task][setting] for task in tasks))


def main(argv: Sequence[str] | None = None) -> int:
    """Fit and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path, metavar="BENCH", help="the folder of the larger benchmark")
    parser.add_argument("--embed", required=True, metavar="PROVIDER", help="the embedding model")
    parser.add_argument("--tasks", nargs="*", choices=(DEVELOPER, *TASKS), default=(DEVELOPER, *TASKS))
    parser.add_argument("--dir", type=Path, metavar="FOLDER", help="keep the stores there, and use them again")
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="gitmem-mix-") as name:
        folder = (options.dir or Path(name)).resolve()
        records = {}
        for task in options.tasks:
            corpora = corpora_of(options.bench, task)
            records[task] = [one for corpus in corpora for one in record(corpus, options.embed, folder)]
            print(f"{task}: {len(records[task])} questions", file=sys.stderr, flush=True)
    values = values_of(records)
    head = "| left out | weight, adapt of the others | recall@5 / nDCG@10 | words | in use | cosine |"
    print(head, "|---" * 6 + "|", sep="\n")
    for task, own in records.items():
        setting = best_of(values, without=task)
        found = [[one.ranked(setting) for one in own], [one.words for one in own], [one.in_use for one in own]]
        found.append([one.ranked((1e9, 0.0)) for one in own])
        cells = [f"{recall:.3f} / {ndcg:.3f}" for recall, ndcg in (mean_of(own, one) for one in found)]
        print(f"| {task} | {setting[0]:g}, {setting[1]:g} | {' | '.join(cells)} |")
    weight, adapt = best_of(values)
    print(f"\nfitted on all: weight {weight:g}, adapt {adapt:g}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
