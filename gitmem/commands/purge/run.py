"""Purge: rewrite the histories that gitmem owns, then remove what was made from them, and the old objects.

The journal has the fingerprints and the old tips, never the text. It is written before anything changes and removed at
the end, so an interrupted purge is finished by ``gitmem purge --continue``.
"""

from __future__ import annotations

from pathlib import Path

from gitmem.commands.purge import derived
from gitmem.commands.purge.subject import Subject, of_keys, of_secret, refuse_named
from gitmem.commands.view import view as views
from gitmem.errors import ConflictError, NotFoundError
from gitmem.frozen import frozen, replace
from gitmem.git.rewrite import drop_objects, move_refs, plan_rewriting, write_rewriting
from gitmem.index.catalog.keys import resolve_ids
from gitmem.store import foreign
from gitmem.store.proofs import FOREIGN
from gitmem.store.proposal import PROPOSAL_PREFIX
from gitmem.store.purged import KEY, Eraser, format_marks, journal_path, list_records, parse_marks, read_journal
from gitmem.store.state.write_lock import WriteLock
from gitmem.store.view import refresh
from gitmem.store.view import state as viewpoint
from gitmem.system import remove
from gitmem.system.atomic_write import write_durably
from gitmem.text import format_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import Any

    from gitmem.git import Git
    from gitmem.git.rewrite import Rewriting
    from gitmem.repository import OpenRepository
    from gitmem.repository.open_store import OpenStore

    # Merges a commit that a person made in the view (``memory.view``).
    Merge = Callable[[Any, str], tuple[Any, Mapping[str, str], Collection[str]]]

ATTEMPTS = 5
# At most this many objects that still have the text are named.
NAMES_SHOWN = 20


@frozen
class PurgeResult:
    """What a purge removes, or removed.

    Attributes:
        commits: How many commits have it in a file or the message.
        rewritten: How many commits are rewritten: those, and all that follow them.
        refs: The refs that move, sorted.
        derived: How many files and indexes of this clone's state were removed or edited.
        objects: How many old objects were deleted.
        left: Where a text of it still is, in histories that gitmem does not own or in other memories.
        commit: The new tip of the memory branch; empty if nothing was written.
    """

    commits: int = 0
    rewritten: int = 0
    refs: tuple[str, ...] = ()
    derived: int = 0
    objects: int = 0
    left: tuple[str, ...] = ()
    commit: str = ""


def own_refs(store: OpenStore) -> dict[str, str]:
    """Return the refs of this repository whose histories are gitmem's, with their commits."""
    git, branch = store.git, store.config.branch
    refs: dict[str, str] = {}
    for ref, (commit, kind) in git.list_typed_refs("refs/heads", "refs/remotes", "refs/gitmem").items():
        name = ref.split("/", 3 if ref.startswith("refs/remotes/") else 2)[-1]
        is_named = ref.startswith("refs/gitmem/") or name == branch or name.startswith(PROPOSAL_PREFIX)
        if kind == "commit" and (is_named or ref == store.ref) and not git.symbolic_target(ref):
            is_own = ref.startswith("refs/gitmem/") or foreign.kind_of(git, commit) not in ("", FOREIGN)
            refs |= {ref: commit} if is_own else {}
    return refs


def find_subject(store: OpenStore, keys: Sequence[str], secret: str) -> Subject:
    """Return what is to be purged: memories, or a secret.

    Raises:
        NotFoundError: There is no such memory.
        RefusedError: The secret is too short, or in the name of a memory.
    """
    tips = sorted(set(own_refs(store).values()))
    if keys:
        return of_keys(store.git, resolve_ids(store.catalog(), keys) if store.find_tip() else keys, tips)
    subject = of_secret(secret)
    lines = store.git.text("rev-list", "--objects", *tips).split("\n") if tips else []
    refuse_named(subject, (line.partition(" ")[2] for line in lines))
    return subject


def preview(store: OpenStore, subject: Subject) -> PurgeResult:
    """Return what a purge would do to the histories.

    Raises:
        ConflictError: The view has unsaved changes, or an earlier purge is unfinished.
    """
    _refuse_unfinished(store.git)
    _refuse_unsaved(store.git)
    refs = own_refs(store)
    plan = plan_rewriting(store.git, subject.eraser(), sorted(set(refs.values())))
    moved = sorted(ref for ref, commit in refs.items() if commit in plan.changed)
    return PurgeResult(len(plan.touched), len(plan.changed), tuple(moved))


