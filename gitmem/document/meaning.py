"""The meaning of a memory for its dependents: its title, independent of mere corrections of the wording. Pure.

A verdict, or a person's confirmation, records the meaning of each requirement. If that differs now, the requirement was
reworded.
"""

from __future__ import annotations

from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gitmem.model import Document

# The field of a corrected title: the meaning that it keeps, and the hash of the corrected title.
CORRECTION = "correction"
# The field of a confirmation: for each requirement, its key and its meaning at that time.
CONFIRMED = "confirmed"
# Hex digits of a meaning: enough to avoid collisions within a store.
DIGITS = 16
# The most requirements named in a verdict.
REQUIREMENTS_AT_MOST = 64


@frozen
class Foundation:
    """A requirement, and its meaning when it was confirmed."""

    key: str
    meaning: str

    def __str__(self) -> str:
        """Return it as one line."""
        return f"{self.key} {self.meaning}"


def _hash(title: str) -> str:
    from gitmem.text.sha256 import sha256  # not needed for reading only

    # Case, white space and punctuation at the end do not change the meaning.
    words = " ".join(title.casefold().split()).rstrip(".!")
    return sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


def meaning_of(document: Document) -> str:
    """Return the meaning of a memory's title: equal for two titles of which one corrects the other."""
    own = _hash(document.title)
    recorded, _, of = str(document.fields.get(CORRECTION) or "").partition(" ")
    return recorded if of == own and len(recorded) == DIGITS else own


def correction_of(before: Document, after: Document) -> str:
    """Return the field for a memory whose title was only corrected; empty if not needed."""
    original, own = meaning_of(before), _hash(after.title)
    return "" if original == own else f"{original} {own}"


def parse_foundations(lines: Iterable[str]) -> list[Foundation]:
    """Return the requirements in lines; invalid lines are left out."""
    parts = (line.split(" ") for line in lines)
    return [Foundation(*part) for part in parts if len(part) == 2 and len(part[1]) == DIGITS and part[0]]


def format_foundations(meanings: Mapping[str, str]) -> list[str]:
    """Return requirements as lines: the meaning of each by key."""
    return [str(Foundation(key, meaning)) for key, meaning in sorted(meanings.items())][:REQUIREMENTS_AT_MOST]
