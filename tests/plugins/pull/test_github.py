"""A repository on GitHub is read once, then only changes; an interrupted pull continues."""

from __future__ import annotations

from typing import Any

import pytest
from support.tracker_server import Tracker, comment, commit, issue, pull, time_of

from gitmem.memory import Memory
from gitmem.plugins.pull.run import PullResult
from gitmem.recall.query import Query


def added(memory: Memory, tracker: Tracker, *parts: str) -> None:
    """Add the repository of a tracker as a source, or these parts of it."""
    memory.sources.add("github", "acme/shop", api=tracker.address, include=parts)


def keys(memory: Memory) -> list[str]:
    """Return the keys of everything that was pulled."""
    return sorted(hit.key for hit in memory.list(Query(sources=("github",), limit=10_000)).hits)


def read(memory: Memory, key: str) -> dict[str, Any]:
    return memory.show(f"github:{key}").document


def test_each_part_becomes_documents_of_its_kind(memory: Memory, tracker: Tracker) -> None:
    hub = tracker.lists
    hub["issues"] = [issue(1, "Retries never end", "After 504."), issue(2, "", pull_request={"url": "x"})]
    hub["issues/comments"] = [comment(71, 1, "Cap them at three.")]
    hub["pulls"] = [pull(2, "Cap the retries", merged=True)]
    where = {"path": "src/gateway.py", "line": 8, "diff_hunk": "@@ -1 +1 @@\n+RETRIES = 3"}
    url = {"pull_request_url": "https://api.github.example/repos/acme/shop/pulls/2"}
    hub["pulls/comments"] = [{**comment(81, 2, "Why three?"), **url, **where}]
    hub["pulls/2/reviews"] = [{"id": 91, "user": {"login": "bo"}, "state": "APPROVED", "body": "Good."}]
    hub["pulls/2/files"] = [
        {"filename": "src/gateway.py", "status": "modified", "additions": 1, "deletions": 0, "patch": "+RETRIES = 3"}
    ]
    hub["commits"] = [commit(5, "gateway: cap retries\n\nThe gateway answered 504.")]
    sha = hub["commits"][0]["sha"]
    tracker.checks[sha] = [
        {"id": 1, "name": "test", "status": "completed", "conclusion": "failure", "completed_at": time_of(9)},
        {"id": 2, "name": "lint", "status": "completed", "conclusion": "success", "completed_at": time_of(9)},
    ]
    hub["releases"] = [{"id": 61, "tag_name": "v1.2", "name": "One two", "body": "Notes.", "published_at": time_of(9)}]
    added(memory, tracker)

    done = memory.sources.pull("github")

    assert done.error is None
    assert keys(memory) == [
        f"checks-{sha[:12]}",
        "comment-71",
        f"commit-{sha[:12]}",
        "diff-2",
        "issue-1",
        "pull-2",
        "release-61",
        "review-91",
        "review-comment-81",
    ]
    assert read(memory, "pull-2")["frontmatter"]["state"] == "merged"
    assert read(memory, "pull-2")["frontmatter"]["branches"] == {"head": "fix-2", "base": "main"}
    assert read(memory, "comment-71")["frontmatter"]["part_of"] == "issue-1"
    assert "src/gateway.py:8" in read(memory, "review-comment-81")["body"]
    assert "    +RETRIES = 3" in read(memory, "diff-2")["body"]
    assert read(memory, "diff-2")["title"] == "Diff of PR #2: gateway.py"
    assert read(memory, f"checks-{sha[:12]}")["title"] == f"CI of {sha[:10]}: 1 failure, 1 success"
    assert read(memory, f"checks-{sha[:12]}")["body"].startswith("- failure: test")


