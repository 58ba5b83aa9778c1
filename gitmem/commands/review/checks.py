"""The checks in a change: whether a command may run here, what earlier runs found, what a built-in check answers.

Built-in checks run nothing, so a review can evaluate old and new ones.
"""

from __future__ import annotations

from gitmem.commands.review import model as f
from gitmem.commands.review import sanitize
from gitmem.commands.review.changes import specs_of
from gitmem.document.builtin_checks import row_of
from gitmem.document.spec import check_of, claim_hash, format_spec, spec_hash
from gitmem.document.times import format_time
from gitmem.frozen import frozen, replace
from gitmem.index.catalog import fact_state
from gitmem.model import BUILTIN
from gitmem.verify.builtin_answers import conclude, files_of, known_elsewhere, look_into
from gitmem.verify.due import list_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gitmem.git import Git
    from gitmem.model import Check, Document, Verdict
    from gitmem.policy import Policy
    from gitmem.verify.approvals.clone import Trust
    from gitmem.verify.inputs import CodeTree

# What happened to a command whose text is unchanged.
_HOW = {f.ADDED: "is new", f.RESTORED: "comes back"}
NOT_APPROVED, APPROVED, DENIED, NOT_NEEDED = "not approved", "approved", "denied", "not needed"


def with_commands(
    changes: Sequence[f.MemoryChange],
    documents: Mapping[str, Document],
    policy: Policy,
    trust: Trust,
    verdicts: tuple[Mapping[str, Sequence[Verdict]], Mapping[str, Sequence[Verdict]]],
) -> list[f.MemoryChange]:
    """Return changes with what is known about their commands.

    Args:
        changes: The changes.
        documents: The memories after the change, by key.
        policy: The policy after the change, whose setup is part of each command.
        trust: The approvals of this clone and of a reviewed list.
        verdicts: By key, those of the memory branch after the change, and those of this clone.
    """
    changed_memories = []
    for change in changes:
        command, document = change.command, documents.get(change.key)
        spec = specs_of(document, policy) if command and document else None
        if command is not None and document is not None and spec is not None:
            name = spec_hash(spec)
            branch, local = (table.get(change.key, ()) for table in verdicts)
            counting = fact_state.merge_verdicts(branch, local, spec=name, claim=claim_hash(document))
            listed = list_line(name, change.key, format_spec(spec))
            approval = NOT_NEEDED if command.form == BUILTIN else _approval(trust, name, listed)
            history = _history(counting, [*branch, *local], name)
            change = replace(change, command=replace(command, approval=approval, history=history))  # noqa: PLW2901
        changed_memories.append(change)
    return changed_memories


def _approval(trust: Trust, spec: str, listed: str) -> str:
    if trust.denies(spec):
        return DENIED
    return APPROVED if trust.allows(spec, listed) else NOT_APPROVED


def _history(counting: Sequence[Verdict], known: Sequence[Verdict], spec: str) -> str:
    """Return what is known about runs of a command, one line."""
    verdict = fact_state.latest_of(counting)
    if verdict is None:
        of_others = fact_state.latest_of([v for v in known if v.spec == spec])
        if of_others is None:
            return "never run, according to the branch"
        return f"run for another wording of this memory, where it {_claim_text(of_others)}"
    who = "recorded in this clone" if verdict.own else "claimed by a file on the branch"
    return f"{_claim_text(verdict)}, {who}"


def _claim_text(verdict: Verdict) -> str:
    on = f" on {sanitize.line(verdict.sandbox, limit=40)}" if verdict.sandbox else ""
    weak = ", and it also holds in an empty folder" if verdict.weak else ""
    because = f" ({sanitize.line(verdict.because)})" if verdict.because else ""
    return f"{verdict.outcome} at {verdict.commit[:12]}{because} on {format_time(verdict.at)}{on}{weak}"


def look_at_commands(changes: Sequence[f.MemoryChange]) -> Iterator[f.ReviewFinding]:
    """Yield commands that a person must read, and the permissions that they request."""
    for change in changes:
        command = change.command
        if command is None or command.form == BUILTIN or change.what == f.RETIRED:
            continue
        how = "changed" if command.was else _HOW.get(change.what, "changed")
        if command.approval != APPROVED:
            hint = f"read it; after merging the change: gitmem trust {change.key}"
            message = f"a command that {how}, {command.approval} here; {command.history}"
            yield f.ReviewFinding(f.WARNING, "command", message, change.key, change.path, hint=hint)
        for request in command.asks:
            if request == "the network":
                message = "its command may use the network"
                yield f.ReviewFinding(f.WARNING, "asks-network", message, change.key, change.path)
            elif request.startswith("the variable"):
                message = f"its command sees {request} of the environment"
                yield f.ReviewFinding(f.WARNING, "asks-variables", message, change.key, change.path)


@frozen
class CodeAnswer:
    """A built-in check's answer about the code.

    Attributes:
        outcome: ``holds``, ``fails`` or ``blocked``.
        because: The reason, one line.
        files: The files that it searches, by path.
        having: The number of them that contain what it looks for; 0 for a check of another kind.
    """

    outcome: str
    because: str
    files: frozenset[str]
    having: int

    @property
    def sentence(self) -> str:
        """Return it as a sentence: ``holds: src/a.py:3 contains 'x'; it also holds in 22 other files``."""
        others = self.having - 1
        more = f"; it also holds in {others} other file{'s' * (others != 1)}" if others > 0 else ""
        return f"{self.outcome}: {self.because}{more}"


class CodeAnswers:
    """Evaluates built-in checks on one commit of the code, each once; files are read together."""

    def __init__(self, git: Git, tree: CodeTree | None, checks: Iterable[Check]) -> None:
        """Evaluate built-in checks on the code; without a tree, nothing is known."""
        self._answers: dict[Check, CodeAnswer] = {}
        if tree is None:
            return
        files = {check: files_of(tree, check) for check in dict.fromkeys(checks)}
        findings = look_into(git, files)
        for check, entries in files.items():
            answer = conclude(check, entries, findings[check], known_elsewhere(tree, check))
            row = row_of(check)
            having = sum(map(bool, findings[check].values())) if row.is_about_any and not row.is_denial else 0
            paths = frozenset(entry[2] for entry in entries)
            self._answers[check] = CodeAnswer(answer.outcome, sanitize.line(answer.because), paths, having)

    def find(self, check: Check | None) -> CodeAnswer | None:
        """Return a check's answer; None if unknown."""
        return self._answers.get(check) if check is not None and check.form == BUILTIN else None


def with_answers(
    changes: Sequence[f.MemoryChange], documents: Mapping[str, Document], answers: CodeAnswers
) -> list[f.MemoryChange]:
    """Return changes with the answers of their built-in checks."""
    found = []
    for change in changes:
        document = documents.get(change.key)
        answer = answers.find(check_of(document)) if change.command and document else None
        if answer is not None and change.command is not None:
            change = replace(change, command=replace(change.command, answer=answer.sentence))  # noqa: PLW2901
        found.append(change)
    return found
