"""The goals of recall by words, with the packaged model and with MiniLM: measured, and fitted without each row's task.

A column is a model, a row a task. A cell has what recall finds with the settings in use, the goal, and, for a model,
what the mix gives with the weight and power that are best on all other tasks (`benchmarks/mix.py`): a setting is never
judged by the task that it was fitted on. The questions about a changelog serve no fit.
"""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

import gitmem
from benchmarks import changelog, judged, mix
from benchmarks.mix import Corpus, Record, Scored, Setting

MODELS = ("wordllama", "minilm")
OWN_WORDS, TIME = "own words", "time"
Pair = tuple[float, float]
# A goal is two figures; or, for a model, what it must gain against words.
Goal = Pair | float | None


# The goals of a task: by words, with the packaged model, with MiniLM; recall@5 and nDCG@10, or how many of the
# questions have an answer first and in the first five.
GOALS: Mapping[str, tuple[Goal, Goal, Goal]] = {
    "locomo-turn": ((0.74, 0.66), 0.01, (0.76, 0.68)),
    "locomo-session": ((0.87, 0.82), 0.01, (0.90, 0.84)),
    "cosqa": ((0.56, 0.47), (0.60, 0.50), (0.76, 0.63)),
    "cranfield": ((0.42, 0.60), 0.0, (0.43, 0.62)),
    "developer": ((0.90, 0.87), (0.91, 0.88), (0.93, 0.90)),
    OWN_WORDS: ((38, 46), (40, 49), (43, 54)),
    TIME: ((17, 17), None, None),
}


def changelog_corpus(path: Path) -> Corpus:
    """Return the entries of a changelog, and the questions about it."""
    docs = changelog.entries(path.read_text(encoding="utf-8"))
    return Corpus("changelog", docs, judged.read(changelog.QUERIES))


def first_and_five(records: Sequence[Record | Scored], found: Sequence[Sequence[str]]) -> Pair:
    """Return for how many questions the first hit is an answer, and one of the first five."""
    hits = [[one in record.relevant for one in ranked[:5]] for record, ranked in zip(records, found, strict=True)]
    return sum(one[:1] == [True] for one in hits), sum(map(any, hits))


def report(bench: Path, changes: Path | None, folder: Path) -> str:
    """Measure every task with every model, and return the table.

    *folder* keeps the stores, their vectors, and the records of each corpus: a run that ends early goes on there.
    """
    found: dict[str, dict[str, list[Scored]]] = {}
    by_words: dict[str, list[Sequence[str]]] = {}
    for model in MODELS:
        found[model] = {}
        for task in (*mix.TASKS, mix.DEVELOPER):
            found[model][task] = _records(mix.corpora_of(bench, task), model, folder, by_words)
        if changes is not None:
            both = _records([changelog_corpus(changes)], model, folder, by_words)
            found[model] |= {kind: [one for one in both if one.kind == kind] for kind in (OWN_WORDS, TIME)}
    return table(found)


def _records(
    corpora: Iterable[Corpus], model: str, folder: Path, by_words: dict[str, list[Sequence[str]]]
) -> list[Scored]:
    found = []
    for corpus in corpora:
        file = folder / model / f"{corpus.name}-{_state_of(corpus)}.records"
        if file.exists():
            own = pickle.loads(file.read_bytes())
        else:
            own = [one.scored for one in mix.record(corpus, model, folder, by_words.get(corpus.name))]
            file.write_bytes(pickle.dumps(own))
        by_words.setdefault(corpus.name, [one.words for one in own])
        found += own
        print(f"{corpus.name}, {model}: {len(corpus.queries)} questions", file=sys.stderr, flush=True)
    return found


def _state_of(corpus: Corpus) -> str:
    """Return a digest of a corpus and of the code that answers: records of another state do not count."""
    digest = sha256(json.dumps([corpus.docs, corpus.queries]).encode())
    for file in sorted((*Path(gitmem.__file__).parent.rglob("*.py"), Path(mix.__file__))):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def table(found: Mapping[str, Mapping[str, Sequence[Record | Scored]]]) -> str:
    """Return the table of what was recorded, by model and task."""
    models = list(found)
    head = ["recall@5 / nDCG@10 (goal)", "words"]
    head += [cell for model in models for cell in (model, "fitted without this task")]
    rows = [head, ["---"] * len(head)]
    fitted = {model: _fits(own) for model, own in found.items()}
    for task, (words_goal, *model_goals) in GOALS.items():
        if task not in found[models[0]]:
            continue
        measure, shown = (
            (first_and_five, "{:d}, {:d}") if task in (OWN_WORDS, TIME) else (mix.mean_of, "{:.3f} / {:.3f}")
        )
        own = found[models[0]][task]
        words = measure(own, [one.words for one in own])
        row = [_name(task, len(own)), _cell(words, words_goal, words, shown)]
        for model, goal in zip(models, model_goals, strict=True):
            own = found[model][task]
            weight, power = setting = fitted[model](task)
            row.append(_cell(measure(own, [one.in_use for one in own]), goal, words, shown))
            refitted = shown.format(*measure(own, [one.ranked(setting) for one in own]))
            row.append(f"{refitted} at {weight:g}, {power:g}")
        rows.append(row)
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _fits(records: Mapping[str, Sequence[Record | Scored]]) -> Callable[[str], Setting]:
    """Return a function for the setting that is best on all tasks of the benchmark but one."""
    values = mix.values_of({task: own for task, own in records.items() if task not in (OWN_WORDS, TIME)})
    return lambda task: mix.best_of(values, without=task)


def _name(task: str, count: int) -> str:
    if task in (OWN_WORDS, TIME):
        return f"{count} questions, {task}: first, in the first five"
    return f"{task}, {count} questions"


def _cell(measured: Pair, goal: Goal, words: Pair, shown: str) -> str:
    """Return what was measured and the goal, with a star where both of its figures are reached."""
    if goal is None:
        return shown.format(*measured)
    least = (words[0] + goal, words[1] + goal) if isinstance(goal, float) else goal
    is_reached = all(round(one, 3) >= round(wanted, 3) for one, wanted in zip(measured, least, strict=True))
    return f"{shown.format(*measured)} ({shown.format(*least)}){' *' if is_reached else ''}"
