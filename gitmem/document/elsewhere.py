"""References to memories of other repositories (``payments/api:port``), and what is known of these. Pure."""

from __future__ import annotations

from gitmem.frozen import frozen
from gitmem.model import FAILED, STALE, SUSPECT, VERIFIED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# A name precedes the key of a memory (``api:retries-are-capped``), and keys have no colon.
SEPARATOR = ":"
NAME_MARKS = frozenset("-_.")
# Of a name or a key in a reference; no hub and no store has longer ones.
_LENGTH = 200


@frozen
class Foundation:
    """What is known of a memory of another repository.

    Attributes:
        status: Its status there.
        value: The value that its check proves, on one line; empty if it proves none.
        why: If it is suspect, the memories between it and the failed one, that one last, by their keys there or as
            references.
        is_shared: Whether all readers of this repository may read that one.
        problem: Why it could not be read again, on one line; what is known is then from before.
    """

    status: str
    value: str = ""
    why: tuple[str, ...] = ()
    is_shared: bool = False
    problem: str = ""

    @property
    def is_wrong(self) -> bool:
        """Return whether it failed, or rests on something that did."""
        return self.status in (FAILED, SUSPECT)

    @property
    def proven(self) -> str:
        """Return the value if the fact holds as far as its repository knows; empty otherwise."""
        return self.value if self.status in (VERIFIED, STALE) else ""


def is_name(text: str) -> bool:
    """Return whether a store's name is valid: letters, digits, ``-``, ``_``, ``.``, but no mark first."""
    plain = text.isascii() and all(char.isalnum() or char in NAME_MARKS for char in text)
    return plain and text[:1].isalnum()


def parse_elsewhere(text: str) -> tuple[str, str] | None:
    """Return the name of a repository and the key of its memory, if a text is such a reference: ``NAME:KEY``.

    A hub's names may have several parts (``payments/api``).
    """
    name, apart, key = text.partition(SEPARATOR)
    is_key = key.isprintable() and not any(char in f"{SEPARATOR}/# " for char in key) and 0 < len(key) <= _LENGTH
    is_reference = apart and is_key and len(name) <= _LENGTH and all(map(is_name, name.split("/")))
    return (name, key) if is_reference else None


def wrong_chains(known: Mapping[str, Foundation]) -> list[tuple[str, ...]]:
    """Return the chains of references from each memory that failed or is suspect to the one that failed, sorted."""
    chains = []
    for reference, foundation in sorted(known.items()):
        name = reference.partition(SEPARATOR)[0]
        if foundation.is_wrong:
            chains.append(
                (reference, *(key if SEPARATOR in key else f"{name}{SEPARATOR}{key}" for key in foundation.why))
            )
    return chains
