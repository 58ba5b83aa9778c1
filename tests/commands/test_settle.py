"""Settling: checks, paths and refs follow moved files in one commit, and reworded requirements are confirmed."""

from __future__ import annotations

import json
import re

import pytest
from conftest import commit_files, git
from support.facts import approve_all, count_commits, make_fact, make_memory, put, statuses, tracked, verify

from gitmem.memory import Memory
from gitmem.repository.approvals import deny_command, trust_of

RS = {"contains": "RS256", "in": "src/auth/*.py"}
GATE = {"contains": "RS256", "within": "src/auth/*.py"}


def moved_store(memory: Memory, repo, *more: dict) -> None:
    """Put facts about a folder, verify them, and move the folder."""
    put(
        repo,
        make_fact("rs", RS, paths=["src/auth/*.py"], refs=["src/auth/jwt.py:1"]),
        make_fact("grep", "grep -q RS256 ./src/auth/jwt.py && test -d src/auth/"),
        make_fact("retries", {"contains": "RETRIES", "in": "src/gateway/retry.py"}),
        make_memory("keys", "Keys are public", refs=["src/auth/jwt.py:4-5", "https://example.org/src/auth/jwt.py"]),
        *more,
    )
    approve_all(memory)
    verify(memory)
    (repo / "lib").mkdir()
    git(repo, "mv", "src/auth", "lib/auth")
    git(repo, "commit", "-q", "-m", "move")
    verify(memory)


def fields_of(memory: Memory, key: str) -> dict:
    return memory.show(key).document["frontmatter"]


def test_memories_of_moved_files_are_updated_in_one_commit(memory, repo):
    moved_store(memory, repo)
    before = count_commits(repo)

    found = memory.bulk.settle_moved(approve=True)

    assert {one.key: one.skipped for one in found} == {"rs": "", "grep": "", "keys": ""}
    assert len({one.commit for one in found}) == 1
    assert fields_of(memory, "rs")["verify"] == {"contains": "RS256", "in": "lib/auth/*.py"}
    assert fields_of(memory, "rs")["paths"] == ["lib/auth/*.py"]
    assert fields_of(memory, "rs")["refs"] == ["lib/auth/jwt.py:1"]
    assert fields_of(memory, "grep")["verify"] == "grep -q RS256 ./lib/auth/jwt.py && test -d lib/auth/"
    assert fields_of(memory, "keys")["refs"] == ["lib/auth/jwt.py:4-5", "https://example.org/src/auth/jwt.py"]
    assert count_commits(repo) == before + 2  # the memories, and their verdicts
    assert {key: status for key, status in statuses(memory).items() if status} == {
        "rs": "verified", "grep": "verified", "retries": "verified"
    }  # fmt: skip
    assert memory.status().document["moved"] == []
    assert verify(memory).due == 0


def test_command_that_cannot_be_approved_stays_unchanged(memory, repo, run_cli):
    moved_store(memory, repo)

    said = run_cli("settle", "--moved", "--json")

    found = json.loads(said.out)
    assert (said.status, [one["key"] for one in found["moved"]]) == (1, ["keys", "rs"])
    assert [one["key"] for one in found["skipped"]] == ["grep"]
    assert memory.status().document["moved"] == ["grep"]


def test_named_command_that_cannot_be_approved_is_changed_and_reported_as_waiting(memory, repo, run_cli):
    moved_store(memory, repo)

    said = run_cli("settle", "--moved", "grep", "rs")

    assert "unproven until its new command is approved: grep; gitmem trust --review" in said.err
    assert fields_of(memory, "grep")["verify"].startswith("grep -q RS256 ./lib/auth/jwt.py")


def test_moving_a_file_does_not_approve_an_unapproved_command(memory, repo, run_cli):
    moved_store(memory, repo)
    (due,) = (one for one in memory.repository.commands() if one.row.key == "grep")
    deny_command(memory.repository, due)

    found = {one.key: one.skipped for one in memory.bulk.settle_moved(approve=True)}

    assert "gitmem trust --review" in found["grep"]
    assert [one.row.spec for one in memory.repository.commands()] == [due.row.spec]
    assert [one.spec for one in trust_of(memory.repository).list_all() if one.verdict == "allow"] == []


