"""The machines cover what may be missing, and the table says what each showed."""

from __future__ import annotations

import pytest
from bare import run
from bare.machines import MACHINES, READ_ONLY, UNSET, Machine
from bare.run import Outcome, format_table


def test_each_thing_is_missing_somewhere_for_root_and_for_an_ordinary_user() -> None:
    assert len({one.name for one in MACHINES}) == len(MACHINES)
    for users in ([0], [one.user for one in MACHINES if one.user]):
        mine = [one for one in MACHINES if one.user in users]
        assert {one.namespaces for one in mine} == {one.landlock for one in mine} == {True, False}
    assert {one.home for one in MACHINES} >= {READ_ONLY, UNSET}
    assert not all(one.shm for one in MACHINES)
    assert {one.python for one in MACHINES} >= {"", "3.12", "3.13"}


def test_table_says_what_passed_what_failed_and_what_could_not_be_made() -> None:
    a, b, c = Machine("a"), Machine("bb", "bookworm", 1000, shm=False, home=UNSET), Machine("c", "noble")

    text = format_table(
        [
            Outcome(a, {"python": "3.11.2", "demo": "passed (9 s)", "tests": "12 passed (3 s)"}, True),
            Outcome(b, {"python": "3.11.2", "demo": "exit 2 (1 s)", "tests": "1 failed, 11 passed (3 s)"}, False),
            Outcome(c, {"tests": "not possible here: no mirror"}, None),
        ]
    )

    assert text.splitlines() == [
        "machine    python  demo          tests",
        "ok     a   3.11.2  passed (9 s)  12 passed (3 s)",
        "FAILED bb  3.11.2  exit 2 (1 s)  1 failed, 11 passed (3 s)",
        "-      c   -       -             not possible here: no mirror",
        "",
        "a: this machine, root",
        "bb: bookworm, a user without an account, no /dev/shm, no HOME",
        "c: noble, root",
    ]


@pytest.mark.parametrize(("results", "status"), [([True, None], 0), ([True, False], 1), ([None, None], 3)])
def test_status_is_1_if_one_fails_and_3_if_none_can_be_made(monkeypatch, results, status) -> None:
    outcomes = iter(results)
    monkeypatch.setattr(run, "why_impossible", lambda: "")
    monkeypatch.setattr(run, "try_machine", lambda machine, args: Outcome(machine, {}, next(outcomes)))

    assert run.main([MACHINES[0].name, MACHINES[1].name]) == status


def test_unknown_machine_is_refused(capsys) -> None:
    with pytest.raises(SystemExit):
        run.main(["moon"])

    assert "unknown machine: moon" in capsys.readouterr().err
