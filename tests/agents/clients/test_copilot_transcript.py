"""Sessions of copilot, as it writes them."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.clients import Client

from gitmem.agents.clients.copilot import read_turns
from gitmem.agents.transcripts.read import read_transcript
from gitmem.agents.transcripts.turns import COMMAND, PROMPT, SAID


def test_turns_are_in_their_order(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    client, other = Client("copilot", repo, "s1"), Client("copilot", repo, "s2")
    client.write("user", "fix it")
    client.write("ran", "make")
    client.write("assistant", "Done.")
    other.write("assistant", "Something else.")

    found = read_transcript(str(client.transcript), "s1")

    assert [(turn.what, turn.text, turn.failed) for turn in found] == [
        (PROMPT, "fix it", None),
        (COMMAND, "make", False),
        (SAID, "Done.", None),
    ]


def test_command_that_failed_is_marked_in_its_output() -> None:
    call = {"toolCallId": "c", "toolName": "bash", "arguments": '{"command": "make"}'}
    done = {"toolCallId": "c", "success": True, "result": {"content": "no rule\n<exited with exit code 2>"}}
    records = [{"type": "tool.execution_start", "data": call}, {"type": "tool.execution_complete", "data": done}]

    (turn,) = read_turns(records)

    assert turn.failed
