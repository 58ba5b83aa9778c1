"""A memory by a clock that can be set."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.facts import Clock, make_fact, put, verify

from gitmem.memory import Memory


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def timed(repo: Path, clock: Clock):
    """Return the memory of a repository with a fact that is verified now, by a clock that can be set."""
    with Memory(repo, clock=clock) as memory:
        memory.init(offline=True)
        put(repo, make_fact("a", {"exists": "README.md"}, ttl="10d"))
        verify(memory)
        yield memory
