"""Time the operations inside one process, where the start of Python and of the imports is already paid.

    python benchmarks/inside.py REPOSITORY ROUNDS

Prints one JSON object: for each operation the seconds of every round.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable

from benchmarks.questions import QUESTIONS
from gitmem import Memory
from gitmem.recall.asked import Asked


def operations(memory: Memory, repository: str) -> dict[str, Callable[[str], object]]:
    """Return what is timed, by name; each takes a question."""

    def opened(question: str) -> object:
        with Memory(repository) as other:
            return other.recall(Asked(query=question))

    return {
        "open the repository, recall, close": opened,
        "recall": lambda question: memory.recall(Asked(query=question)),
        "list by a tag": lambda question: memory.list(Asked(tags=(question.split()[0],))),
        "context": lambda _: memory.context(paths=["src/auth/token_store.py"], budget_tokens=4000),
        "status": lambda _: memory.status(),
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


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], int(sys.argv[2]))))
