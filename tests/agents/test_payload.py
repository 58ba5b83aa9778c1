"""Reading values from a client's JSON always gives something harmless."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from support.each import each

from gitmem.agents import payload
from gitmem.agents.clients import CLIENTS
from gitmem.agents.event import Event
from gitmem.agents.hook import ACTIONS, load

ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
# Fields that some client has, so that odd values stand where something is looked for.
FIELDS = (
    *("session_id", "sessionId", "cwd", "tool_name", "toolName", "tool_input", "toolArgs", "tool_response", "prompt"),
    *("tool_output", "toolResult", "tool_result", "transcript_path", "agent_type", "last_assistant_message", "edits"),
    *("source", "input", "output", "event", "messages", "content", "workspace_roots", "file_path", "isError", "error"),
    *("stop_hook_active", "loop_count", "is_interrupt", "reason", "systemPromptOptions", "messageType", "command"),
)
TOOLS = st.sampled_from(
    ["Bash", "Edit", "Write", "MultiEdit", "apply_patch", "Shell", "bash", "write_file", "editFiles"]
)


@given(st.dictionaries(st.sampled_from(FIELDS), ANY | TOOLS, max_size=8), st.integers(0, 99) | st.text(max_size=8))
def test_any_json_anywhere_becomes_an_event_of_plain_values_or_nothing(stdin: dict, named: int | str) -> None:
    for client in CLIENTS:  # making an example takes longer than reading it
        adapter = load(client)
        known = [*getattr(adapter, "EVENTS", ())] or ["an event"]
        event_name = known[named % len(known)] if isinstance(named, int) else named
        event = adapter.parse(stdin | {"hook_event_name": event_name}, event_name)

        if event is not None:
            assert event.name in ACTIONS, client
            assert all(isinstance(value, str | tuple | bool | None) for value in _values(event)), client
            assert all(isinstance(edit.path, str) and isinstance(edit.after, str) for edit in event.edits), client
            json.dumps([value for value in _values(event) if isinstance(value, str)]).encode("utf-8")
            answer = adapter.answer(event, "text \u2028 \x00")
            assert answer == "" or isinstance(json.loads(answer), dict), client


def _values(event: Event) -> list:
    return [getattr(event, name) for name in Event.__fields__]


def test_text_is_the_first_that_is_one_and_bounded() -> None:
    assert payload.text({"a": 7, "b": "", "c": "x" * 300_000}, "a", "b", "c") == "x" * payload.TEXT_LIMIT
    assert payload.name({"a": "x" * 300}, "a") == "x" * payload.NAME_LIMIT
    assert payload.text({}, "a") == ""


def test_half_a_character_becomes_a_question_mark() -> None:
    assert payload.text({"a": "x\ud800y"}, "a") == payload.output("x\ud800y") == "x?y"


@each(
    ("value", "expected"),
    [
        ({"stdout": "a", "stderr": "b"}, "a\nb"),
        ([{"type": "text", "text": "a"}, 7, {"text": "b"}], "a\nb"),
        ({"content": [{"type": "text", "text": "a"}]}, "a"),
        ({"content": {"content": {"content": {"content": "too deep"}}}}, ""),
        (7, ""),
        ("x" * 30_000 + "the end", ("x" * 30_000 + "the end")[-payload.OUTPUT_LIMIT :]),
        ({"stdout": "x" * 300_000 + "the end"}, ("x" * 30_000 + "the end")[-payload.OUTPUT_LIMIT :]),
    ],
    ids=["streams", "parts", "of MCP", "too deep", "a number", "a long text", "a long stream"],
)
def test_end_of_what_a_tool_answered_is_kept(value: object, expected: str) -> None:
    assert payload.output(value) == expected


def test_table_may_be_written_as_a_text() -> None:
    assert payload.table({"a": ' {"b": 1}'}, "a") == {"b": 1}
    assert payload.table({"a": '{"b": '}, "a") == payload.table({"a": "[1]"}, "a") == payload.table({}, "a") == {}
    assert payload.table({"a": "{" * 200_000}, "a") == {}


@each(
    ("tool", "given", "path", "paths"),
    [
        ("read_many_files", {"paths": ["a.py", "src/*.py"], "include": ["b.py"]}, "", ("a.py", "src/*.py", "b.py")),
        ("read_many_files", {"include": "a.py", "files": [{"path": "c.py"}, {"line": 1}, 7]}, "", ("c.py",)),
        ("grep_search", {"dir_path": "src", "pattern": "a*b", "include": "*.ts"}, "src", ()),
        ("Grep", {"pattern": "x*/y", "path": "src/a.py"}, "src/a.py", ()),
        ("Glob", {"pattern": "src/billing/**/*.go"}, "src/billing", ()),
        ("Glob", {"pattern": "src/a.go"}, "src/a.go", ()),
        ("Glob", {"pattern": "**/*.go"}, "", ()),
    ],
)
def test_files_and_folders_of_a_reading_tool_are_found(tool: str, given: dict, path: str, paths: tuple) -> None:
    found = payload.tool_fields(tool, given, shells=(), editors=(), readers=(tool,))

    assert (found["path"], found["paths"]) == (path, paths)
