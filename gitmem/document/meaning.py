"""What a memory means to those that rest on it: its title, told apart from a mere correction of its words. Pure.

A verdict, or a person who confirms, writes down the meaning of each foundation. Where that is another one now, the
foundation was reworded.
"""

from __future__ import annotations

from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gitmem.model import Document

# The field of a corrected title: the meaning that it keeps, and the hash of the title that keeps it.
CORRECTION = "correction"
# The field of what somebody confirmed: for each foundation, its key and its meaning then.
CONFIRMED = "confirmed"
# Hex digits of a meaning: no two of a store's titles are alike by chance.
DIGITS = 16
# Foundations that a verdict names.
MOST = 64


@frozen
class Foundation:
    """What a memory rests on, and what that meant when it was confirmed."""

    key: str
    meaning: str

    def __str__(self) -> str:
        """Return it as one line."""
        return f"{self.key} {self.meaning}"


def _hash(title: str) -> str:
    from gitmem.text.sha256 import sha256  # whoever only reads needs none

    # Case, blanks and what ends a sentence say nothing else.
    words = " ".join(title.casefold().split()).rstrip(".!")
    return sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


def meaning_of(document: Document) -> str:
    """Return what a memory's title means: the same for two titles of which one corrects the other."""
    own = _hash(document.title)
    kept, _, of = str(document.fields.get(CORRECTION) or "").partition(" ")
    return kept if of == own and len(kept) == DIGITS else own


def correction_of(before: Document, after: Document) -> str:
    """Return the field of a memory whose title was only corrected; empty where it needs none."""
    kept, own = meaning_of(before), _hash(after.title)
    return "" if kept == own else f"{kept} {own}"


def parse_foundations(lines: Iterable[str]) -> list[Foundation]:
    """Return what lines name; what is no key with a meaning is left out."""
    parts = (line.split(" ") for line in lines)
    return [Foundation(*part) for part in parts if len(part) == 2 and len(part[1]) == DIGITS and part[0]]


def format_foundations(found: Mapping[str, str]) -> list[str]:
    """Return foundations as lines: the meaning of each by key."""
    return [str(Foundation(key, meaning)) for key, meaning in sorted(found.items())][:MOST]
