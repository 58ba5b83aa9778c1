from __future__ import annotations

import json


def test_what_the_store_changes_is_shown_with_its_default(run_cli) -> None:
    run_cli("init")
    nothing = run_cli("policy")
    run_cli("policy", "set", "recall.half_life_days", "30")

    assert (nothing.status, nothing.out) == (0, "")
    assert "gitmem policy show --all" in nothing.err
    assert run_cli("policy").out == "recall.half_life_days\t30\t14\n"


def test_setting_or_table_is_shown_as_it_counts(run_cli) -> None:
    run_cli("init")

    whole = json.loads(run_cli("policy", "show", "rotation", "--json").out)["settings"]
    one = run_cli("policy", "show", "rotation.limit")

    assert [(line["name"], line["is_set"]) for line in whole] == [
        ("rotation.limit", False),
        ("rotation.move", False),
        ("rotation.kinds", False),
    ]
    assert one.out == "rotation.limit\t1000\t1000\n"
    assert run_cli("policy", "show", "rotation.limits").status == 2
    assert len(run_cli("policy", "show", "--all").out.splitlines()) > 400


def test_without_a_store_it_says_how_to_get_one(run_cli) -> None:
    done = run_cli("policy")

    assert done.status == 3
    assert "gitmem init" in done.err
