"""Measure how similar the claims of two memories are, and find near duplicates among many. Pure.

Words alone cannot tell: "retries are capped at 3" and "at 5" have nine words of ten in common and contradict each
other. So everything that changes a claim is compared separately (numbers, negations, words of polarity, operators,
swapped words), and a replaced word counts more than an added one.
"""

from __future__ import annotations

import unicodedata
from collections import Counter

from gitmem.frozen import frozen
from gitmem.model import ENGLISH
from gitmem.text import tokens as analysis
from gitmem.text.marker_words import CIRCUMSTANCES
from gitmem.text.negation import NEGATION
from gitmem.text.tokens import GENERAL, Memo
from gitmem.text.word_order import is_swapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

# The share of its likeness that a pair with different numbers, negations or polarity keeps: too little for a duplicate.
CONTRARY = 0.5
# The additional cost of a replaced word, as a multiple of its share of the words. Chosen on the pairs: of 94 that
# differ, four count as the same at 0.85 with 0, none with 1 or 2; at 0.75 four with 1, none with 2.
EXCHANGED = 2.0
# The share of common words from which meaning as a whole is no evidence. On the pairs, MiniLM's cosine equates 50 of 94
# that differ at 0.85, 9 if numbers and negations are the same, and none below this share.
MEANING_BELOW = 0.6
# The highest likeness of two texts that are not word for word the same.
ALMOST = 0.99
# In a text with fewer content words than this, function words are compared as well: "written here" is not "written
# there". On the pairs, 3 changes nothing; 4 misses two of the 47 duplicates that are found at 0.85.
FEW = 3
# The most characters compared of a text: the size of a memory's file (`store.layout`), so all of it.
MOST_TEXT = 64 * 1024

_CHUNK = (
    r"(?<![\w.-])-(?=\d)|\w+(?:[./]\w+)*|[=!<>]=|[-=~]>|<-|[<>→←⇒]|\+\+|(?<=[^\W\d_])#"
    r"|[✅✓✔☑❌✗✘✖🚫⛔👍👎]"
)
_STRUCK = r"~~([^~\n]{1,80})~~"
_THOUSANDS = r"(?<=\d)[,_](?=\d{3}(?!\d))"
_DIGITS = r"\d+(?:[,_]\d{3}(?!\d))*"
_OPERATORS = frozenset(("-", "==", "!=", "<=", ">=", "<", ">", "->", "=>", "~>", "<-", "→", "←", "⇒", "++", "#"))
_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    )
    if word != "one"  # a pronoun as often as a number
}
# Forms that no stemmer leads back to their verb.
_IRREGULAR = {
    "sent": "send", "built": "build", "kept": "keep", "written": "write", "wrote": "write", "made": "make",
    "taken": "take", "took": "take", "ran": "run", "held": "hold", "lost": "lose", "broken": "break", "broke": "break",
    "chosen": "choose", "chose": "choose", "thrown": "throw", "threw": "throw", "hidden": "hide", "sold": "sell",
    "found": "find", "given": "give", "gave": "give", "shown": "show", "known": "know", "begun": "begin",
    "began": "begin", "left": "leave", "led": "lead", "bound": "bind", "brought": "bring", "caught": "catch",
}  # fmt: skip
_SPELT_OUT = frozenset(_NUMBERS.values())
# Words that an opposite may replace, or that reverse a claim when added.
_POLAR = frozenset(
    analysis.stems(
        tuple(
            """
            always only before after enable enabled disable disabled allow allowed deny denied forbid forbidden
            prohibited permit permitted accept accepted reject rejected true false on off up down minimum maximum min
            max least most increase decrease more less fewer above below over under add remove include exclude sync
            async synchronous asynchronous public private optional required mandatory success failure succeed safe
            unsafe valid invalid first last newest oldest start stop read write deprecated supported unsupported if may
            must
            """.split()
        )
    )
)
# Function words besides the search's, which make no claim, and the negations, which are counted separately.
_WORDS = (*GENERAL, "since", "every", "get", "gets", "got", "while", "one", "do", "does", "did", "never", "without")
EMPTY = frozenset((*_WORDS, *analysis.stems(sorted(_WORDS))))


