"""Show how the memory grows, how old it is, how often it answers, and how much of it is used.

Growth and age come from the memory branch. The hit rate, unused memories and the use of injected memories are counted
in this clone only. Exits with 0 whatever the numbers are.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json, positive
from gitmem.cli.output import Output
from gitmem.document.times import parse_day
from gitmem.errors import FormatError, UsageError
from gitmem.policy.settings import DAY_S

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.commands.report.usage import HitRate, StoreUsage

EXAMPLES = ("gitmem stats", "gitmem stats --days 30", "gitmem stats --since 2026-01-01 --json")
BAR = 30
# How many unused memories are named.
NAMES_SHOWN = 5


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``stats``."""
    span = parser.add_mutually_exclusive_group()
    span.add_argument("--days", type=positive, default=90, metavar="N", help="days to look back (90)")
    span.add_argument("--since", default="", metavar="DAY", help="look back to this day: 2026-01-31")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Print the figures."""
    with open_memory(out) as memory:
        days = _days_since(args.since, memory.repository.now) if args.since else args.days
        usage = memory.sessions.usage(days=days)
    if args.json:
        out.json(usage.document)
        return 0
    rows = list(_rows(usage))
    if out.is_terminal:
        _print_table(rows, out)
    else:
        for part, name, number, _, more in rows:
            out.row(part, name, str(number), more)
    _print_notes(usage, out)
    return 0


def _days_since(day: str, now: int) -> int:
    try:
        days = now // DAY_S - parse_day(day) // DAY_S + 1
    except FormatError as err:
        raise UsageError(f"not a day: {day}", hint="gitmem stats --since 2026-01-31") from err
    if days < 1:
        raise UsageError(f"{day} is in the future", hint="gitmem stats --days 30")
    return days


def _rows(usage: StoreUsage) -> Iterable[tuple[str, str, int, int, str]]:
    """Yield section, name, number, maximum of the bar (0: no bar), and a remark."""
    most = max((period.written for period in usage.growth), default=0)
    for period in usage.growth:
        gone = period.written - period.live
        yield f"written by {usage.by}", period.start, period.written, most, f"{gone} retired since" if gone else ""
    most = max(number for _, number in usage.ages)
    low = 0
    for days, number in usage.ages:
        yield "age in days", f"{low}-{days}" if days else f"{low} or more", number, most, ""
        low = (days or 0) + 1
    yield "hit rate", "prompts", *_hits(usage.prompts)
    yield "hit rate", "recalls", *_hits(usage.recalls)
    idle = len(usage.idle)
    yield "dead weight", "not recalled or shown", idle, usage.idle_of, f"{_percent(idle, usage.idle_of)}"
    sessions = usage.document["sessions"]
    yield "sessions", "given memories", sessions["sessions"], 0, ""
    if sessions["median_tokens"] is not None:
        yield "sessions", "tokens, median", sessions["median_tokens"], 0, f"at most {sessions['most_tokens']}"
    yield "sessions", "memories shown", sessions["shown"], 0, ""
    ways = (("opened", "opened"), ("changed", "changed"), ("cited", "cited"), ("acted on", "acted"))
    how = ", ".join(f"{word} {sessions[name]}" for word, name in ways)
    yield (
        "sessions",
        "used later",
        sessions["used"],
        sessions["shown"],
        f"{_percent(sessions['used'], sessions['shown'])}; {how}",
    )
    for row in usage.moments:
        about = f"{row.shown} shown, {row.used} used later, {row.tokens} tokens"
        yield "moments with a match", row.kind, row.moments, 0, about if row.moments else ""


def _hits(rate: HitRate) -> tuple[int, int, str]:
    return rate.answered, rate.searched, _percent(rate.answered, rate.searched)


def _percent(part: int, whole: int) -> str:
    return f"{round(100 * part / whole)} % of {whole}" if whole else "of 0"


def _print_table(rows: Iterable[tuple[str, str, int, int, str]], out: Output) -> None:
    before = ""
    for part, name, number, whole, more in rows:
        if part != before:
            out.line((part, "bold"))
        before = part
        bar = "█" * -(-number * BAR // whole) if whole else ""
        shown = [text for text in (bar, more) if text]
        out.line(f"  {name:<22} {number:>7}", *(("  ", ("  ".join(shown), "dim")) if shown else ()))


def _print_notes(usage: StoreUsage, out: Output) -> None:
    for key, shown in list(usage.unused.items())[:NAMES_SHOWN]:
        out.note(f"{key}: shown {shown} times, used 0; to lower its rank: gitmem curate decay")
    since = usage.counted_since
    if not since:
        out.note("hit rate and use: nothing has been counted in this clone yet")
    elif since > usage.since:
        out.note(f"hit rate and use: this clone has counted since {since} only")
    if usage.idle and since:
        named = ", ".join(memory.key for memory in usage.idle[:NAMES_SHOWN])
        more = f" and {len(usage.idle) - NAMES_SHOWN} more (--json lists them)" if len(usage.idle) > NAMES_SHOWN else ""
        out.note(f"not used since {usage.since}: {named}{more}; to lower their rank: gitmem curate decay")
