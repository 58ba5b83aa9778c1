"""Show relevant memories before work starts: failed attempts, decisions, how similar things were built.

Decisions come before patterns, and memories of the same story before those that only match its words. A role reads
its kinds and critical memories (AI Memory Module, "Agent Memory Summary Table"). Whole entries within a budget, fenced
as data.
"""

from __future__ import annotations

import json

from gitmem.commands.context.parts import compose, part_of
from gitmem.errors import UsageError
from gitmem.frozen import frozen, replace
from gitmem.index.catalog.agent_text import MemoryText, Part, one_line
from gitmem.model import FAILED, SUMMARY, TASK
from gitmem.plugins.workflow import decisions
from gitmem.plugins.workflow.step import component_tag, worker_role
from gitmem.policy.kinds import WORK
from gitmem.recall import inventory
from gitmem.recall.query import Query, RecallResult
from gitmem.repository.roles import read_by
from gitmem.tasks.digest import FAILURES, FailedAttempt, failures
from gitmem.tasks.task import task_from
from gitmem.text.budget import count_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from gitmem.index.catalog import Catalog
    from gitmem.model import Hit
    from gitmem.plugins.workflow.step import WorkflowStep
    from gitmem.repository import OpenRepository

# The kinds that say what was done.
DONE = (SUMMARY, "outcome")
# The kinds that show how to build something, for a role without preferences.
PATTERNS = (
    *("code_pattern", "pattern", "recipe", "anti_pattern", "gotcha", "mistake_pattern", "best_practice", "convention"),
    *("principle", "codebase_knowledge", "preference"),
)
# What agents noted, which says less than a pattern: it is shown with the rest.
LEARNED = "learned"
# The most of a task's text used as a query.
QUERY_CHARS = 2000
# How many more hits of a query for all kinds are examined, since some are shown already.
WIDER = 4


@frozen
class Work:
    """The work to prepare for.

    Attributes:
        text: Its description, or the key of a task; empty if the story says it.
        step: Role, story and component.
        paths: The files it is about.
        limit: The most memories per part; 0 = the policy's.
        budget_tokens: 0 = the role's, or the policy's.
    """

    text: str
    step: WorkflowStep
    paths: tuple[str, ...] = ()
    limit: int = 0
    budget_tokens: int = 0


@frozen
class PreWork:
    """The context that an agent gets before a job.

    Attributes:
        query: The query.
        task: The store's task that it is about, or empty.
        role: The role, or empty.
        budget_tokens: The budget of the text.
        parts: Its parts, most important first.
        hits: Its memories, by reference.
        text: All parts, fenced; empty if there are none.
    """

    query: str
    task: str
    role: str
    budget_tokens: int
    parts: tuple[Part, ...]
    hits: dict[str, Hit]
    text: str

    def table(self) -> dict[str, Any]:
        """Return the documented JSON."""
        return {
            "query": self.query,
            "task": self.task,
            "role": self.role,
            "budget_tokens": self.budget_tokens,
            "tokens": count_tokens(self.text),
            "parts": [self._part(part) for part in self.parts],
            "text": self.text,
        }

    def _part(self, part: Part) -> dict[str, Any]:
        items = [
            {"key": entry.key, "status": entry.status, "text": entry.text, **self._hit_fields(entry.key)}
            for entry in part.entries
        ]
        return {"name": part.heading, "items": items, "more": part.more, "rest": part.rest}

    def _hit_fields(self, key: str) -> dict[str, Any]:
        hit = self.hits.get(key)
        return {"kind": hit.kind, "title": hit.title, "scope": hit.scope, "store": hit.store} if hit else {}


def pre_work(repository: OpenRepository, work: Work, *, recall: Callable[[Query], RecallResult]) -> PreWork:
    """Return the memories relevant to some work.

    Args:
        repository: The store.
        work: The work.
        recall: Runs a query.

    Raises:
        UsageError: The work is not described.
    """
    policy, catalog = repository.policy(), repository.catalog()
    task = _find_task(catalog, work)
    story = work.step.story or (task[0] if task else "")
    query = _query(work, task)
    if not query and not story:
        raise UsageError(
            "pre-work needs a description of the work", hint='gitmem pre-work "the work you are about to start"'
        )
    name, role = worker_role(policy, repository.config.role, work.step.role)
    if work.step.role and role is None:
        repository.notices.append(f"the policy has no role {name}; choose one of {', '.join(sorted(policy.roles))}")
    limit = work.limit or policy.workflow.limit
    budget = work.budget_tokens or (role.budget_tokens if role else 0) or policy.workflow.budget_tokens
    # Kinds in a role's own row are read from any collection (AI Memory Module, "Agent Memory Summary Table").
    own = role.kinds if role else ()
    unread = tuple(kind for kind in policy.unread(WORK) if kind not in own)
    held = (task[0],) if task else ()
    question = Query(text=query, limit=limit, near=work.paths, held=held, reader="", unread=unread)
    decided = tuple(kind for kind in decisions.KINDS if not own or kind in own)
    preferred = tuple(kind for kind in own if kind not in (*decided, *DONE, LEARNED)) if own else PATTERNS
    seek = _Seek(repository, question, story, recall)
    groups = [("DECISIONS", seek.of_kinds(decided)), ("PATTERNS", seek.of_kinds(preferred))]
    rest = seek.others((*decided, *preferred))
    read = read_by(repository, (*own, TASK) if own else (), rest.hits)
    also = tuple(hit for hit in rest.hits if hit.reference in read)
    groups.append(("ALSO RELEVANT", RecallResult(also[:limit], len(also[limit:]))))
    if left := len(rest.hits) - len(also):
        repository.notices.append(f"the role {name} does not read {left} of the memories that fit best: gitmem recall")
    related = [hit.key for _, result in groups for hit in result.hits if hit.kind == TASK]
    parts = [_failed_attempts(catalog, task, work.paths, related, now=repository.now)]
    parts += [part_of(repository, heading, result) for heading, result in groups]
    fitted, text = compose(repository, parts, budget)
    hits = {hit.reference: hit for _, result in groups for hit in result.hits}
    return PreWork(query, task[0] if task else "", name if role else "", budget, fitted, hits, text)


