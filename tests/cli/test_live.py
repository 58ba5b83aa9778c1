"""The table of a run: what is under way, how long, how far; on any screen, and none of it when the run is over."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.facts import approve_all, make_fact, outcomes, put, verify

from gitmem.cli.live import Live
from gitmem.cli.output import Output
from gitmem.memory import Memory


def live(keys: list[str], done: int = 0) -> Live:
    """Return a table of checks that began a second apart, 20 s ago, and of so many that ended."""
    ticks = iter([*range(len(keys)), 20, 20])
    found = Live(Output(), clock=lambda: float(next(ticks)))
    found.expect(len(keys) + done)
    for key in keys:
        found.begin(key)
    for number in range(done):
        found.end(f"ended{number}", number + 1, len(keys) + done)
    return found


def test_each_check_under_way_has_a_line_and_the_last_says_how_far() -> None:
    assert live(["slow", "quick"], done=2).lines(60, 24) == [
        "  slow   20.0 s",
        "  quick  19.0 s",
        "██████████░░░░░░░░░░ 2/4",
    ]


def test_low_screen_counts_checks_without_a_line() -> None:
    shown = live([f"f{n}" for n in range(20)]).lines(80, 7)

    assert [line.split()[0] for line in shown] == ["f0", "f1", "f2", "░" * 20]
    assert shown[-1].endswith("0/20 and 17 more running")
    assert live(["a"]).lines(80, 3) == [f"{'░' * 20} 0/1 1 running"]


@given(
    st.lists(st.text("ab-c", min_size=1, max_size=90), max_size=12, unique=True), st.integers(2, 50), st.integers(1, 30)
)
def test_table_fits_any_screen(keys: list[str], columns: int, rows: int) -> None:
    shown = live(keys).lines(columns, rows)

    assert all(len(line) < columns for line in shown)
    assert len(shown) <= max(1, rows - 3)


def until(says: Callable[[], str], wanted: str) -> str:
    """Return what a screen shows as soon as it matches."""
    for _ in range(1200):
        screen = says()
        if re.search(wanted, screen):
            return screen
        time.sleep(0.1)
    raise AssertionError(f"no {wanted!r} in:\n{screen}")


@pytest.mark.skipif(not shutil.which("tmux"), reason="tmux is not installed")
def test_interruption_erases_the_table_and_keeps_the_finished_results(
    repo: Path, memory: Memory, tmp_path: Path
) -> None:
    quick = (
        make_fact("quick", "test -f README.md"),
        make_fact("wrong", "exit 1"),
        make_fact("gone", {"exists": "nowhere.txt"}),
    )
    put(repo, *quick, *(make_fact(f"slow-{n}", f"sleep 6{n}") for n in range(3)))
    approve_all(memory)
    memory.close()
    tmux = ["tmux", "-f", "/dev/null", "-S", str(tmp_path / "tmux")]
    # Behind a first line: directly below one that is wrapped, tmux 3.3 loses the cursor when it is resized.
    line = shlex.join([sys.executable, "-m", "gitmem", "verify", "--no-sandbox", "--jobs", "6"])
    subprocess.run(
        [*tmux, "new-session", "-d", "-x", "60", "-y", "20", "-c", repo, f"echo verifying; {line}; sleep 60"],
        check=True,
    )

    def screen() -> str:
        return subprocess.run(
            [*tmux, "capture-pane", "-p", "-S", "-"], capture_output=True, text=True, check=True
        ).stdout

    try:
        shown = until(screen, r"slow-2 +\d\.\d s\n█+░+ 2/6, 1 failed, 1 to be confirmed")
        assert "gone" not in shown  # it is listed at the end
        subprocess.run([*tmux, "resize-window", "-x", "24", "-y", "20"], check=True)
        until(screen, r"slow-0 +\d\.\d s")
        subprocess.run([*tmux, "send-keys", "C-c"], check=True)
        over = until(screen, "kept")
    finally:
        subprocess.run([*tmux, "kill-server"], check=False)

    assert not re.search(r"slow-|█|░", over)
    assert "gone" in over
    with Memory(repo) as after:
        assert after.show("quick").document["verdict"]["outcome"] == "holds"
        assert set(outcomes(verify(after, dry_run=True))) == set()
        assert {due.row.key for due in verify(after, dry_run=True).would_run} == {
            "slow-0",
            "slow-1",
            "slow-2",
            "wrong",
        }


def test_table_says_how_long_the_rest_will_take_once_something_ended_since_it_was_drawn() -> None:
    now = [0.0]
    live = Live(Output(), clock=lambda: now[0])
    live.expect(4)
    assert "left" not in live.lines(80, 24)[-1]

    now[0] = 5.0
    live.end("a", 1, 4)

    assert live.lines(80, 24)[-1].endswith("1/4, 15 s left")
    assert live.lines(32, 24)[-1].endswith("░ 1/4")  # what takes too much room is left out, and no more
    assert live.lines(10, 24)[-1] == "1/4"


def test_blocked_checks_are_not_counted_as_failed() -> None:
    live = Live(Output(), clock=lambda: 0.0)
    live.expect(3)
    live.end("a", 1, 3, bad="blocked")
    live.end("b", 2, 3, bad="failed")

    assert live.lines(80, 24)[-1].endswith(" 2/3, 1 failed, 1 blocked")
