"""Find what the store already says: the same text anywhere in it, or nearly the same in a live memory.

Candidates come from the search index, by terms of which a duplicate must have some, so no write scans the store; only
candidates are compared. The search runs under the write's lock, on the tip that is written on: of two processes that
write the same at once, the second one is notified.
"""

from __future__ import annotations

from gitmem.errors import DuplicateError
from gitmem.frozen import frozen, replace
from gitmem.model import ADOPTED, TASK
from gitmem.text import parse_json
from gitmem.text.similarity import (
    ALMOST,
    EMPTY,
    Wording,
    is_paraphrase,
    likeness,
    most_missing,
    text_to_compare,
    wording_of,
)
from gitmem.text.tokens import terms as analyse
from gitmem.write.archive import describe_retired, is_rotated
from gitmem.write.place import body_of, find_known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from typing import Any

    from gitmem.index.catalog import Catalog
    from gitmem.model import Document
    from gitmem.policy import Policy
    from gitmem.write.draft import Draft
    from gitmem.write.place import KnownMemory

    # Returns keys of live memories with a similarity from 0 to 1 to a text, from a provider of embeddings.
    Similar = Callable[[str], Sequence[tuple[str, float]]]

# What a write does about a duplicate: refuse it; add it to the existing memory; not look for one.
REFUSE, FOLD, ALLOW = "refuse", "fold", "allow"
# Plans and events: the same text on the next day is another memory. An adopted fact repeats its document, and is shown
# only when it fails.
EVENTS = (TASK, "session", ADOPTED)
# The rarest terms of a new text, which select candidates: more terms do not help, and SQLite allows 999 parameters.
MOST_TERMS = 64
TERMS_READ = 900
# The most terms in a group: few memories have three rare terms in common.
GROUP = 3
# The most candidates compared, those with most terms in common; 0.2 ms each (measured at 80 words).
MOST_CANDIDATES = 10

_LIVE = "m.shadowed = 0 AND m.archived = 0 AND m.superseded = 0"
_COLUMNS = "m.key, m.kind, m.title, t.body, m.archived, m.superseded, m.superseded_by, t.fields"
_FOUND = (
    # Only the best candidates' texts are read.
    f"SELECT {_COLUMNS} FROM (SELECT f.rowid AS id FROM ({{matches}}) f CROSS JOIN memory m ON m.id = f.rowid"
    f" WHERE m.shadowed = 0 AND m.kind NOT IN ({', '.join('?' * len(EVENTS))}) {{also}}"
    " GROUP BY f.rowid ORDER BY count(*) DESC, f.rowid DESC LIMIT ?) best"
    " JOIN memory m ON m.id = best.id JOIN text t ON t.id = best.id ORDER BY m.id DESC"
)
_MATCH = "SELECT rowid FROM fts WHERE fts MATCH ?"


@frozen
class Duplicate:
    """A memory that already says what a new one would.

    Attributes:
        key, kind, title, body, fields: Of that memory.
        likeness: The similarity from 0 to 1; 1 = the same words.
        archived: Whether it was retired.
        superseded: Whether another memory replaced it.
        superseded_by: The key of that memory, if known.
    """

    key: str
    kind: str
    title: str
    body: str
    fields: Mapping[str, Any]
    likeness: float
    archived: bool
    superseded: bool
    superseded_by: str

    @property
    def is_live(self) -> bool:
        """Return whether readers see it."""
        return not self.archived and not self.superseded


@frozen
class NewText:
    """What a new memory says.

    Attributes:
        title: Its title.
        body: Its body.
        fields: Its frontmatter: memories with different checks, and events, are never near duplicates.
    """

    title: str
    body: str
    fields: Mapping[str, Any]


