"""Rows of tasks on a terminal, and an attempt on one line, whatever strangers wrote into it."""

from __future__ import annotations

import io

from gitmem.cli.output import Output
from gitmem.cli.task.printing import attempt_line, print_rows
from gitmem.memory import Memory
from gitmem.tasks.query import TaskRow
from gitmem.tasks.task import Attempt


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_rows_on_a_terminal_say_who_holds_what_failed_and_what_waits(memory: Memory):
    shown = Terminal()
    rows = [
        TaskRow(1, "refresh", "Refresh \x1b[31mtokens", 0, "claimed", 1, "", "ana", "dev", 9, 0, 2, 1),
        TaskRow(2, "docs", "Docs", 0, "open", 2, "", "", "", 0, 0, 0, 0, ("refresh", "x")),
    ]

    print_rows(memory, rows, Output(color="never", stdout=shown, stderr=io.StringIO()))

    first, about, second, waiting = shown.getvalue().rstrip("\n").split("\n")
    assert first.startswith("Refresh ")
    assert "  P1 ► claimed  " in first
    assert about == "  claimed by ana/dev; 1 failed"
    assert "\x1b" not in shown.getvalue()
    assert second.startswith("Docs ")
    assert "  P2 ○ open  " in second
    assert waiting == "  waits for refresh, x"


def test_attempt_is_one_line():
    assert attempt_line(Attempt(2, "failed", "ana", notes="a\nb")) == "attempt 2 failed (ana): a b"
    assert attempt_line(Attempt(3, "done", "")) == "attempt 3 done"
