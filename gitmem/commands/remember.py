"""Remember one memory, or many that share a commit, from a person, an agent or a program."""

from __future__ import annotations

from gitmem.document.anchors import FIELD
from gitmem.policy import REMEMBER
from gitmem.store import DOMAIN, PRIVATE, PROJECT, UNIVERSAL, refuse_misplaced
from gitmem.verify.references import anchors_for
from gitmem.write.draft import make_draft, refuse_project_code, validate_draft
from gitmem.write.duplicates import ALLOW, REFUSE
from gitmem.write.queue import Queue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from gitmem.repository import OpenRepository
    from gitmem.repository.open_store import OpenStore
    from gitmem.write.draft import Draft
    from gitmem.write.place import Change


def remember(store: OpenStore, text: str, *, force: bool = False, is_strict: bool = True, **options: Any) -> Change:
    """Write a memory.

    Args:
        store: The store.
        text: The text.
        force: Write it even if another memory says the same.
        is_strict: Refuse a reference to a missing file, or to lines past the end of one.
        options: ``title``, ``kind``, ``key``, ``writer`` (``policy.collections.WRITERS``), and further fields by name.

    Raises:
        RefusedError: It cannot be written.
        DuplicateError: Another memory says the same.
    """
    again = ALLOW if force else REFUSE
    options |= anchor_fields(store, options, is_strict=is_strict)
    change = store.writer().remember(draft_of(store, text, **options), store.policy(), verb="remember", again=again)
    _note_rotation(store, [change])
    return change


def kind_and_scope(
    repository: OpenRepository,
    text: str,
    fields: Mapping[str, Any],
    *,
    kind: str,
    collection: str,
    scope: str,
    in_tree: bool = False,
) -> tuple[str, str]:
    """Return the kind and scope of a memory, from its collection if its author gave none.

    Raises:
        UsageError: There is no such collection, or it does not accept the kind.
        RefusedError: The memory does not fit that scope.
    """
    policy = repository.policy()
    if collection:
        from gitmem.policy.collections import kind_for

        kind = kind_for(policy, collection, kind)
    kind = kind or "learned"
    home = PROJECT if in_tree or fields.get("domains") else policy.home_of(kind)
    if home != (scope or PROJECT) and not scope:
        repository.notices.append(f"kept in the {home} scope, as its collection says (--scope project keeps it here)")
    scope = scope or home
    refuse_misplaced(scope, fields.get("domains", ()), in_tree=in_tree)
    if scope in (DOMAIN, UNIVERSAL):
        refuse_project_code(kind, fields.get("refs") or (), text, scope=scope, policy=policy)
    repository.note_unread(scope, fields.get("domains", ()))
    return kind, scope


def anchor_fields(store: OpenStore, fields: Mapping[str, Any], *, is_strict: bool) -> dict[str, Any]:
    """Return the field with the anchors of a memory's references to lines of code; nothing if there are none.

    Args:
        store: Where it is written: the project's store, or the person's own, which has no code.
        fields: The memory's fields.
        is_strict: Refuse a reference to a missing file, or to lines past the end of one.

    Raises:
        RefusedError: A file is missing or too short.
    """
    refs = fields.get("refs") or ()
    if store.store.scope not in (PROJECT, PRIVATE) or FIELD in fields or not refs:
        return {}
    anchors = anchors_for(
        store.git, [refs] if isinstance(refs, str) else list(refs), is_strict=is_strict, typed=store.typed
    )
    return {FIELD: anchors} if anchors else {}


def queue(store: OpenStore) -> Queue:
    """Return a queue whose memories share commits."""

    def draft(text: str, **options: Any) -> Draft:
        options |= anchor_fields(store, options, is_strict=False)
        made = draft_of(store, text, **options)
        validate_draft(made, store.policy())
        return made

    def write(drafts: list[Draft]) -> list[Change]:
        changes = store.writer().remember_all(drafts, store.policy())
        _note_rotation(store, changes)
        return changes

    return Queue(draft, write)


def draft_of(
    store: OpenStore,
    text: str,
    *,
    title: str = "",
    kind: str = "learned",
    key: str = "",
    writer: str = REMEMBER,
    **options: Any,
) -> Draft:
    """Return the draft of a memory by this clone's author, with further fields by name."""
    return make_draft(
        text,
        title=title,
        kind=kind,
        key=key,
        options=options,
        author=store.author(),
        policy=store.policy(),
        now=store.now,
        writer=writer,
    )


def _note_rotation(store: OpenStore, changes: Sequence[Change]) -> None:
    """Note what was archived, or what a later write will archive."""
    if rotated := sum(change.rotated for change in changes):
        store.notices.append(
            f"{rotated} old memories moved to the archive: there are more than "
            f"{store.policy().rotation.limit} of their kind; gitmem recall --all finds them, gitmem restore "
            "KEY restores one (gitmem policy set rotation.limit 0 switches this off)"
        )
    else:
        store.notices += list(dict.fromkeys(change.rotation for change in changes if change.rotation))[-1:]
