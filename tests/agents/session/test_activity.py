"""The log of stops: off, bounded, without secrets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import git
from support.facts import put
from support.transcripts import SECRET

from gitmem.agents import on_event
from gitmem.agents.event import STOP, Event
from gitmem.agents.session.activity import LIMIT, path_of
from gitmem.memory import Memory

EVENT = Event("claude-code", STOP, session="s1", response=f"All done. The key is {SECRET}.")


def logged(repo: Path) -> list[dict]:
    path = Path(path_of(repo / ".git" / "gitmem"))
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_nothing_is_logged_unasked_and_no_stop_is_a_memory(memory: Memory, repo: Path) -> None:
    before = git(repo, "rev-parse", "memory")

    on_event.end_turn(memory, EVENT)

    assert logged(repo) == []
    assert git(repo, "rev-parse", "memory") == before
    assert not (repo / ".git" / "gitmem" / "spool").exists()


@pytest.mark.parametrize(
    ("wanted", "text"), [("activity", None), ("responses", "All done. The key is [secret: github-token].")]
)
def test_what_is_wanted_is_logged_without_secrets(memory: Memory, repo: Path, wanted: str, text: str | None) -> None:
    put(repo, {"gitmem.toml": f'[stops]\nlog = "{wanted}"\n'})

    on_event.end_turn(memory, EVENT)

    (entry,) = logged(repo)
    assert (entry["event"], entry["session"], entry["branch"], entry.get("text")) == ("stop", "s1", "main", text)


def test_a_setting_of_this_clone_goes_before_the_policy(
    repo: Path, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(repo, {"gitmem.toml": '[stops]\nlog = "responses"\n'})
    monkeypatch.setenv("GITMEM_STOP_LOG", "off")

    with Memory(repo) as opened:
        on_event.end_turn(opened, EVENT)

    assert logged(repo) == []


def test_the_log_is_bounded(memory: Memory, repo: Path) -> None:
    put(repo, {"gitmem.toml": '[stops]\nlog = "responses"\n'})
    path = Path(path_of(repo / ".git" / "gitmem"))
    path.parent.mkdir(parents=True)
    path.write_text("x" * (LIMIT + 1))

    on_event.end_turn(memory, Event("claude-code", STOP, response="y" * 100_000))

    assert path.stat().st_size < 4000
    assert Path(f"{path}.1").stat().st_size == LIMIT + 1