def find_duplicate(
    catalog: Catalog,
    new: NewText,
    threshold: float,
    *,
    apart: Collection[str] = (),
    similar: Similar | None = None,
) -> Duplicate | None:
    """Return the memory that already says what a new one would: one with the same words, else the most similar one.

    Args:
        catalog: The catalog of the tip that is written on.
        new: The new memory.
        threshold: The similarity of near duplicates; 0 = do not look for them.
        apart: Keys to leave out.
        similar: Returns more candidates by meaning.
    """
    text, fields = text_to_compare(new.title, new.body), new.fields
    if not threshold or fields.get("kind") in EVENTS:
        return None
    known = _term_counts(catalog, text)
    apart = {*apart, *_as_list(fields.get("supersedes"))}
    same, like = (
        _rows(catalog, _with_all(known), apart),
        _rows(catalog, _with_most(known, threshold), apart, f"AND {_LIVE}"),
    )
    likes = {key: value for key, value in (similar(text) if similar else ()) if value >= threshold}
    if not (same or like or likes):
        return None
    wanted = wording_of(text, catalog.language)
    for duplicate in same:
        if wording_of(
            text_to_compare(duplicate.title, duplicate.body), catalog.language
        ).plain == wanted.plain and not is_rotated(duplicate.fields):
            return replace(duplicate, likeness=1.0)
    near = [
        replace(duplicate, likeness=value)
        for duplicate in like
        if (value := likeness(wanted, wording_of(text_to_compare(duplicate.title, duplicate.body), catalog.language)))
        >= threshold
    ]
    near += _by_meaning(catalog, wanted, likes, apart)
    fit = [duplicate for duplicate in near if not have_different_checks(fields, duplicate.fields)]
    return max(fit, key=lambda duplicate: (duplicate.likeness, duplicate.key), default=None)


