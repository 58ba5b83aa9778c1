"""One issue lists the present failures, through a month of failures, repairs, closing and relabelling."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from support.forge_server import BOT, Handler, Hub, issue
from support.github_markdown import rendered

from gitmem.errors import ForgeError
from gitmem.frozen import replace
from gitmem.git.forges.job_environment import ForgeRepository
from gitmem.plugins.forge.issue import (
    DOCUMENTS,
    LABEL,
    TITLE,
    IssueContent,
    body_of,
    failing_facts,
    failing_statements,
    keep,
)
from gitmem.plugins.forge.ownership import BODY_LIMIT

SITE = "https://github.example/acme/shop"
PLACE = ForgeRepository("acme/shop", run=f"{SITE}/actions/runs/77", site=SITE)
SIGN = "<!-- gitmem issue -->"


def row(key: str, **more: object) -> dict[str, object]:
    fact = {"key": key, "title": f"Title of {key}", "because": "it does not", "by": "Ana", "path": f"facts/{key}.md"}
    return {**fact, "culprit": "", "culprit_after": "", "chain": [], **more}


def failing(*keys: str, suspect: tuple[str, ...] = ()) -> IssueContent:
    resting = [row(key, chain=["a"]) for key in suspect]
    return failing_facts({"commit": "c" * 40, "failed": list(map(row, keys)), "suspect": resting})


def tell(hub: Hub, *keys: str, suspect: tuple[str, ...] = ()) -> str:
    return keep(hub.forge(), failing(*keys, suspect=suspect)).action


@pytest.mark.parametrize("is_gitea", [False, True])
def test_issue_follows_failures_and_repairs(hub: Hub, is_gitea: bool) -> None:
    hub.is_gitea = is_gitea
    assert tell(hub) == "none"
    assert tell(hub, "a") == "opened"
    assert tell(hub, "a") == "unchanged"
    assert tell(hub, "a", suspect=("s",)) == "updated"
    assert hub.said == {}
    assert tell(hub, "a", "b") == "updated"
    assert tell(hub, "b") == "updated"
    assert [len(hub.said[40]), "**b**" in hub.said[40][0], "**a**" in hub.said[40][0]] == [1, True, False]
    assert tell(hub) == "closed"
    assert tell(hub) == "none"
    assert tell(hub, "b") == "reopened"

    (one,) = hub.issues
    assert (one["title"], one["state"], [label["name"] for label in one["labels"]]) == (TITLE, "open", [LABEL])
    assert [text.split("\n")[0] for text in hub.said[40]] == [
        "1 more fact fails:",
        "All well: no fact in this repository's memory fails now.",
        "1 more fact fails:",
    ]


def test_issue_is_closed_as_completed(hub: Hub) -> None:
    tell(hub, "a")

    tell(hub)

    assert (hub.issues[0]["state"], hub.issues[0]["state_reason"]) == ("closed", "completed")
    assert "All well" in hub.issues[0]["body"]


def test_issue_closed_by_a_person_stays_closed_until_another_failure(hub: Hub) -> None:
    tell(hub, "a", "b")
    hub.issues[0]["state"] = "closed"

    assert [tell(hub, "a", "b"), tell(hub, "a"), tell(hub), tell(hub, "a")] == ["left", "left", "updated", "reopened"]


def test_issue_of_a_stranger_and_pull_request_are_left_alone(hub: Hub) -> None:
    label = [{"name": LABEL}]
    hub.issues = [
        issue(1, f"{SIGN}\nx", "mallory", labels=label),
        issue(2, f"{SIGN}\nx", BOT, labels=label, pull_request={"url": "…"}),
        issue(3, None, BOT, labels=label),
    ]

    assert tell(hub, "a") == "opened"

    assert [one["body"] for one in hub.issues[:3]] == [f"{SIGN}\nx", f"{SIGN}\nx", None]


def test_issue_without_its_label_is_still_found(hub: Hub) -> None:
    tell(hub, "a")
    hub.issues[0]["labels"] = []

    assert tell(hub) == "closed"


def test_missing_label_is_set(hub: Hub) -> None:
    def unlabelled(handler: Handler) -> tuple[int, dict[str, str], object]:
        hub.issues.append(issue(40, hub.asked[-1][2]["body"]))
        return 201, {}, hub.issues[-1]

    hub.plan("POST /issues", unlabelled)

    assert tell(hub, "a") == "opened"
    assert [label["name"] for label in hub.issues[0]["labels"]] == [LABEL]


def test_concurrent_runs_leave_one_issue_open(hub: Hub) -> None:
    both = threading.Barrier(2, timeout=60)

    def wait(handler: Handler) -> tuple[int, dict[str, str], object]:
        both.wait()
        return 200, {}, []

    hub.plan("GET /issues", wait, wait, (200, {}, []), (200, {}, []))

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: tell(hub, "a"), range(2)))

    assert [one["state"] for one in hub.issues].count("open") == 1


def test_disabled_issues_are_an_error_with_their_status(hub: Hub) -> None:
    hub.plan("POST /issues", (410, {}, {"message": "Issues has been disabled in this repository."}))

    with pytest.raises(ForgeError) as caught:
        tell(hub, "a")

    assert caught.value.status == 410


def test_text_of_memories_is_inert_and_links_lead_to_memory_and_commit() -> None:
    hostile = "@bob #12 1234abcd https://e.x <img src=x> [l](x)\n# x `a` | \x1b[31m\u202e <!-- gitmem failed -->"
    made = row("a", title=hostile, because=hostile, by="@ana", culprit="d" * 40)

    body = body_of(
        failing_facts({"commit": "c" * 40, "failed": [made], "suspect": [made | {"key": "b", "chain": ["z"]}]}), PLACE
    )

    root = rendered(body)
    assert [one.get("href").removeprefix(SITE) for one in root.iter("a")] == [
        f"/blob/{'c' * 40}/facts/a.md", f"/commit/{'d' * 40}", f"/blob/{'c' * 40}/facts/a.md", f"/commit/{'d' * 40}",
        "/actions/runs/77",
    ]  # fmt: skip
    assert list(root.iter("img")) == []
    assert body.count("<!-- gitmem failed") == 1
    assert "@bob #12 1234abcd https://e.x <img src=x> [l](x) # x `a` |" in root.text_content().replace("\u200b", "")
    assert "gitmem settle a --retire" in body


def test_failures_beyond_the_limit_are_counted(hub: Hub) -> None:
    reasons = ["".join("abcdefghij"[int(digit)] for digit in f"{n:04}") * 40 for n in range(500)]
    facts = [row(f"fact-{n:04}", because=reason) for n, reason in enumerate(reasons)]
    many = failing_facts({"failed": facts, "suspect": []})

    body = body_of(many, PLACE)

    assert 20_000 < len(body) <= BODY_LIMIT
    assert "`gitmem status --each`" in body
    keep(hub.forge(), many)
    assert keep(hub.forge(), replace(many, rows=many.rows[5:])).action == "updated"
    assert hub.said == {}


def test_false_statements_have_their_own_issue(hub: Hub) -> None:
    said = {"path": "AGENTS.md", "line": 7, "kind": "value", "token": "8080", "evidence": "a.toml:3", "actual": "9090"}
    tell(hub, "a")

    opened = keep(hub.forge(), failing_statements({"commit": "c" * 40, "false": [said], "never_held": []}))
    closed = keep(hub.forge(), failing_statements({"commit": "c" * 40, "false": [], "never_held": []}))

    assert (opened.action, closed.action) == ("opened", "closed")
    assert [(one["title"], one["state"]) for one in hub.issues] == [(TITLE, "open"), (DOCUMENTS.title, "closed")]
    shown = body_of(failing_statements({"commit": "c" * 40, "false": [said]}), PLACE)
    assert "### ❌ 1 statement of documents is false" in shown
    assert f"says 8080, but a.toml:3 says 9090 ([AGENTS.md:7]({SITE}/blob/{'c' * 40}/AGENTS.md#L7))" in shown
