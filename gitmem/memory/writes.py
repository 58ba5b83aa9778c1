"""``Memory.remember`` and ``Memory.fact``: where a memory is written, and the messages about it."""

from __future__ import annotations

from gitmem.commands.remember import remember as write
from gitmem.commands.remember import settle_place
from gitmem.document.api_options import names_of
from gitmem.document.memory_fields import FactOptions, JudgingOptions, frontmatter_of
from gitmem.memory.duplicate_status import DuplicateStatus
from gitmem.store.scopes import PRIVATE, refuse_misplaced
from gitmem.write.new_memory import NewMemory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitmem.commands.remember import WantedPlace
    from gitmem.repository import OpenRepository
    from gitmem.write.place import Change


def remember(repository: OpenRepository, new: NewMemory, place: WantedPlace, *, force: bool) -> Change:
    """Write a memory where its author or its collection wants it."""
    new, scope = settle_place(repository, new, place)
    store = repository.in_tree(makes_room=True) if place.in_tree else repository.store_for(scope)
    with DuplicateStatus(store):
        return repository.with_notice(write(store, new, force=force))


def fact(repository: OpenRepository, title: str, verify: Any, options: FactOptions, place: WantedPlace) -> Change:
    """Write a fact with its check; takes the arguments of ``Memory.fact``."""
    from gitmem.commands.fact import Judging, check_from, write_fact  # 20 ms, which `remember` starts without

    fields = frontmatter_of(options, FactOptions, what="Memory.fact")
    judging = Judging(**{name: fields.pop(name) for name in names_of(JudgingOptions) if name in fields})
    verify = check_from(verify, fields)
    body, key, domains = fields.pop("body", ""), fields.pop("key", ""), fields.get("domains") or ()
    refuse_misplaced(place.scope, domains, in_tree=place.in_tree)
    new = NewMemory(body, {**fields, "verify": verify}, title, key=key)
    if place.scope == PRIVATE:
        with DuplicateStatus(repository.private()):
            return write_fact(repository.private(), new, judging)
    home = repository.in_tree(makes_room=True) if place.in_tree else repository.store_for(place.scope)
    elsewhere = None if home is repository else home
    repository.note_unread(place.scope, domains)
    with DuplicateStatus(home):
        return repository.with_notice(write_fact(repository, new, judging, home=elsewhere))
