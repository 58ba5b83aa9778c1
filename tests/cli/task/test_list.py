"""``gitmem task list``: rows for pipes, JSON as documented, and filters that are checked."""

from __future__ import annotations

import json

from support.ids import id_of


def test_list_prints_rows_that_pipe_and_json(memory, run_cli, monkeypatch):
    memory.tasks.add("Refresh tokens", verify=None, key="a", priority=1)
    memory.tasks.add("Docs", verify=None, key="b", parent="a", requires=["a"])
    memory.tasks.claim("a")
    memory.tasks.add("Gone", verify=None, key="c")
    memory.tasks.close("c")

    rows, found = run_cli("task", "list"), run_cli("task", "list", "--all", "--json")

    assert rows.out == "a\t1\tclaimed\tAna\tRefresh tokens\nb\t2\topen\t\tDocs\n"
    tables = {table["key"]: table for table in json.loads(found.out)["tasks"]}
    assert list(tables) == ["a", "b", "c"]
    assert tables["b"] == {
        "key": "b", "short_id": id_of("b"),
        "title": "Docs", "state": "open", "priority": 2, "parent": "a", "claimed": None, "closed": "",
        "created": "2026-09-21T14:13:20Z", "attempts": 0, "failures": 0, "waits_for": ["a"],
    }  # fmt: skip
    assert tables["a"]["claimed"] == {"who": "Ana", "agent": "", "when": "2026-09-21T14:13:20Z"}
    assert run_cli("task", "list", "--mine").out.startswith("a\t")
    assert run_cli("task", "list", "--parent", "a", "--state", "open,claimed").out.startswith("b\t")
    assert tables["c"]["closed"] == "2026-09-21T14:13:20Z"


def test_unknown_state_is_refused_and_no_match_exits_with_1(memory, run_cli):
    assert run_cli("task", "list", "--state", "done").status == 2
    nothing = run_cli("task", "list")
    assert (nothing.status, nothing.out) == (1, "")
