"""Time ``gitmem browse`` with a store of 10,000 memories: until its first paint, and from a key to its results.

    python -m benchmarks.browse                a store of its own, which takes a minute to make
    python -m benchmarks.browse --dir /tmp/b   keep it there and use it again

The first paint is that of the real program on a terminal of 80 columns and 24 rows: from the start of the process until
the search field is drawn, and until the newest memories are. Keys are typed into the program in this process, without a
terminal: from the key until its hits are laid out and drawn. Prints JSON; exits 1 if a goal is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import fcntl
import json
import os
import pty
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

from benchmarks import measure
from benchmarks.questions import QUESTIONS
from benchmarks.stores import Stores, gitmem, say

FIRST_MS, KEY_MS = 500.0, 50.0
# What is drawn first, and what is drawn with the hits.
FIELD, HITS = b"search:", b"newest"


def start_once(stores: Stores, folder: Path) -> tuple[float, float]:
    """Return the milliseconds until the field was drawn, and until the hits were."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    begun, seen, output = time.perf_counter(), [0.0, 0.0], b""
    env = {**stores.env, "TERM": "xterm-256color"}
    program = subprocess.Popen(
        [gitmem(), "browse"], cwd=folder, env=env, stdin=slave, stdout=slave, stderr=slave, start_new_session=True
    )
    os.close(slave)
    try:
        while not all(seen):
            output += os.read(master, 65536)
            took = (time.perf_counter() - begun) * 1000
            seen = [had or (took if text in output else 0.0) for had, text in zip(seen, (FIELD, HITS), strict=True)]
    finally:
        os.killpg(program.pid, signal.SIGKILL)
        program.wait()
        os.close(master)
    return seen[0], seen[1]


async def type_questions(folder: Path) -> list[tuple[float, float]]:
    """Return the milliseconds by the clock and of CPU from each key of some questions until its hits were drawn."""
    from textual.events import Key

    from gitmem.cli.browse.app import Browse
    from gitmem.cli.browse.search import SearchScreen

    app = Browse(str(folder))
    spent = []
    async with app.run_test(size=(80, 24)) as pilot:
        while not (isinstance(app.screen, SearchScreen) and app.screen.is_answered("")):
            await pilot.pause(0.05)
        screen = app.screen
        for question in QUESTIONS:
            for end in range(1, len(question) + 1):
                wall, cpu = time.perf_counter(), time.process_time()
                app.post_message(Key(question[end - 1], question[end - 1]))
                while not screen.is_answered(question[:end]):
                    await asyncio.sleep(0.0005)
                drawn = asyncio.Event()
                screen.call_after_refresh(drawn.set)
                await drawn.wait()
                spent.append(((time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000))
            await pilot.press("ctrl+u")
            while not screen.is_answered(""):
                await pilot.pause(0.01)
    return spent


def main() -> int:
    """Measure, print, and tell whether the goals are reached."""
    parser = argparse.ArgumentParser(description="Measure gitmem browse.")
    parser.add_argument("--dir", type=Path, help="keep the store here")
    parser.add_argument("--rounds", type=int, default=9, help="how often it is started (9)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gitmem-browse-") as name:
        stores = Stores((options.dir or Path(name)).resolve())
        folder = stores.path("10k")
        say("starting gitmem browse")
        bare = measure.measure([measure.python_start(stores.folder)], rounds=options.rounds, env=stores.env)
        yardstick_ms = next(iter(bare.values())).median_s() * 1000
        start_once(stores, folder)
        starts = [start_once(stores, folder) for _ in range(options.rounds)]
        say("typing questions")
        os.environ.update(HOME=stores.env["HOME"])
        keys = sorted(asyncio.run(type_questions(folder)))
    field_ms, hits_ms = (statistics.median(one[at] for one in starts) for at in (0, 1))
    key_ms = statistics.median(wall for wall, _ in keys)
    found = {
        "field_ms": round(field_ms),
        "field_y": round(field_ms / yardstick_ms, 1),
        "newest_ms": round(hits_ms),
        "newest_y": round(hits_ms / yardstick_ms, 1),
        "python_start_ms": round(yardstick_ms, 1),
        "keys": len(keys),
        "key_ms": round(key_ms, 1),
        "key_p95_ms": round(keys[int(len(keys) * 0.95)][0], 1),
        "key_cpu_ms": round(statistics.median(cpu for _, cpu in keys), 1),
    }
    print(json.dumps(found, indent=2))
    return 0 if field_ms <= FIRST_MS and key_ms <= KEY_MS else 1


if __name__ == "__main__":
    sys.exit(main())
