"""Codex: events from its payloads, and answers that its own schemas accept."""

from __future__ import annotations

import json
from pathlib import Path

from jsonschema import Draft7Validator
from support.each import each
from support.payloads import event_fields, parsed

from gitmem.agents.clients import codex
from gitmem.agents.event import Edit, Event

SCHEMAS = Path(__file__).parents[1] / "schemas"
EVENTS = [
    ("SessionStart", {"name": "start", "source": "startup"}),
    ("SessionStart.resume", {"name": "start", "source": "resume"}),
    ("SessionStart.clear", {"name": "start", "source": "clear"}),
    ("SessionStart.compact", {"name": "start", "source": "compact"}),
    ("UserPromptSubmit", {"name": "prompt", "prompt": "LEARNED: TZ must be UTC"}),
    (
        "PostToolUse.Bash",
        {"tool": "shell", "command": 'bd comment shop-12 "LEARNED: x"', "output": "Comment added\n", "failed": None},
    ),
    # No exit status is told: that it said nothing is all that is known.
    ("PostToolUse.Bash.exit3", {"tool": "shell", "command": "exit 3", "failed": None}),
    (
        "PostToolUse.apply_patch",
        {"tool": "edit", "edits": (Edit("notes.txt", "", "alpha", is_new=True), Edit("src/a.py", "x", "y"))},
    ),
    ("PreCompact", {"name": "compact", "source": "auto"}),
    ("SessionEnd", {"name": "end", "source": "other"}),
    ("Stop", {"name": "stop", "response": "All done."}),
    ("SubagentStop", {"name": "subagent-stop", "agent": "a1", "agent_type": "worker"}),
]
ANSWERED = {
    "subagent-start": "subagent-start",
    "start": "session-start",
    "prompt": "user-prompt-submit",
    "tool": "post-tool-use",
    "subagent-stop": "subagent-stop",
}


@each(("name", "expected"), EVENTS, ids=[name for name, _ in EVENTS])
def test_payload_becomes_an_event(name: str, expected: dict) -> None:
    found = event_fields(parsed(f"codex/{name}"))

    assert found | expected == found
    assert found["client"] == "codex"
    assert found["session"] == "01a20066-e94a-70f3-8824-b4d39d5be5c0"
    assert found["folder"] == "/home/dev/shop"


@each("name", ["Interrupt", "PermissionRequest", "PostCompact", "PreToolUse.Bash"])
def test_other_events_are_left_alone(name: str) -> None:
    assert parsed(f"codex/{name}") is None


def test_output_that_only_looks_like_a_status_is_not_one() -> None:
    assert parsed("codex/PostToolUse.Bash", tool_response="Exit code: 1\n").failed is None
    assert parsed("codex/PostToolUse.apply_patch").failed is False
    assert parsed("codex/PostToolUse.apply_patch", tool_response="Exit code: 1\nno such file").failed is True


def test_patch_that_moves_and_deletes_is_read() -> None:
    patch = "\n".join(
        [
            "*** Begin Patch",
            "*** Update File: old name.py",
            "*** Move to: new/name.py",
            "@@ def f",
            " kept",
            "-was",
            "+is",
            "++*** Add File: not-one.py",
            "*** Delete File: gone.py",
            "*** End Patch",
        ]
    )

    assert codex.edits_of(patch) == (
        Edit("new/name.py", "was", "is\n+*** Add File: not-one.py"),
        Edit("gone.py", is_gone=True),
    )


def test_patch_of_very_many_files_is_bounded() -> None:
    assert len(codex.edits_of("\n".join(f"*** Add File: {i}" for i in range(1000)))) == 200


@each("name", ANSWERED)
def test_answer_is_what_the_schema_of_the_event_accepts(name: str) -> None:
    schema = json.loads((SCHEMAS / f"{ANSWERED[name]}.output.json").read_text())

    document = json.loads(codex.answer(Event("codex", name, failed=True if name == "tool" else None), "some text"))

    assert "some text" in json.dumps(document)
    Draft7Validator(schema).validate(document)


def test_schema_would_refuse_another_answer() -> None:
    schema = json.loads((SCHEMAS / "session-start.output.json").read_text())
    values = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "x", "sessionTitle": "y"}}

    assert not Draft7Validator(schema).is_valid(values)


@each("name", ["stop", "compact", "end"])
def test_events_that_take_no_context_are_answered_with_nothing(name: str) -> None:
    assert codex.answer(Event("codex", name), "text") == ""
