"""Memories in a log: turns of a conversation, lines of a session, or an ordered import.

They share a tag that begins with ``session-``, and are ordered by time, then by the position that an import recorded
(``seq``), then by key with numbers compared as numbers (``turn-9`` before ``turn-10``). Their neighbours give them
context: an answer repeats little of the question. So neighbours contribute to each other's scores (``recall.bm25``), a
question scores less than a possible answer, and a query for when or how many prefers memories that contain a time or a
number.
"""

from __future__ import annotations

import re
from itertools import groupby

from gitmem.frozen import frozen, replace
from gitmem.recall.query import SESSION
from gitmem.text import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gitmem.index.catalog import Catalog
    from gitmem.model import IndexText
    from gitmem.recall.scoring import Signals

# The field in which an import records the position of memories with equal times and no numbered keys.
PLACE = "seq"
# Limits on the sessions of a query's candidates that are read, and on the memories of one; more would not pay off.
MOST_SESSIONS = 60
MOST_MEMORIES = 5_000
# How far neighbours contribute to each other's scores (`recall.bm25.Bm25Weights.around`).
REACH = 3
# A longer pause starts another session, even with the same tag: two stores may both begin with `session-1`.
PAUSE_S = 12 * 3600

# The largest deduction for a question, and the bonus for a time or a number if the query asks for one. Measured on the
# recall benchmark's public half (LoCoMo's turns): the three raise nDCG@10 there from 0.55 to 0.58.
QUESTION = 0.6
TIME = 0.4
NUMBER = 0.2

# Not compiled in advance: that takes 1 ms, re caches them, and most stores have no log.
_ASKS_WHEN = r"(?i)\s*(when|how long|(what|which) (date|day|month|year|time))\b"
_ASKS_NUMBER = r"(?i)\bhow (many|much|often)\b"
_TIME = (
    r"(?i)\b(yesterday|today|tonight|tomorrow|last|ago|recently|since|next|weeks?|weekend|months?|years?|monday|tuesday"
    r"|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september"
    r"|october|november|december|(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th))\b"
)
_NUMBER = r"(?i)\b(\d+|one|two|three|four|five|six|seven|eight|nine|ten|once|twice|several|couple|few|dozen)\b"
_SENTENCE_END = r"(?<=[.!?])\s+"


@frozen
class LogSignals:
    """The signals that the text of a memory in a log gives.

    Attributes:
        questions: The share of its sentences that are questions, from 0 to 1.
        has_time: Whether it mentions a time: a date, a weekday, "yesterday", "two weeks ago".
        has_number: Whether it mentions a number or a frequency.
    """

    questions: float
    has_time: bool
    has_number: bool


def runs_of(
    catalog: Catalog, texts: Mapping[int, IndexText], condition: str, parameters: Sequence[object]
) -> list[list[int]]:
    """Return runs of consecutive memories around candidates in a log, by number, limited by a condition.

    Args:
        catalog: The catalog.
        texts: The candidates.
        condition: An SQL condition on ``memory m``; memories that do not pass it contribute no score.
        parameters: The values of its placeholders.
    """
    tags = dict.fromkeys(
        word
        for text in texts.values()
        if SESSION in text.tags
        for word in text.tags.split()
        if word.startswith(SESSION)
    )
    runs: list[list[int]] = []
    seen: set[int] = set()
    for tag in list(tags)[:MOST_SESSIONS]:
        rows = catalog.rows(
            "SELECT m.id, m.created, m.key, CASE WHEN instr(t.marks, ' seq ') THEN t.fields END"
            " FROM tag g CROSS JOIN memory m ON m.id = g.id CROSS JOIN text t ON t.id = m.id"
            f" WHERE g.tag = ? AND {condition} LIMIT ?",
            (tag, *parameters, MOST_MEMORIES),
        )
        ordered = sorted(rows, key=lambda row: (row[1], _place(row[3]), number_key(row[2])))
        for session in _without_pauses([(row[0], row[1]) for row in ordered if row[0] not in seen]):
            runs += _around(session, texts)
            seen.update(session)
    return runs


def _place(fields: str | None) -> int:
    """Return the position that an import recorded for a memory; 0 for all others, which come first."""
    if fields is None:
        return 0
    place = parse_json(fields).get(PLACE)
    return place if type(place) is int and place > 0 else 0


def number_key(key: str) -> list[tuple[int, int, str]]:
    """Return a sort key for a memory's key that compares numbers in it as numbers."""
    parts = re.findall(r"\d+|\D+", key)
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts]


def _without_pauses(rows: Iterable[tuple[int, int]]) -> Iterator[list[int]]:
    session: list[int] = []
    before = 0
    for number, created in rows:
        if session and created - before > PAUSE_S:
            yield session
            session = []
        session.append(number)
        before = created
    if session:
        yield session


def _around(session: Sequence[int], candidates: Mapping[int, object]) -> Iterator[list[int]]:
    """Yield the parts of a session within reach of a candidate; nothing for a session with a single memory."""
    if len(session) < 2:
        return
    found = (at for at, number in enumerate(session) if number in candidates)
    near = {place for at in found for place in range(at - REACH, at + REACH + 1)}
    for is_near, places in groupby(range(len(session)), key=near.__contains__):
        if is_near:
            yield [session[place] for place in places]


def talk_of(body: str) -> LogSignals:
    """Return the signals of a memory in a log from its text."""
    sentences = [sentence for sentence in re.split(_SENTENCE_END, body.strip()) if sentence]
    questions = sum(sentence.endswith("?") for sentence in sentences)
    return LogSignals(questions / max(1, len(sentences)), bool(re.search(_TIME, body)), bool(re.search(_NUMBER, body)))


def factor(query: str, talk: LogSignals) -> float:
    """Return the factor, > 0, by which the score of a memory in a log is multiplied for a query as typed."""
    worth = 1 - QUESTION * talk.questions
    if talk.has_time and re.match(_ASKS_WHEN, query):
        worth *= 1 + TIME
    if talk.has_number and re.search(_ASKS_NUMBER, query):
        worth *= 1 + NUMBER
    return worth


def with_talk(
    signals: list[Signals], query: str, texts: Mapping[int, IndexText], runs: Iterable[Sequence[int]]
) -> list[Signals]:
    """Return the signals, extended by the factors of the memories that are in a log."""
    inside = {number for run in runs for number in run}
    if not inside:
        return signals
    return [replace(s, talk=factor(query, talk_of(texts[s.number].body))) if s.number in inside else s for s in signals]