def purge(repository: OpenRepository, store: OpenStore, subject: Subject, merge: Merge) -> PurgeResult:
    """Purge a subject from a store's repository.

    Raises:
        NotFoundError: It is nowhere.
        ConflictError: The view has unsaved changes, an earlier purge is unfinished, or refs kept moving.
    """
    _refuse_unfinished(store.git)
    _refuse_unsaved(store.git)
    result = _rewrite(store, subject, but="", records=True)
    result = _finish(repository, store, subject.eraser(), merge, result)
    if not result.rewritten and not result.derived:
        raise NotFoundError("it is in no history of gitmem in this repository", hint="gitmem purge searches exact text")
    return replace(result, left=tuple(_find_left(store, subject.lines)))


def accept(repository: OpenRepository, theirs: str, merge: Merge) -> PurgeResult:
    """Apply the purges that another clone recorded to every history of this one."""
    _refuse_unsaved(repository.git)
    ours = repository.git.read_ref(f"refs/heads/{repository.config.branch}")
    records = list_records(repository.git, theirs, *([ours] if ours else []))
    if not records:
        raise NotFoundError("the remote has no purge that this clone lacks", hint="gitmem sync")
    subject = Subject(tuple(mark for record in reversed(records) for mark in record.marks))
    result = _rewrite(repository, subject, but=theirs, records=False)
    eraser = subject.eraser()
    result = _finish(repository, repository, eraser, merge, result)
    return replace(result, left=tuple(_find_left(repository, eraser.texts())))


def resume(repository: OpenRepository, store: OpenStore, merge: Merge) -> PurgeResult:
    """Finish a purge that was interrupted.

    Raises:
        NotFoundError: There is none.
    """
    journal = read_journal(store.git)
    if journal is None:
        raise NotFoundError("no purge was interrupted here", hint="gitmem purge --help")
    subject = Subject(parse_marks(journal["marks"]))
    result = PurgeResult()
    if not _has_moved(store.git, journal):
        result = _rewrite(store, subject, but=journal["but"], records=journal["records"])
    eraser = subject.eraser()
    result = _finish(repository, store, eraser, merge, result)
    return replace(result, left=tuple(_find_left(store, eraser.texts())))


def _rewrite(store: OpenStore, subject: Subject, *, but: str, records: bool) -> PurgeResult:
    """Rewrite the histories, and move the refs in one transaction."""
    git, home = store.git, _home_ref(store)
    wait = store.config.lock_timeout_s
    with WriteLock(git.repository.state, command="purge", timeout_s=wait) as lock:
        for _ in range(ATTEMPTS):
            refs = own_refs(store)
            eraser = subject.eraser()
            plan = plan_rewriting(git, eraser, sorted(set(refs.values())), but=[but] if but else [])
            lock.renew()
            moved = {ref: commit for ref, commit in refs.items() if commit in plan.changed}
            _write_journal(git, subject, moved, but=but, records=records)
            if not moved:
                return PurgeResult()
            new = write_rewriting(git, plan)
            moves = {ref: (commit, new[commit]) for ref, commit in moved.items()}
            if records and home in refs:
                tip = new.get(refs[home], refs[home])
                moves[home] = (refs[home], _record(store, tip, subject, plan))
            if move_refs(git, moves):
                tip = moves.get(home, ("", ""))[1]
                return PurgeResult(len(plan.touched), len(plan.changed), tuple(sorted(moves)), commit=tip)
    raise ConflictError("the branches were moved again and again during the purge", hint="gitmem purge --continue")


def _home_ref(store: OpenStore) -> str:
    """Return the ref with the record: the memory branch, also of private memories and of a proposal."""
    return f"refs/heads/{store.config.branch}"


