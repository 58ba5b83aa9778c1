"""Tasks: one commit per step, a gate that must pass before closing, and one winner of two claims."""

from __future__ import annotations

import threading

import pytest
from conftest import NOW, commit_files, git, memory_text, put_files, tip
from support.each import each
from support.facts import for_code, make_fact, put, trailers

from gitmem.errors import GitmemError, RefusedError, TaskError, TrustError, UsageError
from gitmem.memory import Memory
from gitmem.recall.query import Query
from gitmem.repository.approvals import approve_command
from gitmem.verify.session import Session

DONE = {"exists": "done.txt"}


def state(memory, key: str = "t") -> str:
    return memory.tasks.show(key)[1].state


def test_task_is_added_open_with_its_gate_not_yet_held(memory, repo):
    done = memory.tasks.add(
        "Refresh tokens", verify=DONE, key="t", priority=0, requires=["nobody-has-this"], tags=["x"]
    )

    assert (done.key, done.path, done.is_new) == ("t", "tasks/t.md", True)
    fields = memory.show("t").document["frontmatter"]
    assert {name: fields[name] for name in ("kind", "state", "priority", "verify")} == {
        "kind": "task", "state": "open", "priority": 0, "verify": DONE,
    }  # fmt: skip
    assert memory.notices == ["t waits for nobody-has-this"]
    memory.tasks.add("Already there", verify={"exists": "README.md"})
    assert "the gate already holds: is there anything left to do, or does it" in memory.notices[-1]
    assert git(repo, "log", "-1", "--format=%s", "memory~") == "task: add t"


@each(
    ("title", "options", "message"),
    [
        (" ", {}, "needs a title"),
        ("Do it", {"verify": "true"}, "proves nothing"),
        ("Do it", {"priority": 5}, "priority"),
        ("Do it", {"body": "AKIA" + "Q7ZP2LMX4RTNVB3K"}, "secret"),
    ],
)
def test_invalid_task_is_refused(memory, title: str, options: dict, message: str):
    with pytest.raises(RefusedError, match=message):
        memory.tasks.add(title, key="t", **{"verify": None, **options})


def test_task_is_not_overwritten_by_another_with_its_key(memory, repo):
    memory.tasks.add("Refresh tokens", verify=None, key="t")
    memory.tasks.claim("t")
    before = tip(repo)

    with pytest.raises(RefusedError, match="there is already such a task: t"):
        memory.tasks.add("Something else", verify=None, key="t")
    memory.tasks.add("Refresh all tokens of auth", verify=None)
    with pytest.raises(RefusedError, match="there is already such a task: refresh-all"):
        memory.tasks.add("Refresh all tokens of auth", priority=1, verify=None)

    assert (git(repo, "merge-base", before, "memory"), state(memory)) == (before, "claimed")


def test_attempts_are_kept_from_claim_to_close_one_commit_each(memory, repo):
    memory.tasks.add("Refresh tokens", verify=None, key="t")
    memory.tasks.claim("t", note="cookies")
    memory.tasks.fail("t", note="stripped by the gateway")
    _, before = memory.tasks.claim("t")
    memory.tasks.release("t", note="half of it is there")
    memory.tasks.claim("t")
    done = memory.tasks.close("t", reason="a server-side session")

    subjects = git(repo, "log", "--format=%s", "memory").split("\n")[:7]
    assert [subject.split(" ")[1] for subject in reversed(subjects)] == [
        *("add", "claim", "fail", "claim", "release", "claim", "close")
    ]
    assert before.past_attempts[0].notes == "cookies; stripped by the gateway"
    _, task, waits = memory.tasks.show("t")
    assert [(one.num, one.outcome) for one in task.attempts] == [(1, "failed"), (2, "released"), (3, "done")]
    assert (task.closed["reason"], waits) == ("a server-side session", ())
    assert trailers(repo, done.commit) == ["Gitmem-Key: t", for_code(repo)]


