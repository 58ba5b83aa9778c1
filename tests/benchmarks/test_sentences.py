"""What adopted claims call verified, measured on small projects."""

from __future__ import annotations

import json

import pytest
from support.each import each

from benchmarks.sentences import PROJECTS, is_true, judge

LIMITS = json.loads(PROJECTS.read_text("utf-8").splitlines()[0])


@pytest.mark.whole_system
def test_no_verified_claim_says_something_false(tmp_path) -> None:
    found = judge(LIMITS, tmp_path)

    assert len(found) == 3
    assert all(holds for _, holds in found), found


@each(
    ("title", "holds"),
    [
        ("`src` exists", True),
        ("`lib` exists", False),
        ("`TTL_MINUTES` is defined in the code", True),
        ("`MAX_RETRIES` in `src/retry.py` is 5", False),
        ("`MAX_RETRIES` in `src/retry.py` is 3", True),
        ("No default exports in `src/`", True),
        ("`MAX_RETRIES` (default: 5) is in `src/retry.py`", False),
        ("Something else", False),
    ],
)
def test_titles_are_judged_by_labels_and_files(title, holds) -> None:
    assert is_true(title, LIMITS, LIMITS["files"], "true") is holds
