"""What a session is told of tasks: through ``context``, within its budget."""

from __future__ import annotations

import pytest
from support.facts import make_fact, make_memory, put, verify

from gitmem.frozen import replace

FAILED = {"num": 1, "outcome": "failed", "who": "Ana", "notes": "the gateway strips httponly cookies"}


def make_task(key: str, **fields) -> dict:
    return make_fact(key, None, kind="task", **fields)


def sections(memory, *paths, budget: int = 0) -> dict[str, dict]:
    return {s["name"]: s for s in memory.context(paths=paths, budget_tokens=budget).document["sections"]}


def texts(section: dict) -> list[str]:
    return [item["text"] for item in section["items"]]


@pytest.fixture
def held(memory, repo):
    """Return a memory in which Ana holds a task that failed before; others hold and failed at other ones."""
    claimed = {"num": 2, "who": "Ana", "when": "2026-09-21T11:13:20Z"}
    put(
        repo,
        make_task("refresh", title="Refresh tokens", state="claimed", claimed=claimed, attempts=[FAILED],
                  paths=["src/auth/**"], requires=["auth-module"]),
        make_task("bens", state="claimed", claimed=claimed | {"who": "Ben"}, attempts=[FAILED | {"notes": "bens"}]),
        make_task("near", attempts=[FAILED | {"notes": "near miss"}], paths=["src/gateway/retry.py"]),
        make_task("far", attempts=[FAILED | {"notes": "far away"}], paths=["docs/api.md"]),
        make_memory("auth-module", "Where tokens are made", created="2026-01-01T00:00:00Z"),
        make_memory("unrelated", "Something else", created="2026-01-01T00:00:00Z"),
    )  # fmt: skip
    return memory


def test_what_i_hold_is_shown_with_its_attempt_and_what_failed_before(held):
    found = sections(held)

    assert list(found) == ["WARNINGS", "WORKING ON", "RELEVANT FACTS", "RECENT WORK"]
    assert texts(found["WORKING ON"]) == [
        'Refresh tokens — attempt 2, claimed 3h ago (before: "the gateway strips httponly cookies")',
        "Fact bens — claimed by Ben, 3h ago",
    ]
    warned = [text for text in texts(found["WARNINGS"]) if "PAST FAILURE" in text]
    assert warned[0] == "PAST FAILURE: Refresh tokens — attempt 1: the gateway strips httponly cookies"
    assert {text.rsplit(": ")[-1] for text in warned[1:]} == {"bens", "near miss", "far away"}


def test_what_failed_near_the_files_that_are_worked_on_is_warned_of(held):
    warned = texts(sections(held, "src/gateway")["WARNINGS"])

    message = [text.rsplit(": ")[-1] for text in warned if "PAST FAILURE" in text]
    assert (message[:2], set(message[2:])) == ([FAILED["notes"], "near miss"], {"bens", "far away"})


def test_what_my_task_requires_is_relevant(held):
    scores = {item["key"]: item["score"] for item in sections(held)["RELEVANT FACTS"]["items"]}

    assert scores["auth-module"] >= 5
    assert "unrelated" not in scores


def test_agent_of_mine_does_not_hold_what_i_hold(held, monkeypatch):
    held.repository.config = replace(held.repository.config, agent="dev")

    assert {text.split(" — ")[1].split(",")[0] for text in texts(sections(held)["WORKING ON"])} == {
        "claimed by Ana", "claimed by Ben",
    }  # fmt: skip


def test_past_failures_are_within_the_budget_and_counted(memory, repo):
    attempts = [FAILED | {"num": n, "notes": f"way {n} " + "x" * 150} for n in range(1, 6)]
    claimed = {"num": 6, "who": "Ana"}
    put(repo, *(make_task(f"t{n}", state="claimed", claimed=claimed, attempts=attempts) for n in range(20)))

    small, large = sections(memory, budget=600), sections(memory, budget=40_000)

    assert small["WARNINGS"]["total"] == large["WARNINGS"]["total"] == 60
    assert 1 <= len(small["WARNINGS"]["items"]) < 20
    assert "way 5" in texts(large["WARNINGS"])[0]
    assert not [text for text in texts(large["WARNINGS"]) if "way 2" in text]


def test_recent_work_has_what_was_closed_in_its_days_with_the_reason_in_order_of_time(memory, repo):
    put(
        repo,
        make_task("fresh", title="Auth setup", state="closed",
                  closed={"when": "2026-09-19T14:13:20Z", "who": "Ana", "reason": "RS256 from the\nenvironment"}),
        make_task("old", state="closed", closed={"when": "2026-09-01T00:00:00Z"}),
        make_task("open"),
        make_memory("note", "A later note", kind="session", created="2026-09-20T14:13:20Z"),
    )  # fmt: skip

    recent = sections(memory)["RECENT WORK"]

    assert texts(recent) == ["A later note (1d ago)", "Auth setup: RS256 from the environment (closed 2d ago)"]
    assert (recent["total"], recent["more"]) == (2, 0)


def test_a_closed_task_is_never_suspect(memory, repo):
    put(
        repo,
        make_fact("broken", {"exists": "nothing"}),
        make_task("done", state="closed", closed={"when": "2026-09-19T14:13:20Z"}, requires=["broken"]),
        make_task("todo", requires=["broken"]),
    )
    verify(memory)

    assert (memory.show("done").document["status"], memory.show("todo").document["status"]) == ("", "suspect")
