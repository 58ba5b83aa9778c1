"""What clients tell: payloads of each, and what is different from nothing in the event that one becomes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gitmem.agents import on_event
from gitmem.agents.event import Event
from gitmem.agents.hook import ACTIONS, load

PAYLOADS = Path(__file__).parents[1] / "agents" / "payloads"


def payload(name: str, **changed: Any) -> dict[str, Any]:
    """Return a payload by its file (``codex/Stop``), some fields of it changed."""
    return json.loads((PAYLOADS / f"{name}.json").read_text()) | changed


def parsed(name: str, named: str = "", **changed: Any) -> Event | None:
    """Return the event that a payload becomes."""
    return load(name.partition("/")[0]).parse(payload(name, **changed), named)


def let(monkeypatch: pytest.MonkeyPatch, method: Any) -> None:
    """Let one function be what is done whatever happens in a session."""
    for name in ACTIONS.values():
        monkeypatch.setattr(on_event, name, method)


def event_fields(event: Event | None) -> dict[str, Any]:
    """Return what an event says, without what is empty."""
    if event is None:
        return {}
    return {name: getattr(event, name) for name in Event.__fields__ if getattr(event, name) not in ("", (), False)}
