"""``gitmem similar``: hits like recall's, and what is documented of its JSON."""

from __future__ import annotations

import json

import pytest
from conftest import tip


@pytest.fixture
def filled(run_cli) -> None:
    run_cli("remember", "Redis evicts sessions under memory pressure", "--key", "redis-evicts")
    run_cli("remember", "Sessions vanish: Redis evicted them", "--key", "sessions-vanish")
    run_cli("remember", "The release job signs the build", "--key", "signed-build")


@pytest.mark.usefixtures("filled")
def test_json_is_as_documented(run_cli, repo) -> None:
    found = json.loads(run_cli("similar", "redis", "--json").out)

    assert list(found) == ["key", "terms", "commit", "hits", "more"]
    assert (found["key"], found["commit"], found["more"]) == ("redis-evicts", tip(repo), 0)
    fields = ["key", "short_id", "kind", "title", "status", "score", "scope", "store", "snippet", "matches", "refs"]
    assert [list(hit) for hit in found["hits"]] == [[*fields, "archived", "superseded", "expired"]]
    assert found["hits"][0]["key"] == "sessions-vanish"


@pytest.mark.usefixtures("filled")
def test_no_similar_memory_exits_with_1(run_cli) -> None:
    done = run_cli("similar", "signed-build")

    assert (done.status, done.out) == (1, "")
    assert "no memory is similar to signed-build" in done.err
