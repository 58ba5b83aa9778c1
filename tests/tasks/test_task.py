"""A task as its file says it, also where the file was written by hand or merged."""

from __future__ import annotations

import pytest
from support.each import each

from gitmem.document.parse import parse
from gitmem.errors import FormatError, TaskError
from gitmem.tasks.task import Attempt, Task, Worker, task_of

FILE = """\
---
title: Refresh tokens
kind: task
state: claimed
claimed: {num: 3, who: ana, agent: dev, when: 2026-11-21T09:30:00Z, notes: cookies}
attempts:
  - {num: 1, outcome: failed, who: ben, ended: 2026-11-19T09:30:00Z, notes: "the gateway, again"}
  - {num: 1, outcome: released, who: cal}
  - {num: 2, outcome: failed, who: ana}
---
"""


def task(text: str) -> Task:
    return task_of(parse(text, path="refresh.md"))


def test_file_is_read_with_its_attempts_and_who_holds_it():
    found = task(FILE)

    assert (found.state, found.next_num) == ("claimed", 3)
    assert found.held == Attempt(3, "working", "ana", "dev", "2026-11-21T09:30:00Z", "", "cookies")
    assert found.attempts[0] == Attempt(1, "failed", "ben", "", "", "2026-11-19T09:30:00Z", "the gateway, again")
    assert str(found.held.worker) == "ana (agent dev)"
    assert found.attempts[0].worker == Worker("ben")


def test_attempts_are_reported_failed_ones_first_and_the_newest_first():
    assert [(one.num, one.outcome) for one in task(FILE).past_attempts] == [
        (2, "failed"),
        (1, "failed"),
        (1, "released"),
    ]


def test_task_without_a_word_about_its_state_is_open_and_no_one_holds_it():
    found = task(FILE.replace("state: claimed\n", ""))

    assert (found.state, found.held, found.closed) == ("open", None, {})


def test_memory_of_another_kind_or_retired_is_not_a_task():
    with pytest.raises(TaskError, match="is a learned, not a task"):
        task("---\ntitle: x\n---\n")
    with pytest.raises(TaskError, match="was retired"):
        task("---\nkind: task\nretired: {by: ana}\n---\n")


@each(
    ("line", "code"),
    [
        ("state: done", "bad-state"),
        ("state: [open]", "bad-state"),
        ("parent: 3", "bad-parent"),
        ("attempts: {num: 1}", "bad-attempts"),
        ("attempts: [{outcome: failed}]", "bad-attempts"),
        ("attempts: [{num: 1, when: yesterday}]", "bad-attempts"),
        ("attempts: [{num: true}]", "bad-attempts"),
        ("attempts: [{num: 999999999999999999}]", "bad-attempts"),
        ("claimed: ana", "bad-claimed"),
        ("claimed: {who: ana}", "bad-claimed"),
        ("closed: {when: 3}", "bad-closed"),
    ],
)
def test_wrong_field_is_a_problem_of_a_task_and_nothing_to_other_kinds(line: str, code: str):
    with pytest.raises(FormatError) as wrong:
        parse(f"---\nkind: task\n{line}\n---\n", path="x.md")

    assert (wrong.value.code, wrong.value.line) == (code, 3)
    assert parse(f"---\nkind: gotcha\n{line}\n---\n", path="x.md").kind == "gotcha"
