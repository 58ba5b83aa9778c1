"""A report passes if it mentions the required entries, also reworded, and fails without one or its figures."""

from __future__ import annotations

from support.each import each

from gitmem.plugins.board.board import board_of
from gitmem.plugins.board.entry import Entry
from gitmem.plugins.board.survival import find_missing

REPORT = """
# Audit 7

Requests time out because the connection pool leaks: after each timeout one connection is never returned.
At the 95th percentile a request takes 840ms (1,200 at night). Whether TLS is affected as well stayed open.
"""


@each(
    ("text", "is_said"),
    [
        ("The connection pool leaks a connection after each timeout", True),
        ("Connections are never returned to the pool", True),
        ("p95 is 840 ms", True),
        ("Percentile 95: requests take 840 ms", True),
        ("Percentile 95: requests take 860 ms", False),
        ("At night a request takes 1200", True),
        ("Is TLS affected as well?", True),
        ("The retry limit is too low", False),
        ("TLS", True),
        ("DNS", False),
        ("连接池", False),
    ],
)
def test_entry_is_found_or_missing_in_a_report(text, is_said):
    entry = Entry("observation", text, "w1", "Ana", 1, {}, must_surface=True, number=1, id="0" * 16)

    missing = find_missing(board_of("r", [entry]), REPORT)

    assert bool(missing) != is_said


def test_missing_figures_are_named():
    entry = Entry("calculation", "Requests take 860 ms, at night 1200", "w1", "Ana", 1, {}, must_surface=True, number=1)

    (missing,) = find_missing(board_of("r", [entry]), REPORT, threshold=0.5)

    assert missing.numbers == ("860",)