def test_unchanged_parts_cost_one_conditional_request_each(memory: Memory, tracker: Tracker) -> None:
    tracker.lists["issues"] = [issue(n, f"Issue {n}", at=n) for n in range(1, 151)]
    tracker.lists["commits"] = [commit(n, f"Commit {n}", at=n) for n in range(1, 151)]
    added(memory, tracker)
    memory.sources.pull("github")
    memory.sources.pull("github")
    tracker.asked.clear()
    tip = memory.sources.list()[0].commit

    done = memory.sources.pull("github")

    assert (done.changed, done.commit) == (0, tip)
    assert sorted(path.partition("?")[0].removeprefix("/repos/acme/shop/") for path in tracker.asked) == [
        "commits",
        "issues",
        "issues/comments",
        "pulls",
        "pulls/comments",
        "releases",
    ]


def test_only_what_changed_is_read_again(memory: Memory, tracker: Tracker) -> None:
    tracker.lists["issues"] = [issue(n, f"Issue {n}", at=n) for n in range(1, 251)]
    added(memory, tracker, "issues")
    memory.sources.pull("github")
    tracker.asked.clear()
    tracker.lists["issues"][6] = issue(7, "Renamed", at=999)

    done = memory.sources.pull("github")

    assert (done.changed, done.documents, len(tracker.asked)) == (1, 250, 1)
    assert read(memory, "issue-7")["title"] == "#7 Renamed"


def test_issue_changed_between_two_pages_hides_no_other(memory: Memory, tracker: Tracker) -> None:
    tracker.lists["issues"] = [issue(n, f"Issue {n}", at=n) for n in range(1, 301)]
    added(memory, tracker, "issues")

    def change(_: object) -> None:  # the first issue moves to the end, and all others one place up
        tracker.lists["issues"][0] = issue(1, "Changed meanwhile", at=500)

    tracker.planned[2] = change
    memory.sources.pull("github")

    assert len(keys(memory)) == 300
    assert read(memory, "issue-1")["title"] == "#1 Changed meanwhile"


def test_full_page_of_one_second_continues_by_its_link(memory: Memory, tracker: Tracker) -> None:
    tracker.lists["issues"] = [issue(n, f"Issue {n}", at=5) for n in range(1, 251)]
    added(memory, tracker, "issues")

    assert memory.sources.pull("github").documents == 250


@pytest.mark.parametrize(
    ("failing", "answer", "reason"),
    [
        (2, (401, {}, {"message": "Bad credentials"}), "Bad credentials"),
        (3, (403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "99999999999"}, {}), "rate limit"),
        (4, (404, {}, {"message": "Not Found"}), "Not Found"),
    ],
)
def test_pull_after_an_error_continues_with_what_was_read(
    memory: Memory, tracker: Tracker, failing: int, answer: tuple[int, dict[str, str], Any], reason: str
) -> None:
    tracker.lists["issues"] = [issue(n, f"Issue {n}", at=n) for n in range(1, 301)]
    tracker.lists["issues/comments"] = [comment(n, 1, f"comment {n}", at=n) for n in range(1, 301)]
    added(memory, tracker, "issues", "comments")
    tracker.planned[failing] = answer

    broken = memory.sources.pull("github")
    before = len(keys(memory))
    rest = memory.sources.pull("github")

    assert broken.error is not None
    assert reason in broken.error.message
    assert before == broken.documents > 0
    assert (rest.error, rest.documents) == (None, 600)
    assert rest.changed == 600 - before


def test_denied_part_does_not_block_the_others(memory: Memory, tracker: Tracker) -> None:
    tracker.lists["issues"] = [issue(1, "One")]
    tracker.lists["releases"] = [{"id": 61, "tag_name": "v1", "published_at": time_of(1)}]
    added(memory, tracker, "issues", "releases")
    tracker.planned[1] = (403, {}, {"message": "Resource not accessible by personal access token"})

    done = memory.sources.pull("github")

    assert keys(memory) == ["release-61"]
    assert done.error is not None
    assert "Resource not accessible" in done.error.message
    assert memory.sources.pull("github").error is None
    assert keys(memory) == ["issue-1", "release-61"]


