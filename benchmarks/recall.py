"""Measure how well recall finds: the recall benchmark through the real store and `Memory.recall`, beside its baselines.

    python benchmarks/recall.py BENCH                       # every task; a table, and a paired test
    python benchmarks/recall.py BENCH --tasks cosqa --json

BENCH is the folder of the benchmark: ``evalrecall.py``, ``data/`` and ``results/baselines.jsonl``. Each corpus is a
repository of its own whose memories are committed before they are recalled (``benchmarks.retriever``). The paired test
is against the benchmark's best lexical retriever with one setting for all tasks; it needs numpy, and is left out
without. Exit status: 0, or 3 where there is no benchmark.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

TASKS = ("locomo-turn", "locomo-session", "cosqa", "cranfield")
# What is shown beside ours: the engines as most would use them, and the best lexical one with one setting.
BASELINES = ("WhooshStem", "Fts5Porter", "TantivyEnStem", "Bm25s", "WhooshTuned", "LexAll")
BEST = "LexAll"
PROJECT = Path(__file__).resolve().parent.parent


def evaluate(bench: Path, tasks: Sequence[str], folder: Path, *what: str, name: str) -> list[dict[str, Any]]:
    """Run the benchmark's own harness and return its row for each task.

    Raises:
        subprocess.CalledProcessError: It failed; its output is on standard error.
    """
    out = folder / f"{name}.jsonl"
    argv = [sys.executable, str(bench / "evalrecall.py"), *what, "--tasks", *tasks, "--out", str(out)]
    argv += ["--per-query", str(folder / f"{name}.perquery.jsonl")]
    subprocess.run(argv, check=True, cwd=PROJECT, stdout=sys.stderr)
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def table(ours: Sequence[Mapping[str, Any]], others: Sequence[Mapping[str, Any]]) -> str:
    """Return a Markdown table of recall@5 / nDCG@10: ours first, then the baselines in their order."""
    tasks = [row["task"] for row in ours]
    by = {(row["retriever"], row["task"]): row for row in others if not row.get("pooled")}
    by |= {("gitmem", row["task"]): row for row in ours}
    lines = [f"| recall@5 / nDCG@10 | {' | '.join(tasks)} |", "|---" * (len(tasks) + 1) + "|"]
    for name in ("gitmem", *BASELINES):
        cells = [by.get((name, task)) for task in tasks]
        shown = (f"{cell['recall@5']:.3f} / {cell['ndcg@10']:.3f}" if cell else "" for cell in cells)
        lines.append(f"| {name} | {' | '.join(shown)} |")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path, metavar="BENCH", help="the folder of the benchmark")
    parser.add_argument("--tasks", nargs="*", default=list(TASKS), help="only these tasks")
    parser.add_argument("--json", action="store_true", help="print our figures as JSON")
    options = parser.parse_args(argv)
    bench = options.bench.resolve()
    if not (bench / "evalrecall.py").is_file():
        print(f"recall: there is no benchmark in {bench}", file=sys.stderr)
        return 3
    with tempfile.TemporaryDirectory(prefix="gitmem-recall-") as name:
        folder = Path(name)
        command = f"{sys.executable} -m benchmarks.retriever"
        ours = evaluate(bench, options.tasks, folder, "--command", command, name="gitmem")
        if options.json:
            print(json.dumps(ours, indent=1))
            return 0
        baselines = (bench / "results" / "baselines.jsonl").read_text(encoding="utf-8").splitlines()
        print(table(ours, [json.loads(line) for line in baselines]))
        _compare(bench, options.tasks, folder)
    return 0


def _compare(bench: Path, tasks: Sequence[str], folder: Path) -> None:
    """Print the paired test of every task against the best baseline."""
    try:
        evaluate(bench, tasks, folder, "--python", f"{bench}/retrievers/lexical.py:{BEST}", name=BEST)
    except subprocess.CalledProcessError:
        print(f"\nno paired test: {BEST} could not run here (it needs numpy)")
        return
    files = [str(folder / f"{name}.perquery.jsonl") for name in (BEST, "gitmem")]
    print(f"\ngitmem against {BEST}, paired:", flush=True)
    subprocess.run([sys.executable, str(bench / "evalrecall.py"), "compare", *files], check=True)


if __name__ == "__main__":
    sys.exit(main())
