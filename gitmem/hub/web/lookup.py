"""Find memories for an identity: what it may not read does not exist for it, and each read of others' is noted."""

from __future__ import annotations

from threading import BoundedSemaphore
from time import time

from gitmem.document.builtin_checks import value_of
from gitmem.git.remotes import address_of
from gitmem.hub import links
from gitmem.hub.audit import foreign_reads
from gitmem.hub.reading import find_readable, find_text, find_texts, write_reads
from gitmem.hub.search import count_facets, search, status_of
from gitmem.model import FAILED
from gitmem.recall.query import SNIPPET
from gitmem.statuses import combine_status
from gitmem.text.tokens import query_terms, snippet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gitmem.hub.follower import SearchNode
    from gitmem.hub.identity import Identity
    from gitmem.hub.reading import Reading
    from gitmem.hub.search import HubQuery

# Memories that rest on others, in one answer.
DEPENDENTS = 100
# Searches that are ranked at once: Python runs one thread at a time, so more would only make each other wait.
_TURNS = BoundedSemaphore(1)


def find_hits(node: SearchNode, reading: Reading, identity: Identity, query: HubQuery) -> dict[str, Any]:
    """Return the answer to a query as documented JSON: the hits that the identity may read, best first.

    Raises:
        GitmemError: The database cannot be reached, or refuses.
    """
    visible = reading.visible(identity)
    repositories, suspicions = visible.repositories, visible.suspicions
    view, now = node.view(), int(time())
    with _TURNS:
        ranked = search(view, repositories, query, now=now, suspicions=suspicions)
        texts = view.texts([one.found for one in ranked])
        terms = {one.found.language: query_terms(query.text, one.found.language) for one in ranked}
        hits: list[dict[str, Any]] = []
        reads: dict[int, list[str]] = {}
        for one, shown in zip(ranked, texts, strict=True):
            if shown is None:  # it went
                continue
            found, (title, text) = one.found, shown
            number, language = found.repository_id, found.language
            why = suspicions.get((number, found.path))
            for other, keys in why.reads.items() if why is not None else ():
                reads.setdefault(other, []).extend(keys)
            reads.setdefault(number, []).append(found.key)
            passage, _ = snippet(text, terms[language], width=SNIPPET, language=language)
            hits.append(
                {
                    "repository": repositories[number].name,
                    "key": found.key,
                    "kind": found.kind,
                    "title": title,
                    "status": one.status,
                    "score": one.score,
                    "owner": found.fields["owner"],
                    "created": found.fields["created"],
                    "snippet": passage,
                }
            )
    reading.audit.note(foreign_reads(identity, "search", reads, visible.teams))
    answer = {"query": query.text, "hits": hits}
    if not query.with_facets:
        return answer
    with _TURNS:
        return answer | {"facets": count_facets(view, repositories, query, now=now, suspicions=suspicions)}


def find_memory(reading: Reading, identity: Identity, name: str, key: str) -> dict[str, Any] | None:
    """Return a memory of a repository as documented JSON; None if the identity may not read one of this key.

    Raises:
        GitmemError: The database cannot be reached, or refuses.
    """
    if "\0" in f"{name}{key}":  # PostgreSQL has no NUL
        return None
    now, visible = int(time()), reading.visible(identity)
    with reading.of(identity) as connection:
        text = find_text(connection, name, key)
        if text is None:
            return None
        number = text.repository_id
        why = visible.suspicions.get((number, text.path))
        why = why if why is not None and find_readable(connection, [why]) else None
        reads = {number: [key], **(why.reads if why else {})}
        write_reads(connection, foreign_reads(identity, "read", reads, visible.teams))
    status = status_of(text.status, text.fields, now)
    return {
        "repository": name,
        "key": text.key,
        "kind": text.kind,
        "status": combine_status(status, suspect=why is not None),
        "title": text.title,
        "frontmatter": text.fields["frontmatter"],
        "body": text.text,
        "why": list(why.chain) if why and status != FAILED else text.fields["why"],
        "hidden": text.fields["hidden"] or ("expired" if 0 < (text.fields["expires"] or 0) <= now else ""),
    }


def find_foundations(reading: Reading, identity: Identity, references: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Return what is known of memories that others require, as documented JSON, in the order of their names.

    Args:
        reading: The database.
        identity: Who asks: one that they may not read is left out like one that does not exist.
        references: The names of repositories, each with the key of a memory.

    Raises:
        GitmemError: The database cannot be reached, or refuses.
    """
    now, visible = int(time()), reading.visible(identity)
    reads: dict[int, list[str]] = {}
    known = []
    with reading.of(identity) as connection:
        texts = find_texts(connection, references)
        crossing = {name: visible.suspicions.get((text.repository_id, text.path)) for name, text in texts.items()}
        readable = find_readable(connection, [why for why in crossing.values() if why is not None])
        for name, text in sorted(texts.items()):
            why = crossing[name] if crossing[name] in readable else None
            status = status_of(text.status, text.fields, now)
            reads.setdefault(text.repository_id, []).append(text.key)
            for number, keys in why.reads.items() if why is not None else ():
                reads.setdefault(number, []).extend(keys)
            chain = list(why.chain) if why is not None and status != FAILED else text.fields["why"]
            status = combine_status(status, suspect=why is not None)
            value = value_of(text.fields["frontmatter"].get("verify"))
            known.append({"reference": name, "status": status, "value": value, "why": chain})
        write_reads(connection, foreign_reads(identity, "require", reads, visible.teams))
    return {"known": known}


def find_dependents(reading: Reading, identity: Identity, address: str, keys: Sequence[str]) -> dict[str, Any]:
    """Return the memories that rest on some of one repository, as documented JSON.

    Args:
        reading: The database.
        identity: Who asks: neither the repository nor a memory is found that they may not read.
        address: The address of the repository, as ``git.remotes.address_of`` returns it.
        keys: The keys of its memories.

    Raises:
        GitmemError: The database cannot be reached, or refuses.
    """
    visible = reading.visible(identity)
    with reading.of(identity) as connection:
        listed = connection.execute("SELECT name, url FROM hub.repository ORDER BY name")
        name = next((name for name, url in listed if address_of(url) == address), "")
        found = links.find_dependents(connection, name, keys) if name else []
        reads: dict[int, list[str]] = {}
        for dependent in found[:DEPENDENTS]:
            reads.setdefault(dependent.repository_id, []).append(dependent.key)
        write_reads(connection, foreign_reads(identity, "dependents", reads, visible.teams))
    fields = ("key", "kind", "title", "status", "chain")
    dependents = [
        {"repository": dependent.name} | {field: getattr(dependent, field) for field in fields}
        for dependent in found[:DEPENDENTS]
    ]
    return {"repository": name, "dependents": dependents, "more": len(found) - len(dependents)}
