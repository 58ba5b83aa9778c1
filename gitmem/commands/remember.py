"""Remember one memory, or many that share a commit, from a person, an agent or a program."""

from __future__ import annotations

from gitmem.document.anchors import FIELD
from gitmem.frozen import frozen, replace
from gitmem.store.scopes import DOMAIN, PRIVATE, PROJECT, UNIVERSAL, refuse_misplaced
from gitmem.verify.references import anchors_for, list_never_there
from gitmem.write.draft import make_draft, refuse_project_code, validate_draft
from gitmem.write.duplicates import ALLOW, REFUSE
from gitmem.write.queue import Queue

# The kinds that people record most.
KINDS_NAMED = ("learned", "gotcha", "pattern", "recipe", "decision", "convention")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from gitmem.repository import OpenRepository
    from gitmem.repository.open_store import OpenStore
    from gitmem.write.draft import Draft
    from gitmem.write.new_memory import NewMemory
    from gitmem.write.place import Change


@frozen
class WantedPlace:
    """Where the author of a memory wants it.

    Attributes:
        collection: The collection that it must belong to; empty for any.
        scope: Who reads it; empty for its collection's scope.
        in_tree: Whether it is a file of the code.
    """

    collection: str = ""
    scope: str = ""
    in_tree: bool = False


def remember(store: OpenStore, new: NewMemory, *, force: bool = False, is_strict: bool = True) -> Change:
    """Write a memory.

    Args:
        store: The store.
        new: What its author gives of it.
        force: Write it even if another memory says the same.
        is_strict: Refuse a reference to a missing file, or to lines past the end of one.

    Raises:
        RefusedError: It cannot be written.
        DuplicateError: Another memory says the same.
    """
    new = with_anchors(store, new, is_strict=is_strict)
    again = ALLOW if force else REFUSE
    change = store.writer().remember(draft_of(store, new), store.policy(), verb="remember", again=again)
    _note_rotation(store, [change])
    if change.is_new and new.kind not in store.policy().kinds:
        _note_kind(store, new.kind)
    if change.is_written and store.store.scope in (PROJECT, PRIVATE):
        store.notices += list_never_there(store.git, new.fields.get("paths") or (), typed=store.typed)
    return change


def settle_place(repository: OpenRepository, new: NewMemory, place: WantedPlace) -> tuple[NewMemory, str]:
    """Return a memory with its kind, and its scope: those of its collection if its author gave none.

    Raises:
        UsageError: There is no such collection, or it does not accept the kind.
        RefusedError: The memory does not fit that scope.
    """
    policy, kind, domains = repository.policy(), new.kind, new.fields.get("domains") or ()
    if place.collection:
        from gitmem.policy.collection_rules import kind_for

        kind = kind_for(policy, place.collection, kind)
    kind = kind or "learned"
    home = PROJECT if place.in_tree or domains else policy.home_of(kind)
    if home != (place.scope or PROJECT) and not place.scope:
        repository.notices.append(f"kept in the {home} scope, as its collection says (--scope project keeps it here)")
    scope = place.scope or home
    refuse_misplaced(scope, domains, in_tree=place.in_tree)
    if scope in (DOMAIN, UNIVERSAL):
        text = f"{new.title}\n{new.text}"
        refuse_project_code(kind, new.fields.get("refs") or (), text, scope=scope, policy=policy)
    repository.note_unread(scope, domains)
    return replace(new, kind=kind), scope


def with_anchors(store: OpenStore, new: NewMemory, *, is_strict: bool) -> NewMemory:
    """Return a memory with the anchors of its references, as ``anchor_fields`` makes them."""
    return replace(new, fields={**new.fields, **anchor_fields(store, new.fields, is_strict=is_strict)})


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

    def draft(new: NewMemory) -> Draft:
        new_draft = draft_of(store, with_anchors(store, new, is_strict=False))
        validate_draft(new_draft, store.policy())
        return new_draft

    def write(drafts: list[Draft]) -> list[Change]:
        changes = store.writer().remember_all(drafts, store.policy())
        _note_rotation(store, changes)
        return changes

    return Queue(draft, write)


def draft_of(store: OpenStore, new: NewMemory) -> Draft:
    """Return the draft of a memory by this clone's author."""
    return make_draft(new, author=store.author(), policy=store.policy(), now=store.now)


def _note_kind(store: OpenStore, kind: str) -> None:
    """Note that this memory is the first of a kind that the policy does not name: it may be a slip."""
    if store.catalog().row("SELECT count(*) FROM memory WHERE kind = ?", (kind,))[0] == 1:
        known = ", ".join(KINDS_NAMED)
        store.notices.append(f"{kind} is a new kind, without rules of its own; known kinds are {known}, …")


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
