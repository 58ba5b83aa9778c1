"""What clients tell reaches the memory: their own payloads, each through a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support.agent_work import SECRET, captured_memories, refusals
from support.payloads import payload

from gitmem.memory import Memory

SAYS = "LEARNED: the gateway drops idle connections"
KEY = "the-gateway-drops-idle-connections"
BEFORE = ("LEARNED: retries must be idempotent", "LEARNED: retries are idempotent", "LEARNED: x")


def tell(repo: Path, client: str, name: str, *named: str, says: str = SAYS) -> subprocess.CompletedProcess[bytes]:
    """Let a client tell a payload, of this repository, in which something else was learnt."""
    text = json.dumps(payload(f"{client}/{name}")).replace("/home/dev/shop", str(repo))
    for before in BEFORE:
        text = text.replace(before, says)
    argv = [sys.executable, "-m", "gitmem", "hook", client, *named]
    return subprocess.run(argv, input=text.encode(), cwd=repo, capture_output=True, check=False)


@pytest.mark.parametrize(
    ("client", "name", "named"),
    [
        ("claude-code", "PostToolUse.Bash", ()),
        ("codex", "PostToolUse.Bash", ()),
        ("copilot", "postToolUse", ("postToolUse",)),
        ("cursor", "afterShellExecution", ()),
        ("cursor", "afterAgentResponse", ()),
        ("gemini", "AfterTool.run_shell_command", ()),
    ],
)
def test_what_a_client_tells_is_captured(
    memory: Memory, repo: Path, client: str, name: str, named: tuple[str, ...]
) -> None:
    done = tell(repo, client, name, *named)

    assert (done.returncode, done.stdout.strip(), done.stderr) in ((0, b"", b""), (0, b"{}", b""))
    ((key, found),) = captured_memories(memory).items()
    assert key == KEY
    assert found["frontmatter"]["by"]["agent"] == client


def test_secret_that_a_client_tells_is_nowhere_in_the_repository(memory: Memory, repo: Path) -> None:
    done = tell(repo, "claude-code", "PostToolUse.Bash", says=f"LEARNED: the token is {SECRET}")

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert "github-token" in refusals(memory)[0]
    held = [path for path in repo.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]
    assert held == []
