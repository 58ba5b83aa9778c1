"""Update the view's files to a commit: only files that a store may have, and only those that no person has changed.

gitmem writes the files itself, from the object database: no checkout, no filter, no link, no hook. The order makes a
crash harmless: files, index, held files, HEAD, the shown commit. When repeated, each step gives the same result.
"""

from __future__ import annotations

import os

from gitmem.errors import ConflictError, ProcessError, suppress
from gitmem.frozen import frozen, replace
from gitmem.git import Git, worktrees
from gitmem.git.git import TreeEntry
from gitmem.git.objects import oid_of
from gitmem.git.worktrees import PathVersion
from gitmem.store import layout
from gitmem.store.view.safe_folder import NEW, ODD, Folder
from gitmem.store.view.state import View
from gitmem.store.view.worktree import head_of, refuse_locked, save
from gitmem.system import command_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    Merge = Callable[[View, str], tuple[View, Mapping[str, str], Collection[str]]]

FILE, HIDDEN, LEFT_OUT = "file", "hidden", ""
LIMITS = {
    layout.MEMORY: layout.MEMORY_LIMIT,
    layout.POLICY: layout.POLICY_LIMIT,
    layout.KNOWN: layout.POLICY_LIMIT,
}
NAME_CHARS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
# With more new files, their times are put into the index at once: otherwise the next look reads them all again.
TIMES_ABOVE = 200


@frozen
class ViewHead:
    """The state of the view's HEAD.

    Attributes:
        base: The commit to compare the files with.
        found: A commit that a person made there and that the branch lacks; empty if there is none.
    """

    base: str
    found: str


def bring(git: Git, view: View, tip: Callable[[], str], merge: Merge) -> View:
    """Update the view to the branch's tip; a commit that a person made in it is merged into the branch first.

    Args:
        git: The repository.
        view: The view, complete, with its lock held.
        tip: Returns the branch's tip.
        merge: Merges such a commit, and returns the new state of the view, the blobs by path that are now on the
            branch, and every path of the commit.
    """
    refuse_locked(git, view)
    committed = read_head(git, view, tip()).found
    if not committed:
        return refresh(git, view, tip())
    view, accepted, also = merge(view, committed)
    return refresh(git, view, tip(), accepted=accepted, also=also)


def read_head(git: Git, view: View, tip: str) -> ViewHead:
    """Return what the view shows, and what was committed in it.

    Raises:
        ConflictError: It was switched to something else.
    """
    head = head_of(git, view)
    if head in (view.shown, "") or not view.shown:
        return ViewHead(view.shown, "")
    if git.is_ancestor(head, tip):
        return ViewHead(head, "")  # by git itself (switch, merge): its files are there
    if git.is_ancestor(view.shown, head):
        return ViewHead(view.shown, head)
    raise ConflictError(
        f"the view {view.path} was switched to {head[:12]}, which is not a commit of the memory; it is left alone",
        hint=command_of("git", "-C", view.path, "switch", "--detach", view.shown[:12]),
    )


def form_of(entry: TreeEntry) -> str:
    """Return how an entry of the branch appears: as a file, in the index only, or not at all.

    Entries that a store may not have are also left out of the index, so that their attributes have no effect: git reads
    ``.gitattributes`` from the index if there is no file (gitattributes(5)). Verdicts are not for people.
    """
    place = layout.place_of(entry.path)
    is_blob = entry.type == "blob" and entry.mode in layout.REGULAR_MODES and bool(entry.oid.strip("0"))
    if not is_blob or isinstance(place, str):
        return LEFT_OUT
    if entry.path == layout.ATTRIBUTES_PATH:
        return FILE if entry.oid == oid_of(layout.ATTRIBUTES.encode(), len(entry.oid)) else LEFT_OUT
    if place.what in (layout.VERDICT, layout.BUCKET):
        return HIDDEN
    if place.what == layout.KNOWN and entry.path != layout.STATUS_PATH:
        parts = entry.path.split("/")[1:]
        return HIDDEN if all(p[:1] not in (".", "") and NAME_CHARS.issuperset(p) for p in parts) else LEFT_OUT
    return FILE if 0 <= entry.size <= LIMITS[place.what] else HIDDEN


