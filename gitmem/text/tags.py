"""Choose the tags of a text from a policy's tags, by their words. Pure."""

from __future__ import annotations

from functools import lru_cache

from gitmem.model import ENGLISH
from gitmem.text.tokens import all_terms, unify_spelling

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def find_tags(text: str, words: Mapping[str, Sequence[str]], language: str = ENGLISH) -> list[str]:
    """Return the tags whose words occur in a text, sorted.

    Args:
        text: The text.
        words: The words or phrases for each tag. They are found as whole words, in any case and inflection, also as
            parts of an identifier; never inside another word.
        language: The language of the inflections.
    """
    found = all_terms(text, language)
    tags_of, phrases_of = _vocabulary(tuple((tag, tuple(given)) for tag, given in words.items()), language)
    different = set(found)
    tags = {tag for word in tags_of.keys() & different for tag in tags_of[word]}
    if begun := phrases_of.keys() & different:
        scanned = f" {' '.join(found)} "
        tags |= {tag for first in begun for phrase, tag in phrases_of[first] if phrase in scanned}
    return sorted(tags)


@lru_cache(maxsize=16)  # the words are the policy's, and the same for every text
def _vocabulary(
    words: tuple[tuple[str, tuple[str, ...]], ...], language: str
) -> tuple[dict[str, list[str]], dict[str, list[tuple[str, str]]]]:
    """Return the tags for each stemmed word; and each phrase with its tag, by its first word, padded with spaces."""
    tags_of: dict[str, list[str]] = {}
    phrases_of: dict[str, list[tuple[str, str]]] = {}
    for tag, given in words:
        for word in given:
            parts = "".join(char if char.isalnum() else " " for char in unify_spelling(word, language)).split()
            apart, joined = " ".join(parts), "".join(parts)
            for spelling in (apart, joined) if len(word.split()) == 1 else (apart,):
                stemmed = all_terms(spelling, language)
                if len(stemmed) == 1:
                    tags_of.setdefault(stemmed[0], []).append(tag)
                elif stemmed:
                    phrases_of.setdefault(stemmed[0], []).append((f" {' '.join(stemmed)} ", tag))
    return tags_of, phrases_of