def _find_task(catalog: Catalog, work: Work) -> tuple[str, str, dict[str, Any]] | None:
    """Return key, text and frontmatter of the task that the work is about; None if it is not a task here."""
    names = (work.step.story.strip(), work.text.strip())
    return next(filter(None, (_read_task(catalog, name) for name in names)), None)


def _read_task(catalog: Catalog, key: str) -> tuple[str, str, dict[str, Any]] | None:
    row = catalog.row(
        "SELECT m.key, m.title, t.body, t.fields FROM memory m JOIN text t ON t.id = m.id"
        " WHERE m.key = ? AND m.kind = ? AND m.shadowed = 0 AND m.archived = 0",
        (key, TASK),
    )
    return (row[0], f"{row[1]}\n{row[2]}", json.loads(row[3])) if row else None


def _query(work: Work, task: tuple[str, str, dict[str, Any]] | None) -> str:
    typed = "" if task and work.text.strip() == task[0] else work.text
    words = [typed, task[1] if task else "", component_tag(work.step.component).replace("-", " ")]
    return " ".join(" ".join(filter(None, words)).split())[:QUERY_CHARS]


class _Seek:
    """Finds memories group by group, each memory once."""

    def __init__(
        self, repository: OpenRepository, query: Query, story: str, recall: Callable[[Query], RecallResult]
    ) -> None:
        self._memory, self._asked, self._recall = repository, query, recall
        self._catalog = repository.catalog()
        rows = self._catalog.rows("SELECT id FROM memory WHERE task = ?", (story,)) if story else []
        self._of_story = {row[0] for row in rows}
        self._seen = set(query.held)

    def of_kinds(self, kinds: Sequence[str]) -> RecallResult:
        """Return memories of the story, newest first, then those that match its words."""
        read = tuple(kind for kind in kinds if kind not in self._asked.unread)
        if not read:
            return RecallResult((), 0)
        query = replace(self._asked, kinds=read)
        return self._unite(query, self._newest(query), lambda hit: True)

    def others(self, grouped_kinds: Sequence[str]) -> RecallResult:
        """Return the rest, of kinds without a group of their own; it may exceed the limit."""
        wide = replace(self._asked, limit=WIDER * self._asked.limit)
        return self._unite(wide, self._newest(wide), lambda hit: hit.kind not in grouped_kinds)

    def _newest(self, query: Query) -> list[Hit]:
        if not self._of_story:
            return []
        ground = self._memory.ground(self._catalog)
        with self._catalog.reading():
            result = inventory.newest(
                self._catalog, ground, replace(query, text=""), now=self._memory.now, among=self._of_story
            )
        return list(result.hits)

    def _unite(self, query: Query, own: list[Hit], is_meant: Callable[[Hit], bool]) -> RecallResult:
        fit = self._recall(query) if query.text else None
        hits = [hit for hit in (*own, *(fit.hits if fit else ())) if is_meant(hit)]
        fresh = list({hit.reference: hit for hit in hits if hit.reference not in self._seen}.values())
        first = fresh[: query.limit]
        self._seen.update(hit.reference for hit in first)
        return RecallResult(tuple(first), len(fresh) - len(first) + (fit.more if fit and query.kinds else 0))


def _line(text: str) -> str:
    return one_line(text) or "without a reason"


def _failures_of(task: tuple[str, str, dict[str, Any]] | None) -> list[FailedAttempt]:
    if task is None:
        return []
    attempts = [attempt for attempt in task_from(task[0], task[2]).past_attempts if attempt.outcome == FAILED]
    return [FailedAttempt(task[0], task[1].split("\n")[0], attempt.num, attempt.notes) for attempt in attempts]


def _failed_attempts(
    catalog: Catalog,
    task: tuple[str, str, dict[str, Any]] | None,
    paths: Sequence[str],
    related: Sequence[str],
    *,
    now: int,
) -> Part:
    """Return failed attempts at this task, at others about these files, and at related ones."""
    own = _failures_of(task)
    near = [
        failure for failure in failures(catalog, (), paths, now=now, others=0) if not task or failure.key != task[0]
    ]
    known = {attempt.key for attempt in (*own, *near)}
    rest = [failure for key in related if key not in known for failure in _failures_of(_read_task(catalog, key))[:1]]
    failed_attempts = [*own, *near, *rest]
    entries = tuple(
        MemoryText(
            f"- [{past.key}] (task) attempt {past.num} at {_line(past.title)!r} failed: {_line(past.notes)}",
            past.key,
        )
        for past in failed_attempts[:FAILURES]
    )
    return Part(
        "FAILED BEFORE", entries, max(0, len(failed_attempts) - FAILURES), f"gitmem task show {task[0]}" if task else ""
    )
