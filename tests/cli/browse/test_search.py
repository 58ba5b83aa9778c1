"""``gitmem browse``: searching as you type, one memory in full, what waits, and the help, on the screen."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.browsing import Browsing, browse, make_waiting, state_of
from support.golden import assert_golden, steady

from gitmem.memory import Memory

pytest.importorskip("textual", reason="the extra tui is not installed")


@pytest.fixture(scope="module")
def module_made(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_waiting(Path(shutil.copytree(template, tmp_path_factory.mktemp("browse") / "service")))


@pytest.fixture
def made(module_made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the repository, on the machine that it was made on, where nobody can approve."""
    monkeypatch.setenv("XDG_STATE_HOME", str(state_of(module_made)))
    monkeypatch.setattr("gitmem.cli.terminal.open_terminal", lambda: None)
    return module_made


def test_hits_come_while_one_types_and_in_the_order_of_recall(made: Path) -> None:
    with Memory(made) as memory:
        hits = memory.recall("gateway conn").hits
        expected = [hit.short_id for hit in hits]

    async def scenario(screen: Browsing) -> None:
        await screen.until("newest")
        await screen.press(*"gateway conn")
        await screen.until(f"the {len(expected)} best")
        at = [screen.line.index(f" {key} ") for key in expected]
        assert at == sorted(at)
        await screen.press("ctrl+u", *"zzz")
        await screen.until("nothing found", gone=expected[0])

    assert len(expected) > 1
    browse(made, scenario)


def test_list_gets_longer_at_its_end_and_keeps_what_was_chosen(made: Path) -> None:
    async def scenario(screen: Browsing) -> None:
        await screen.until("the 2 newest")
        chosen = screen.line.rpartition("❯")[2].split()
        await screen.press("down")
        await screen.press("down")
        await screen.until("the 4 newest")
        await screen.press("pageup")
        await screen.until("❯ " + chosen[0])

    with Memory(made) as memory:
        memory.repository.git.run("config", "gitmem.recallLimit", "2")
    try:
        browse(made, scenario)
    finally:
        with Memory(made) as memory:
            memory.repository.git.run("config", "--unset", "gitmem.recallLimit")


def test_memory_is_shown_with_its_verdict_culprit_and_history(made: Path) -> None:
    async def scenario(screen: Browsing) -> None:
        await screen.until("the 1 best")
        await screen.press("enter")
        await screen.until("1 of 1", "verdict: fails", "src/auth/jwt.py does not contain 'RS256'", "History")
        await screen.until("sign with EdDSA", "✗ Tokens are signed with RS256")
        await screen.press("q")
        await screen.until("search: RS256")

    browse(made, scenario, query="RS256", size=(100, 40))


def test_screens_are_as_they_were_drawn(made: Path) -> None:
    async def scenario(screen: Browsing) -> None:
        await screen.until("the 2 best")
        drawn = ["=== search\n", await screen.still()]
        await screen.press("enter")
        await screen.until("1 of 2", "History")
        drawn += ["=== a memory\n", await screen.still()]
        await screen.press("q", "tab")
        await screen.until("2 failures to settle", "1 captured", "0 proposals")
        drawn += ["=== pending decisions\n", await screen.still()]
        await screen.press("1")
        await screen.until("(1/2)", "verdict: fails")
        drawn += ["=== deciding\n", await screen.still()]
        await screen.press("question_mark")
        await screen.until("nothing in it is true any more")
        drawn += ["=== its help\n", await screen.still()]
        await screen.press("q", "q", "f1")
        await screen.until("A memory", "Ctrl-C")
        drawn += ["=== help\n", await screen.still()]
        assert_golden("browse.txt", steady("".join(drawn)))

    browse(made, scenario, query="idle connections")
