"""The description of a topic."""

from __future__ import annotations

from support.sessions import edited, ran

from gitmem.agents.session import worklog


def test_a_topic_is_described(memory) -> None:
    memory.sessions.use("billing", "Move the invoices")
    memory.sessions.add_evidence("It rounds", ["a.py:3"])
    worklog.record(memory.repository, ran("make"))
    worklog.record(memory.repository, edited("b.py"))

    found = memory.sessions.status()

    assert (found["topic"], found["named"], found["spec"]) == ("billing", True, "Move the invoices")
    assert found["worklog"] == {
        "entries": 2,
        "tools": {"edit": 1, "shell": 1},
        "last": ["ran make → ok", "edited b.py"],
    }
    assert found["evidence"][0]["refs"] == ["a.py:3"]
    assert found["off"] == ""


def test_it_says_what_switches_it_off(memory, repo) -> None:
    path = memory.sessions.switch_context(is_on=False, everywhere=True)

    assert memory.sessions.status()["off"] == path
