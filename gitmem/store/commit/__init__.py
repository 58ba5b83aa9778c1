"""Write to the store: one ``git fast-import`` builds blobs, trees and commit and moves the ref by compare-and-swap.

fast-import refuses to move a ref to a commit that does not contain its present value, and moves it in a transaction
that names the old value: a lost race is refused, so no update is ever lost. Because of ``feature done``, an incomplete
stream (from a killed writer) changes nothing. Source: git-fast-import(1).
"""

from __future__ import annotations

import os
import time

from gitmem.config import machine_identity
from gitmem.errors import ConflictError, GitmemError, ProcessError
from gitmem.frozen import frozen, replace
from gitmem.git import Git
from gitmem.git.repository import refuse_special
from gitmem.store import layout
from gitmem.store.commit import signing
from gitmem.store.commit.guard import need_own, refuse_checked_out, refuse_symbolic
from gitmem.store.foreign import init_hint, kind_of, short
from gitmem.store.proofs import ROOTED, STORES, note_proof
from gitmem.store.scopes import POLICY_PATH, RUN_REFS
from gitmem.store.state import background, litter
from gitmem.store.state.write_lock import WriteLock, clear_stale_lock
from gitmem.store.view.state import has_one
from gitmem.system import process
from gitmem.system.atomic_write import sync_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gitmem.store.state.write_lock import Holder

ATTEMPTS = 30
# The commits acknowledged by this process: later steps must not be retried as if nothing had happened.
MADE: list[str] = []
# The most paths for which fast-import is asked for object names: a larger commit is in one pack anyway.
NAMES_ASKED = 100
# The last line of a complete stream.
DONE = b"done\n"


@frozen
class CommitPlan:
    """The changes of one commit.

    Attributes:
        subject: First line of the message: ``topic: what it does``.
        writes: Path and content of each file to write.
        moves: Old and new path of each file to move unchanged.
        deletes: Paths to delete.
        entries: Path, mode and object name of each existing object to add.
        merged: The second parent, a commit whose history is merged; or empty.
        trailers: Name and value of each trailer, in order.
        body: Text between subject and trailers, or empty.
        machine: Whether gitmem itself is the author (verify), not the person.
    """

    subject: str
    writes: tuple[tuple[str, bytes], ...] = ()
    moves: tuple[tuple[str, str], ...] = ()
    deletes: tuple[str, ...] = ()
    entries: tuple[tuple[str, str, str], ...] = ()
    merged: str = ""
    trailers: tuple[tuple[str, str], ...] = ()
    body: str = ""
    machine: bool = False


@frozen
class CommitResult:
    """An acknowledged write: it is on disk.

    Attributes:
        commit: The new tip.
        base: The tip it was built on; empty when the branch was new.
        oids: Object names of written files by path (at most ``NAMES_ASKED``; more are left out).
    """

    commit: str
    base: str
    oids: dict[str, str]


@frozen
class WriteTarget:
    """The ref that a command writes to.

    Attributes:
        git: The repository.
        ref: The full ref.
        command: The command, shown to processes that wait.
        lock_timeout_s: How long to wait for other writers.
        start: The commit to start the branch at if it does not exist yet; None for the deterministic root.
    """

    git: Git
    ref: str
    command: str
    lock_timeout_s: float
    start: str | None = None


def write_commit(
    target: WriteTarget,
    plan: Callable[[str | None], CommitPlan | None],
    *,
    now: int,
    after: Callable[[CommitPlan, CommitResult], None] | None = None,
    repairs: bool = False,
) -> CommitResult | None:
    """Plan one commit on the tip of a ref and write it; plan it again on the new tip if another writer was faster.

    Args:
        target: Where to write.
        plan: Called with the tip (None when the branch is new) while the lock is held; None means nothing to write.
        now: The commit's time, epoch seconds.
        after: Called with the result before the next writer's turn, which then finds the index up to date and does not
            compete for it (without this, 16 writers at once starved each other: some waited 20 s).
        repairs: Whether this commit removes files that belong to no store.

    Raises:
        ForeignBranchError: The branch, or the commit to merge into it, is not a store.
        ConflictError: Timed out waiting for other writers or a lock file, or the branch is checked out here.
        GitmemError: The disk is full or read-only; nothing was changed.
    """
    git, ref, start = target.git, target.ref, target.start
    refuse_symbolic(git, ref)
    refuse_special([os.path.join(git.repository.common, "logs", ref)])
    tip = git.read_ref(ref)
    need_own(git, ref, tip or start, repairs=repairs, hint="" if tip else init_hint(short(ref)))
    refuse_checked_out(git, ref)
    with WriteLock(git.repository.state, command=target.command, timeout_s=target.lock_timeout_s) as lock:
        _clear_left(git, [ref], lock.crashed)
        for attempt in range(ATTEMPTS):
            tip = git.read_ref(ref)
            need_own(git, ref, tip or start, repairs=repairs)
            planned = plan(tip or start)
            if planned is None:
                return None
            planned = planned if tip or start else _with_policy(ref, planned)
            need_own(git, ref, planned.merged)
            lock.renew()
            result = _import(target, planned, seen=tip, now=now, keep=lock.fd)
            if result is not None:
                break
            _explain_if_stuck(git, ref, tip, attempt)
            # Full jitter, as for any compare-and-swap loop: 5 to 50 ms times the attempt.
            time.sleep(0.02 * (attempt + 1) * os.urandom(1)[0] / 255)
        else:
            raise ConflictError(f"{ref}: other writers updated it first {ATTEMPTS} times", hint="try again")
        if not ref.startswith(RUN_REFS):
            _note_proof(git, planned, result)
        if after is not None:
            after(planned, result)
    MADE.append(result.commit)
    if not result.base and ref.startswith("refs/heads/"):
        _accept_own(git)
    _bring_view(git, ref)
    return result


