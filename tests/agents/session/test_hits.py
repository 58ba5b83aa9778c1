"""Hits are shown with their present statuses, and only if the context does not know them so."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import commit_files
from support.facts import make_fact, put, verify

from gitmem.agents.session.hits import spot_checked
from gitmem.memory import Memory
from gitmem.recall.query import Query


@pytest.mark.parametrize(
    ("text", "seen", "shown"),
    [
        ("RETRIES = 3  # still\n", {}, ["verified"]),
        ("RETRIES = 3  # still\n", {"g3": "verified"}, []),
        ("RETRIES = 4\n", {"g3": "verified"}, ["failed"]),
        ("RETRIES = 4\n", {"g3": "failed"}, []),
    ],
)
def test_stale_hit_gets_its_present_status_and_is_shown_if_that_is_new(
    memory: Memory, repo: Path, text: str, seen: dict[str, str], shown: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gitmem.verify.spot_check.BEGIN_WITHIN_S", 60)  # on a busy machine too
    commit_files(repo, {"gate.py": "RETRIES = 3\n"})
    put(repo, make_fact("g3", {"contains": "RETRIES = 3", "in": "gate.py"}, title="The gateway retries three times"))
    verify(memory)
    commit_files(repo, {"gate.py": text})
    hits = memory.recall(Query(text="gateway retries")).hits
    assert [hit.status for hit in hits] == ["stale"]

    assert [hit.status for hit in spot_checked(memory.repository, hits, seen)] == shown
