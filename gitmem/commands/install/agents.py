"""Install gitmem into coding agents' clients: write their files, remove them, and check them."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

from gitmem.commands.install import place as places
from gitmem.commands.install.client_files import (
    BMAD_STEPS,
    CLIENTS,
    SOURCES,
    WITH_PLUGINS,
    any_client,
    bmad_module,
    bmad_workflows,
    client_plugin,
    list_pieces,
)
from gitmem.commands.install.jsonc import JsoncError, parse
from gitmem.commands.install.pieces import FileRefusedError, FileSection, Whole, is_blank
from gitmem.commands.install.place import ADD, KEEP, LEAVE, REMOVE, UPDATE, InstallFolder, InstallStep
from gitmem.errors import UsageError
from gitmem.frozen import frozen, replace
from gitmem.store.state.empty_files import note_empty, note_kept, was_empty

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.agents.client import Client
    from gitmem.commands.install.pieces import Piece
    from gitmem.git import Git

BMAD = "bmad"
# Means all clients whose folders are found.
FOUND = "found"
# What any client can read, for those that have no adapter.
AGENTS = "agents"
NAMES = (*CLIENTS, AGENTS, BMAD, FOUND)
BMAD_FOLDER = "bmad-gitmem"
BMAD_SKILLS = "_bmad/_config/skill-manifest.csv"


@frozen
class AgentSetup:
    """What to install or remove.

    Attributes:
        names: Of ``NAMES``.
        user: For all projects of the person, not for this one.
        mcp: With the MCP server.
        plugin: The folder of a plugin or module, instead of a project's files.
        force: Overwrite changed files as well.
        sources: The kinds of sources that this clone has.
    """

    names: tuple[str, ...]
    user: bool = False
    mcp: bool = False
    plugin: str = ""
    force: bool = False
    sources: tuple[str, ...] = ()


def plan_install(git: Git | None, wanted: AgentSetup) -> tuple[InstallStep, ...]:
    """Return the steps of an installation, one per file.

    Args:
        git: The project; None if only the person's own settings are meant.
        wanted: What to install.

    Raises:
        UsageError: The options do not fit together, or no client is found.
    """
    return tuple(step for _, step, _ in _plan(git, wanted))


def install(git: Git | None, wanted: AgentSetup) -> tuple[InstallStep, ...]:
    """Write the files and return what was done; doing it again changes nothing."""
    planned = _plan(git, wanted)
    for _, step, path in planned:
        if step.what in (ADD, UPDATE):
            if git is not None:
                note_empty(git.repository.state, path, *path.parents)
                if step.what == UPDATE and is_blank(step.before):
                    note_kept(git.repository.state, path)
            places.write(path, step.after)
    return tuple(step for _, step, _ in planned)


def plan_uninstall(git: Git | None, wanted: AgentSetup) -> tuple[InstallStep, ...]:
    """Return the steps of a removal, one per file that contains something of gitmem."""
    return tuple(step for _, step, _ in _removal_steps(git, wanted))


def uninstall(git: Git | None, wanted: AgentSetup) -> tuple[InstallStep, ...]:
    """Remove our content and return what was done."""
    planned = _removal_steps(git, wanted)
    state = git.repository.state if git is not None else ""
    for place, step, path in planned:
        if step.what == REMOVE and was_empty(state, path):
            places.write(path, "")
        elif step.what == REMOVE:
            places.remove(path, Path(os.path.realpath(place.root)), is_kept=lambda folder: was_empty(state, folder))
        elif step.what == UPDATE:
            places.write(path, step.after)
    if wanted.plugin and planned:
        places.remove_empty(planned[0][0].root)
    return tuple(step for _, step, _ in planned)


def _plan(git: Git | None, wanted: AgentSetup) -> list[tuple[InstallFolder, InstallStep, Path]]:
    place, names = where(git, wanted)
    return [(place, step, path) for path, step in apply(place, _pieces(place, names, wanted), is_removal=False)]


def _removal_steps(git: Git | None, wanted: AgentSetup) -> list[tuple[InstallFolder, InstallStep, Path]]:
    place, names = where(git, replace(wanted, names=tuple(CLIENTS)) if wanted.names == (FOUND,) else wanted)
    pieces = _pieces(place, names, replace(wanted, mcp=True), everywhere=True)
    if not wanted.plugin:
        needed = _list_needed(place, [name for name in CLIENTS if name not in names], user=wanted.user)
        pieces = [piece for piece in pieces if _key(place, piece) not in needed]
    state = git.repository.state if git is not None else ""
    steps = [(path, _without_shell(step, state)) for path, step in apply(place, pieces, is_removal=True)]
    return [(place, step, path) for path, step in steps]


def _without_shell(step: InstallStep, state: str) -> InstallStep:
    """Return a step that removes a file if nothing that anyone wrote is left in it.

    In a home folder, nothing shows whether the file is gitmem's: there it stays.
    """
    is_shell = step.what == UPDATE and bool(state) and is_blank(step.after) and not was_empty(state, step.path)
    return replace(step, what=REMOVE, after="") if is_shell else step


def where(git: Git | None, wanted: AgentSetup) -> tuple[InstallFolder, tuple[str, ...]]:
    """Return where to write, and the selected clients."""
    if wanted.plugin:
        if len(wanted.names) != 1 or wanted.names[0] not in (*WITH_PLUGINS, BMAD) or wanted.user:
            possible = ", ".join(WITH_PLUGINS)
            raise UsageError(
                f"--plugin is only for {possible} or {BMAD}", hint="gitmem install claude-code --plugin DIR"
            )
        return InstallFolder(Path(wanted.plugin).resolve()), wanted.names
    if wanted.user and BMAD in wanted.names:
        raise UsageError("a BMAD module is a folder, not a user setting", hint="gitmem install bmad --plugin DIR")
    assert git is not None or wanted.user
    place = places.of_person() if wanted.user or git is None else places.of_project(git)
    if FOUND not in wanted.names:
        return place, wanted.names
    clients = [name for name, client in CLIENTS.items() if _is_there(place, client.found[wanted.user])]
    if not clients:
        here = "your home folder" if wanted.user else "this project"
        raise UsageError(f"no agent has a folder in {here}", hint=f"name them: gitmem install {' '.join(CLIENTS)}")
    return place, (*clients, *(name for name in wanted.names if name not in (FOUND, *clients)))


def _is_there(place: InstallFolder, names: Iterable[str]) -> bool:
    return any(os.path.lexists(place.root / name) for name in names)


def _pieces(place: InstallFolder, names: Iterable[str], wanted: AgentSetup, *, everywhere: bool = False) -> list[Piece]:
    """Return the pieces for some clients; with *everywhere*, sections in every file that may have one."""
    pieces: list[Piece] = []
    sources = SOURCES if everywhere else wanted.sources
    names = tuple(names)
    for name in names:
        if name == AGENTS:
            pieces += any_client(user=wanted.user)
        elif name == BMAD:
            pieces += bmad_module("." if wanted.plugin else BMAD_FOLDER)
            is_used = has_bmad(place) if everywhere else has_bmad_module(place)
            pieces += bmad_workflows() if is_used and not wanted.plugin else []
        elif wanted.plugin:
            pieces += client_plugin(name, mcp=wanted.mcp, sources=sources)
        else:
            sections = _all_instructions(name) if everywhere else (instructions_of(place, name, names),)
            instructions = () if wanted.user else sections
            pieces += list_pieces(name, user=wanted.user, mcp=wanted.mcp, instructions=instructions, sources=sources)
    return [replace(piece, is_forced=True) if isinstance(piece, Whole) and wanted.force else piece for piece in pieces]


def has_bmad(place: InstallFolder) -> bool:
    """Return whether the BMAD method is installed in a project: its installer uses any ``_bmad`` folder."""
    return (place.root / "_bmad" / "_config").is_dir()


def has_bmad_module(place: InstallFolder) -> bool:
    """Return whether the BMAD method's list of installed skills has all of the module's.

    Source: ``_bmad/_config/skill-manifest.csv`` as its installer 6.12.0 writes it: the skill's name comes first.
    """
    listed = {line.partition(",")[0].strip('"') for line in (read(place, BMAD_SKILLS) or "").splitlines()}
    return listed.issuperset(f"gitmem-{step}" for step in BMAD_STEPS)


def uses_bmad_module(place: InstallFolder) -> bool:
    """Return whether one of the BMAD method's workflows uses the module's skills."""
    return any(piece.is_in(read(place, piece.path) or "") for piece in bmad_workflows())


def _all_instructions(name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((_main(CLIENTS[name]), CLIENTS[name].instructions, "AGENTS.md")))


def _main(client: Client) -> str:
    """Return the file that a client loads in place of AGENTS.md; AGENTS.md if it loads that."""
    return client.documents[0] if client.fallback == "AGENTS.md" else client.instructions


def instructions_of(place: InstallFolder, name: str, others: Iterable[str] = ()) -> str:
    """Return the project file for a client's instructions, if it is installed together with others."""
    client, main = CLIENTS[name], _main(CLIENTS[name])
    if client.fallback == "AGENTS.md":  # it reads AGENTS.md if its own file is missing, or refers to it
        own = read(place, main)
        return "AGENTS.md" if own is None or "@AGENTS.md" in own else main
    if client.instructions_setting and not FileSection(main, "").is_in(read(place, main) or ""):
        is_written = any(
            other == AGENTS or (other in CLIENTS and other != name and _reads_agents(other)) for other in others
        )
        if is_written or read(place, "AGENTS.md") is not None or is_set_to_agents(place, client):
            return "AGENTS.md"
    return main