def _accept_own(git: Git) -> None:
    """Accept a clone whose memory was started in it; if that cannot be recorded, `gitmem init` reports it."""
    from gitmem.store.state.registration import accept  # 3 ms, once per clone

    accept(git.repository.state)


def _bring_view(git: Git, ref: str) -> None:
    """Update the view after the acknowledgement, even if another process wrote."""
    if ref.startswith("refs/heads/") and has_one(git.repository.state):
        background.start(git.repository.state, git.repository.top or git.repository.git, "view")


def advance(target: WriteTarget, commit: str, *, old: str | None, keep: str = "") -> bool:
    """Move a ref from *old* (None: it must not exist) to an existing commit; return false if it is not at *old*.

    If the ref *keep* is given and does not exist, it is created at the old commit in the same transaction.

    Raises:
        ForeignBranchError: One of the commits is not a store.
        ConflictError: Timed out waiting for other writers or a lock file, or the branch is checked out here.
    """
    git, ref = target.git, target.ref
    refuse_symbolic(git, ref)
    refuse_special([os.path.join(git.repository.common, "logs", ref)])
    for tip in (old, commit):
        need_own(git, ref, tip)
    refuse_checked_out(git, ref)
    with WriteLock(git.repository.state, command=target.command, timeout_s=target.lock_timeout_s) as lock:
        _clear_left(git, [ref, keep] if keep else [ref], lock.crashed)
        if git.read_ref(ref) != old:
            return False
        lock.renew()
        moves = f"create {keep}\0{old}\0" if keep else ""
        moves += f"update {ref}\0{commit}\0{old or '0' * len(commit)}\0"
        argv = ("update-ref", "-m", f"gitmem: {target.command}", "--stdin", "-z")
        result = git.run(*argv, input=moves.encode(), check=False, durable=True)
        if result.status != 0:
            _explain_refusal(git, ref, old, result, ["git", "update-ref", ref])
            return False
        _sync_folders(git.repository.common, ref, [])
    MADE.append(commit)
    _bring_view(git, ref)
    return True


def _with_policy(ref: str, plan: CommitPlan) -> CommitPlan:
    """Return a branch's first plan with the policy, which proves the store in clones without the root commit."""
    from gitmem.policy.template import default_toml  # 5 ms, once per store

    if not ref.startswith("refs/heads/") or POLICY_PATH in _touched(plan):
        return plan
    return replace(plan, writes=(*plan.writes, (POLICY_PATH, default_toml().encode())))


def _note_proof(git: Git, plan: CommitPlan, written: CommitResult) -> None:
    """Record that a commit made here belongs to a store, like its base, so that no process has to find out.

    A new policy may define other kinds or name no format; such a commit is examined when it is read.
    """
    kind = kind_of(git, written.base) if written.base else ROOTED
    if kind in STORES and (not written.base or POLICY_PATH not in _touched(plan)):
        note_proof(git.repository.state, written.commit, kind)


def ref_lock_path(git: Git, ref: str) -> str:
    """Return the lock file that git creates while it moves *ref* (refs as files)."""
    return os.path.join(git.repository.common, f"{ref}.lock")


def _clear_left(git: Git, refs: list[str], crashed: Holder | None) -> None:
    """Remove what a killed writer left: git's locks of *refs*, of all refs of gitmem and of packed refs, and litter."""
    locks = [ref_lock_path(git, ref) for ref in refs]
    if crashed is not None:
        locks += [os.path.join(git.repository.common, "packed-refs.lock"), *litter.list_ref_locks(git)]
    for path in locks:
        clear_stale_lock(path, crashed)
    if crashed is not None:
        litter.sweep(git, refs[0], report_age_s=0)


