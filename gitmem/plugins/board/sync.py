"""Boards between clones: fetch, unite, push. Entries are only ever added, so the union is the merge.

Each entry from a remote is validated; invalid ones are skipped. A board that was deleted or rewritten at the remote is
not restored there: an entry may have been removed on purpose.
"""

from __future__ import annotations

from gitmem.errors import GitmemError, RefusedError
from gitmem.frozen import frozen
from gitmem.git import remotes
from gitmem.plugins.board.log import list_runs, read_entries, read_places, ref_of
from gitmem.store import layout
from gitmem.store.commit import CommitPlan, WriteTarget, advance, write_commit
from gitmem.store.pushed_secrets import Push, refuse_secrets
from gitmem.store.scopes import RUN_REFS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.git import Git
    from gitmem.git.remotes import RemoteOptions
    from gitmem.repository import OpenRepository

# The remote-tracking refs of boards: what each remote had when it was last fetched.
FETCHED = "refs/gitmem/fetched/"
# How often to retry a push that lost a race.
ATTEMPTS = 5


@frozen
class BoardSync:
    """The result of synchronizing one board.

    Attributes:
        run: The run.
        received: The number of entries received.
        is_sent: Whether the remote now has all entries of this clone.
        problem: Why it has not, or why nothing was received; or empty.
    """

    run: str
    received: int
    is_sent: bool
    problem: str = ""


def exchange(
    repository: OpenRepository,
    remote: str,
    talk: RemoteOptions,
    *,
    push: bool = True,
    accept_rewritten: bool = False,
) -> tuple[BoardSync, ...]:
    """Unite the boards of this clone and a remote's, and return the result for each, by name.

    Args:
        repository: The repository.
        remote: The name of a configured remote.
        talk: The connection to it.
        push: Whether to push this clone's entries.
        accept_rewritten: Accept boards whose history was rewritten at the remote.

    Raises:
        NotFoundError: There is no such remote.
        RemoteError: It cannot be reached.
    """
    git = repository.git
    done: dict[str, BoardSync] = {}
    received: dict[str, int] = {}
    for _ in range(ATTEMPTS):
        before = _remote_tips(git, remote)
        remotes.fetch_refs(git, remote, f"{RUN_REFS}*", f"{FETCHED}{remote}/*", talk)
        after = _remote_tips(git, remote)
        for run in sorted({*after, *list_runs(git)} - done.keys()):
            theirs, problem = after.get(run, ""), ""
            if run in before and not accept_rewritten and not git.is_ancestor(before[run], theirs):
                git.run("update-ref", f"{FETCHED}{remote}/{run}", before[run])
                problem = f"its history was rewritten at {remote}: run gitmem sync --boards --accept-rewritten"
                done[run] = BoardSync(run, 0, False, problem)
                continue
            try:
                count = _receive(repository, run, theirs) if theirs else 0
                received[run] = received.get(run, 0) + count
                is_there = git.read_ref(ref_of(run)) == theirs
                is_sent = is_there or (push and _send(repository, remote, run, theirs, talk))
            except (GitmemError, OSError) as err:
                done[run] = BoardSync(run, received.get(run, 0), False, str(err))
                continue
            if is_sent or not push:
                done[run] = BoardSync(run, received[run], is_sent)
        if not ({*after, *list_runs(git)} - done.keys()):
            break
    for run in {*_remote_tips(git, remote), *list_runs(git)} - done.keys():
        problem = f"not pushed: it was deleted at {remote}, or other pushes came first; it stays in this clone"
        done[run] = BoardSync(run, received.get(run, 0), False, problem)
    return tuple(done[run] for run in sorted(done))


def _remote_tips(git: Git, remote: str) -> dict[str, str]:
    """Return the boards of a remote as last fetched: the commit by run."""
    prefix = f"{FETCHED}{remote}/"
    refs = git.list_typed_refs(prefix).items()
    remote_tips = {ref.removeprefix(prefix): oid for ref, (oid, kind) in refs if kind == "commit"}
    return {run: oid for run, oid in remote_tips.items() if layout.is_key(run)}


def _receive(repository: OpenRepository, run: str, theirs: str) -> int:
    """Add the entries of a remote's board to the local one, and return how many are new."""
    git, ref = repository.git, ref_of(run)
    target = WriteTarget(git, ref, "sync", repository.config.lock_timeout_s)
    ours = git.read_ref(ref)
    if ours is not None and git.is_ancestor(theirs, ours):
        return 0
    known = {place.id for place, _ in read_places(git, ours)[0].values()} if ours else set()
    new, problems = read_entries(git, theirs, without=known)
    if not problems and (ours is None or git.is_ancestor(ours, theirs)):
        if advance(target, theirs, old=ours):
            return len(new)
        return _receive(repository, run, theirs)  # another post came first
    wanted = {entry.id for entry in new}
    files = [(path, "100644", oid) for path, (place, oid) in read_places(git, theirs)[0].items() if place.id in wanted]

    def plan(tip: str | None) -> CommitPlan:
        subject = f"board {run}: unite {len(files)} entries of another clone"
        return CommitPlan(subject, entries=tuple(files), merged=theirs)

    write_commit(target, plan, now=repository.now)
    return len(new)


def _send(repository: OpenRepository, remote: str, run: str, theirs: str, talk: RemoteOptions) -> bool:
    """Push a board onto the remote's last seen commit; return false if the remote has moved on.

    Raises:
        RefusedError: An entry holds a secret.
        RemoteError: The remote refuses.
    """
    git, ref = repository.git, ref_of(run)
    tip = git.read_ref(ref)
    assert tip is not None, "there is a board"
    try:
        refuse_secrets(git, Push(ref, tip, remote, theirs), repository.config.secrets_allow)
    except RefusedError as err:
        raise RefusedError(err.message, hint="revoke the secret; the board stays in this clone") from err
    if not remotes.push_ref(git, remote, remotes.RefUpdate(ref, tip, theirs or None), talk):
        return False
    git.run("update-ref", "-m", "gitmem: push", f"{FETCHED}{remote}/{run}", tip, check=False)
    return True
