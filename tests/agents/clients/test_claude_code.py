"""Claude Code: events from its payloads, and the answers to them."""

from __future__ import annotations

import json

from support.each import each
from support.payloads import event_fields, parsed

from gitmem.agents.clients import claude_code
from gitmem.agents.event import Edit, Event

NOTES = "/home/dev/shop/notes.txt"
EVENTS = [
    ("SessionStart.startup", {"name": "start", "source": "startup"}),
    ("SessionStart.resume", {"name": "start", "source": "resume"}),
    ("SessionStart.clear", {"name": "start", "source": "clear"}),
    ("SessionStart.compact", {"name": "start", "source": "compact"}),
    ("SessionStart.fork", {"name": "start", "source": "resume"}),
    ("UserPromptSubmit", {"name": "prompt", "prompt": "LEARNED: the billing job needs TZ=UTC. Now fix the retry loop"}),
    ("UserPromptSubmit.with_source", {"name": "prompt", "prompt": "continue"}),
    (
        "PostToolUse.Bash",
        {
            "name": "tool",
            "tool": "shell",
            "command": 'bd comments add shop-12 "LEARNED: retries must be idempotent"',
            "output": "Comment added to shop-12",
        },
    ),
    ("PostToolUse.Edit", {"tool": "edit", "edits": (Edit(NOTES, "alpha", "beta"),)}),
    ("PostToolUse.Write", {"tool": "edit", "edits": (Edit(NOTES, "", "alpha\n", is_new=True),)}),
    ("PostToolUse.mcp", {"tool": "other", "tool_name": "mcp__gitmem__recall", "output": '{"hits":[]}'}),
    (
        "PostToolUseFailure.Bash",
        {"name": "tool", "tool": "shell", "command": "false", "failed": True, "output": "Exit code 1"},
    ),
    ("PostToolUseFailure.Read", {"name": "tool", "tool": "read", "failed": True}),
    ("PreCompact", {"name": "compact", "source": "manual"}),
    ("PreCompact.auto", {"name": "compact", "source": "auto"}),
    ("SessionEnd", {"name": "end", "source": "other"}),
    ("SessionEnd.clear", {"name": "end", "source": "clear"}),
    ("Stop", {"name": "stop", "response": "All done. LEARNED: retries must be idempotent."}),
    ("Stop.active", {"name": "stop", "is_again": True}),
    ("SubagentStart", {"name": "subagent-start", "agent": "a1f2", "agent_type": "Explore"}),
    (
        "SubagentStop",
        {"name": "subagent-stop", "agent": "a1f2", "agent_type": "Explore", "response": "Found 3 callers."},
    ),
]
LEFT_ALONE = (
    *("Notification", "PermissionRequest", "PostCompact", "PostToolBatch", "PreToolUse.Bash"),
    *("SubagentStop.internal", "UserPromptExpansion"),
)


@each(("name", "expected"), EVENTS, ids=[name for name, _ in EVENTS])
def test_payload_becomes_an_event(name: str, expected: dict) -> None:
    found = event_fields(parsed(f"claude-code/{name}"))

    assert found | expected == found
    assert found["client"] == "claude-code"
    assert found["session"] == "e1eb71b2-4d76-4250-bb74-e91116510977"
    assert found["folder"] == "/home/dev/shop"
    assert found["transcript"].endswith(".jsonl")


@each("name", LEFT_ALONE)
def test_other_events_are_left_alone(name: str) -> None:
    assert parsed(f"claude-code/{name}") is None


def test_transcript_of_a_subagent_is_its_own() -> None:
    event = parsed("claude-code/SubagentStop")

    assert event.transcript.endswith("subagents/agent-a2886eeef736182b0.jsonl")


@each(
    ("name", "changed"),
    [
        ("PostToolUseFailure.Bash", {"is_interrupt": True}),
        ("PostToolUse.Bash", {"tool_response": {"stdout": "", "interrupted": True}}),
        ("PostToolUse.Bash", {"tool_input": {"command": "make watch", "run_in_background": True}}),
    ],
    ids=["interrupted", "interrupted, told as success", "still running"],
)
def test_command_that_did_not_end_has_neither_failed_nor_passed(name: str, changed: dict) -> None:
    assert parsed(f"claude-code/{name}", **changed).failed is None
    assert parsed(f"claude-code/{name}").failed is not None


def test_all_edits_of_one_call_are_reported() -> None:
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": "d"}, "no edit"]

    event = parsed("claude-code/PostToolUse.Edit", tool_name="MultiEdit", tool_input={"file_path": "x", "edits": edits})

    assert event.edits == (Edit("x", "a", "b"), Edit("x", "c", "d"))


def test_cell_of_a_notebook_is_an_edit() -> None:
    given = {"notebook_path": "a.ipynb", "new_source": "x = 1"}

    event = parsed("claude-code/PostToolUse.Edit", tool_name="NotebookEdit", tool_input=given)

    assert event.edits == (Edit("a.ipynb", "", "x = 1"),)


@each(
    ("event", "hook"),
    [
        (Event("claude-code", "start"), "SessionStart"),
        (Event("claude-code", "prompt"), "UserPromptSubmit"),
        (Event("claude-code", "tool", failed=False), "PostToolUse"),
        (Event("claude-code", "tool", failed=True), "PostToolUseFailure"),
    ],
)
def test_text_is_put_where_that_event_takes_context(event: Event, hook: str) -> None:
    document = json.loads(claude_code.answer(event, "Näh \u2028 text"))

    assert document == {"hookSpecificOutput": {"hookEventName": hook, "additionalContext": "Näh \u2028 text"}}


def test_subagent_is_kept_going_with_a_reason() -> None:
    document = json.loads(claude_code.answer(Event("claude-code", "subagent-stop"), "push first"))

    assert document == {"decision": "block", "reason": "push first"}


@each("name", ["stop", "compact", "end", "response"])
def test_events_that_take_no_context_are_answered_with_nothing(name: str) -> None:
    assert claude_code.answer(Event("claude-code", name), "text") == ""


def test_empty_context_is_an_empty_answer() -> None:
    assert claude_code.answer(Event("claude-code", "start"), "") == claude_code.SILENT == ""