def _explain_if_stuck(git: Git, ref: str, tip: str | None, attempt: int) -> None:
    lock = ref_lock_path(git, ref)
    if attempt < ATTEMPTS // 3 or git.read_ref(ref) != tip or not os.path.exists(lock):
        return
    age = time.time() - os.stat(lock).st_mtime
    raise ConflictError(
        f"{ref} is locked by another git process, or by one that died {age:.0f} s ago: {lock}",
        hint="gitmem doctor --fix removes a stale lock file",
    )


def _import(target: WriteTarget, plan: CommitPlan, *, seen: str | None, now: int, keep: int) -> CommitResult | None:
    """Write the commit; None if the ref was locked or has moved from where it was *seen*.

    The descriptor *keep* is inherited by git.
    """
    git, ref, tip = target.git, target.ref, seen or target.start
    is_small = len(plan.writes) + len(plan.entries) <= NAMES_ASKED
    paths = [path for path, _ in plan.writes] if is_small else []
    folders = sorted({f for path in _touched(plan) for f in _parents(path)}) if is_small else []
    name, email = map(_ident, machine_identity() if plan.machine else git.identity())
    is_signed = signing.signs(git) and _asks_for_signatures(git, tip, plan)
    over, ask = (signing.REF, {*folders, ""}) if is_signed else (ref, folders)
    stream = _stream(over, plan, tip=tip, author=f"{name} <{email}> {now} +0000", ask=[*paths, *sorted(ask)])
    if is_signed:
        stream = stream.removesuffix(DONE) + signing.reset(git, tip) + DONE
    git_dir = git.repository.common
    # Deltas between memories save little and cost half of a large import's time; git gc makes them when it packs.
    deltas = [] if is_small else ["--depth=0"]
    argv = git.argv("fast-import", "--quiet", "--date-format=raw", *deltas, durable=True, git_dir=git_dir)
    result = process.run(argv, env=git.environment(), input=stream, check=False, keep=(keep,))
    if result.status != 0:
        litter.sweep(git, ref, report_age_s=0)
        _explain_refusal(git, ref, seen, result, argv)
        return None
    lines = result.stdout.decode("utf-8").split("\n")
    commit, named = lines[0], dict(_path_and_oid(line) for line in lines[1:] if "\t" in line)
    if is_signed:
        behind = (tip or layout.ROOTS[len(commit)], *filter(None, (plan.merged,)))
        unsigned = signing.UnsignedCommit(named[""], behind, (name, email), _message(plan), now)
        commit = signing.sign(git, unsigned)
        if not _move(git, target, commit, seen):
            return None
    _sync_folders(git_dir, ref, [commit, *named.values()])
    return CommitResult(commit, tip or "", {path: named[path] for path in paths if path in named})


def _asks_for_signatures(git: Git, tip: str | None, plan: CommitPlan) -> bool:
    """Return whether the policy or the person wants signatures; a policy that begins to ask is signed as well."""
    written = next((content for path, content in plan.writes if path == POLICY_PATH), None)
    if written is None and tip:
        written = git.read_blob(f"{tip}:{POLICY_PATH}", limit=layout.POLICY_LIMIT)
    lines = (line.lstrip(b" [\t") for line in (written or b"").split(b"\n"))
    return any(line.startswith(b"signatures") for line in lines) or git.may_be_set("signatures")


def _move(git: Git, target: WriteTarget, commit: str, seen: str | None) -> bool:
    """Move the target's ref to a commit; false if it was locked or has moved from where it was *seen*."""
    move = f"update {target.ref}\0{commit}\0{seen or '0' * len(commit)}\0"
    argv = ("update-ref", "-m", f"gitmem: {target.command}", "--stdin", "-z")
    result = git.run(*argv, input=move.encode(), check=False, durable=True)
    if result.status != 0:
        _explain_refusal(git, target.ref, seen, result, ["git", *argv])
    return result.status == 0


# git's messages if the ref had moved, or was locked (git 2.39, refs/files-backend.c and lockfile.c).
LOST_RACE = ("does not contain", "but expected", "reference already exists", "File exists")
# Its messages, besides a signal, if the disk is the cause.
NO_ROOM = ("space", "ead-only", "ermission denied", "too large", "quota")


