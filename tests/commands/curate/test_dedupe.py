"""Near duplicates in a whole store: the groups, the kept one, and one commit that can be undone."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import tip
from support.branch import fields_of, keys_found
from support.facts import make_fact, make_memory, put, verify

from gitmem.commands.curate.dedupe import apply_groups, find_groups
from gitmem.memory import Memory

SAID = "The gateway drops requests without a trace id"
NEARLY = "The gateway drops any request without a trace id"
AGENT = {"who": "Ana", "agent": "dev"}


def groups(memory: Memory) -> list[tuple[str, str, list[str]]]:
    """Return key and reason of what is kept, and the keys of the others."""
    return [(g.kept.key, g.why, [one.key for one in g.others]) for g in find_groups(memory.repository).groups]


def test_group_has_one_kept_memory_and_its_near_duplicates(memory: Memory, repo: Path) -> None:
    put(
        repo,
        make_memory("old", SAID, created="2026-01-01T00:00:00Z"),
        make_memory("new", NEARLY, created="2026-02-01T00:00:00Z"),
        make_memory("five", "Retries are capped at 5 in the client"),
        make_memory("three", "Retries are capped at 3 in the client"),
        make_memory("gone", SAID, superseded_by="old"),
    )

    assert groups(memory) == [("new", "it is the newest", ["old"])]


def test_holding_check_outranks_a_person_who_outranks_an_agent(memory: Memory, repo: Path) -> None:
    put(
        repo,
        make_fact("fact", {"exists": "src/auth/jwt.py"}, title=SAID, by=AGENT),
        make_memory("person", f"{SAID}!", by={"who": "Ana"}),
        make_memory("agent", NEARLY, by=AGENT, created="2026-10-01T00:00:00Z"),
        make_memory("vpn", "Deploys need the VPN", by=AGENT),
        make_memory("person-vpn", "Deploys need VPN", by={"who": "Ana"}),
    )
    verify(memory)

    assert groups(memory) == [
        ("fact", "its check holds", ["person", "agent"]),
        ("person-vpn", "a person wrote it", ["vpn"]),
    ]


def test_most_read_memory_is_kept(memory: Memory, repo: Path) -> None:
    put(repo, make_memory("a", SAID), make_memory("b", NEARLY, created="2026-10-01T00:00:00Z"))
    memory.show("a")

    assert groups(memory) == [("a", "it is read most often", ["b"])]


@pytest.mark.parametrize(
    "others",
    [
        (make_fact("b", {"exists": "a"}, title=SAID), make_fact("c", {"exists": "b"}, title=f"{SAID}.")),
        (make_memory("b", SAID, kind="task"), make_memory("c", SAID, kind="task")),
        (make_memory("b", SAID, kind="session"), make_memory("c", SAID)),
    ],
    ids=["different checks", "tasks", "a session"],
)
def test_similar_memories_with_different_meaning_are_never_grouped(memory: Memory, repo: Path, others) -> None:  # type: ignore[no-untyped-def]
    put(repo, *others)

    assert groups(memory) == []


def test_required_memory_is_kept(memory: Memory, repo: Path) -> None:
    put(
        repo,
        make_memory("a", SAID),
        make_memory("b", NEARLY, created="2026-10-01T00:00:00Z"),
        make_memory("c", "Traces are sampled", requires=["a"]),
    )

    assert groups(memory) == [("a", "others require it", ["b"])]


def test_duplicates_are_superseded_in_one_commit_that_can_be_undone(memory: Memory, repo: Path) -> None:
    before = put(
        repo,
        make_memory("a", SAID, created="2026-01-01T00:00:00Z"),
        make_memory("b", NEARLY, created="2026-02-01T00:00:00Z"),
        make_memory("x", "Deploys need the VPN", created="2026-01-01T00:00:00Z"),
        make_memory("y", "A deploy needs the VPN", created="2026-02-01T00:00:00Z"),
    )

    done = memory.bulk.dedupe(apply=True)

    assert done.commit == tip(repo) != before
    assert [g.kept.key for g in done.groups] == ["b", "y"]
    assert fields_of(repo, "gotchas/b.md")["supersedes"] == ["a"]
    assert fields_of(repo, "gotchas/a.md")["superseded_by"] == "b"
    assert keys_found(memory, "gateway deploy") in (["b", "y"], ["y", "b"])
    assert memory.bulk.dedupe(apply=True).groups == ()
    memory.edit("b", fields={"supersedes": []}, body=None, approve=False)
    assert groups(memory) == [("b", "it is the newest", ["a"])]


def test_group_changed_meanwhile_is_skipped(memory: Memory, repo: Path) -> None:
    put(repo, make_memory("a", SAID), make_memory("b", NEARLY))
    found = find_groups(memory.repository)
    memory.edit("a", fields={"title": "Deploys need VPN"}, body=None, approve=False)

    done = apply_groups(memory.repository, found)

    assert (done.groups, done.commit, done.changed) == ((), "", (found.groups[0].kept.key,))
