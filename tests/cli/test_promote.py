from __future__ import annotations

import json


def test_a_memory_is_promoted_by_the_command(run_cli) -> None:
    run_cli("init")
    assert run_cli("remember", "The gateway drops", "--key", "drops", "--scope", "private").out == "drops\n"

    done = run_cli("promote", "dro", "--json")

    assert json.loads(done.out)["path"] == "learned/drops.md"
    assert run_cli("promote", "drops").status == 2
    assert run_cli("promote", "nothing").status == 1
