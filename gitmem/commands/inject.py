"""Pass a learning on: a lead writes it into one worker's memory, or into the shared one."""

from __future__ import annotations

from gitmem.commands.remember import remember
from gitmem.document.api_options import set_values
from gitmem.errors import RefusedError
from gitmem.frozen import replace
from gitmem.policy.kinds import WORKFLOW
from gitmem.repository.private import open_private
from gitmem.repository.roles import author_fields
from gitmem.text import display
from gitmem.text.slugs import slug
from gitmem.write.draft import make_draft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from gitmem.repository import OpenRepository
    from gitmem.write.new_memory import NewMemory
    from gitmem.write.place import Change

# agent-swarm, "Memory Categories"; each is a kind of memory.
CATEGORIES = ("mistake-pattern", "best-practice", "codebase-knowledge", "preference")
ANYBODY = "*"
# How readers see who wrote it.
LEAD = "lead"


def inject(
    repository: OpenRepository, new: NewMemory, *, category: str, worker: str = "", force: bool = False
) -> Change:
    """Write a learning for one worker, or for all; it is effective at once.

    Args:
        repository: The repository's memory.
        new: The learning.
        category: One of ``CATEGORIES``.
        worker: The agent whose private memory it goes into; empty for the project's memory, shared by all.
        force: Write it even if another memory says the same.

    Raises:
        RefusedError: The category or the agent's name is invalid, or the current agent is not a leading one.
        DuplicateError: Another memory of that store says the same.
    """
    _refuse(repository, category, worker)
    store = open_private(repository, agent=worker) if worker else repository
    if worker:  # private memories are never pushed
        repository.notices.append(
            f"{slug(worker)} sees it where it works in this clone; to reach it in another clone: --push"
        )
    return repository.with_notice(remember(store, _by_lead(repository, new, category), force=force))


def _by_lead(repository: OpenRepository, new: NewMemory, category: str) -> NewMemory:
    """Return a learning as it is written: of its category's kind, by a leading agent or a person."""
    fields = {**new.fields, "by": author_fields(repository, LEAD)}
    return replace(new, fields=fields, kind=kind_of(category), writer=WORKFLOW)


def send(
    repository: OpenRepository,
    new: NewMemory,
    push: Callable[[Mapping[str, Any]], str],
    *,
    category: str,
    worker: str,
) -> str:
    """Push a learning for a worker in another clone to the remote with *push*; return its ref there.

    Raises:
        RefusedError: As for ``inject``, or it is not a valid memory.
        NoRepositoryError: There is no remote.
        RemoteError: It cannot be reached, or refuses: nothing was sent.
    """
    _refuse(repository, category, worker)
    new = _by_lead(repository, new, category)
    make_draft(new, author=repository.author(), policy=repository.policy(), now=repository.now)
    named = {"text": new.text, "title": new.title, "kind": new.kind, "key": new.key}
    ref = push(set_values({**named, **new.fields}))
    repository.notices.append(
        f"{slug(worker)} gets it with the next gitmem sync of a clone where GITMEM_AGENT is {slug(worker)}"
    )
    return ref


def kind_of(category: str) -> str:
    """Return the kind of a category's memories."""
    return category.replace("-", "_")


def _refuse(repository: OpenRepository, category: str, worker: str) -> None:
    """Refuse an invalid category, sender or worker."""
    if category not in CATEGORIES:
        message = f"unknown category: {display(category)}"
        raise RefusedError(message, hint=f"choose one of {', '.join(CATEGORIES)}")
    if repository.config.leads and not leads(repository):
        message = f"the agent {display(repository.author().agent)} is not allowed to inject here"
        raise RefusedError(message, hint="a person can allow it: git config --add gitmem.leads NAME")
    if worker and not slug(worker):
        raise RefusedError(
            f"invalid agent name: {display(worker)!r}", hint="use --to NAME with the name in its GITMEM_AGENT"
        )


def leads(repository: OpenRepository) -> bool:
    """Return whether the current worker is a person, or a leading agent by this clone's settings."""
    agent, named = repository.author().agent, repository.config.leads
    return not agent or agent in named or ANYBODY in named
