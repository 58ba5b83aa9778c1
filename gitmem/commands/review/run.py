"""Review a change of the memory branch: the changed files, combined with the effects on the whole store.

It reads git objects, runs nothing and writes to no branch. The catalogs of the two states are cached by the app, so
their cost is paid once.
"""

from __future__ import annotations

from contextlib import closing

from gitmem.commands.review import link_effects, rules, sanitize, strength
from gitmem.commands.review import model as f
from gitmem.commands.review.changed_files import read_files
from gitmem.commands.review.changes import change_of, list_settings, look_at_policy, policy_at, read_memories
from gitmem.commands.review.checks import CodeAnswers, look_at_commands, with_answers, with_commands
from gitmem.commands.review.duplicates import compare
from gitmem.commands.review.makers import find_makers, find_unsigned
from gitmem.commands.review.span import ReviewSpan, find_code, find_span, list_authors, list_writers
from gitmem.commands.review.statuses import list_shifts, read_statuses
from gitmem.commands.review.word_diff import PairBudget
from gitmem.document.spec import check_of
from gitmem.errors import GitmemError
from gitmem.frozen import frozen, replace
from gitmem.git.objects import empty_tree
from gitmem.index.catalog import fact_state
from gitmem.model import BUILTIN, FAILED, SUSPECT, UNPROVEN, VERIFIED
from gitmem.repository.approvals import trust_of
from gitmem.repository.verification import reviewed_branch
from gitmem.store.code_folder import CODE_FOLDER, is_home, read_tree
from gitmem.store.layout import MEMORY, VERDICT
from gitmem.text import count_of
from gitmem.verify.claims import find_wrong
from gitmem.verify.due import KnownFacts
from gitmem.verify.inputs import CodeTree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from gitmem.commands.review.changed_files import FileChanges
    from gitmem.commands.review.changes import ChangedMemory
    from gitmem.git import Git
    from gitmem.index.catalog import Catalog
    from gitmem.policy import Policy
    from gitmem.repository import OpenRepository
    from gitmem.store.local import LocalState
    from gitmem.verify.approvals.clone import Trust


@frozen
class ReviewGround:
    """The review's inputs from the repository besides its objects.

    Attributes:
        git: The repository.
        ref: The memory branch, a full ref.
        upstream: The remote's, or empty.
        default: The code's default branch, a full ref; or empty.
        catalog_at: Returns the catalog of a commit of the store (empty: of nothing) with the memories of a commit of
            the code (empty: without them).
        local: The local state of this clone.
        trust: The approvals of this clone and of a reviewed list.
        now: Epoch seconds.
        allow: The rules of the secret scan that this person's configuration switches off.
    """

    git: Git
    ref: str
    upstream: str
    default: str
    catalog_at: Callable[[str, str], Catalog]
    local: LocalState
    trust: Trust
    now: int
    allow: tuple[str, ...] = ()


def ground_of(repository: OpenRepository, approved: str, catalog_at: Callable[[str, str], Catalog]) -> ReviewGround:
    """Return a review's inputs from an opened repository, with the commands approved in the list *approved*."""
    return ReviewGround(
        repository.git,
        repository.ref,
        repository.store.upstream or "",
        reviewed_branch(repository),
        catalog_at,
        repository.local,
        trust_of(repository, approved),
        repository.now,
        repository.config.secrets_allow,
    )


