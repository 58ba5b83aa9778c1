"""Which tasks there are, which can be begun and what the others wait for, from the catalog alone."""

from __future__ import annotations

import re

from conftest import NOW
from support.facts import make_fact, make_memory, put, verify

from gitmem.tasks.query import TaskRow, worker_of
from gitmem.tasks.task import Worker

HOLDS, FAILS = {"exists": "README.md"}, {"exists": "missing"}


def make_task(key: str, **fields) -> dict:
    return make_fact(key, fields.pop("verify", None), kind="task", **fields)


def ready(memory) -> list[str]:
    return [row.key for row in memory.tasks.list_ready()]


def waits(memory) -> dict[str, tuple[str, ...]]:
    return {row.key: row.waits_for for row in memory.tasks.list() if row.waits_for}


def test_ready_is_what_is_open_the_most_urgent_and_then_the_oldest_first(memory, repo):
    old, new = "2026-01-01T00:00:00Z", "2026-09-01T00:00:00Z"
    put(
        repo,
        make_task("new", created=new),
        make_task("old", created=old, priority=2),
        make_task("urgent", created=new, priority=0),
        make_task("later", created=old, priority=4),
        make_task("held", state="claimed", claimed={"num": 1, "who": "Ben"}),
        make_task("done", state="closed"),
        make_task("replaced", superseded_by="new"),
        make_memory("gotcha", "No task"),
    )

    assert ready(memory) == ["urgent", "old", "new", "later"]


# What a task requires (``r``), and whether it is ready then.
CASES = {
    "closed-task": (make_task("r", state="closed"), True),
    "open-task": (make_task("r"), False),
    "claimed-task": (make_task("r", state="claimed", claimed={"num": 1}), False),
    "label-of-an-open-task": (make_task("o", produces=["r"]), False),
    "label-of-a-closed-task": (make_task("o", produces=["r"], state="closed"), True),
    "label-of-two": (make_task("o", produces=["r"]) | make_task("p", produces=["r"], state="closed"), True),
    "fact-that-holds": (make_fact("r", HOLDS), True),
    "fact-that-failed": (make_fact("r", FAILS), False),
    "label-of-a-failed-fact": (make_fact("o", FAILS, produces=["r"]), False),
    "fact-nobody-proved": (make_fact("r", "make test"), True),
    "another-memory": (make_memory("r", "A decision"), True),
    "nothing": ({}, False),
    "closed-one-in-its-place": (make_task("r") | make_task("s", state="closed", supersedes=["r"]), True),
    "open-one-in-its-place": (make_task("r") | make_task("s", supersedes=["r"]), False),
}


def test_task_is_ready_when_all_that_it_requires_is_there(memory, repo):
    files = {}
    for name, (required, _) in CASES.items():
        files |= make_task(name, requires=[f"{name}-r", "there"])
        for path, text in required.items():
            place, key = path.removesuffix(".md").split("/")
            renamed = re.sub(r'\["([a-z])"\]', rf'["{name}-\1"]', text)
            files[f"{place}/{name}-{key}.md"] = renamed
    put(repo, files, make_memory("there", "It is there"))
    verify(memory)

    wanted = {name for name, (_, is_ready) in CASES.items() if is_ready}
    assert set(ready(memory)) & set(CASES) == wanted
    assert {key: names for key, names in waits(memory).items() if key in CASES} == {
        name: (f"{name}-r",) for name in CASES if name not in wanted
    }


def test_forgotten_task_is_not_waited_for(memory, repo):
    put(repo, make_task("t", requires=["r"]), make_task("r"))
    assert ready(memory) == ["r"]

    memory.forget("r")

    assert ready(memory) == ["t"]


def test_gate_that_says_no_makes_nothing_suspect_and_a_passed_one_stays_passed(memory, repo):
    put(repo, make_task("t", verify=FAILS, produces=["x"]), make_fact("f", HOLDS, requires=["x"]))
    put(repo, make_task("passed", verify=HOLDS, state="closed"))
    run = verify(memory, "t", "passed", "f")

    values = {row.key: row.status for row in map(memory.show, ("t", "f", "passed"))}
    assert values == {"t": "unproven", "f": "verified", "passed": "verified"}
    assert (run.standing.statuses["failed"], run.standing.statuses["suspect"]) == (0, 0)


def test_list_filters_by_state_parent_and_holder(memory, repo):
    me = worker_of(memory.repository.git, "")
    put(
        repo,
        make_task(
            "mine", state="claimed", claimed={"num": 2, "who": me.who, "when": "2026-09-01T00:00:00Z"}, parent="p"
        ),
        make_task("agents", state="claimed", claimed={"num": 1, "who": me.who, "agent": "dev"}),
        make_task("p", attempts=[{"num": 1, "outcome": "failed"}, {"num": 2, "outcome": "done"}]),
        make_task("done", state="closed", closed={"when": "2026-09-02T00:00:00Z"}, parent="p"),
    )

    def keys(**asked) -> list[str]:
        return [row.key for row in memory.tasks.list(**asked)]

    assert keys() == ["agents", "mine", "p"]
    assert keys(everything=True) == ["agents", "done", "mine", "p"]
    assert keys(states=["closed", "open"]) == ["done", "p"]
    assert keys(parent="p", everything=True) == ["done", "mine"]
    assert keys(mine=True) == ["mine"]
    rows = {row.key: row for row in memory.tasks.list(everything=True)}
    assert (rows["mine"].who, rows["mine"].since, rows["agents"].agent) == ("Ana", 1_788_220_800, "dev")
    assert (rows["p"].attempts, rows["p"].failures, rows["done"].closed) == (2, 1, 1_788_307_200)
    assert isinstance(rows["p"], TaskRow)


def test_who_works_here_is_the_person_and_the_agent(memory):
    assert worker_of(memory.repository.git, "dev") == Worker("Ana", "dev")


def test_task_without_a_policy_for_it_never_leaves_search_and_with_one_counts_from_its_closing(memory, repo):
    old = "2026-01-01T00:00:00Z"
    put(repo, make_task("open", created=old, ttl="1d"), make_task("closed", created=old, state="closed"))
    put(repo, make_task("short", created=old, ttl="1d", state="closed", closed={"when": "2026-09-21T00:00:00Z"}))
    put(repo, make_task("gone", created=old, ttl="1d", state="closed", closed={"when": old}))

    expires = dict(memory.repository.catalog().rows("SELECT key, expires FROM memory WHERE kind = 'task'"))

    assert (expires["open"], expires["closed"]) == (None, None)
    assert expires["gone"] < NOW < expires["short"]
