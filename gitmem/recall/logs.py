"""Memories in a log: turns of a conversation, lines of a session, or an ordered import.

They share a tag that begins with ``session-``, and stand by time, then by the place that an import gave them (``seq``),
then by key in the order that people count (``turn-9`` before ``turn-10``). What one of them means, its neighbours tell:
an answer repeats little of the question. So neighbours lend weight to each other when words are scored
(``recall.bm25``), a question counts less than what may answer it, and who asks when or how many is shown what names
a time or a number first.
"""

from __future__ import annotations

import re

from gitmem.frozen import frozen, replace
from gitmem.recall.query import SESSION
from gitmem.text.json_values import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gitmem.index.catalog.catalog import Catalog
    from gitmem.model import IndexText
    from gitmem.recall.score import Signals

# The field in which an import keeps the order of what has one time and no keys that count.
PLACE = "seq"
# Sessions of a question's candidates that are looked into, and memories of one: more would cost what they cannot bring.
MOST_SESSIONS = 60
MOST_MEMORIES = 5_000
# How far neighbours lend weight (`search.lexical.Weights.around`).
REACH = 3
# After a pause of this length it is another session, whatever its tag says: two stores may both begin with `session-1`.
PAUSE_S = 12 * 3600

# What a question is taken off at most, and what a time and a number add for whoever asks for one. Measured on the
# recall benchmark's public half (LoCoMo's turns): the three lift nDCG@10 there from 0.55 to 0.58.
QUESTION = 0.6
TIME = 0.4
NUMBER = 0.2

# Left to re's own cache: compiling them takes 1 ms, and most stores have no log.
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
    """What is known of a memory that is in a log, from its text.

    Attributes:
        questions: Which part of its sentences are questions, from 0 to 1.
        has_time: Whether it names a time: a date, a weekday, "yesterday", "two weeks ago".
        has_number: Whether it names a number or how often.
    """

    questions: float
    has_time: bool
    has_number: bool


def runs_of(
    catalog: Catalog, texts: Mapping[int, IndexText], condition: str, parameters: Sequence[object]
) -> list[list[int]]:
    """Return the numbers of memories that stand one after the other around candidates, as far as a condition lets.

    Args:
        catalog: The catalog.
        texts: The candidates.
        condition: An SQL condition on ``memory m``: what does not pass it lends no weight.
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
        ordered = sorted(rows, key=lambda row: (row[1], _place(row[3]), counted(row[2])))
        for session in _without_pauses([(row[0], row[1]) for row in ordered if row[0] not in seen]):
            runs += _around(session, texts)
            seen.update(session)
    return runs


def _place(fields: str | None) -> int:
    """Return where an import has put a memory among those of its time; 0 for all others, which come first."""
    if fields is None:
        return 0
    place = parse_json(fields).get(PLACE)
    return place if type(place) is int and place > 0 else 0


def counted(key: str) -> list[tuple[int, int, str]]:
    """Return what a key is sorted by so that its numbers count as numbers."""
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
    """Yield the parts of a session that are within reach of a candidate; none where it is alone."""
    if len(session) < 2:
        return
    taken = [False] * len(session)
    for at, number in enumerate(session):
        if number in candidates:
            taken[max(0, at - REACH) : at + REACH + 1] = [True] * len(taken[max(0, at - REACH) : at + REACH + 1])
    run: list[int] = []
    for number, is_taken in zip(session, taken, strict=True):
        if is_taken:
            run.append(number)
        elif run:
            yield run
            run = []
    if run:
        yield run


def talk_of(body: str) -> LogSignals:
    """Return what is known of a memory of a log from its text."""
    sentences = [sentence for sentence in re.split(_SENTENCE_END, body.strip()) if sentence]
    questions = sum(sentence.endswith("?") for sentence in sentences)
    return LogSignals(questions / max(1, len(sentences)), bool(re.search(_TIME, body)), bool(re.search(_NUMBER, body)))


def factor(query: str, talk: LogSignals) -> float:
    """Return what a memory of a log is multiplied by for a question as it was typed, > 0."""
    worth = 1 - QUESTION * talk.questions
    if talk.has_time and re.match(_ASKS_WHEN, query):
        worth *= 1 + TIME
    if talk.has_number and re.search(_ASKS_NUMBER, query):
        worth *= 1 + NUMBER
    return worth


def with_talk(
    signals: list[Signals], query: str, texts: Mapping[int, IndexText], runs: Iterable[Sequence[int]]
) -> list[Signals]:
    """Return the signals with what is known of the memories that are in a log."""
    inside = {number for run in runs for number in run}
    if not inside:
        return signals
    return [replace(s, talk=factor(query, talk_of(texts[s.number].body))) if s.number in inside else s for s in signals]
