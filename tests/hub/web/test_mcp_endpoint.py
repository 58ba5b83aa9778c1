"""The address of a hub's tools: they are loaded when a client asks for them, and not before."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from typing import Any

import pytest

from gitmem.hub.identity import make_identity
from gitmem.hub.web.mcp_endpoint import PATH, Endpoint

SCOPE = {"type": "http", "method": "POST", "path": PATH, "headers": [(b"host", b"hub")], "query_string": b""}


async def nothing(_message: Any = None) -> dict[str, Any]:
    return {"type": "http.request"}


def test_server_starts_without_loading_the_tools() -> None:
    code = "import sys, gitmem.hub.server; sys.exit('mcp' in sys.modules or 'mcp_types' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_request_fails_if_the_tools_cannot_be_loaded_and_the_next_one_tries_again() -> None:
    loads = []

    def load() -> Any:
        loads.append(len(loads))
        raise OSError(f"attempt {len(loads)}")

    async def run() -> None:
        endpoint = Endpoint(load, lambda _request: make_identity("ana", ()))
        async with endpoint.run():
            assert loads == []
            for number in (1, 2):
                with pytest.raises(OSError, match=f"attempt {number}"):
                    await endpoint(dict(SCOPE), nothing, nothing)

    asyncio.run(asyncio.wait_for(run(), 20))


def test_request_does_not_wait_forever_for_the_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gitmem.hub.web.mcp_endpoint.LOAD_S", 0.05)
    loaded, sent = threading.Event(), []

    async def send(message: Any) -> None:
        sent.append(message)

    async def run() -> None:
        endpoint = Endpoint(lambda: loaded.wait(20), lambda _request: make_identity("ana", ()))
        async with endpoint.run():
            await endpoint(dict(SCOPE), nothing, send)
            assert sent[0]["status"] == 503
            loaded.set()

    asyncio.run(asyncio.wait_for(run(), 20))
