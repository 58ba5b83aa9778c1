"""``gitmem stats``: what this clone counted, as cells in a pipe, and as JSON."""

from __future__ import annotations

import io
import json
import time
from pathlib import Path

import pytest
from conftest import git, tip
from support.sessions import prompt_event, ran, started

from gitmem.agents import on_event
from gitmem.cli import stats
from gitmem.cli.output import Output
from gitmem.memory import Memory


def figures(run_cli, *argv: str) -> dict:
    done = run_cli("stats", "--json", *argv)
    assert done.status == 0
    return json.loads(done.out)


@pytest.fixture
def tokens_memory(run_cli) -> str:
    run_cli("init")
    return run_cli("remember", "Auth tokens are signed with RS256, by the gateway alone").out.split()[0]


def test_prompts_recalls_and_use_are_counted_here_and_never_committed(run_cli, repo: Path, tokens_memory: str) -> None:
    before = (tip(repo), git(repo, "rev-parse", "HEAD"), git(repo, "status", "--porcelain"))
    with Memory(repo) as memory:
        on_event.session_started(memory, started())
        on_event.answer_prompt(memory, prompt_event("how are auth tokens signed, RS256 by the gateway?", "s2"))
        on_event.answer_prompt(memory, prompt_event("please rewrite kitchen timers quickly", "s2"))
    run_cli("recall", "auth tokens")
    run_cli("recall", "xylophone")
    run_cli("recall", "--recent", "3")
    run_cli("show", tokens_memory)

    found = figures(run_cli)

    assert found["prompts"] == {"searched": 2, "answered": 1, "share": 0.5}
    assert found["recalls"] == {"searched": 2, "answered": 1, "share": 0.5}
    sessions = found["sessions"]
    assert (sessions["sessions"], sessions["shown"], sessions["opened"], sessions["share"]) == (2, 2, 2, 1.0)
    assert sessions["tokens"] > sessions["median_tokens"] > 20
    assert (found["live"], found["growth"]["periods"][-1]["written"], found["dead_weight"]["of"]) == (1, 1, 0)
    assert (tip(repo), git(repo, "rev-parse", "HEAD"), git(repo, "status", "--porcelain")) == before
    run_cli("index", "--rebuild")
    assert figures(run_cli) == found


def row(found: dict, kind: str) -> tuple[int, int, int]:
    one = next(one for one in found["moments"] if one["kind"] == kind)
    return one["moments"], one["shown"], one["used"]


def test_moments_are_counted_with_what_was_used_afterwards(run_cli, repo: Path) -> None:
    run_cli("init")
    told = "The gateway signs auth tokens with RS256. Rotate them with `make rotate-keys ALL=1`."
    key = run_cli("remember", told).out.split()[0]
    asked = "how are auth tokens signed, RS256 by the gateway?"
    now = int(time.time())
    with Memory(repo, clock=lambda: now + 2) as memory:
        on_event.answer_prompt(memory, prompt_event(asked, "s1"))
        on_event.answer_prompt(memory, prompt_event(asked, "s2"))
    with Memory(repo, clock=lambda: now + 5) as memory:
        on_event.tool_used(memory, ran("make rotate-keys ALL=1", session="s1"))
        on_event.tool_used(memory, ran("make something-else now", session="s2"))

    found = figures(run_cli)

    assert row(found, "prompt") == (2, 2, 1)
    assert found["sessions"]["acted"] == found["sessions"]["used"] == 1
    assert found["memories"] == [{"key": key, "shown": 2, "used": 1}]


def test_memory_shown_often_and_never_used_is_a_candidate_of_curate(run_cli, repo: Path, tokens_memory: str) -> None:
    now = int(time.time())
    for number in range(5):
        with Memory(repo, clock=lambda: now + 2) as memory:
            on_event.answer_prompt(
                memory, prompt_event("how are auth tokens signed, RS256 by the gateway?", f"s{number}")
            )

    assert f"{tokens_memory}: shown 5 times, used 0; to lower its rank: gitmem curate decay" in run_cli("stats").err
    listed = run_cli("curate", "decay")
    assert (listed.status, "shown 5 times, used 0: confidence 1 to 0.5" in listed.out) == (1, True)
    with Memory(repo, clock=lambda: now + 10) as memory:
        assert memory.bulk.curate("decay", apply=True).commit
    with Memory(repo, clock=lambda: now + 20) as memory:
        assert memory.bulk.curate("decay").steps == (), "what was shown before the change no longer counts"


class Terminal(io.StringIO):
    """A terminal that remembers."""

    def isatty(self) -> bool:
        return True


def test_pipe_gets_cells_and_says_how_long_this_clone_has_counted(run_cli, tokens_memory: str) -> None:
    run_cli("recall", "auth tokens")

    done = run_cli("stats", "--days", "7")

    cells = [line.split("\t") for line in done.out.splitlines()]
    assert ["hit rate", "recalls", "1", "100 % of 1"] in cells
    assert ["hit rate", "prompts", "0", "of 0"] in cells
    assert "this clone has counted since" in done.err


def test_terminal_gets_a_heading_for_each_part_and_bars() -> None:
    screen = Terminal()
    rows = [
        ("hit rate", "prompts", 1, 4, "25 % of 4"),
        ("hit rate", "recalls", 0, 0, "of 0"),
        ("sessions", "all", 7, 0, ""),
    ]

    stats._print_table(rows, Output(color="never", stdout=screen))

    assert screen.getvalue() == (
        "hit rate\n"
        "  prompts                      1  ████████  25 % of 4\n"
        "  recalls                      0  of 0\n"
        "sessions\n"
        "  all                          7\n"
    )


def test_day_that_cannot_be_read_is_refused(run_cli, tokens_memory: str) -> None:
    assert run_cli("stats", "--since", "yesterday").status == 2
    assert "is in the future" in run_cli("stats", "--since", "2099-01-01").err
    assert figures(run_cli, "--since", "1971-01-01")["growth"]["by"] == "month"
    assert len(run_cli("stats").out.split("written by week")) == 2
