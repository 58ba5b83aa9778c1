"""Issues of beads and Beans become tasks, and nothing that people wrote in them is lost."""

from __future__ import annotations

from support.each import each

from gitmem.document.fields import check_fields
from gitmem.plugins.import_.fields import ImportRecord, Unreadable
from gitmem.plugins.import_.trackers import is_issue, read_issue

BEAD = {
    "id": "bd-a1.2",
    "title": "Rotate the signing keys",
    "description": "Keys are a year old.",
    "design": "Two keys for a day.",
    "acceptance_criteria": "Old tokens work.",
    "notes": "Ask ops.",
    "status": "in_progress",
    "priority": 1,
    "issue_type": "feature",
    "assignee": "bob",
    "created_at": "2026-01-10T10:00:00.5Z",
    "created_by": "ana",
    "updated_at": "2026-01-12T10:00:00Z",
    "labels": ["auth"],
    "external_ref": "gh-9",
    "embedding": "0.1," * 2000,
    "dependencies": [
        {"issue_id": "bd-a1.2", "depends_on_id": "bd-b7", "type": "blocks"},
        {"issue_id": "bd-a1.2", "depends_on_id": "bd-a1", "type": "parent-child"},
        {"issue_id": "bd-a1.2", "depends_on_id": "bd-c3", "type": "discovered-from"},
    ],
    "comments": [
        {"id": 1, "author": "bob", "text": "Started.\nSlowly.", "created_at": "2026-01-11T10:00:00Z"},
        {"id": 2, "author": "bob", "text": "LEARNED: JWKS is cached a day.", "created_at": "2026-01-12T09:00:00Z"},
    ],
}
# The example of Beans' own document, in its words, with an attempt.
BEAN = {
    "id": "41",
    "title": "Beans Memory System",
    "slug": "beans-memory-system",
    "status": "open",
    "priority": 2,
    "created_at": "2026-02-05T18:33:19.000683Z",
    "updated_at": "2026-02-05T18:47:19.828248Z",
    "description": "# Beans Memory System",
    "verify": "cd packages/beans && npm test",
    "tokens": 1391,
    "dependencies": ["40"],
    "attempts": [{"num": 1, "outcome": "failed", "notes": "token not in httponly cookie"}],
}


def issue(**changes: object) -> list[ImportRecord | Unreadable]:
    return read_issue({"id": "bd-1", "title": "A task", "priority": 2, "status": "open", **changes}, where="i:1")


def fields_of(**changes: object) -> dict:
    found = issue(**changes)[0]
    assert isinstance(found, ImportRecord)
    check_fields(dict(found.fields))
    return dict(found.fields)


def test_issue_of_beads_becomes_a_task_and_a_memory_for_what_was_learned() -> None:
    task, learned = read_issue(BEAD, where="issues.jsonl:3")

    assert isinstance(task, ImportRecord)
    check_fields(dict(task.fields))
    assert (task.key, task.left_out) == ("bd-a1.2", ("embedding",))
    assert task.fields == {
        "kind": "task",
        "title": "Rotate the signing keys",
        "state": "claimed",
        "claimed": {"num": 1, "who": "bob", "when": "2026-01-12T10:00:00Z"},
        "requires": ["bd-b7"],
        "parent": "bd-a1",
        "discovered_from": ["bd-c3"],
        "priority": 1,
        "tags": ["auth", "feature"],
        "created": "2026-01-10T10:00:00Z",
        "updated": "2026-01-12T10:00:00Z",
        "by": {"who": "ana"},
        "external_ref": "gh-9",
    }
    assert task.body == (
        "Keys are a year old.\n\n## Design\n\nTwo keys for a day.\n\n## Acceptance criteria\n\nOld tokens work.\n\n"
        "## Notes\n\nAsk ops.\n\n## Comments\n\n- 2026-01-11T10:00:00Z bob: Started.\n  Slowly."
    )
    assert learned == ImportRecord(
        "issues.jsonl:3",
        "",
        {"kind": "learned", "task": "bd-a1.2", "created": "2026-01-12T09:00:00Z", "by": {"who": "bob"}},
        "JWKS is cached a day.",
    )


