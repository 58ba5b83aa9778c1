"""What is told once: failures, checks that cannot be run, and facts that flap; and where a flapping fact is shown."""

from __future__ import annotations

import json

import pytest
from conftest import NOW, commit_files, git
from support.facts import (
    Clock,
    approve_all,
    make_fact,
    put,
    result_of,
    status_file,
    statuses,
    verdict_text,
    verify,
)

from gitmem.memory import Memory
from gitmem.verify.run.confirm import FIRST

SAID = "it failed, then held on the same code"


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def memory(repo, clock):
    with Memory(repo, clock=clock) as opened:
        opened.init(offline=True)
        yield opened


@pytest.fixture
def moved(memory, repo, clock):
    """Return a function that commits a change of the code and verifies what is due; it returns the result of *a*."""
    count = iter(range(1000))

    def move(*, all_of_it: bool = False):
        clock.now += 60
        commit_files(repo, {"change.txt": f"{next(count)}\n"})
        return result_of(verify(memory, everything=all_of_it), "a")

    return move


@pytest.fixture
def flapping(memory, repo, moved, tmp_path):
    """A fact that held, and of which one run now failed and the next held; the file makes it fail once."""
    once = tmp_path / "once"
    put(
        repo,
        make_fact(
            "a", f"test -f README.md || exit 2; test ! -e {once} || {{ rm {once}; exit 1; }}", title="It answers"
        ),
    )
    approve_all(memory)
    moved()
    once.touch()
    assert moved().is_marked
    return once


def test_flapping_fact_is_shown_wherever_a_reader_meets_it(flapping, memory, repo, run_cli, clock, monkeypatch):
    shown = memory.show("a").document
    assert (shown["status"], shown["flapping"], shown["verdict"]["attempt"]) == ("verified", FIRST, SAID)
    assert memory.status().document["flapping"][0] | {"by": "", "short_id": ""} == {
        **{
            "key": "a",
            "short_id": "",
            "title": "It answers",
            "because": SAID,
            "by": "",
            "culprit": "",
            "broken": "",
            "chain": [],
            "culprit_after": "",
            "path": "",
            "refs": [],
        }
    }
    warnings = memory.context(paths=(), budget_tokens=0).document["sections"][0]
    assert [item["text"] for item in warnings["items"]] == ["It answers — its check gives different answers"]
    assert f"## Flapping\n\nTheir checks give different answers on the same code.\n\n- **a**: It answers — {SAID}" in (
        status_file(repo)
    )
    assert f"flapping = {FIRST}" in verdict_text(repo, memory, "a")
    monkeypatch.setattr("time.time", lambda: float(clock.now))
    assert json.loads(run_cli("list", "--json").out)["memories"][0]["flapping"] == FIRST
    assert f"    a  flapping — {SAID}" in run_cli("status").out
    assert (
        f"flapping: its check gives different answers; it counts as steady after {FIRST} equal"
        in run_cli("show", "a").out
    )


def test_mark_is_reported_once_and_goes_away_with_as_many_like_answers(flapping, memory, repo, moved):
    again = [moved() for _ in range(FIRST - 1)]
    assert not any(r.is_marked or r.is_news for r in again)
    assert [r.verdict.flapping for r in again] == list(range(FIRST - 1, 0, -1))
    assert memory.show("a").document["flapping"] == 1
    assert "Flapping" in status_file(repo)

    moved()

    assert (memory.show("a").document["flapping"], memory.status().document["flapping"]) == (0, [])
    assert "Flapping" not in status_file(repo)
    assert "flapping" not in verdict_text(repo, memory, "a")


def test_recounting_a_mark_makes_no_commit(flapping, memory, repo):
    before = git(repo, "rev-parse", "memory")

    verify(memory, "a")

    assert memory.show("a").document["flapping"] == FIRST - 1
    assert git(repo, "rev-parse", "memory") == before


def test_flapping_fact_that_held_is_not_run_again_until_something_changed(flapping, memory):
    assert verify(memory).due == 0


