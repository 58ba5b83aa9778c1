"""List the memories about files, in the order in which an agent is shown them when it touches these."""

from __future__ import annotations

from gitmem.index.catalog import refs_of, short_ids, wordings_of
from gitmem.model import Hit
from gitmem.recall.query import SNIPPET, Query, RecallResult
from gitmem.store.scopes import PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.commands.context.near import NearMemory
    from gitmem.repository import OpenRepository


def about_files(repository: OpenRepository, query: Query) -> RecallResult:
    """Return the project's memories about the files that a query is near, best first.

    Args:
        repository: The repository.
        query: Its ``near``, ``kinds`` and ``limit`` count.
    """
    from gitmem.commands.context.near import memories_near, names_in_file

    catalog = repository.catalog()
    ground = repository.ground(catalog)
    memories: dict[str, NearMemory] = {}
    for place in query.near:
        names = names_in_file(repository.git.repository.top, place)
        for near in memories_near(catalog, ground, place.strip("/"), names, now=repository.now):
            if (not query.kinds or near.kind in query.kinds) and (
                near.key not in memories or near.rank < memories[near.key].rank
            ):
                memories[near.key] = near
    shown = sorted(memories.values(), key=lambda near: near.rank)[: query.limit]
    refs, texts = (get(catalog, [near.number for near in shown]) for get in (refs_of, wordings_of))
    sql = "SELECT id, created, path FROM memory WHERE id IN ({})"
    rows = {row[0]: row[1:] for row in catalog.each(sql, [near.number for near in shown])}
    ids, hits = short_ids(catalog, memories), []
    for near in shown:
        (created, path), body = rows[near.number], texts[near.number][1]
        snippet = " ".join(str(body).split())[:SNIPPET]
        about = (near.key, near.kind, near.title, near.status.status, 0.0, PROJECT, snippet, created, path)
        hits.append(Hit(*about, refs=tuple(refs.get(near.number, ())), short_id=ids.get(near.key, "")))
    return RecallResult(tuple(hits), len(memories) - len(shown))
