"""HTTP on the loopback address: both eras of the protocol, the token, and the guard against other hosts and origins."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from support.each import each
from support.facts import make_memory, put
from support.mcp_client import ERAS, Answer
from support.terminal import GITMEM, environment

from gitmem.errors import GitmemError
from gitmem.mcp.http import _bind, load_token, make_app, require_token, serve
from gitmem.mcp.server import make_server
from gitmem.mcp.service import Service
from gitmem.system import settle_modes


@contextlib.contextmanager
def served(folder: Path, *options: str, **variables: str) -> Iterator[tuple[str, str]]:
    """Yield the address of a server and what it said of its token."""
    argv = [*GITMEM, "mcp", "--http", "0", *options]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    server = subprocess.Popen(argv, cwd=folder, env=environment(**variables), **pipes)
    try:
        address = server.stdout.readline().strip()
        said = server.stderr.readline()
        yield address, said.rpartition("Bearer ")[2].strip()
    finally:
        server.send_signal(signal.SIGINT)
        rest = server.communicate(timeout=180)[1]
    assert server.returncode == 130, rest
    assert "Traceback" not in rest


def search(address: str, token: str, era: str) -> Answer:
    async def run() -> Answer:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            Client(streamable_http_client(address, http_client=http), mode=era) as client,
        ):
            return Answer(await client.call_tool("memory_search", {"query": "storm"}))

    return asyncio.run(run())


def test_body_of_an_answer_does_not_wait_for_more() -> None:
    with _bind(0) as bound, socket.create_connection(bound.getsockname()), bound.accept()[0] as accepted:
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.whole_system
def test_clients_of_both_eras_find_memories(memory, repo: Path) -> None:
    put(repo, make_memory("storm", "A retry storm"))

    with served(repo, GITMEM_MCP_TOKEN="a-token-of-ones-own") as (address, token):
        answers = [search(address, token, era) for era in ERAS]
        port = int(address.rpartition(":")[2].partition("/")[0])
        addresses = {one[4][0] for one in socket.getaddrinfo(socket.gethostname(), port, socket.AF_INET)}
        with socket.socket() as other:
            reached = [one for one in addresses if not one.startswith("127.") and other.connect_ex((one, port)) == 0]

    assert [[hit["key"] for hit in answer.content["hits"]] for answer in answers] == [["storm"], ["storm"]]
    assert address.startswith("http://127.0.0.1:")
    assert token == "a-token-of-ones-own"
    assert reached == []


@pytest.mark.whole_system
def test_client_that_disconnects_during_a_request_is_not_logged_as_a_bug(memory, repo: Path) -> None:
    with served(repo) as (address, token):
        port = int(address.rpartition(":")[2].partition("/")[0])
        with socket.create_connection(("127.0.0.1", port)) as client:
            head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
            kinds = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
            client.sendall(f"{head}{kinds}Content-Length: 500\r\n\r\n{{".encode())
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # closing resets it

        assert search(address, token, ERAS[0]).content["hits"] == []  # and `served` asserts that nothing was logged


HERE = {"Host": "127.0.0.1:4486"}
RIGHT = {**HERE, "Authorization": "Bearer right"}


@each(
    ("token", "headers", "status"),
    [
        ("right", RIGHT, 200),
        ("right", HERE, 401),
        ("right", {**HERE, "Authorization": "Bearer wrong"}, 401),
        ("right", {**HERE, "Authorization": b"Bearer \xff"}, 401),
        ("right", {**HERE, "Authorization": "Basic right"}, 401),
        ("right", {**RIGHT, "Host": "evil.example"}, 421),
        ("right", {**RIGHT, "Host": "127.0.0.1.evil.example:80"}, 421),
        ("right", {**RIGHT, "Origin": "https://evil.example"}, 403),
        ("right", {**RIGHT, "Origin": "null"}, 403),
        ("right", {**RIGHT, "Origin": "http://localhost:3000"}, 200),
        (None, HERE, 200),
        (None, {**HERE, "Host": "evil.example"}, 421),
    ],
)
def test_only_who_is_meant_gets_an_answer(repo: Path, token: str | None, headers: dict[str, str], status: int) -> None:
    assert asyncio.run(post(repo, token, headers, INITIALIZE)) == status


def test_request_that_is_too_large_is_refused(repo: Path) -> None:
    assert asyncio.run(post(repo, "right", RIGHT, b" " * 2**20)) == 413


INITIALIZE = (
    b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18",'
    b' "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}}'
)


async def post(folder: Path, token: str | None, headers: dict[str, str], body: bytes) -> int:
    """Return the status of one request, asked of the application itself."""
    service = Service(str(folder))
    server = make_server(service)
    app = require_token(make_app(server), token)
    accepts = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    try:
        async with server.session_manager.run(), httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app)) as http:
            return (
                await http.post("http://127.0.0.1:4486/mcp", content=body, headers={**accepts, **headers})
            ).status_code
    finally:
        service.close()


def test_token_is_kept_for_its_owner_alone(tmp_path: Path) -> None:
    first, second = load_token(tmp_path / "gitmem"), load_token(tmp_path / "gitmem")

    file = tmp_path / "gitmem" / "mcp-token"
    assert (first, len(first)) == (second, 48)
    assert file.stat().st_mode & 0o777 == 0o600
    assert [name for name in os.listdir(file.parent) if "token" in name] == ["mcp-token"]


def linked(file: Path) -> None:
    file.replace(file.with_name("elsewhere"))
    file.symlink_to(file.with_name("elsewhere"))


def folder(file: Path) -> None:
    file.unlink()
    file.mkdir()
    (file / "x").touch()


def pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file, 0o600)


NOT_KEPT = {
    "read by the group": lambda file: file.chmod(0o640),
    "read by others": lambda file: file.chmod(0o604),
    "a link": linked,
    "a folder": folder,
    "a pipe": pipe,
    "empty": lambda file: file.write_text("\n"),
    "short": lambda file: file.write_text("a" * 20),
    "garbage": lambda file: file.write_bytes(b"\xff\0" * 50),
    "of a copied clone": lambda file: (file.parent / "clone-id").write_text("a" * 32 + "\n"),
}


@pytest.mark.parametrize("damage", NOT_KEPT.values(), ids=NOT_KEPT)
def test_token_that_others_may_know_or_that_is_none_is_replaced(tmp_path: Path, damage) -> None:
    file = tmp_path / "gitmem" / "mcp-token"
    first = load_token(file.parent)
    damage(file)

    second = load_token(file.parent)

    assert second != first and len(second) == 48
    assert load_token(file.parent) == second
    assert (file.is_symlink(), file.stat().st_mode & 0o777) == (False, 0o600)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_token_that_someone_else_made_is_replaced(tmp_path: Path) -> None:
    file = tmp_path / "gitmem" / "mcp-token"
    first = load_token(file.parent)
    os.chown(file, 54_003, -1)

    assert load_token(file.parent) != first
    assert file.stat().st_uid == os.geteuid()


def test_token_is_not_shared_with_the_group_that_shares_the_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git").chmod(0o2770)
    state = tmp_path / ".git" / "gitmem"
    first = load_token(state)

    settle_modes(str(state))

    assert (state / "mcp-token").stat().st_mode & 0o777 == 0o600
    assert load_token(state) == first


def test_port_that_is_taken_is_reported(repo: Path) -> None:
    lines: list[str] = []

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(GitmemError, match="Address already in use") as error:
            serve(str(repo), port=port, read_only=False, token=None, report=lambda *said: lines.extend(said))

    assert "--http 0" in error.value.hint
    assert lines == []
