"""Handwritten JSON: insertions can be removed again, and every other byte stays."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.each import each

from gitmem.commands.install import jsonc

ENTRY = {"command": "gitmem hook x", "timeout": 5}
SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
)
HOOKS = st.dictionaries(st.sampled_from(["Stop", "Start"]), st.lists(VALUES, max_size=2), max_size=2)
COMMENT = """{
  // mine: { "hooks": 1 }
  "a": 1, /* and */
  "hooks": {
    "Stop": [
      1 // one
    ],
  }, // end
}
"""
TEXTS = {
    "empty": "{}",
    "empty, open": "{\n}\n",
    "one line": '{"a": 1}',
    "comments and trailing commas": COMMENT,
    "an empty place": '{"hooks": {}}\n',
    "an empty list": '{\n\t"hooks": { "Stop": [ ] }\n}\n',
    "tabs": '{\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t1\n\t\t]\n\t}\n}',
    "CRLF": '{\r\n  "a": "\\u00e9é"\r\n}\r\n',
    "a name twice": '{"hooks": 1, "hooks": {"Stop": []}}',
}


def inserted_text(text: str) -> str:
    text = jsonc.insert(text, ("hooks", "Stop"), ENTRY)
    return jsonc.insert(text, ("hooks",), [ENTRY], name="Other")


def text_without(text: str) -> str:
    text = jsonc.remove(text, ("hooks", "Other"))
    return jsonc.remove(text, ("hooks", "Stop", len(jsonc.parse(text).value["hooks"]["Stop"]) - 1))


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_inserted_value_can_be_read_and_removed_byte_for_byte(text: str) -> None:
    before = jsonc.parse(text).value

    after = inserted_text(text)

    found = jsonc.parse(after).value
    assert found["hooks"]["Stop"][-1] == ENTRY
    assert found["hooks"]["Other"] == [ENTRY]
    assert found["hooks"]["Stop"][:-1] == before.get("hooks", {}).get("Stop", [])
    assert text_without(after) == text


@settings(max_examples=15)
@given(
    table=st.dictionaries(st.sampled_from(["a", "b"]), VALUES, max_size=2),
    hooks=st.none() | HOOKS,
    indent=st.sampled_from([None, 1, 2, 4, "\t"]),
    ascii_only=st.booleans(),
)
def test_any_settings_are_restored(table: dict, hooks: dict | None, indent: int | str | None, ascii_only: bool) -> None:
    message = table if hooks is None else {"a": 1, **table, "hooks": hooks}
    text = json.dumps(message, indent=indent, ensure_ascii=ascii_only)

    after = inserted_text(text)

    assert jsonc.parse(text).value == message
    assert json.loads(after) == jsonc.parse(after).value
    assert text_without(after) == text


def test_values_added_by_others_stay() -> None:
    text = inserted_text('{"a": 1}')
    text = jsonc.insert(text, ("hooks", "Stop"), {"command": "theirs"})

    after = jsonc.remove(jsonc.remove(text, ("hooks", "Other")), ("hooks", "Stop", 0))

    assert jsonc.parse(after).value == {"a": 1, "hooks": {"Stop": [{"command": "theirs"}]}}


def test_lines_are_indented_as_the_others_are() -> None:
    text = jsonc.insert('{\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t1\n\t\t]\n\t}\n}', ("hooks", "Stop"), {"a": 2})

    assert text == '{\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t1,\n\t\t\t{\n\t\t\t\t"a": 2\n\t\t\t}\n\t\t]\n\t}\n}'


WRONG = {
    "": "line 1: a value is missing",
    '{"a": }': "line 1: a value is missing",
    '{"a": 1\n "b": 2}': "line 2: a comma or } is missing",
    "{a: 1}": "line 1: a name and a colon are missing",
    '{"a": 1} {}': "line 1: more than one value",
    '{"a": 1,, }': "line 1: a name and a colon are missing",
    '{"a": 01.2.3}': "line 1: a value is not JSON",
    '{"a": [1': "line 1: a comma or ] is missing",
    "[" * 90: "line 1: nested too deeply",
    '{"a": "\n"}': "line 1: a value is missing",
}


@pytest.mark.parametrize("text", WRONG, ids=range(len(WRONG)))
def test_invalid_json_is_reported_with_its_line(text: str) -> None:
    with pytest.raises(jsonc.JsoncError) as caught:
        jsonc.parse(text)

    assert str(caught.value).startswith(WRONG[text])


@each("text", ['{"hooks": []}', '{"hooks": {"Stop": {}}}', '{"hooks": "x"}', "[]"])
def test_value_of_another_type_is_not_overwritten(text: str) -> None:
    with pytest.raises(jsonc.JsoncError):
        jsonc.insert(text, ("hooks", "Stop"), ENTRY)
