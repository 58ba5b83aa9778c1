"""Measure how much two memories claim the same thing, to recognise near duplicates. Pure.

Words alone cannot tell: "retries are capped at 3" and "at 5" have nine words of ten in common and contradict each
other. So what turns a claim into another one is compared for itself (numbers, negations, words of polarity, operators,
words that changed places), and a word that was exchanged for another one counts more than one that was added.

The measure and its numbers were chosen on 153 labelled pairs (``benchmarks/duplicates.py``, benchmarks/README.md).
"""

from __future__ import annotations

import unicodedata
from collections import Counter

from gitmem.frozen import frozen
from gitmem.model import ENGLISH
from gitmem.text import tokens as analysis
from gitmem.text.tokens import GENERAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

# What a pair whose numbers, negations or polarity differ keeps of its likeness: never enough to be a duplicate.
CONTRARY = 0.5
# What a word exchanged for another one costs besides what the words in common lose by it, as a multiple of its share.
# Chosen on the pairs: of 94 that differ, four are taken for the same at 0.85 with 0, none with 1 or 2; at 0.75 four are
# with 1, none with 2.
EXCHANGED = 2.0
# From which share of common words on the meaning as a whole tells nothing more. On the pairs, MiniLM's cosine takes 50
# of 94 that differ for the same at 0.85, 9 where numbers and negations are the same, and none below this share.
MEANING_BELOW = 0.6
# The most that two texts are alike which are not word for word the same.
ALMOST = 0.99
# Of a text with fewer words than this that claim something, function words are compared as well: "written here" is not
# "written there". On the pairs, 3 changes nothing; 4 misses two of the 47 duplicates that are found at 0.85.
FEW = 3
# Characters of a text that are compared: as long as a memory's file may be (`store.layout`), so all of it.
MOST_TEXT = 64 * 1024
_MEMO_SIZE = 1 << 14

_CHUNK = r"(?<![\w.-])-(?=\d)|\w+(?:[./]\w+)*|[=!<>]=|\+\+|(?<=[^\W\d_])#"
_THOUSANDS = r"(?<=\d)[,_](?=\d{3}(?!\d))"
_DIGITS = r"\d+(?:[,_]\d{3}(?!\d))*"
_OPERATORS = frozenset(("-", "==", "!=", "<=", ">=", "++", "#"))
_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    )
    if word != "one"  # a pronoun as often as a number
}
_SPELT_OUT = frozenset(_NUMBERS.values())
_NEGATIONS = (
    r"\b(?:not|no|never|none|nobody|nothing|nowhere|neither|nor|without|cannot|avoid(?:s|ed|ing)?|unless|except"
    r"|lack(?:s|ed|ing)?|nicht|kein\w*|nie|niemals|ohne|ne|pas|jamais|sans|sin|nunca)\b|n['’]t\b"
)
# Words whose place a contrary one may take, or that turn a claim round by being added.
_POLAR = frozenset(
    analysis.stems(
        (
            *("always", "only", "before", "after", "enable", "enabled", "disable", "disabled", "allow", "allowed"),
            *("deny", "denied", "forbid", "forbidden", "prohibited", "permit", "permitted", "accept", "accepted"),
            *("reject", "rejected", "true", "false", "on", "off", "up", "down", "minimum", "maximum", "min", "max"),
            *("least", "most", "increase", "decrease", "more", "less", "fewer", "above", "below", "over", "under"),
            *("add", "remove", "include", "exclude", "sync", "async", "synchronous", "asynchronous", "public"),
            *("private", "optional", "required", "mandatory", "success", "failure", "succeed", "safe", "unsafe"),
            *("valid", "invalid", "first", "last", "newest", "oldest", "start", "stop", "read", "write"),
            *("deprecated", "supported", "unsupported", "if", "may", "must"),
        )
    )
)
# Function words beyond the search's, which make no claim, and the negations, which are counted for themselves.
_WORDS = (*GENERAL, "since", "every", "get", "gets", "got", "while", "one", "do", "does", "did", "never", "without")
EMPTY = frozenset((*_WORDS, *analysis.stems(sorted(_WORDS))))


@frozen
class Claim:
    """What a text says, in the form in which two texts are compared.

    Attributes:
        plain: The text's words and operators, lower case, a space between: equal for two that differ in case, white
            space and punctuation only.
        words: Its stemmed words in their order, without function words (with them where less than ``FEW`` are left).
        counts: How often each of these occurs.
        numbers: What has a digit in it: numbers, versions, names such as ``rs256``; and operators.
        negations: How many negations there are.
        polar: Which words of polarity there are.
    """

    plain: str
    words: tuple[str, ...]
    counts: Mapping[str, int]
    numbers: frozenset[str]
    negations: int
    polar: frozenset[str]

    def is_contrary(self, other: Claim) -> bool:
        """Return whether the two differ in something that makes another claim of the same words."""
        mine = (self.numbers, self.negations, self.polar)
        return mine != (other.numbers, other.negations, other.polar)


def claim_text(title: str, body: str) -> str:
    """Return what a memory claims: its title and body, the title once where the body begins with it."""
    below = body.strip()
    return below if below.startswith(title.strip()) else f"{title}\n{below}".strip()


