"""Prove the facts of an opened store: which stores and branches it concerns, and the verify session."""

from __future__ import annotations

import _sqlite3 as sqlite3
import time

from gitmem.errors import ConflictError
from gitmem.frozen import replace
from gitmem.git import branches
from gitmem.index.catalog.keys import describe_unreadable
from gitmem.index.refresh import LargeChangeError, follow, refuse_unreadable
from gitmem.repository.approvals import trust_of
from gitmem.store.local import is_busy
from gitmem.store.scopes import PRIVATE, PROJECT
from gitmem.verify.options import Options
from gitmem.verify.session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.repository import OpenRepository
    from gitmem.repository.open_store import OpenStore
    from gitmem.verify.due import Due


def open_session(store: OpenStore, options: Options | None) -> Session:
    """Return a verify session for HEAD; without options also for the first fact, before there is a store."""
    catalog = store.catalog() if options is not None or store.has_store() else store.catalog_at(None)
    return Session(
        store.known_facts(catalog),
        store.write_target("verify"),
        config=store.config,
        trust=trust_of(store, options.approved if options else ""),
        # A proposal's verdicts do not go to the memory branch: they stay in this clone (docs/propose.md).
        default="" if store.store.proposal or store.store.companion else store.default_branch(),
        follow=lambda tip: _follow(store, tip),
        options=options,
    )


def _follow(store: OpenStore, tip: str) -> None:
    """Update the catalog of a verify run to a tip, in place, since the run holds it.

    Raises:
        ConflictError: It must be rebuilt, since the policy changed; or another process keeps writing it.
    """
    catalog = store.opened_catalog
    assert catalog is not None
    refuse_unreadable(catalog)
    for _ in range(store.REFRESH_ATTEMPTS):
        try:
            if catalog.meta("commit") == tip or follow(store.git, catalog, tip):
                return
            break
        except sqlite3.OperationalError as err:
            if not is_busy(err):
                raise
            time.sleep(store.REFRESH_PAUSE_S)
        except LargeChangeError:
            break
    raise ConflictError(
        "the policy or the index changed while facts were being judged; the verdicts are kept in this clone",
        hint="commit them without running anything again: gitmem verify",
    )


def stores_to_prove(repository: OpenRepository, options: Options) -> list[tuple[OpenStore, Options]]:
    """Return the stores whose facts are about the code here, with the options for each.

    These are the project's and the private one: the universal store is not about any code in particular, and its
    checks are not run.
    """
    stores = [store for store in repository.stores((PROJECT, PRIVATE)) if store is repository or _has_facts(store)]
    if repository not in stores or not options.keys:
        return [(store, options) for store in stores or [repository]]
    options_of = [(store, tuple(key for key in options.keys if _has_key(store, key))) for store in stores]
    found = [(store, replace(options, keys=keys)) for store, keys in options_of if keys]
    return found or [(repository, options)]


def _has_facts(store: OpenStore) -> bool:
    return store.catalog().row("SELECT 1 FROM fact LIMIT 1") is not None


def _has_key(store: OpenStore, key: str) -> bool:
    return store.catalog().row("SELECT 1 FROM memory WHERE key = ?", (key,)) is not None


def list_commands(store: OpenStore, keys: Sequence[str]) -> list[Due]:
    """Return the live facts of one store whose check is a command, by key: all, or those with these keys."""
    session = store.session(Options(keys=tuple(keys), everything=not keys))
    return [due for due in session.list_due() if due.spec.check.form != "builtin"]


def reviewed_branch(store: OpenStore) -> str:
    """Return the branch with reviewed code, as a full ref, or an empty string.

    It is independent of the store's policy, and never the memory branch: otherwise pushed memories would count as
    reviewed.
    """
    branch = branches.default_branch(store.git, configured=store.config.default_branch, remote=store.config.remote)
    own, theirs = f"refs/heads/{store.config.branch}", f"refs/remotes/{store.config.remote}/{store.config.branch}"
    return "" if branch in (store.ref, own, theirs) else branch


def counts_here(store: OpenStore) -> bool:
    """Return whether verdicts made now are committed: HEAD is the default branch, and no proposal is current."""
    is_apart = store.store.proposal or store.store.companion
    return not is_apart and branches.is_on_default(store.git, store.default_branch(), remote=store.config.remote)


def note_unreadable(store: OpenStore) -> None:
    """Report unreadable files of a store: one may be a fact that is not checked."""
    store.add_notice(describe_unreadable(store.catalog()) if store.has_store() else "")
