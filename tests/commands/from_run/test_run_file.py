"""What a finished run hands over, read: each memory by itself, and nothing guessed."""

from __future__ import annotations

import json

import pytest
from support.each import each

from gitmem import policy
from gitmem.commands.from_run.run_file import BYTES, EXAMPLE, MOST, read_run, reflector_prompt
from gitmem.errors import RefusedError

POLICY = policy.builtin()


def read(found: object):
    raw = found if isinstance(found, bytes) else json.dumps(found).encode()
    return read_run(raw, POLICY)


def reason(**fields) -> str:
    return read([{"title": "Retry three times", **fields}]).items[0].reason


def test_list_of_memories_is_a_run() -> None:
    capsule = {
        "kind": "anti-pattern", "title": "No advisory locks", "body": "They deadlock.", "tags": ["db"],
        "domain_tags": ["sql"], "confidence": 0.9, "verified_by": "reviewer", "scope": "project", "refs": ["a.py:1"],
    }  # fmt: skip

    (item,) = read([capsule]).items

    assert (item.where, item.kind, item.title, item.text) == (
        "memories[0]", "anti_pattern", "No advisory locks", "They deadlock.",
    )  # fmt: skip
    assert item.fields == {
        "tags": ["db"], "domains": ["sql"], "confidence": 0.9, "verified_by": "reviewer", "refs": ["a.py:1"],
    }  # fmt: skip


def test_run_says_its_name_role_and_task_of_all() -> None:
    run = read(
        {
            "run": "ci:12",
            "role": "reflector",
            "task": "T-1",
            "memories": [{"body": "Retry."}, {"body": "Wait, then go.", "task": "T-2"}],
        }
    )

    assert (run.name, run.role) == ("ci-12", "reflector")
    assert [item.fields["task"] for item in run.items] == ["T-1", "T-2"]


@each(
    ("fields", "message"),
    [
        ({"surprise": 1}, "an unknown field 'surprise'"),
        ({"kind": "fact"}, "gitmem fact TITLE"),
        ({"kind": "task"}, "gitmem task add"),
        ({"kind": "rumour"}, "unknown kind 'rumour'"),
        ({"confidence": "high"}, "a number from 0 to 1"),
        ({"confidence": True}, "a number from 0 to 1"),
        ({"confidence": 1.5}, "a number from 0 to 1"),
        ({"tags": "db"}, "a list of at most 50 texts"),
        ({"tags": [""]}, "each of 1 to 300"),
        ({"refs": ["a.py:1"] * 51}, "a list of at most 50 texts"),
        ({"importance": "urgent"}, "one of critical"),
        ({"title": ["x"]}, "text of at most 300"),
        ({"title": "ok", "body": ""}, "it is empty"),
        ({"scope": "universal"}, "one of project, workspace"),
        ({"verify": "true"}, "an unknown field 'verify'"),
        ({"by": {"who": "Eve"}}, "an unknown field 'by'"),
    ],
)  # fmt: skip
def test_invalid_memory_is_refused_with_the_reason(fields: dict, message: str) -> None:
    assert message in reason(**fields)


def test_one_bad_memory_hides_no_other() -> None:
    items = read([{"body": "Retry twice."}, 7, None, {"body": "Wait an hour."}]).items

    assert [bool(item.reason) for item in items] == [False, True, True, False]


@each(
    ("raw", "message"),
    [
        (b"{", "is not JSON"),
        (b"\xff", "not UTF-8"),
        (b"7", "neither a list nor an object"),
        (b'{"memory": []}', "the run has an unknown field 'memory'"),
        (b'{"memories": {}}', "must be lists"),
        (b'{"run": 7}', "run of the run must be text"),
        (b"[" * 100_000, "is not JSON"),
        (b" " * (BYTES + 1), "larger than"),
        (json.dumps([{}] * (MOST + 1)).encode(), "more than 200"),
    ],
    ids=["cut", "bytes", "number", "field", "object", "name", "deep", "large", "many"],
)  # fmt: skip
def test_file_that_is_not_a_run_is_refused(raw: bytes, message: str) -> None:
    with pytest.raises(RefusedError, match=message):
        read(raw)


def test_attempts_are_outcomes_with_what_went_wrong() -> None:
    attempts = [
        {"num": 1, "outcome": "failed", "notes": "the gateway strips cookies", "who": "Ana"},
        {"num": 2, "outcome": "done", "notes": "a header instead"},
        {"num": 3, "outcome": "working"},
        {"num": 4, "outcome": "released", "notes": " "},
        {"num": 5, "outcome": "won", "notes": "x"},
    ]

    items = read(
        {"kind": "task", "key": "cookies", "title": "Refresh tokens", "state": "closed", "attempts": attempts}
    ).items

    assert [(one.kind, one.title, one.text) for one in items[:2]] == [
        ("outcome", "Attempt 1 at Refresh tokens failed", "What went wrong: the gateway strips cookies"),
        ("outcome", "Attempt 2 at Refresh tokens ended, done", "a header instead"),
    ]
    assert items[0].fields == {"task": "cookies"}
    assert [one.reason.split(":")[0] for one in items[2:]] == [
        "the attempt has not ended",
        "it has no notes, so it says nothing except how it ended",
        "outcome must be one of done, failed, released, and notes must be text",
    ]
    assert read({"attempts": attempts[:1]}).items[0].reason == "it does not name its task"


def test_prompt_for_a_reflector_names_every_field_and_its_example_is_accepted() -> None:
    prompt = reflector_prompt(POLICY)

    found = read(f"[{EXAMPLE}]".encode())

    assert [(item.kind, item.reason) for item in found.items] == [("gotcha", "")]
    assert all(name in prompt for name in ("gotcha", "decision", "verified_by", "confidence", "--from-run"))
    assert "github_issue" not in prompt
