"""The life of a task: who may do what in which state, and that every attempt is kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.each import each

from gitmem.document.edit import edit
from gitmem.document.parse import parse
from gitmem.document.yaml import flat
from gitmem.errors import RefusedError, TaskError
from gitmem.tasks import life
from gitmem.tasks.task import Task, Worker, task_of

ANA, BEN = Worker("ana", "dev"), Worker("ben")
NOW = 1_790_000_000
START = "---\ntitle: Refresh tokens\nkind: task # by hand\n---\nBody.\n"


def after(text: str, changes: dict) -> str:
    return edit(parse(text, path="refresh.md"), changes)


def task(text: str) -> Task:
    return task_of(parse(text, path="refresh.md"))


def claimed(text: str = START, worker: Worker = ANA) -> str:
    return after(text, life.claim(task(text), worker, now=NOW, note="with cookies"))


def test_claim_starts_an_attempt():
    found = task(claimed())

    assert (found.state, found.held.num, found.held.worker, found.held.notes) == ("claimed", 1, ANA, "with cookies")


@each(
    ("worker", "message"), [(BEN, "refresh is claimed by ana (agent dev), since 2026-09-21T14:13:20Z, attempt 1"),
                         (Worker("ana"), "claimed by ana (agent dev)"), (ANA, "you have already claimed")]
)  # fmt: skip
def test_claimed_task_is_refused_to_everybody_and_says_who_and_since_when(worker: Worker, message: str):
    with pytest.raises(TaskError, match=r".") as refused:
        life.claim(task(claimed()), worker, now=NOW + 9, note="")

    assert message in refused.value.message


def test_closed_task_is_refused_and_says_by_whom():
    closed = after(START, life.close(task(START), ANA, now=NOW, reason="done", forced=False))

    with pytest.raises(TaskError, match="is closed since 2026-09-21T14:13:20Z, by ana"):
        life.claim(task(closed), BEN, now=NOW, note="")
    with pytest.raises(TaskError, match="is already closed"):
        life.close(task(closed), ANA, now=NOW, reason="", forced=True)


def test_failed_attempt_is_kept_and_opens_the_task_again():
    text = claimed()

    found = task(after(text, life.fail(task(text), ANA, now=NOW + 60, note="stripped by the gateway")))

    assert (found.state, found.held, found.next_num) == ("open", None, 2)
    (one,) = found.attempts
    assert (one.num, one.outcome, one.notes) == (1, "failed", "with cookies; stripped by the gateway")
    assert (one.when, one.ended) == ("2026-09-21T14:13:20Z", "2026-09-21T14:14:20Z")


def test_closed_task_that_failed_after_all_is_open_again():
    closed = after(START, life.close(task(START), ANA, now=NOW, reason="done", forced=False))

    found = task(after(closed, life.fail(task(closed), BEN, now=NOW, note="it came back")))

    assert (found.state, dict(found.closed)) == ("open", {})
    assert [one.outcome for one in found.attempts] == ["done", "failed"]


@each("verb", ["release", "fail", "close"])
def test_what_someone_else_holds_is_left_to_them_unless_forced(verb: str):
    held = task(claimed())
    options = {"release": {"note": "", "force": False}, "fail": {"note": ""}, "close": {"reason": "", "forced": False}}

    with pytest.raises(TaskError, match="claimed by ana"):
        getattr(life, verb)(held, BEN, now=NOW, **options[verb])

    assert life.release(held, BEN, now=NOW, note="gone", force=True)["state"] == "open"
    assert life.close(held, BEN, now=NOW, reason="gone", forced=True)["closed"]["forced"] is True


def test_person_ends_attempts_of_their_agents_and_no_agent_those_of_its_person_or_of_another():
    by_agent, by_person = task(claimed()), task(claimed(worker=Worker("ana")))

    assert life.release(by_agent, Worker("ana"), now=NOW, note="", force=False)["attempts"][0]["agent"] == "dev"
    for held, worker in ((by_person, ANA), (by_agent, Worker("ana", "other"))):
        with pytest.raises(TaskError, match="claimed by ana"):
            life.close(held, worker, now=NOW, reason="", forced=False)


def test_release_needs_someone_who_holds_it():
    with pytest.raises(TaskError, match="and not claimed by anyone"):
        life.release(task(START), ANA, now=NOW, note="", force=True)


def test_note_that_has_no_room_is_refused_with_a_way_to_keep_it():
    with pytest.raises(RefusedError) as refused:
        life.fail(task(START), ANA, now=NOW, note="é" * (life.NOTE_BYTES // 2 + 1))

    assert "gitmem remember" in refused.value.hint


def test_many_attempts_fit_into_the_file_the_newest_ones():
    text = START
    for number in range(40):
        text = after(text, life.fail(task(text), ANA, now=NOW, note=f"{number} " + "x" * 400))

    found = task(text)
    assert found.attempts[-1].notes.startswith("39 ")
    assert 5 < len(found.attempts) < 40
    assert [one.num for one in found.attempts] == list(range(found.attempts[0].num, 41))


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["claim", "release", "fail", "close"]),
        st.sampled_from([ANA, BEN]),
        st.text("ab ,:{}[]'\"#\\é-?\n", max_size=12),
    ),
    max_size=8,
)


@given(STEPS)
def test_whatever_happens_no_attempt_is_lost_and_the_file_stays_quick_to_read(steps: list):
    text, ended = START, 0
    for verb, worker, note in steps:
        options = {"reason": note, "forced": False} if verb == "close" else {"note": note}
        options |= {"force": False} if verb == "release" else {}
        before = task(text)
        try:
            changes = getattr(life, verb)(before, worker, now=NOW, **options)
        except TaskError:
            continue
        text = after(text, changes)
        ended += verb != "claim"
        assert task(text).attempts[: len(before.attempts)] == before.attempts

    assert len(task(text).attempts) == ended
    assert (task(text).held is not None) == (task(text).state == "claimed")
    assert "kind: task # by hand\n" in text
    assert flat.parse(text.split("---\n")[1].replace(" # by hand", "")) is not None
