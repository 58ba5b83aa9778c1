"""The query language of ``recall --syntax``: Whoosh's parser, made strict, with bounded expansion of patterns.

Whoosh treats whatever it cannot parse as words. A user who asks for syntax wants an error instead, so the tokens of its
taggers are checked before they are parsed. Statuses and paths are not in the index but in the catalog.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache

from gitmem.errors import UsageError
from gitmem.frozen import frozen
from gitmem.index.whoosh.engine import Among
from gitmem.index.whoosh.index import TEXTS, QuietImport, schema_of
from gitmem.model import ENGLISH, STATUSES
from gitmem.text import tokens

with QuietImport():
    from whoosh import fields, query
    from whoosh.analysis import IDAnalyzer
    from whoosh.qparser import QueryParser, QueryParserError, plugins, syntax
    from whoosh.util.times import adatetime, datetime_to_long, is_ambiguous

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

# The limits of a query, beyond which it could take minutes. Within them, at most 2 s (measured at 20,000 memories).
LONGEST = 2_000
MOST_NODES = 400
DEEPEST = 20
MOST_PATTERNS = 8
MOST_STARS = 4
LONGEST_FUZZY = 32
# The number of words that a pattern may expand to, the most frequent ones; and of names, which are not scored.
MOST_WORDS = 64
MOST_NAMES = 4_000

FIELDS = ("kind", "tag", "key", "title", "body", "path", "status", "task", "by", "created")
_ALIASES = {"kind": ("type",), "tag": ("tags",), "path": ("paths",)}
_NAMES = {alias: name for name, given in _ALIASES.items() for alias in given} | {name: name for name in FIELDS}
_DATE = re.compile(r"(\d{4})(?:-?(\d\d)(?:-?(\d\d)(?:[T ]?(\d\d)(?::?(\d\d)(?::?(\d\d))?)?Z?)?)?)?")


@frozen
class ParsedQuery:
    """A parsed query, ready to run.

    Attributes:
        query: Whoosh's query, with all patterns expanded.
        terms: The analysed terms that a matching memory may contain, for the scorer; empty if it only filters.
        is_cut: Whether a pattern matches more words than it was expanded to.
    """

    query: Any
    terms: tuple[str, ...]
    is_cut: bool


class _Dates(fields.DATETIME):  # type: ignore[misc]
    """Dates as people write them: a year, month, day or minute means the whole of it."""

    def _read(self, text: str) -> adatetime:
        match = _DATE.fullmatch(text.strip())
        parts = [int(part) if part else None for part in match.groups()] if match else [None] * 6
        year, month, day, hour, minute, second = parts
        try:  # check that the date exists
            datetime(year or 0, month or 1, day or 1, hour or 0, minute or 0, second or 0, tzinfo=UTC)
        except ValueError as err:
            raise QueryParserError(f"{text!r} is not a date; write 2026, 2026-01 or 2026-01-31") from err
        return adatetime(*parts)

    def parse_query(self, fieldname: str, qstring: str, boost: float = 1.0) -> Any:
        """Return the query for a moment, or for a whole minute, day, month or year."""
        return self.parse_range(fieldname, qstring, qstring, False, False, boost=boost)

    def parse_range(
        self, fieldname: str, start: str | None, end: str | None, *excluded: bool, boost: float = 1.0
    ) -> Any:
        """Return the query for a range, which may be open; an excluded month is excluded as a whole."""
        startexcl, endexcl = excluded
        first, last = (self._read(text) if text else None for text in (start, end))
        return query.NumericRange(
            fieldname,
            _edge(first, is_late=startexcl),
            _edge(last, is_late=not endexcl),
            startexcl,
            endexcl,
            boost=boost,
        )


def _edge(at: adatetime | None, *, is_late: bool) -> int | None:
    if at is None:
        return None
    exact = (at.ceil() if is_late else at.floor()) if is_ambiguous(at) else at
    return int(datetime_to_long(exact))


class _Wildcards(plugins.WildcardPlugin):  # type: ignore[misc]
    # A run of wildcards is one node: Whoosh's own expression loses text after "**".
    expr = "(?P<text>[*?]+)"


class _Comparisons(plugins.GtLtPlugin):  # type: ignore[misc]
    """Whoosh's comparisons, extended to work inside parentheses."""

    def do_gtlt(self, parser: QueryParser, group: Any) -> Any:
        """Replace comparisons by ranges."""
        inner = group.empty_copy()
        for node in group:
            inner.append(self.do_gtlt(parser, node) if isinstance(node, syntax.GroupNode) else node)
        return super().do_gtlt(parser, inner)