def refresh(
    git: Git, view: View, tip: str, *, accepted: Mapping[str, str] | None = None, also: Collection[str] = ()
) -> View:
    """Update the view to the branch's tip and return its new state.

    Args:
        git: The repository.
        view: The view, complete, with its lock held.
        tip: The commit to show.
        accepted: Blobs by path that a person wrote and that are now on the branch, merged or not; an empty name for a
            deleted file that is to be restored.
        also: Further paths to check: those of a commit that a person made there.

    Raises:
        ConflictError: Another git process is writing it, or it was switched to something else.
        OSError: The disk is full or read-only; the next refresh continues from there.
    """
    refuse_locked(git, view)
    is_asked = accepted or also or view.held or view.toward
    if view.shown == tip == head_of(git, view) and not is_asked and _has_index(git, view):
        return view
    base = read_head(git, view, tip).base
    sides, is_whole = _sides(git, view, base, tip)
    seen = {side.path for side in sides}
    ours = _ours(git, view, base)
    toward = tuple(dict.fromkeys([*view.toward, tip]))
    save(git, replace(view, toward=toward))
    fields = {**view.held, **(accepted or {}), **dict.fromkeys(also), **ours}
    again = [path for path in fields if path not in seen]
    there = {entry.path: entry for entry in git.list_tree(tip, *again)} if again else {}
    for path in again:
        entry = there.get(path)
        sides.append(PathVersion(path, "", "", entry.mode if entry else "", entry.oid if entry else ""))
    sizes = git.sizes({oid for side in sides for oid in (side.old, side.new) if oid})
    held = dict(view.held)
    with Folder(view.path) as folder:
        changes = _Changes(sorted(sides, key=lambda side: side.path), sizes, len(tip), is_whole, bool(view.toward))
        shown = _settle(git, folder, changes, _Blobs(held, accepted or {}, ours))
    try:
        _index(git, view, changes, shown, also)
    except ProcessError:
        refuse_locked(git, view)
        if is_whole:
            raise
        os.unlink(_index_of(git, view))  # damaged: rebuilt from the shown commit
        return refresh(git, replace(view, held=held), tip, accepted=accepted, also=also)
    if held != view.held:
        save(git, replace(view, held=held, toward=toward))
    worktrees.move_head(view.git(git), tip)
    done = replace(view, shown=tip, held=held, toward=())
    save(git, done)
    return done


def _ours(git: Git, view: View, base: str) -> dict[str, set[str]]:
    """Return blobs that may be in files although *base* has others, because a refresh was interrupted."""
    blobs_by_path: dict[str, set[str]] = {}
    for commit in {view.shown, *view.toward} - {base, ""}:
        with suppress(ProcessError):
            if base:
                pairs = [(side.path, {side.old, side.new}) for side in worktrees.list_sides(git, base, commit)]
            else:
                pairs = [(entry.path, {"", entry.oid}) for entry in git.list_tree(commit)]
            for path, blobs in pairs:
                if _is_nameable(path):
                    blobs_by_path.setdefault(path, set()).update(blobs)
    return blobs_by_path


def unstage(git: Git, view: View) -> None:
    """Reset the index to the shown commit: staged changes become ordinary changes of the files.

    Raises:
        ProcessError: The index is locked or damaged.
    """
    staged = list_staged(git, view)
    back = [(side.old_mode, side.old, side.path) for side in staged if side.old]
    added = [side.path for side in staged if not side.old]
    worktrees.update_index(view.git(git), back, added, length=len(view.shown))


def list_staged(git: Git, view: View) -> list[PathVersion]:
    """Return what is staged in the view; a file missing from the index was not deleted by a person."""
    sides = worktrees.list_staged(view.git(git), view.shown)
    sizes = git.sizes({side.old for side in sides if side.old})
    return [s for s in sides if s.new or form_of(_entry(s.path, s.old_mode, s.old, sizes)) == FILE]


def list_unsaved(git: Git, view: View) -> list[tuple[str, str]]:
    """Return unsaved changes in the view as tag (``C``, ``R``, ``?``) and path, sorted by path.

    Raises:
        ProcessError: The index is damaged.
    """
    tags = {path: tag for tag, path in worktrees.list_changed(view.git(git)) if path != NEW}
    for side in list_staged(git, view):
        tags.setdefault(side.path, "C")
    return sorted(((tag, path) for path, tag in tags.items()), key=lambda pair: pair[1])


def without_ours(git: Git, view: View, paths: Iterable[str]) -> list[str]:
    """Return those of some paths whose files were changed by a person; a refresh may be running at the same time.

    Args:
        git: The repository.
        view: The state of the view after the files were compared.
        paths: Paths at which the file differs from the index, or the index from the commit.
    """
    wanted: dict[str, set[str]] = {path: set() for path in paths}
    for commit in filter(None, {view.shown, *view.toward} if wanted else ()):
        there = {entry.path: entry for entry in git.list_tree(commit, *wanted)}
        for path, blobs in wanted.items():
            blobs.add(there[path].oid if path in there and form_of(there[path]) == FILE else "")
    with Folder(view.path) as folder:
        return [path for path, blobs in wanted.items() if folder.oid(path, len(view.shown)) not in blobs]


def _has_index(git: Git, view: View) -> bool:
    return os.path.isfile(_index_of(git, view))


def _index_of(git: Git, view: View) -> str:
    return os.path.join(view.admin(git), "index")


