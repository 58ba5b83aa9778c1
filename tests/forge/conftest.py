"""The forge of one test."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from forging import Hub


@pytest.fixture
def hub() -> Iterator[Hub]:
    made = Hub()
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield made
    made.released.set()
    made.shutdown()
    thread.join()
    made.server_close()