def review(ground: ReviewGround, typed: str = "", *, code: str = "") -> f.Review:
    """Review a change.

    Args:
        ground: The repository.
        typed: ``A..B``, ``A...B``, ``A``, or empty for unsynced changes.
        code: The commit of the code whose statuses are shown; empty for HEAD.

    Raises:
        GitmemError: One of the states, or the named code, is missing.
    """
    git = ground.git
    span = find_span(git, typed, ref=ground.ref, upstream=ground.upstream)
    at = find_code(git, code, span, default=ground.default)
    files = read_files(git, span.base, span.head)
    (before, was), (after, problem) = policy_at(git, span.base), policy_at(git, span.head)
    memories = read_memories(files)
    changes = _changes_of(memories, (before, after))
    findings = _look_one_by_one(ground, files, memories, after, list_writers(git, span))
    settings = list_settings(before, after)
    findings += look_at_policy(settings, problem if problem != was else "")
    verdicts, shifts, notes = _count_verdicts(files), tuple[f.Shift, ...](), span.notes
    proofs: tuple[f.NewVerdict, ...] = ()
    if files.left:
        # Too large to be reviewed as a whole: only the files are.
        notes = (*notes, "statuses, duplicates and links were not checked")
    else:
        tree, reason = _read_code(git, at)
        with closing(ground.catalog_at(span.base, at)) as old, closing(ground.catalog_at(span.head, at)) as new:
            catalogs = old, new
            changes = _look_as_a_whole(ground, memories, changes, after, findings, tree=tree, catalogs=catalogs)
            findings += _look_at_verdicts(ground, files, tree, new)
            makers = find_makers(git, new, files, span.head, reviewed=ground.default)
            proofs = makers.proofs
            findings += find_unsigned(makers, before, after)
            if tree is not None:
                shifts, reason = _list_shifts(ground, tree, catalogs, (before, after))
        findings += _look_at_shifts(shifts)
        findings += _look_at_claims(verdicts)
        notes = (*notes, f"statuses are not compared: {reason}") if reason else notes
    return f.Review(
        *(span.base, span.head, span.asked, at, *list_authors(git, span)),
        changes=tuple(sorted(changes, key=lambda change: (f.KINDS.index(change.what), change.key))),
        settings=settings,
        verdicts=verdicts,
        shifts=shifts,
        findings=f.in_order(tuple(findings)),
        notes=notes,
        fail_on=before.review.fail_on,
        proofs=proofs,
    )


def review_tracked(
    ground: ReviewGround, base: str, head: str, tip: str, *, policy: Policy
) -> tuple[f.ReviewFinding, ...]:
    """Review a code change's effects on the memories in its ``.memory/``; return findings, most severe first.

    Facts that become false or suspect are reported by ``gitmem check``, not here. *base* and *head* are commits of the
    code; *tip* is that of the memory branch, or empty, whose policy also applies to these memories.
    """
    git = ground.git
    trees = [read_tree(git, commit) for commit in (base, head)]
    files = read_files(git, trees[0], trees[1] or empty_tree(git))
    memories = read_memories(files)
    writers = list_writers(git, ReviewSpan(base, head, (base, head)), below=f"{CODE_FOLDER}/")
    findings = _look_one_by_one(ground, files, memories, policy, writers)
    if not files.left:
        changes, tree = _changes_of(memories, (policy, policy)), _read_code(git, head)[0]
        with closing(ground.catalog_at(tip, base)) as old, closing(ground.catalog_at(tip, head)) as new:
            _look_as_a_whole(ground, memories, changes, policy, findings, tree=tree, catalogs=(old, new))
    # A memory of the code may hide one of the memory branch with the same key: the check reports that.
    remaining = [finding for finding in findings if finding.code != "key-twice" or is_home(finding.path)]
    own = {file.path for file in files.files}
    return f.in_order(
        tuple(
            replace(finding, path=f"{CODE_FOLDER}/{finding.path}") if finding.path in own else finding
            for finding in remaining
        )
    )


def _changes_of(memories: Sequence[ChangedMemory], policies: tuple[Policy, Policy]) -> list[f.MemoryChange]:
    budget = PairBudget()
    return [change_of(memory, policies, budget) for memory in memories]


def _look_one_by_one(
    ground: ReviewGround,
    files: FileChanges,
    memories: Sequence[ChangedMemory],
    policy: Policy,
    writers: Mapping[str, set[tuple[str, str]]],
) -> list[f.ReviewFinding]:
    """Return the findings about each file and memory on its own."""
    findings = [*rules.look_at_files(files, ground.allow, ground.now)]
    for memory in memories:
        findings += rules.look_at_memory(memory, policy)
        findings += rules.look_at_author(memory, writers)
        findings += strength.look_at_fields(memory, policy)
        findings += strength.look_at_claim(memory)
    return [*findings, *_look_at_removed_verdicts(files)]


