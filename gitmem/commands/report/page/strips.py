"""The timeline as SVG: the number of facts that held at each commit, and a strip for each that ever failed. Pure."""

from __future__ import annotations

from itertools import groupby

from gitmem.commands.report.page.markup import plain_title
from gitmem.commands.report.page.templates import fill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any, TypeVar

    from markupsafe import Markup

    from gitmem.commands.report.page.model import PageMemory, Strip, Timeline

    T = TypeVar("T")

# The most strips drawn; the rest is counted.
DRAWN = 40
# Pixels: the names on the left, the most for all commits, the least and most per commit, the counts, a strip.
NAMES, COMMITS, LEAST, MOST, BARS, STRIP = 218, 832, 8, 36, 88, 24
# The same on the left where no fact has a strip: only a number of facts.
NUMBERS = 90
# The most letters of a fact's name.
NAME = 29
# The classes of the counts, from bottom to top.
CLASSES = ("verified", "suspect", "failed", "unknown")


def draw(timeline: Timeline, entries: Mapping[str, PageMemory]) -> Markup:
    """Return the drawing as SVG; the same in words is in ``sections.html``."""
    number = len(timeline.moments)
    step = max(LEAST, min(MOST, COMMITS // max(number, 1)))
    strips = timeline.strips[:DRAWN]
    start = NAMES if strips else NUMBERS
    foot = BARS + 26 + len(strips) * STRIP
    broken = [at for at in range(number) if any(strip.states[at] == "!" for strip in timeline.strips)]
    most = max((sum(row) for row in timeline.counts), default=1) or 1
    return fill(
        "strips.html",
        timeline=timeline,
        width=start + number * step + 22,
        height=foot + 24,
        start=start,
        end=start + number * step,
        foot=foot,
        most=most,
        bars=_bars(timeline, start, step, most),
        breaks=[f"{start + at * step + 0.5:g}" for at in broken],
        strips=[_strip(strip, entries, BARS + 26 + nth * STRIP, step) for nth, strip in enumerate(strips)],
    )


def classes_of(timeline: Timeline) -> list[str]:
    """Return the classes that occur in the counts."""
    return [name for name, values in zip(CLASSES, zip(*timeline.counts, strict=True), strict=False) if any(values)]


def _bars(timeline: Timeline, start: int, step: int, most: int) -> list[tuple[str, int, str, int, str]]:
    """Return the bars of counts, one per run of commits with equal counts: class, x, y, width, height."""
    parts = []
    for counts, x, width in _runs(timeline.counts, start, step):
        bottom = float(BARS)
        for name, value in zip(CLASSES, counts, strict=True):
            if value:
                # Anything above zero is visible.
                least = 2.0 if name in ("failed", "suspect") else 0.0
                high = max(least, value * (BARS - 8) / most)
                bottom -= high
                parts.append((name, x, f"{bottom:.1f}", width, f"{high:.1f}"))
    return parts


def _runs(values: Iterable[T], start: int, step: int) -> Iterator[tuple[T, int, int]]:
    """Yield the runs of equal values, one value per commit, each with its x and its width."""
    x = start
    for value, run in groupby(values):
        width = len(list(run)) * step
        yield value, x, width
        x += width


def _strip(strip: Strip, entries: Mapping[str, PageMemory], y: int, step: int) -> dict[str, Any]:
    """Return one fact's strip: its name, the runs of equal state (state, x, width), and the judged commits (x)."""
    title = entries[strip.key].title
    name = plain_title(title)
    return {
        "y": y,
        "title": title,
        "short": name[: NAME - 1].rstrip() + "…" if len(name) > NAME else name,
        "runs": [*_runs(strip.states.lower().replace("!", "x"), NAMES, step)],
        "looks": [
            (state, f"{NAMES + nth * step + step / 2:g}") for nth, state in enumerate(strip.states) if state in "V!X"
        ],
    }
