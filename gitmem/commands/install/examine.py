"""Find problems of agents' hooks that are installed, or about to be."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

from gitmem.commands.install import place as places
from gitmem.commands.install.agents import (
    AGENTS,
    BMAD,
    BMAD_FOLDER,
    apply,
    has_bmad,
    has_bmad_module,
    instructions_of,
    is_installed,
    is_set_to_agents,
    read_setting,
    uses_bmad_module,
    where,
)
from gitmem.commands.install.client_files import CLIENTS, list_pieces, server_entry
from gitmem.commands.install.place import KEEP
from gitmem.model import Problem
from gitmem.store.state.plain_files import LOCAL
from gitmem.store.state.registration import OTHER_REPOSITORY, is_accepted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.commands.install.agents import AgentSetup
    from gitmem.commands.install.place import InstallFolder
    from gitmem.git import Git

FOR_ANY = "in a client without hooks, agents see only AGENTS.md and the skill, and must run gitmem recall themselves"
# The command that installs a plugin's folder.
PLUGIN_LINES = {
    "claude-code": "claude plugin marketplace add {} && claude plugin install gitmem@gitmem",
    "gemini": "gemini extensions install {}",
}
# What hooks of coding agents leave in the state folder of a clone that they worked in.
WORKED = ("capture", "sessions", "spool", "summaries", "ledger", "stops")
ON_PATH = "hooks call plain `gitmem`, so that they are the same for everyone"


def list_notes(git: Git | None, wanted: AgentSetup) -> list[str]:
    """Return further notes about installed hooks; a command on a line of its own is indented."""
    place, names = where(git, wanted)
    if wanted.plugin and BMAD not in names:
        return [f"next: {PLUGIN_LINES[names[0]].format(wanted.plugin)}", *_path_notes()]
    if wanted.plugin:
        return [f"next, in your project: {_bmad_line(str(place.root), is_there=False)}", *_path_notes()]
    notes = [CLIENTS[name].note for name in names if name in CLIENTS and CLIENTS[name].note]
    if BMAD in names and not has_bmad_module(place):
        line = _bmad_line(f"./{BMAD_FOLDER}", is_there=has_bmad(place))
        notes.append(f"next: {line}, then gitmem install bmad again, which adds the skills to its workflows")
    notes += _shared_hooks(place, names, user=wanted.user)
    notes += [] if wanted.user else _needed_settings(place, names)
    if AGENTS in names:
        notes += [FOR_ANY, f"the entry for a client's MCP servers: {server_entry()}"]
    if wanted.mcp:
        missing = [CLIENTS[name].title for name in names if name in CLIENTS and not CLIENTS[name].mcp[wanted.user]]
        notes += [f"{title} has no such file of MCP servers: docs/mcp.md" for title in missing]
    return [*notes, *_list_obstacles(place, names), *_path_notes()]


def _shared_hooks(place: InstallFolder, names: Sequence[str], *, user: bool) -> list[str]:
    """Return which clients also run the hooks of another one that calls us."""
    calling = [name for name in CLIENTS if name in names or is_installed(place, name, user=user)]
    return [
        f"{CLIENTS[name].title} also runs the hooks in {CLIENTS[other].title}'s settings: duplicate events are counted "
        "once"
        for name in calling
        if (other := CLIENTS[name].runs_hooks_of) in calling
    ]


def _needed_settings(place: InstallFolder, names: Sequence[str]) -> list[str]:
    """Return the settings without which a client would not read the instructions."""
    notes = []
    for name in names:
        client = CLIENTS.get(name)
        if client is None or not client.instructions_setting or is_set_to_agents(place, client):
            continue
        if instructions_of(place, name, names) == "AGENTS.md":
            file, table, setting = client.instructions_setting
            notes.append(
                f"{client.title} reads {client.instructions} only: to make it read AGENTS.md, which has the "
                f'instructions, add "{table}": {{"{setting}": ["{client.instructions}", "AGENTS.md"]}} to {file}'
            )
    return notes


def _bmad_line(folder: str, *, is_there: bool) -> str:
    """Return the command of the BMAD method's installer that installs the module.

    Without ``./`` or ``/``, the installer takes the source for a URL; only ``--yes`` keeps other modules of an
    installation; without ``--directory`` it asks for the folder, even with ``--yes``.
    """
    options = "--yes" if is_there else "--modules bmm"
    return f"npx bmad-method install --directory . {options} --custom-source {shlex.quote(folder)}"


def _list_obstacles(place: InstallFolder, names: Sequence[str]) -> list[str]:
    """Return what in the clients' settings keeps hooks from running, or makes the client warn."""
    return [
        obstacle.message
        for name in names
        if name in CLIENTS
        for obstacle in CLIENTS[name].obstacles
        if _is_set(read_setting(place, obstacle.file, *obstacle.names), obstacle.value)
    ]


