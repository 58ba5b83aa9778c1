"""A proposal has verdicts only on its own facts, so it never conflicts with the memory's job."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import git, tip
from support.each import each
from support.facts import make_fact, put, statuses, verdict_keys, verify
from support.proposals import AUTH, forge, merge_on_forge, opened, paths, propose, remember, shared_folder  # noqa: F401 - fixtures

from gitmem.commands.propose.machine import is_machine
from gitmem.store.layout import shard

HOLDS = {"contains": "RS256", "in": "src/auth/jwt.py"}


@each(
    ("path", "is_one"),
    [
        ("STATUS.md", True),
        ("verdicts/57/rs.8745a7d2e4571011.toml", True),
        ("verdicts/57.toml", True),
        ("facts/rs.md", False),
        ("gitmem.toml", False),
    ],
)
def test_verdicts_and_page_are_machine_written(path: str, is_one: bool) -> None:
    assert is_machine(path) is is_one


def verdicts(folder: Path, ref: str) -> list[str]:
    return verdict_keys(folder, ref)


@pytest.mark.whole_system
def test_proposal_has_only_the_verdicts_of_its_own_facts(repo: Path, hub: Path) -> None:
    put(repo, make_fact("old", HOLDS))
    with opened(repo) as memory:
        memory.sync()
        verify(memory)  # its verdict is not sent
        page = git(hub, "show", "memory:STATUS.md")
    put(repo, make_fact("new", HOLDS, title="Another"))

    done = propose(repo, "auth")

    assert done.added == ("new",)
    assert verdicts(repo, AUTH) == []
    assert git(repo, "show", f"{AUTH}:STATUS.md") == page
    with opened(repo) as memory:
        assert statuses(memory) == {
            "idle": "",
            "new": "unproven",
            "old": "verified",
        }  # known in this clone all the same
        run = verify(memory)
        assert (run.is_local, run.recorded, run.proposal) == (True, None, "auth")
        memory.proposals.send()
        assert statuses(memory) == {"idle": "", "new": "verified", "old": "verified"}
    assert verdicts(hub, AUTH) == ["new"]
    assert git(repo, "log", "-1", "--format=%an %s", AUTH) == "gitmem propose: what its checks showed"
    assert propose(repo).commit == tip(hub, AUTH)  # nothing is done twice


def test_verdict_of_a_proposed_fact_is_in_its_own_file(repo: Path, hub: Path) -> None:
    put(repo, make_fact("old", HOLDS))
    with opened(repo) as memory:
        verify(memory)
        memory.sync()
        memory.fact("Another", verify=HOLDS, key="new")

    propose(repo, "auth")

    with opened(repo) as memory:
        assert statuses(memory)["new"] == "verified"
    changed = git(hub, "diff", "--name-only", "memory", AUTH).split()
    assert [path.split(".")[0] for path in changed] == ["facts/new", f"verdicts/{shard('new')}/new"]


def test_proposal_on_a_code_branch_has_no_verdicts(repo: Path, hub: Path) -> None:
    put(repo, make_fact("new", HOLDS))
    git(repo, "checkout", "-q", "-b", "feature")
    propose(repo, "auth", push=False)
    with opened(repo) as memory:
        verify(memory)

        memory.proposals.send()

    assert verdicts(hub, AUTH) == []


@pytest.mark.whole_system
def test_the_scheduled_job_judges_memory_and_a_proposal_merges_beside_it(repo: Path, hub: Path) -> None:
    put(repo, make_fact("old", HOLDS), make_fact("other", HOLDS, title="Another"))
    with opened(repo) as memory:
        memory.sync()
    propose(repo, "auth")
    with opened(repo) as memory:
        memory.edit("old", fields={"title": "It is signed so"}, body=None, approve=False)
        memory.edit("other", fields={"verify": {"exists": "README.md"}}, body=None, approve=False)
        verify(memory)
        memory.proposals.send()
        assert verdicts(hub, AUTH) == ["other"]  # memory's job writes that of the old claim to the same file

        run = memory.jobs.run_scheduled()

        assert memory.repository.store.proposal == "auth"
    assert run is not None and run.recorded is not None
    assert tip(hub) == tip(repo) == run.recorded.commit
    assert verdicts(hub, "memory") == ["old", "other"]
    merge_on_forge(hub, "squash")
    assert "It is signed so" in git(hub, "show", "memory:facts/old.md")
