"""The pieces of an installation: added, recognised in any version, and removed to the byte."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.each import each

from gitmem.commands.install.pieces import TOML, Entries, FileRefusedError, FileSection, Put, Whole

GROUP = {"matcher": "Bash", "hooks": [{"type": "command", "command": "gitmem hook codex", "timeout": 5}]}
HOOKS = Entries("hooks.json", (Put(("hooks", "Stop"), GROUP), Put(("hooks", "End"), {**GROUP})), "hook codex")
CURSOR = Entries(
    "h.json", (Put(("hooks", "stop"), {"command": "gitmem hook cursor"}),), "hook cursor", (("version", 1),)
)
SERVER = Entries("mcp.json", (Put(("mcpServers",), {"command": "gitmem", "args": ["mcp"]}, "gitmem"),), "mcp")
SECTION = FileSection("AGENTS.md", "Recall first.\n")


def test_uninstall_removes_a_file_that_install_created() -> None:
    for piece in (HOOKS, CURSOR, SERVER, SECTION, Whole("SKILL.md", "text\n"), Whole("x.json", "{}\n")):
        made = piece.apply_to(None)

        assert piece.apply_to(made) == made
        assert piece.is_in(made)
        assert piece.remove_from(made) is None


THEIRS = {
    "other hooks": """{
  "model": "x",
  "hooks": {
    "Stop": [{"hooks": [{"type": "command", "command": "say"}]}]
  }
}
""",
    "nothing": "{}",
    "comments": '{\n  // mine\n  "a": 1, // b\n}\n',
    "empty": '{"hooks": {"Stop": []}}',
}


@pytest.mark.parametrize("text", THEIRS.values(), ids=THEIRS)
def test_removing_hooks_restores_the_settings(text: str) -> None:
    after = HOOKS.apply_to(text)

    assert after != text
    assert HOOKS.apply_to(after) == after
    assert HOOKS.remove_from(after) == text


@given(parts=st.lists(st.sampled_from(["a", "#", " ", "\n", "\r\n"]), max_size=12))
def test_removing_a_section_restores_any_text(parts: list[str]) -> None:
    text = "".join(parts)

    after = SECTION.apply_to(text)

    assert SECTION.apply_to(after) == after
    assert SECTION.remove_from(after) == text


def test_section_is_rewritten_in_its_place() -> None:
    old = FileSection("AGENTS.md", "Older.\nLines.\n").apply_to("# Mine\n") + "\n## More\n"

    assert SECTION.apply_to(old) == ("# Mine\n\n<!-- gitmem:begin -->\nRecall first.\n<!-- gitmem:end -->\n\n## More\n")
    assert SECTION.remove_from(old) == "# Mine\n\n## More\n"


@each("text", ["<!-- gitmem:begin -->\n", "<!-- gitmem:end -->\n<!-- gitmem:begin -->\n"])
def test_incomplete_section_is_refused(text: str) -> None:
    with pytest.raises(FileRefusedError, match="does not have exactly one section from"):
        SECTION.apply_to(text)
    with pytest.raises(FileRefusedError):
        SECTION.remove_from(text)


def test_marks_inside_a_line_are_ordinary_text() -> None:
    text = "Do not touch `<!-- gitmem:begin -->` here.\n"

    assert SECTION.remove_from(SECTION.apply_to(text)) == text


def test_section_of_toml_is_a_comment_there() -> None:
    piece = FileSection("config.toml", "[a]\nb = 1\n", TOML)

    assert piece.apply_to("x = 1") == "x = 1\n\n# gitmem:begin\n[a]\nb = 1\n# gitmem:end"
    assert piece.remove_from(piece.apply_to("x = 1")) == "x = 1"


def test_older_form_is_replaced_and_other_entries_stay() -> None:
    older = HOOKS.apply_to(THEIRS["other hooks"]).replace('"timeout": 5', '"timeout": 60')

    after = HOOKS.apply_to(older)

    assert HOOKS.is_in(older)
    assert after != older
    assert json.loads(after)["hooks"]["Stop"][0] == {"hooks": [{"type": "command", "command": "say"}]}
    assert after.count("gitmem hook codex") == 2
    assert HOOKS.remove_from(after) == HOOKS.remove_from(older) == THEIRS["other hooks"]


@each("program", ["/home/a/.venv/bin/gitmem", "git-mem", "'/opt/x/gitmem'"])
def test_program_path_typed_by_the_person_stays(program: str) -> None:
    text = HOOKS.apply_to(None).replace("gitmem hook", f"{program} hook")

    assert HOOKS.apply_to(text) == text
    assert HOOKS.remove_from(text) is None


def test_replaced_form_keeps_the_program_path_of_the_person() -> None:
    newer = {**GROUP, "hooks": [{**GROUP["hooks"][0], "command": "gitmem hook codex 2>/dev/null || exit 0"}]}
    entries = Entries("h.json", (Put(("hooks", "Stop"), newer),), "hook codex")
    older = HOOKS.apply_to(None).replace("gitmem hook", "/opt/x/bin/gitmem hook")

    after = entries.apply_to(older)

    assert '"command": "/opt/x/bin/gitmem hook codex 2>/dev/null || exit 0"' in after
    assert after.count("gitmem hook codex") == 1
    assert entries.apply_to(after) == after
    assert entries.remove_from(after) is None


@each("command", ["gitmem hook codexx", "gitmem hook cursor", "echo gitmem hook codex", "notgitmem hook codex"])
def test_other_commands_are_not_ours(command: str) -> None:
    text = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}})

    assert not HOOKS.is_in(text)
    assert HOOKS.remove_from(text) == text


def test_our_hook_is_removed_from_a_foreign_group() -> None:
    mixed = {"hooks": [{"type": "command", "command": "say"}, GROUP["hooks"][0]]}
    text = json.dumps({"hooks": {"Stop": [mixed]}}, indent=2)

    assert json.loads(HOOKS.remove_from(text)) == {
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say"}]}]}
    }


def test_server_of_the_same_name_that_calls_something_else_stays() -> None:
    text = '{"mcpServers": {"gitmem": {"command": "uvx", "args": ["other"]}}}'

    with pytest.raises(FileRefusedError, match="already has gitmem in its mcpServers"):
        SERVER.apply_to(text)
    assert SERVER.remove_from(text) == text


WRONG = {"{": "is not valid JSON (line 1", "[]": "is not a JSON object", '{"hooks": 3}': "hooks is not an object"}


@pytest.mark.parametrize("text", WRONG, ids=range(len(WRONG)))
def test_unreadable_settings_are_refused_with_the_reason(text: str) -> None:
    with pytest.raises(FileRefusedError) as caught:
        HOOKS.apply_to(text)

    assert WRONG[text] in str(caught.value)
    assert not HOOKS.is_in(text)


def test_settings_of_another_version_are_refused() -> None:
    with pytest.raises(FileRefusedError, match="its version is not 1"):
        CURSOR.apply_to('{"version": 2, "hooks": {}}')


def test_file_of_another_version_is_rewritten_unless_it_was_changed() -> None:
    piece, older = Whole("SKILL.md", "new\n"), Whole("SKILL.md", "old\n").apply_to(None)

    assert piece.apply_to(older) == piece.apply_to(None)
    assert piece.remove_from(older) is None
    for changed in (older.replace("old", "mine"), older + "more\n", "mine\n", ""):
        with pytest.raises(FileRefusedError, match="was changed: use --force to overwrite it"):
            piece.apply_to(changed)
        with pytest.raises(FileRefusedError, match="was changed: use --force to remove it"):
            piece.remove_from(changed)
        assert Whole("SKILL.md", "new\n", is_forced=True).apply_to(changed) == piece.apply_to(None)