def have_different_checks(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether two memories have different checks: then they are two facts, however similar their words."""
    first, second = one.get("verify"), other.get("verify")
    return first is not None and second is not None and first != second


class KnownTexts:
    """The sources of duplicates besides the store that is written to.

    Attributes:
        beside: Returns the catalog of the other home of the same memories, or None if there is none.
        similar: Returns memories by meaning, if a provider of embeddings is set up.
    """

    def __init__(self) -> None:
        self.beside: Callable[[], Catalog | None] = lambda: None
        self.similar: Similar | None = None

    def find(self, catalog: Catalog, draft: Draft, policy: Policy, *, again: str) -> Duplicate | None:
        """Return the memory that already says what a draft does; None if that is the one the draft updates."""
        if again == ALLOW:
            return None
        known = find_known(catalog, draft.key)
        title, live = str(draft.fields["title"]), known is not None and not known.archived
        if known is not None and live and known.title == title and body_of(catalog, known) == draft.body:
            return None  # the memory itself says this, and the rest of the input is added to it
        return self._find(catalog, NewText(title, draft.body, draft.fields), policy, apart=(draft.key,) if live else ())

    def refuse_edit(
        self, catalog: Catalog, known: KnownMemory, document: Document, policy: Policy, *, again: str
    ) -> None:
        """Refuse a changed text that another memory has.

        Raises:
            DuplicateError: Another memory says the same, and *again* is to refuse.
        """
        is_same = (document.title, document.body) == (known.title, body_of(catalog, known))
        if again == ALLOW or known.archived or is_same:
            return
        new = NewText(document.title, document.body, document.fields)
        duplicate = self._find(catalog, new, policy, apart=(known.key,))
        if duplicate is not None:
            raise _error(duplicate)

    def _find(self, catalog: Catalog, new: NewText, policy: Policy, *, apart: Collection[str]) -> Duplicate | None:
        threshold = policy.duplicates.threshold
        duplicate = find_duplicate(catalog, new, threshold, apart=apart, similar=self.similar)
        other = self.beside() if duplicate is None and threshold else None
        return duplicate if other is None else find_duplicate(other, new, threshold, apart=apart)


def refuse_said(draft: Draft, duplicate: Duplicate, *, again: str) -> None:
    """Refuse what another memory says, unless it is to be added to that memory.

    Raises:
        DuplicateError: *again* is to refuse.
    """
    if again == REFUSE:
        raise _error(duplicate)


def _error(duplicate: Duplicate) -> DuplicateError:
    """Return the error that names the existing memory, with the ways to proceed."""
    key, hint = duplicate.key, "keep both: --force"
    if duplicate.archived:
        retired = duplicate.fields.get("retired")
        reason = f"said this, but was retired{describe_retired(retired) if isinstance(retired, dict) else ''}"
        hint = f"restore it: gitmem restore {key}; {hint}"
    elif duplicate.superseded:
        by = duplicate.superseded_by
        reason = "said this, but was superseded" + (f" by {by}" if by else "")
        hint = (f"reverse it: gitmem supersede {by} {key}; " if by else "") + hint
    else:
        reason = (
            "already says this" if duplicate.likeness == 1 else f"says nearly the same thing ({duplicate.likeness:.2f})"
        )
        hint = f"replace it: --supersedes {key}; {hint}"
    return DuplicateError(
        f"{key} {reason}: {duplicate.title}",
        key=key,
        title=duplicate.title,
        likeness=duplicate.likeness,
        status="retired" if duplicate.archived else "superseded" if duplicate.superseded else "",
        hint=hint,
    )


def fold_into(draft: Draft, duplicate: Duplicate) -> Draft:
    """Return a draft that adds a duplicate's lists (refs, paths, tags) to a memory.

    The memory keeps its key, kind, title and text.
    """
    lists = {name: value for name, value in draft.fields.items() if isinstance(value, list) and name in _UNITED}
    fields = {"title": duplicate.title, "kind": duplicate.kind, **lists}
    return replace(draft, key=duplicate.key, is_explicit=False, fields=fields, body=duplicate.body, made=())


_UNITED = ("tags", "domains", "paths", "refs", "anchors")


def _term_counts(catalog: Catalog, text: str) -> list[tuple[str, int]]:
    """Return a text's distinct terms with the number of memories for each, rarest first; 0 for an unknown term."""
    terms = [term for term in dict.fromkeys(analyse(text, catalog.language)) if term not in EMPTY][:TERMS_READ]
    counts = dict(catalog.each("SELECT term, df FROM term WHERE term IN ({})", terms))
    return sorted(((term, counts.get(term, 0)) for term in terms), key=lambda pair: (pair[1], pair[0]))


def _with_all(known: Sequence[tuple[str, int]]) -> list[str]:
    """Return an FTS5 expression for the memories with all of the terms (a few of them suffice), or none."""
    return [_all(term for term, _ in known[:8])] if known and known[0][1] else []


def _with_most(known: Sequence[tuple[str, int]], threshold: float) -> list[str]:
    """Return FTS5 expressions, one per group of terms: a duplicate has all terms of at least one group.

    A memory that lacks at most *k* of the terms has all terms of at least one of any *k* + 1 disjoint groups. A
    duplicate has every term with a digit, unless a word can replace it.
    """
    known = known[:MOST_TERMS]
    numbers = [(term, count) for term, count in known if any(map(str.isdigit, term)) and len(term) > 2]
    missing = most_missing(len(known), threshold)
    left = [term for term, count in known if count and (term, count) not in numbers]
    room = missing - (len(known) - len(numbers) - len(left))
    if room < 0 or not all(count for _, count in numbers):
        return []
    always = [term for term, _ in numbers[:GROUP]]
    left = left[: GROUP * (room + 1)]
    groups = [left[at :: room + 1] for at in range(min(room + 1, len(left)))]
    if len(left) <= room:  # all of them may be missing
        groups = [[]] if always else groups
    return [_all([*always, *group]) for group in groups]


def _all(terms: Iterable[str]) -> str:
    return "{title body} : (" + " AND ".join(f'"{term}"' for term in terms) + ")"


def _rows(catalog: Catalog, matches: Sequence[str], apart: Collection[str], also: str = "") -> list[Duplicate]:
    """Return the memories matched by most of these expressions, newest first among equals."""
    if not matches:
        return []
    sql = _FOUND.format(matches=" UNION ALL ".join([_MATCH] * len(matches)), also=also)
    rows = catalog.rows(sql, (*matches, *EVENTS, MOST_CANDIDATES + len(apart)))
    return [_duplicate(row) for row in rows if row[0] not in apart]


def _duplicate(row: Sequence[Any]) -> Duplicate:
    key, kind, title, body, archived, superseded, by, fields = row
    return Duplicate(key, kind, title, body, parse_json(fields), 0.0, bool(archived), bool(superseded), by)


def _by_meaning(
    catalog: Catalog, wanted: Wording, likes: Mapping[str, float], apart: Collection[str]
) -> list[Duplicate]:
    """Return what a provider of embeddings finds similar, filtered by numbers, negations and names."""
    rows = catalog.each(
        f"SELECT {_COLUMNS} FROM memory m JOIN text t ON t.id = m.id WHERE {_LIVE} AND m.key IN ({{}})",
        likes,
    )
    duplicates = (_duplicate(row) for row in rows)
    return [
        replace(duplicate, likeness=min(likes[duplicate.key], ALMOST))
        for duplicate in duplicates
        if duplicate.kind not in EVENTS
        and duplicate.key not in apart
        and is_paraphrase(wanted, wording_of(text_to_compare(duplicate.title, duplicate.body), catalog.language))
    ]


def _as_list(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value or ())