def claim_of(text: str, language: str = ENGLISH) -> Claim:
    """Return a text in the form in which it is compared; at most ``MOST_TEXT`` characters of it.

    Stems are the language's; words of polarity are known of English, negations of a few languages.
    """
    import re  # 4 ms (measured), and only where a text is like another one

    whole = unicodedata.normalize("NFKC", text[:MOST_TEXT]).casefold()
    tokens = list(map(_bare.__getitem__, re.findall(_CHUNK, re.sub(_THOUSANDS, "", whole))))
    plain = " ".join(tokens).replace("- ", "-")
    every = analysis.terms_of_chunks(tokens, language)
    found = tuple([word for word in every if word not in EMPTY])
    if len(found) < FEW:
        found = tuple(every)
    numbers = frozenset(filter(_has_number.__getitem__, set(plain.split(" "))))
    return Claim(plain, found, Counter(found), numbers, len(re.findall(_NEGATIONS, whole)), _POLAR.intersection(every))


def numerals(text: str) -> frozenset[str]:
    """Return the numerals of a text but for those that may be words: texts of one claim have the same.

    Told in 6 us where a ``Claim`` takes 200 (measured): most texts have some that no other one has.
    """
    import re

    whole = unicodedata.normalize("NFKC", text[:MOST_TEXT]).casefold()
    return frozenset(number.replace(",", "").replace("_", "") for number in re.findall(_DIGITS, whole)) - _SPELT_OUT


class _Memo(dict[str, "Any"]):
    """What a function returns for each of the words seen lately: a large import has few different ones."""

    def __init__(self, function: Callable[[str], object]) -> None:
        super().__init__()
        self.function = function

    def __missing__(self, word: str) -> Any:
        found = self.function(word)
        if len(self) >= _MEMO_SIZE:
            self.clear()
        if len(word) <= analysis.MAX_TERM:
            self[word] = found
        return found


def _without_emphasis(token: str) -> str:
    """Return a token without the underscores of Markdown's emphasis around it; a number word as digits."""
    token = token.strip("_") or token
    return _NUMBERS.get(token, token)


_bare = _Memo(_without_emphasis)
_has_number = _Memo(lambda word: word in _OPERATORS or any(map(str.isdigit, word)))


def likeness(a: Claim, b: Claim) -> float:
    """Return how much two texts claim the same, from 0 (no word in common) to 1 (the same words in the same order).

    The share of the longer text's words that both have, less what was exchanged for something else; halved where
    numbers, negations, polarity or operators differ, or words changed places with each other. Sentences and clauses may
    be in another order. Source: see the module.
    """
    if a.plain == b.plain:
        return 1.0
    shorter, longer = sorted((len(a.words), len(b.words)))
    if not shorter:
        return 0.0
    common = _common(a, b)
    score = (common - EXCHANGED * (shorter - common)) / longer
    if a.is_contrary(b) or (score > CONTRARY and _swapped(a.words, b.words)):
        score *= CONTRARY
    return min(max(score, 0.0), ALMOST)


def is_paraphrase(a: Claim, b: Claim) -> bool:
    """Return whether two texts of one meaning, by their embeddings, may be the same claim in other words.

    Where most words are the same, the words decide: to a model "stored in Redis" and "in Memcached" mean the same.
    """
    return not a.is_contrary(b) and _common(a, b) < MEANING_BELOW * max(len(a.words), len(b.words))


def _common(a: Claim, b: Claim) -> int:
    return sum(min(count, b.counts.get(word, 0)) for word, count in a.counts.items())


def most_missing(words: int, threshold: float) -> int:
    """Return how many different words of a text may be missing in a near duplicate of it, by the words in common."""
    return int((1 - threshold) * words + 1e-9)


def _swapped(a: Sequence[str], b: Sequence[str]) -> bool:
    """Return whether two words are in each other's place while others stay: who calls whom, which limit is whose."""
    if len(a) != len(b):
        return False
    places: dict[tuple[str, str], int] = {}
    last = -1  # the last place where both have the same word
    for at, pair in enumerate(zip(a, b, strict=True)):
        if pair[0] == pair[1]:
            last = at
            continue
        # With a word between them that stays: two clauses that were turned round have none.
        if places.get((pair[1], pair[0]), at) < last:
            return True
        places.setdefault(pair, at)
    return False


def similarity(a: str, b: str, language: str = ENGLISH) -> float:
    """Return how much two texts say the same, from 0 (no word in common) to 1 (the same words).

    The Sorensen-Dice coefficient of their stemmed words as multisets, stop words included ("use X" and "do not use X"
    differ). One word in ten exchanged gives 0.9; the order of the words does not count.

    Source: Dice 1945, "Measures of the amount of ecologic association between species"; 0.85 as the limit for near
    duplicates is FEATURES, row C9.
    """
    ours, theirs = (_counted(analysis.all_terms(text, language)) for text in (a, b))
    total = sum(ours.values()) + sum(theirs.values())
    if not total:
        return float(a == b)
    common = sum(min(count, theirs[term]) for term, count in ours.items() if term in theirs)
    return 2 * common / total


def _counted(found: list[str]) -> dict[str, int]:
    # collections.Counter would do, and is slower to import than this is to write (measured: 1.5 ms)
    counts: dict[str, int] = {}
    for term in found:
        counts[term] = counts.get(term, 0) + 1
    return counts
