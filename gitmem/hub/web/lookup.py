"""Find memories for an identity: what it may not read does not exist for it, and each read of others' is noted."""

from __future__ import annotations

from time import time

from gitmem.hub.reading import find_text, note_reads, read_texts
from gitmem.hub.search import count_facets, search, status_of
from gitmem.recall import SNIPPET
from gitmem.text.tokens import query_terms, snippet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitmem.hub.follower import SearchNode
    from gitmem.hub.identity import Identity
    from gitmem.hub.reading import Reading
    from gitmem.hub.search import HubQuery


def find_hits(node: SearchNode, reading: Reading, identity: Identity, query: HubQuery) -> dict[str, Any]:
    """Return the answer to a query as documented JSON: the hits that the identity may read, best first.

    Raises:
        GitmemError: The database cannot be reached, or refuses.
    """
    with reading.of(identity) as connection:
        visible = reading.visible(connection, identity)
        repositories = {number: one for number, (one, _) in visible.items()}
        view, now = node.engine.view(), int(time())
        ranked = search(view, repositories, query, now=now)
        texts = read_texts(connection, [(one.found.repository_id, one.found.path) for one in ranked])
        hits: list[dict[str, Any]] = []
        reads: dict[int, list[str]] = {}
        for one in ranked:
            number = one.found.repository_id
            text = texts.get((number, one.found.path))
            if text is None:  # it went, or may no longer be read
                continue
            reads.setdefault(number, []).append(text.key)
            language = one.found.language
            shown, _ = snippet(text.text, query_terms(query.text, language), width=SNIPPET, language=language)
            hits.append(
                {
                    "repository": repositories[number].name,
                    "key": text.key,
                    "kind": text.kind,
                    "title": text.title,
                    "status": one.status,
                    "score": one.score,
                    "owner": text.owner,
                    "created": text.fields["created"],
                    "snippet": shown,
                }
            )
        note_reads(connection, identity, "search", reads, {number: team for number, (_, team) in visible.items()})
    answer = {"query": query.text, "hits": hits}
    return answer | {"facets": count_facets(view, repositories, query, now=now)} if query.with_facets else answer


def find_memory(reading: Reading, identity: Identity, name: str, key: str) -> dict[str, Any] | None:
    """Return a memory of a repository as documented JSON; None if the identity may not read one of this key.

    Raises:
        GitmemError: The database cannot be reached, or refuses.
    """
    if "\0" in f"{name}{key}":  # PostgreSQL has no NUL
        return None
    now = int(time())
    with reading.of(identity) as connection:
        text = find_text(connection, name, key)
        if text is None:
            return None
        visible = reading.visible(connection, identity)
        teams = {text.repository_id: visible[text.repository_id][1] if text.repository_id in visible else ""}
        note_reads(connection, identity, "read", {text.repository_id: [key]}, teams)
    return {
        "repository": name,
        "key": text.key,
        "kind": text.kind,
        "status": status_of(text.status, text.fields, now),
        "title": text.title,
        "frontmatter": text.fields["frontmatter"],
        "body": text.text,
        "why": text.fields["why"],
        "hidden": text.fields["hidden"] or ("expired" if 0 < (text.fields["expires"] or 0) <= now else ""),
    }
