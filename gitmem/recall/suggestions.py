"""Suggest memories for a query that finds nothing: by parts of words, and by words that differ in one letter.

Both are used only if no word of the query is in any memory, and take no longer than a recall.
"""

from __future__ import annotations

import re

from gitmem.model import ENGLISH
from gitmem.text import tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from gitmem.index import FtsEngine
    from gitmem.index.catalog import Catalog
    from gitmem.model import IndexText

# A part of a word has at least three letters to be meaningful, where a letter is not a word; no word is longer than a
# term.
SHORTEST_PART = 3
MOST_PARTS = 3
# How many texts are searched for parts, newest first: 15 ms for 10,000 of them and one part (measured).
MOST_TEXTS = 30_000
TERMS_OF_PARTS = 30
# A longer query was not typed by hand, so it has no typos to correct.
LONGEST_QUERY = 500
# A shorter word has too many similar ones.
SHORTEST_WORD = 4
MOST_WORDS = 8
_PUNCTUATION = "\"'`.,;:!?()[]{}<>*"
# Around a sign, only these do not belong to it.
_QUOTES = "\"'`"
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def parts_of(query: str) -> list[str]:
    """Return the parts of a query to find inside words: in lower case, signs such as ``&&`` first, then the longest."""
    typed = query[:LONGEST_QUERY].lower().split()
    words = dict.fromkeys(word.strip(_QUOTES if is_sign(word) else _PUNCTUATION) for word in typed)
    # Unprintable text was not typed, and SQLite rejects lone surrogates.
    fit = (word for word in words if 0 < len(word) <= tokens.MAX_TERM and word.isprintable())
    fit = (word for word in fit if len(word) >= SHORTEST_PART or tokens.is_unspaced(word) or is_sign(word))
    return sorted(fit, key=lambda word: (is_sign(word), len(word)), reverse=True)[:MOST_PARTS]


def is_sign(word: str) -> bool:
    """Return whether a word has no letter or digit and is more than one ASCII mark, such as a hyphen in a word."""
    return not any(map(str.isalnum, word)) and (len(word) > 1 or not word.isascii())


def list_containing(
    catalog: Catalog, parts: Sequence[str], *, limit: int, where: str, parameters: Sequence[object]
) -> list[int]:
    """Return the newest memories that contain one of the parts literally, ignoring the case of ASCII letters.

    The vocabulary cannot be used, because its words are stemmed: "connectio" is in none of them.

    Args:
        catalog: The catalog.
        parts: The parts to find, at least one.
        limit: How many at most, >= 1.
        where: An SQL condition on ``memory m``.
        parameters: The values of its placeholders.
    """
    columns = ("n.title", "t.tags", "n.key", "t.paths", "t.body")
    tries = " OR ".join(f"{column} LIKE ? ESCAPE '!'" for _ in parts for column in columns)
    plain = [re.sub("([!%_])", r"!\1", part) for part in parts]
    patterns = [f"%{part}%" for part in plain for _ in columns]
    rows = catalog.rows(
        f"WITH n AS (SELECT m.id, m.title, m.key FROM memory m WHERE {where} ORDER BY m.created DESC, m.key LIMIT ?)"
        f" SELECT n.id FROM n JOIN text t ON t.id = n.id WHERE {tries} LIMIT ?",
        (*parameters, MOST_TEXTS, *patterns, limit),
    )
    return [row[0] for row in rows]


def terms_with(texts: Iterable[IndexText], parts: Sequence[str], language: str = ENGLISH) -> list[str]:
    """Return the terms of the words that contain one of the parts, to score these memories by.

    A sign has none: those of the title stand for it.
    """
    words = ((text.title, word) for text in texts for word in " ".join(text.texts()).split())
    having = ((title, word) for title, word in words if any(part in word.lower() for part in parts))
    found = (term for title, word in having for term in tokens.terms(_scored_by(word, title), language))
    return list(dict.fromkeys(found))[:TERMS_OF_PARTS]


def _scored_by(word: str, title: str) -> str:
    return word if any(map(str.isalnum, word)) else title


def suggestion(catalog: Catalog, engine: FtsEngine, query: str, terms: Sequence[str]) -> str:
    """Return the query with unknown words replaced by known ones that differ in one letter; empty if there are none.

    Args:
        catalog: The catalog.
        engine: The index with the vocabulary.
        query: The query as typed.
        terms: Its analysed terms.
    """
    if len(query) > LONGEST_QUERY:
        return ""
    known = engine.frequencies(terms).frequency
    typed = dict.fromkeys(re.findall(r"\w+", query))
    fit = (word for word in typed if len(word) >= SHORTEST_WORD and word.isascii())
    unknown = [word for word in fit if _is_unknown(tokens.terms(word, catalog.language), terms, known)]
    better = {word: near for word in unknown[:MOST_WORDS] if (near := _nearest(catalog, engine, word.lower()))}
    return re.sub(r"\w+", lambda word: better.get(word[0], word[0]), query) if better else ""


def _is_unknown(suggested: Sequence[str], terms: Sequence[str], known: Container[str]) -> bool:
    return any(term in terms for term in suggested) and not any(term in known for term in suggested)


def _nearest(catalog: Catalog, engine: FtsEngine, word: str) -> str:
    """Return the most frequent word that is one letter away from this one, or has the same stem as such a word.

    The word is returned as written in a memory; empty if there is none. Stems matter because stemming may drop the
    letter that differs: "rediss" is two letters from the term of "redis".
    """
    near = dict.fromkeys(tokens.stems(sorted(_edited(word)), catalog.language))
    known = dict(catalog.each("SELECT term, df FROM term WHERE term IN ({})", near))
    for best in sorted(known, key=lambda term: (-known[term], term)):
        for candidate in engine.candidates([best], limit=1, where="m.shadowed = 0"):
            title, body = catalog.row(
                "SELECT m.title, t.body FROM memory m JOIN text t ON t.id = m.id WHERE m.id = ?", (candidate.number,)
            )
            written = re.findall(r"\w+", f"{title} {body}")
            if found := next((word for word in written if tokens.terms(word, catalog.language) == [best]), ""):
                return str(found.lower())
    return ""


def _edited(word: str) -> set[str]:
    """Return every string one edit away: a letter deleted, inserted or changed, or two neighbours swapped.

    Source: Damerau 1964, "A technique for computer detection and correction of spelling errors": four in five errors.
    """
    cuts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    edited = {a + b[1:] for a, b in cuts if b}
    edited |= {a + b[1] + b[0] + b[2:] for a, b in cuts if len(b) > 1}
    edited |= {a + letter + b[1:] for a, b in cuts if b for letter in _LETTERS}
    edited |= {a + letter + b for a, b in cuts for letter in _LETTERS}
    return edited - {word}
