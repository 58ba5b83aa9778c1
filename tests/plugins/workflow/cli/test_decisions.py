"""``gitmem decisions``: fenced text, documented JSON, 1 where there are none."""

from __future__ import annotations

import json

from support.ids import named


def test_decisions_are_loaded_as_text_and_as_json(run_cli) -> None:
    run_cli("decide", "PostgreSQL, for its transactions", "--role", "architect", "--story", "LED-1", "--key", "pg")
    run_cli("decide", "Tokens live an hour", "--role", "pm", "--key", "hour")

    shown = run_cli("decisions", "--role", "pm")
    found = json.loads(run_cli("decisions", "which", "transactions", "--story", "LED-1", "--json").out)

    assert shown.status == 0
    assert f"\n- {named('hour')} (decision, by a person) Tokens live an hour\n" in shown.out
    assert named("pg") not in shown.out
    assert (found["query"], found["more"]) == ("which transactions", 0)
    (one,) = found["decisions"]
    assert list(one) == [
        "key",
        "short_id",
        "kind",
        "title",
        "status",
        "task",
        "tags",
        "importance",
        "created",
        "by",
        "refs",
        "body",
    ]
    assert (one["key"], one["task"], one["by"]) == ("pg", "LED-1", {"who": "Ana", "role": "architect"})


def test_unknown_decision_exits_with_1(run_cli) -> None:
    run_cli("init")

    done = run_cli("decisions", "--role", "pm")

    assert (done.status, done.out, done.err) == (1, "", "gitmem: no decisions found\n")
