"""Problems of other scopes: unreadable files, and remotes that would receive private memories."""

from __future__ import annotations

import os

from gitmem.model import Problem
from gitmem.repository import has_private
from gitmem.store import DOMAIN, PRIVATE, UNIVERSAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gitmem.index.catalog import Catalog
    from gitmem.repository import OpenRepository


def list_around(memory: OpenRepository, listed: Callable[[Catalog], list[Problem]]) -> list[Problem]:
    """Return the problems of the other scopes (using a function that lists those of a catalog), and of remotes."""
    return [*_elsewhere(memory, listed), *_check_remotes(memory)]


def _elsewhere(memory: OpenRepository, listed: Callable[[Catalog], list[Problem]]) -> list[Problem]:
    """Report problems with files of the other scopes; they are repaired in their own repositories."""
    found = []
    for store in memory.stores((PRIVATE, DOMAIN, UNIVERSAL)):
        here = store.store.scope == PRIVATE
        hint = f"gitmem edit KEY --scope {PRIVATE}" if here else f"gitmem -C {store.git.repository.top} doctor"
        found += [
            Problem(p.code, f"{store.store.scope}: {p.path}", p.message, key=p.key, hint=hint, severity=p.severity)
            for p in listed(store.catalog())
        ]
    return found


def _check_remotes(memory: OpenRepository) -> list[Problem]:
    """Report remotes to which a push sends every ref, including private memories."""
    if not has_private(memory.git):
        return []
    done = memory.git.run("config", "-z", "--get-regexp", r"^remote\..*\.(mirror|push)$", check=False)
    pairs = (item.partition("\n") for item in os.fsdecode(done.stdout).split("\0") if item)
    found = []
    for name, _, value in pairs:
        remote, what = name.removeprefix("remote.").rsplit(".", 1)
        if (what == "mirror" and value != "false") or value.lstrip("+").startswith(("refs/*", "refs/gitmem")):
            message = f"a push to {remote} sends every ref, including private memories"
            hint = f"git config --unset remote.{remote}.{what}; or push with --all instead of --mirror"
            found.append(Problem("private-exposed", name, message, hint=hint, severity="warning"))
    return found
