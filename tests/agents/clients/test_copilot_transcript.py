"""Sessions of copilot, as it writes them."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.clients import Client
from support.each import each

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


@each("end", ["<exited with exit code 2>", "<shellId: 3 completed with exit code 2>"])
def test_command_that_failed_is_marked_in_its_output(end: str) -> None:
    call = {"toolCallId": "c", "toolName": "bash", "arguments": '{"command": "make"}'}
    done = {"toolCallId": "c", "success": True, "result": {"content": f"no rule\n{end}"}}
    records = [{"type": "tool.execution_start", "data": call}, {"type": "tool.execution_complete", "data": done}]

    (turn,) = read_turns(records)

    assert (turn.failed, turn.output) == (True, "no rule")


def test_patch_edits_the_files_that_it_names() -> None:
    patch = "*** Begin Patch\n*** Add File: a.py\n+x\n*** Update File: b.py\n*** Move to: c.py\n*** End Patch"
    started = {"toolCallId": "1", "toolName": "apply_patch", "arguments": patch}
    ended = {"toolCallId": "1", "success": True, "result": {"content": "Modified 2 file(s)"}}
    records = [
        {"type": "tool.execution_start", "data": started},
        {"type": "tool.execution_complete", "data": ended},
    ]

    (turn,) = read_turns(records)

    assert (turn.what, turn.files, turn.failed) == ("edit", ("a.py", "b.py", "c.py"), False)
