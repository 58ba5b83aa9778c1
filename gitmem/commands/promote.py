"""Promote a memory to a wider scope: write it there unchanged, then retire the original.

If interrupted in between, both exist, and promoting it again finishes.
"""

from __future__ import annotations

from gitmem.document.parse import parse
from gitmem.errors import RefusedError
from gitmem.frozen import replace
from gitmem.repository.holder import holder_of
from gitmem.store.scopes import DOMAIN, PRIVATE, PROJECT, UNIVERSAL, refuse_misplaced
from gitmem.write import place
from gitmem.write.draft import Draft, refuse_project_code
from gitmem.write.duplicates import ALLOW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.model import Document
    from gitmem.repository import OpenRepository
    from gitmem.repository.open_store import OpenStore
    from gitmem.write.place import Change

# From the fewest readers to the most.
WIDTH = (PRIVATE, PROJECT, DOMAIN, UNIVERSAL)
# Fields that are only valid within one store.
LINKS = ("supersedes", "superseded_by")


def promote(
    repository: OpenRepository, typed: str, *, to: str, domains: Sequence[str], name: str, scope: str
) -> Change:
    """Write a memory to a wider scope and retire the original.

    Args:
        repository: The repository's memory.
        typed: The key as typed.
        to: The wider scope.
        domains: Further domains, for the scope domain.
        name: Another key for it there, or empty.
        scope: The scope to look for the key in, or empty.

    Raises:
        RefusedError: Its scope is not narrower; it was retired; another memory has the key there.
    """
    store, key = holder_of(repository, typed, scope)
    has = repository.scope_of(store, key)
    if WIDTH.index(to) <= WIDTH.index(has):
        message = f"{key} already has the scope {has}: the scope {to} is not wider"
        raise RefusedError(message, hint=f"gitmem show {key} --scope {has}")
    document = parse(store.text_of(key), path=f"{key}.md")
    if "retired" in document.fields:
        raise RefusedError(f"{key} was retired", hint="a retired memory cannot be promoted")
    if to in (DOMAIN, UNIVERSAL):
        refs, text = document.strings("refs"), f"{document.title}\n{document.body}"
        refuse_project_code(document.kind, refs, text, scope=to, policy=repository.policy())
    fields = _fields(document, to, domains)
    target, new = repository.store_for(to), name or key
    _refuse_taken(target, new, document, to)
    draft = Draft(new, True, fields, document.body)
    change = target.writer().remember(draft, target.policy(), verb="promote", again=ALLOW)
    if to == PROJECT:  # what was proved here need not run again
        known = store.local.verdicts([key]).get(key, [])
        repository.local.add_verdicts([replace(verdict, key=change.key) for verdict in known])
    if target.store == store.store and not store.is_in_tree and change.key == key:
        return change  # from a domain to everyone: the same file, for more readers
    renamed = f" as {change.key}" if change.key != key else ""
    store.writer().forget([key], why=f"promoted to the {to} scope{renamed}")
    return change


def _fields(document: Document, to: str, domains: Sequence[str]) -> dict[str, object]:
    """Return the fields for the wider scope: all of them except links that would lead nowhere."""
    fields = {name: value for name, value in document.fields.items() if name not in LINKS}
    named = list(dict.fromkeys([*document.strings("domains"), *domains]))
    if to == UNIVERSAL:
        refuse_misplaced(to, domains)
        fields.pop("domains", None)
    elif to == DOMAIN:
        refuse_misplaced(to, named)
        fields["domains"] = named
    return fields


def _refuse_taken(target: OpenStore, key: str, document: Document, to: str) -> None:
    known = place.find_known(target.catalog(), key) if target.has_store() else None
    if known is None or known.archived:
        return
    there = (known.kind, known.title, place.body_of(target.catalog(), known))
    if there != (document.kind, document.title, document.body):
        message = f"the scope {to} has another memory {key}: {known.title}"
        raise RefusedError(message, hint="give this one another key there: --key NAME")
