"""Work on tasks: add, claim, close, fail, release. Each is one commit, planned on the tip while the lock is held.

If two workers claim one task at once, the second claim is planned on the first one's commit, and refused with its name.
"""

from __future__ import annotations

from gitmem.commands.remember import draft_of
from gitmem.document.parse import parse
from gitmem.document.spec import own_spec
from gitmem.document.times import format_time
from gitmem.errors import ConflictError, RefusedError, TrustError, UsageError
from gitmem.frozen import replace
from gitmem.model import OPEN, TASK
from gitmem.tasks import life, query
from gitmem.tasks.task import Task, task_of
from gitmem.write.draft import validate_draft, with_fields
from gitmem.write.place import find_known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from gitmem.model import Document, Verdict
    from gitmem.repository import OpenRepository
    from gitmem.tasks.task import Gate
    from gitmem.write.draft import Draft
    from gitmem.write.new_memory import NewMemory
    from gitmem.write.place import Change


def add(repository: OpenRepository, new: NewMemory, *, check: Callable[[Document], Sequence[str]]) -> Change:
    """Write a new task.

    Args:
        repository: The memory to write to.
        new: The task: its title is what should become true.
        check: Refuses a check that proves nothing, and returns notices about it.

    Raises:
        RefusedError: Such a task exists already, or there is no title, or the check can prove nothing.
    """
    if not new.title.strip():
        raise RefusedError("a task needs a title: one sentence that should become true")
    policy = repository.policy()
    draft = draft_of(repository, replace(new, kind=TASK, fields={"state": OPEN, **new.fields}))
    document = validate_draft(draft, policy)
    if document.fields.get("verify") is not None:
        repository.notices.extend(check(document))

    def refuse_known(settled: Draft) -> tuple[()]:
        # Checked under the lock: another task of this name must not overwrite the attempts.
        known = find_known(repository.catalog(), settled.key) if repository.find_tip() else None
        if known is not None and not known.archived:
            raise RefusedError(
                f"there is already {'such a task' if known.kind == TASK else 'a ' + known.kind}: {settled.key}",
                hint=f"change it: gitmem edit {settled.key}\nor give another key: --key NAME",
            )
        return ()

    change = repository.writer().remember(draft, policy, verb="task add", verdicts=refuse_known)
    _note_waits(repository, change.key)
    return change


def claim(repository: OpenRepository, key: str, *, note: str) -> tuple[Change, Task]:
    """Start an attempt; return the change, and the task before it with its attempts.

    Raises:
        TaskError: It is claimed or closed.
    """
    worker = query.worker_of(repository.git, repository.config.agent)
    done = _step(repository, key, "claim", lambda task, _: life.claim(task, worker, now=repository.now, note=note))
    _note_waits(repository, done[0].key)
    return done


def _note_waits(repository: OpenRepository, key: str) -> None:
    catalog = repository.catalog()
    waits = query.waits_of(catalog, repository.ground(catalog), key)
    if waits:
        repository.notices.append(f"{key} waits for {', '.join(waits)}")


def release(repository: OpenRepository, key: str, *, note: str, force: bool) -> Change:
    """Release a task; the attempt stays, marked as released.

    Raises:
        TaskError: It is not claimed, or by someone else.
    """
    worker = query.worker_of(repository.git, repository.config.agent)
    return _step(
        repository,
        key,
        "release",
        lambda task, _: life.release(task, worker, now=repository.now, note=note, force=force),
    )[0]


def fail(repository: OpenRepository, key: str, *, note: str) -> Change:
    """End the attempt as failed and open the task again.

    Raises:
        UsageError: There is no note.
        TaskError: It is claimed by someone else.
    """
    if not note.strip():
        raise UsageError(
            "a failed attempt needs a note for the next one: what went wrong",
            hint=f"gitmem task close {key} --failed --note WHY",
        )
    worker = query.worker_of(repository.git, repository.config.agent)
    return _step(repository, key, "fail", lambda task, _: life.fail(task, worker, now=repository.now, note=note))[0]


def close(
    repository: OpenRepository, key: str, *, reason: str, force: bool, gate: Callable[[Document], Gate]
) -> Change:
    """Close a task whose gate passes, with its verdict in the same commit if verdicts count here.

    Args:
        repository: The memory to write to.
        key: The task's full key.
        reason: What was done, or why nothing needs to be done.
        force: Close it although its gate fails or someone else has claimed it.
        gate: Runs the check.

    Raises:
        UsageError: It is forced without a reason.
        TaskError: The gate fails, or the task is not in a state to be closed.
        TrustError: The gate is a command that has not been approved here.
    """
    if force and not reason.strip():
        raise UsageError("closing by force needs a reason", hint=f"gitmem task close {key} --force --reason WHY")
    worker = query.worker_of(repository.git, repository.config.agent)
    document = parse(repository.text_of(key), path=f"{key}.md")
    task = task_of(document)
    life.refuse_closing(task, worker, forced=force)
    passed = gate(document)
    repository.notices.extend(passed.notices)
    if refusal := passed.refusal:
        if not force:
            # An unapproved command was not run: the way is to approve it, not to bypass it.
            if not isinstance(refusal, TrustError):
                refusal.hint += f"\nclose it anyway: gitmem task close {key} --force --reason WHY"
            raise refusal
        repository.notices.append(f"forced: {refusal.message}")

    def step(task: Task, now_is: Document) -> Mapping[str, Any]:
        if own_spec(now_is) != own_spec(document):
            raise ConflictError(f"the gate of {key} changed while it was running", hint="close it again")
        return life.close(task, worker, now=repository.now, reason=reason, forced=force)

    verdict = passed.verdict
    recorded = [verdict] if verdict is not None and passed.counts else []
    change = _step(repository, key, "close", step, verdicts=recorded)[0]
    if verdict is not None:
        repository.local.add_verdicts([verdict])
    left = query.open_parts(repository.catalog(), key)
    if left:
        repository.notices.append(f"parts of {key} are still open: {', '.join(left)}")
    return change


def _step(
    repository: OpenRepository,
    key: str,
    subject: str,
    step: Callable[[Task, Document], Mapping[str, Any]],
    *,
    verdicts: Sequence[Verdict] = (),
) -> tuple[Change, Task]:
    """Change a task as it is at the tip, whoever wrote last; return the task before the change."""
    seen: list[Task] = []
    path = f"{key}.md"

    def change(text: str) -> str:
        document = parse(text, path=path)
        task = task_of(document)
        seen[:] = [task]
        return with_fields(text, {**step(task, document), "updated": format_time(repository.now)}, path)

    done = repository.writer().edit(key, change, repository.policy(), subject=subject, verdicts=verdicts)
    return done, seen[0]
