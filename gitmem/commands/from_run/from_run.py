"""Write the memories of a finished run: all in one commit, or none with every reason."""

from __future__ import annotations

from gitmem.commands.from_run.run_file import read_run
from gitmem.errors import RefusedError
from gitmem.frozen import frozen, replace
from gitmem.policy.kinds import WORKFLOW, role_name
from gitmem.repository.roles import author_fields
from gitmem.store.layout import MEMORY_LIMIT
from gitmem.text.secrets import redact
from gitmem.write.draft import make_draft, refuse_typed, validate_draft
from gitmem.write.duplicates import FOLD
from gitmem.write.new_memory import NewMemory
from gitmem.write.place import Change
from gitmem.write.queue import Rehearsal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitmem.commands.from_run.run_file import RunMemory
    from gitmem.repository import OpenRepository
    from gitmem.store.commit import CommitPlan
    from gitmem.write.draft import Draft

# The author if neither the run nor a setting names one.
NAMELESS = "run"


@frozen
class RunResult:
    """The result for a run.

    Attributes:
        run: Its name, or empty.
        changes: The written and already known memories, each with its place in the file.
        refused: Place and reason for each refused one.
        commit: The commit, or the tip if nothing was written.
        is_written: Whether there is a new commit.
    """

    run: str
    changes: tuple[tuple[str, Change], ...]
    refused: tuple[tuple[str, str], ...]
    commit: str
    is_written: bool


def from_run(repository: OpenRepository, raw: bytes, *, name: str, partial: bool) -> RunResult:
    """Write the memories of a run.

    Args:
        repository: The store.
        raw: The file (``run_file``).
        name: The run's name if the file does not give one; may be empty.
        partial: Whether to write the rest if some are refused.

    Raises:
        RefusedError: The file is invalid, or its name contains a secret.
    """
    policy = repository.policy()
    run = read_run(raw, policy)
    label = " ".join((run.name or name).replace(":", "-").split())[:100]
    for what, typed in (("the run's name", label), ("the run's role", run.role)):
        refuse_typed(what, typed, policy)
    drafts: list[tuple[str, Draft]] = []
    refused: list[tuple[str, str]] = []
    for item in run.items:
        try:
            drafts.append((item.where, _draft(repository, item, label, run.role)))
        except RefusedError as err:
            refused.append((item.where, redact(err.message)))
    return _write(repository, drafts, refused, label, partial=partial)


def _draft(repository: OpenRepository, item: RunMemory, label: str, role: str) -> Draft:
    """Return one memory, checked.

    Raises:
        RefusedError: It is invalid.
    """
    if item.reason:
        raise RefusedError(item.reason)
    policy, by = repository.policy(), author_fields(repository, role_name(role))
    fields: dict[str, Any] = dict(item.fields or {})
    fields["by"] = {"who": by["who"], "agent": role_name(role) or NAMELESS, **by}
    who = repository.author()
    draft = make_draft(
        NewMemory(item.text, fields, item.title, item.kind, writer=WORKFLOW),
        author=who,
        policy=policy,
        now=repository.now,
    )
    document = validate_draft(draft, policy)
    if len(document.text.encode("utf-8")) > MEMORY_LIMIT:
        raise RefusedError(f"it is larger than the {MEMORY_LIMIT} bytes of a memory")
    # Added after the rules ran: the run is not a line of code.
    refs = {"refs": [*draft.fields.get("refs", ()), f"run {label}"]} if label else {}
    return replace(draft, fields={**draft.fields, **refs})


def _write(
    repository: OpenRepository,
    drafts: list[tuple[str, Draft]],
    refused: list[tuple[str, str]],
    label: str,
    *,
    partial: bool,
) -> RunResult:
    writer, policy = repository.writer(), repository.policy()
    done: list[tuple[str, dict[str, Any]]] = []
    late: list[tuple[str, str]] = []

    def plan(tip: str | None) -> CommitPlan | None:
        catalog = repository.catalog_at(tip)
        done.clear()
        late.clear()
        writer.planned.clear()
        with Rehearsal(catalog, writer.planned) as rehearsal:
            for where, draft in drafts:
                values: dict[str, Any] = {}
                try:
                    step = writer.plan_remember(catalog, draft, policy, done=values, again=FOLD)
                except RefusedError as err:
                    late.append((where, redact(err.message)))
                    continue
                done.append((where, values))
                if step is not None:
                    rehearsal.apply(step)
        if (refused or late) and not partial:
            return None
        keys = list(dict.fromkeys(values["key"] for _, values in done if values.get("is_written", True)))
        subject = f"memory: distil {label or 'a run'}, {len(keys)} memor{'y' if len(keys) == 1 else 'ies'}"
        return writer.plan_rehearsed(rehearsal, subject, keys, sources=[f"run {label}"] if label else ())

    written = writer.write(plan, "remember --from-run") if drafts and (partial or not refused) else None
    commit = written.commit if written else repository.find_tip() or ""
    accepted = done if not (refused or late) or partial else []
    changes = tuple((where, Change(commit=commit, **fields)) for where, fields in accepted)
    return RunResult(label, changes, tuple(sorted([*refused, *late], key=_place)), commit, written is not None)


def _place(one: tuple[str, str]) -> tuple[bool, int]:
    """Return an item's position in the file, for sorting: memories before attempts."""
    name, _, number = one[0].partition("[")
    return name == "attempts", int(number.rstrip("]"))