def _sides(git: Git, view: View, base: str, tip: str) -> tuple[list[PathVersion], bool]:
    """Return the differences, and whether they are complete: then the index is rebuilt."""
    if base and _has_index(git, view):
        # That commit may be gone: the branch was rewritten, and the old commits were collected.
        with suppress(ProcessError):
            return worktrees.list_sides(git, base, tip), False
    known = (
        {entry.path: (entry.mode, entry.oid) for entry in git.list_tree(base)} if base and git.has(base, "tree") else {}
    )
    if not known and _has_index(git, view):
        # With a damaged index, any file that is not on the branch counts as a person's.
        with suppress(ProcessError):
            known = {path: (mode, oid) for mode, oid, path in worktrees.list_index(view.git(git))}
    sides = []
    new = {entry.path: entry for entry in reversed(git.list_tree(tip))}
    for path in {**known, **new}:
        old_mode, old = known.get(path, ("", ""))
        sides.append(PathVersion(path, old_mode, old, *((new[path].mode, new[path].oid) if path in new else ("", ""))))
    return sides, True


@frozen
class _Changes:
    """What a refresh has to show.

    Attributes:
        sides: The differences, by path.
        sizes: The size of each blob.
        length: The length of an object's name.
        is_whole: Whether the differences are complete: then the index is rebuilt.
        was_cut: Whether an earlier refresh was cut short: it wrote the blank files, whose content never reached the
            disk.
    """

    sides: Sequence[PathVersion]
    sizes: Mapping[str, int]
    length: int
    is_whole: bool
    was_cut: bool


@frozen
class _Blobs:
    """The blobs by path that a file may hold: what a person changed, what was accepted of it, and what we wrote."""

    held: dict[str, str]
    accepted: Mapping[str, str]
    ours: Mapping[str, set[str]]


def _settle(git: Git, folder: Folder, changes: _Changes, blobs: _Blobs) -> dict[str, str]:
    """Write, delete or leave each file; return how each path appears now, and update what is held."""
    sizes, held, accepted, ours = changes.sizes, blobs.held, blobs.accepted, blobs.ours
    shown: dict[str, str] = {}
    wanted: list[tuple[PathVersion, str, str]] = []
    for side in changes.sides:
        shown[side.path] = form_of(_entry(side.path, side.mode, side.new, sizes))
        was = side.old if form_of(_entry(side.path, side.old_mode, side.old, sizes)) == FILE else ""
        new = side.new if shown[side.path] == FILE else ""
        if not was and not new and not any(side.path in asked for asked in (held, accepted, ours)):
            continue
        left = {held.get(side.path, was), accepted.get(side.path), *ours.get(side.path, ())}
        there = folder.oid(side.path, changes.length)
        if there == new:
            held.pop(side.path, None)
        elif there != ODD and (there in left or (changes.was_cut and folder.is_blank(side.path))):
            held.pop(side.path, None)
            if new:
                wanted.append((side, was, there))
            else:
                folder.remove(side.path)
        elif side.path in accepted:
            held[side.path] = accepted[side.path]
        elif was != new:
            held.setdefault(side.path, was)
    contents = git.read_blobs(side.new for side, _, _ in wanted)
    for (side, was, there), (_, content) in zip(wanted, contents, strict=True):
        if content is not None and not folder.write(side.path, content, mode=side.mode, instead=there):
            held.setdefault(side.path, was)
    folder.sync([side.path for side, _, _ in wanted])
    return shown


def _entry(path: str, mode: str, oid: str, sizes: Mapping[str, int]) -> TreeEntry:
    return TreeEntry(mode, "commit" if mode == "160000" else "blob", oid, sizes.get(oid, -1), path)


def _index(git: Git, view: View, changes: _Changes, shown: Mapping[str, str], also: Collection[str]) -> None:
    """Set the index entry of each path, shown or not, to that of the commit, so that git status is clean."""
    mine, sides, is_whole = view.git(git), changes.sides, changes.is_whole
    if is_whole and _has_index(git, view):
        os.unlink(_index_of(git, view))
    entries = [(side.mode, side.new, side.path) for side in sides if shown[side.path] != LEFT_OUT]
    left_out = [side.path for side in sides if shown[side.path] == LEFT_OUT and not is_whole]
    gone = [path for path in left_out if path in also or _is_nameable(path)]
    worktrees.update_index(mine, entries, gone, length=changes.length)
    worktrees.hide(mine, [path for _, _, path in entries if shown[path] == HIDDEN])
    if len(entries) > TIMES_ABOVE:
        worktrees.remember_times(mine)


def _is_nameable(path: str) -> bool:
    """Return whether the index can contain such a path: never one that a store may not have."""
    return isinstance(layout.place_of(path), layout.StorePath)