def _look_as_a_whole(
    ground: ReviewGround,
    memories: Sequence[ChangedMemory],
    changes: Sequence[f.MemoryChange],
    policy: Policy,
    findings: list[f.ReviewFinding],
    *,
    tree: CodeTree | None,
    catalogs: tuple[Catalog, Catalog],
) -> list[f.MemoryChange]:
    """Return the changes with what only the whole of both states shows; findings are added to *findings*."""
    documents = {m.key: m.new for m in memories if m.new}
    new = {m.key for m in memories if _is_new(m)}
    old, now = catalogs
    with old.reading(), now.reading():
        changes = _with_superseded(changes, link_effects.list_superseded(old, now))
        verdicts = fact_state.branch_verdicts(now, list(documents)), ground.local.verdicts(list(documents))
        changes = with_commands(changes, documents, policy, ground.trust, verdicts)
        successions = strength.list_successions(memories, old)
        checks = [check for document in documents.values() if (check := check_of(document)) is not None]
        questions = [*(c for c in checks if c.form == BUILTIN), *strength.checks_of(successions)]
        answers = CodeAnswers(ground.git, tree, questions)
        changes = with_answers(changes, documents, answers)
        findings += strength.look_at_checks(successions, answers)
        findings += look_at_commands(changes)
        findings += link_effects.look_at_links(old, now, set(documents))
        findings += link_effects.list_twice(now, set(documents))
        known = {finding.path for finding in findings if finding.severity == f.ERROR}
        findings += [finding for finding in link_effects.list_problems(old, now) if finding.path not in known]
        findings += _look_at_deletions(changes)
        findings += compare(now, new, threshold=policy.duplicates.threshold)
    return changes


def _read_code(git: Git, code: str) -> tuple[CodeTree | None, str]:
    """Return the files of a commit of the code; None and the reason if there is none, or it cannot be read."""
    if not code:
        return None, "there is no code here to compute them for; give it with --code REV"
    try:
        return CodeTree(git, code), ""
    except GitmemError as err:
        return None, _describe_unreadable(code, err)


def _describe_unreadable(code: str, error: GitmemError) -> str:
    return f"the code at {code[:12]} cannot be read ({sanitize.line(error.message)})"


def _is_new(changed: ChangedMemory) -> bool:
    """Return whether a memory is reworded, new or restored."""
    old, new = changed.old, changed.new
    if new is None or old is None:
        return new is not None
    if changed.key != old.key:
        return False
    names = "title", "verify"
    return changed.is_back or old.body != new.body or any(old.fields.get(n) != new.fields.get(n) for n in names)


def _with_superseded(
    changes: Sequence[f.MemoryChange], found: dict[str, tuple[str, str, str, str]]
) -> list[f.MemoryChange]:
    """Return changes with superseded memories, even if their own files did not change."""
    lines = []
    for change in changes:
        by = found.pop(change.key, None)
        if by is not None and change.what in (f.CHANGED, f.MOVED, f.SUPERSEDED):
            change = replace(change, what=f.SUPERSEDED, because=f"by {by[0]}" if by[0] else "")  # noqa: PLW2901
        lines.append(change)
    for key, (by_key, kind, title, path) in found.items():
        because = f"by {by_key}" if by_key else ""
        lines.append(f.MemoryChange(f.SUPERSEDED, key, kind, sanitize.line(title), path, because=because))
    return lines


def _look_at_deletions(changes: Sequence[f.MemoryChange]) -> Iterator[f.ReviewFinding]:
    for change in changes:
        if change.what == f.DELETED:
            message = "its file was deleted without retiring it: a missing file never means retired, and a merge may "
            message += "bring it back"
            hint = f"gitmem forget {change.key}"
            yield f.ReviewFinding(f.WARNING, "deleted", message, change.key, change.path, hint=hint)


