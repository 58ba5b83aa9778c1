"""Kilo Code: what OpenCode's plugin forwards there, as version 7.7.9 reported it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.each import each
from support.payloads import event_fields, parsed

from gitmem.agents.clients import kilo
from gitmem.agents.event import Event
from gitmem.commands.install.client_files import plugin

EVENTS = [
    ("chat.message", {"client": "kilo", "name": "prompt", "prompt": "do it", "folder": "/home/dev/shop"}),
    ("tool.execute.after", {"tool": "shell", "command": "echo hello", "output": "hello\n"}),
]


@each(("name", "expected"), EVENTS, ids=[name for name, _ in EVENTS])
def test_payload_becomes_an_event(name: str, expected: dict) -> None:
    found = event_fields(parsed(f"kilo/{name}"))

    assert {key: found.get(key) for key in expected} == expected


def test_transcript_is_kilos_own_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    (tmp_path / "opencode").mkdir()
    (tmp_path / "opencode/opencode.db").touch()
    event = parsed("kilo/chat.message")
    assert event is not None
    assert event.transcript == ""

    (tmp_path / "kilo").mkdir()
    (tmp_path / "kilo/kilo.db").touch()

    event = parsed("kilo/chat.message")
    assert event is not None
    assert event.transcript == str(tmp_path / "kilo/kilo.db")


def test_answer_is_that_of_the_plugin() -> None:
    assert json.loads(kilo.answer(Event("kilo", "prompt"), "text")) == {"context": "text"}


def test_plugin_calls_gitmem_for_kilo() -> None:
    text = plugin("kilo", user=False)

    assert '"kilo"' in text
    assert "hook opencode" not in text
    assert '"opencode"' not in text
