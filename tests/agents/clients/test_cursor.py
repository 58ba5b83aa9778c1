"""Cursor: events from its payloads, also through the settings of Claude Code, and the answers to them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.each import each
from support.payloads import event_fields, parsed

from gitmem.agents.clients import cursor
from gitmem.agents.event import Edit, Event

EVENTS = [
    ("sessionStart", {"name": "start", "source": "startup"}),
    ("beforeSubmitPrompt", {"name": "prompt", "prompt": "LEARNED: TZ must be UTC"}),
    (
        "afterShellExecution",
        {
            "tool": "shell",
            "command": 'bd comments add shop-12 "LEARNED: x"',
            "output": "Comment added\n",
            "failed": None,
        },
    ),
    ("afterFileEdit", {"tool": "edit", "edits": (Edit("/home/dev/shop/src/a.py", "x", "y"),)}),
    (
        "afterFileEdit.new_file",
        {"tool": "edit", "edits": (Edit("/home/dev/shop/src/new.py", "", "print(1)\n", is_new=True),)},
    ),
    ("postToolUse.Shell", {"tool": "shell", "command": 'bd comment shop-12 "LEARNED: x"', "output": "ok"}),
    (
        "postToolUseFailure.Shell",
        {"tool": "shell", "command": "false", "failed": True, "output": "Command failed with exit code 1"},
    ),
    ("afterAgentResponse", {"name": "response", "response": "Done. LEARNED: retries are idempotent"}),
    ("stop", {"name": "stop", "source": "completed"}),
    ("subagentStop", {"name": "subagent-stop", "agent": "s1", "agent_type": "explore", "response": "3 callers"}),
    ("preCompact", {"name": "compact", "source": "auto"}),
    ("sessionEnd", {"name": "end", "source": "completed"}),
]


@each(("name", "expected"), EVENTS, ids=[name for name, _ in EVENTS])
def test_payload_becomes_an_event(name: str, expected: dict) -> None:
    found = event_fields(parsed(f"cursor/{name}"))

    assert found | expected == found
    assert found["client"] == "cursor"
    assert found["session"] == "c0ffee00-1111-4222-8333-444455556666"
    assert found["folder"] == "/home/dev/shop"


@each("name", ["afterMCPExecution", "beforeShellExecution", "preToolUse.Shell"])
def test_other_steps_are_left_alone(name: str) -> None:
    assert parsed(f"cursor/{name}") is None


@each(
    ("file", "claudes"),
    [
        ("sessionStart", "SessionStart"),
        ("beforeSubmitPrompt", "UserPromptSubmit"),
        ("postToolUse.Shell", "PostToolUse"),
        ("stop", "Stop"),
        ("subagentStop", "SubagentStop"),
        ("preCompact", "PreCompact"),
        ("sessionEnd", "SessionEnd"),
    ],
)
def test_names_of_claude_codes_settings_mean_the_same(file: str, claudes: str) -> None:
    assert parsed(f"cursor/{file}", hook_event_name=claudes) == parsed(f"cursor/{file}")


def test_tools_of_claude_codes_names_mean_the_same() -> None:
    assert parsed("cursor/postToolUse.Shell", tool_name="Bash").tool == "shell"
    written = parsed("cursor/postToolUse.Shell", tool_name="Write", tool_input={"file_path": "a.py", "content": "x"})
    assert written.edits == (Edit("a.py", "", "x"),)


@each(
    ("name", "expected"),
    [
        ("start", {"additional_context": "text"}),
        ("prompt", {"continue": True, "additional_context": "text"}),
        ("tool", {"additional_context": "text"}),
        ("subagent-stop", {"followup_message": "text"}),
        ("stop", {}),
        ("compact", {}),
        ("end", {}),
    ],
)
def test_text_is_put_where_that_step_takes_it(name: str, expected: dict) -> None:
    assert json.loads(cursor.answer(Event("cursor", name), "text")) == expected


def test_nothing_to_say_is_an_empty_table() -> None:
    assert json.loads(cursor.answer(Event("cursor", "start"), "")) == {}


@pytest.mark.parametrize(("text", "own"), [('{"command": "gitmem hook cursor"}', True), ("{}", False)])
def test_cursors_own_hooks_are_found_in_a_workspace_or_the_home(tmp_path: Path, text: str, own: bool) -> None:
    hooks = tmp_path / "shop" / ".cursor" / "hooks.json"
    hooks.parent.mkdir(parents=True)
    hooks.write_text(text)

    assert (
        cursor.has_own_hooks({"workspace_roots": [str(tmp_path / "other"), str(tmp_path / "shop")]}, "/nowhere") is own
    )
    assert cursor.has_own_hooks({}, str(tmp_path / "shop")) is own
    assert cursor.has_own_hooks({"workspace_roots": [7, "a\0b"]}, "/nowhere") is False