_NAME = fields.ID(analyzer=IDAnalyzer(lowercase=True))


@lru_cache(maxsize=4)
def _schema(language: str) -> fields.Schema:
    indexed = schema_of(language)
    return fields.Schema(
        **{name: indexed[name] for name in ("title", "names", "body", "tag", "by")},
        kind=_NAME,
        key=_NAME,
        status=_NAME,
        task=_NAME,
        path=fields.ID(),
        created=_Dates(),
    )


# An operator is surrounded by blanks; at either end of the query it is refused. A minus at the beginning of a word
# means "not"; elsewhere it is part of a name: trace-id.
_AND, _OR = (rf"(?:^|(?<=[\s()])){word}(?=[\s()]|$)" for word in ("AND", "OR"))
_NOT = r"(?:^|(?<=[\s(]))(?:NOT(?=[\s()]|$)|-(?=[^\s-]))"
# A field's name is at the beginning of a word: jwt.py:12 and 10:30 have none.
_FIELD = r"(?:(?<![\w.:/*?-])|(?<=^-)|(?<=[\s(]-))(?P<text>[A-Za-z_]+):"


class _Parser(QueryParser):  # type: ignore[misc]
    """Whoosh's parser, extended to find a compound by its parts as well: jwt.py in src/auth/jwt.py."""

    def __init__(self, language: str) -> None:
        self._language = language
        own = [
            plugins.SingleQuotePlugin(),
            plugins.FieldsPlugin(_FIELD),
            plugins.FieldAliasPlugin(_ALIASES),
            plugins.FuzzyTermPlugin(),
            _Wildcards(),
            plugins.PhrasePlugin(),
            plugins.RangePlugin(),
            _Comparisons(),
            plugins.GroupPlugin(),
            plugins.OperatorsPlugin(And=_AND, Or=_OR, Not=_NOT, AndNot=None, AndMaybe=None, Require=None),
            plugins.BoostPlugin(),
            plugins.MultifieldPlugin(list(TEXTS), TEXTS),
        ]
        super().__init__(None, _schema(language), plugins=own)

    def term_query(self, fieldname: str, text: str, termclass: Any, *, tokenize: bool = True, **options: Any) -> Any:
        """Return the query for one word as typed; None for a stop word."""
        if not tokenize or fieldname not in TEXTS:
            return super().term_query(fieldname, text, termclass, tokenize=tokenize, **options)
        words = [_compound(fieldname, *found) for found in tokens.compounds(text, self._language)]
        return query.And(words) if words else None


def _compound(field: str, whole: str, *parts: str) -> Any:
    word, *others = (query.Term(field, term, boost=TEXTS[field]) for term in (whole, *parts))
    # A single part is too vague: the only part of RS1 is RS, since single digits and letters are not parts.
    return query.Or([word, query.And(others)]) if len(others) > 1 else word


def read(
    text: str, reader: Any, *, among: Callable[[str, str], frozenset[bytes]], language: str = ENGLISH
) -> ParsedQuery:
    """Parse the text of a query.

    Args:
        text: The query as typed.
        reader: Whoosh's reader; patterns expand to its words.
        among: Returns the names of the memories with a status, or related to a path.
        language: The language in which the index's texts are analysed.

    Raises:
        UsageError: It is not a valid query; the message says where and why.
    """
    text = " ".join(text.encode("utf-8", "ignore").decode().split())  # the index contains no lone surrogates
    if len(text) > LONGEST:
        raise UsageError(f"the query is too long: {len(text)} characters", hint=f"the limit is {LONGEST}")
    parser = _Parser(language)
    _check(text, list(parser.tag(text)))
    parsed = parser.parse(text, normalize=False)
    _refuse_errors(text, parsed)
    expanding = _Expanding(text, reader, among, language)
    ready = parsed.accept(expanding.replace).normalize()
    terms = tuple(dict.fromkeys(_positive(ready)))
    return ParsedQuery(ready, terms, expanding.is_cut)


def _wrong(text: str, place: Any, why: str, hint: str = "") -> UsageError:
    """Return the error for a place in a query: a position, or a node that may have one."""
    at = place if isinstance(place, int) else getattr(place, "startchar", None) or 0
    message = f"the query cannot be read at character {at + 1}, {text[at : at + 20]!r}: {why}"
    return UsageError(message, hint=hint or 'quote literal text: "port:8080"')


