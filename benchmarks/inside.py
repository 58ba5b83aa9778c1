"""Time the operations inside one process, after Python and the imports were loaded.

    python benchmarks/inside.py REPOSITORY ROUNDS
    python benchmarks/inside.py REPOSITORY ROUNDS --warm ENGINE   only recall, with a new question each time

Prints one JSON object: the seconds of every round for each operation; with ``--warm``, in wall time and CPU time.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable

from benchmarks.questions import QUESTIONS, varied
from gitmem import Memory
from gitmem.frozen import replace
from gitmem.recall.query import Query

# Questions before those that count: a server has been asked before.
WARM_UP = 20


def operations(memory: Memory, repository: str) -> dict[str, Callable[[str], object]]:
    """Return what is timed, by name; each takes a question."""

    def opened(question: str) -> object:
        with Memory(repository) as other:
            return other.recall(Query(text=question))

    return {
        "open the repository, recall, close": opened,
        "recall": lambda question: memory.recall(Query(text=question)),
        "list by a tag": lambda question: memory.list(Query(tags=(question.split()[0],))),
        "context": lambda _: memory.context(paths=["src/auth/token_store.py"], budget_tokens=4000).document,
        "status": lambda _: memory.status().document,
    }


def main(repository: str, rounds: int) -> dict[str, list[float]]:
    """Return the seconds that each operation took, one value a round, all operations in turn."""
    with Memory(repository) as memory:
        timed = operations(memory, repository)
        seconds: dict[str, list[float]] = {name: [] for name in timed}
        for number in range(-1, rounds):
            for name, operation in timed.items():
                started = time.perf_counter()
                operation(QUESTIONS[number % len(QUESTIONS)])
                if number >= 0:
                    seconds[name].append(time.perf_counter() - started)
    return seconds


def warm(repository: str, rounds: int, engine: str) -> list[tuple[float, float]]:
    """Return the seconds by the clock and of CPU of each of so many different questions, the store opened once."""
    with Memory(repository) as memory:
        memory.repository.config = replace(memory.repository.config, engine=engine)
        asked = varied(WARM_UP + rounds)
        for question in asked[:WARM_UP]:
            memory.recall(Query(text=question))
        spent = []
        for question in asked[WARM_UP:]:
            wall, cpu = time.perf_counter(), time.process_time()
            memory.recall(Query(text=question))
            spent.append((time.perf_counter() - wall, time.process_time() - cpu))
    return spent


if __name__ == "__main__":
    if "--warm" in sys.argv:
        print(json.dumps(warm(sys.argv[1], int(sys.argv[2]), sys.argv[4])))
    else:
        print(json.dumps(main(sys.argv[1], int(sys.argv[2]))))