def test_list_that_was_not_read_to_its_end_is_read_again(memory: Memory, tracker: Tracker) -> None:
    tracker.lists["pulls"] = [pull(n, f"Pull {n}", at=n) for n in range(1, 251)]
    added(memory, tracker, "pulls")
    tracker.planned[2] = (401, {}, {})

    broken, rest = memory.sources.pull("github"), memory.sources.pull("github")

    assert (broken.documents, rest.documents, rest.error) == (100, 250, None)


def test_server_errors_are_retried(memory: Memory, tracker: Tracker) -> None:
    tracker.lists["issues"] = [issue(1, "One")]
    added(memory, tracker, "issues")
    tracker.planned |= {1: (502, {}, {}), 2: (503, {}, {})}

    assert memory.sources.pull("github").documents == 1


def test_list_of_commits_continues_at_the_last_one(memory: Memory, tracker: Tracker) -> None:
    tracker.lists["commits"] = [commit(n, f"Commit {n}", at=n) for n in range(1, 301)]
    added(memory, tracker, "commits")
    tracker.planned[3] = (401, {}, {})

    memory.sources.pull("github")
    tracker.asked.clear()
    rest = memory.sources.pull("github")

    assert (rest.documents, len(tracker.asked)) == (300, 2)  # the last commit again, and those behind it
    tracker.lists["commits"].append(commit(400, "Newer", at=400))
    assert memory.sources.pull("github").changed == 1


def test_reviews_and_diffs_are_queued_until_they_are_read(memory: Memory, tracker: Tracker) -> None:
    tracker.lists["pulls"] = [pull(n, f"Pull {n}", at=n) for n in range(1, 31)]
    added(memory, tracker, "pulls", "diffs")
    tracker.planned[25] = (401, {}, {})  # after the first 20 diffs

    memory.sources.pull("github")

    assert memory.sources.list()[0].waiting == 10
    tracker.asked.clear()
    assert memory.sources.pull("github").documents == 60
    assert sum(path.partition("?")[0].endswith("/files") for path in tracker.asked) == 10


def test_unfinished_check_run_is_read_again(memory: Memory, tracker: Tracker) -> None:
    tracker.lists["commits"] = [commit(1, "One")]
    sha = tracker.lists["commits"][0]["sha"]
    tracker.checks[sha] = [{"id": 1, "name": "test", "status": "in_progress", "started_at": time_of(1)}]
    added(memory, tracker, "commits", "checks")
    memory.sources.pull("github")
    tracker.checks[sha] = [{"id": 1, "name": "test", "status": "completed", "conclusion": "success"}]

    memory.sources.pull("github")

    assert read(memory, f"checks-{sha[:12]}")["title"].endswith("1 success")


def test_full_pull_deletes_missing_documents(memory: Memory, tracker: Tracker) -> None:
    tracker.lists["issues/comments"] = [comment(n, 1, f"comment {n}", at=n) for n in range(1, 4)]
    added(memory, tracker, "comments")
    memory.sources.pull("github")
    del tracker.lists["issues/comments"][1]

    usual, full = memory.sources.pull("github"), memory.sources.pull("github", full=True)

    assert (usual.deleted, full.deleted, full.changed) == (0, 1, 0)
    assert keys(memory) == ["comment-1", "comment-3"]


@pytest.mark.parametrize("link", ["https://evil.example/next", "http://127.0.0.1:1/repos/acme/shop/issues?page=2"])
def test_token_is_not_sent_to_a_link_on_another_server(memory: Memory, tracker: Tracker, link: str) -> None:
    added(memory, tracker, "issues")
    tracker.planned[1] = (200, {"Link": f'<{link}>; rel="next"'}, [issue(1, "One")])

    done: PullResult = memory.sources.pull("github")

    assert done.error is not None
    assert "to protect the token" in done.error.message


def test_invalid_items_are_left_out(memory: Memory, tracker: Tracker) -> None:
    tracker.lists["issues"] = [{"number": "../../x", "updated_at": time_of(1)}, issue(1, "One", at=2)]
    tracker.lists["releases"] = [{"id": None, "tag_name": None}]
    added(memory, tracker, "issues", "releases")

    assert memory.sources.pull("github").documents == 1