def _count_verdicts(files: FileChanges) -> tuple[int, int, int]:
    """Return the number of new, changed and removed verdict files."""
    those = [file for file in files.files if file.place is not None and file.place.what == VERDICT]
    new = sum(not file.was_there for file in those)
    gone = sum(not file.is_there for file in those)
    return new, len(those) - new - gone, gone


def _look_at_removed_verdicts(files: FileChanges) -> Iterator[f.ReviewFinding]:
    """Yield removed verdict files whose memory is unchanged and has no replacing verdict."""
    known = {file.place.key for file in files.files if file.place and (file.is_there or file.place.what == MEMORY)}
    for file in files.files:
        if file.place is not None and file.place.what == VERDICT and file.place.key not in known:
            message = "its verdict is removed: clones that know it only from the branch forget it"
            hint = f"check it here: gitmem verify {file.place.key}"
            yield f.ReviewFinding(f.NOTE, "verdict-removed", message, file.place.key, file.path, hint=hint)


def _look_at_claims(verdicts: tuple[int, int, int]) -> Iterator[f.ReviewFinding]:
    """Yield a note on new and changed verdict files."""
    number = verdicts[0] + verdicts[1]
    if number:
        files = count_of(number, "verdict file comes", "verdict files come")
        message = f"{files} with the change: these verdicts are claims of their author"
        yield f.ReviewFinding(
            f.NOTE, "verdicts-claimed", message, path="verdicts", hint="check them here: gitmem verify --all"
        )


def _look_at_verdicts(
    ground: ReviewGround, files: FileChanges, tree: CodeTree | None, now: Catalog
) -> Iterator[f.ReviewFinding]:
    """Yield new verdicts of built-in checks that the code contradicts."""
    there = (file.place for file in files.files if file.is_there)
    keys = {place.key for place in there if place is not None and place.what == VERDICT}
    if not keys or tree is None:
        return
    try:
        claims = find_wrong(now, ground.local, tree, keys)
    except GitmemError:
        return  # the code cannot be read: the note on statuses reports that
    for wrong in claims:
        if wrong.key in keys:
            message, hint = sanitize.line(wrong.message), f"record the right one: gitmem verify --record {wrong.key}"
            yield f.ReviewFinding(f.ERROR, "wrong-verdict", message, wrong.key, wrong.path, hint=hint)


def _list_shifts(
    ground: ReviewGround, tree: CodeTree, catalogs: tuple[Catalog, Catalog], policies: tuple[Policy, Policy]
) -> tuple[tuple[f.Shift, ...], str]:
    """Return the statuses that differ between both states; if they cannot be computed, none and the reason."""
    try:
        pairs = zip(catalogs, policies, strict=True)
        known = (KnownFacts(c, ground.local, p, ground.now, lambda: ground.default) for c, p in pairs)
        before, after = (read_statuses(known_facts, ground.git, tree) for known_facts in known)
    except GitmemError as err:
        return (), _describe_unreadable(tree.commit, err)
    return list_shifts(before, after), ""


def _look_at_shifts(shifts: Sequence[f.Shift]) -> Iterator[f.ReviewFinding]:
    codes = {FAILED: f.WARNING, SUSPECT: f.WARNING, UNPROVEN: f.NOTE}
    for shift in shifts:
        if (shift.before, shift.after) == (FAILED, VERIFIED):
            # For the same code, either the memory says something else, or a verdict file does.
            message = "verified, was failed: only because of a verdict in the change, for the same code"
            hint = f"check it here: gitmem verify {shift.key}"
            yield f.ReviewFinding(f.WARNING, "status-cleared", message, shift.key, shift.path, hint=hint)
        severity = codes.get(shift.after)
        if severity is None or (shift.after == UNPROVEN and not shift.before):
            continue
        was = f", was {shift.before}" if shift.before else ""
        message = f"{shift.after}{was}" + (f": {shift.because}" if shift.because else "")
        yield f.ReviewFinding(severity, f"status-{shift.after}", sanitize.line(message), shift.key, shift.path)
