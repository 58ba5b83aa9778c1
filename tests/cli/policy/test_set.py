from __future__ import annotations

import json
from pathlib import Path

from conftest import git, tip
from support.each import each

from gitmem.store import layout


def test_setting_is_committed_with_its_name_in_the_subject(run_cli, repo: Path) -> None:
    run_cli("init")

    done = run_cli("policy", "set", "kinds.gotcha.ttl", "90d", "--json")

    assert json.loads(done.out) == {"setting": "kinds.gotcha.ttl", "value": '"90d"', "commit": tip(repo)}
    assert git(repo, "log", "-1", "--format=%s", "memory") == "memory: set kinds.gotcha.ttl"


def test_setting_that_is_so_already_makes_no_commit(run_cli, repo: Path) -> None:
    run_cli("init")
    run_cli("policy", "set", "rotation.limit", "10")
    before = tip(repo)

    done = run_cli("policy", "set", "rotation.limit", "10")

    assert (done.out, tip(repo)) == ("rotation.limit is already 10\n", before)


def test_unset_brings_the_default_back(run_cli, repo: Path) -> None:
    run_cli("init")
    before = git(repo, "show", "memory:gitmem.toml")
    run_cli("policy", "set", "rotation.limit", "10")

    done = run_cli("policy", "set", "rotation.limit", "--unset")

    assert (done.status, done.out) == (0, "rotation.limit is no longer set\n")
    assert git(repo, "show", "memory:gitmem.toml").strip() == before.strip()


@each(
    "words",
    [("rotation.limit",), ("rotation.limit", "1", "--unset"), ("rotation.limit", "-1"), ("rotation.limit", "1 2")],
)
def test_wrong_use_changes_nothing(run_cli, repo: Path, words: tuple[str, ...]) -> None:
    run_cli("init")
    before = tip(repo)

    assert run_cli("policy", "set", *words).status == 2
    assert tip(repo) == before


def test_policy_that_could_not_be_read_again_is_refused(run_cli, repo: Path) -> None:
    run_cli("init")
    before = tip(repo)

    done = run_cli("policy", "set", "verify.setup", "x" * layout.POLICY_LIMIT)

    assert (done.status, tip(repo)) == (2, before)
    assert "the limit is 65,536" in done.err
