"""The filters that commands share."""

from __future__ import annotations

import argparse
from typing import cast

import pytest

from gitmem.cli.filters import add_filters, parse_query
from gitmem.errors import UsageError
from gitmem.memory import Memory

# The memory is asked only for what a role reads.
NONE = cast(Memory, None)


def asked(*words: str) -> object:
    parser = argparse.ArgumentParser()
    add_filters(parser)
    return parse_query(parser.parse_args(words), NONE, query="q", limit=7)


def test_filters_may_be_repeated_or_listed_with_commas() -> None:
    found = asked(
        "--kind", "gotcha,anti-pattern", "--type", "fact", "--tag", "a", "--tag", "b", "--status", "stale,failed"
    )

    assert found.kinds == ("gotcha", "anti_pattern", "fact")
    assert found.tags == ("a", "b")
    assert found.statuses == ("stale", "failed")
    assert (found.text, found.limit, found.everything) == ("q", 7, False)


def test_limit_and_all_are_taken_over() -> None:
    found = asked("--limit", "3", "--all")

    assert (found.limit, found.everything) == (3, True)


def test_unknown_status_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError) as caught:
        asked("--status", "verifid")

    assert caught.value.message == "unknown status: verifid"
    assert "verified" in caught.value.hint
