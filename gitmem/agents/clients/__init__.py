"""One module per client: its table, how its payloads become events, its answers, and its transcripts."""

from __future__ import annotations

from gitmem.agents import CLIENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from gitmem.agents.clients.client import Client


def load(name: str) -> ModuleType:
    """Return the module of one of ``CLIENTS``."""
    # ``importlib`` costs 0.5 ms (measured), on every hook.
    found: ModuleType = __import__(f"gitmem.agents.clients.{name.replace('-', '_')}", fromlist=("parse",))
    return found


def find_table(name: str) -> Client | None:
    """Return the table of a client; None if it is not one of ``CLIENTS``."""
    return load(name).CLIENT if name in CLIENTS else None


def tables() -> dict[str, Client]:
    """Return the tables of all clients, by name, in the order of ``CLIENTS``."""
    return {name: load(name).CLIENT for name in CLIENTS}


def tables_without_hooks() -> dict[str, Client]:
    """Return the tables of clients without an adapter, by name."""
    from gitmem.agents.clients.plain import TABLES  # not on every hook

    return TABLES


def has_transcripts(name: str) -> bool:
    """Return whether the transcripts of a client can be read."""
    table = find_table(name)
    return table is not None and bool(table.sessions)
