"""The writer of an opened store, and the author of what it writes."""

from __future__ import annotations

from gitmem.agents.clients import agent_client, agent_session
from gitmem.errors import GitmemError
from gitmem.git.branches import likely_default
from gitmem.git.remotes import repository_name
from gitmem.store.scopes import PROJECT
from gitmem.store.trailers import code_trailers
from gitmem.write.draft import Author
from gitmem.write.writer import Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.repository.open_store import OpenStore


def writer_of(store: OpenStore) -> Writer:
    """Return a writer to one store."""
    writer = Writer(
        store.write_target(),
        catalog_at=store.catalog_at,
        written=store.follow_write,
        author=store.author(),
        now=store.now,
    )
    writer.code_trailers = lambda: _code_trailers(store)
    if store.config.embeds:
        writer.said.similar = lambda text: _similar(store, text)
    return writer


def _similar(store: OpenStore, text: str) -> list[tuple[str, float]]:
    from gitmem.index.embed.choose import need_numpy

    try:
        need_numpy(store.config.embed)
    except GitmemError as err:
        store.notices.append(f"near duplicates were found by words only: {err.message}")
        return []
    from gitmem.repository.query_vectors import similar

    return similar(store, text)


def _code_trailers(store: OpenStore) -> tuple[tuple[str, str], ...]:
    """Return the trailers that name the commit of the code: only the project's store is about this code."""
    if store.store.scope != PROJECT:
        return ()
    # Without the policy: it is read from the index, for which this write may be planned.
    return code_trailers(
        store.git, likely_default(store.git, configured=store.config.default_branch, remote=store.config.remote)
    )


def author_of(store: OpenStore) -> Author:
    """Return the author: the person as git names them, the agent and its session, and the current project."""
    session, project = agent_session(), repository_name(store.git, store.config.remote)
    more = (("session", session),) if session else ()
    agent = store.config.agent or agent_client()
    return Author(store.git.identity()[0], agent, project, more, store.git.repository.top or "")
