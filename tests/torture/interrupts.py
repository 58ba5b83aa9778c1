"""Press Ctrl-C at random moments of every kind of command: one line, exit status 130, no traceback."""

from __future__ import annotations

import os
import random
import signal
import time
from contextlib import suppress

from torture.place import WORKS, Ended, Place

READS = (
    ("recall", "pools"), ("list",), ("status",), ("context",), ("doctor",), ("log", "first"), ("--version",),
    ("help",), ("lisst",), ("why", "retries-one"), ("check",), ("export",),
)  # fmt: skip
LINE = "gitmem: error: interrupted; acknowledged writes are kept"
EARLY_S, LATE_S = 0.1, 1.5


class Interrupts:
    """Trials in one place.

    Attributes:
        before_us: Interrupts that came before the program's first line, while Python started.
    """

    def __init__(self, place: Place) -> None:
        self.place = place
        self.before_us = 0

    def try_one(self, seed: int) -> list[str]:
        """Interrupt one command and return what is wrong about how it ended."""
        dice = random.Random(seed)
        works = [(work.argv, work.stdin) for work in WORKS if not work.before]
        argv, stdin = [*works, *((argv, "") for argv in READS)][seed % (len(works) + len(READS))]
        if seed % 10 == 0:
            self.place.reset()
        child = self.place.start(*argv)
        time.sleep(dice.uniform(0, EARLY_S if seed % 2 else LATE_S))
        if child.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGINT)
        return self._judge(argv, self.place.wait(child, stdin))

    def _judge(self, argv: tuple[str, ...], done: Ended) -> list[str]:
        lines = done.err.strip().split("\n")
        if done.status == -signal.SIGINT and not done.err:
            self.before_us += 1  # Python had not begun to handle signals
            return []
        if "KeyboardInterrupt" in done.err and "/gitmem/" not in done.err.replace("/bin/gitmem", ""):
            self.before_us += 1
            return []
        if done.is_bug or "KeyboardInterrupt" in done.err or "Exception ignored" in done.err:
            return [f"{' '.join(argv)}: {done.status}: {done.err[-500:]}"]
        if done.status == 130 and not (lines[-1].startswith(LINE) and len(lines) <= 2):
            return [f"{' '.join(argv)}: more than one line: {done.err[-300:]}"]
        if done.status < 0:
            return [f"{' '.join(argv)}: ended by signal {-done.status}: {done.err[-300:]}"]
        return []
