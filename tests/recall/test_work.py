"""Memories near the reader's work, by their paths and their links."""

from __future__ import annotations

import pytest
from support.each import each

from gitmem.recall.scoring import RANKING
from gitmem.recall.work import path_overlap, relevance


def test_relevance_without_words_is_b5s_sum() -> None:
    parts = [(1.0, False, 0.0), (0.0, True, 0.0), (0.0, False, 1.0), (0.5, True, 0.25)]

    points = [relevance(RANKING.points, o, is_linked=linked, recency=r) for o, linked, r in parts]

    assert points == [3.0, 5.0, 1.0, 6.75]


@each(
    ("patterns", "places", "expected"),
    [
        pytest.param(["src/auth/**"], ["src/auth/jwt.py"], 1.0, id="inside-a-glob"),
        pytest.param(["src/auth/jwt.py"], ["src/auth/jwt.py"], 1.0, id="the-file"),
        pytest.param(["src/auth/jwt.py"], ["src"], 1.0, id="below-a-folder"),
        pytest.param(["src/auth/jwt.py"], ["src/auth/key.py"], 2 / 3, id="beside-it"),
        pytest.param(["src/web/x.py"], ["src/auth/key.py"], 1 / 3, id="same-top-folder"),
        pytest.param(["docs/**"], ["src"], 0.0, id="elsewhere"),
        pytest.param(["**/*.py"], ["src/x.py"], 0.0, id="a-glob-that-says-no-place"),
        pytest.param(["docs/**", "./src/"], ["x", "src/x.py"], 1.0, id="the-best-pair"),
        pytest.param([], ["src"], 0.0, id="no-paths"),
        pytest.param(["src"], [], 0.0, id="no-place"),
        pytest.param(["srcs/x"], ["src/x"], 0.0, id="whole-names-only"),
    ],
)
def test_paths_overlap_by(patterns: list[str], places: list[str], expected: float) -> None:
    assert path_overlap(patterns, places) == pytest.approx(expected)
