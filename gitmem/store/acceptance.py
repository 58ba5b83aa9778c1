"""The clones that a person has accepted: only there do hooks in personal settings show memories.

Registered outside the repository, as clones themselves are: what comes with a repository, or with a copy of one,
accepts nothing. Whoever starts the memory of a clone, joins it by ``gitmem init``, installs an agent's hooks in it or
approves a command in it has accepted it.
"""

from __future__ import annotations

from gitmem.store import clone

ACCEPTED = "accepted"


def accept(state: str) -> bool:
    """Accept the clone with this state folder; tell whether that could be recorded."""
    return clone.register(state, ACCEPTED)


def is_accepted(state: str) -> bool:
    """Return whether the clone with this state folder was accepted."""
    return clone.is_registered(state, ACCEPTED)
