"""The files that each coding agent needs to call gitmem, and their content. Pure.

Source: the clients' documentation of hooks, skills and commands, and the payloads they sent (docs/agents.md says
which versions were run, and which were only read).
"""

from __future__ import annotations

import json
from pathlib import Path

from gitmem import __version__
from gitmem.agents import client as forms
from gitmem.agents.clients import tables, tables_without_hooks
from gitmem.commands.install.pieces import TOML, Entries, FileSection, Put, Whole
from gitmem.document.builtin_checks import CHECKS
from gitmem.text.marker_words import STEMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from typing import Any

    from gitmem.agents.client import ClientEvent
    from gitmem.commands.install.pieces import Piece

TEMPLATES = Path(__file__).parent / "templates"
COMMANDS = ("save", "search", "status", "github", "jira", "practices")
# The commands that search a source, by its kind: they are installed where this clone has such a source.
SOURCES = ("github", "jira")
# Clients without an adapter, with their titles: they read AGENTS.md, and most of them skills and MCP servers.
WITHOUT_HOOKS = {name: hook.title for name, hook in tables_without_hooks().items()}
# The commands that skills may run without asking: none that approves a command or leaves this machine.
READING = ("recall", "show", "list", "status", "context", "why", "decisions", "pre-work", "task list")
WRITING = ("remember", "fact", "supersede", "verify", "decide", "post-work", "task claim", "task close", "task release")
# A hook's command line is POSIX sh. If gitmem is not installed, it exits with status 0 and prints nothing: Gemini CLI
# blocks its agent on the shell's 127 ("Agent execution blocked"), and others show the failure. `gitmem hook CLIENT`
# itself always exits with 0 and answers on standard output, so no status is lost.
LINE = "gitmem {} 2>/dev/null || exit 0"
# What the lists of plugins, extensions and servers show of gitmem; MCP's registry allows 100 characters.
ABOUT = "What people and agents know about a repository, on a git branch, with proof of what still holds"
AUTHOR = {"name": "The gitmem contributors"}
# The clients and their files; their names are those of ``gitmem install`` and ``gitmem hook``.
CLIENTS = tables()


def list_pieces(
    name: str, *, user: bool, mcp: bool, instructions: Iterable[str] = (), sources: Collection[str] = SOURCES
) -> list[Piece]:
    """Return the pieces that one client needs.

    Args:
        name: One of ``CLIENTS``.
        user: Whether it is for all projects of the person: paths are then below the home folder.
        mcp: Whether its agents also get the MCP server.
        instructions: The project's files to which the section of instructions is added.
        sources: The kinds of sources that have a slash command, of ``SOURCES``.
    """
    client = CLIENTS[name]
    pieces: list[Piece] = []
    if client.hook_form == forms.CLINE:
        pieces += _executables(name, client.settings[user], user=user)
    elif client.settings[user]:
        pieces.append(_hooks(name, client.settings[user], user=user))
    if client.plugin[user]:
        pieces.append(Whole(client.plugin[user], plugin(name, user=user)))
    pieces.append(Whole(f"{client.skills[user]}/gitmem/SKILL.md", skill()))
    if client.commands[user]:
        wanted = [command for command in COMMANDS if command not in SOURCES or command in sources]
        pieces += [_command(client.command_form, client.commands[user], command) for command in wanted]
    pieces += [FileSection(path, read("section.md")) for path in instructions]
    if mcp and client.mcp[user]:
        pieces.append(_server(client.server_form, client.mcp[user]))
    other_servers, form = client.other_servers
    if mcp and other_servers and not user:
        pieces.append(_server(form, other_servers))
    return pieces


def any_client(*, user: bool) -> list[Piece]:
    """Return the pieces that any client can read: the skill, and a project's instructions."""
    instructions: list[Piece] = [] if user else [FileSection("AGENTS.md", read("section.md"))]
    return [Whole(".agents/skills/gitmem/SKILL.md", skill()), *instructions]


def server_entry() -> str:
    """Return the entry of gitmem's MCP server, in the form that most clients read."""
    return json.dumps({"mcpServers": {"gitmem": {"command": "gitmem", "args": ["mcp"]}}})


def plugin(name: str, *, user: bool) -> str:
    """Return the plugin of a client; all plugins call gitmem by the same function."""
    ask = read("ask.ts").replace("@CLIENT@", f'"{name}"' + (', "--user"' if user else ""))
    source = CLIENTS[name].fork_of or name
    ask = ask.replace("@FOLDER@", "directory" if source == "opencode" else "cwd")
    words = f"const WORDS = /{'|'.join(STEMS)}/i"
    text = read(f"{source}.ts").replace("gitmem hook opencode", f"gitmem hook {name}")
    return text.replace("@ASK@\n", ask).replace("@WORDS@", words)


def skill() -> str:
    """Return the skill that explains how an agent uses gitmem, with the built-in checks."""
    text = read("skill.md").replace("BUILTIN_CHECKS", ", ".join(f"`--{name}`" for name in CHECKS))
    return text.replace("ALLOWED_TOOLS", permission_rules(*READING, *WRITING))