def test_issue_of_beans_keeps_its_check_and_its_failed_attempts() -> None:
    (task,) = read_issue(BEAN, where="41.yaml")

    assert isinstance(task, ImportRecord)
    check_fields(dict(task.fields))
    assert task.key == "bean-41"
    assert task.fields["verify"] == "cd packages/beans && npm test"
    assert task.fields["requires"] == ["bean-40"]
    assert task.fields["tokens"] == 1391
    assert task.fields["attempts"] == [
        {"num": 1, "outcome": "failed", "who": "unknown", "notes": "token not in httponly cookie"}
    ]


@each(
    ("changes", "expected"),
    [
        ({"status": "closed", "closed_at": "2026-01-02T00:00:00Z", "close_reason": "shipped", "assignee": "bob"},
         {"state": "closed", "closed": {"when": "2026-01-02T00:00:00Z", "who": "bob", "reason": "shipped"}}),
        ({"status": "scrapped"}, {"state": "closed", "closed": {"who": "unknown", "reason": "scrapped"}}),
        ({"status": "blocked"}, {"state": "open", "tags": ["blocked"]}),
        ({"status": "open", "assignee": "bob"}, {"state": "open", "assignee": "bob"}),
        ({"priority": "high"}, {"priority": 1}),
        ({"priority": 9}, {"priority": 4}),
        ({"bean_type": "fact", "verify": "true"}, {"kind": "fact", "verify": "true"}),
        ({"attempt_log": [{"num": 3, "outcome": "success", "agent": "scout", "finished_at": "2026-01-02T00:00:00Z"}]},
         {"attempts": [{"num": 3, "outcome": "done", "who": "scout", "ended": "2026-01-02T00:00:00Z"}]}),
    ],
)  # fmt: skip
def test_state_of_an_issue_is_kept(changes: dict, expected: dict) -> None:
    assert fields_of(**changes).items() >= expected.items()


def test_long_notes_of_an_attempt_are_in_the_body_in_full() -> None:
    (found,) = issue(attempts=[{"num": 1, "outcome": "failed", "notes": "why " * 400}])

    assert isinstance(found, ImportRecord)
    assert found.fields["attempts"][0]["notes"].endswith("…")
    assert ("why " * 400).strip() in found.body


def test_deleted_issue_is_skipped_and_other_tables_are_no_issues() -> None:
    assert issue(status="tombstone") == [Unreadable("i:1", "it was deleted in its tracker", is_skipped=True)]
    assert not is_issue({"id": 1, "title": "A note", "content": "text"})
    assert not is_issue({"id": "x", "title": "A page", "status": "draft"})


def test_comment_and_attempt_of_another_form_are_not_lost():
    comments = [
        {"body": "LEARNED: a", "user": {"login": "eve"}},
        "plain b",
        {"id": 3, "says": "c"},
        {"id": 4, "text": ""},
    ]
    given = {**BEAD, "comments": comments, "attempts": ["tried d"]}

    task, learned = read_issue(given, where="x.jsonl:1")

    assert (learned.body, learned.fields["by"]) == ("a", {"who": "eve"})
    assert all(said in task.body for said in ("plain b", '"says": "c"')) and '"id": 4' not in task.body
    assert [one["notes"] for one in task.fields["attempts"]] == ["tried d"]


def test_status_written_as_a_list_of_one_is_that_status() -> None:
    given = {"id": "b3", "title": "Fix it", "type": "bug", "priority": 1}

    (open_one,) = read_issue({**given, "status": ["todo"]}, where="x")
    (done,) = read_issue({**given, "status": ["Done"]}, where="x")

    assert isinstance(open_one, ImportRecord)
    assert isinstance(done, ImportRecord)
    assert ("todo" in open_one.fields["tags"], done.fields["state"]) == (True, "closed")
    assert is_issue({**given, "status": ["todo"]})
    assert not is_issue({**given, "status": ["todo", "done"]})
