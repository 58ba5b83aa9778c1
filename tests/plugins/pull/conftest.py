"""The tracker of one test, and its tokens."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.tracker_server import Tracker, tracking


@pytest.fixture
def tracker(monkeypatch: pytest.MonkeyPatch) -> Iterator[Tracker]:
    monkeypatch.setattr("gitmem.git.forges.client.PAUSES_S", (0.0, 0.0, 0.0))
    with tracking() as made:
        for name, value in made.environment().items():
            monkeypatch.setenv(name, value)
        yield made
