"""Codex's rollouts: a real one, and the formats of earlier versions."""

from __future__ import annotations

import json

from support.each import each
from support.transcripts import FILES

from gitmem.agents.clients import codex
from gitmem.agents.transcripts.turns import COMMAND, EDIT, PROMPT, SAID, TODOS, Turn


def item(**payload: object) -> dict:
    return {"type": "response_item", "payload": payload}


def test_a_real_rollout_is_turns() -> None:
    lines = (FILES / "codex.jsonl").read_text().splitlines()

    found = list(codex.read_turns([json.loads(line) for line in lines]))

    assert [turn.text for turn in found if turn.what in (PROMPT, SAID)] == ["go", "All done. Session finished."]
    edits = [turn for turn in found if turn.what == EDIT]
    assert {name.rpartition("/")[2] for turn in edits for name in turn.files} == {"notes.txt", "b.txt"}
    assert {turn.failed for turn in found if turn.what in (COMMAND, EDIT)} == {False}


@each(
    ("name", "given", "command"),
    [
        ("exec_command", {"cmd": "make test"}, "make test"),
        ("shell", {"command": ["bash", "-lc", "make test"]}, "make test"),
        ("shell", {"command": ["make", "test"]}, "make test"),
        ("shell_command", {"command": "make test"}, "make test"),
    ],
)
@each(
    ("output", "failed"),
    [
        ("Process exited with code 2\nOutput:\nx", True),
        ("Exit code: 0\nWall time: 0 seconds", False),
        ('{"output":"x","metadata":{"exit_code":1}}', True),
        ("Process running with session ID 4", None),
    ],
)
def test_a_command_and_how_it_ended(name: str, given: dict, command: str, output: str, failed: bool | None) -> None:
    call = item(type="function_call", name=name, arguments=json.dumps(given), call_id="c")
    answer = item(type="function_call_output", call_id="c", output=output)

    assert list(codex.read_turns([call, answer])) == [Turn(COMMAND, command, output, failed)]


def test_what_codex_says_for_the_person_is_no_prompt() -> None:
    def messages(text: str, role: str = "user") -> dict:
        return item(type="message", role=role, content=[{"type": "input_text", "text": text}])

    records = [
        messages("<environment_context>x"),
        messages("# AGENTS.md instructions for /x"),
        messages("mind", "developer"),
        messages("go"),
    ]

    assert list(codex.read_turns(records)) == [Turn(PROMPT, "go")]


def test_a_plan_is_things_to_do() -> None:
    plan = json.dumps({"plan": [{"step": "a", "status": "completed"}, {"step": "b", "status": "pending"}]})

    found = list(codex.read_turns([item(type="function_call", name="update_plan", arguments=plan, call_id="c")]))

    assert found == [Turn(TODOS, todos=(("a", True), ("b", False)))]
