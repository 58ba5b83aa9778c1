"""Times of other systems are read in every form that is clear."""

from __future__ import annotations

from support.each import each

from gitmem.plugins.import_.times import time_of


@each(
    ("value", "created"),
    [
        (1706360000, "2024-01-27T12:53:20Z"),
        (1706360000123, "2024-01-27T12:53:20Z"),
        ("1706360000.5", "2024-01-27T12:53:20Z"),
        ("2024-01-27T13:53:20+01:00", "2024-01-27T12:53:20Z"),
        ("2024-01-27 12:53:20", "2024-01-27T12:53:20Z"),
        ("2024-01-27", "2024-01-27T00:00:00Z"),
        (1706360000123456, "2024-01-27T12:53:20Z"),
        (1706360000123456789, "2024-01-27T12:53:20Z"),
        ("Sat, 27 Jan 2024 13:53:20 +0100", "2024-01-27T12:53:20Z"),
        ("27.01.2024", "2024-01-27T00:00:00Z"),
        ("January 27, 2024", "2024-01-27T00:00:00Z"),
        ("2024/01/27 12:53", "2024-01-27T12:53:00Z"),
        ("202401271253", "2024-01-27T12:53:00Z"),
        (20240127, "2024-01-27T00:00:00Z"),
        (2024, "2024-01-01T00:00:00Z"),
        ("20240127125320123", "2024-01-27T12:53:20Z"),
        ("January 27, 2024 12:53 PM", "2024-01-27T12:53:00Z"),
        ("01/02/2024", None),
        ("2024-13-45", None),
        (True, None),
        ("yesterday", None),
        (1e300, None),
        (float("inf"), None),
    ],
)
def test_time_is_read_in_every_usual_form_and_left_out_in_any_other(value: object, created: str | None) -> None:
    assert time_of(value) == created
