"""The timeline as SVG: how many facts held, commit by commit, and a strip for each that ever failed. Pure."""

from __future__ import annotations

from itertools import groupby

from gitmem.commands.report.page import markup
from gitmem.model import FAILED
from gitmem.statuses import MARKS
from gitmem.text.sanitize import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gitmem.commands.report.page.model import PageMemory, Strip, Timeline

# Strips that are drawn; the rest is counted.
DRAWN = 40
# Pixels: the names on the left, all commits together at most, one commit at least and at most, the counts, a strip.
NAMES, COMMITS, LEAST, MOST, BARS, STRIP = 218, 832, 8, 36, 88, 24
# Letters of a fact's name.
NAME = 29
# The classes of the counts, from the bottom up.
CLASSES = ("verified", "suspect", "failed", "unknown")


def draw(timeline: Timeline, entries: Mapping[str, PageMemory]) -> str:
    """Return the drawing; what it says in words is in ``sections``."""
    number = len(timeline.moments)
    step = max(LEAST, min(MOST, COMMITS // max(number, 1)))
    strips = timeline.strips[:DRAWN]
    width = NAMES + number * step + 22
    height = BARS + 26 + len(strips) * STRIP + 24
    parts = [_counts(timeline, step)]
    broken = [at for at in range(number) if any(strip.states[at] == "!" for strip in timeline.strips)]
    foot = BARS + 26 + len(strips) * STRIP
    parts += [f'<path class="cut" d="M{NAMES + at * step + 0.5:g} {8}V{foot}"/>' for at in broken]
    for nth, strip in enumerate(strips):
        y = BARS + 26 + nth * STRIP
        parts.append(_strip(strip, entries, y, step))
        parts.append(f'<text class="e" x="{NAMES + number * step + 4}" y="{y + 14}">{nth + 1}</text>')
    parts.append(_axis(timeline, step, foot + 16))
    label = (
        f"how many facts held at the newest {number} commits of {markup.line(timeline.branch)}, and which "
        "failed; see the list below for a text version"
    )
    return (
        f'<svg class="time" role="img" aria-label="{label}" width="{width}" height="{height}"'
        f' viewBox="0 0 {width} {height}">{"".join(parts)}</svg>'
    )


def _counts(timeline: Timeline, step: int) -> str:
    """Return the bars of counts, one for each run of commits with the same counts."""
    most = max((sum(row) for row in timeline.counts), default=1) or 1
    parts = [f'<text class="a" x="{NAMES - 10}" y="16" text-anchor="end">{most} facts</text>']
    at = 0
    for counts, run in groupby(timeline.counts):
        number = len(list(run))
        x, wide = NAMES + at * step, number * step
        bottom = float(BARS)
        for name, value in zip(CLASSES, counts, strict=True):
            if value:
                # What is not nothing is seen.
                high = (
                    max(2.0, value * (BARS - 8) / most) if name in ("failed", "suspect") else value * (BARS - 8) / most
                )
                bottom -= high
                parts.append(f'<rect class="{name}" x="{x}" y="{bottom:.1f}" width="{wide}" height="{high:.1f}"/>')
        at += number
    return "".join(parts)


def _strip(strip: Strip, entries: Mapping[str, PageMemory], y: int, step: int) -> str:
    entry = entries[strip.key]
    title = markup.line(entry.title)
    name = display(" ".join(entry.title.split()))
    short = markup.line(name[: NAME - 1].rstrip()) + "…" if len(name) > NAME else markup.line(name)
    parts = [f'<g><title>{title}</title><text class="s" x="{NAMES - 10}" y="{y + 14}" text-anchor="end">{short}</text>']
    at = 0
    for state, run in groupby(strip.states.lower().replace("!", "x")):
        number = len(list(run))
        x, wide = NAMES + at * step, number * step
        if state == "v":
            parts.append(f'<rect class="held" x="{x}" y="{y + 6}" width="{wide}" height="6"/>')
        elif state == "x":
            parts.append(f'<rect class="fell" x="{x}" y="{y + 1}" width="{wide}" height="16"/>')
        else:
            parts.append(f'<path class="none" d="M{x} {y + 9}h{wide}"/>')
        at += number
    # Where somebody looked: the rest is told from what is on both sides.
    for nth, state in enumerate(strip.states):
        middle = NAMES + nth * step + step / 2
        if state == "V":
            parts.append(f'<circle class="held" cx="{middle:g}" cy="{y + 9}" r="3"/>')
        elif state == "!":
            parts.append(f'<text class="x" x="{middle:g}" y="{y + 14}" text-anchor="middle">{MARKS[FAILED]}</text>')
        elif state == "X":
            parts.append(f'<circle class="hole" cx="{middle:g}" cy="{y + 9}" r="2.5"/>')
    return "".join([*parts, "</g>"])


def _axis(timeline: Timeline, step: int, y: int) -> str:
    """Return the names of the first and the last commit."""
    moments: Sequence = timeline.moments  # type: ignore[type-arg]
    if not moments:
        return ""
    more = "… " if timeline.has_more else ""
    end = NAMES + len(moments) * step
    first = f'<text class="a" x="{NAMES}" y="{y}">{more}{moments[0].commit[:8]}</text>'
    last = f'<text class="a" x="{end}" y="{y}" text-anchor="end">{moments[-1].commit[:8]}</text>'
    return first + last if len(moments) * step > 150 else last
