"""``gitmem session summarize``: the key of what was written, and how to go on where there is no transcript."""

from __future__ import annotations

import json
from pathlib import Path

from support.transcripts import placed, session

from gitmem.agents.event import STOP, Event
from gitmem.agents.transcripts import ledger
from gitmem.memory import Memory


def test_the_key_of_the_summary_is_printed(run_cli, repo: Path) -> None:
    run_cli("init")
    none = run_cli("session", "summarize")
    with Memory(repo) as memory:
        path = str(placed(session(repo)))
        event = Event("claude-code", STOP, session="s1", folder=str(repo), transcript=path)
        ledger.enter(memory.repository, event)

    done = run_cli("session", "summarize", "--json")

    assert (none.status, "no session here has a transcript" in none.err) == (1, True)
    assert done.status == 0
    assert run_cli("show", json.loads(done.out)["key"]).status == 0
