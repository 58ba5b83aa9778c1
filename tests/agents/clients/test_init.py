"""Each client is one module with one table, and everything else is derived from it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.each import each

import gitmem
from gitmem.agents import client as forms
from gitmem.agents.clients import CLIENTS, agent_client, find_table, has_transcripts, load, tables

HOOK_FORMS = {forms.AUGGIE, forms.CLINE, forms.CLAUDE, forms.COPILOT, forms.CURSOR, forms.GEMINI}
COMMAND_FORMS = {"", forms.QWEN, forms.CLAUDE, forms.COPILOT, forms.CURSOR, forms.GEMINI, forms.OPENCODE}
SERVER_FORMS = {forms.CLAUDE, forms.CODEX, forms.COPILOT, forms.OPENCODE}


@each("name", CLIENTS)
def test_table_is_complete(name: str) -> None:
    client = tables()[name]

    assert client.title
    assert (client.hook_form in HOOK_FORMS) and (client.server_form in SERVER_FORMS)
    assert client.command_form in COMMAND_FORMS
    assert bool(client.commands[0] or client.commands[1]) == bool(client.command_form)
    assert bool(client.settings[0]) != bool(client.plugin[0]), "hooks or a plugin"
    assert bool(client.hooks) == bool(client.settings[0])
    assert client.shells
    assert has_transcripts(name) == hasattr(load(name), "read_turns")


@each("name", CLIENTS)
def test_what_a_client_is_known_by_begins_with_the_letters_of_its_name(name: str) -> None:
    table = tables()[name]
    signs = (*table.aliases, *table.variables, *table.programs, table.variable_prefix, table.session_variable)

    assert {sign[:3].lower() for sign in signs if sign} <= {f"{name}_"[:3]}


@each(
    ("name", "tools"),
    [
        ("claude-code", ("Grep", "Glob", "MultiEdit")),
        ("cursor", ("Grep",)),
        ("droid", ("Grep", "Glob")),
        ("gemini", ("read_many_files", "grep_search", "glob")),
        ("qwen", ("read_many_files", "grep_search", "glob")),
    ],
)
def test_hooks_are_called_for_tools_that_read_several_files_or_search(name: str, tools: tuple[str, ...]) -> None:
    called = {tool for one in tables()[name].hooks for tool in one.matcher.split("|")}

    assert {*tools, *tables()[name].readers} - {"NotebookRead"} <= called


@each("name", ["opencode", "pi"])
def test_plugin_forwards_the_tools_of_the_table(name: str) -> None:
    text = (Path(gitmem.__file__).parent / f"commands/install/templates/{name}.ts").read_text(encoding="utf-8")
    found = re.search(r"const TOOLS = \[(.*)\]", text)

    assert found
    assert set(re.findall(r'"(\w+)"', found[1])) == {*load(name).SHELLS, *load(name).EDITORS, *load(name).READERS}


def test_unknown_client_has_no_table() -> None:
    assert find_table("nano") is None
    assert not has_transcripts("nano")


def test_fork_is_told_from_the_client_that_it_was_made_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENCODE", "1")
    assert agent_client() == "opencode"

    monkeypatch.setenv("KILO", "1")
    assert agent_client() == "kilo"