def test_unchanged_memories_are_reported_once_per_reason(memory, repo, run_cli):
    moved_store(
        memory, repo, *(make_fact(f"jwt-is-signed-{n:02}", f"grep -q RS256 src/auth/jwt.py # {n}") for n in range(5))
    )

    said = run_cli("settle", "--moved", "--dry-run")

    (line,) = [line for line in said.err.splitlines() if "stay" in line]
    assert line.startswith("gitmem: 6 memories would stay as they are (grep, jwt-is-signed-00, ")
    assert line.endswith("more): the new command must be approved; run at a terminal: gitmem settle --moved")


def test_dry_run_of_settle_changes_nothing(memory, repo, run_cli):
    moved_store(memory, repo)
    before = count_commits(repo)

    said = run_cli("settle", "--moved", "rs", "--dry-run")

    assert "rs  {contains: RS256, in: src/auth/*.py} → {contains: RS256, in: lib/auth/*.py}" in said.out
    assert "1 memory would change; nothing was written" in said.err
    assert count_commits(repo) == before


def test_fact_of_the_code_tree_is_updated_in_its_file(memory, repo):
    commit_files(repo, tracked(make_fact("home", RS)), "a fact")
    moved_store(memory, repo)

    memory.bulk.settle_moved("home")

    assert "lib/auth/*.py" in (repo / ".memory/facts/home.md").read_text()


def test_fact_that_fails_at_the_new_path_is_left_unchanged(memory, repo):
    moved_store(memory, repo)
    commit_files(repo, {"lib/auth/jwt.py": "nothing\n"}, "break")
    verify(memory)

    found = {one.key: one.skipped for one in memory.bulk.settle_moved(approve=True)}

    assert "the check fails where the files are now" in found["rs"]


def test_reworded_requirement_makes_dependents_suspect_until_confirmed(memory, repo, run_cli):
    memory.fact("Tokens use RS256", key="alg", **GATE)
    memory.remember("Gateways hold only public keys", key="keys", kind="decision", requires=["alg"])
    memory.edit("alg", fields={"title": "Tokens use EdDSA"})

    shown = memory.show("keys").document
    assert (shown["status"], shown["suspicion"]) == ("suspect", "its foundation was reworded: alg")
    assert "its foundation was reworded: alg" in run_cli("status").out
    assert "its foundation was reworded: alg" in run_cli("verify").out
    assert re.search(r"gitmem settle \w{4} --confirm", run_cli("settle", "keys").out)

    assert run_cli("settle", "keys", "--confirm").status == 0
    assert memory.show("keys").document["status"] == ""
    memory.edit("alg", fields={"title": "Tokens use Ed25519"})
    assert memory.show("keys").document["status"] == "suspect"


def test_verify_clears_a_suspect_fact(memory, repo):
    memory.fact("Tokens use RS256", key="alg", **GATE)
    memory.fact("There is a gateway", key="gateway", exists="src/gateway", requires=["alg"])
    memory.edit("alg", fields={"title": "Tokens use EdDSA"})
    assert statuses(memory)["gateway"] == "suspect"

    run = verify(memory)

    assert {result.due.row.key: result.due.why for result in run.results}["gateway"] == "foundation"
    assert statuses(memory)["gateway"] == "verified"
    assert verify(memory).due == 0


@pytest.mark.parametrize(
    "change",
    [{"tags": ["auth"]}, {"title": "Tokens use RS256."}, {"verify": {"contains": "RS", "in": "src/auth/*.py"}}],
)
def test_change_without_new_wording_makes_nothing_suspect(memory, change):
    memory.fact("Tokens use RS256", key="alg", **GATE)
    memory.remember("Gateways hold only public keys", key="keys", kind="decision", requires=["alg"])

    memory.edit("alg", fields=change)

    assert memory.show("keys").document["status"] == ""


