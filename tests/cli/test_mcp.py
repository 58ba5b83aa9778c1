"""`gitmem mcp`: what it loads, what it refuses, and a real client over its standard input and output."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters
from support.each import each
from support.facts import make_memory, put
from support.mcp_client import ERAS, Answer
from support.terminal import GITMEM, environment


@pytest.mark.parametrize("era", ERAS)
def test_client_over_standard_input_and_output(memory, repo: Path, era: str) -> None:
    put(repo, make_memory("storm", "A retry storm"))
    server = StdioServerParameters(command=GITMEM[0], args=[*GITMEM[1:], "mcp"], cwd=str(repo), env=environment())

    async def use() -> list[Answer]:
        async with Client(server, mode=era) as client:
            calls = [client.call_tool("memory_search", {"query": "storm"}) for _ in range(8)]
            found = [Answer(one) for one in await asyncio.gather(*calls)]
            return [*found, Answer(await client.call_tool("memory_remember", {"text": "Quite another thing"}))]

    *found, written = asyncio.run(use())

    assert [[hit["key"] for hit in answer.content["hits"]] for answer in found] == [["storm"]] * 8
    assert memory.show(written.content["key"]).document["frontmatter"]["by"]["agent"] == "mcp"


@pytest.mark.whole_system
def test_malformed_lines_and_a_closed_input_end_it_well(memory, repo: Path) -> None:
    lines = 'nonsense\n{"jsonrpc": "2.0"}\n[]\n\x00\n{"jsonrpc":"2.0","id":1,"method":"no/such"}\n'

    done = subprocess.run(
        [*GITMEM, "mcp"], cwd=repo, input=lines, capture_output=True, text=True, timeout=60, check=False
    )

    assert done.returncode == 0
    assert all(line.startswith('{"jsonrpc"') for line in done.stdout.splitlines())
    assert "Traceback" not in done.stderr


def lines_of_a_session() -> str:
    hello = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    search = {"name": "memory_search", "arguments": {"query": "storm"}}
    messages = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        *({"id": number, "method": "tools/call", "params": search} for number in range(2, 8)),
    ]
    return "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages)


@pytest.mark.whole_system
@pytest.mark.parametrize("answers_read", [0, 1])
def test_client_that_disconnects_early_is_not_a_bug(memory, repo: Path, answers_read: int) -> None:
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen([*GITMEM, "mcp"], cwd=repo, env=environment(), text=True, **pipes) as server:
        server.stdin.write(lines_of_a_session())
        server.stdin.flush()
        for _ in range(answers_read):
            server.stdout.readline()
        server.stdout.close()
        server.stdin.close()
        report = server.stderr.read()

    assert (server.returncode, report) == (0, "")


def test_help_and_a_wrong_option_load_nothing_of_the_sdk(repo: Path) -> None:
    script = (
        "import sys; from gitmem import cli; status = cli.main(sys.argv[1:]);"
        "slow = {'mcp', 'pydantic', 'anyio', 'gitmem.memory'};"
        "print(status, sorted(slow & set(sys.modules)), file=sys.stderr)"
    )

    done = [
        subprocess.run([sys.executable, "-c", script, "mcp", *options], capture_output=True, text=True, check=False)
        for options in (["--help"], ["--no-token"])
    ]

    assert done[0].stderr == "0 []\n"
    assert "--read-only" in done[0].stdout
    assert done[1].stderr.endswith("2 []\n")


@pytest.mark.parametrize("option", [[], ["--http", "0"]], ids=["stdio", "http"])
def test_folder_without_a_repository_is_reported_at_the_start(
    run_cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: list[str]
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))

    done = run_cli("mcp", *option, cwd=tmp_path)

    assert (done.status, done.out) == (3, "")
    assert "not a git repository" in done.err


def test_missing_package_is_reported_with_the_way_to_get_it(run_cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)

    done = run_cli("mcp", "--http", "0")

    assert (done.status, done.out) == (3, "")
    assert "-m pip install 'mcp" in done.err


@each("port", ["-1", "65536", "x", "1e3", "٣"])
def test_port_must_be_from_0_to_65535(run_cli, port: str) -> None:
    assert run_cli("mcp", f"--http={port}").status == 2


def test_nothing_else_imports_the_sdk(repo: Path) -> None:
    code = "import sys, gitmem.memory, gitmem.cli, gitmem.commands.inject; print('mcp' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ})

    assert done.stdout == "False\n"
