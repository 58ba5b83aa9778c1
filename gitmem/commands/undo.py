"""Undo your last command that changed memories: by a new commit, never by rewriting history.

Merges, and what others did and you fetched, are passed over. If anything it touched has changed since, nothing is
undone. A new memory that others may already have is archived instead of deleted, because a merge would bring it back.
Verdicts are results, not changes: they stay.
"""

from __future__ import annotations

from gitmem.document.times import format_time
from gitmem.errors import ConflictError, NotFoundError, RefusedError
from gitmem.frozen import frozen
from gitmem.git.git import FALLBACK_IDENTITY
from gitmem.git.objects import open_objects
from gitmem.git.repository import refuse_special
from gitmem.store import layout
from gitmem.store.commit import CommitPlan
from gitmem.store.scopes import POLICY_PATH
from gitmem.store.trailers import UNDOES
from gitmem.text import display, list_some
from gitmem.write.draft import with_fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.git import Git
    from gitmem.git.objects import Changes
    from gitmem.repository.open_store import OpenStore

# The most commits examined: to undo more than these, use `git log`.
COMMITS_AT_MOST = 500
# Reflog messages of commits that came from elsewhere; git calls those made here "fast-import".
_FETCHED = frozenset(f"gitmem: {what}" for what in ("join", "sync", "doctor", "purge"))
NAMES_SHOWN = 5


@frozen
class Undone:
    """The result of an undo, done or planned.

    Attributes:
        undone: The commit whose changes are undone.
        subject: Its subject.
        keys: The changed memories, sorted.
        archived: Those that are archived, since others may have them.
        commit: The new commit; empty if nothing was written.
    """

    undone: str
    subject: str
    keys: tuple[str, ...]
    archived: tuple[str, ...]
    commit: str = ""


def undo(store: OpenStore, *, dry_run: bool = False) -> Undone:
    """Undo the last command of this person that has not been undone yet.

    Raises:
        NotFoundError: There is nothing to undo.
        RefusedError: All changes are by other people.
        ConflictError: Something that it changed has been changed again.
    """
    git = store.git
    store.writer()  # commits pending captures
    done: list[Undone] = []

    def plan(tip: str | None) -> CommitPlan:
        undone, subject, changes = _last(git, store.store.ref, tip)
        assert tip is not None, "it has a last commit"
        _refuse_changed(git, tip, changes)
        writes, entries, deletes, archived = _inverse(store, undone, changes)
        undone_change = Undone(undone, subject, _keys(changes), tuple(archived))
        done[:] = [undone_change]
        return CommitPlan(
            f"undo: {subject}",
            writes=tuple(writes),
            entries=tuple(entries),
            deletes=tuple(deletes),
            trailers=((UNDOES, undone), *(("Gitmem-Key", key) for key in undone_change.keys[:100])),
        )

    if dry_run:
        plan(store.find_tip())
        return done[0]
    written = store.commit(plan, "undo", ref=store.store.ref)
    assert written is not None, "it is planned or refused"
    store.catalog()
    last = done[0]
    return Undone(last.undone, last.subject, last.keys, last.archived, written.commit)


def _last(git: Git, ref: str, tip: str | None) -> tuple[str, str, Changes]:
    """Return the last own commit that changed memories and was not undone, with its subject and changes."""
    if tip is None:
        raise _nothing()
    fields = f"%H%x00%P%x00%(trailers:key={UNDOES},valueonly,separator=%x20)%x00%s%x00%an%x00%ae"
    # By time, because a merge that another clone made has one's own commits on its second side.
    options = (
        "-z",
        "--date-order",
        "--no-merges",
        f"--max-count={COMMITS_AT_MOST}",
        "--no-show-signature",
        f"--format={fields}",
    )
    words = git.run("log", *options, tip, "--").stdout.decode("utf-8", "replace").split("\0")
    gone, others, own_ones = set[str](), list[str](), _Own(git, ref, tip)
    for at in range(0, len(words) - 5, 6):
        commit, parents, undoes, subject, name, email = map(str.strip, words[at : at + 6])
        gone.update(undoes.split())
        if undoes or commit in gone or not parents:
            continue
        is_own = own_ones.has(commit, email)
        if not is_own and others:
            continue
        changes = _memories(open_objects(git).diff(parents, commit))
        if not changes or (POLICY_PATH in changes and changes[POLICY_PATH][0] is None):
            continue  # the start of a store is not undone
        if is_own:
            return commit, subject, changes
        others.append(f"the last change is by {display(f'{name} <{email}>')} ({commit[:12]}, {display(subject)})")
    if others:
        hint = "undo single memories: gitmem log KEY, gitmem edit KEY, gitmem forget KEY"
        raise RefusedError(f"{others[0]}, and was fetched; none of yours is left", hint=hint)
    raise _nothing()


