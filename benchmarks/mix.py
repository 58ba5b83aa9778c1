"""Fit the weight of meaning beside words, and check it on tasks that it was not fitted on.

    python -m benchmarks.mix BENCH --embed minilm                       # every task; BENCH as for recall.py
    python -m benchmarks.mix BENCH --embed wordllama --tasks cosqa developer

Each corpus is a real store, each question is recalled once, and what the mix gets is recorded: the scores by words, the
cosines, and the factors. Then every setting of GRID is applied to the records with the functions that recall uses. The
table names a left-out task in each row: the setting that is best on the others, and what it gives for the task that it
was not fitted on. Diversity (`mmr`) is left out. The value of a setting for a task is the sum of its gains in recall@5
and nDCG@10; a loss against words counts three times: a model that is installed should not find less.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from benchmarks import judged
from benchmarks.recall import DEVELOPER, TASKS
from benchmarks.retriever import Retriever
from gitmem.frozen import replace
from gitmem.policy.settings import DenseSettings
from gitmem.recall import Ranking, Signals, fuse, rank, ranker

Setting = tuple[float, float]
WEIGHTS = (0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5)
GRID: tuple[Setting, ...] = tuple((weight, adapt) for weight in WEIGHTS for adapt in range(7))
WORDS: Setting = (0.0, 0.0)
LOSS = 3.0


@dataclass(frozen=True)
class Record:
    """What the mix got for one question.

    Attributes:
        lexical: Scores by words, by number.
        cosines: Cosines, by number.
        spread: The distribution of all cosines.
        signals: The other signals of each candidate, by number.
        ranking: The weights of the factors.
        ids: The documents of the candidates, by number.
        relevant: The judgements.
    """

    lexical: Mapping[int, float]
    cosines: Mapping[int, float]
    spread: fuse.Spread
    signals: Mapping[int, Signals]
    ranking: Ranking
    ids: Mapping[int, str]
    relevant: Mapping[str, int]

    def ranked(self, setting: Setting) -> list[str]:
        """Return the documents of the best hits with another setting of the mix."""
        settings = DenseSettings(weight=setting[0], adapt=setting[1])
        fused = fuse.fuse(self.lexical, self.cosines, spread=self.spread, settings=settings)
        signals = [replace(self.signals[number], lexical=one.score) for number, one in fused.items()]
        found = rank([one for one in signals if one.lexical > 0], limit=judged.SHOWN, ranking=self.ranking)
        return [self.ids[one.number] for one in found]


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


def record(corpus: Path) -> Iterator[Record]:
    """Yield what the mix gets for each question of a corpus."""
    with tempfile.TemporaryDirectory(prefix="gitmem-mix-") as name, Recorder() as recorder:
        retriever = Retriever(Path(name))
        retriever.index(judged.read(corpus / "docs.jsonl"))
        for query in judged.read(corpus / "queries.jsonl"):
            recorder.given = None
            retriever.search(query["text"], judged.SHOWN)
            if recorder.given is None:
                continue
            ids = {one.number: retriever.id_of(one.key) for one in recorder.signals}
            signals = {one.number: one for one in recorder.signals}
            yield Record(*recorder.given, signals, recorder.ranking, ids, query["relevant"])


def figures(records: Sequence[Record], setting: Setting) -> tuple[float, float]:
    """Return recall@5 and nDCG@10 with a setting."""
    found = [(one.ranked(setting), one.relevant) for one in records]
    return fmean(judged.recall_at(*one, 5) for one in found), fmean(judged.ndcg(*one) for one in found)


def value(found: tuple[float, float], words: tuple[float, float]) -> float:
    """Return what a setting is worth for a task: its gains against words, where a loss counts more."""
    gains = (one - other for one, other in zip(found, words, strict=True))
    return sum(gain if gain > 0 else LOSS * gain for gain in gains)


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
    options = parser.parse_args(argv)
    home = tempfile.TemporaryDirectory(prefix="gitmem-mix-")
    os.environ.update(HOME=home.name, XDG_STATE_HOME=home.name, GITMEM_BACKGROUND="off", GITMEM_VIEW="false")
    os.environ["GITMEM_EMBED"] = options.embed
    by_task: dict[str, dict[Setting, tuple[float, float]]] = {}
    for task in options.tasks:
        folder = judged.DATA / DEVELOPER if task == DEVELOPER else options.bench / "data" / task
        corpora = sorted(one for one in folder.iterdir() if one.is_dir())
        records = [one for corpus in corpora for one in record(corpus)]
        by_task[task] = {setting: figures(records, setting) for setting in (WORDS, *GRID)}
        print(f"{task}: {len(records)} questions", file=sys.stderr, flush=True)
    values = {
        task: {setting: value(one, found[WORDS]) for setting, one in found.items()} for task, found in by_task.items()
    }
    print("| left out | weight, adapt of the others | recall@5 / nDCG@10 | by words |", "|---|---|---|---|", sep="\n")
    for task, found in by_task.items():
        setting = best_of(values, without=task)
        cells = [f"{one[0]:.3f} / {one[1]:.3f}" for one in (found[setting], found[WORDS])]
        print(f"| {task} | {setting[0]:g}, {setting[1]:g} | {cells[0]} | {cells[1]} |")
    weight, adapt = best_of(values)
    print(f"\nfitted on all: weight {weight:g}, adapt {adapt:g}")
    home.cleanup()
    return 0


if __name__ == "__main__":
    sys.exit(main())
