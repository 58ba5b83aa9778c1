"""Tell whether two texts with the same words say them about different things. Pure.

"Prefer fetch over axios" and "Prefer axios over fetch" have the same words; so have "After a crash, the pool is closed"
and "The pool is closed after a crash". Two words that changed places around a third one, which stays between them, have
swapped sides; when clauses change places, no word stays between others. A passive form swaps two words and changes
nothing ("A closes B", "B is closed by A"), so the same order then is the swap. A negation belongs to the words that
follow it in its clause.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from gitmem.frozen import frozen
from gitmem.model import ENGLISH
from gitmem.text import tokens as analysis
from gitmem.text.negation import COMMA, STOP, denied_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# Arrows and the signs of a choice; words of ASCII with what holds names together, but a number behind a hyphen apart
# ("run 0 of w-1" is not "run 1 of w-0"); one character of a script that writes no blanks; words of other scripts; what
# ends a clause.
_WORD = (
    r"[-=~]>|<-|[<>→←⇒✅✓✔☑❌✗✘✖🚫⛔👍👎]|[a-z0-9_]+(?:[./@][a-z0-9_]+|-[a-z_][a-z0-9_]*)*[+#]*"
    r"|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]|[^\W\d_]+|[,、，]|[.;:!?()\n。；：！？（）—–]"
)
_SOFT = frozenset(",、，")
_HARD = frozenset(".;:!?()\n。；：！？（）—–")
_DETERMINERS = frozenset(("the", "a", "an", "der", "die", "das", "den", "dem", "el", "los", "las", "le", "les"))
# What may be between two words that may change places: "Redis and Postgres".
_AND = frozenset(("and", "or", "und", "oder", "y", "o", "et", "ou", "和", "与", "或", "と", "や", COMMA))
_JOINING = _AND | {";"}
# "Most of it": neither word takes a side.
_QUANTITIES = frozenset(("most", "some", "many", "all", "each", "half"))
# What may repeat a subject where clauses change places ("owns the table; it is the only writer"), and verbs that keep
# the second place of a German sentence.
_NEUTRAL = frozenset(
    """
    it its this that they them es er sie ihn lo is are was were ist sind wird werden hat haben kann muss soll darf
    """.split()
)
_BY = frozenset(("by", "von", "vom", "durch", "por", "par"))
# A passive's agent follows its preposition within this many words.
AGENT_WITHIN = 3
# The most common words that are compared in pairs.
WORDS_AT_MOST = 80


@frozen
class WordOrder:
    """The words of a text in their order.

    Attributes:
        tokens: The words in lower case, stemmed, without determiners, with the signs that end a clause.
        places: The place of each word that occurs once.
    """

    tokens: tuple[str, ...]
    places: Mapping[str, int]


def word_order(text: str, language: str = ENGLISH, *, has_name_a: bool = False) -> WordOrder:
    """Return the words of a text in their order; with *has_name_a*, "a" is a name, as in "from A to B"."""
    import re  # loaded already where two texts are compared

    signs = []
    for word in re.findall(_WORD, text.casefold()):
        if word in _HARD or word in _SOFT:
            signs.append(COMMA if word in _SOFT else STOP)
        elif word == "of" and signs and signs[-1] in _QUANTITIES:
            signs.pop()
        elif word not in _DETERMINERS or (has_name_a and word == "a"):
            signs.append(_stem(word, language))
    count = Counter(signs)
    return WordOrder(tuple(signs), {word: at for at, word in enumerate(signs) if count[word] == 1})


def _stem(word: str, language: str) -> str:
    return analysis.stems([word], language)[0] if word.isalpha() and word.isascii() and len(word) > 2 else word


def is_swapped(one: str, other: str, empty: frozenset[str], language: str = ENGLISH) -> bool:
    """Return whether two texts say the same words about different things.

    Args:
        one: A text.
        other: Another one, mostly of the same words.
        empty: Function words, which take no side.
        language: Of their stems.
    """
    has_name_a = any(_names_a(text) for text in (one, other))
    a, b = (word_order(text, language, has_name_a=has_name_a) for text in (one, other))
    if a.tokens == b.tokens:
        return False
    sided = {word for word in a.places if word in b.places and word not in _NEUTRAL | {COMMA, STOP}}
    words = [word for word in a.places if word in sided and (word not in empty or len(word) == 1)][:WORDS_AT_MOST]
    if _denies_other(a, b, set(words)) or _stays_in_passive(a, b):
        return True
    for number, first in enumerate(words):
        for second in words[number + 1 :]:
            if b.places[first] > b.places[second] and _changed_sides(a, b, first, second, sided):
                return True
    return False


def denies_other(one: str, other: str, empty: frozenset[str], language: str = ENGLISH) -> bool:
    """Return whether each of two texts denies what the other one does not."""
    a, b = word_order(one, language), word_order(other, language)
    return _denies_other(a, b, {word for word in a.places if word in b.places and word not in empty})


def _names_a(text: str) -> bool:
    """Return whether a capital A inside a sentence is a name."""
    words = text.split()
    return any(word.strip(".,;:)\"'`") == "A" and before[-1:] not in ".!?:" for before, word in pairwise(words))


def _changed_sides(a: WordOrder, b: WordOrder, first: str, second: str, sided: set[str]) -> bool:
    """Return whether two words, which changed places, did so around another one, or with nothing else moving."""
    low, high = a.places[first], a.places[second]
    start, end = b.places[second], b.places[first]
    between, others = a.tokens[low + 1 : high], b.tokens[start + 1 : end]
    if between == others and set(between) <= _JOINING:
        # "Redis and Postgres" may change places; in "red and green mean fail and pass" each belongs to another word.
        is_free = set(between) & _AND and max(map(_count_and, (a, b))) == 1
        return not is_free and COMMA not in between and _around(a, low, high) == _around(b, start, end)
    if not any(word in sided and word in others for word in between):
        return False
    # A passive form of one of them explains the other order.
    return (_is_agent(a, low) or _is_agent(a, high)) == (_is_agent(b, start) or _is_agent(b, end))


def _count_and(order: WordOrder) -> int:
    return sum(word in _AND and word != COMMA for word in order.tokens)


def _around(order: WordOrder, low: int, high: int) -> tuple[str, str]:
    tokens = (STOP, *order.tokens, STOP)
    return tokens[low], tokens[high + 2]


def _is_agent(order: WordOrder, at: int) -> bool:
    """Return whether a word is who does something in a passive form: "closed by the gateway"."""
    return any(word in _BY for word in order.tokens[max(at - AGENT_WITHIN, 0) : at])


def _stays_in_passive(a: WordOrder, b: WordOrder) -> bool:
    """Return whether one text is passive and the other active, and yet their words have the same order."""
    for passive, active in ((a, b), (b, a)):
        if any(word in _BY for word in active.tokens):
            continue
        for at in range(1, len(passive.tokens) - 1):
            verb, agent = passive.tokens[at - 1], passive.tokens[at + 1]
            if passive.tokens[at] in _BY and active.places.get(verb, len(active.tokens)) < active.places.get(agent, -1):
                before = [word for word in passive.tokens[: at - 1] if word in active.places]
                return any(active.places[word] < active.places[verb] for word in before)
    return False


def _denies_other(a: WordOrder, b: WordOrder, words: set[str]) -> bool:
    """Return whether each text denies what the other one does not."""
    mine, its = denied_words(a.tokens) & words, denied_words(b.tokens) & words
    return bool(mine - its) and bool(its - mine)