@frozen
class Wording:
    """A text in the form for comparison.

    Attributes:
        plain: The text's words and operators in lower case, separated by spaces: equal for two texts that only
            differ in case, white space and punctuation.
        words: Its stemmed words, in order, without function words (with them if fewer than ``FEW`` are left).
        counts: How often each of these occurs.
        numbers: Words with digits: numbers, versions, names such as ``rs256``; and operators.
        negations: The number of negations.
        polar: The words of polarity.
        text: The text itself.
        language: The language of its stems.
    """

    plain: str
    words: tuple[str, ...]
    counts: Mapping[str, int]
    numbers: frozenset[str]
    negations: int
    polar: frozenset[str]
    text: str
    language: str

    def is_contrary(self, other: Wording) -> bool:
        """Return whether the two differ in something that changes a claim with the same words."""
        mine = (self.numbers, self.negations, self.polar)
        return mine != (other.numbers, other.negations, other.polar)


def text_to_compare(title: str, body: str) -> str:
    """Return a memory's claim: its title and body, the title once if the body begins with it; not how it came about."""
    below = body.partition(f"\n{CIRCUMSTANCES} ")[0].strip() if CIRCUMSTANCES in body else body.strip()
    return below if below.startswith(title.strip()) else f"{title}\n{below}".strip()


def wording_of(text: str, language: str = ENGLISH) -> Wording:
    """Return a text in the form for comparison; at most ``MOST_TEXT`` characters of it.

    Stems are those of the language; words of polarity are known for English, negations for a few languages.
    """
    import re  # 4 ms (measured), only if a text is similar to another

    text = unicodedata.normalize("NFKC", text[:MOST_TEXT])
    if "~~" in text:
        text = re.sub(_STRUCK, r"not \1,", text)
    whole = text.casefold()
    tokens = list(map(_bare.__getitem__, re.findall(_CHUNK, re.sub(_THOUSANDS, "", whole))))
    plain = " ".join(tokens).replace("- ", "-")
    every = analysis.terms_of_chunks([_IRREGULAR.get(token, token) for token in tokens], language)
    words = tuple([word for word in every if word not in EMPTY])
    if len(words) < FEW:
        words = tuple(every)
    numbers = frozenset(filter(_has_number.__getitem__, set(plain.split(" "))))
    negations, polar = len(re.findall(NEGATION, whole)), _POLAR.intersection(every)
    return Wording(plain, words, Counter(words), numbers, negations, polar, text, language)


def numerals(text: str) -> frozenset[str]:
    """Return the numerals in a text except possible number words: texts with the same claim have the same ones.

    This takes 6 us, a ``Wording`` 200 (measured); most texts have numerals that no other text has.
    """
    import re

    whole = unicodedata.normalize("NFKC", text[:MOST_TEXT]).casefold()
    return frozenset(number.replace(",", "").replace("_", "") for number in re.findall(_DIGITS, whole)) - _SPELT_OUT


def _without_emphasis(token: str) -> str:
    """Return a token without surrounding underscores from Markdown's emphasis; a number word as digits."""
    token = token.strip("_") or token
    return _NUMBERS.get(token, token)


_bare = Memo(_without_emphasis)
_has_number = Memo(lambda word: word in _OPERATORS or any(map(str.isdigit, word)))


def likeness(a: Wording, b: Wording) -> float:
    """Return how similar the claims of two texts are, from 0 (no common word) to 1 (the same words in the same order).

    The share of the longer text's words that both have, less the replaced ones; halved if numbers, negations, polarity
    or operators differ, or words are swapped. Sentences and clauses may be in another order. Source: see the module.
    """
    if a.plain == b.plain:
        return 1.0
    shorter, longer = sorted((len(a.words), len(b.words)))
    if not shorter:
        return 0.0
    common = _common(a, b)
    score = (common - EXCHANGED * (shorter - common)) / longer
    if a.is_contrary(b) or (score > CONTRARY and have_swapped(a, b)):
        score *= CONTRARY
    return min(max(score, 0.0), ALMOST)


