"""Save edits in the view and commits made there: merge each file onto the branch's tip."""

from __future__ import annotations

from gitmem.document.spec import own_spec
from gitmem.errors import NotFoundError, RefusedError
from gitmem.frozen import frozen, replace
from gitmem.git import worktrees
from gitmem.store import layout
from gitmem.store.view import refresh
from gitmem.store.view import worktree as views
from gitmem.store.view.safe_folder import Folder
from gitmem.store.view.state import View
from gitmem.verify import trivial
from gitmem.write.draft import refuse_typed
from gitmem.write.place import find_known
from gitmem.write.saver import EditedFile, How, Refusal, Saver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from gitmem.model import Document
    from gitmem.repository import OpenRepository
    from gitmem.write.place import Change


@frozen
class SaveResult:
    """The result of a save.

    Attributes:
        changes: The written memories, by path.
        refused: The refused files, with reasons.
        restored: Files that were deleted in the folder and have been restored.
        forgotten: Memories that were retired because their files were deleted (only on request).
        others: The number of files that are not memories, which were left alone.
    """

    changes: tuple[Change, ...] = ()
    refused: tuple[Refusal, ...] = ()
    restored: tuple[str, ...] = ()
    forgotten: tuple[str, ...] = ()
    others: int = 0


def save(
    repository: OpenRepository, *, message: str = "", forget: bool = False, mine: Collection[str] = ()
) -> SaveResult:
    """Commit a person's edits in the view, each file merged onto the branch's tip.

    Args:
        repository: The memory.
        message: The commit's message.
        forget: Whether to retire memories whose files were deleted; otherwise the files are restored.
        mine: Keys whose text in the view wins over the branch.

    Raises:
        NotFoundError: There is no view, or no such key.
        RefusedError: The code has files in that folder as well; or the message holds a secret or a hidden character.
    """
    repository.need_store()
    refuse_typed("the message", message, repository.policy())
    wins = frozenset(repository.need(mine))
    with views.lock(repository.git, "save", repository.config.lock_timeout_s):
        view = views.find(repository.git)
        if view is None:
            raise NotFoundError("there is no view to save from", hint="create it: gitmem view")
        views.refuse_tracked(repository.git, view.path)
        view = refresh.bring(
            repository.git, view, repository.tip, lambda view, found: merge_found(repository, view, found)
        )
        views.refuse_locked(repository.git, view)
        refresh.unstage(repository.git, view)
        unsaved = refresh.list_unsaved(repository.git, view)
        removed = [path for tag, path in unsaved if tag == "R"]
        items, refused, others = _items(repository, view, unsaved)
        saver = _saver(repository, message=message, wins=wins)
        saver.save(items)
        moved = {layout.memory_key(item.path) for item in items}
        gone = [layout.memory_key(path) for path in removed if layout.memory_key(path) not in moved] if forget else []
        forgotten = _forget(repository, [key for key in gone if key])
        accepted = saver.accepted | dict.fromkeys(removed, "")
        refresh.refresh(repository.git, view, repository.tip(), accepted=accepted)
    back = [p for p in removed if layout.memory_key(p) not in forgotten and layout.memory_key(p) not in moved]
    return SaveResult(
        tuple(saver.changes),
        (*refused, *saver.refused),
        tuple(back),
        forgotten,
        others,
    )


def merge_found(repository: OpenRepository, view: View, found: str) -> tuple[View, Mapping[str, str], Collection[str]]:
    """Merge a commit that a person made in the view into the branch; the results are among the notices.

    Returns:
        The state of the view, the blobs by path that are now on the branch, and every path of the commit.
    """
    git = repository.git
    ref = views.keep(git, found)
    sides = worktrees.list_sides(git, view.shown, found)
    sizes = git.sizes(side.new for side in sides if side.new)
    # A missing file never means deletion; files that do not belong to a store stay where they are, and in that commit.
    whole = [s for s in sides if s.mode in layout.REGULAR_MODES and 0 <= sizes.get(s.new, -1) <= layout.MEMORY_LIMIT]
    contents = git.read_blobs(side.new for side in whole)
    items = [
        EditedFile(side.path, content or b"", view.held.get(side.path, side.old))
        for side, (_, content) in zip(whole, contents, strict=True)
    ]
    message = git.run("log", "-1", "--format=%B", found).stdout.decode("utf-8", "replace")
    saver = _saver(repository, message=_usable_message(repository, message), source=found)
    saver.save(items)
    repository.notices.append(f"found a commit in the view: {found[:12]}, kept as {ref}")
    repository.notices += [
        f"{change.key or change.path} of that commit is on the branch now" for change in saver.changes
    ]
    repository.notices += [
        f"{refusal.path} of that commit was not saved: {refusal.reason}" for refusal in saver.refused
    ]
    left = [item for item in items if item.path not in saver.accepted]
    bases = {item.path: item.base for item in left if isinstance(layout.place_of(item.path), layout.StorePath)}
    return replace(view, held={**view.held, **bases}), saver.accepted, [side.path for side in sides]


def _usable_message(repository: OpenRepository, message: str) -> str:
    """Return the message of a found commit, or an empty one if a commit of the store must not contain it."""
    try:
        refuse_typed("the message", message.strip(), repository.policy())
    except RefusedError:
        return ""
    return message.strip()


def _saver(repository: OpenRepository, *, message: str, source: str = "", wins: frozenset[str] = frozenset()) -> Saver:
    def inspect(document: Document, before: Document | None) -> None:
        """Refuse a changed check that cannot fail; whether it holds is for a verify run to say."""
        spec = own_spec(document)
        if spec is None or spec == (own_spec(before) if before is not None else None):
            return
        trivial.refuse_trivial(document.key, spec.check)
        # Once, though a save is planned again if another writer was faster.
        repository.add_notice(f"the check of {document.key} is new; it is unproven until you run gitmem verify")

    how = How(repository.policy(), inspect, message, source, wins)
    return Saver(repository.writer(), repository.git, repository.catalog_at, how)


def _items(
    repository: OpenRepository, view: View, unsaved: list[tuple[str, str]]
) -> tuple[list[EditedFile], list[Refusal], int]:
    """Return the files to save with their bases; the unreadable ones; and how many are not memories."""
    removed = {layout.memory_key(path): path for tag, path in unsaved if tag == "R" and layout.memory_key(path)}
    wanted = [path for tag, path in unsaved if tag != "R"]
    paths = [*wanted, *removed.values()]
    known = {entry.path: entry.oid for entry in repository.git.list_tree(view.shown, *paths)} if paths else {}
    items: list[EditedFile] = []
    refused: list[Refusal] = []
    others = 0
    with Folder(view.path) as folder:
        for path in wanted:
            if path not in known and not path.endswith(".md"):
                others += 1
                continue
            try:
                content = folder.read(path)
            except ValueError as err:
                refused.append(Refusal(path, str(err)))
                continue
            if content is not None:
                began = known.get(path) or known.get(removed.get(layout.memory_key(path), ""), "")
                items.append(EditedFile(path, content, view.held.get(path, began)))
    return items, refused, others


def _forget(repository: OpenRepository, keys: list[str]) -> tuple[str, ...]:
    catalog = repository.catalog()
    live = [key for key in keys if (known := find_known(catalog, key)) is not None and not known.archived]
    if not live:
        return ()
    changes = repository.writer().forget(live, why="its file was deleted in the view")
    return tuple(change.key for change in changes)
