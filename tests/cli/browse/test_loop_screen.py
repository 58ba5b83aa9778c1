"""``gitmem browse``: what waits is decided by keys, one by one, and each decision is what its command does."""

from __future__ import annotations

import io
import json
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import NOW, commit_files, git, memory_text, put_files
from support.browsing import Browsing, browse, make_waiting, state_of
from support.each import each
from support.ids import id_of

from gitmem.memory import Memory

pytest.importorskip("textual", reason="the extra tui is not installed")

from gitmem.cli.browse.loop import Choice, Loop
from gitmem.cli.browse.loop_screen import LoopScreen
from gitmem.repository.approvals import trust_of

# The kinds by the key that opens them.
FAILURES, APPROVALS, DUPLICATES, PROPOSALS, CAPTURED = "12345"


@pytest.fixture(scope="module")
def made(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_waiting(Path(shutil.copytree(template, tmp_path_factory.mktemp("browse") / "service")))


@pytest.fixture
def waiting(made: Path, tmp_path: Path) -> Path:
    """Return a copy in which a test may decide."""
    shutil.copytree(state_of(made), tmp_path / "state-home")
    return Path(shutil.copytree(made, tmp_path / "service"))


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a person at a terminal."""
    monkeypatch.setattr("gitmem.cli.terminal.open_terminal", io.BytesIO)


def subject(repo: Path) -> str:
    return git(repo, "log", "-1", "--format=%s", "memory")


def status(repo: Path, key: str) -> str:
    with Memory(repo, clock=lambda: float(NOW)) as memory:
        return memory.show(key).status


def approvals(repo: Path) -> dict[str, str]:
    with Memory(repo) as memory:
        return {one.key: one.verdict for one in trust_of(memory.repository).list_all()}


def steps(kind: str, *each: tuple[tuple[str, ...], tuple[str, ...]]) -> Callable[[Browsing], Any]:
    """Return a scenario: one kind is opened, then keys are pressed until the screen says something, in turn."""

    async def scenario(screen: Browsing) -> None:
        await screen.until("Pending decisions")
        await screen.press(kind)
        for texts, keys in each:
            await screen.until(*texts)
            await screen.press(*keys)

    return scenario


def decide(repo: Path, kind: str, *each: tuple[tuple[str, ...], tuple[str, ...]], **how: Any) -> None:
    browse(repo, steps(kind, *each), is_waiting=True, **how)


def test_failure_is_reworded_retired_and_undone(waiting: Path) -> None:
    decide(
        waiting,
        FAILURES,
        (("(1/2)", "does not contain"), ("n",)),
        (
            ("(2/2)", f"It rests on Tokens are signed with RS256 ({id_of('tokens-rs256')}): settle that one first."),
            ("p",),
        ),
        (("(1/2)", "does not contain"), ("w",)),
        (("New title:",), (*"Signed by EdDSA", "enter")),
        (("✓ reworded tokens-rs256", "(2/2)", "It rests on"), ("r",)),
        (("Why (Enter for no reason):",), ("enter",)),
        (("✓ retired gateway-trusts; to bring it back: gitmem restore gateway-trusts", "That was all"), ("u",)),
        (("Undo “memory: forget gateway-trusts”? Type y for yes:",), ("y", "enter")),
        (("✓ undid: memory: forget gateway-trusts",), ("q",)),
    )

    with Memory(waiting) as memory:
        assert memory.show("tokens-rs256").title == "Signed by EdDSA"
        assert not memory.show("gateway-trusts").is_archived


def test_repaired_code_is_checked_again_and_stays_on_the_screen(waiting: Path) -> None:
    commit_files(waiting, {"src/auth/jwt.py": 'ALGORITHM = "RS256"\n'})

    decide(
        waiting,
        FAILURES,
        (("(1/",), ("c",)),
        (("✓ tokens-rs256 holds", "✓ Tokens are signed"), ("q",)),
    )

    assert status(waiting, "tokens-rs256") == "verified"


@each(
    ("keys", "said"),
    [
        (("s", *"no-such-key", "enter"), "error: "),
        (("o",), "requires nothing, so there is nothing to confirm"),
        (("r", "escape"), "c check again"),
        (("s", "enter"), "nothing was done"),
        (("x",), "? explains the keys; x does nothing here"),
    ],
    ids=["no such memory", "nothing to confirm", "escape", "empty answer", "no such key"],
)
def test_failed_decision_is_reported_and_changes_nothing(waiting: Path, keys: tuple[str, ...], said: str) -> None:
    before = git(waiting, "rev-parse", "memory")

    decide(waiting, FAILURES, (("(1/2)", "does not contain"), keys), ((said, "(1/2)"), ("q",)))

    assert git(waiting, "rev-parse", "memory") == before


def test_command_is_approved_only_by_its_hash(waiting: Path, person: None) -> None:
    async def scenario(screen: Browsing) -> None:
        await screen.until("Pending decisions")
        await screen.press(APPROVALS)
        await screen.until("test -s README.md", "network no", "hash ")
        digits = screen.line.partition("hash ")[2][:6]
        for typed in ("y", "000000", digits[:5]):
            await screen.press("y", *typed, "enter")
            await screen.until("not approved: that is not the beginning of its hash")
            assert approvals(waiting) == {}
            await screen.press("n", "p")
            await screen.until("(1/1)", "network no", gone="not approved")
        await screen.press("y", *digits, "enter")
        await screen.until("✓ approved the command of readme-not-empty; to revoke it: gitmem untrust")

    browse(waiting, scenario, is_waiting=True)

    assert approvals(waiting) == {"readme-not-empty": "allow"}


def test_denied_command_does_not_wait_again(waiting: Path, person: None) -> None:
    decide(waiting, APPROVALS, (("network no",), ("d",)), (("✓ denied the command of readme-not-empty",), ("q",)))

    assert approvals(waiting) == {"readme-not-empty": "deny"}


def test_command_that_does_not_fit_on_the_screen_cannot_be_approved(waiting: Path, person: None) -> None:
    long = "\\n".join(f"echo {number}" for number in range(30))
    put_files(waiting, {"facts/a-long-one.md": memory_text("Long", verify=f'"{long}"').replace("learned", "fact")})

    decide(
        waiting,
        APPROVALS,
        (("This needs 35 lines, but there are 20 here: make the window larger to decide.",), ("y",)),
        (("look at all of it first",), ("d",)),
        (("look at all of it first",), ("q",)),
    )
    decide(waiting, APPROVALS, (("echo 0", "echo 29"), ("y",)), (("Type the first 6",), ("escape",)), size=(80, 50))

    assert approvals(waiting) == {}


@pytest.mark.parametrize("sign", ["CLAUDECODE", ""], ids=["an agent", "no terminal"])
def test_only_a_person_at_a_terminal_can_approve(waiting: Path, monkeypatch: pytest.MonkeyPatch, sign: str) -> None:
    monkeypatch.setattr("gitmem.cli.terminal.open_terminal", lambda: io.BytesIO() if sign else None)
    if sign:
        monkeypatch.setenv(sign, "1")
    said = "only a person can approve commands" if sign else "approving needs a terminal"

    decide(waiting, APPROVALS, ((said,), ("y",)), ((said, "y does nothing here"), ("q",)))

    assert approvals(waiting) == {}


def test_duplicates_are_merged_in_one_commit(waiting: Path) -> None:
    decide(
        waiting,
        DUPLICATES,
        (("(1/1)", "This one stays", "It replaces", "[bold red]!"), ("y",)),
        (("✓ ", " supersedes "), ("q",)),
    )

    assert subject(waiting) == "memory: supersede 1 near duplicate"


def test_proposal_is_reviewed_switched_to_and_dropped(waiting: Path) -> None:
    with Memory(waiting) as memory:
        memory.proposals.send("notes", push=False)
        memory.remember("The gateway speaks HTTP 2", key="speaks-http2")
        memory.proposals.switch("memory")

    decide(
        waiting,
        PROPOSALS,
        (("(1/1)", "notes", "+ added learned speaks-http2"), ("s",)),
        (("✓ new memories go to gitmem/notes",), ("s",)),
        (("✓ new memories go to memory",), ("d",)),
        (("Delete this proposal in this clone? Type y for yes:",), ("n", "enter")),
        (("error: nothing was done",), ("q",)),
    )

    with Memory(waiting) as memory:
        assert [(one.name, one.current) for one in memory.proposals.list()] == [("notes", False)]


def test_refused_text_becomes_a_memory_or_is_deleted_after_confirmation(waiting: Path) -> None:
    seen = ("(1/1)", "refused: learnings of codex", "The retry of the gateway waits")
    decide(
        waiting,
        CAPTURED,
        (seen, ("d",)),
        (("It cannot be undone. Type y for yes:",), ("enter",)),
        (("nothing was done",), ("y",)),
        (("✓ made a memory of",), ("q",)),
    )

    with Memory(waiting) as memory:
        assert memory.captures.list_refused() == []
        assert json.dumps(memory.recall("retry of the gateway").hits[0].title) == '"The retry of the gateway waits"'


def test_keys_typed_before_the_item_is_shown_decide_nothing(waiting: Path) -> None:
    shows, decided = threading.Event(), []
    choice = Choice("y", "yes", "decide", lambda _, item, __: decided.append(item) or "done")
    slow = Loop("things", "none", lambda _: ["a", "b"], lambda *_: shows.wait(30), (choice,), "gitmem status")

    async def scenario(screen: Browsing) -> None:
        await screen.until("search")
        screen.app.push_screen(LoopScreen(slow))
        while "(1/2)" not in screen.line:
            await screen.press("x")
        await screen.press("y")
        assert "look at all of it first" in screen.line
        shows.set()
        await screen.until("(1/2)")
        assert decided == []
        await screen.press("y")
        await screen.until("✓ done", "(2/2)")

    browse(waiting, scenario)

    assert decided == ["a"]
