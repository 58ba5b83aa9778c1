"""Facts about the world outside the repository: checked again in time, and no commit is blamed for them."""

from __future__ import annotations

import shutil

import pytest
from conftest import NOW, commit_files, git
from support.code_changes import change, check, kinds
from support.facts import DAY, Clock, approve_all, make_fact, outcomes, put, result_of, statuses, verify

from gitmem.memory import Memory
from gitmem.verify.options import Options

OPTIONS = Options(no_sandbox=True)


@pytest.fixture
def world(repo, tmp_path):
    """A memory with a fact about a service, whose answer is in a file outside the repository, and a clock."""
    service, clock = tmp_path / "state.txt", Clock()
    service.write_text("up\n")
    with Memory(repo, clock=clock) as memory:
        memory.init(offline=True)
        put(repo, make_fact("service", f"grep -q up {service} && test -f README.md", outside=True))
        approve_all(memory)
        assert outcomes(verify(memory)) == {"service": "holds"}
        yield memory, clock, service


def test_declared_fact_becomes_false_where_no_commit_did_it(world, repo):
    memory, clock, service = world
    service.write_text("down\n")
    clock.now += DAY - 60
    assert verify(memory).due == 0
    clock.now += 120
    assert statuses(memory) == {"service": "stale"}
    commit_files(repo, {"README.md": "# Another service\n"}, "an innocent change")

    failed = result_of(verify(memory), "service")

    assert (failed.outcome, failed.is_news, failed.verdict.confirmed) == ("fails", True, True)
    assert failed.because.startswith("outside the repository: exit 1")
    why = memory.why("service", options=OPTIONS).as_table()
    assert (why["outcome"], why["culprit"], why["runs"]) == ("outside", None, 0)
    assert memory.show("service").document["verdict"]["outside"] == "declared"

    service.write_text("up\n")
    clock.now += 2 * DAY
    again = result_of(verify(memory), "service")
    assert (again.outcome, again.verdict.flapping) == ("holds", 0)


def test_change_of_the_code_is_not_blamed_for_the_world(world, repo):
    memory, clock, service = world
    change(repo, {"README.md": "# Another service\n"})
    service.write_text("down\n")
    clock.now += 2 * DAY

    checked = check(memory)

    assert kinds(checked) == {"service": "outside"}


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_fact_about_a_tag_is_seen_to_be_one(repo, monkeypatch):
    monkeypatch.setenv("GITMEM_TRACE", "auto")
    git(repo, "tag", "v1.0")
    clock = Clock(NOW)
    with Memory(repo, clock=clock) as memory:
        memory.init(offline=True)
        put(
            repo,
            make_fact("released", "git tag -l 'v*' | grep -q v1.0"),
            make_fact("plain", "grep -q service README.md"),
        )
        approve_all(memory)
        run = verify(memory)
        assert {r.due.row.key: r.verdict.outside for r in run.results} == {"released": "tags", "plain": ""}

        git(repo, "tag", "-d", "v1.0")
        clock.now += DAY + 60
        run = verify(memory)

        assert outcomes(run) == {"released": "blocked"}, "nobody declared it: a plugin may have asked git for tags"