def _check(text: str, nodes: list[Any]) -> None:
    """Raise an error for syntax that Whoosh would read as words, and for queries that would take too long.

    Raises:
        UsageError: The query is refused; the message says where and why.
    """
    if len(nodes) > MOST_NODES:
        raise UsageError("the query has too many parts", hint=f"the limit is {MOST_NODES // 2} words")
    patterns = [
        node for node in nodes if isinstance(node, _Wildcards.WildcardNode | plugins.FuzzyTermPlugin.FuzzinessNode)
    ]
    if len(patterns) > MOST_PATTERNS:
        raise _wrong(text, patterns[MOST_PATTERNS], f"more than {MOST_PATTERNS} patterns", "split it into two queries")
    _check_groups(text, nodes)
    lines = [node for node in nodes if not isinstance(node, syntax.Whitespace)]
    for node, before, after in zip(nodes, [None, *nodes], [*nodes[1:], None], strict=False):
        _check_node(text, node, before, after)
    for before, node, after in zip([None, *lines], lines, [*lines[1:], None], strict=False):
        if isinstance(node, syntax.Operator):
            _check_operator(text, before, node, after)


def _check_groups(text: str, nodes: list[Any]) -> None:
    opened: list[int] = []
    for node in nodes:
        if isinstance(node, plugins.GroupPlugin.OpenBracket):
            opened.append(node.startchar)
            if len(opened) > DEEPEST:
                raise _wrong(text, node, f"more than {DEEPEST} nested parentheses")
        elif isinstance(node, plugins.GroupPlugin.CloseBracket):
            if not opened:
                raise _wrong(text, node, "closing parenthesis without an opening one")
            opened.pop()
    if opened:
        raise _wrong(text, opened[-1], "the parenthesis is not closed")


def _check_node(text: str, node: Any, before: Any, after: Any) -> None:
    at = node.startchar
    if isinstance(node, syntax.WordNode) and '"' in node.text and text[at] != "'":
        raise _wrong(text, at + node.text.index('"'), "the quotation mark is not closed")
    if isinstance(node, syntax.FieldnameNode):
        _check_field(text, node, after)
    if isinstance(node, plugins.FuzzyTermPlugin.FuzzinessNode):
        if not isinstance(before, syntax.WordNode) or len(before.text) > LONGEST_FUZZY:
            raise _wrong(text, at, f"~ must follow a single word of at most {LONGEST_FUZZY} characters")
        if node.maxdist > 2:
            raise _wrong(text, at, "at most two letters may differ: ~ or ~2")
    is_compared = isinstance(before, syntax.FieldnameNode) and after is not None and after.has_text
    if isinstance(node, _Comparisons.GtLtNode) and not is_compared:
        raise _wrong(text, at, "it must be between a field name and a value", "created:>=2026-01-31")
    if isinstance(node, _Wildcards.WildcardNode) and isinstance(before, plugins.PhrasePlugin.PhraseNode):
        raise _wrong(text, at, "wildcards are not allowed after quotation marks")


def _check_field(text: str, node: Any, after: Any) -> None:
    name = node.fieldname.lower()
    if name != node.fieldname or name not in _NAMES:
        from difflib import get_close_matches  # 3 ms, and only for this error

        near = get_close_matches(name, list(_NAMES), n=1)
        choice = f"did you mean {near[0]}? To" if near else f"choose one of {', '.join(FIELDS)}; to"
        hint = f'{choice} search for the text, quote it: "{node.original}…"'
        raise _wrong(text, node, f"unknown field: {node.fieldname}", hint)
    if after is None or isinstance(after, syntax.Whitespace | plugins.GroupPlugin.CloseBracket | syntax.Operator):
        raise _wrong(text, node, f"{node.fieldname}: has no value; write it directly after the colon")
    if isinstance(after, syntax.WordNode) and after.text[0] in "[{":
        hint = f"write it like this: {node.fieldname}:[2026-01 to 2026-03], or [2026-01 to]"
        raise _wrong(text, after, "the range is not closed, or has no “to”", hint)


def _check_operator(text: str, before: Any, node: Any, after: Any) -> None:
    ends = (type(None), syntax.InfixOperator)
    is_infix = isinstance(node, syntax.InfixOperator)
    if isinstance(after, (*ends, plugins.GroupPlugin.CloseBracket)) or (
        is_infix and isinstance(before, (*ends, plugins.GroupPlugin.OpenBracket))
    ):
        hint = "to search for it as a word, write it in lower case: and, or, not"
        raise _wrong(text, node, "an operand is missing", hint)
    if not is_infix and isinstance(after, syntax.PrefixOperator):
        raise _wrong(text, after, "double negation")


