"""The current work is used if a query asks for it, and always if that is set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from conftest import commit_files, git, put_files
from support.embedded_store import LOGIN, STORE, choose, make_model
from support.facts import Clock, make_fact, make_memory, put

from gitmem.commands.context.sections import RELEVANT
from gitmem.commands.context.working_on import at_work
from gitmem.errors import UsageError
from gitmem.memory import Memory
from gitmem.recall.query import Query

if TYPE_CHECKING:
    from pathlib import Path


def path_factor(repo: Path, **asked: object) -> float:
    with Memory(repo, clock=Clock()) as memory:
        (hit,) = memory.recall(Query(text="tokens", **asked)).hits  # type: ignore[arg-type]
    return dict(hit.factors)["path"]


def put_changed(repo: Path) -> None:
    """Write a memory about a file, and change that file."""
    put(repo, make_memory("a", "About tokens", paths=["src/auth/jwt.py"]))
    (repo / "src/auth/jwt.py").write_text("changed\n", encoding="utf-8")


def test_changed_files_count_where_a_question_asks_for_them(repo: Path) -> None:
    put_changed(repo)

    assert (path_factor(repo), path_factor(repo, work=True)) == (1.0, 1.5)


def test_changed_files_always_count_where_the_policy_or_this_clone_says_so(repo: Path) -> None:
    put_changed(repo)

    put_files(repo, {"gitmem.toml": '[recall]\nwork = "always"\n'})
    by_policy = path_factor(repo)
    git(repo, "config", "gitmem.recallWork", "asked")

    assert (by_policy, path_factor(repo)) == (1.5, 1.0)


def test_files_of_the_branch_and_those_of_a_held_task_are_what_is_worked_on(memory: Memory, repo: Path) -> None:
    git(repo, "checkout", "-q", "-b", "feature")
    commit_files(repo, {"src/auth/jwt.py": "changed\n"})
    memory.tasks.add("Move the gateway", key="move", paths=["src/gateway/**"])
    memory.tasks.claim("move")

    query = at_work(memory.repository, Query(text="x", near=("docs",), work=True))

    assert (query.near, query.held, query.work) == (("docs", "src/auth/jwt.py", "src/gateway/**"), ("move",), False)


def test_facts_that_read_a_changed_file_relate_to_the_work_and_others_do_not(memory: Memory, repo: Path) -> None:
    put(
        repo,
        make_fact("tokens", {"contains": "RS256", "in": "src/auth/jwt.py"}),
        make_fact("readme", {"exists": "README.md"}),
    )
    (repo / "src/auth/jwt.py").write_text("changed\n", encoding="utf-8")

    found = memory.context(is_brief=True).document["sections"]

    about = next(section for section in found if section["name"] == RELEVANT)
    assert [item["key"] for item in about["items"]] == ["tokens"]


def test_what_the_branch_is_named_after_comes_before_what_is_about_its_files(memory: Memory, repo: Path) -> None:
    about_file = [
        make_memory(f"note-{number}", f"The token has part {number}", paths=["src/auth/jwt.py"]) for number in range(6)
    ]
    put(repo, make_memory("fee", "A voucher is taken off after the fee"), *about_file)
    git(repo, "checkout", "-q", "-b", "feat/voucher-fee-order")
    commit_files(repo, {"src/auth/jwt.py": "changed\n"})

    found = memory.context(is_brief=True).document["sections"]

    about = next(section for section in found if section["name"] == RELEVANT)
    assert [item["key"] for item in about["items"]][:2] == ["fee", "note-0"]


def test_todays_work_is_not_asked_of_the_past(memory: Memory) -> None:
    memory.remember("About tokens")

    with memory.at("HEAD") as past, pytest.raises(UsageError, match="--work uses the files that are changed now"):
        past.recall(Query(text="tokens", work=True))


def test_branch_is_related_by_meaning_where_a_model_is_set_up(repo: Path, tmp_path: Path) -> None:
    git(repo, "checkout", "-q", "-b", f"feat/{LOGIN}")
    put(repo, STORE | {key: text for n in range(9) for key, text in make_memory(f"new-{n}", f"Newer {n}").items()})
    with Memory(repo, clock=Clock()) as memory:
        by_words = str(memory.context(is_brief=True).document["sections"])
    choose(repo, make_model(tmp_path / "model"))

    with Memory(repo, clock=Clock()) as memory:
        memory.vectors.rebuild()
        by_meaning = str(memory.context(is_brief=True).document["sections"])

    assert "The login page redirects" not in by_words
    assert "The login page redirects" in by_meaning
    assert "Postgres needs a vacuum" not in by_meaning
