"""What an agent may change over MCP: its own memories, and as a leading agent also those of others.

This prevents agents from changing each other's memories by mistake. It is not a security boundary: anyone who can start
this server can access the repository, and an agent chooses its own name.
"""

from __future__ import annotations

import json

from gitmem.commands.inject import leads
from gitmem.document.author import read_author
from gitmem.errors import NotFoundError, RefusedError
from gitmem.repository.holder import holder_of
from gitmem.store.scopes import PRIVATE
from gitmem.write.draft import Draft, automatic_key
from gitmem.write.place import find_known, settle_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.memory import Memory
    from gitmem.repository.open_store import OpenStore


def refuse_others(memory: Memory, typed: str, scope: str, what: str) -> str:
    """Return the full key of a memory if this agent may change it.

    Args:
        memory: The repository's memory.
        typed: The key, or a prefix of it.
        scope: The scope to look in, or empty.
        what: The intended action, for the error: ``delete it``.

    Raises:
        NotFoundError: There is no such memory.
        RefusedError: Someone else wrote it, and this agent is not a leading agent.
    """
    store, key = holder_of(memory.repository, typed, scope)
    if not _is_own(memory, store, key) and not leads(memory.repository):
        message = f"{key} was written by someone else: only its author or a leading agent may {what}"
        raise RefusedError(
            message, hint="ask a person to do it, or to make you a leading agent: git config --add gitmem.leads NAME"
        )
    return key


def refuse_replacing(memory: Memory, key: str, scope: str) -> None:
    """Refuse to replace a memory that this agent may not change.

    Raises:
        RefusedError: It may not.
    """
    try:
        held = holder_of(memory.repository, key, scope)[1] if memory.repository.has_store() else ""
    except NotFoundError:
        return
    if held == key:
        refuse_others(memory, key, scope, "replace it")


def refuse_known_fact(memory: Memory, title: str, body: str) -> None:
    """Refuse to propose another check for a fact that this agent may not change.

    Raises:
        RefusedError: It may not.
    """
    if not memory.repository.has_store():
        return
    text = body + "\n" if body else ""
    draft = Draft(automatic_key("fact", f"{title} {body}"), False, {"title": title, "kind": "fact"}, text)
    known = find_known(memory.repository.catalog(), settle_key(memory.repository.catalog(), draft).key)
    if known is not None:
        refuse_others(memory, known.key, "", "change its check")


def _is_own(memory: Memory, store: OpenStore, key: str) -> bool:
    if store.store.scope == PRIVATE:
        return True
    query = "SELECT t.fields FROM memory m JOIN text t ON t.id = m.id WHERE m.shadowed = 0 AND m.key = ?"
    row, me = store.catalog().row(query, (key,)), memory.repository.author()
    author = read_author(json.loads(row[0]) if row else {})
    return bool(author.names) and (author.who, author.agent) == (me.who, me.agent)
