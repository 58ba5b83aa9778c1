"""The state of the facts as a badge: a self-contained SVG, or the JSON of a shields.io endpoint."""

from __future__ import annotations

from html import escape

from gitmem.frozen import frozen
from gitmem.model import BLOCKED, FAILED, STALE, SUSPECT, UNPROVEN, VERIFIED
from gitmem.statuses import SIGNS, describe_claims
from gitmem.text import count_of, display
from gitmem.text.durations import format_duration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

# Colours besides those of statuses: of the label, and of problems besides the facts; like those of `SIGNS`.
DARK, ORANGE = "444444", SIGNS[SUSPECT].color
# The mark of a schedule that has stopped running, like those of `SIGNS`.
PAUSE = "M3.2 1.2V8.8M6.8 1.2V8.8"
LABEL_LIMIT = 40
# Advance widths of Verdana in 2048ths of its size, within a few percent of DejaVu Sans (their hmtx tables). Other
# characters are as wide as a digit, those of East Asian scripts as the font size.
_WIDTHS = {
    " ": 720, ".": 745, ",": 745, "-": 930, ":": 930, "/": 930, "(": 930, ")": 930, "'": 550, "!": 807, "?": 1118,
    "%": 2204, "&": 1488, "#": 1676, "+": 1676, "_": 1302,
    "a": 1230, "b": 1276, "c": 1067, "d": 1276, "e": 1220, "f": 720, "g": 1276, "h": 1296, "i": 562, "j": 705,
    "k": 1212, "l": 562, "m": 1992, "n": 1296, "o": 1243, "p": 1276, "q": 1276, "r": 874, "s": 1067, "t": 807,
    "u": 1296, "v": 1212, "w": 1676, "x": 1212, "y": 1212, "z": 1076,
    "A": 1400, "B": 1404, "C": 1430, "D": 1578, "E": 1295, "F": 1177, "G": 1588, "H": 1539, "I": 862, "J": 931,
    "K": 1419, "L": 1140, "M": 1726, "N": 1532, "O": 1612, "P": 1235, "Q": 1612, "R": 1424, "S": 1400, "T": 1262,
    "U": 1499, "V": 1400, "W": 2025, "X": 1403, "Y": 1260, "Z": 1403,
}  # fmt: skip
_FIGURE = 1302
_SIZE, _HEIGHT, _PAD, _MARK = 11, 20, 6, 14
# The first character of the full-width scripts (Unicode, EastAsianWidth.txt: from Hangul Jamo on).
_WIDE_FROM = "\u1100"


@frozen
class Badge:
    """The content of a badge.

    Attributes:
        label: Its subject.
        message: The state.
        color: Six hex digits.
        strokes: The mark, as an SVG path (``statuses.Sign``).
        title: The whole text, for people who cannot see the badge.
    """

    label: str
    message: str
    color: str
    strokes: str
    title: str


def make_badge(found: Mapping[str, Any], *, label: str = "facts") -> Badge:
    """Return the badge for a store: its worst status.

    Args:
        found: The result of ``status``: its facts and claims by status, and its jobs.
        label: Its subject.
    """
    jobs = found["jobs"] or {"silent": "", "silent_s": 0}
    return _badge(found["statuses"], found["claims"], jobs["silent"], jobs["silent_s"], label=label)


