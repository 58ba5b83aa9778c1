"""Any file in a client's folder gives turns or a proper error, within bounds."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.each import each
from support.transcripts import FILES, message_line, placed, prompt_line

from gitmem.agents.clients import claude_code, codex, gemini
from gitmem.agents.transcripts.read import first_and_last, read_transcript
from gitmem.agents.transcripts.source import UnreadableError
from gitmem.agents.transcripts.turns import PROMPT, SAID, Turn

NAMES = (
    *(
        "type",
        "message",
        "content",
        "payload",
        "role",
        "toolCalls",
        "id",
        "name",
        "input",
        "args",
        "arguments",
        "output",
    ),
    *("tool_use_id", "call_id", "item", "changes", "$set", "$rewindTo", "messages", "status", "toolUseResult", "todos"),
    *("text", "result", "functionResponse", "response", "action", "command", "cmd", "task", "subject", "taskId"),
)
VALUES = (
    None,
    True,
    7,
    "",
    "a",
    "user",
    "assistant",
    "message",
    "Bash",
    "function_call",
    "event_msg",
    "gemini",
    "\ud800",
)


def made(choose: Random, depth: int = 4) -> object:
    """Return some JSON with the names that transcripts have, in places where they have other things."""
    what = choose.randrange(4) if depth else 0
    if what == 1:
        return [made(choose, depth - 1) for _ in range(choose.randrange(3))]
    if what > 1:
        return {choose.choice(NAMES): made(choose, depth - 1) for _ in range(choose.randrange(6))}
    return choose.choice(VALUES)


@each("reader", [claude_code.read_turns, codex.read_turns, gemini.read_turns])
def test_no_record_raises(reader) -> None:
    for seed in range(400):
        choose = Random(seed)
        records = [one for _ in range(8) if isinstance(one := made(choose), dict)]
        records += [{"type": "assistant", "message": one} for one in records] + [{"payload": one} for one in records]

        assert all(isinstance(turn, Turn) for turn in reader(records))


@given(
    st.binary(max_size=60)
    | st.lists(st.sampled_from((FILES / "codex.jsonl").read_bytes().split(b",")), max_size=30).map(b",".join)
)
def test_any_bytes_are_turns_or_refused(content: bytes) -> None:
    path = placed(content, "any.jsonl")

    try:
        found = read_transcript(str(path))
    except UnreadableError:
        return
    assert isinstance(found, tuple)


def test_the_form_is_recognized_by_the_lines_wherever_the_file_lies() -> None:
    path = placed((FILES / "codex.jsonl").read_bytes(), "rollout.jsonl", ".claude")

    assert read_transcript(str(path))[0] == Turn(PROMPT, "go")


def test_another_form_is_refused_without_repeating_it() -> None:
    path = placed(json.dumps({"private_key": "xyz"}) + "\n", "credentials.json")

    with pytest.raises(UnreadableError) as caught:
        read_transcript(str(path))

    assert "xyz" not in str(caught.value)


def test_an_empty_file_has_no_turns() -> None:
    assert read_transcript(str(placed(""))) == ()


def test_first_and_last_of_very_many_turns_are_returned() -> None:
    found = first_and_last((Turn(SAID, str(number)) for number in range(100)), first=2, last=3)

    assert [turn.text for turn in found] == ["0", "1", "97", "98", "99"]


def test_a_huge_transcript_has_its_first_prompt_and_its_end() -> None:
    filler = (message_line("x" * 1000) + "\n") * 1000
    path = placed(prompt_line("the goal of it all") + "\n" + filler * 20 + message_line("the end") + "\n", "huge.jsonl")

    found = read_transcript(str(path))

    assert (found[0].text, found[-1].text) == ("the goal of it all", "the end")
    assert len(found) < 20_002
    path.unlink()
