"""How what went wrong is told to a client, and by which name a client is known."""

from __future__ import annotations

import asyncio
import errno
import sqlite3
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from mcp.server.mcpserver.exceptions import ToolError
from support.each import each

from gitmem.errors import GitmemError, RefusedError
from gitmem.mcp.service import NAMELESS, Service, agent_of


@pytest.fixture
def service(memory, repo: Path):  # type: ignore[no-untyped-def]
    made = Service(str(repo))
    yield made
    made.close()


def failing(error: Exception) -> Any:
    def work(_: Any) -> None:
        raise error

    return work


@each(
    ("error", "message"),
    [
        (RefusedError("no \x1b[31m", hint="do\nthat"), "no \\x1b[31m\nhint: do\nthat"),
        (GitmemError("the key is " + "AKIA" + "IOSFODNN7EXAMPLF"), "the key is [secret: aws"),
        (sqlite3.OperationalError("database is locked"), "another process is writing the index\nhint: call"),
        (sqlite3.OperationalError("disk I/O error"), "cannot write the index: disk I/O error"),
        (
            sqlite3.OperationalError("no such table: x"),
            "the index was damaged and has been deleted; no memories are lost,",
        ),
        (OSError(errno.ENOSPC, "No space left on device", "/x"), "/x: No space left on device"),
    ],
)
def test_failure_is_described_in_words_that_do_no_harm(service: Service, error: Exception, message: str) -> None:
    with pytest.raises(ToolError) as found:
        asyncio.run(service.read(None, failing(error)))

    assert str(found.value).startswith(message)


@pytest.mark.parametrize("error", [ValueError("ours"), OSError(5, "x")])
def test_bug_is_passed_on_as_it_is(service: Service, error: Exception) -> None:
    with pytest.raises(type(error)):
        asyncio.run(service.read(None, failing(error)))


@pytest.mark.parametrize("writes", [False, True])
def test_damaged_index_costs_a_second_try_unless_something_was_written(service: Service, writes: bool) -> None:
    tried = []

    def work(memory: Any) -> str:
        tried.append(writes and memory.remember(f"Written {len(tried)}").key)
        if len(tried) == 1:
            raise sqlite3.DatabaseError("database disk image is malformed")
        return "answered"

    if writes:
        with pytest.raises(ToolError, match="the index was damaged"):
            asyncio.run(service.write(None, work))
        assert len(tried) == 1
    else:
        assert asyncio.run(service.read(None, work))[0] == "answered"


def test_question_does_not_wait_for_a_write(service: Service) -> None:
    begun, done = threading.Event(), threading.Event()

    def write(_: Any) -> bool:
        begun.set()
        return done.wait(30)

    async def both() -> tuple[bool, Any]:
        writing = asyncio.create_task(service.write(None, write))
        await asyncio.get_running_loop().run_in_executor(None, begun.wait)
        answer, _ = await service.read(None, lambda memory: memory.repository.config.branch)
        done.set()
        return (await writing)[0], answer

    assert asyncio.run(both()) == (True, "memory")


def test_notices_are_reported_once_and_cleaned(service: Service) -> None:
    first = asyncio.run(service.read(None, lambda memory: memory.notices.append("a\x1bb" + "x" * 1000)))
    second = asyncio.run(service.read(None, lambda _: None))

    assert first[1][0].startswith("a\\x1bbxxx")
    assert len(first[1][0]) == 600
    assert second[1] == []


@each(
    ("name", "agent"),
    [
        ("claude-code", "claude-code"),
        ("  Cursor \n\t IDE ", "Cursor IDE"),
        ("\u202e\x00", "\\u{202e}\\x00"),
        ("", NAMELESS),
        ("\n", NAMELESS),
        ("x" * 10_000, "x" * 60),
    ],
)
def test_name_of_a_client_can_be_written_down(name: str, agent: str) -> None:
    info = SimpleNamespace(client_info=SimpleNamespace(name=name))

    assert agent_of(SimpleNamespace(session=SimpleNamespace(client_params=info))) == agent  # type: ignore[arg-type]


def test_client_that_gives_no_name_is_still_no_person() -> None:
    assert agent_of(None) == NAMELESS
    assert agent_of(SimpleNamespace(session=SimpleNamespace(client_params=None))) == NAMELESS  # type: ignore[arg-type]