def _record(store: OpenStore, tip: str, subject: Subject, plan: Rewriting) -> str:
    """Write the commit that records the purge, on a tip, and return it."""
    git = store.git
    keys = sum(what == KEY for what, _ in subject.marks)
    what = f"{keys} {'memory' if keys == 1 else 'memories'}" if keys else "a secret"
    trailers = "\n".join(f"{name}: {value}" for name, value in format_marks(subject.marks))
    message = f"purge: remove {what} from {len(plan.touched)} commits\n\n{trailers}\n"
    name, email = git.identity()
    stamp = f"{store.now} +0000"
    who = {
        f"GIT_{role}_{part}": value
        for role in ("AUTHOR", "COMMITTER")
        for part, value in (("NAME", name), ("EMAIL", email), ("DATE", stamp))
    }
    argv = ("commit-tree", f"{tip}^{{tree}}", "-p", tip, "-F", "-")
    result = git.run(*argv, input=message.encode(), durable=True, more=who)
    return result.stdout.decode("ascii").strip()


def _finish(
    repository: OpenRepository, store: OpenStore, eraser: Eraser, merge: Merge, result: PurgeResult
) -> PurgeResult:
    """Remove what was made from the old histories, and their objects; remove the journal last."""
    git = store.git
    journal = read_journal(git)
    if journal is None:
        return result
    if store is repository or git is repository.git:
        views.follow(repository, merge)
    forget_reflogs(store)
    repository.close()
    store.close()
    changed = derived.clean(git, eraser, indexes=bool(journal["old"]))
    dropped = drop_objects(git, journal["old"])
    remove(journal_path(git))
    return replace(result, derived=changed, objects=dropped)


def forget_reflogs(store: OpenStore) -> None:
    """Empty the reflogs of gitmem's refs and of the view: they name commits that had the text."""
    git = store.git
    view = viewpoint.load(git.repository)
    names = [*own_refs(store), *([f"worktrees/{Path(view.admin(git)).name}/HEAD"] if view is not None else [])]
    for name in names:
        git.run("reflog", "expire", "--expire=all", "--expire-unreachable=all", name, check=False)
    if view is not None:
        for name in ("ORIG_HEAD", "FETCH_HEAD"):
            remove(Path(view.admin(git), name))


def _write_journal(git: Git, subject: Subject, moved: Mapping[str, str], *, but: str, records: bool) -> None:
    """Record what is under way; old tips of an earlier attempt are kept."""
    before = read_journal(git) or {"old": [], "refs": []}
    table = {
        "marks": [value for _, value in format_marks(subject.marks)],
        "old": sorted({*before["old"], *moved.values()}),
        "refs": sorted({*before["refs"], *moved}),
        "but": but,
        "records": records,
    }
    write_durably(journal_path(git), format_json(table).encode())


def _has_moved(git: Git, journal: Mapping[str, Any]) -> bool:
    """Return whether the refs have left the old tips, or there were none to move."""
    return not any(git.read_ref(ref) in journal["old"] for ref in journal["refs"])


def _refuse_unfinished(git: Git) -> None:
    if read_journal(git) is not None:
        raise ConflictError("an earlier purge was interrupted", hint="finish it: gitmem purge --continue")


def _refuse_unsaved(git: Git) -> None:
    view = viewpoint.load(git.repository)
    if view is not None and Path(view.path).is_dir() and refresh.list_unsaved(git, view):
        raise ConflictError(f"the view {view.path} has unsaved changes", hint="commit them: gitmem save")


def _find_left(store: OpenStore, texts: Sequence[bytes]) -> list[str]:
    """Return where a text still is in this repository: paths in histories, or ids of objects that nothing needs."""
    if not texts:
        return []
    from gitmem.system import process

    git = store.git
    oids = set[str]()
    argv = git.argv("cat-file", "--batch-all-objects", "--batch", "--unordered", "--buffer")
    with process.RunningTool(argv, env=git.environment(), input=b"") as out:
        while head := out.readline().split():
            if len(head) != 3 or not head[2].isdigit():
                continue
            content = out.read(int(head[2]))
            out.read(1)
            if any(text in content for text in texts):
                oids.add(head[0].decode("ascii"))
    if not oids:
        return []
    named = {}
    for line in git.text("rev-list", "--objects", "--all", "--indexed-objects").split("\n"):
        oid, _, path = line.partition(" ")
        if oid in oids:
            named[oid] = path or f"commit {oid[:12]}"
    return sorted(named.get(oid, f"object {oid[:12]}, which no ref needs") for oid in oids)[:NAMES_SHOWN]