def permission_rules(*commands: str) -> str:
    """Return the commands of gitmem that an agent may run without asking, in the form of Claude Code's settings."""
    return ", ".join(f"Bash(gitmem {command}:*)" for command in commands)


def read(name: str) -> str:
    """Return a text of the package."""
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _executables(name: str, folder: str, *, user: bool) -> list[Piece]:
    """Return a program for each event."""
    words = f"hook {name} --user" if user else f"hook {name}"
    return [
        Whole(f"{folder}/{hook.event}", f"#!/bin/sh\n{LINE.format(f'{words} {hook.event}')}\n")
        for hook in CLIENTS[name].hooks
    ]


def _hooks(name: str, path: str, *, user: bool) -> Entries:
    calls = f"hook {name}"
    words = f"{calls} --user" if user else calls
    client = CLIENTS[name]
    puts = tuple(Put(("hooks", hook.event), _entry(client.hook_form, hook, words)) for hook in client.hooks)
    is_versioned = client.hook_form in (forms.CURSOR, forms.COPILOT)
    return Entries(path, puts, calls, (("version", 1),) if is_versioned else ())


def _entry(form: str, hook: ClientEvent, words: str) -> dict[str, Any]:
    """Return one hook in its client's form."""
    matcher = {"matcher": hook.matcher} if hook.matcher else {}
    if form == forms.COPILOT:  # its payloads for these events do not name them
        line = LINE.format(f"{words} {hook.event}")
        return {"type": "command", **matcher, "bash": line, "timeoutSec": hook.timeout_s}
    command = LINE.format(words)
    if form == forms.CURSOR:
        return {"command": command, **matcher, "timeout": hook.timeout_s}
    handler: dict[str, Any] = {"type": "command", "command": command, "timeout": hook.timeout_s}
    if form in (forms.GEMINI, forms.AUGGIE):  # milliseconds
        handler["timeout"] = hook.timeout_s * 1000
    if form == forms.GEMINI:
        handler = {"name": "gitmem", **handler}
    if hook.is_async:
        handler["async"] = True
    return {**matcher, "hooks": [handler]}


def _server(form: str, path: str) -> Piece:
    program = {"command": "gitmem", "args": ["mcp"]}
    if form == forms.CODEX:
        return FileSection(path, '[mcp_servers.gitmem]\ncommand = "gitmem"\nargs = ["mcp"]\n', TOML)
    if form == forms.OPENCODE:
        server: dict[str, Any] = {"type": "local", "command": ["gitmem", "mcp"], "enabled": True}
        return Entries(path, (Put(("mcp",), server, "gitmem"),), "mcp")
    if path == ".vscode/mcp.json":
        return Entries(path, (Put(("servers",), {"type": "stdio", **program}, "gitmem"),), "mcp")
    server = {"type": "local", **program, "tools": ["*"]} if form == forms.COPILOT else program
    return Entries(path, (Put(("mcpServers",), server, "gitmem"),), "mcp")


def _command(form: str, folder: str, command: str, *, prefix: str = "gitmem-") -> Whole:
    """Return a slash command in its client's form; arguments are the words after it."""
    about, hint, text = read(f"commands/{command}.md").split("\n", 2)
    hint = hint.strip("[]")
    path = f"{folder}/{prefix}{command}"
    if form == forms.GEMINI:
        body = text.replace("ARGUMENTS", "{{args}}")
        return Whole(f"{path}.toml", f"description = {json.dumps(about)}\nprompt = '''\n{body}'''\n")
    if form == forms.COPILOT:
        body = text.replace("ARGUMENTS", f"${{input:words:{hint}}}" if hint else "")
        return Whole(f"{path}.prompt.md", f"---\ndescription: {about}\nagent: agent\n---\n\n{body}")
    if form == forms.CURSOR:  # the words after the command are appended to its text
        return Whole(f"{path}.md", text.replace(": ARGUMENTS", ", as told below.").replace(" ARGUMENTS", ""))
    if form == forms.QWEN:
        return Whole(f"{path}.md", f"---\ndescription: {about}\n---\n\n{text.replace('ARGUMENTS', '{{args}}')}")
    head = f"description: {about}\n"
    if form == forms.CLAUDE:
        head += f'argument-hint: "[{hint}]"\n' if hint else ""
        more = {
            "practices": ("list",),
            "save": (*WRITING[:3], "edit", "session summarize"),
            "status": ("log", "stats"),
        }
        rules = permission_rules("recall", "show", "status", *more.get(command, ()))
        rules += ", Bash(gitmem doctor)" if command == "status" else ""  # its options delete files
        head += f"allowed-tools: {rules}\n"
    return Whole(f"{path}.md", f"---\n{head}---\n\n{text.replace('ARGUMENTS', '$ARGUMENTS')}")


