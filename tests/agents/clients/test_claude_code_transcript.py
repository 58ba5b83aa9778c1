"""Claude Code's transcripts: a real one, and other possible contents."""

from __future__ import annotations

import json

from support.transcripts import FILES, edited, line, message_line, prompt_line, ran, used

from gitmem.agents.clients import claude_code
from gitmem.agents.transcripts.turns import COMMAND, EDIT, PROMPT, SAID, TODOS, Turn


def turns(*lines: str) -> list[Turn]:
    return list(claude_code.read_turns([json.loads(one) for text in lines for one in text.splitlines()]))


def test_a_real_transcript_is_turns() -> None:
    found = turns((FILES / "claude-code.jsonl").read_text())

    assert [(turn.what, turn.text, turn.failed, turn.files) for turn in found] == [
        (PROMPT, "remember this and edit notes", None, ()),
        (EDIT, "", False, ("/home/dev/shop/notes.txt",)),
        (EDIT, "", False, ("/home/dev/shop/notes.txt",)),
        (COMMAND, "git status --short", False, ()),
        (COMMAND, "false", True, ()),
        (SAID, "All done. Session finished.", None, ()),
        (PROMPT, "second prompt", None, ()),
        (SAID, "All done. Session finished.", None, ()),
    ]


def test_what_the_client_says_for_the_person_is_no_prompt() -> None:
    texts = (
        "<command-name>/x</command-name>",
        "<local-command-stdout>a",
        "<system-reminder>a",
        "[Request interrupted by user]",
    )

    assert turns(*map(prompt_line, texts)) == []
    assert (
        turns(
            prompt_line("a", isMeta=True), prompt_line("b", isCompactSummary=True), prompt_line("c", isSidechain=True)
        )
        == []
    )


def test_a_prompt_with_a_picture_is_its_text() -> None:
    content = [{"type": "image", "source": {"data": "x"}}, {"type": "text", "text": "what is this"}]

    assert turns(line(type="user", message={"content": content})) == [Turn(PROMPT, "what is this")]


def test_a_call_without_an_answer_ends_nothing() -> None:
    open_call = ran("make").splitlines()[0]

    assert turns(message_line("a"), open_call) == [Turn(SAID, "a"), Turn(COMMAND, "make")]


def test_what_the_person_refused_did_not_fail() -> None:
    refused = ran("make", "The user doesn't want to proceed with this tool use.", failed=True)

    assert [turn.failed for turn in turns(refused)] == [None]


def test_to_do_lists_are_whole() -> None:
    todo = used(
        "TodoWrite", {"todos": [{"content": "a", "status": "completed"}, {"content": "b", "status": "pending"}]}
    )
    made = used("TaskCreate", {"subject": "c"}, result={"task": {"id": "1"}})
    ended = used("TaskUpdate", {"taskId": "1", "status": "completed"})

    assert [turn.todos for turn in turns(todo, made, ended)] == [
        (("a", True), ("b", False)),
        (("c", False),),
        (("c", True),),
    ]
    assert {turn.what for turn in turns(todo, made)} == {TODOS}


def test_an_edit_that_failed_is_reported_as_one() -> None:
    failed = used("Write", {"file_path": "a.py"}, "Error", failed=True)

    assert [(turn.files, turn.failed) for turn in turns(edited("b.py"), failed)] == [
        (("b.py",), False),
        (("a.py",), True),
    ]