def _refuse_errors(text: str, parsed: Any) -> None:
    for leaf in _leaves(parsed):
        error = getattr(leaf, "error", None)
        if error is not None:
            raise _wrong(text, leaf, str(error), "created:[2026-01 to], created:>=2026-01-31")


def _leaves(node: Any) -> Iterator[Any]:
    children = list(node.children())
    for child in children:
        yield from _leaves(child)
    if not children:
        yield node


class _Expanding:
    """Replaces patterns, paths and statuses in a query by matches from the index or the catalog."""

    def __init__(self, text: str, reader: Any, among: Callable[[str, str], frozenset[bytes]], language: str) -> None:
        self._text = text
        self._reader = reader
        self._language = language
        self._among = among
        self.is_cut = False

    def replace(self, node: Any) -> Any:
        """Return the replacement for one node of the query."""
        field = getattr(node, "fieldname", None)
        if field in ("path", "status"):
            return self._known(field, node)
        if isinstance(node, query.Phrase) and (field == "created" or len(node.words) == 1):
            text = " ".join(node.words)
            node = _Dates().parse_query(field, text) if field == "created" else query.Term(field, text)
        if isinstance(node, query.Term) and field == "kind":
            return query.Term("kind", node.text.replace("-", "_"))
        if isinstance(node, query.Wildcard) and not node.text.strip("*"):
            return Among(None)  # Whoosh's own Every drops exclusions next to it
        if isinstance(node, query.Prefix | query.Wildcard | query.FuzzyTerm | query.TermRange):
            return self._expanded(node.fieldname, node)
        return node

    def _known(self, field: str, node: Any) -> Among:
        texts = getattr(node, "words", None) or [getattr(node, "text", None)]
        if texts[0] is None:
            raise _wrong(self._text, node, f"{field}: does not support ranges")
        value = " ".join(texts) + "*" * isinstance(node, query.Prefix)
        if field == "status" and value.lower() not in STATUSES:
            hint = f"choose one of {', '.join(STATUSES)}"
            raise _wrong(self._text, node, f"unknown status: {value}", hint)
        return Among(self._among(field, value))

    def _expanded(self, field: str, node: Any) -> Any:
        text = getattr(node, "text", "")
        if text.count("*") > MOST_STARS:
            raise _wrong(self._text, self._text.find("*"), f"more than {MOST_STARS} wildcards in one word")
        read = schema_of(self._language)[field].from_bytes
        found = self._near(node) if isinstance(node, query.FuzzyTerm) else set(map(read, node._btexts(self._reader)))
        if isinstance(node, query.FuzzyTerm):  # two swapped letters are one typo; Whoosh counts two
            exchanged = (text[:at] + text[at + 1] + text[at] + text[at + 2 :] for at in range(len(text) - 1))
            found |= {word for word in exchanged if (field, word) in self._reader}
        # Words are stored stemmed: signing* should find "signing", stored as "sign".
        is_stemmed = field in TEXTS and isinstance(node, query.Prefix | query.FuzzyTerm)
        stems = tokens.terms(text, self._language) if is_stemmed else []
        if len(stems) == 1 and isinstance(node, query.Prefix):
            found |= set(stems)
        elif len(stems) == 1 and stems[0] != text:
            node.text = stems[0]
            found |= self._near(node)
        expanded = sorted(found, key=lambda term: (-self._reader.doc_frequency(field, term), term))
        most = MOST_WORDS if field in TEXTS else MOST_NAMES
        if len(expanded) > most:
            self.is_cut = True
            expanded = expanded[:most]
        return (
            query.Or([query.Term(field, term, boost=node.boost) for term in expanded]) if expanded else query.NullQuery
        )

    def _near(self, node: Any) -> set[str]:
        # In one segment, an automaton walks the words; across several, Whoosh compares all words (measured: 10 times as
        # long).
        return {word for leaf, _ in self._reader.leaf_readers() for word in node._btexts(leaf)}


def _positive(node: Any) -> Iterator[str]:
    """Yield the terms that a memory may contain to match a query, without the excluded ones."""
    if isinstance(node, query.Not):
        return
    if isinstance(node, query.AndNot):
        yield from _positive(node.a)
    elif isinstance(node, query.Term | query.Phrase):
        if node.fieldname in TEXTS:
            yield from [node.text] if isinstance(node, query.Term) else node.words
    else:
        for child in node.children():
            yield from _positive(child)
