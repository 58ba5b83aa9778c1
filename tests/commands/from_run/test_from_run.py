"""A finished run in the store: one commit, all or nothing, nothing twice, and told where it came from."""

from __future__ import annotations

import json

import pytest
from conftest import git, tip
from support.branch import fields_of, keys_found
from support.facts import count_commits, trailers

from gitmem.errors import RefusedError

GOTCHA = {
    "kind": "gotcha",
    "title": "The nightly import locks the ledger",
    "body": "From two to three.",
    "confidence": 0.8,
}
PATTERN = {"kind": "pattern", "body": "Retry serialization failures three times with jitter"}
SECRET = {"body": "The key is AKIA" + "Q7ZP2LMX4RTNVB3K"}
RUN = {"run": "night-7", "role": "reflector", "task": "LED-1"}


def distil(memory, *items, partial: bool = False, name: str = "", **more):
    return memory.bulk.remember_run(json.dumps({**RUN, **more, "memories": items}).encode(), name=name, partial=partial)


def test_run_is_one_commit_that_names_it(memory, repo) -> None:
    before = count_commits(repo)

    done = distil(memory, GOTCHA, PATTERN)

    assert count_commits(repo) == before + 1
    assert git(repo, "log", "-1", "--format=%s", "memory") == "memory: distil night-7, 2 memories"
    assert "Gitmem-Source: run night-7" in trailers(repo, "memory")
    fields = fields_of(repo, done.changes[0][1].path)
    assert fields["by"] == {"who": "Ana", "agent": "reflector", "role": "reflector"}
    assert (fields["refs"], fields["task"], fields["confidence"]) == (["run night-7"], "LED-1", 0.8)
    assert keys_found(memory, "jitter") == [done.changes[1][1].key]


@pytest.mark.parametrize("bad", [SECRET, {"kind": "code_pattern", "body": "Retry in the helper"}, {"body": "ok"},
                                 {"body": "Retry\u202e thrice"}, {"body": "Retry.", "supersedes": ["nothing-here"]}],
                         ids=["secret", "no lines", "nothing said", "hidden", "supersedes nothing"])  # fmt: skip
def test_one_that_is_refused_keeps_all_out_unless_the_rest_is_asked_for(memory, repo, bad: dict) -> None:
    before = tip(repo)

    refused = distil(memory, GOTCHA, bad, PATTERN)

    assert (tip(repo), refused.changes, refused.is_written) == (before, (), False)
    assert [where for where, _ in refused.refused] == ["memories[1]"]
    assert "Q7ZP" not in refused.refused[0][1]
    written = distil(memory, GOTCHA, bad, PATTERN, partial=True)
    assert [where for where, _ in written.changes] == ["memories[0]", "memories[2]"]
    assert (written.refused, written.is_written) == (refused.refused, True)


def test_every_reason_is_described_in_the_order_of_the_file(memory) -> None:
    done = distil(
        memory, {"kind": "fact"}, SECRET, {"body": "x", "supersedes": ["none"]}, attempts=[{"outcome": "won"}]
    )

    assert [where for where, _ in done.refused] == ["memories[0]", "memories[1]", "memories[2]", "attempts[0]"]


def test_again_brings_nothing_new_and_another_run_is_added_to_what_is_reported(memory, repo) -> None:
    first = distil(memory, GOTCHA, GOTCHA)
    before = tip(repo)

    again = distil(memory, GOTCHA)

    assert (tip(repo), again.is_written, again.changes[0][1].is_written) == (before, False, False)
    later = distil(memory, GOTCHA, run="night-8")
    key, path = later.changes[0][1].key, later.changes[0][1].path
    assert key == first.changes[0][1].key == first.changes[1][1].key
    assert fields_of(repo, path)["refs"] == ["run night-7", "run night-8"]


def test_file_names_the_run_that_does_not_name_itself_and_no_name_points_at_a_line(memory, repo) -> None:
    done = distil(memory, PATTERN, run="", role="", name="ci:12")

    fields = fields_of(repo, done.changes[0][1].path)
    assert (done.run, fields["refs"], fields["by"]) == ("ci-12", ["run ci-12"], {"who": "Ana", "agent": "run"})
    with pytest.raises(RefusedError, match="the run's name"):
        distil(memory, PATTERN, run="AKIA" + "Q7ZP2LMX4RTNVB3K")


def test_task_as_it_is_shown_becomes_its_outcomes(memory) -> None:
    memory.tasks.add("Refresh tokens", verify=None, key="t")
    memory.tasks.claim("t")
    memory.tasks.fail("t", note="the gateway strips cookies")
    found, task, _ = memory.tasks.show("t")
    attempts = [{"num": one.num, "outcome": one.outcome, "notes": one.notes} for one in task.attempts]

    done = memory.bulk.remember_run(json.dumps({**found.document, "attempts": attempts}).encode())

    assert memory.show(done.changes[0][1].key).document["kind"] == "outcome"


def test_nothing_handed_over_writes_nothing(memory, repo) -> None:
    before = tip(repo)

    assert distil(memory).changes == ()
    assert tip(repo) == before
