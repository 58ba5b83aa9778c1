"""Time the Whoosh index inside one process: built from scratch, and updated after one change.

    python benchmarks/whoosh_index.py REPOSITORY ROUNDS

Prints one JSON object: the seconds of every round for both, in wall time and CPU time.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

from gitmem import Memory
from gitmem.index.whoosh.index import refresh_whoosh


def main(repository: str, rounds: int) -> dict[str, list[tuple[float, float]]]:
    """Return the seconds of every round, build and change in turn; the store gets one memory after each."""
    with Memory(repository) as memory, tempfile.TemporaryDirectory() as folder:

        def timed(state_dir: Path) -> tuple[float, float]:
            catalog = memory.repository.catalog()
            wall, cpu = time.perf_counter(), time.process_time()
            refresh_whoosh(state_dir, catalog)
            spent = time.perf_counter() - wall, time.process_time() - cpu
            memory.remember(f"The gateway was restarted for the {time.time_ns()}th time")
            return spent

        spent = [(timed(Path(folder, str(number))), timed(Path(folder, str(number)))) for number in range(rounds)]
    return {"build": [build for build, _ in spent], "follow": [follow for _, follow in spent]}


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], int(sys.argv[2]))))