def _explain_refusal(git: Git, ref: str, seen: str | None, ran: process.ProcessResult, argv: list[str]) -> None:
    """Return if the ref had moved or was locked; raise for anything else."""
    stderr = ran.stderr.decode("utf-8", "replace")
    if any(words in stderr for words in LOST_RACE) or git.read_ref(ref) != seen:
        return
    lines = [line for line in stderr.split("\n") if line.startswith(("fatal", "error"))]
    message = lines[0].removeprefix("fatal: ").removeprefix("error: ") if lines else stderr.strip()
    message = message or f"git ended with status {ran.status}"
    if "; cannot create" in message:
        # A branch "memory/x" needs a folder where the file "memory" must be (git-check-ref-format(1)).
        name = ref.removeprefix("refs/heads/")
        hint = f"rename the conflicting branch, or use another name: gitmem init --branch {name}-store"
        raise ConflictError(f"the branch {name} cannot exist: {message}", hint=hint)
    has_room = ran.status >= 0 and not any(words in message for words in NO_ROOM)
    room = "free some space or make the repository writable, then try again; you can still read memories"
    raise ProcessError(
        f"{ref} could not be written, nothing was changed: {message}",
        argv=argv,
        status=ran.status,
        stderr=stderr,
        hint="find the cause: gitmem doctor, git fsck" if has_room else room,
    )


def _stream(ref: str, plan: CommitPlan, *, tip: str | None, author: str, ask: list[str]) -> bytes:
    parts: list[bytes] = [b"feature done\n"]
    if tip is None:
        root = f"{layout.ROOT_NAME} <{layout.ROOT_EMAIL}> {layout.ROOT_TIME} +0000"
        parts += [_commit_head(ref, 2, root, layout.ROOT_MESSAGE), b"\n"]
    parts.append(_commit_head(ref, 1, author, _message(plan)))
    parts.append(f"from {tip or ':2'}\n".encode())
    parts += [f"merge {plan.merged}\n".encode()] if plan.merged else []
    parts += [f"R {old} {new}\n".encode() for old, new in plan.moves]
    parts += [f"D {_quote(path)}\n".encode() for path in plan.deletes]
    parts += [f"M {mode} {oid} {_quote(path)}\n".encode() for path, mode, oid in plan.entries]
    for path, content in plan.writes:
        parts += [f"M 100644 inline {path}\ndata {len(content)}\n".encode(), content, b"\n"]
    parts.append(b"\nget-mark :1\n")
    parts += [f"ls :1 {_quote(path)}\n".encode() if path else b'ls :1 ""\n' for path in ask]
    parts.append(DONE)
    return b"".join(parts)


def _quote(path: str) -> str:
    """Quote a path for fast-import, byte by byte unless it is plain (doctor deletes files that others named)."""
    if path.isascii() and not any(char.isspace() or char in '"\\' or not char.isprintable() for char in path):
        return path
    return '"' + "".join(f"\\{byte:03o}" for byte in os.fsencode(path)) + '"'


def _commit_head(ref: str, mark: int, who: str, message: str) -> bytes:
    text = message.encode("utf-8", "replace")
    head = f"commit {ref}\nmark :{mark}\nauthor {who}\ncommitter {who}\ndata {len(text)}\n".encode("utf-8", "replace")
    return head + text + b"\n"


def _message(plan: CommitPlan) -> str:
    """Return the commit message; trailers are one line each (git-interpret-trailers(1))."""
    trailers = "".join(f"{name}: {' '.join(value.split())}\n" for name, value in plan.trailers)
    parts = [plan.subject.strip(), plan.body.strip("\n"), trailers.strip("\n")]
    return "\n\n".join(p for p in parts if p) + "\n"


def _ident(text: str) -> str:
    """Return a name without the characters that would break an identity line (git drops the same ones)."""
    return "".join(c for c in text if c not in "<>\n\0").strip() or "gitmem"


def _touched(plan: CommitPlan) -> list[str]:
    moved = [path for pair in plan.moves for path in pair]
    written = [path for path, _ in plan.writes] + [path for path, _, _ in plan.entries]
    return written + moved + list(plan.deletes)


def _parents(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[:n]) for n in range(len(parts) + 1)]


def _path_and_oid(line: str) -> tuple[str, str]:
    head, _, path = line.partition("\t")
    return path, head.split(" ")[2]


def _sync_folders(git_dir: str, ref: str, oids: list[str]) -> None:
    """Make the new names durable: git syncs files, but not the folders with their names (measured with git 2.39)."""
    objects = os.path.join(git_dir, "objects")
    folders = {os.path.join(objects, oid[:2]) for oid in oids}
    folders |= {objects, os.path.join(objects, "pack"), os.path.dirname(os.path.join(git_dir, ref))}
    for folder in sorted(folders):
        try:
            sync_folder(folder)
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            continue  # the object is in a pack, or refs are not files here
        except OSError as err:
            raise GitmemError(f"{folder} could not be synced to disk: {err.strerror}") from err
