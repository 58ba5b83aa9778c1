"""The table of goals: a row names what it was not fitted on, and a goal is reached only by both figures."""

from __future__ import annotations

from benchmarks.goals import OWN_WORDS, table
from tests.benchmarks.test_mix import record


def test_a_row_has_goals_and_the_setting_fitted_on_the_others() -> None:
    by_words = record(words=["a"], in_use=["a"], relevant={"a": 1})
    by_meaning = record(words=["a", "b"], in_use=["b"])
    both = {"developer": [by_words], "cosqa": [by_meaning], OWN_WORDS: [by_words, by_meaning]}

    rows = [line.split(" | ") for line in table({"wordllama": both, "minilm": both}).splitlines()]
    lines = {row[0].strip("| "): row[1:4] for row in rows}

    reached = "1.000 / 1.000"
    assert lines["developer, 1 questions"][:2] == [f"{reached} (0.900 / 0.870) *", f"{reached} (0.910 / 0.880) *"]
    assert lines["cosqa, 1 questions"][0] == "1.000 / 0.631 (0.560 / 0.470) *"
    assert lines["cosqa, 1 questions"][2] == "1.000 / 0.631 at 0.05, 0"
    assert lines["developer, 1 questions"][2] == "1.000 / 0.631 at 0.15, 6"
    assert lines["2 questions, own words: first, in the first five"][:2] == ["1, 2 (38, 46)", "2, 2 (40, 49)"]
