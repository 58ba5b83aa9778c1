"""The commands that write memories of any scope, as methods: the half of ``Memory`` that the rest builds on."""

from __future__ import annotations

from gitmem.errors import DuplicateError, RefusedError
from gitmem.memory.share import Exchanged
from gitmem.store.scope import DOMAIN, PRIVATE, PROJECT, refuse_misplaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from gitmem.commands.curate.dedupe import Deduped
    from gitmem.repository.proving_store import ProvingStore
    from gitmem.write.writer import Change


class Telling:
    """Adds to the error about a memory that says something already what its check says, as a context manager."""

    def __init__(self, store: ProvingStore) -> None:
        self._store = store

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *_: object) -> None:
        """Complete the error, where it is that one."""
        if not isinstance(error, DuplicateError) or error.status:
            return
        from gitmem.index.catalog.state import suspects, tell

        catalog = self._store.catalog()
        row = catalog.row("SELECT id FROM memory WHERE key = ? AND shadowed = 0", (error.key,))
        if row:
            ground = self._store.ground(catalog)
            told = tell(catalog, ground, [row[0]], now=self._store.now, chains=suspects(catalog, ground))
            error.status = told[row[0]].status
            error.message += f" ({error.status})" if error.status else ""


class Writes(Exchanged):
    """The memory of one repository, to write to."""

    def remember(
        self,
        text: str,
        *,
        title: str = "",
        kind: str = "learned",
        key: str = "",
        scope: str = PROJECT,
        in_tree: bool = False,
        **options: Any,
    ) -> Change:
        """Write a memory of a scope; returns what was done (``write.writer.Change``)."""
        from gitmem.commands.remember import remember

        refuse_misplaced(scope, options.get("domains", ()), in_tree=in_tree)
        store = self.in_tree() if in_tree else self.store_for(scope)
        with Telling(store):
            done = self.told(remember(store, text, title=title, kind=kind, key=key, **options))
        self._tell_unread(scope, options.get("domains", ()))
        return done

    def inject(self, text: str, *, category: str, worker: str = "", **options: Any) -> Change:
        """Pass a learning on to one worker, or to all who share the project's memory."""
        from gitmem.commands.workflow.inject import inject

        return inject(self, text, category=category, worker=worker, **options)

    def edit(
        self,
        key: str,
        change: Callable[[str], str],
        *,
        approve: bool = False,
        scope: str = "",
        force: bool = False,
    ) -> Change:
        """Change the text of one memory in place; a changed check must hold, as for a new fact."""
        from gitmem.commands.fact import edit_text

        store, full_key = self.holder(key, scope)
        with Telling(store):
            return self.told(edit_text(store, full_key, change, approve=approve, force=force))

    def edit_fields(
        self,
        key: str,
        changes: Mapping[str, Any],
        body: str | None,
        *,
        approve: bool,
        scope: str = "",
        force: bool = False,
    ) -> Change:
        """Change fields, and the body where it is not None; a changed check must hold, as for a new fact."""
        from gitmem.commands.fact import edit_fields

        store, full_key = self.holder(key, scope)
        with Telling(store):
            return self.told(edit_fields(store, full_key, changes, body, approve=approve, force=force))

    def change_of(self, key: str, *, scope: str = "") -> Change:
        """Return where a memory lies now, as a write that changed nothing more."""
        from gitmem.write.writer import Change, need_known

        store, full_key = self.holder(key, scope)
        known = need_known(store.catalog(), full_key)
        return Change(known.key, known.path, store.source()[0])

    def forget(self, keys: Sequence[str], *, why: str = "", scope: str = "") -> Sequence[Change]:
        """Retire memories: they leave search and stay in the archive, one commit for those of one store."""
        from gitmem.write.draft import refuse_typed

        refuse_typed("the reason", why, self.policy())
        return self._each_store(keys, scope, lambda store, own: store.writer().forget(own, why=why))

    def restore(self, keys: Sequence[str], *, scope: str = "") -> Sequence[Change]:
        """Bring back memories that were forgotten or rotated, as they were, one commit for those of one store."""
        return self._each_store(keys, scope, lambda store, own: store.writer().restore(own))

    def _each_store(
        self, keys: Sequence[str], scope: str, change: Callable[[ProvingStore, list[str]], Sequence[Change]]
    ) -> Sequence[Change]:
        held = [self.holder(key, scope) for key in keys]
        done: dict[tuple[str, bool, str], Change] = {}
        for store in {(store.store.scope, store.is_in_tree): store for store, _ in held}.values():
            place = (store.store.scope, store.is_in_tree)
            own = [key for holder, key in held if (holder.store.scope, holder.is_in_tree) == place]
            done |= {(*place, one.key): one for one in change(store, own)}
        found = dict.fromkeys((store.store.scope, store.is_in_tree, key) for store, key in held)
        return [self.told(done[one]) for one in found]

    def supersede(self, old: str, new: str, *, scope: str = "") -> Change:
        """Let one memory take the place of another of the same store."""
        (above, new_key), (store, old_key) = self.holder(new, scope), self.holder(old, scope)
        if (store.store, store.is_in_tree) != (above.store, above.is_in_tree):
            told = f"{old_key} and {new_key} are of different scopes, and a link holds within one"
            raise RefusedError(told, hint=f"gitmem promote {new_key}; or gitmem forget {old_key} --why …")
        return self.told(store.writer().supersede(old_key, new_key, store.policy()))

    def dedupe(self, *, scope: str = PROJECT, threshold: float = 0.0, apply: bool = False) -> Deduped:
        """Find near duplicates of a whole store, as groups; supersede them in one commit where *apply* is set."""
        from gitmem.commands.curate.dedupe import apply_groups, find_groups

        store = self.store_for(scope) if scope != PROJECT else self
        found = find_groups(store, threshold=threshold, told=self._told("comparing memories"))
        return apply_groups(store, found) if apply and found.groups else found

    def promote(
        self, key: str, *, to: str = PROJECT, domains: Sequence[str] = (), name: str = "", scope: str = ""
    ) -> Change:
        """Pass a memory on to a wider scope, and retire it where it was."""
        from gitmem.commands.promote import promote

        return promote(self, key, to=to, domains=domains, name=name, scope=scope)

    def fact(self, title: str, *, scope: str = PROJECT, in_tree: bool = False, **options: Any) -> Change:
        """Write a fact of a scope, proved where somebody can approve its command now."""
        from gitmem.commands.fact import write_fact

        refuse_misplaced(scope, options.get("domains", ()), in_tree=in_tree)
        if scope == PRIVATE:
            with Telling(self.private()):
                return write_fact(self.private(), title, **options)
        home = self.in_tree() if in_tree else self.store_for(scope)
        with Telling(home):
            done = self.told(write_fact(self, title, home=None if home is self else home, **options))
        self._tell_unread(scope, options.get("domains", ()))
        return done

    def _tell_unread(self, scope: str, domains: Sequence[str]) -> None:
        """Say so where what was written for a domain is not read in this project."""
        if scope == DOMAIN and not set(domains) & set(self.domains()):
            own = (word.strip() for word in self.config.domains.split(","))
            names = ",".join([*filter(None, own), *domains])
            self.notices.append(
                f"this project is in no such domain and does not read it: git config gitmem.domains {names}"
            )