def _nothing() -> NotFoundError:
    return NotFoundError("there is nothing to undo", hint="see the history: git log memory")


class _Own:
    """Which commits of a branch are this person's: by their address, made in this clone, or not shared yet.

    Two people may have one name, and one person several addresses. A ``.mailmap`` does not count: others can write it.
    """

    def __init__(self, git: Git, ref: str, tip: str) -> None:
        self._git, self._ref, self._tip = git, ref, tip
        email = git.identity()[1].lower()
        self._email = "" if email == FALLBACK_IDENTITY[1] else email
        self._made_here: set[str] | None = None

    def has(self, commit: str, email: str) -> bool:
        """Return whether a commit by this address is one of them."""
        if self._email and email.lower() == self._email:
            return True
        if self._made_here is None:
            self._made_here = {*self._logged(), *self._unshared()}
        return commit in self._made_here

    def _logged(self) -> list[str]:
        refuse_special([f"{self._git.repository.common}/logs/{self._ref}"])
        argv = ("reflog", "show", "-z", "--no-show-signature", "--format=%H%x00%gs", self._ref, "--")
        words = self._git.run(*argv, check=False).stdout.decode("utf-8", "replace").split("\0")
        pairs = zip(words[0::2], words[1::2], strict=False)
        return [oid for oid, why in pairs if why == "fast-import" or (why[:8] == "gitmem: " and why not in _FETCHED)]

    def _unshared(self) -> list[str]:
        others = ("--not", "--glob=refs/gitmem/seen/*", "--remotes")
        return self._git.text("rev-list", f"--max-count={COMMITS_AT_MOST}", self._tip, *others).split()


def _is_known(git: Git, commit: str) -> bool:
    """Return whether others may have a commit."""
    return bool(git.text("for-each-ref", f"--contains={commit}", "refs/gitmem/seen/", "refs/remotes/"))


def _memories(changes: Changes) -> Changes:
    """Return the changes of content by people: memories and the policy, not verdicts or the status page."""
    return {path: pair for path, pair in changes.items() if path == POLICY_PATH or layout.memory_key(path)}


def _refuse_changed(git: Git, tip: str, changes: Changes) -> None:
    objects = open_objects(git)
    changed = [path for path, (_, new) in changes.items() if objects.find(tip, path) != new]
    if changed:
        names = _keys({path: changes[path] for path in changed})
        raise ConflictError(
            f"changed again since: {list_some(names, NAMES_SHOWN)}; nothing was undone",
            hint=f"see what changed: gitmem log {names[0]}",
        )


def _keys(changes: Changes) -> tuple[str, ...]:
    """Return the keys of the changed memories, sorted; for the policy, its file name."""
    return tuple(sorted({layout.memory_key(path) or path for path in changes}))


def _inverse(
    store: OpenStore, undone: str, changes: Changes
) -> tuple[list[tuple[str, bytes]], list[tuple[str, str, str]], list[str], Sequence[str]]:
    """Return what to write, what to restore, what to delete, and the keys to archive."""
    git = store.git
    entries = [(path, old.mode, old.oid) for path, (old, _) in sorted(changes.items()) if old is not None]
    added = {path: new for path, (old, new) in changes.items() if old is None and new is not None}
    is_known = _is_known(git, undone)
    moved = {layout.memory_key(path) for path, (_, new) in changes.items() if new is None}
    author, writes, archived = store.author(), [], []
    retired = {"when": format_time(store.now), "by": author.who, "why": "undone"}
    for path, entry in sorted(added.items()):
        key = layout.memory_key(path)
        if is_known and key and key not in moved and not path.startswith("archive/"):
            text = (git.read_blob(entry.oid, limit=layout.MEMORY_LIMIT) or b"").decode("utf-8")
            writes.append((f"archive/{path}", with_fields(text, {"retired": retired}, f"{key}.md").encode("utf-8")))
            archived.append(key)
    return writes, entries, sorted(added), archived
