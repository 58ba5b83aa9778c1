"""Tell whether two sentences of one session say one thing: the second time in other words, or with a little more. Pure.

Between sessions only nearly the same words count as the same (``text.similarity``): a wrong match would lose a memory.
Within one session an agent repeats what it has just found out, and two memories of it would be shown together.
"""

from __future__ import annotations

from gitmem.text import tokens as analysis
from gitmem.text.similarity import EMPTY, have_swapped
from gitmem.text.word_order import denies_other

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.text.similarity import Wording

# The share of the shorter sentence's words that both must have, and how many at least.
SHARED, FEWEST = 0.6, 3
# Words that change nothing when one replaces another: "needs" and "requires", "the suite" and "the tests". A stem each.
_GENERIC = frozenset(
    analysis.stems(
        tuple(
            """
            need require must have want work works run running start started begin use using make makes fail fails break
            breaks install installed set up listen listening server service suite test tests command call called file
            return returns give gives only first otherwise because since new keep close closed accept read reads write
            writes see get take here so always before after when if also still just now set via per available needed
            required necessary exist exists present missing become happen
            """.split()
        )
    )
)
_OF_ORDER = frozenset(("before", "after", "befor", "first", "last", "on", "off"))


def is_restated(a: Wording, b: Wording) -> bool:
    """Return whether two texts of one session say the same thing.

    They share most of the shorter one's words; not each has a word of its own that names something; numbers, negations
    and words of order agree, and no words have changed sides.
    """
    if a.plain == b.plain:
        return True
    if not _agree(a, b):
        return False
    mine, its = set(a.words), set(b.words)
    common = mine & its
    # A character of a script without blanks is half a word.
    if len(common) < FEWEST or len(common) < SHARED * min(len(mine), len(its)):
        return False
    if _names(mine - its) and _names(its - mine):
        return False
    if (mine - its - EMPTY) and (its - mine - EMPTY):  # reworded: the order of the words says little
        return not denies_other(a.text, b.text, EMPTY, a.language)
    return not have_swapped(a, b)


def _agree(a: Wording, b: Wording) -> bool:
    """Return whether numbers and negations agree: a text may state more numbers, but no other ones."""
    if not (a.numbers <= b.numbers or b.numbers <= a.numbers):
        return False
    if a.numbers != b.numbers and ("one" in a.plain.split()) != ("one" in b.plain.split()):  # "one" and "2" retries
        return False
    if any(not any(map(str.isdigit, number)) for number in a.numbers ^ b.numbers):  # "C" and "C++"
        return False
    are_opposed = bool(a.polar - b.polar) and bool(b.polar - a.polar)
    return (a.negations > 0) == (b.negations > 0) and not are_opposed and a.polar & _OF_ORDER == b.polar & _OF_ORDER


def _names(words: set[str]) -> set[str]:
    """Return the words that name something, as opposed to function words and those that say little."""
    return {word for word in words if word not in EMPTY and word not in _GENERIC and not _is_unspaced(word)}


def _is_unspaced(word: str) -> bool:
    return any("\u3040" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7a3" for char in word)
