"""What a session was shown."""

from __future__ import annotations

import json
from pathlib import Path

from conftest import NOW
from support.facts import make_memory, put
from support.sessions import started

from gitmem.agents import on_event
from gitmem.memory import Memory


def test_log_prints_what_the_latest_session_was_shown(run_cli, repo: Path) -> None:
    assert run_cli("session", "log").status == 1
    put(repo, make_memory("a", "A", kind="decision"))
    with Memory(repo, clock=lambda: float(NOW)) as memory:
        on_event.session_started(memory, started("s7", agent_type="sm"))

    assert run_cli("session", "log").out == "2026-09-21T14:13:20Z start sm\n  a  \n"
    (entry,) = json.loads(run_cli("session", "log", "--session", "s7", "--json").out)["shown"]
    assert (entry["session"], entry["shown"], entry["source"]) == ("s7", {"a": ""}, "startup")
