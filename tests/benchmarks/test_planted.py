"""The walk over planted breaks: right on its first commits, and what is wrong is counted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.each import each

from benchmarks.planted import Score, walk
from gitmem.verify.options import Options
from gitmem.verify.sandbox.sandbox import works


@pytest.mark.whole_system
def test_first_commits_have_nothing_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not works("bubblewrap", os.environ["PATH"]):
        pytest.skip("bubblewrap does not work here, and without it a check sees no dependencies")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    score = walk(tmp_path / "walk", commits=3, seed=2, options=Options(offline=True))

    assert score.answers > 0 and score.expected
    assert (score.wrong, score.lost, sorted(score.alerts)) == ([], [], sorted(score.expected))
    assert score.is_right()


@each(
    "score",
    [
        Score(wrong=[(1, "a", "verified", "failed")]),
        Score(lost=[(1, "a", "named 3")]),
        Score(expected={(1, "a")}),
        Score(alerts=[(1, "a")]),
        Score(expected={(1, "a")}, alerts=[(1, "a"), (1, "a")]),
    ],
    ids=["answer", "cause", "missed", "false alarm", "twice"],
)
def test_each_mistake_counts(score: Score) -> None:
    assert not score.is_right()
