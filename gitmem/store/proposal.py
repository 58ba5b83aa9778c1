"""The current proposal of a clone, as it is begun and ended, and the list of companions."""

from __future__ import annotations

import os

from gitmem.store import COMPANION_PREFIX, HEADS, PROPOSAL_FILE, CurrentProposal, companion_code
from gitmem.system import make_folder, remove
from gitmem.system.atomic_write import sync_folder, write_synced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.git import Git


def write_current_proposal(state: str, base: str, current: CurrentProposal) -> None:
    """Make a proposal the current one, durably, before anything else is done for it."""
    make_folder(state)
    line = f"{base} {current.branch} {current.moving}".rstrip() + "\n"
    new = os.path.join(state, f"{PROPOSAL_FILE}.{os.getpid()}.new")  # switching proposals takes no lock
    write_synced(new, line.encode())
    os.replace(new, os.path.join(state, PROPOSAL_FILE))
    sync_folder(state)


def clear_current_proposal(state: str) -> None:
    """Make writes go to the memory branch itself again."""
    remove(os.path.join(state, PROPOSAL_FILE))


def forget_seen_proposal(git: Git, remote: str, branch: str) -> None:
    """Forget a proposal's remote-tracking state: it is over, and a new one may have its name."""
    git.run("update-ref", "-d", f"refs/gitmem/seen/{remote}/{branch}", check=False)


def list_companions(git: Git, remote: str) -> dict[str, tuple[str, ...]]:
    """Return the commits of the companions, here and as last fetched, by the code's branch; sorted."""
    found: dict[str, tuple[str, ...]] = {}
    prefixes = (HEADS, f"refs/remotes/{remote}/")
    # Sorted by name: this clone's come first.
    for ref, tip in git.list_refs(*(f"{one}{COMPANION_PREFIX}" for one in prefixes)).items():
        prefix = prefixes[not ref.startswith(HEADS)]
        code = companion_code(ref[len(prefix) :])
        found[code] = tuple(dict.fromkeys((*found.get(code, ()), tip)))
    return dict(sorted(found.items()))


def proposal_notice(name: str) -> str:
    """Return a notice that writes go to a proposal; empty if they do not."""
    after = "(gitmem propose pushes it, gitmem propose --switch memory leaves it)"
    return f"new memories go to the proposal {name} {after}" if name else ""
