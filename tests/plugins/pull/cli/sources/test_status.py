"""``gitmem sources status``: an alarm where a source is not pulled."""

from __future__ import annotations

import json
import time
from pathlib import Path


def test_source_that_is_overdue_is_an_alarm_here_and_in_status(run_cli, repo: Path) -> None:
    run_cli("init", "--offline")
    none = run_cli("sources", "status")
    assert (none.status, none.err) == (0, "gitmem: no sources; to add one: gitmem sources add github\n")
    run_cli("sources", "add", "code", "--every", "1h")
    never = run_cli("sources", "status")
    run_cli("pull")
    fresh = run_cli("sources", "status")
    note = repo / ".git/gitmem/sources/code.pulled"
    note.write_text(json.dumps({"at": int(time.time()) - 3 * 3600}))

    late = run_cli("sources", "status", "code")

    assert (never.status, fresh.status, late.status) == (1, 0, 1)
    assert "code is overdue: gitmem pull code" in late.err
    assert "the source code was last pulled 3h ago (gitmem pull code)" in run_cli("status").out
    assert len(json.loads(run_cli("status", "--json").out)["sources"]) == 1
