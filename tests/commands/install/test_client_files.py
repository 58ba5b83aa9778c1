"""Files for each client: known names, suitable timeouts, and formats that its own rules accept."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft7Validator
from support.each import each

from gitmem.agents import client as forms
from gitmem.agents import hook as entry
from gitmem.agents.event import END, PROMPT
from gitmem.commands.install import client_files
from gitmem.commands.install.client_files import CLIENTS, bmad_module, client_plugin, list_pieces
from gitmem.commands.install.pieces import Entries, Piece, Whole
from gitmem.text.budget import count_tokens

SCHEMA = json.loads((Path(__file__).parent / "schemas" / "claude-code-hooks.json").read_text(encoding="utf-8"))
# The steps that Cursor knows; one more makes the whole file invalid (@cursor/sdk 1.0.32).
CURSORS = [
    "beforeShellExecution",
    "afterShellExecution",
    "beforeMCPExecution",
    "afterMCPExecution",
    "beforeReadFile",
    "afterFileEdit",
    "beforeTabFileRead",
    "afterTabFileEdit",
    "beforeSubmitPrompt",
    "afterAgentResponse",
    "afterAgentThought",
    "preToolUse",
    "postToolUse",
    "postToolUseFailure",
    "sessionStart",
    "sessionEnd",
    "stop",
    "preCompact",
    "subagentStart",
    "subagentStop",
    "workspaceOpen",
]
# Those whose hooks are in a file of settings.
HOOKED = [name for name, one in CLIENTS.items() if one.hooks and one.hook_form != forms.CLINE]


def table(name: str) -> dict:
    return json.loads(list_pieces(name, user=False, mcp=False)[0].apply_to(None))


def test_client_files_match_those_of_the_hook_command() -> None:
    assert set(CLIENTS) == set(entry.CLIENTS)


@each("name", HOOKED)
def test_every_installed_event_is_handled_and_none_is_missing(name: str) -> None:
    adapter = entry.load(name)
    events = getattr(adapter, "EVENTS", None) or entry.load("claude-code").EVENTS
    message = {hook.event for hook in CLIENTS[name].hooks}

    assert message <= set(events)
    if name != "codex":  # which has no event for failures
        assert {events[event] for event in message} == set(events.values())


@each("name", HOOKED)
def test_client_waits_longer_than_a_hook_takes_at_most(name: str) -> None:
    adapter = entry.load(name)
    events = getattr(adapter, "EVENTS", None) or entry.load("claude-code").EVENTS

    for hook in CLIENTS[name].hooks:
        assert hook.timeout_s > entry.LIMITS_S.get(events[hook.event], entry.LIMIT_S), hook.event
        assert not hook.is_async or events[hook.event] not in (PROMPT, END), hook.event


def test_hook_commands_never_change() -> None:
    # Codex trusts a hook by what its definition says: another word here, and everybody has to trust it again.
    [group] = table("codex")["hooks"]["PostToolUse"]
    assert json.dumps(group) == (
        '{"matcher": "Bash|apply_patch", "hooks": [{"type": "command", "command": '
        '"gitmem hook codex 2>/dev/null || exit 0", "timeout": 10}]}'
    )
    assert all(hook.timeout_s <= 3 for hook in CLIENTS["codex"].hooks if hook.event == "SessionEnd")


def lines(value: object) -> list[str]:
    """Return the command lines of a table of hooks."""
    if isinstance(value, list):
        return [line for one in value for line in lines(one)]
    if not isinstance(value, dict):
        return []
    own = [value[name] for name in ("command", "bash") if name in value]
    return own + [line for one in value.values() for line in lines(one)]


def run_line(line: str, path: Path) -> tuple[int, str, str]:
    """Run a hook's line as a client does, with one folder as PATH, and return its status and what it printed."""
    words, env = ["/bin/sh", "-c", line], {"PATH": str(path)}
    done = subprocess.run(words, input="{}", capture_output=True, env=env, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def plugin_piece() -> Piece:
    [hooks] = [piece for piece in client_plugin("claude-code", mcp=True) if piece.path.endswith("hooks/hooks.json")]
    return hooks


def plugin_hooks() -> dict:
    return json.loads(plugin_piece().apply_to(None))


@pytest.mark.parametrize("table", [*map(table, HOOKED), plugin_hooks()], ids=[*HOOKED, "plugin"])
def test_every_hook_ends_silently_without_gitmem(table: dict, tmp_path: Path) -> None:
    message = {line for line in lines(table["hooks"]) if line}

    for line in message:
        assert run_line(line, tmp_path) == (0, "", ""), line
    assert message


HOOK_PIECES = [*(list_pieces(name, user=False, mcp=False)[0] for name in HOOKED), plugin_piece()]


@each("piece", HOOK_PIECES, ids=[*HOOKED, "plugin"])
def test_older_lines_are_found_replaced_and_removed(piece: Piece) -> None:
    older = json.dumps(json.loads(piece.apply_to(None).replace(" 2>/dev/null || exit 0", "")), indent=2) + "\n"

    assert "|| exit 0" not in older
    assert json.loads(piece.apply_to(older)) == json.loads(piece.apply_to(None))
    assert piece.remove_from(older) is None


@pytest.mark.parametrize("name", HOOKED)
def test_answer_of_an_installed_gitmem_reaches_the_client(name: str, tmp_path: Path) -> None:
    program = tmp_path / "gitmem"
    program.write_text('#!/bin/sh\necho "{$*}"\n')
    program.chmod(0o755)

    status, answer, _ = run_line(lines(table(name)["hooks"])[0], tmp_path)

    assert status == 0
    assert answer.startswith(f"{{hook {name}")


@each("name", ["claude-code", "codex"])
def test_settings_fit_the_published_schema(name: str) -> None:
    Draft7Validator(SCHEMA).validate(table(name))


def test_schema_refuses_invalid_settings() -> None:
    assert not Draft7Validator(SCHEMA).is_valid({"hooks": {"Stop": [{"hooks": [{"type": "command", "cmd": "x"}]}]}})


def test_cursor_has_a_version_and_only_steps_that_it_knows() -> None:
    message = table("cursor")

    assert message["version"] == 1
    assert set(message["hooks"]) <= set(CURSORS)
    assert all(set(one) <= {"command", "matcher", "timeout"} for group in message["hooks"].values() for one in group)


def test_timeouts_of_gemini_are_milliseconds() -> None:
    times = [one["timeout"] for groups in table("gemini")["hooks"].values() for g in groups for one in g["hooks"]]

    assert min(times) == 3000
    assert max(times) == 10000


def test_copilot_gets_the_event_on_the_command_line() -> None:
    message = table("copilot")

    assert message["version"] == 1
    for event, [one] in message["hooks"].items():
        assert one["bash"] == f"gitmem hook copilot {event} 2>/dev/null || exit 0"


def frontmatter(text: str) -> dict:
    return yaml.safe_load(text.split("---\n")[1])


WHOLE = [
    (name, piece) for name in CLIENTS for piece in list_pieces(name, user=False, mcp=True) if isinstance(piece, Whole)
]


@each(("name", "piece"), WHOLE, ids=[piece.path for _, piece in WHOLE])
def test_files_are_in_the_form_of_their_client(name: str, piece: Whole) -> None:
    text = piece.apply_to(None)

    assert "ARGUMENTS" not in text.replace("$ARGUMENTS", "")
    if piece.path.endswith("SKILL.md"):
        message = frontmatter(text)
        assert message["name"] == Path(piece.path).parent.name
        assert set(message) <= {"name", "description", "license", "compatibility", "allowed-tools"}
        assert 1 <= len(message["description"]) <= 1024
        assert len(message["compatibility"]) <= 500
        assert count_tokens(text) < 900
    elif piece.path.endswith(".toml"):
        message = tomllib.loads(text)
        assert set(message) == {"description", "prompt"}
        assert "{{args}}" in message["prompt"]
    elif piece.path.endswith(".md") and name != "cursor":
        assert frontmatter(text)["description"]
        assert name == "copilot" or ("{{args}}" if name == "qwen" else "$ARGUMENTS") in text


def test_every_command_of_the_texts_exists(run_cli) -> None:
    texts = [piece.apply_to(None) for _, piece in WHOLE] + [client_files.read("section.md")]
    texts = [text for text in texts if "import { spawn }" not in text]
    said = {line for text in texts for line in re.findall(r"gitmem ([a-z]+)(?=[ `])", text)}
    options = {option for text in texts for option in re.findall(r"(?<=[ `])--[a-z]+", text)}

    assert {"recall", "remember", "fact", "context"} <= said
    help_of = {name: run_cli(name, "--help") for name in said - {"command", "reads"}}
    assert all(ran.status == 0 for ran in help_of.values()), help_of
    helps = " ".join([*(ran.out for ran in help_of.values()), run_cli("task", "close", "--help").out])
    assert [option for option in sorted(options - {"--help"}) if option not in helps] == []


def test_slash_commands_may_run_what_they_name() -> None:
    pieces = [piece for piece in list_pieces("claude-code", user=False, mcp=False) if "/commands/" in piece.path]

    for piece in pieces:
        text = piece.apply_to(None)
        allowed = re.findall(r"Bash\(gitmem ([a-z ]+)", frontmatter(text)["allowed-tools"])
        named = re.findall(r"`gitmem ([a-z]+(?: summarize)?)", text)
        assert named
        assert set(named) - set(allowed) <= {"pull", "sources"}, (
            piece.path
        )  # these use the network: the person is asked


def test_instructions_are_short() -> None:
    assert len(client_files.read("section.md")) < 1800  # some 450 tokens


def test_plugin_has_the_files_of_claude_code() -> None:
    files = {piece.path: piece.apply_to(None) for piece in client_plugin("claude-code", mcp=True)}

    # What `claude plugin validate --strict` wants (2.1.331).
    assert {"name", "version", "description", "author"} <= set(json.loads(files[".claude-plugin/plugin.json"]))
    assert json.loads(files[".claude-plugin/marketplace.json"])["description"]
    assert len(files["README.md"].split()) > 40
    [plugin] = json.loads(files[".claude-plugin/marketplace.json"])["plugins"]
    assert (plugin["name"], plugin["source"]) == ("gitmem", "./")
    Draft7Validator(SCHEMA).validate(json.loads(files["hooks/hooks.json"]))
    # A plugin is installed for a person, not by a project.
    assert json.loads(files["hooks/hooks.json"].replace(" --user", "")) == table("claude-code")
    assert files["hooks/hooks.json"].count("gitmem hook claude-code --user") == len(CLIENTS["claude-code"].hooks)
    assert {"skills/gitmem/SKILL.md", "commands/save.md", ".mcp.json"} <= set(files)
    assert ".mcp.json" not in {piece.path for piece in client_plugin("claude-code", mcp=False)}


def test_extension_has_the_files_of_gemini_cli() -> None:
    files = {piece.path: piece.apply_to(None) for piece in client_plugin("gemini", mcp=True)}

    manifest = json.loads(files["gemini-extension.json"])
    assert {"name", "version", "description", "mcpServers"} == set(manifest)
    assert "mcpServers" not in client_plugin("gemini", mcp=False)[0].apply_to(None)
    assert json.loads(files["hooks/hooks.json"].replace(" --user", "")) == table("gemini")
    assert {"skills/gitmem/SKILL.md", "commands/gitmem/save.toml"} <= set(files)


@each("name", client_files.WITH_PLUGINS)
def test_plugin_has_commands_only_for_sources_that_are_set_up(name: str) -> None:
    plain, jira = (
        {
            Path(piece.path).stem
            for piece in client_plugin(name, mcp=False, sources=sources)
            if "commands/" in piece.path
        }
        for sources in ((), ("jira",))
    )

    assert plain == {"save", "search", "status", "practices"}
    assert jira == plain | {"jira"}


def test_documents_name_the_commands_that_are_written() -> None:
    page = (Path(__file__).parents[3] / "docs/agents.md").read_text(encoding="utf-8")
    about = client_files.read("plugin.md")

    assert set(re.findall(r"`/gitmem-([a-z]+)`", page)) == set(client_files.COMMANDS)
    assert set(re.findall(r"`/gitmem:([a-z]+)`", about)) == set(client_files.COMMANDS) - set(client_files.SOURCES)


HEADER = (
    "module,skill,display-name,menu-code,description,action,args,phase,preceded-by,followed-by,required,output-location,"
    "outputs"
)


def test_bmad_module_lists_its_skills() -> None:
    files = {piece.path.removeprefix("./"): piece.apply_to(None) for piece in bmad_module(".")}

    [plugin] = json.loads(files[".claude-plugin/marketplace.json"])["plugins"]
    rows = list(csv.DictReader(files["skills/module-help.csv"].splitlines()))
    assert files["skills/module-help.csv"].splitlines()[0] == HEADER
    assert {f"./skills/{row['skill']}" for row in rows} == set(plugin["skills"])
    assert len({row["menu-code"] for row in rows}) == len(rows) == 4
    for skill in plugin["skills"]:
        message = frontmatter(files[f"{skill.removeprefix('./')}/SKILL.md"])
        assert message["name"] == Path(skill).name
        assert len(message["description"]) <= 1024
        assert f"Bash(gitmem {message['name'].removeprefix('gitmem-')}:*)" in message["allowed-tools"]
    assert yaml.safe_load(files["skills/module.yaml"])["code"] == "gitmem"


def test_servers_are_in_the_form_of_each_file() -> None:
    values = {
        piece.path: json.loads(piece.apply_to(None))
        for name in ("claude-code", "cursor", "copilot", "opencode")
        for piece in list_pieces(name, user=False, mcp=True)
        if isinstance(piece, Entries) and piece.calls == "mcp"
    }

    assert values == {
        ".mcp.json": {"mcpServers": {"gitmem": {"command": "gitmem", "args": ["mcp"]}}},
        ".cursor/mcp.json": {"mcpServers": {"gitmem": {"command": "gitmem", "args": ["mcp"]}}},
        ".vscode/mcp.json": {"servers": {"gitmem": {"type": "stdio", "command": "gitmem", "args": ["mcp"]}}},
        "opencode.json": {"mcp": {"gitmem": {"type": "local", "command": ["gitmem", "mcp"], "enabled": True}}},
    }
