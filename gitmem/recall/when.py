"""Read the time that a question names: a range ("last month", "since 2.0", "in April 2026"), or the newest or oldest.

It is a preference, never a filter: memories of that time come first, the others follow. Words of seven languages are
known: English, German, French, Spanish, Italian, Portuguese and Dutch, and the commonest of Chinese and Japanese. Pure.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from gitmem.frozen import frozen
from gitmem.recall.time_words import (
    ADVICE,
    ARTICLE,
    COMPLETED,
    COUNTS,
    HAN_NUMBERS,
    HOUR,
    MONTH,
    ORDINAL,
    PHRASES,
    QUARTER,
    SEASON,
    SINCE_DAY,
    UNIT,
    WEEKDAY,
    WORDS,
)
from gitmem.text.tokens import MAX_QUERY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

# The factor of a memory of the range: a question that names a time means it. The best hit scores 1.4 to 1.7 times as
# much as the second (``gitmem.recall``), so a memory of another time needs twice that lead to come first.
INSIDE = 3.0
# The factor of the newest (or oldest) of the memories that match; half of the excess for each following one.
FIRST = 3.0
# Which memories match: those with at least this share of the best score. Measured by nothing but the tests.
MATCHES = 0.5

# The most words that name an event, and the most articles and prepositions before a time.
_EVENT = 4
_FILLERS = 6
# The order must be asked for at the beginning: "bump it to the latest version" asks for something else.
_BEGINNING = 2
_DAY = timedelta(days=1)
# The year 2100, in epoch seconds.
_LATEST = 4_102_444_800


@frozen
class When:
    """The time that a question names.

    Attributes:
        start: Epoch seconds from which on a memory is of that time, or None.
        end: Epoch seconds before which it is, or None.
        order: 1 if it asks for the newest, -1 for the oldest, else 0.
    """

    start: float | None = None
    end: float | None = None
    order: int = 0

    def contains(self, times: Iterable[int]) -> bool:
        """Return whether one of some times is in the range; True without a range."""
        return any(
            time and (self.start is None or time >= self.start) and (self.end is None or time < self.end)
            for time in times
        )

    @property
    def is_range(self) -> bool:
        """Return whether there is a range."""
        return self.start is not None or self.end is not None


def find_when(
    text: str,
    now: float,
    date_of: Callable[[str], float | None] = lambda _: None,
    date_of_event: Callable[[str], float | None] = lambda _: None,
) -> When | None:
    """Return the time that a question names, or None.

    Args:
        text: The question as typed.
        now: The present, epoch seconds.
        date_of: Returns the time of a version such as ``2.0``, or None if it is unknown.
        date_of_event: Returns the time of an event such as ``migration`` ("before the migration"), or None.
    """
    reader = _Reader(text[:MAX_QUERY], now, date_of, date_of_event)
    start, end = reader.range()
    order = reader.order()
    return When(start, end, order) if order or start is not None or end is not None else None


Range = tuple[datetime | None, datetime | None]


class _Reader:
    """Reads one question, word by word."""

    def __init__(
        self,
        text: str,
        now: float,
        date_of: Callable[[str], float | None],
        date_of_event: Callable[[str], float | None],
    ) -> None:
        words = [word.strip(".,;:?!()[]\"'`").lower() for word in _plain(text).split()]
        self._words = [word[2:] if word[:2] in ("l'", "d'") else word for word in words if word]
        self._date_of_event = date_of_event
        self._now, self._date_of = datetime.fromtimestamp(now, UTC), date_of
        self._used: set[int] = set()
        self._quantities: set[int] = set()

    def range(self) -> tuple[float | None, float | None]:
        """Return the first range that the question names, as epoch seconds."""
        for at, word in enumerate(self._words):
            start, end = self._range_at(at, word)
            if start or end:
                return start.timestamp() if start else None, end.timestamp() if end else None
        return None, None

    def order(self) -> int:
        """Return 1 for the newest, -1 for the oldest, 0 if neither is asked for; after ``range``."""
        left = [at for at, word in enumerate(self._words) if word not in WORDS["opening"]]
        for at in left[:_BEGINNING]:
            if at in self._used or not WORDS["takes"].isdisjoint(self._words[:at]):
                continue
            word, before = self._words[at], self._words[at - 1] if at else ""
            if _number(self._word(at + 1)) > 1 and not WORDS["always"].isdisjoint(self._words[at:]):
                continue  # "the newest two releases are supported"
            is_of_recorded = before == "most" or not WORDS["recorded"].isdisjoint(self._words[at + 1 : at + 4])
            if word in WORDS["newest"] or (is_of_recorded and word in WORDS["last_of"]):
                return 1
            if word in WORDS["oldest"] or (is_of_recorded and word in WORDS["first_of"]):
                return -1
        return 0

    def _range_at(self, at: int, word: str) -> Range:
        if word in WORDS["between"]:
            first, to = self._point(at + 1, is_named=True)
            if first and self._word(to) in WORDS["and"]:
                second, _ = self._point(to + 1, is_named=True)
                if second:
                    return self._between(first, second, is_bare=self._word(to - 1) in MONTH)
        if word in WORDS["since"] and (found := self._point(at + 1, is_named=True)[0]):
            return found[0], None
        if word in WORDS["after"] and (found := self._point(at + 1, is_named=True)[0]):
            return found[1], None
        if word in WORDS["before"] and (found := self._point(at + 1, is_named=True)[0]):
            return None, found[0]
        if word in WORDS["until"] and (found := self._point(at + 1, is_named=True)[0]):
            return None, found[1]
        if word == "as" and self._word(at + 1) == "of" and (found := self._point(at + 2, is_named=True)[0]):
            return None, found[1]
        if (event := self._event(at, word)) != (None, None):
            return event
        if word in WORDS["in"] and (found := self._point(at + 1, is_named=True, may_be_version=False)[0]):
            return found
        return self._point(at, is_named=False, may_be_version=False)[0] or (None, None)

    @staticmethod
    def _between(first: tuple[datetime, datetime], second: tuple[datetime, datetime], *, is_bare: bool) -> Range:
        """Return the range from one time to another, in either order; a bare month is before the second."""
        if first[0] < second[1]:
            return first[0], second[1]
        return (first[0].replace(year=first[0].year - 1), second[1]) if is_bare else (second[0], first[1])

    def _event(self, at: int, word: str) -> Range:
        """Return the time before or after an event, which is named with its article and of which a memory tells."""
        is_end = word in WORDS["before"] or word in WORDS["until"]
        is_named = is_end or word in WORDS["since"] or word in WORDS["after"]
        if not is_named or self._word(at + 1) not in ARTICLE or not ADVICE.isdisjoint(self._words):
            return None, None
        for count in range(_EVENT, 0, -1):
            time = self._date_of_event(" ".join(self._words[at + 2 : at + 2 + count]))
            if time is not None and 0 < time < _LATEST:
                moment = datetime.fromtimestamp(time, UTC)
                # What was recorded together with the event is of neither time.
                return (None, moment) if is_end else (moment + timedelta(seconds=1), None)
        return None, None

    def _word(self, at: int) -> str:
        return self._words[at] if at < len(self._words) else ""

    def _point(
        self, at: int, *, is_named: bool, may_be_version: bool = True
    ) -> tuple[tuple[datetime, datetime] | None, int]:
        """Return the day, month, year or other span that begins at a word, and the place after it.

        Args:
            at: The place of the word.
            is_named: Whether a preposition is before it: only then is a month alone or a year alone a time.
            may_be_version: Whether a version stands for its time.
        """
        if is_named:
            at = self._after_filler(at)
        for read in (self._day, self._quarter, self._season, self._relative, self._month):
            found, to = read(at, is_named=is_named)
            if found and read == self._relative and (at in self._quantities or self._is_quantity(at, to)):
                self._quantities.update(range(at, to))
                return None, at
            if found:
                self._used.update(range(at, to))
                return found, to
        word = self._word(at)
        if is_named and _is_year(word):
            return (_year(int(word)), _year(int(word) + 1)), at + 1
        if may_be_version and (version := _version_in(word)):
            time = self._date_of(version)
            if time is not None and abs(time) < _LATEST:  # a tag's date is anything that its author wrote
                moment = datetime.fromtimestamp(time, UTC)
                return (moment, moment), at + 1
        return None, at

    def _day(self, at: int, *, is_named: bool) -> tuple[tuple[datetime, datetime] | None, int]:
        """Read an ISO date or month, today, yesterday, the day before, "this morning", "last Friday"."""
        del is_named
        word, today = self._word(at), self._now.replace(hour=0, minute=0, second=0, microsecond=0)
        if found := self._part_of_week(at, today):
            return found, at + 1
        if word in WORDS["today"]:
            return (today, today + _DAY), at + 1
        if word in WORDS["yesterday"]:
            return (today - _DAY, today), at + 1
        if word in WORDS["day_before"] or word == "day-before-yesterday":
            return (today - 2 * _DAY, today - _DAY), at + 1
        parts = word.split("-")
        if len(parts) in (2, 3) and _is_year(parts[0]) and all(_is_number(part, 2) for part in parts[1:]):
            numbers = [int(part) for part in parts]
            if len(parts) == 2 and 1 <= numbers[1] <= 12:
                return _month_span(numbers[0], numbers[1]), at + 1
            try:
                day = datetime(numbers[0], numbers[1], numbers[2], tzinfo=UTC)
            except (ValueError, IndexError):
                return None, at
            return (day, day + _DAY), at + 1
        return None, at

    def _part_of_week(self, at: int, today: datetime) -> tuple[datetime, datetime] | None:
        """Read "last night", "this morning", "over the weekend", "last Friday", "lundi dernier"."""
        word, following = self._word(at), self._word(self._after_filler(at + 1))
        is_last, is_this = word in WORDS["last"], word in WORDS["this"]
        if following in WORDS["last"] and (word in WORDS["night"] or word in WEEKDAY or word == "weekend"):
            is_last, following = True, word
        if is_last and following in WORDS["night"]:
            return today - _DAY / 2, today + _DAY / 2
        if is_this and following in WORDS["parts"]:
            return today, today + _DAY
        if following == "weekend" and (is_last or is_this or word in WORDS["over"]):
            saturday = today - timedelta(days=(today.weekday() - 5) % 7)
            saturday -= timedelta(days=7 * (is_last and today < saturday + 2 * _DAY))
            return saturday, saturday + 2 * _DAY
        if not is_last and word in WEEKDAY and at and self._words[at - 1] in SINCE_DAY:
            is_last, following = True, word
        if is_last and following in WEEKDAY:
            day = today - timedelta(days=(today.weekday() - WEEKDAY[following] - 1) % 7 + 1)
            return day, day + _DAY
        return None

    def _relative(self, at: int, *, is_named: bool) -> tuple[tuple[datetime, datetime] | None, int]:
        """Read "last month", "the past three weeks", "mois dernier", "two weeks ago", "this year"."""
        del is_named
        word, following = self._word(at), self._word(at + 1)
        if word in WORDS["last"]:
            number, place = self._count(at + 1)
            if days := UNIT.get(self._word(place)):
                return self._back(number or 1, days, is_whole=not number), place + 1
        if word in UNIT and following in WORDS["last"] and word not in WORDS["and"]:
            return self._back(1, UNIT[word], is_whole=True), at + 2
        if word in UNIT and following == "before" and self._word(at + 2) == "last":
            return self._before_last(UNIT[word]), at + 3
        for unit, other in ((word, following), (following, word)):
            if unit in UNIT and other in WORDS["before_last"]:
                return self._before_last(UNIT[unit]), at + 2
        if word in WORDS["this"] and following in UNIT:
            return (self._begin_of(UNIT[following]), self._now + _DAY), at + 2
        number, place = self._count(at)
        days, after = UNIT.get(self._word(place), 0.0), self._word(place + 1)
        if number and days and after in WORDS["ago"]:
            before = self._words[at - 1] if at else ""
            is_read = before not in WORDS["reported"] and before not in WORDS["part_of_number"]
            share = 0.5 if before in WORDS["half"] else 1.0
            return (self._ago(number, days * share), place + 2) if is_read else (None, at)
        if number and after in UNIT and self._word(place) in WORDS["last_after"]:
            return self._back(number, UNIT[after], is_whole=False), place + 2
        is_first = word in WORDS["ago_first"] and (word != "a" or self._words[max(0, at - 1)] == "y")
        number, place = self._count(at + 1)
        if is_first and number and (days := UNIT.get(self._word(place), 0.0)):
            return self._ago(number, days), place + 1
        return None, at

    def _is_quantity(self, at: int, to: int) -> bool:
        """Return whether the span of some words is what the question is about: "the job that keeps the last 5 days"."""
        before, span, after = self._words[:at], self._words[at:to], self._words[to:]
        if WORDS["last"].isdisjoint(span):  # "two days ago"
            return not WORDS["than"].isdisjoint(before[-1:])
        articles = [word for word in before[-1:] if word in ARTICLE]
        lead = before[: len(before) - len(articles)]
        # "who indexed the emails last month": a noun
        is_kept = not WORDS["spanning"].isdisjoint(lead[-1:]) and ARTICLE.isdisjoint(lead[-2:-1])
        # "last week" and "la semaine dernière" are that week, "the last week" and "la dernière semaine" are seven days.
        if len(span) == 2 and span[0] not in WORDS["past_units"] and not (articles and span[0] in WORDS["last"]):
            return is_kept
        words = set(self._words)
        is_always = not WORDS["always"].isdisjoint(words)
        is_past = not WORDS["happened"].isdisjoint(words) or not (is_always or WORDS["people"].isdisjoint(words))
        follows = [place for place, word in enumerate(after) if word in WORDS["always"]]
        is_subject = any(place == 0 or after[place - 1] not in WORDS["which"] for place in follows)
        if is_past or not (is_kept or is_subject or WORDS["events"].isdisjoint(words)):
            return False
        if is_kept or is_subject or is_always:
            return True
        near = [*lead[-1:], *articles]
        is_attribute = WORDS["span_in"].isdisjoint(near) and not WORDS["span_of"].isdisjoint(near)
        return is_attribute or not WORDS["spanning"].isdisjoint([*before, *self._words[-1:]])

    def _count(self, at: int) -> tuple[int, int]:
        """Return the number at a word, or 0, and the place after it: "two", "a few", "a couple of", "ein paar"."""
        number = _number(self._word(at))
        if number >= 20 and (ones := COUNTS.get(self._word(at + 1), 0)) < 10 and not self._word(at).isdigit():
            at, number = at + (ones > 0), number + ones
        if number == 1 and (several := COUNTS.get(self._word(at + 1), 0)) > 1:
            at, number = at + 1, several
        if not number:
            return 0, at
        return number, at + 1 + (self._word(at + 1) in ("of", "de"))

    def _before_last(self, days: float) -> tuple[datetime, datetime]:
        """Return the unit before the last one, as a whole."""
        last = self._begin_of(days, self._begin_of(days) - _DAY)
        return self._begin_of(days, last - _DAY), last

    def _ago(self, count: int, days: float) -> tuple[datetime, datetime]:
        """Return the time around a number of units ago: the more, the less exactly is it meant."""
        about = self._now - timedelta(days=count * days)
        half = timedelta(days=max(1.0 if days >= 1 else 2 * HOUR, days * 0.75, count * days / 10))
        return about - half, about + half

    def _back(self, count: int, days: float, *, is_whole: bool) -> tuple[datetime, datetime]:
        """Return the last *count* units: up to now, or, if *is_whole*, from the beginning of the unit before."""
        end = self._now + _DAY
        if not is_whole or days in (HOUR, 14):
            return self._now - timedelta(days=count * days), end
        begin = self._begin_of(days)
        return self._begin_of(days, begin - _DAY), end if days < 30 else begin

    def _begin_of(self, days: float, moment: datetime | None = None) -> datetime:
        moment = (moment or self._now).replace(hour=0, minute=0, second=0, microsecond=0)
        if days == 365:
            return moment.replace(month=1, day=1)
        if days == 91:
            return moment.replace(month=moment.month - (moment.month - 1) % 3, day=1)
        if days == 30:
            return moment.replace(day=1)
        return moment - timedelta(days=moment.weekday()) if days == 7 else moment

    def _quarter(self, at: int, *, is_named: bool) -> tuple[tuple[datetime, datetime] | None, int]:
        """Read "first quarter of 2026", "Q3 2025", "2025-Q3"; without a year, the last such one, if *is_named*."""
        word, year = self._word(at), ""
        if _is_year(word[:4]):
            year, word = word[:4], word[4:].lstrip("-") or self._word(at + 1)
            at += word == self._word(at + 1)
        if len(word) == 2 and word[0] == "q" and word[1] in "1234":
            number, place = int(word[1]), at + 1
        elif (number := ORDINAL.get(word, int(word) if word in ("1", "2", "3", "4") else 0)) and (
            self._word(at + 1) in QUARTER
        ):
            place = at + 2
        else:
            return None, at
        if not year and _is_year(self._word(after := self._after_filler(place))):
            year, place = self._word(after), after + 1
        month = 3 * number - 2
        if not year and not is_named:
            return None, at
        start = int(year) if year else self._now.year - (month > self._now.month)
        return _months(start, month, 3), place

    def _season(self, at: int, *, is_named: bool) -> tuple[tuple[datetime, datetime] | None, int]:
        """Read "spring 2025", "this summer", "last winter", "été dernier"; alone, it is more often another word."""
        del is_named
        before, word, after = self._word(at), self._word(at), self._word(self._after_filler(at + 1))
        month = SEASON.get(word, 0)
        if month and _is_year(after):
            return _months(int(after), month, 3), self._after_filler(at + 1) + 1
        is_past = before in WORDS["last"]
        if is_past or before in WORDS["this"]:
            month = SEASON.get(self._word(at + 1), 0)
        elif self._word(at + 1) in WORDS["last"]:
            is_past = True
        else:
            month = 0
        if not month:
            return None, at
        spans = [_months(self._now.year - back, month, 3) for back in range(3)]
        return next(span for span in spans if span[is_past] <= self._now), at + 2

    def _month(self, at: int, *, is_named: bool) -> tuple[tuple[datetime, datetime] | None, int]:
        """Read "April 2026", "3 April 2026", "April 3, 2026", "avril de 2026".

        Without a year, it is the last such month, and only if *is_named*.
        """
        day, place = self._day_of_month(at)
        month = MONTH.get(self._word(place))
        if not month:
            return None, at
        if not day:
            day, place = self._day_of_month(place + 1)
        else:
            place = self._after_filler(place + 1)
        year = self._word(place)
        if not _is_year(year):
            if not is_named:
                return None, at
            place, year = place - 1, str(self._now.year - (month > self._now.month))
        begin, end = _month_span(int(year), month)
        if day:
            try:
                begin = begin.replace(day=day)
            except ValueError:
                return None, at
            end = begin + _DAY
        return (begin, end), place + 1

    def _day_of_month(self, at: int) -> tuple[int, int]:
        """Return the day that a word is, or 0, and the place of the next word that is no filler."""
        word = self._word(at)
        digits = word[:-2] if word.endswith(("st", "nd", "rd", "th")) else word
        if _is_number(digits, 2):
            return int(digits), self._after_filler(at + 1)
        return 0, self._after_filler(at)

    def _after_filler(self, at: int) -> int:
        return next((to for to in range(at, at + _FILLERS) if self._word(to) not in WORDS["filler"]), at + _FILLERS)


def _year(year: int) -> datetime:
    return datetime(year, 1, 1, tzinfo=UTC)


def _month_span(year: int, month: int) -> tuple[datetime, datetime]:
    begin = datetime(year, month, 1, tzinfo=UTC)
    return begin, begin.replace(year=year + 1, month=1) if month == 12 else begin.replace(month=month + 1)


def _months(year: int, month: int, count: int) -> tuple[datetime, datetime]:
    """Return the span of some months, of which the first is that of a year."""
    last = month + count - 1
    return _month_span(year, month)[0], _month_span(year + (last - 1) // 12, (last - 1) % 12 + 1)[1]


def says_that_it_happened(title: str) -> bool:
    """Return whether a title says that something has happened, so that it dates an event."""
    return not COMPLETED.isdisjoint(word.strip(".,;:!()\"'") for word in title.lower().split())


def _is_number(word: str, digits: int) -> bool:
    """Return whether a word is a number of at most so many digits; `²` is a digit to Python, but not to `int`."""
    return word.isascii() and word.isdigit() and len(word) <= digits


def _is_year(word: str) -> bool:
    return _is_number(word, 4) and len(word) == 4 and word[:2] in ("19", "20")


def _number(word: str) -> int:
    """Return the number that a word is, such as ``12``, ``twelve`` or ``twenty-one``; 0 if it is none."""
    if _is_number(word, 3):
        return int(word)
    tens, _, ones = word.partition("-")
    if word not in COUNTS and COUNTS.get(tens, 0) >= 20 and 1 <= COUNTS.get(ones, 0) <= 9:
        return COUNTS[tens] + COUNTS[ones]
    return COUNTS.get(word, 0)


def _plain(text: str) -> str:
    """Return a question with phrases as one word, Chinese and Japanese in English, and no quotation."""
    for mark in ('"', "`"):
        parts = text.split(mark)
        if len(parts) > 2 and any(part.strip() for part in parts[::2]):
            text = " ".join(parts[::2])
    text = text.replace("\u2019", "'").lower()
    for phrase, plain in PHRASES:
        if plain.endswith(" ago ") and phrase in text:
            before, _, after = text.partition(phrase)
            start = len(before.rstrip("".join(HAN_NUMBERS)))
            if number := _han_number(before[start:]):
                before = f"{before[:start]} {number}"
            digits = len(before) - len(before.rstrip("0123456789"))
            text = f"{before[: len(before) - digits]} {before[len(before) - digits :]}{plain}{after}"
        text = text.replace(phrase, plain)
    return text


def _han_number(text: str) -> int:
    """Return the number that Chinese digits are, such as 25 for `二十五`; 0 if they are none below 100."""
    tens, ten, ones = text.rpartition("十")
    if len(tens) > 1 or len(ones) > 1:
        return 0
    return (10 * HAN_NUMBERS.get(tens, 1) if ten else 0) + HAN_NUMBERS.get(ones, 0)


def _version_in(word: str) -> str:
    """Return the version that a word is, such as ``2.0`` for ``v2.0``; empty if it is none."""
    version = word.removeprefix("v")
    parts = version.split(".")
    return version if len(parts) > 1 and all(part.isdigit() for part in parts) else ""


def factors(scores: Mapping[int, float], times: Mapping[int, Sequence[int]], when: When) -> dict[int, float]:
    """Return the factor, >= 1, of each candidate for the time that the query names.

    Args:
        scores: The relevance of each candidate, by number.
        times: Its times in epoch seconds, the creation first; 0 is none.
        when: What the query names.
    """
    found = {number: INSIDE if when.is_range and when.contains(times[number]) else 1.0 for number in scores}
    if when.order:
        best = max((score * found[number] for number, score in scores.items()), default=0.0)
        matching = [number for number, score in scores.items() if score * found[number] >= MATCHES * best]
        matching.sort(key=lambda number: (-when.order * times[number][0], number))
        for place, number in enumerate(matching):
            found[number] *= 1 + (FIRST - 1) / 2**place
    return found