def test_recall_finds_attempts_and_their_outcome(memory):
    memory.tasks.add("Refresh tokens", verify=None, key="t")
    memory.tasks.fail("t", note="the proxy strips httponly cookies")
    failed = memory.recall(Query(text="httponly")).hits
    memory.tasks.close("t", reason="rotating grants instead")

    assert [hit.key for hit in failed] == ["t"]
    assert [hit.key for hit in memory.recall(Query(text="rotating grants")).hits] == ["t"]
    assert memory.show("t").document["body"] == ""
    memory.forget("t")
    assert memory.recall(Query(text="httponly")).hits == ()


def test_gate_must_hold_at_the_last_commit_and_its_verdict_is_written_with_the_task(memory, repo):
    memory.tasks.add("Refresh tokens", verify=DONE, key="t")
    (repo / "done.txt").write_text("not committed\n")
    before = tip(repo)
    with pytest.raises(TaskError, match=r"is not done, its gate failed: done\.txt does not exist") as refused:
        memory.tasks.close("t")
    assert (tip(repo), state(memory)) == (before, "open")
    assert "--force --reason" in refused.value.hint
    commit_files(repo, {}, "done")

    done = memory.tasks.close("t", reason="it is there")

    assert (state(memory), memory.show("t").document["status"]) == ("closed", "verified")
    changed = git(repo, "show", "--name-only", "--format=", done.commit).split("\n")
    assert [path.split("/")[0] for path in changed] == ["tasks", "verdicts"]


def test_verdict_of_another_branch_stays_in_this_clone(memory, repo):
    memory.tasks.add("Refresh tokens", verify={"exists": "README.md"}, key="t")
    git(repo, "checkout", "-q", "-b", "topic")

    done = memory.tasks.close("t")

    assert git(repo, "show", "--name-only", "--format=", done.commit) == "tasks/t.md"
    assert memory.show("t").document["status"] == "verified"


def test_unapproved_gate_is_not_run_and_the_task_stays_open(memory, repo):
    put(repo, make_fact("t", f"touch {repo}/ran", kind="task"))

    with pytest.raises(TrustError, match="not approved here: touch") as refused:
        memory.tasks.close("t")

    assert "gitmem trust t" in refused.value.hint
    assert "--force" not in refused.value.hint
    assert (state(memory), (repo / "ran").exists()) == ("open", False)


def test_gate_typed_at_a_terminal_is_approved(memory, repo):
    memory.tasks.add("Refresh tokens", verify="test -f done.txt", key="t", approve=True)
    with pytest.raises(TaskError, match="is not done, its gate failed:"):
        memory.tasks.close("t")

    memory.edit("t", fields={"verify": "test -f README.md"}, body=None, approve=True)
    memory.tasks.close("t")

    assert (state(memory), memory.show("t").document["verdict"]["outcome"]) == ("closed", "holds")


def test_gate_that_cannot_run_does_not_close_the_task(memory, repo):
    put(repo, make_fact("t", "no-such-program-here", kind="task"))
    approve_all_tasks(memory, "t")

    with pytest.raises(GitmemError, match="its gate does not pass here") as refused:
        memory.tasks.close("t")

    assert refused.value.exit_status == 3


def approve_all_tasks(memory: Memory, *keys: str) -> None:
    for due in memory.repository.commands(keys):
        approve_command(memory.repository, due)


def test_force_closes_with_a_reason_and_says_that_it_was_forced(memory):
    memory.tasks.add("Refresh tokens", verify=DONE, key="t")
    with pytest.raises(UsageError, match="needs a reason"):
        memory.tasks.close("t", force=True)

    memory.tasks.close("t", force=True, reason="not needed any more")

    assert memory.tasks.show("t")[1].closed["forced"] is True
    assert memory.notices[-1].startswith("forced: t is not done")
    assert memory.show("t").document["status"] == "unproven"


