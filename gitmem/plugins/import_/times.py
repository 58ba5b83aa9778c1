"""Times as other systems write them. Pure."""

from __future__ import annotations

from gitmem.document.times import format_time, parse_time
from gitmem.errors import FormatError

# Numbers from which they are milliseconds, microseconds and nanoseconds since 1970: as seconds, the first is the year
# 5138; of each, the smallest is in 1973.
_UNITS = ((1e17, 1_000_000_000), (1e14, 1_000_000), (1e11, 1000))
# Digits alone that are a date: of a year, a day, notes that are named by the minute or second (Zettelkasten), and times
# of TiddlyWiki with milliseconds. 17 digits as microseconds would be after the year 2286.
_DIGITS = {4: "%Y", 8: "%Y%m%d", 12: "%Y%m%d%H%M", 14: "%Y%m%d%H%M%S", 17: "%Y%m%d%H%M%S%f"}
_FORMS = (
    *("%Y/%m/%d", "%Y/%m/%d %H:%M", "%Y/%m/%d %H:%M:%S", "%Y-%m", "%Y.%m.%d", "%d.%m.%Y", "%d.%m.%Y %H:%M"),
    *("%B %d, %Y", "%b %d, %Y", "%B %d %Y", "%b %d %Y", "%d %B %Y", "%d %b %Y", "%A, %B %d, %Y", "%a, %b %d, %Y"),
    *("%Y年%m月%d日", "%b %d, %Y, %I:%M %p", "%B %d, %Y, %I:%M %p", "%b %d, %Y %I:%M %p", "%B %d, %Y %I:%M %p"),
)


def time_of(value: object) -> str | None:
    """Return a time in our form, or None.

    Args:
        value: ISO 8601, RFC 2822, a date in a common form (where day and month cannot be confused), or a number:
            seconds since 1970, or thousands, millions or billions of them. Without a zone, it is UTC.
    """
    if isinstance(value, bool) or value is None:
        return None
    text = " ".join(str(value).split())
    try:
        number = float(text)
    except ValueError:
        return _from_text(text)
    if text.isdigit() and len(text) in _DIGITS and (time := _from_form(text, _DIGITS[len(text)])):
        return time
    unit = next((unit for least, unit in _UNITS if abs(number) >= least), 1)
    try:
        return format_time(int(number / unit))
    except (ValueError, OverflowError):
        return None


def _from_form(text: str, form: str) -> str | None:
    from datetime import UTC, datetime  # 2 ms, only if a source has times in another form

    try:
        return format_time(int(datetime.strptime(text, form).replace(tzinfo=UTC).timestamp()))
    except (ValueError, OverflowError):
        return None


def _from_text(text: str) -> str | None:
    try:
        return format_time(parse_time(text))
    except FormatError:
        pass
    from datetime import UTC, datetime
    from email.utils import parsedate_to_datetime  # 10 ms, only if a source has times in another form

    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = read(text)
            return format_time(int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()))
        except (ValueError, OverflowError, TypeError, IndexError):
            continue
    return next(filter(None, (_from_form(text, form) for form in _FORMS)), None)
