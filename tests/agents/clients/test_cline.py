"""Cline: events from payloads of its command line and of its extension, and the answers to them."""

from __future__ import annotations

import json

from support.each import each
from support.payloads import event_fields, parsed

from gitmem.agents.clients import cline
from gitmem.agents.event import Edit, Event

ENDED = "[Command exited with code 1]\nhello\n\n[stderr]\ncat: nothing: No such file or directory\n"
COMMAND = "echo hello; cat nothing"
EVENTS = [
    ("PostToolUse.read_files", {"tool": "read", "path": "/home/dev/shop/a.py", "session": "1795893822029_guvbd"}),
    ("PostToolUse.run_commands", {"tool": "shell", "command": COMMAND, "output": ENDED, "failed": True}),
    ("PostToolUse.apply_patch", {"tool": "edit", "edits": (Edit("a.py", "x = 1", "x = 2"),)}),
    ("TaskComplete", {"name": "stop", "response": "Done."}),
    ("TaskStart", {"name": "start", "source": "startup", "session": "1764357800000"}),
    ("UserPromptSubmit", {"name": "prompt", "prompt": "fix retries"}),
    ("PostToolUse.execute_command", {"tool": "shell", "command": "make test", "output": "2 passed"}),
    ("PostToolUse.write_to_file", {"tool": "edit", "edits": (Edit("notes.txt", "", "alpha\n", is_new=True),)}),
]


@each(("name", "expected"), EVENTS, ids=[name for name, _ in EVENTS])
def test_payload_becomes_an_event(name: str, expected: dict) -> None:
    found = event_fields(parsed(f"cline/{name}", name.partition(".")[0]))

    assert found | expected == found
    assert (found["client"], found["folder"]) == ("cline", "/home/dev/shop")


def test_start_whose_context_the_command_line_drops_is_left_alone() -> None:
    assert parsed("cline/TaskStart.cli", "TaskStart") is None


def test_tool_that_is_about_to_run_is_left_alone() -> None:
    assert parsed("cline/PreToolUse", "PreToolUse") is None


def test_text_modifies_the_context() -> None:
    told = json.loads(cline.answer(Event("cline", "tool"), "remember this"))

    assert told == {"cancel": False, "contextModification": "remember this"}
    assert cline.answer(Event("cline", "tool"), "") == cline.answer(Event("cline", "stop"), "x") == "{}"