def test_flap_fails_no_command_and_is_one_line(flapping, memory, repo, run_cli, clock, monkeypatch):
    monkeypatch.setattr("time.time", lambda: float(clock.now + 60))
    git(repo, "config", "gitmem.jobs", "1")

    flapping.touch()
    second = run_cli("verify", "a", "--no-sandbox")
    put(
        repo,
        make_fact(
            "a",
            f"test -f README.md || exit 3; test ! -e {flapping} || {{ rm {flapping}; exit 1; }}",
            title="It answers",
        ),
    )
    approve_all(memory)
    flapping.touch()
    other = run_cli("verify", "--no-sandbox")

    assert (second.status, second.out.split("\n")[0]) == (0, "✓ a  holds (it flaps)")
    assert (other.status, other.out.split("\n")[0]) == (0, f"✓ a  holds, but flaps — {SAID}")
    assert other.out.rstrip().endswith("Now: 1 verified; 1 flapping.")


def test_another_command_is_another_fact_and_not_marked(flapping, memory, repo):
    put(repo, make_fact("a", "test -f README.md", title="It answers"))
    approve_all(memory)
    verify(memory)

    assert (memory.show("a").document["flapping"], memory.status().document["flapping"]) == (0, [])


def test_mark_holds_on_every_commit_of_the_code(flapping, memory, repo):
    """It is the check that flaps: where it held before, on other inputs, the reader is told as well."""
    git(repo, "checkout", "-q", "--detach", "HEAD~1")

    with Memory(repo, clock=lambda: float(NOW + 500)) as there:
        assert (statuses(there), there.show("a").document["flapping"]) == ({"a": "verified"}, FIRST)


def test_failure_and_missing_tool_are_reported_once(memory, repo, moved, tmp_path):
    tool = tmp_path / "tool"
    put(repo, make_fact("a", f"{tool}"))
    approve_all(memory)

    lines = [moved() for _ in range(2)]
    tool.write_text("#!/bin/sh\ntest ! -e change.txt\n")
    tool.chmod(0o755)
    lines += [moved() for _ in range(2)]

    assert [r.outcome for r in lines] == ["blocked", "blocked", "unproven", "unproven"]
    assert [r.is_news for r in lines] == [True, False, False, False]


def test_known_failure_is_shown_as_before_and_still_decides_the_exit_status(memory, repo, run_cli):
    commit_files(repo, {"a.sh": "exit 0\n"})
    put(repo, make_fact("a", "sh a.sh"), make_fact("b", "no-such-tool-anywhere"), make_fact("c", "exit 4"))
    approve_all(memory)
    verify(memory, "a")
    commit_files(repo, {"a.sh": "exit 3\n"})

    first, second = (run_cli("verify", "--all", "--no-sandbox") for _ in range(2))
    document = json.loads(run_cli("verify", "--all", "--no-sandbox", "--json").out)["results"]

    assert "✗ a  failed — exit 3, broken by " in first.out
    assert "✗ a  still fails — exit 3, broken by " in second.out
    assert "! b  still blocked — " in second.out
    assert "· c  still unproven — does not pass here: exit 4\n" in second.out
    assert (first.status, second.status, [r["news"] for r in document]) == (1, 1, [False, False, False])


def test_check_that_can_be_run_now_and_then_never_flaps(memory, repo, moved, tmp_path):
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\nexit 0\n")
    put(repo, make_fact("a", f"{tool}"))
    approve_all(memory)
    lines = []
    for mode in (0o755, 0o644, 0o755, 0o644, 0o644):
        tool.chmod(mode)
        lines.append(moved())

    assert [r.outcome for r in lines] == ["holds", "blocked", "holds", "blocked", "blocked"]
    assert [r.is_news for r in lines] == [False, True, False, True, False]
    assert not any(r.is_marked for r in lines)
    assert (statuses(memory), memory.show("a").document["flapping"]) == ({"a": "blocked"}, 0)


def test_environment_that_changed_is_reported_once_and_the_last_verdict_stays(memory, repo, moved, tmp_path):
    world = tmp_path / "world"
    world.touch()
    put(repo, make_fact("a", f"test -e {world}"))
    approve_all(memory)
    moved()
    world.unlink()

    lines = [moved() for _ in range(3)]

    assert [(r.outcome, r.is_news, r.is_marked) for r in lines] == [("blocked", n == 0, False) for n in range(3)]
    assert statuses(memory) == {"a": "blocked"}
