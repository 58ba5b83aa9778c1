"""A short form of ``make fuzz``: the same few inputs of every target in every run."""

from __future__ import annotations

import pytest
from fuzz.run import fuzz
from fuzz.targets import TARGETS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


@pytest.mark.parametrize("name", TARGETS)
def test_no_input_breaks_a_target(name: str) -> None:
    strategy, target = TARGETS[name]
    examples = 8 if name == "tree" else 60
    how = settings(max_examples=examples, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))

    how(given(strategy)(target))()


def test_target_that_breaks_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(value: int) -> None:
        assert value < 100

    monkeypatch.setitem(TARGETS, "broken", (st.integers(), broken))

    with pytest.raises(AssertionError):
        fuzz("broken", 5, first=1)
