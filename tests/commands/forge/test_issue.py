"""One issue that says what fails now, through a month of failures, repairs, and people who close and relabel it."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from support.forge_server import BOT, Handler, Hub, issue
from support.github_markdown import alive, rendered

from gitmem.commands.forge.issue import LABEL, LISTED, TITLE, Failing, body_of, keep
from gitmem.commands.forge.ownership import BODY_LIMIT
from gitmem.commands.forge.place import ForgeRepository
from gitmem.errors import ForgeError

PLACE = ForgeRepository("acme/shop", run="https://github.example/acme/shop/actions/runs/77")
SIGN = "<!-- gitmem issue -->"


def row(key: str, **more: str) -> dict[str, str]:
    return {"key": key, "title": f"Title of {key}", "because": "it does not", "broken": "", "by": "Ana", **more}


def failing(*keys: str, suspect: tuple[str, ...] = ()) -> Failing:
    return Failing(tuple(map(row, keys)), tuple(row(key, because="rests on a") for key in suspect))


def tell(hub: Hub, *keys: str, suspect: tuple[str, ...] = ()) -> str:
    return keep(hub.forge(), failing(*keys, suspect=suspect)).action


def test_a_month_of_failures_and_repairs(hub: Hub) -> None:
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
        "All well: no fact fails any more.",
        "1 more fact fails:",
    ]


def test_closed_is_closed_as_completed(hub: Hub) -> None:
    tell(hub, "a")

    tell(hub)

    assert (hub.issues[0]["state"], hub.issues[0]["state_reason"]) == ("closed", "completed")
    assert "All well" in hub.issues[0]["body"]


def test_who_closes_it_is_believed_until_something_else_fails(hub: Hub) -> None:
    tell(hub, "a", "b")
    hub.issues[0]["state"] = "closed"

    assert [tell(hub, "a", "b"), tell(hub, "a"), tell(hub), tell(hub, "a")] == ["left", "left", "updated", "reopened"]


def test_a_strangers_issue_and_a_pull_request_are_not_ours(hub: Hub) -> None:
    label = [{"name": LABEL}]
    hub.issues = [
        issue(1, f"{SIGN}\nx", "mallory", labels=label),
        issue(2, f"{SIGN}\nx", BOT, labels=label, pull_request={"url": "…"}),
        issue(3, None, BOT, labels=label),
    ]

    assert tell(hub, "a") == "opened"

    assert [one["body"] for one in hub.issues[:3]] == [f"{SIGN}\nx", f"{SIGN}\nx", None]


def test_one_without_its_label_is_found_all_the_same(hub: Hub) -> None:
    tell(hub, "a")
    hub.issues[0]["labels"] = []

    assert tell(hub) == "closed"


def test_a_label_that_was_dropped_is_set(hub: Hub) -> None:
    def unlabelled(handler: Handler) -> tuple[int, dict[str, str], object]:
        hub.issues.append(issue(40, hub.asked[-1][2]["body"]))
        return 201, {}, hub.issues[-1]

    hub.plan("POST /issues", unlabelled)

    assert tell(hub, "a") == "opened"
    assert [label["name"] for label in hub.issues[0]["labels"]] == [LABEL]


def test_two_runs_at_once_leave_one_open(hub: Hub) -> None:
    both = threading.Barrier(2, timeout=10)

    def wait(handler: Handler) -> tuple[int, dict[str, str], object]:
        both.wait()
        return 200, {}, []

    hub.plan("GET /issues", wait, wait, (200, {}, []), (200, {}, []))

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: tell(hub, "a"), range(2)))

    assert [one["state"] for one in hub.issues].count("open") == 1


def test_disabled_issues_are_an_error_of_their_status(hub: Hub) -> None:
    hub.plan("POST /issues", (410, {}, {"message": "Issues has been disabled in this repository."}))

    with pytest.raises(ForgeError) as caught:
        tell(hub, "a")

    assert caught.value.status == 410


def test_what_memories_say_is_inert() -> None:
    hostile = "@bob #12 1234abcd https://e.x <img src=x> [l](x)\n# x `a` | \x1b[31m\u202e <!-- gitmem failed -->"
    made = row("a", title=hostile, because=hostile, broken="broken by 1234abcd5678 (Ana: fixes #1)", by="@ana")

    body = body_of(Failing((made,), (made,)), PLACE)

    shown = "\n".join(line for line in body.split("\n") if line.startswith("- "))
    assert alive(rendered(shown)) == []
    assert body.count("<!-- gitmem failed") == 1
    assert "@bob #12 1234abcd https://e.x <img src=x> [l](x) # x `a` |" in rendered(shown).text_content().replace(
        "\u200b", ""
    )
    assert "`gitmem settle a`" in body
    assert "<code>1234abcd5678</code>" in body


def test_many_failures_are_counted_and_remembered(hub: Hub) -> None:
    keys = [f"fact-{n:04}" for n in range(1500)]
    many = Failing(tuple(row(key, title="t" * 300) for key in keys))

    body = body_of(many, PLACE)

    assert 40_000 < len(body) <= BODY_LIMIT
    listed = body.count("\n- **fact-")
    assert listed <= LISTED
    assert f"- … and {1500 - listed} more: `gitmem status`" in body
    keep(hub.forge(), many)
    assert keep(hub.forge(), Failing(many.failed[5:])).action == "updated"
    assert hub.said == {}