def is_paraphrase(a: Wording, b: Wording) -> bool:
    """Return whether two texts with the same meaning, by their embeddings, may be the same claim in other words.

    If most words are the same, the words decide: for a model, "stored in Redis" and "in Memcached" mean the same.
    """
    return not a.is_contrary(b) and _common(a, b) < MEANING_BELOW * max(len(a.words), len(b.words))


def _common(a: Wording, b: Wording) -> int:
    return sum(min(count, b.counts.get(word, 0)) for word, count in a.counts.items())


def most_missing(words: int, threshold: float) -> int:
    """Return how many distinct words of a text may be missing in a near duplicate of it, by the words in common."""
    return int((1 - threshold) * words + 1e-9)


def have_swapped(a: Wording, b: Wording) -> bool:
    """Return whether two texts say the same words about different things: who calls whom, which limit is whose."""
    return is_swapped(a.text, b.text, EMPTY, a.language)


# The most texts with a common rare word that are compared with each new one: otherwise a store full of similar texts
# would need all pairs.
MOST_IN_A_BUCKET = 200


def near_pairs(
    wordings: Sequence[Wording],
    threshold: float,
    *,
    progress: Callable[[int, int], None] | None = None,
    most: int | None = None,
) -> Iterator[tuple[int, int, float]]:
    """Yield the pairs of texts with at least this likeness: ``(first, second, likeness)``, ``first < second``.

    Of texts with exactly the same words, only the first is compared with others, and each later one is paired with it.

    Args:
        wordings: The texts.
        threshold: From 0 to 1.
        progress: Called with the number of texts processed and the total.
        most: The most words of pairs to compare; after that, only equal texts are found. None for no limit.

    Two texts that say the same have the same numbers, negations and words of polarity, and one of their rarest words
    in common: the number of rarest words to consider follows from the share of words that both must have.

    Source: prefix filtering, Bayardo, Ma, Srikant 2007, "Scaling up all pairs similarity search".
    """
    left = most
    frequency = Counter(word for wording in wordings for word in wording.counts)
    same: dict[str, int] = {}
    buckets: dict[tuple[object, ...], list[int]] = {}
    for number, wording in enumerate(wordings):
        if progress is not None and number % 500 == 0:
            progress(number, len(wordings))
        first = same.setdefault(wording.plain, number)
        if first != number:
            yield first, number, 1.0
            continue
        numbers: set[int] = set()
        for bucket in _buckets(wording, threshold, frequency):
            held = buckets.setdefault(bucket, [])
            numbers.update(held)
            if len(held) < MOST_IN_A_BUCKET:
                held.append(number)
        for other in sorted(numbers):
            if left is not None:
                left -= len(wording.words) + len(wordings[other].words)
                if left < 0:
                    break
            earlier = wordings[other]
            if _most_alike(earlier, wording) < threshold or wording.is_contrary(earlier):
                continue
            if (value := likeness(earlier, wording)) >= threshold:
                yield other, number, value


def _most_alike(a: Wording, b: Wording) -> float:
    """Return a likeness that two texts cannot exceed unless they are equal; it takes half the time of ``likeness``."""
    shared = len(a.counts.keys() & b.counts.keys())
    repeated = min(len(a.words) - len(a.counts), len(b.words) - len(b.counts))
    shorter, longer = sorted((len(a.words), len(b.words)))
    return min(shared + repeated, shorter) / longer if longer else 0.0


def _buckets(wording: Wording, threshold: float, frequency: Mapping[str, int]) -> Iterator[tuple[object, ...]]:
    """Yield what a text has in common with every similar one, at least one of them: a rare word, and all numbers."""
    rarest = sorted(wording.counts, key=lambda word: (frequency[word], word))
    remaining = sum(wording.counts.values())
    signature = hash((wording.numbers, wording.negations, wording.polar))
    for word in rarest[: most_missing(remaining, threshold) + 1]:
        yield signature, word
