"""Kill every kind of work with -9 at random moments, beside a writer, and see that nothing acknowledged is lost."""

from __future__ import annotations

import os
import random
import signal
import time
from contextlib import suppress

from torture.place import WORKS, Place

# Longer than any of the commands takes on a busy machine.
LONGEST_S = 2.5


class Kills:
    """Trials in one place."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self._told = place.top.with_name("told")
        self.acknowledged = 0

    def try_one(self, seed: int) -> list[str]:
        """Kill one kind of work and a writer and return what does not hold afterwards."""
        dice = random.Random(seed)
        work = WORKS[seed % len(WORKS)]
        self.place.reset()
        for argv in work.before:
            self.place.ok(*argv)
        self._told.write_text("")
        promised, before = self.place.keys(), self.place.theirs()
        writer = self.place.start_writer(self._told)
        child = self.place.start(*work.argv)
        assert child.stdin is not None
        with suppress(BrokenPipeError):
            child.stdin.write(work.stdin)
            child.stdin.close()
        time.sleep(dice.uniform(0, LONGEST_S))
        is_group = dice.random() < 0.7  # otherwise git lives on
        ended = child.poll()
        for one in (child, writer):
            with suppress(ProcessLookupError):
                if is_group:
                    os.killpg(one.pid, signal.SIGKILL)
                else:
                    one.kill()
        for one in (child, writer):
            one.wait()
        for pipe in (child.stdout, child.stderr):
            assert pipe is not None
            pipe.close()
        time.sleep(0.0 if is_group else 0.3)
        with suppress(ProcessLookupError):
            os.killpg(writer.pid, signal.SIGKILL)  # what the killed shell had started
        told = {line for line in self._told.read_text().split("\n")[:-1] if line}
        self.acknowledged += len(told)
        if work.name == "uninstall":
            told = set() if not self.place.keys() or ended == 0 else told & self.place.keys()
            promised = promised & self.place.keys()
        if work.name == "undo":
            promised, told = promised - {"newer"}, told & self.place.keys()
        promised |= told | (set(work.keys) if ended == 0 else set())
        return self.place.faults(promised, before, work, is_killed=True)