def test_gate_changed_while_it_runs_must_run_again(memory, repo, monkeypatch):
    put_files(repo, {"tasks/t.md": memory_text("T", kind="task", verify="{exists: README.md}")})
    judged = Session.judge_one

    def changed(session, due):
        put_files(repo, {"tasks/t.md": memory_text("T", kind="task", verify="{exists: missing}")})
        return judged(session, due)

    monkeypatch.setattr(Session, "judge_one", changed)
    with pytest.raises(GitmemError, match="changed while it was running"):
        memory.tasks.close("t")

    assert state(memory) == "open"


def test_failed_attempt_needs_a_note(memory):
    memory.tasks.add("Refresh tokens", verify=None, key="t")

    with pytest.raises(UsageError, match="needs a note"):
        memory.tasks.fail("t", note=" ")


def test_note_with_a_secret_is_refused_and_changes_nothing(memory, repo):
    memory.tasks.add("Refresh tokens", verify=None, key="t")
    before = tip(repo)

    with pytest.raises(RefusedError, match="secret") as refused:
        memory.tasks.fail("t", note="used AKIA" + "Q7ZP2LMX4RTNVB3K")

    assert tip(repo) == before
    assert "Q7ZP2" not in refused.value.message


def test_open_parts_of_a_closed_task_are_reported(memory):
    memory.tasks.add("Release", verify=None, key="release")
    memory.tasks.add("Docs", verify=None, key="docs", parent="release")

    memory.tasks.close("release")

    assert memory.notices == ["parts of release are still open: docs"]


def test_exactly_one_of_many_concurrent_claims_succeeds(memory, repo, monkeypatch):
    memory.tasks.add("Refresh tokens", verify=None, key="t")
    values: dict[str, str] = {}
    opened = []
    for agent in ("a", "b", "c", "d"):
        monkeypatch.setenv("GITMEM_AGENT", agent)
        opened.append(Memory(repo, clock=lambda: float(NOW)))
    gate = threading.Barrier(len(opened))

    def claim(mine: Memory) -> None:
        with mine:
            mine.show("t")  # all of them saw it open
            gate.wait()
            try:
                mine.tasks.claim("t")
                values[mine.repository.config.agent] = "got it"
            except TaskError as err:
                values[mine.repository.config.agent] = err.message

    threads = [threading.Thread(target=claim, args=(mine,)) for mine in opened]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    winner = memory.tasks.show("t")[1].held.agent
    assert values.pop(winner) == "got it"
    assert len(values) == 3
    assert {text.split(", attempt")[0] for text in values.values()} == {
        f"t is claimed by Ana (agent {winner}), since 2026-09-21T14:13:20Z"
    }


def test_task_is_shown_listed_edited_and_forgotten_like_any_memory(memory):
    memory.tasks.add("Refresh tokens", verify=DONE, key="t")
    memory.tasks.fail("t", note="once")

    memory.edit("t", fields={"title": "Refresh all tokens", "priority": 1}, body="More of it.", approve=False)

    assert memory.show("t").document["body"] == "More of it.\n"
    assert [one.notes for one in memory.tasks.show("t")[1].attempts] == ["once"]
    assert [hit.key for hit in memory.list(Query(kinds=("task",))).hits] == ["t"]
    memory.forget("t")
    assert memory.tasks.list_ready() == []
    with pytest.raises(TaskError, match="was retired"):
        memory.tasks.claim("t")


def test_editing_a_task_keeps_its_attempts(memory):
    memory.tasks.add("Refresh tokens", verify=None, key="t")
    memory.tasks.fail("t", note="once")
    memory.tasks.claim("t")

    memory.remember("All of them", title="Refresh all tokens", kind="task", key="t")

    _, task, _ = memory.tasks.show("t")
    assert (task.state, [one.notes for one in task.attempts], task.held.num) == ("claimed", ["once"], 2)
    assert memory.show("t").document["title"] == "Refresh all tokens"


def test_memory_of_another_kind_cannot_be_claimed(memory):
    memory.remember("The gateway retries", key="g")

    with pytest.raises(TaskError, match="g is a learned, not a task"):
        memory.tasks.claim("g")
