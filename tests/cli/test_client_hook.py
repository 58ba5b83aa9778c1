"""``gitmem hook CLIENT``: the status is 0 and standard output is the client's alone, whatever happens."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from support.payloads import let, payload

from gitmem.agents.clients import CLIENTS
from gitmem.agents.event import Event
from gitmem.cli import client_hook, main


@pytest.fixture
def hook(run_cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Return a function that calls a hook with a payload or bytes on standard input."""

    def call(*words: str, event_json: object = b"", before: tuple[str, ...] = ()):
        path = tmp_path / "told"
        path.write_bytes(event_json if isinstance(event_json, bytes) else json.dumps(event_json).encode())
        fd = os.open(path, os.O_RDONLY)
        monkeypatch.setattr(client_hook, "STDIN", fd)
        try:
            return run_cli(*before, "hook", *words)
        finally:
            os.close(fd)

    return call


@pytest.fixture
def says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the memory have a text for every event."""
    let(monkeypatch, lambda _, event: f"näh, a {event.name}")


def test_answer_is_one_line_of_json(memory, hook, says, repo: Path) -> None:
    ran = hook("claude-code", event_json=payload("claude-code/SessionStart.startup", cwd=str(repo)))

    assert (ran.status, ran.err) == (0, "")
    assert json.loads(ran.out)["hookSpecificOutput"]["additionalContext"] == "näh, a start"
    assert ran.out.count("\n") == 1


def test_event_is_named_on_the_command_line_where_the_payload_does_not(memory, hook, says, repo: Path) -> None:
    event_json = payload("copilot/userPromptSubmitted", cwd=str(repo))
    del event_json["prompt"]  # which would tell

    assert "a prompt" in hook("copilot", "userPromptSubmitted", event_json=event_json).out
    assert hook("copilot", event_json=event_json | {"timestamp": 1}).out == ""


@pytest.mark.parametrize(("alias", "name"), [("claude", "claude-code/Stop"), ("gemini-cli", "gemini/AfterAgent")])
def test_client_has_other_names(memory, hook, monkeypatch, repo: Path, alias: str, name: str) -> None:
    events: list[Event] = []
    let(monkeypatch, lambda _, event: events.append(event))

    ran = hook(alias, event_json=payload(name, cwd=str(repo)))

    assert (ran.status, ran.err, [event.name for event in events]) == (0, "", ["stop"])


def test_works_behind_the_option_for_a_folder(memory, hook, says, repo: Path, tmp_path: Path) -> None:
    ran = hook("codex", event_json=payload("codex/UserPromptSubmit"), before=("-C", str(repo)))

    assert "a prompt" in ran.out


def test_misspelled_client_is_reported_without_failing(memory, hook) -> None:
    ran = hook("claud-code", event_json={})

    assert (ran.status, ran.out) == (0, "")
    assert f"unknown client: claud-code; choose one of {', '.join(sorted(CLIENTS))}" in ran.err


def test_at_a_terminal_it_says_what_it_is_for(memory, run_cli, monkeypatch: pytest.MonkeyPatch) -> None:
    parent, child = os.openpty()
    monkeypatch.setattr(client_hook, "STDIN", child)
    ran = run_cli("hook", "cursor")
    os.close(parent)
    os.close(child)

    assert (ran.status, ran.out) == (0, "{}\n")
    assert "gitmem install cursor" in ran.err


def test_hook_exits_with_0_even_if_gitmem_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(words: object) -> int:
        raise SyntaxError("a half-written upgrade")

    monkeypatch.setattr(client_hook, "run", fail)

    assert main(["hook", "claude-code"]) == 0


def test_help_names_the_clients(run_cli) -> None:
    ran = run_cli("hook", "--help")

    assert ran.status == 0
    assert ", ".join(sorted(CLIENTS)) in " ".join(ran.out.split())
