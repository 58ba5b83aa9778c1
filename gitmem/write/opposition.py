"""Find the memories that a new one contradicts, when it is written (``write.contradictions`` decides)."""

from __future__ import annotations

from gitmem.index.catalog.state import LIVE
from gitmem.text.tokens import terms
from gitmem.write.duplicates import EVENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    from gitmem.index.catalog import Catalog

# The rarest words of a title that select memories to compare it with, and the most of those.
RAREST, MOST_COMPARED = 8, 30
# The share of the longer title's words that two opposed titles have in common: two words of each may differ.
SHARED = 0.4


def find_contradicted(
    catalog: Catalog, title: str, *, fields: Mapping[str, Any], apart: Collection[str] = ()
) -> list[str]:
    """Return the keys of the live memories that a new title contradicts, by key; the words decide.

    Args:
        catalog: The catalog of the tip that is written on.
        title: The new memory's title.
        fields: Its frontmatter: what it supersedes is not contradicted, and plans and events claim nothing.
        apart: Keys to leave out.
    """
    if fields.get("kind") in EVENTS:
        return []
    title_terms = set(terms(title, catalog.language))
    words = [word for word in title_terms if not any(map(str.isdigit, word))]
    known = dict(catalog.each("SELECT term, df FROM term WHERE term IN ({})", words))
    rarest = sorted((word for word in words if known.get(word)), key=lambda word: (known[word], word))[:RAREST]
    if not rarest:
        return []
    matched = "{title} : (" + " OR ".join(f'"{word}"' for word in rarest) + ")"
    rows = catalog.rows(
        "SELECT m.key, m.title FROM (SELECT rowid AS id FROM fts WHERE fts MATCH ? ORDER BY bm25(fts) LIMIT ?) f"
        f" CROSS JOIN memory m ON m.id = f.id WHERE {LIVE} AND m.kind NOT IN ({', '.join('?' * len(EVENTS))})",
        (matched, MOST_COMPARED, *EVENTS),
    )
    replaced = fields.get("supersedes") or ()
    left = {*apart, *([replaced] if isinstance(replaced, str) else replaced)}
    near = [(key, other) for key, other in rows if key not in left and _is_near(title_terms, other, catalog.language)]
    return _opposed(title, near, catalog.language) if near else []


def _is_near(terms_of_title: set[str], other: str, language: str) -> bool:
    words = set(terms(other, language))
    return len(terms_of_title & words) >= SHARED * max(len(terms_of_title), len(words))


def _opposed(title: str, near: Collection[tuple[str, str]], language: str) -> list[str]:
    from gitmem.write.contradictions import parse_statement, why_opposed  # ``re``, only if a title is similar

    statement = parse_statement(title, language)
    return sorted(key for key, other in near if why_opposed(statement, parse_statement(other, language)))
