"""``gitmem inject``: to one worker or to all."""

from __future__ import annotations

from conftest import git


def test_learning_for_one_worker_stays_off_the_branch(run_cli, repo) -> None:
    run_cli("init")
    before = git(repo, "rev-parse", "memory")

    done = run_cli("inject", "Use the Clock fixture", "--to", "worker-2", "--category", "mistake-pattern", "--key", "c")

    assert (done.status, done.out) == (0, "c\n")
    assert git(repo, "rev-parse", "memory") == before
    assert git(repo, "show", "refs/gitmem/private/worker-2:mistake_patterns/c.md")


def test_learning_for_all_is_on_the_branch(run_cli, repo) -> None:
    done = run_cli("inject", "Use the Clock fixture", "--all", "--category", "preference", "--key", "c")

    assert done.status == 0
    assert "role: lead" in git(repo, "show", "memory:preferences/c.md")


def test_learning_needs_exactly_one_of_to_and_all(run_cli) -> None:
    assert run_cli("inject", "x y", "--category", "preference").status == 2
    assert run_cli("inject", "x y", "--all", "--to", "w", "--category", "preference").status == 2
    assert run_cli("inject", "x y", "--all", "--category", "rumour").status == 2


def test_push_is_for_one_worker_and_needs_a_remote(run_cli) -> None:
    run_cli("init")

    assert run_cli("inject", "x y", "--all", "--push", "--category", "preference").status == 2
    done = run_cli("inject", "Use the Clock fixture", "--to", "worker-2", "--push", "--category", "preference")
    assert (done.status, "there is no remote" in done.err) == (3, True)
