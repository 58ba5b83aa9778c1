"""Measure how much each factor of recall's score contributes: left out, alone, and with all of them shuffled.

    python benchmarks/factors.py                     a table; some minutes
    python benchmarks/factors.py --seeds 1 --json

The store is made up (``benchmarks.world`` says how, and how answers are judged), but it is a real one: memories are
files of a branch, statuses come from running the checks, reads from the local state, and every question goes through
``Memory.recall``, asked in the folder and about the file that somebody works on. The **placebo** gives every candidate
of a question the factors of another one, at random: any gain that remains then is not due to the factors.

Each seed is another world. The paired test flips signs of the differences by question at random (10,000 times).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.world import COMPONENTS, DAY_S, TODAY, Question, World, commit
from gitmem.frozen import replace
from gitmem.memory import Memory
from gitmem.model import FACTORS
from gitmem.recall import ranker
from gitmem.recall.query import Query
from gitmem.verify.options import Options

# Scope and talk have no signal in this world: they are measured by tests, and on the recall benchmark.
MEASURED = tuple(name for name in FACTORS if name not in ("scope", "talk"))
SEEDS = 3
PLACEBOS = 3
FLIPS = 10_000
LIMIT = 10
VERIFIED_DAYS = 3

Row = list[tuple[float, float]]


def store(world: World, folder: Path) -> Path:
    """Make the repository: code, memories, verdicts of three days ago, the last changes, and what was read."""
    repo = folder / "service"
    subprocess.run(["git", "init", "-q", "-b", "main", str(repo)], check=True)
    for name, value in (("user.name", "Bench"), ("user.email", "bench@example.org")):
        subprocess.run(["git", "-C", str(repo), "config", name, value], check=True)
    commit(repo, "refs/heads/main", world.code(after=False))
    subprocess.run(["git", "-C", str(repo), "reset", "-q", "--hard"], check=True)
    commit(repo, "refs/heads/memory", [(f"{one.kind}s/{one.key}.md", one.text()) for one in world.told])
    with Memory(repo, clock=lambda: float(TODAY - VERIFIED_DAYS * DAY_S)) as memory:
        memory.verify(options=Options(everything=True, no_sandbox=True), report=lambda *_: None)
    commit(repo, "refs/heads/main", world.code(after=True))
    subprocess.run(["git", "-C", str(repo), "reset", "-q", "--hard"], check=True)
    with Memory(repo, clock=lambda: float(TODAY)) as memory:
        for one in world.told:
            for when in sorted(one.reads):
                memory.repository.local.count_access(one.key, when)
    return repo


@contextmanager
def shuffled(seed: int) -> Iterator[None]:
    """Give each candidate the factors of another one while this lasts."""
    rank, rng = ranker.rank, Random(seed)

    def placebo(candidates: Any, **options: Any) -> Any:
        own = sorted(candidates, key=lambda signals: signals.number)
        others = rng.sample(own, len(own))
        return rank(
            [replace(b, number=a.number, lexical=a.lexical) for a, b in zip(own, others, strict=True)], **options
        )

    ranker.rank = placebo
    try:
        yield
    finally:
        ranker.rank = rank


def ask(repo: Path, questions: Sequence[Question], without: Sequence[str]) -> Row:
    """Return nDCG@5 and the reciprocal rank of the first right answer (grade 3), for each question."""
    rows = {}
    for component in COMPONENTS:
        with Memory(repo / "src" / component, clock=lambda: float(TODAY)) as memory:
            for nth, question in enumerate(questions):
                if question.component == component:
                    near = (f"src/{component}/settings.py",)
                    query = Query(text=question.text, limit=LIMIT, near=near, without=tuple(without))
                    rows[nth] = judge([hit.key for hit in memory.recall(query).hits], question.judged)
    return [rows[nth] for nth in range(len(questions))]


def judge(found: Sequence[str], judged: Mapping[str, int]) -> tuple[float, float]:
    """Return nDCG@5 with gains 2^grade - 1 (Burges 2005), and the reciprocal rank of the first of grade 3, or 0."""
    gains = [2 ** judged.get(key, 0) - 1 for key in found[:5]]
    best = sorted((2**grade - 1 for grade in judged.values()), reverse=True)[:5]
    dcg, ideal = (sum(gain / math.log2(rank + 2) for rank, gain in enumerate(them)) for them in (gains, best))
    first = next((rank for rank, key in enumerate(found, 1) if judged.get(key) == 3), 0)
    return (dcg / ideal if ideal else 0.0), (1 / first if first else 0.0)


def p_value(a: Sequence[float], b: Sequence[float]) -> float:
    """Return how often chance alone makes a mean difference as large (two-sided, paired, signs flipped at random)."""
    differences, rng = [x - y for x, y in zip(a, b, strict=True) if x != y], Random(1)
    seen = abs(sum(differences))
    hits = sum(abs(sum(d if rng.random() < 0.5 else -d for d in differences)) >= seen - 1e-9 for _ in range(FLIPS))
    return (hits + 1) / (FLIPS + 1)


def measure(seeds: int) -> tuple[dict[str, Row], dict[str, Any]]:
    """Return the figures of every arm by question, over all worlds, and what the worlds hold."""
    arms: dict[str, Row] = {}
    held: dict[str, int] = {"questions": 0, "memories": 0}
    for seed in range(1, seeds + 1):
        world = World(seed)
        with tempfile.TemporaryDirectory(prefix="gitmem-factors-") as name:
            repo = store(world, Path(name))
            with Memory(repo, clock=lambda: float(TODAY)) as memory:
                for hit in memory.list(Query(limit=100_000)).hits:
                    held["memories"] += 1
                    held[hit.status or "without a check"] = held.get(hit.status or "without a check", 0) + 1
            held["questions"] += len(world.questions)
            wanted = {"words only": FACTORS, "all factors": ()}
            wanted |= {f"without {name}": (name,) for name in MEASURED}
            # Both tell of proof: a fact that held when it was last checked is verified, and as good as new.
            wanted["without recency and status"] = ("recency", "status")
            wanted |= {f"only {name}": tuple(n for n in FACTORS if n != name) for name in MEASURED}
            for arm, without in wanted.items():
                arms.setdefault(arm, []).extend(ask(repo, world.questions, without))
            for placebo in range(PLACEBOS):
                with shuffled(1000 * seed + placebo):
                    arms.setdefault(f"placebo {placebo + 1}", []).extend(ask(repo, world.questions, ()))
        print(f"world {seed} of {seeds} is measured", file=sys.stderr)
    return arms, held


def rows_of(arms: Mapping[str, Row]) -> list[dict[str, Any]]:
    """Return a row for each arm: its means, and the paired tests of nDCG@5 against words only and all factors."""
    columns = {arm: [list(column) for column in zip(*row, strict=True)] for arm, row in arms.items()}
    rows = []
    for arm, (ndcg, reciprocal) in columns.items():
        row: dict[str, Any] = {"arm": arm, "ndcg@5": sum(ndcg) / len(ndcg), "mrr": sum(reciprocal) / len(reciprocal)}
        for other, name in (("words only", "p_words"), ("all factors", "p_all")):
            row[name] = None if arm == other else p_value(ndcg, columns[other][0])
        rows.append(row)
    return rows


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the rows as a Markdown table."""
    words, everything = rows[0]["ndcg@5"], rows[1]["ndcg@5"]
    lines = ["| arm | nDCG@5 | MRR | against words only | against all factors |", "|---|---|---|---|---|"]
    for row in rows:
        cells = [
            "" if row[p] is None else f"{row['ndcg@5'] - base:+.3f} (p = {row[p]:.4f})"
            for p, base in (("p_words", words), ("p_all", everything))
        ]
        lines.append(f"| {row['arm']} | {row['ndcg@5']:.3f} | {row['mrr']:.3f} | {cells[0]} | {cells[1]} |")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=SEEDS, metavar="N", help=f"so many worlds ({SEEDS})")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="gitmem-factors-home-") as home:
        os.environ.update(HOME=home, XDG_STATE_HOME=f"{home}/state", GITMEM_BACKGROUND="off", GITMEM_VIEW="false")
        arms, held = measure(options.seeds)
    rows = rows_of(arms)
    if options.json:
        print(json.dumps({"worlds": held, "arms": rows}, indent=1))
        return 0
    print(", ".join(f"{number} {name}" for name, number in held.items()), end="\n\n")
    print(table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
