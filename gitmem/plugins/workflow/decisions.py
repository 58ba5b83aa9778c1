"""Store decisions and load them: by query, role, story and component."""

from __future__ import annotations

import json

from gitmem.commands.context.parts import compose, part_of
from gitmem.commands.remember import remember
from gitmem.document.author import read_author
from gitmem.frozen import frozen, replace
from gitmem.plugins.workflow.step import WorkflowStep, component_tag
from gitmem.policy.kinds import role_name
from gitmem.recall import inventory
from gitmem.recall.query import Query, RecallResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from gitmem.repository import OpenRepository
    from gitmem.write.new_memory import NewMemory
    from gitmem.write.place import Change

# AI Memory Module, collection `discussions`: "Workflow decisions", "Agent reasoning".
KINDS = ("decision", "discussion")
# The best hits of a query that are filtered by role and story.
LOOKED_THROUGH = 1000
# *limit* bounds the number of decisions; each is cut to the policy's ``max_memory_tokens``.
UNBOUNDED = 1 << 30
_LIVE = "m.shadowed = 0 AND m.archived = 0 AND m.superseded = 0 AND (m.expires IS NULL OR m.expires > ?)"


@frozen
class Decisions:
    """Decisions found.

    Attributes:
        found: The hits, best or newest first.
        fields: The frontmatter of each, by key.
        bodies: The text of each, by key.
        text: All of them for an agent, fenced; empty if there are none.
    """

    found: RecallResult
    fields: Mapping[str, Mapping[str, Any]]
    bodies: Mapping[str, str]
    text: str


def decide(repository: OpenRepository, new: NewMemory, step: WorkflowStep, *, force: bool = False) -> Change:
    """Write a decision.

    Args:
        repository: The store.
        new: The decision and its reason.
        step: Role, story and component.
        force: Write it even if another memory says the same.

    Raises:
        RefusedError: It cannot be written.
        DuplicateError: Another memory says the same.
    """
    new = replace(step.applied_to(repository, new), kind=KINDS[0])
    return repository.with_notice(remember(repository, new, force=force))


def load(
    repository: OpenRepository, query: str, step: WorkflowStep, *, limit: int, recall: Callable[[Query], RecallResult]
) -> Decisions:
    """Return the decisions that best match a query, or the newest ones without a query.

    Args:
        repository: The store.
        query: The query; empty for all.
        step: Only those of this role, story and component, as far as given.
        limit: The most decisions, >= 1.
        recall: Runs a query.
    """
    catalog = repository.catalog()
    tag = component_tag(step.component)
    question = Query(text=query, kinds=KINDS, tags=(tag,) if tag else (), limit=limit, scopes=("project",))
    if not query.strip():
        ground = repository.ground(catalog)
        with catalog.reading():
            among = _ids_of_step(repository, step) if step.role or step.story else None
            result = inventory.newest(catalog, ground, question, now=repository.now, among=among)
    elif step.role or step.story:
        paths = {
            row[0] for row in catalog.each("SELECT path FROM memory WHERE id IN ({})", _ids_of_step(repository, step))
        }
        wide = recall(replace(question, limit=LOOKED_THROUGH))
        hits = [hit for hit in wide.hits if hit.path in paths]
        result = replace(wide, hits=tuple(hits[:limit]), more=max(0, len(hits) - limit))
    else:
        result = recall(question)
    return _read_decisions(repository, result)


def _ids_of_step(repository: OpenRepository, step: WorkflowStep) -> set[int]:
    """Return the ids of the decisions of a role and story."""
    marks = ",".join("?" * len(KINDS))
    rows = repository.catalog().rows(
        f"SELECT m.id, m.task, t.fields FROM memory m JOIN text t ON t.id = m.id WHERE {_LIVE} AND m.kind IN ({marks})",
        (repository.now, *KINDS),
    )
    role, story = role_name(step.role), " ".join(step.story.split())
    return {
        number
        for number, task, fields in rows
        if (not story or task == story) and (not role or read_author(json.loads(fields)).role == role)
    }


def _read_decisions(repository: OpenRepository, result: RecallResult) -> Decisions:
    paths = {hit.path for hit in result.hits}
    rows = repository.catalog().each(
        "SELECT m.key, m.path, t.fields, t.body FROM memory m JOIN text t ON t.id = m.id WHERE m.key IN ({})",
        [hit.key for hit in result.hits],
    )
    read = {key: (json.loads(fields), body) for key, path, fields, body in rows if path in paths}
    text = compose(repository, [part_of(repository, "DECISIONS", result)], UNBOUNDED)[1] if result.hits else ""
    return Decisions(
        result, {key: pair[0] for key, pair in read.items()}, {key: pair[1] for key, pair in read.items()}, text
    )
