"""A stale fact with a cheap check is answered just before an agent is shown it, wherever that is."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from conftest import NOW, commit_files, git
from support.agent_work import ran
from support.facts import DAY, make_fact, make_memory, put, statuses, verify
from support.ids import named

from gitmem.agents import on_event
from gitmem.agents.event import PROMPT, READ, START, STARTUP, TOOL, Event
from gitmem.memory import Memory

PLACE = "src/gate.py"
THREE, FOUR = "RETRIES = 3\n", "RETRIES = 4\n"
ABOUT = {"client": "claude-code", "session": "s1"}
SHOWN = {
    "start": lambda m, r: on_event.session_started(m, Event(name=START, folder=str(r), source=STARTUP, **ABOUT)),
    "prompt": lambda m, r: on_event.answer_prompt(
        m, Event(name=PROMPT, folder=str(r), prompt="How often does the gateway retry?", **ABOUT)
    ),
    "read": lambda m, r: on_event.tool_used(
        m, Event(name=TOOL, tool=READ, folder=str(r), path=str(r / PLACE), **ABOUT)
    ),
    "failure": lambda m, r: on_event.tool_used(m, ran(r, "make", failed=True, output="error: E_GATE_BUSY")),
}
FACT = {"contains": "RETRIES = 3", "in": PLACE}
TITLE = "The gateway retries three times: E_GATE_BUSY"


@pytest.fixture
def verified(memory: Memory, repo: Path) -> Memory:
    """A fact that held when it was verified, and a memory that rests on it."""
    commit_files(repo, {PLACE: THREE})
    put(
        repo,
        make_fact("g3", FACT, title=TITLE),
        make_memory("gives-up", "The caller gives up after E_GATE_BUSY", paths=[PLACE], requires=["g3"]),
    )
    verify(memory)
    return memory


def entry(text: str, key: str = "g3") -> str:
    return next((line for line in text.splitlines() if line.startswith(f"- {named(key)}")), "")


@pytest.mark.parametrize("show", SHOWN.values(), ids=SHOWN)
def test_committed_change_that_makes_a_fact_false_is_told_as_failed(verified: Memory, repo: Path, show) -> None:
    commit_files(repo, {PLACE: FOUR})

    text = show(verified, repo)

    assert "(fact, failed, by a person) FAILED: " in entry(text)
    assert "STALE" not in text
    assert "SUSPECT: " in (entry(text, "gives-up") or "SUSPECT: ")


@pytest.mark.parametrize("show", SHOWN.values(), ids=SHOWN)
def test_change_that_leaves_a_fact_true_is_not_told_as_stale(verified: Memory, repo: Path, show) -> None:
    commit_files(repo, {PLACE: f"{THREE}PAUSE_S = 2\n"})

    text = show(verified, repo)

    assert "STALE" not in text
    assert "(fact, verified, by a person) The gateway" in entry(text)


def test_reason_is_told_at_a_hint(verified: Memory, repo: Path) -> None:
    commit_files(repo, {PLACE: FOUR})

    assert f"FAILED: {PLACE} does not contain 'RETRIES = 3'. " in SHOWN["read"](verified, repo)


def test_uncommitted_change_is_not_judged(verified: Memory, repo: Path) -> None:
    (repo / PLACE).write_text(FOUR, encoding="utf-8")

    assert "(fact, verified, by a person)" in SHOWN["read"](verified, repo)


def test_nothing_is_written_down(verified: Memory, repo: Path) -> None:
    commit_files(repo, {PLACE: FOUR})
    tip = git(repo, "rev-parse", "memory")
    SHOWN["start"](verified, repo)
    verified.close()

    with Memory(repo, clock=lambda: float(NOW)) as opened:
        assert statuses(opened)["g3"] == "stale"
    assert git(repo, "rev-parse", "memory") == tip


def test_failure_that_was_repaired_is_told_as_verified(verified: Memory, repo: Path) -> None:
    commit_files(repo, {PLACE: FOUR})
    verify(verified)
    commit_files(repo, {PLACE: f"# Three again.\n{THREE}"})

    text = SHOWN["read"](verified, repo)

    assert "(fact, verified, by a person)" in entry(text)
    assert "(gotcha, by a person) The caller" in entry(text, "gives-up")


def test_memory_whose_foundation_would_fail_is_suspect_at_a_hint(memory: Memory, repo: Path) -> None:
    commit_files(repo, {PLACE: THREE, "src/caller.py": "x = 1\n"})
    put(
        repo,
        make_fact("g3", FACT, title=TITLE),
        make_memory("gives-up", "The caller gives up", paths=["src/caller.py"], requires=["g3"]),
    )
    verify(memory)
    commit_files(repo, {PLACE: FOUR})

    text = on_event.tool_used(
        memory, Event(name=TOOL, tool=READ, folder=str(repo), path=str(repo / "src/caller.py"), **ABOUT)
    )

    assert "SUSPECT: rests on g3, which failed. The caller gives up" in text


def test_expired_fact_is_answered_again(memory: Memory, repo: Path) -> None:
    commit_files(repo, {PLACE: THREE})
    put(repo, make_fact("g3", FACT, title=TITLE, ttl="1d"))
    verify(memory)
    memory.close()

    with Memory(repo, clock=lambda: float(NOW + 3 * DAY)) as later:
        assert statuses(later) == {"g3": "stale"}
        assert "(fact, verified, by a person)" in SHOWN["read"](later, repo)


@pytest.mark.parametrize(
    "check",
    [FACT, {"contains": "RETRIES = 3", "in": PLACE, "or-in": "lib/**"}],
    ids=["file", "scope"],
)
def test_moved_file_is_not_told_as_failed(memory: Memory, repo: Path, check: dict) -> None:
    commit_files(repo, {PLACE: THREE})
    put(repo, make_fact("g3", check, title=TITLE))
    verify(memory)
    (repo / "lib").mkdir()
    git(repo, "mv", PLACE, "lib/gate.py")
    commit_files(repo, {})

    text = SHOWN["start"](memory, repo)

    assert "FAILED" not in text
    assert "STALE: " in entry(text)


def test_missing_path_is_told_as_failed(memory: Memory, repo: Path) -> None:
    commit_files(repo, {PLACE: THREE})
    put(repo, make_fact("there", {"exists": PLACE}, title="The gate has a module"))
    verify(memory)
    (repo / PLACE).unlink()
    commit_files(repo, {})

    assert f"{PLACE} does not exist" in entry(SHOWN["start"](memory, repo), "there")


@pytest.mark.parametrize(
    ("check", "files"),
    [
        ({"contains": "x = 3", "in": "many/**"}, {f"many/{n}.py": "x = 3\n" for n in range(40)}),
        ({"value": "big.yaml#last", "is": "3"}, {"big.yaml": "".join(f"k{n}: v\n" for n in range(4000)) + "last: 3\n"}),
        ({"value": "bad.json#last", "is": "3"}, {"bad.json": '{"last": 3}\n'}),
    ],
    ids=["many files", "large", "broken"],
)
def test_slow_or_broken_check_stays_stale(memory: Memory, repo: Path, check: dict, files: dict[str, str]) -> None:
    commit_files(repo, files)
    put(repo, make_fact("slow", check, title="It is slow"), make_fact("g3", FACT, title=TITLE))
    commit_files(repo, {PLACE: THREE})
    verify(memory)
    name = next(iter(files))
    commit_files(repo, {PLACE: FOUR, name: f"{files[name]}{{" if name.endswith(".json") else f"{files[name]}\n#\n"})

    text = SHOWN["start"](memory, repo)

    assert "STALE: " in entry(text, "slow")
    assert "FAILED: " in entry(text)


def test_many_facts_take_little_time_and_the_rest_stays_stale(memory: Memory, repo: Path) -> None:
    files = {f"src/m{n}.py": f"LIMIT = {n}\n" for n in range(300)}
    commit_files(repo, files)
    put(repo, *(make_fact(f"f{n:03}", {"contains": f"LIMIT = {n}", "in": f"src/m{n}.py"}) for n in range(300)))
    verify(memory)
    commit_files(repo, {place: f"{text}#\n" for place, text in files.items()})
    catalog = memory.repository.catalog()
    ground = memory.repository.ground(catalog)
    keys = [f"f{n:03}" for n in range(300)]

    before = os.times()
    began = time.process_time()
    assert memory.repository.spot_check(catalog, ground, keys)
    spent = time.process_time() - began + os.times().children_user - before.children_user

    assert 0 < len(catalog.spot_answers) < 300
    assert spent < 0.2  # four times the limit: a test runs beside others


def test_answers_are_forgotten_when_head_moves(verified: Memory, repo: Path) -> None:
    commit_files(repo, {PLACE: FOUR})
    assert "FAILED" in SHOWN["read"](verified, repo)
    commit_files(repo, {PLACE: THREE})

    assert "FAILED" not in SHOWN["start"](verified, repo)


@pytest.mark.parametrize("is_restated", [False, True])
def test_claim_fails_only_if_its_document_still_has_its_lines(memory: Memory, repo: Path, run_cli, is_restated) -> None:
    text = "- `RETRIES` (default: `3`) is for the gateway.\n"
    commit_files(repo, {"AGENTS.md": text, PLACE: THREE})
    assert run_cli("adopt", "--apply").status == run_cli("verify").status == 0
    git(repo, "checkout", "-q", "-b", "feature")
    commit_files(repo, {PLACE: FOUR, "AGENTS.md": text.replace("3", "4") if is_restated else f"# A\n\n{text}"})
    with Memory(repo) as now:
        catalog = now.repository.catalog()
        ground = now.repository.ground(catalog)
        (key,) = [key for (key,) in catalog.rows("SELECT key FROM memory WHERE title LIKE '%RETRIES%'")]

        now.repository.spot_check(catalog, ground, [key])

        found = statuses(now)[key]
    assert (found == "failed") is not is_restated
