"""A digest for an agent: each memory in it with its status, the reason and its author."""

from __future__ import annotations

from pathlib import Path

from support.facts import make_fact, put, verify
from support.ids import named

from gitmem.commands.context.render import parts_of_digest
from gitmem.memory import Memory


def test_warning_names_status_reason_and_author(memory: Memory, repo: Path) -> None:
    put(repo, make_fact("gone", {"exists": "gate.py"}, title="The gate is here"), make_fact("b", {"exists": "b.py"}))
    verify(memory)

    warnings = parts_of_digest(memory.repository, memory.context(paths=(), budget_tokens=4000).document)[0]

    assert warnings.heading == "WARNINGS"
    said = "FAILED: no longer true. The gate is here — gate.py does not exist"
    assert f"- {named('gone')} (fact, failed, by a person) {said}" in [entry.text for entry in warnings.entries]
    assert {entry.status for entry in warnings.entries} == {"failed"}