def _is_set(found: object, value: object) -> bool:
    return found is not None if value is None else found is value


def find_program() -> tuple[str, str]:
    """Return the path of the program that hooks call, and its problem; either may be empty."""
    program = shutil.which("gitmem") or ""
    own = Path(sys.executable).parent / "gitmem"
    link = f"mkdir -p ~/.local/bin && ln -sf {shlex.quote(str(own))} ~/.local/bin/gitmem"
    if not program:
        return "", f"gitmem is not on PATH: {link}"
    if sys.prefix != sys.base_prefix and Path(program).is_relative_to(sys.prefix):
        return program, f"gitmem is on PATH only while this environment is active: {link}"
    return program, ""


def _path_notes() -> list[str]:
    wrong, _, link = find_program()[1].partition(": ")
    return [f"{ON_PATH}; but it {wrong.removeprefix('gitmem ')}:", f"  {link}"] if wrong else []


def examine(git: Git) -> list[Problem]:
    """Report problems of installed hooks, of this project and the person: for ``gitmem doctor``."""
    problems: list[Problem] = []
    calling = []
    for place, user in _spots(git):
        option = " --user" if user else ""
        for name in CLIENTS:
            if not is_installed(place, name, user=user):
                continue
            calling.append(CLIENTS[name].title)
            first = list_pieces(name, user=user, mcp=False)[0]
            (path, step), *_ = apply(place, [first], is_removal=False)
            if step.what != KEEP:
                message = f"the hooks of {CLIENTS[name].title} differ from those of this version"
                hint = f"to see the difference: gitmem install {name}{option} --print"
                problems.append(Problem("agent-hook-stale", str(path), message, hint=hint, severity="warning"))
        if not user:
            problems += _examine_bmad(place)
    wrong = find_program()
    if calling and not wrong[0]:
        message = f"hooks of {', '.join(dict.fromkeys(calling))} call gitmem, which is not on PATH"
        hint = wrong[1].partition(": ")[2]
        problems.append(Problem("agent-hook-not-found", "", message, hint=hint, severity="warning"))
    return problems


def _spots(git: Git) -> list[tuple[InstallFolder, bool]]:
    """Return where hooks may be installed, each with whether that is for all projects of the person."""
    mine = [(places.of_person(), True)]
    return mine if git.repository.work_tree is None else [*mine, (places.of_project(git), False)]


def describe_acceptance(git: Git) -> str:
    """Return what is missing in a clone that was not accepted, and how to accept it; or an empty string."""
    state = git.repository.state_dir
    if is_accepted(str(state)):
        return ""
    calling = [user for place, user in _spots(git) for name in CLIENTS if is_installed(place, name, user=user)]
    lost = []
    if all(calling) and (calling or any((state / name).exists() for name in WORKED)):
        lost.append("hooks of coding agents show and store nothing")
    if (state / f"{LOCAL}{OTHER_REPOSITORY}").exists():
        lost.append("earlier approvals and local verdicts do not count")
    accept = "it is new or a copy, or lost its clone-id; to accept it: gitmem init"
    return f"not accepted: {', and '.join(lost)} ({accept})" if lost else ""


def _examine_bmad(place: InstallFolder) -> list[Problem]:
    if has_bmad_module(place) or not has_bmad(place):
        return []
    folder = place.root / BMAD_FOLDER
    if uses_bmad_module(place):
        message = "workflows of the BMAD method use skills of gitmem's module, which is not installed there"
    elif folder.is_dir():
        message = "the BMAD method has not installed gitmem's module"
    else:
        return []
    hint = _bmad_line(f"./{BMAD_FOLDER}", is_there=True) if folder.is_dir() else "gitmem install bmad"
    return [Problem("bmad-module-missing", str(folder), message, hint=hint, severity="warning")]
