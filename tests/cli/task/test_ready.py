"""``gitmem task ready``, and ``gitmem task`` alone."""

from __future__ import annotations

import json

from support.facts import make_fact, put


def test_ready_lists_tasks_that_can_start_and_is_the_default_verb(memory, run_cli):
    memory.tasks.add("Later", verify=None, key="later", priority=3)
    memory.tasks.add("Refresh tokens", verify=None, key="now", priority=1)
    memory.tasks.add("Docs", verify=None, key="waits", requires=["now"])

    done = run_cli("task", "ready")

    assert (done.status, done.out) == (0, "now\t1\topen\t\tRefresh tokens\nlater\t3\topen\t\tLater\n")
    assert run_cli("task").out == done.out
    limited = json.loads(run_cli("task", "ready", "--limit", "1", "--json").out)
    assert ([table["key"] for table in limited["tasks"]], limited["more"]) == (["now"], 1)


def test_no_ready_task_is_a_success_that_says_what_to_do(memory, run_cli):
    none = run_cli("task", "ready")
    memory.tasks.add("Docs", verify=None, key="waits", requires=["now"])
    done = run_cli("task", "ready")

    assert [(ran.status, ran.out) for ran in (none, done)] == [(0, ""), (0, "")]
    assert none.err == "gitmem: no open tasks; to add one: gitmem task add\n"
    assert "gitmem task list" in done.err


def test_ready_asks_the_catalog_alone_and_few_questions(memory, repo):
    put(repo, *(make_fact(f"t{n}", None, kind="task", requires=[f"t{n - 1}"]) for n in range(50)))
    memory.repository.catalog()
    asked: list[str] = []
    memory.repository.catalog().connection.set_trace_callback(asked.append)

    ready = memory.tasks.list_ready()

    memory.repository.catalog().connection.set_trace_callback(None)
    assert [row.key for row in ready] == []
    assert len([sql for sql in asked if sql.startswith("SELECT")]) < 12