def client_plugin(name: str, *, mcp: bool, sources: Collection[str] = ()) -> list[Piece]:
    """Return the files of a plugin or extension that a person installs, for one of ``WITH_PLUGINS``.

    Args:
        name: The client.
        mcp: Whether it starts the MCP server.
        sources: The kinds of sources that have a slash command, of ``SOURCES``.
    """
    form, folder, manifests = WITH_PLUGINS[name]
    servers = {"mcpServers": {"gitmem": {"command": "gitmem", "args": ["mcp"]}}} if mcp else {}
    wanted = [command for command in COMMANDS if command not in SOURCES or command in sources]
    return [
        *manifests(servers),
        _hooks(name, "hooks/hooks.json", user=True),
        Whole("skills/gitmem/SKILL.md", skill()),
        *(_command(form, folder, command, prefix="") for command in wanted),
    ]


def _claude_manifests(servers: dict[str, Any]) -> list[Piece]:
    """Return what makes a folder a plugin for Claude Code and its own marketplace."""
    manifest = {"name": "gitmem", "version": __version__, "description": ABOUT, "author": AUTHOR, "license": "MIT"}
    return [
        _table(".claude-plugin/plugin.json", manifest),
        claude_marketplace("./"),
        *([_table(".mcp.json", servers)] if servers else []),
        Whole("README.md", read("plugin.md")),
    ]


def claude_marketplace(source: str) -> Whole:
    """Return the list of plugins that Claude Code reads, with the folder of the only one."""
    shop = {
        "name": "gitmem",
        "description": ABOUT,
        "owner": AUTHOR,
        "plugins": [{"name": "gitmem", "source": source, "description": ABOUT}],
    }
    return _table(".claude-plugin/marketplace.json", shop)


def _gemini_manifests(servers: dict[str, Any]) -> list[Piece]:
    """Return what makes a folder an extension of Gemini CLI.

    Source: its documentation, ``docs/extensions/reference.md`` (0.61.0).
    """
    manifest = {"name": "gitmem", "version": __version__, "description": ABOUT, **servers}
    return [_table("gemini-extension.json", manifest)]


# The clients that install plugins: the form of their commands, these commands' folder (a client of both calls them
# `/gitmem:NAME`), and their manifests.
WITH_PLUGINS = {
    "claude-code": (forms.CLAUDE, "commands", _claude_manifests),
    "gemini": (forms.GEMINI, "commands/gitmem", _gemini_manifests),
}


BMAD_STEPS = ("pre-work", "post-work", "decide", "decisions")
# The workflows of BMAD 6.12 that use our skills: at the start, and at the end.
BMAD_WORKFLOWS = {
    "bmad-architecture": ("decisions", "decide"),
    "bmad-create-epics-and-stories": ("decisions", ""),
    "bmad-build": ("pre-work", "post-work"),
    "bmad-build-auto": ("pre-work", "post-work"),
    "bmad-code-review": ("pre-work", "post-work"),
    "bmad-correct-course": ("decisions", "decide"),
    "bmad-retrospective": ("", "post-work"),
}


def bmad_module(folder: str) -> list[Piece]:
    """Return the files of a module for the BMAD method: its skills, and their data for its installer."""
    skills = [f"./skills/gitmem-{step}" for step in BMAD_STEPS]
    about = "Recall before a story, remember after it, record decisions"
    shop = {
        "name": "gitmem",
        "owner": AUTHOR,
        "plugins": [{"name": "gitmem", "source": "./", "description": about, "skills": skills}],
    }
    return [
        _table(f"{folder}/.claude-plugin/marketplace.json", shop),
        Whole(f"{folder}/skills/module.yaml", read("bmad/module.yaml")),
        Whole(f"{folder}/skills/module-help.csv", read("bmad/module-help.csv")),
        *(_bmad_skill(folder, step) for step in BMAD_STEPS),
    ]


def _bmad_skill(folder: str, step: str) -> Whole:
    tools = permission_rules(
        step, "recall", "show", "status", *(WRITING[:4] if step in ("post-work", "decide") else ())
    )
    return Whole(f"{folder}/skills/gitmem-{step}/SKILL.md", read(f"bmad/{step}.md").replace("ALLOWED_TOOLS", tools))


def bmad_workflows() -> list[Piece]:
    """Return the files that make the workflows of an installed BMAD use the module's skills.

    Source: the ``customize.toml`` of its workflows (6.12.0): a team's file of the same name is merged with it, lists
    are added to, texts replaced.
    """
    return [
        FileSection(f"_bmad/custom/{workflow}.toml", _bmad_workflow(before, after), TOML)
        for workflow, (before, after) in BMAD_WORKFLOWS.items()
    ]


def _bmad_workflow(before: str, after: str) -> str:
    start = f'activation_steps_append = ["Use the skill gitmem-{before} for this work."]\n' if before else ""
    end = f'on_complete = "Use the skill gitmem-{after} for what this work established."\n' if after else ""
    return f"[workflow]\n{start}{end}"


def _table(path: str, table: dict[str, Any]) -> Whole:
    return Whole(path, f"{json.dumps(table, indent=2)}\n")
