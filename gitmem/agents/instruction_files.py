"""Which clients load which instruction files of a project, for which folder, and how long these are. Pure."""

from __future__ import annotations

import posixpath
import re
from fnmatch import translate
from functools import cache

from gitmem.agents.clients import all_tables
from gitmem.frozen import frozen
from gitmem.text.budget import count_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from gitmem.agents.client import Client


@frozen
class LoadedDocument:
    """An instruction file that clients load.

    Attributes:
        path: Its path.
        folder: The folder that it is for; empty for the whole project.
        tokens: Its estimated length.
        clients: The titles of the clients that load it, in the order of their tables.
        excess: What some of these clients leave out, as sentences without a full stop.
    """

    path: str
    folder: str
    tokens: int
    clients: tuple[str, ...]
    excess: tuple[str, ...] = ()


def list_loaded(texts: Mapping[str, str], settings: Mapping[str, str] | None = None) -> list[LoadedDocument]:
    """Return the instruction files among some documents, sorted by folder and path, without those that no client loads.

    Files that an agent opens on demand, such as skills, commands and sub-agents, are left out.

    Args:
        texts: The texts of the project's documents, by path.
        settings: The texts of the settings files in which clients name their instructions, by path.
    """
    loads: dict[str, list[Client]] = {}
    folders: dict[str, str] = {}
    for client in all_tables().values():
        for path, folder in _documents_of(client, texts, settings or {}):
            loads.setdefault(path, []).append(client)
            folders[path] = folder
    return [
        LoadedDocument(
            path,
            folders[path],
            count_tokens(texts[path]),
            tuple(client.title for client in clients),
            tuple(filter(None, (_excess(client, path, loads, folders, texts) for client in clients))),
        )
        for path, clients in sorted(loads.items(), key=lambda item: (folders[item[0]], item[0]))
    ]


def _documents_of(client: Client, texts: Mapping[str, str], settings: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the documents that a client loads, each with its folder."""
    globs = list(client.documents)
    main = client.documents[0] if client.documents else ""
    if client.fallback and (main not in texts or f"@{client.fallback}" in texts[main]):
        globs.append(client.fallback)
    if client.instructions_setting and "AGENTS.md" in settings.get(client.instructions_setting[0], ""):
        globs.append("AGENTS.md")
    for path in texts:
        match = next((match for match in (_pattern(glob)(path) for glob in globs) if match), None)
        if match is not None:
            yield path, (match["folder"] or "").rstrip("/")


@cache
def _pattern(glob: str) -> Callable[[str], re.Match[str] | None]:
    """Return what matches the paths of a glob: its group ``folder`` is the folder that a document is for."""
    folder = "(?P<folder>)" if glob.startswith("/") else "(?P<folder>(?:.*/)?)"
    return re.compile(f"{folder}{translate(glob.lstrip('/'))}").match


def _excess(
    client: Client,
    path: str,
    loads: Mapping[str, Sequence[Client]],
    folders: Mapping[str, str],
    texts: Mapping[str, str],
) -> str:
    """Return how a document exceeds a limit of a client; empty if it does not."""
    if client.limit_characters and len(texts[path]) > client.limit_characters:
        return f"{client.title} loads {client.limit_characters:,} of its {len(texts[path]):,} characters"
    if not client.limit_bytes:
        return ""
    above = [load for load in loads if client in loads[load] and _is_above(folders[load], folders[path])]
    size = sum(len(texts[upper].encode("utf-8", "surrogateescape")) for upper in above)
    if size <= client.limit_bytes:
        return ""
    with_others = " with the files above it" if len(above) > 1 else ""
    return f"{client.title} loads {client.limit_bytes:,} bytes, and it has {size:,}{with_others}"


def _is_above(folder: str, other: str) -> bool:
    return folder in ("", other) or posixpath.join(other, "").startswith(posixpath.join(folder, ""))
