"""Archive memories, restore them, and let one supersede another, in the store that holds them."""

from __future__ import annotations

from gitmem.errors import RefusedError
from gitmem.repository.companion import holder_to_change

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitmem.repository import OpenRepository
    from gitmem.repository.open_store import OpenStore
    from gitmem.store.scopes import Store
    from gitmem.write.place import Change


def forget(repository: OpenRepository, keys: Sequence[str], *, why: str, scope: str) -> Sequence[Change]:
    """Archive memories; one commit for those of one store."""
    from gitmem.write.draft import refuse_typed

    refuse_typed("the reason", why, repository.policy())
    held = [_home_of(holder_to_change(repository, key, scope)) for key in keys]
    return _each_store(repository, held, lambda store, own: store.writer().forget(own, why=why))


def restore(repository: OpenRepository, keys: Sequence[str], *, scope: str) -> Sequence[Change]:
    """Restore archived memories; one commit for those of one store."""
    held = [holder_to_change(repository, key, scope) for key in keys]
    return _each_store(repository, held, lambda store, own: store.writer().restore(own))


def _home_of(held: tuple[OpenStore, str]) -> tuple[OpenStore, str]:
    """Return where a memory is retired: it stays true wherever its code exists."""
    from gitmem.document.parse import parse

    store, key = held
    return store.home_of(parse(store.text_of(key), path=f"{key}.md")), key


def _each_store(
    repository: OpenRepository,
    held: Sequence[tuple[OpenStore, str]],
    change: Callable[[OpenStore, list[str]], Sequence[Change]],
) -> Sequence[Change]:
    done: dict[tuple[Store, bool, str], Change] = {}
    for store in {(store.store, store.is_in_tree): store for store, _ in held}.values():
        place = (store.store, store.is_in_tree)
        own = [key for holder, key in held if (holder.store, holder.is_in_tree) == place]
        done |= {(*place, one.key): one for one in change(store, own)}
    results = dict.fromkeys((store.store, store.is_in_tree, key) for store, key in held)
    return [repository.with_notice(done[result]) for result in results]


def supersede(repository: OpenRepository, old: str, new: str, *, scope: str) -> Change:
    """Let one memory supersede another one of the same store."""
    (above, new_key), (store, old_key) = (
        holder_to_change(repository, new, scope),
        holder_to_change(repository, old, scope),
    )
    store = _home_of((store, old_key))[0]
    if store.store.companion and above is repository:
        above = store
    if above.store.companion and store is repository:
        store = above
    if (store.store, store.is_in_tree) != (above.store, above.is_in_tree):
        message = f"{old_key} and {new_key} have different scopes, but a link must stay within one"
        raise RefusedError(message, hint=f"gitmem promote {new_key}; or gitmem forget {old_key} --why …")
    return repository.with_notice(store.writer().supersede(old_key, new_key, store.policy()))
