"""One module per client: its table, how its payloads become events, its answers, and its transcripts.

The files of this folder are the list of clients: a new one is known everywhere as soon as its file is here. Only the
client that matters is loaded, because hooks and ``recall`` start often: what a client is known by (its variables and
programs) begins with the first word of its name, so that the other files need not be opened.
"""

from __future__ import annotations

import os

from gitmem.config import variable, variable_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from gitmem.agents.client import Client

# The clients with an adapter, by their names in ``gitmem install`` and ``gitmem hook``; sorted.
CLIENTS = tuple(
    sorted(
        file[:-3].replace("_", "-")
        for folder in __path__
        for file in os.listdir(folder)
        if file.endswith(".py") and not file.startswith("_")
    )
)
# What begins the variables of a client if it is not its name.
OTHER_STARTS = {"auggie": "augment"}
# Variables that only show that some agent runs the command: gitmem's own, the common conventions, and those of clients
# without an adapter.
AGENT_VARIABLES = (
    *("GITMEM_AGENT", "GITMEM_RUN", "GITMEM_HOOK", "AGENT", "AI_AGENT"),
    *("AMP_CURRENT_THREAD_ID", "ANTIGRAVITY_AGENT", "CRUSH", "GOOSE_TERMINAL", "IFLOW_CLI"),
    *("JUNIE_DATA", "ROO_ACTIVE", "TRAE_AI_SHELL_ID"),
)
# The programs of agents without an adapter.
AGENT_PROGRAMS = ("aider", "amp", "crush", "goose", "iflow", "kiro-cli", "openhands")
SESSION_LIMIT = 80


def load(name: str) -> ModuleType:
    """Return the module of one of ``CLIENTS``."""
    # ``importlib`` costs 0.5 ms (measured), on every hook.
    module: ModuleType = __import__(f"gitmem.agents.clients.{name.replace('-', '_')}", fromlist=("parse",))
    return module


def find_table(name: str) -> Client | None:
    """Return the table of a client; None if it is not one of ``CLIENTS``."""
    return load(name).CLIENT if name in CLIENTS else None


def tables() -> dict[str, Client]:
    """Return the tables of all clients, by name, in the order of ``CLIENTS``."""
    return {name: load(name).CLIENT for name in CLIENTS}


def tables_without_hooks() -> dict[str, Client]:
    """Return the tables of clients without an adapter, by name."""
    from gitmem.agents.clients_without_hooks import TABLES  # not on every hook

    return TABLES


def all_tables() -> dict[str, Client]:
    """Return the tables of all clients, by name: first those with an adapter."""
    return tables() | tables_without_hooks()


def find_name(name: str) -> str:
    """Return the client that has a name or an alias; empty if there is none."""
    if name in CLIENTS:
        return name
    return next((client for client in _near(name) if name in load(client).CLIENT.aliases), "")


def has_transcripts(name: str) -> bool:
    """Return whether the transcripts of a client can be read."""
    table = find_table(name)
    return table is not None and bool(table.sessions)


def agent_variable() -> str:
    """Return the variable that shows that an agent runs this process; else an empty string."""
    for _, table in _set_here():
        if variable_name := _sign_of(table):
            return variable_name
    return next(filter(variable, AGENT_VARIABLES), "")


def agent_client() -> str:
    """Return the client whose agent runs this process, by its name in ``gitmem install``; else an empty string."""
    found = {name: table for name, table in _set_here() if any(map(variable, table.variables))}
    # A fork also sets the variables of what it was made from.
    originals = {table.fork_of for table in found.values()}
    return next((name for name in found if name not in originals), "")


def agent_session() -> str:
    """Return the session of the agent that runs this process, or an empty string if that is not known."""
    names = (table.session_variable for _, table in _set_here() if table.session_variable)
    session = next(filter(None, map(variable, names)), "")
    return session if len(session) <= SESSION_LIMIT and session.replace("-", "").isalnum() and session.isascii() else ""


def is_agent_program(name: str) -> bool:
    """Return whether a process of this name is an agent's program."""
    return name in AGENT_PROGRAMS or any(name in load(client).CLIENT.programs for client in _near(name))


def _near(name: str) -> list[str]:
    """Return the clients of which a program or an alias may have this name."""
    return [client for client in CLIENTS if name.startswith(_starts(client))]


def _starts(client: str) -> tuple[str, ...]:
    """Return what begins everything that a client is known by, in lower case: ``claude`` for ``claude-code``."""
    word = client.partition("-")[0]
    # A word of two letters begins others, too.
    return (OTHER_STARTS.get(client, word), word) if len(word) > 2 else (f"{word}_",)


def _set_here() -> list[tuple[str, Client]]:
    """Return the clients of which a variable may be set in this environment, with their tables."""
    starts = {client: _starts(client) for client in CLIENTS}
    every = tuple(start for some in starts.values() for start in some)
    names = [name for name in map(str.lower, variable_names()) if name.startswith(every)]
    known = [client for client in CLIENTS if any(name.startswith(starts[client]) for name in names)]
    return [(client, load(client).CLIENT) for client in known]


def _sign_of(table: Client) -> str:
    """Return the variable that shows that a client's agent runs this process; else an empty string."""
    if sign := next(filter(variable, table.variables), ""):
        return sign
    start = table.variable_prefix
    others = (name for name in variable_names() if start and name.startswith(start))
    return next((name for name in others if not name.removeprefix(start).startswith(table.own_settings)), "")
