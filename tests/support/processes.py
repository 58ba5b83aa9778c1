"""Which processes live, and waiting until something is so."""

from __future__ import annotations

import os
import signal
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest


def pids_of(mark: str) -> list[int]:
    """Return the processes that have *mark* in their command line, zombies left out."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and mark.encode() in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return [pid for pid in found if pid != os.getpid()]


def wait_until(claim: Callable[[], object], seconds: float = 60.0) -> bool:
    """Return whether the claim came true in time; the longer that takes, the less often it is asked."""
    begin = time.monotonic()
    while (waited := time.monotonic() - begin) < seconds:
        if claim():
            return True
        time.sleep(min(0.01 + waited / 20, 0.1))  # a claim may start a process, or ask a database
    return bool(claim())


@pytest.fixture
def mark() -> Iterator[str]:
    """A number of seconds to sleep that nobody else sleeps; whoever still sleeps it afterwards is ended."""
    text = f"600.{uuid.uuid4().int % 10**15:015}"
    yield text
    for pid in pids_of(text):
        os.kill(pid, signal.SIGKILL)
