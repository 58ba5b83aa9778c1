"""A fact that changes with its code: the check passes, and shows how the branch's memory changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import git, memory_text, put_files, tip
from support.companions import (  # noqa: F401 - fixtures
    BRANCH,
    COMPANION,
    RETRIES,
    branched,
    forge,
    opened,
    shared_folder,
    slow_down,
)

from gitmem.cli.check import as_table, exit_status
from gitmem.commands.check.summary import findings_of, notes
from gitmem.errors import NotFoundError
from gitmem.memory import Memory
from gitmem.verify.options import Options


def checked(folder: Path, **how):  # type: ignore[no-untyped-def]
    with opened(folder) as memory:
        return memory.check(**how)


def status(found) -> int:  # type: ignore[no-untyped-def]
    return exit_status(found, "newly_false")


def messages(found) -> dict[str, str]:  # type: ignore[no-untyped-def]
    return {finding.key: finding.kind for finding in found.findings}


def test_without_a_companion_the_change_makes_its_fact_false(branch: Path) -> None:
    found = checked(branch)

    assert (messages(found), status(found), found.branch) == ({"retries": "newly_false"}, 1, None)


def test_with_the_fact_updated_it_is_green_and_shows_both(branch: Path) -> None:
    with opened(branch) as memory:
        slow_down(memory)
        memory.fact("It is five", key="five", contains="RETRIES = 5", within=RETRIES, force=True)

    found = checked(branch)

    assert (messages(found), status(found)) == ({"five": "holds", "retries": "holds"}, 0)
    assert notes(found)[-1:] == [
        "gitmem/branch/feature/slow changes 2 memories with this branch, of which 1 would become false; it is merged "
        "with it"
    ]
    (section,) = findings_of(found, now=0).sections
    assert (section.heading, section.memory) == ("Memory that comes with feature/slow", tip(branch, COMPANION))
    assert {row.key: row.text for row in section.rows if row.text.startswith("changes")} == {
        "retries": "changes its check: src/gateway/retry.py does not contain 'RETRIES = 3'"
    }
    assert "The gateway retries three times → The gateway retries 5 times" in " ".join(row.text for row in section.rows)
    table = json.loads(json.dumps(as_table(found, findings_of(found, now=0))))["branch_memory"]
    assert (table["branch"], table["changed"], table["refused"]) == (BRANCH, ["five", "retries"], False)
    assert [one["key"] for one in table["settled"]] == ["retries"]
    assert {one["key"]: one["what"] for one in table["review"]["changes"]} == {"five": "added", "retries": "changed"}


@pytest.mark.parametrize("place", ["branch", "main"])
def test_one_fact_is_checked_by_its_key_also_where_only_the_branch_s_memory_has_it(branch: Path, place: str) -> None:
    with opened(branch) as memory:
        memory.fact("It is five", key="five", contains="RETRIES = 5", within=RETRIES)
    git(branch, "checkout", "-q", BRANCH if place == "branch" else "main")
    head = "" if place == "branch" else BRANCH

    found = checked(branch, options=Options(keys=("fiv",)), head=head)

    assert messages(found) == {"five": "holds"}
    with pytest.raises(NotFoundError, match="six"):
        checked(branch, options=Options(keys=("six",)), head=head)


def reword_wrongly(memory: Memory) -> None:
    slow_down(memory)
    memory.edit("retries", fields={"verify": {"contains": "RETRIES = 9", "in": RETRIES}}, unproven=True)


def drop_the_check(memory: Memory) -> None:
    slow_down(memory)
    memory.edit("retries", fields={"verify": "", "kind": "learned"})


def retire(memory: Memory) -> None:
    memory.forget("retries", why="the branch changes it")


def supersede(memory: Memory) -> None:
    memory.fact("Five attempts", key="five", contains="RETRIES = 5", within=RETRIES)
    memory.supersede("retries", "five")


def run_a_command(memory: Memory) -> None:
    slow_down(memory)
    memory.edit("retries", fields={"verify": f"grep -q 5 {RETRIES}"}, unproven=True)


@pytest.mark.parametrize(
    ("change", "is_green"),
    [(retire, True), (supersede, True), (reword_wrongly, False), (drop_the_check, False), (run_a_command, False)],
)
def test_what_takes_a_false_claim_back_openly_is_green_and_what_only_silences_it_is_red(
    branch: Path,
    change,
    is_green: bool,  # type: ignore[no-untyped-def]
) -> None:
    with opened(branch) as memory:
        change(memory)

    found = checked(branch)

    assert (status(found) == 0) is is_green, messages(found)
    assert ("retries" in {f.key for f in found.of("newly_false")}) is not is_green


def test_findings_of_the_review_turn_it_red_and_its_policy_has_no_effect(branch: Path) -> None:
    files = {"gitmem.toml": 'format = 1\n[check]\nfail_on = "never"\n'}
    files["learned/x.md"] = memory_text("Deploy", body="Use AKIAIOSFODNN7EXAMPLX\u200b to deploy.\n")
    git(branch, "branch", "gitmem/branch/feature/slow", "memory")
    put_files(branch, files, ref=COMPANION)

    found = checked(branch)

    assert found.branch is not None and found.branch.changed == ("x",)
    assert {one["code"] for one in found.branch.review["findings"] if one["severity"] == "error"}
    assert findings_of(found, now=0).sections[0].level == "error"
    with opened(branch) as memory:
        assert memory.repository.policy().check.fail_on != "never"
    git(branch, "revert", "--no-edit", "HEAD")
    assert status(checked(branch)) == 1


def test_two_versions_of_one_sentence_are_reported(branch: Path) -> None:
    with opened(branch) as memory:
        slow_down(memory)
    git(branch, "checkout", "-q", "main")
    with opened(branch) as memory:
        memory.edit("retries", fields={"title": "It tries three times"})
    git(branch, "checkout", "-q", BRANCH)

    found = checked(branch)

    assert found.branch is not None and found.branch.to_settle == ("retries",)
    assert findings_of(found, now=0).sections[0].level == "warning"


def test_what_is_staged_is_checked_with_it_too(branch: Path) -> None:
    with opened(branch) as memory:
        slow_down(memory)
    (branch / "README.md").write_text("# Another\n", encoding="utf-8")
    (branch / RETRIES).write_text("RETRIES = 5  # more\n", encoding="utf-8")
    git(branch, "add", "-A")

    with opened(branch) as memory:
        found = memory.check(staged=True)

    assert messages(found) == {"retries": "holds"}


def test_a_branch_is_checked_from_elsewhere_by_its_name(branch: Path) -> None:
    with opened(branch) as memory:
        slow_down(memory)
    git(branch, "checkout", "-q", "main")

    assert messages(checked(branch, head=BRANCH)) == {"retries": "holds"}
    assert messages(checked(branch, head=tip(branch, BRANCH))) == {"retries": "newly_false"}
