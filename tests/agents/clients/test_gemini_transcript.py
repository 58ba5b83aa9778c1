"""Gemini CLI's chats, in both forms."""

from __future__ import annotations

import json

from support.each import each
from support.transcripts import placed

from gitmem.agents.transcripts.read import read_transcript
from gitmem.agents.transcripts.turns import COMMAND, EDIT, PROMPT, SAID, TODOS, Turn


def call(name: str, args: dict, output: str = "", status: str = "success") -> dict:
    result = [{"functionResponse": {"id": "c", "name": name, "response": {"output": output}}}]
    return {"id": "c", "name": name, "args": args, "result": result, "status": status}


MESSAGES = [
    {
        "id": "1",
        "type": "user",
        "content": [
            {"text": "<session_context>\nx</session_context>fix it<hook_context>LEARNED: injected</hook_context>"}
        ],
    },
    {
        "id": "2",
        "type": "gemini",
        "content": "Done.",
        "toolCalls": [
            call("run_shell_command", {"command": "make"}, "Command: make\nExit Code: 2"),
            call("replace", {"file_path": "/w/a.py"}),
            call("write_todos", {"todos": [{"description": "b", "status": "pending"}]}),
            call("run_shell_command", {"command": "ls"}, "a", status="cancelled"),
        ],
    },
    {"id": "3", "type": "info", "content": "a note"},
]
TURNS = (
    Turn(PROMPT, "fix it"),
    Turn(COMMAND, "make", "Command: make\nExit Code: 2", failed=True),
    Turn(EDIT, files=("/w/a.py",), failed=False),
    Turn(TODOS, todos=(("b", False),)),
    Turn(COMMAND, "ls", "a"),
    Turn(SAID, "Done."),
)
ABOUT = {"sessionId": "s", "projectHash": "h", "startTime": "2026-01-01T00:00:00Z"}


def lines(*found: dict) -> str:
    return "".join(json.dumps(one) + "\n" for one in found)


@each(
    ("text", "suffix"),
    [
        (lines(ABOUT, *MESSAGES), "jsonl"),
        (lines(ABOUT, {**MESSAGES[1], "content": "Do"}, *MESSAGES), "jsonl"),
        (lines(ABOUT, {"$set": {"messages": MESSAGES}}), "jsonl"),
        (json.dumps({**ABOUT, "messages": MESSAGES}, indent=2), "json"),
        (json.dumps({**ABOUT, "messages": MESSAGES}), "json"),
    ],
    ids=["lines", "grown", "set", "spread", "one line"],
)
def test_each_form_gives_the_same_turns(text: str, suffix: str) -> None:
    found = read_transcript(str(placed(text, f"session.{suffix}", ".gemini/tmp/x/chats")))

    assert sorted(found, key=TURNS.index) == list(TURNS)


def test_what_was_taken_back_is_no_turn() -> None:
    text = lines(ABOUT, *MESSAGES, {"$rewindTo": "2"}, {"id": "4", "type": "gemini", "content": "Else."})

    found = read_transcript(str(placed(text, "s.jsonl", ".gemini/tmp/x/chats")))

    assert found == (Turn(PROMPT, "fix it"), Turn(SAID, "Else."))
