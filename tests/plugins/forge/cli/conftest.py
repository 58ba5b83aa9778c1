"""The forge of one test, and the environment of a job of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.forge_server import Hub, serving


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with serving() as made:
        for name, value in made.environment().items():
            monkeypatch.setenv(name, value)
        yield made
