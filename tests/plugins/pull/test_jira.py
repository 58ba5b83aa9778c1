"""A Jira site is read by time, comments follow their issues, and an interrupted pull continues."""

from __future__ import annotations

from typing import Any

from support.tracker_server import Tracker, jira_issue

from gitmem.memory import Memory
from gitmem.recall.query import Query


def added(memory: Memory, tracker: Tracker, **options: Any) -> None:
    memory.sources.add("jira", tracker.address, project="SHOP", **options)


def keys(memory: Memory) -> list[str]:
    return sorted(hit.key for hit in memory.list(Query(sources=("jira",), limit=10_000)).hits)


def test_issue_and_comments_are_documents(memory: Memory, tracker: Tracker) -> None:
    tracker.jira = [jira_issue("SHOP-12", "Retries never end", comments=2)]
    added(memory, tracker)

    assert memory.sources.pull("jira").error is None

    found = memory.show("jira:shop-12").document
    assert found["title"] == "SHOP-12 Retries never end"
    assert found["body"].startswith("Type: Bug, Status: In Progress, Priority: High, Assignee: Ana\n\nAbout Retries")
    assert found["frontmatter"]["refs"] == [f"{tracker.address}/browse/SHOP-12"]
    assert found["frontmatter"]["by"] == {"who": "Bo"}
    assert keys(memory) == ["shop-12", "shop-12.comment-10000", "shop-12.comment-10001"]


def test_comments_missing_from_a_search_are_fetched(memory: Memory, tracker: Tracker) -> None:
    tracker.jira = [jira_issue("SHOP-1", "Long talk", comments=130)]
    added(memory, tracker)

    assert memory.sources.pull("jira").documents == 131


def test_pages_follow_their_tokens_and_later_pulls_read_what_changed(memory: Memory, tracker: Tracker) -> None:
    tracker.jira = [jira_issue(f"SHOP-{n}", f"Issue {n}", at=n * 1000) for n in range(1, 251)]
    added(memory, tracker)
    assert memory.sources.pull("jira").documents == 250
    tracker.asked.clear()
    tracker.jira[3] = jira_issue("SHOP-4", "Renamed", at=300_000)

    done = memory.sources.pull("jira")

    assert (done.changed, len(tracker.asked)) == (1, 1)
    assert memory.show("jira:shop-4").document["title"] == "SHOP-4 Renamed"


def test_deleted_comment_goes_with_the_change_of_its_issue(memory: Memory, tracker: Tracker) -> None:
    tracker.jira = [jira_issue("SHOP-1", "One", comments=3), jira_issue("SHOP-11", "Eleven", comments=1)]
    added(memory, tracker)
    memory.sources.pull("jira")
    del tracker.jira[0]["all_comments"][1]

    done = memory.sources.pull("jira")

    assert done.deleted == 1
    assert "shop-1.comment-10001" not in keys(memory)
    assert "shop-11.comment-10000" in keys(memory)


def test_interrupted_pull_continues_at_its_last_page(memory: Memory, tracker: Tracker) -> None:
    tracker.jira = [jira_issue(f"SHOP-{n}", f"Issue {n}", at=n * 1000) for n in range(1, 251)]
    added(memory, tracker)
    tracker.planned[3] = (401, {}, {"errorMessages": ["expired"]})

    broken = memory.sources.pull("jira")
    rest = memory.sources.pull("jira")

    assert (broken.error is not None, broken.documents) == (True, 200)
    assert (rest.error, rest.documents, rest.changed) == (None, 250, 50)


def test_malformed_answer_ends_the_pull(memory: Memory, tracker: Tracker) -> None:
    added(memory, tracker)
    tracker.planned[1] = (200, {}, {"issues": "none"})

    done = memory.sources.pull("jira")

    assert done.error is not None
    assert done.error.message == "Jira's answer contains no list of issues"


def test_own_query_is_combined_with_the_time(memory: Memory, tracker: Tracker) -> None:
    memory.sources.add("jira", tracker.address, jql="project = A OR project = B", since="2026-01-31")

    memory.sources.pull("jira")

    assert "jql=%28project+%3D+A+OR+project+%3D+B%29+AND+updated" in tracker.asked[0]
