"""What the tests of the MCP server share: a real client that talks to a server in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from conftest import NOW
from mcp import Client

from gitmem.mcp.server import make_server
from gitmem.mcp.service import Service

# The protocol as it was until 2025-11-25, with a handshake, and as it is since 2026-07-28.
ERAS = ("legacy", "auto")


def with_client(
    folder: Path,
    use: Callable[[Client], Awaitable[Any]],
    *,
    era: str = "auto",
    read_only: bool = False,
    board: str = "",
) -> Any:
    """Return what *use* makes of a client of a server for a repository, at a fixed time."""

    async def run() -> Any:
        service = Service(str(folder), clock=lambda: float(NOW))
        try:
            async with Client(make_server(service, read_only=read_only, board=board), mode=era) as client:
                return await use(client)
        finally:
            service.close()

    return asyncio.run(run())


class Answer:
    """What a tool answered: its text, its structured content, and whether it is an error."""

    def __init__(self, result: Any) -> None:
        self.text = "\n".join(part.text for part in result.content)
        self.content = result.structured_content
        self.is_error = result.is_error

    def __repr__(self) -> str:
        return f"{'error: ' if self.is_error else ''}{self.text}"


def call(folder: Path, *calls: tuple[str, dict[str, Any]], read_only: bool = False, board: str = "") -> list[Answer]:
    """Return what the tools answer, called one after another by one client."""

    async def use(client: Client) -> list[Answer]:
        return [Answer(await client.call_tool(name, arguments)) for name, arguments in calls]

    return with_client(folder, use, read_only=read_only, board=board)


def call_one(folder: Path, name: str, **arguments: Any) -> Answer:
    """Return what one tool answers."""
    return call(folder, (name, arguments))[0]