def test_correction_makes_nothing_suspect(memory, run_cli):
    memory.fact("Tokens use RS265", key="alg", **GATE)
    memory.remember("Gateways hold only public keys", key="keys", kind="decision", requires=["alg"])

    run_cli("edit", "alg", "--title", "Tokens use RS256", "--correction")

    assert memory.show("keys").document["status"] == ""
    memory.edit("alg", fields={"title": "Tokens use EdDSA"})
    assert memory.show("keys").document["status"] == "suspect"


def test_cycle_of_requirements_ends_and_a_label_means_its_producers(memory):
    memory.fact("Tokens use RS256", key="alg", produces=["signing"], requires=["gateway"], **GATE)
    memory.fact("There is a gateway", key="gateway", exists="src/gateway", requires=["signing"])
    memory.edit("alg", fields={"requires": ["gateway"]})

    memory.edit("alg", fields={"title": "Tokens use EdDSA"})

    assert statuses(memory)["gateway"] == "suspect"
    memory.edit("gateway", fields={"title": "There is one gateway"})
    verify(memory)
    assert set(statuses(memory).values()) == {"verified"}


def test_failure_outranks_a_reworded_requirement_as_cause(memory, repo):
    memory.fact("Tokens use RS256", key="alg", **GATE)
    memory.remember("Gateways hold only public keys", key="keys", kind="decision", requires=["alg"])
    memory.edit("alg", fields={"title": "Tokens use EdDSA"})
    commit_files(repo, {"src/auth/jwt.py": "nothing\n"}, "break")
    verify(memory)

    assert memory.show("keys").document["suspicion"] == "rests on alg"


def test_confirmations_of_two_clones_merge(memory, repo, tmp_path):
    memory.fact("Tokens use RS256", key="alg", **GATE)
    memory.remember("Gateways hold only public keys", key="keys", kind="decision", requires=["alg"])
    memory.edit("alg", fields={"title": "Tokens use EdDSA"})
    git(tmp_path, "init", "-q", "--bare", "hub.git")
    git(repo, "remote", "add", "origin", str(tmp_path / "hub.git"))
    git(repo, "push", "-q", "origin", "main", "memory")
    git(tmp_path, "clone", "-q", str(tmp_path / "hub.git"), "other")
    with Memory(tmp_path / "other", clock=memory.repository.clock) as other:
        other.init()
        other.bulk.confirm("keys")
        other.edit("keys", fields={"tags": ["gateway"]})
        other.sync()
    memory.edit("keys", fields={"importance": "high"})

    memory.sync()

    assert memory.show("keys").document["status"] == ""
    assert memory.show("keys").document["frontmatter"]["tags"] == ["gateway"]


def test_rewording_a_memory_without_a_check_makes_dependents_suspect(memory):
    memory.remember("HS256 was dropped.", title="Tokens use RS256", key="alg", kind="decision")
    memory.remember("Gateways hold only public keys", key="keys", kind="decision", requires=["alg"])

    memory.remember("RS256 was dropped.", title="Tokens use EdDSA", key="alg", kind="decision")

    assert memory.show("keys").document["suspicion"] == "its foundation was reworded: alg"


def test_a_rewording_and_a_confirmation_of_the_earlier_words_merge_into_a_suspicion(memory, repo, tmp_path):
    memory.fact("Tokens use RS256", key="alg", **GATE)
    memory.remember("Gateways hold only public keys", key="keys", kind="decision", requires=["alg"])
    git(tmp_path, "init", "-q", "--bare", "hub.git")
    git(repo, "remote", "add", "origin", str(tmp_path / "hub.git"))
    git(repo, "push", "-q", "origin", "main", "memory")
    git(tmp_path, "clone", "-q", str(tmp_path / "hub.git"), "other")
    with Memory(tmp_path / "other", clock=memory.repository.clock) as other:
        other.init()
        other.bulk.confirm("keys")  # of what it says there
        other.sync()
    memory.edit("alg", fields={"title": "Tokens use EdDSA"})

    memory.sync()

    assert memory.show("keys").document["suspicion"] == "its foundation was reworded: alg"
