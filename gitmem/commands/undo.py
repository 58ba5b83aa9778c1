"""Undo the last command that changed memories: by a new commit, never by rewriting history.

If anything it touched has changed since, nothing is undone. A new memory that others may already have is archived
instead of deleted, because a merge would bring it back. Verdicts are results, not changes: they stay.
"""

from __future__ import annotations

from gitmem.config import machine_identity
from gitmem.document.times import format_time
from gitmem.errors import ConflictError, NotFoundError, RefusedError
from gitmem.frozen import frozen
from gitmem.git.git import FALLBACK_IDENTITY
from gitmem.git.objects import open_objects
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
MOST = 500
NAMED = 5


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
    """Undo the last command that has not been undone yet.

    Raises:
        NotFoundError: There is nothing to undo.
        RefusedError: It was a merge, or another person's that was fetched.
        ConflictError: Something that it changed has been changed again.
    """
    git = store.git
    store.writer()  # commits pending captures
    done: list[Undone] = []

    def plan(tip: str | None) -> CommitPlan:
        undone, subject, changes = _last(git, tip)
        assert tip is not None, "it has a last commit"
        _refuse_fetched(store, undone, subject)
        _refuse_changed(git, tip, changes)
        writes, entries, deletes, archived = _inverse(store, undone, changes)
        found = Undone(undone, subject, _keys(changes), tuple(archived))
        done[:] = [found]
        return CommitPlan(
            f"undo: {subject}",
            writes=tuple(writes),
            entries=tuple(entries),
            deletes=tuple(deletes),
            trailers=((UNDOES, undone), *(("Gitmem-Key", key) for key in found.keys[:100])),
        )

    if dry_run:
        plan(store.find_tip())
        return done[0]
    written = store.commit(plan, "undo", ref=store.store.ref)
    assert written is not None, "it is planned or refused"
    store.catalog()
    last = done[0]
    return Undone(last.undone, last.subject, last.keys, last.archived, written.commit)


def _last(git: Git, tip: str | None) -> tuple[str, str, Changes]:
    """Return the last commit that changed memories and was not undone, with its subject and changes."""
    nothing = NotFoundError("there is nothing to undo", hint="see the history: git log memory")
    if tip is None:
        raise nothing
    fields = f"%H%x00%P%x00%(trailers:key={UNDOES},valueonly,separator=%x20)%x00%s"
    argv = ("log", "-z", "--first-parent", f"--max-count={MOST}", "--no-show-signature", f"--format={fields}")
    words = git.run(*argv, tip, "--").stdout.decode("utf-8", "replace").split("\0")
    gone = set[str]()
    for at in range(0, len(words) - 3, 4):
        commit, parents, undoes, subject = (
            words[at].strip(),
            words[at + 1].split(),
            words[at + 2].split(),
            words[at + 3],
        )
        gone.update(undoes)
        if undoes or commit in gone:
            continue
        if not parents:
            break
        if len(parents) > 1:
            raise RefusedError(
                f"the last change is a merge ({commit[:12]}, {subject}), which cannot be undone",
                hint="undo single memories: gitmem log KEY, gitmem edit KEY, gitmem forget KEY",
            )
        changes = _memories(open_objects(git).diff(parents[0], commit))
        if POLICY_PATH in changes and changes[POLICY_PATH][0] is None:
            break  # the start of the store
        if changes:
            return commit, subject, changes
    raise nothing


def _refuse_fetched(store: OpenStore, commit: str, subject: str) -> None:
    """Raise RefusedError for what another person did in another clone: it was not the last command here."""
    git = store.git
    named = git.run("log", "-1", "--no-show-signature", "--format=%an%x00%ae", commit, "--").stdout
    name, email = named.decode("utf-8", "replace").strip().split("\0")
    own = (git.identity(), FALLBACK_IDENTITY, machine_identity())
    # A person may have several addresses, so the same name counts as the same person.
    is_own = any(name == one[0] or email.lower() == one[1].lower() for one in own)
    if is_own or not _is_known(git, commit):
        return
    raise RefusedError(
        f"the last change is by {display(name)} ({commit[:12]}, {display(subject)}), and was fetched",
        hint="undo single memories: gitmem log KEY, gitmem edit KEY, gitmem forget KEY",
    )


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
            f"changed again since: {list_some(names, NAMED)}; nothing was undone",
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
