"""What the starter is told survives the pipe."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.verify.sandbox import launch_plan
from gitmem.verify.sandbox.limits import Limits

words = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
lists = st.lists(words, max_size=4).map(tuple)
plans = st.builds(
    launch_plan.LaunchPlan,
    cwd=words,
    scratch=words,
    ground=words,
    upper=words,
    limits=st.builds(Limits, *[st.integers(0, 10**15)] * 3),
    cpu_s=st.integers(1, 10**9),
    user=st.integers(0, 2**31),
    reports=st.booleans(),
    confined=st.booleans(),
    network=st.booleans(),
    traced=st.booleans(),
    env=lists,
    readable=lists,
    writable=lists,
    bound=lists,
    lent=lists,
    laid=lists,
    argv=lists,
)


@given(plans)
def test_a_plan_survives_the_pipe(made):
    request = launch_plan.format_plan(made)

    assert int.from_bytes(request[:4], "big") == len(request) - 4
    assert launch_plan.parse_plan(request[4:]) == made


def test_a_word_that_is_not_utf_8_survives_the_pipe():
    made = launch_plan.LaunchPlan(
        "/", "", "", "", Limits(1, 1, 1), 1, 0, False, False, False, False, (), (), (), (), (), (), ("\udcff", "")
    )

    assert launch_plan.parse_plan(launch_plan.format_plan(made)[4:]) == made


def test_a_nul_in_a_word_is_refused_and_cannot_make_two_of_one():
    made = launch_plan.LaunchPlan(
        "/", "", "", "", Limits(1, 1, 1), 1, 0, False, False, False, False, (), (), (), (), (), (), ("a\0b",)
    )

    with pytest.raises(ValueError, match="null byte"):
        launch_plan.format_plan(made)
