"""The forge of one test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.forge_server import Hub, serving


@pytest.fixture
def hub() -> Iterator[Hub]:
    with serving() as made:
        yield made
