"""Pass a learning on (D4): a lead writes it into one worker's memory, or into the memory that all of them share."""

from __future__ import annotations

from gitmem.commands.remember import remember
from gitmem.commands.workflow.step import signed
from gitmem.errors import RefusedError
from gitmem.repository.repository import open_private
from gitmem.text.sanitize import display
from gitmem.text.tokens import slug

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitmem.repository.repository import OpenRepository
    from gitmem.write.writer import Change

# agent-swarm, "Memory Categories"; each is a kind of memory.
CATEGORIES = ("mistake-pattern", "best-practice", "codebase-knowledge", "preference")
ANYBODY = "*"
# What a reader is told of who wrote it.
LEAD = "lead"


def inject(memory: OpenRepository, text: str, *, category: str, worker: str = "", **options: Any) -> Change:
    """Write a learning for one worker, or for all; it counts at once.

    Args:
        memory: The repository's memory.
        text: What is to be learned.
        category: One of ``CATEGORIES``.
        worker: The agent whose private memory it goes into; empty for all, who share the project's.
        options: ``title``, ``key``, and further fields, as for ``remember``.

    Raises:
        RefusedError: There is no such category, no agent can have this name, or it is an agent that does not lead.
        DuplicateError: Another memory of that store says it already.
    """
    if category not in CATEGORIES:
        message = f"unknown category: {display(category)}"
        raise RefusedError(message, hint=f"choose one of {', '.join(CATEGORIES)}")
    if memory.config.leads and not leads(memory):
        message = f"the agent {display(memory.author().agent)} is not allowed to inject here"
        raise RefusedError(message, hint="a person can allow it: git config --add gitmem.leads NAME")
    if worker and not slug(worker):
        raise RefusedError(
            f"invalid agent name: {display(worker)!r}", hint="use --to NAME with the name in its GITMEM_AGENT"
        )
    store = open_private(memory, agent=worker) if worker else memory
    if worker:  # private memories are pushed nowhere (D3)
        memory.notices.append(
            f"{slug(worker)} sees it where it works in this clone; to reach other clones: --all, then gitmem sync"
        )
    options["by"] = signed(memory, LEAD)
    return memory.with_notice(remember(store, text, kind=category.replace("-", "_"), **options))


def leads(memory: OpenRepository) -> bool:
    """Return whether who works here is a person, or an agent that this clone's settings name as one that leads."""
    agent, named = memory.author().agent, memory.config.leads
    return not agent or agent in named or ANYBODY in named