def _reads_agents(name: str) -> bool:
    return _main(CLIENTS[name]) == "AGENTS.md"


def is_set_to_agents(place: InstallFolder, client: Client) -> bool:
    """Return whether a project's settings make a client read AGENTS.md."""
    return "AGENTS.md" in str(read_setting(place, *client.instructions_setting))


def read_setting(place: InstallFolder, path: str, *names: str) -> object:
    """Return one value of a settings file, JSON or TOML; None if there is none."""
    text = read(place, path) or ""
    try:
        value = tomllib.loads(text) if path.endswith(".toml") else parse(text).value
    except (JsoncError, ValueError, RecursionError):
        return None
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def read(place: InstallFolder, path: str) -> str | None:
    """Return the content of a file; None if it is missing or unreadable."""
    try:
        return places.read(place.find(path))
    except FileRefusedError:
        return None


def _key(place: InstallFolder, piece: Piece) -> tuple[Path | None, type]:
    try:
        return place.find(piece.path), type(piece)
    except FileRefusedError:
        return None, type(piece)


def _list_needed(place: InstallFolder, names: Iterable[str], *, user: bool) -> set[tuple[Path | None, type]]:
    """Return the shared files that other installed clients still need."""
    needed = set()
    for name in names:
        if is_installed(place, name, user=user):
            instructions = () if user else (instructions_of(place, name),)
            needed |= {
                _key(place, piece) for piece in list_pieces(name, user=user, mcp=True, instructions=instructions)
            }
    return needed


