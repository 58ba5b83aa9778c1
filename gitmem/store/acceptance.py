"""The clones that a person has accepted: only in these do hooks from personal settings show memories.

Recorded outside the repository: a repository, or a copy of one, cannot bring its own acceptance. A person accepts a
clone by starting its memory, joining it with ``gitmem init``, installing an agent's hooks in it or approving a command
in it.
"""

from __future__ import annotations

from gitmem.store import clone, registration

ACCEPTED = "accepted"


def accept(state: str) -> bool:
    """Accept the clone with this state folder; return whether that could be recorded."""
    return registration.register(state, ACCEPTED)


def is_accepted(state: str) -> bool:
    """Return whether the clone with this state folder was accepted."""
    return clone.is_registered(state, ACCEPTED)