def _badge(statuses: Mapping[str, int], claims: Mapping[str, int], silent: str, silent_s: int, *, label: str) -> Badge:
    """Return the badge.

    Args:
        statuses: Memories with a status, by status, without claims.
        claims: Adopted claims by status: those that hold are no facts, and one that does not is a failure.
        silent: The problem with the schedule of verify jobs, or empty.
        silent_s: How long it has been overdue, in seconds; 0 if its last job failed.
        label: Its subject.
    """
    counts = [f"{number} {status}" for status, number in statuses.items() if number]
    silence = f"silent for {format_duration(silent_s)}" if silent_s else "verify job failed" if silent else ""
    failed, suspect = (statuses[status] + claims.get(status, 0) for status in (FAILED, SUSPECT))
    verified = statuses[VERIFIED]
    rest = [f"{statuses[status]} {status}" for status in (BLOCKED, STALE, UNPROVEN) if statuses[status]]
    if failed or suspect:
        status, number = (FAILED, failed) if failed else (SUSPECT, suspect)
        message, sign = f"{number} {status}", SIGNS[status]
    elif silence:
        message, sign = silence, None
    elif statuses[BLOCKED] or statuses[STALE]:
        holds = [f"{verified} verified"] if verified else []
        message, sign = ", ".join([*holds, rest[0]]), SIGNS[BLOCKED if statuses[BLOCKED] else STALE]
    elif verified:
        message, sign = f"{verified} verified", SIGNS[VERIFIED]
    elif claims.get(VERIFIED) and not rest:
        message, sign = f"{count_of(claims[VERIFIED], 'claim')} hold{'s' * (claims[VERIFIED] == 1)}", SIGNS[VERIFIED]
    else:
        message, sign = rest[0] if rest else "none yet", SIGNS[UNPROVEN]
    color, strokes = (sign.color, sign.strokes) if sign else (ORANGE, PAUSE)
    label = " ".join(display(label).split())[:LABEL_LIMIT]
    alternative = ", ".join(filter(None, [*counts, describe_claims(claims), silence])) or message
    return Badge(label, message, color, strokes, f"{label}: {alternative}" if label else alternative)


def as_table(badge: Badge) -> dict[str, Any]:
    """Return the badge as JSON for shields.io (its endpoint badge, schema version 1)."""
    return {"schemaVersion": 1, "label": badge.label, "message": badge.message, "color": badge.color}


def svg(badge: Badge) -> str:
    """Return the badge as SVG, without scripts, fonts, or names that could clash with others on a page."""
    label, message = _width(badge.label), _width(badge.message)
    left = round(label + 2 * _PAD) if badge.label else 0
    right = round(_MARK + message + 2 * _PAD)
    width = left + right
    title = escape(badge.title)
    start = left + _PAD
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{_HEIGHT}" viewBox="0 0 {width} {_HEIGHT}"'
        f' role="img" aria-label="{title}">',
        f"<title>{title}</title>",
        f'<path fill="#{badge.color}" d="{_box(left, width, left=not left, right=True)}"/>',
        *([f'<path fill="#{DARK}" d="{_box(0, left, left=True, right=False)}"/>'] if left else []),
        f'<path fill="none" stroke="#fff" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"'
        f' transform="translate({start} 5)" d="{badge.strokes}"/>',
        f'<g fill="#fff" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="{_SIZE}"'
        ' text-rendering="geometricPrecision">',
        *([_text(_PAD, label, badge.label)] if left else []),
        _text(start + _MARK, message, badge.message),
        "</g>",
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _text(x: float, width: float, text: str) -> str:
    # Even with another font, the words stay within their box.
    return f'<text x="{x:g}" y="14" textLength="{width:.1f}" lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'


def _box(start: int, end: int, *, left: bool, right: bool) -> str:
    """Return a box from one column to another as a path, with rounded corners on the given sides."""
    a, b = 3 * left, 3 * right
    return (
        f"M{start + a} 0H{end - b}" + (f"a{b} {b} 0 0 1 {b} {b}" if b else "") + f"V{_HEIGHT - b}"
        + (f"a{b} {b} 0 0 1 -{b} {b}" if b else "") + f"H{start + a}" + (f"a{a} {a} 0 0 1 -{a} -{a}" if a else "")
        + f"V{a}" + (f"a{a} {a} 0 0 1 {a} -{a}" if a else "") + "z"
    )  # fmt: skip


def _width(text: str) -> float:
    """Return the width of a text in pixels."""
    units = (_WIDTHS.get(char) or (2048 if char >= _WIDE_FROM else _FIGURE) for char in text)
    return round(sum(units) * _SIZE / 2048, 1)