def is_installed(place: InstallFolder, name: str, *, user: bool) -> bool:
    """Return whether a client calls us: by its hooks, or by our plugin."""
    first = list_pieces(name, user=user, mcp=False)[0]
    text = read(place, first.path)
    return text is not None and first.is_in(text)


def apply(place: InstallFolder, pieces: Iterable[Piece], *, is_removal: bool) -> list[tuple[Path, InstallStep]]:
    """Return the steps for each file, in order of first use."""
    before: dict[Path, str | None] = {}
    after: dict[Path, str | None] = {}
    refused: dict[Path, str] = {}
    for piece in pieces:
        path = place.root / piece.path
        try:
            path = place.find(piece.path)
            if path not in before:
                before[path] = after[path] = places.read(path)
            text = after[path]
            if is_removal and text is not None:
                after[path] = _with_bom(piece.remove_from, text)
            elif not is_removal:
                after[path] = _with_bom(piece.apply_to, text)
            if after[path] != text:
                places.need_writable(path)
                _check(path, after[path])
        except FileRefusedError as err:
            refused.setdefault(path, str(err))
    changed = [path for path in before if before[path] != after[path]]
    statuses = place.describe(changed, is_removal=is_removal)
    steps = []
    for path in dict.fromkeys([*before, *refused]):
        step = _step(path, before.get(path), after.get(path), statuses.get(path, ""), refused.get(path, ""))
        if not is_removal or step.what != KEEP:
            steps.append((path, step))
    return steps


def _with_bom(change: object, text: str | None) -> str | None:
    assert callable(change)
    if text is None or not text.startswith(places.BOM):
        changed: str | None = change(text)
        return changed
    changed = change(text.removeprefix(places.BOM))
    return None if changed is None else places.BOM + changed


def _check(path: Path, text: str | None) -> None:
    """Refuse a TOML file that would become invalid, for example because it already has the same table."""
    if path.suffix != ".toml" or text is None:
        return
    try:
        tomllib.loads(text)
    except (ValueError, RecursionError) as err:
        raise FileRefusedError(f"was not changed: it is not valid TOML, or would not be afterwards ({err})") from err


def _step(path: Path, before: str | None, after: str | None, message: str, refused: str) -> InstallStep:
    if refused:
        return InstallStep(LEAVE, str(path), refused, before or "", before or "")
    if before == after:
        return InstallStep(KEEP, str(path), "already exists", before or "", before or "")
    if before is None:
        return InstallStep(ADD, str(path), message, "", after or "")
    return InstallStep(UPDATE if after is not None else REMOVE, str(path), message, before, after or "")
