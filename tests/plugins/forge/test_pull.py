"""One pull request for a pair of branches."""

from __future__ import annotations

import pytest
from support.forge_server import Hub, pull

from gitmem.errors import ForgeError
from gitmem.git.forges.job_environment import ForgeRepository
from gitmem.plugins.forge.pull import find_or_open, request_body

BRANCH = "gitmem/verify"


def test_it_is_opened_once_and_found_from_then_on(hub: Hub) -> None:
    hub.pulls = [
        pull(1, BRANCH, base="main"),
        pull(2, BRANCH, base="memory", state="closed"),
        pull(3, BRANCH, base="memory", repo="mallory/shop"),
        pull(4, "gitmem/verify2", base="memory"),
    ]

    first = find_or_open(hub.forge(), BRANCH, "memory", "What\x1b[31m   was found")
    second = find_or_open(hub.forge(), BRANCH, "memory", "")

    assert (first.is_new, second.is_new) == (True, False)
    assert (first.number, first.url) == (second.number, second.url)
    assert hub.writes() == ["POST /pulls"]
    assert hub.asked[1][2]["title"] == r"What\x1b[31m was found"


def test_one_that_someone_else_opened_meanwhile_is_found(hub: Hub) -> None:
    hub.pulls = [pull(7, BRANCH, base="memory")]
    hub.plan("GET /pulls", (200, {}, []))
    errors = [
        {"resource": "PullRequest", "code": "custom", "message": f"A pull request already exists for acme:{BRANCH}."}
    ]
    hub.plan("POST /pulls", (422, {}, {"message": "Validation Failed", "errors": errors}))

    assert find_or_open(hub.forge(), BRANCH, "memory", "").number == 7


def test_nothing_between_the_branches_is_described_in_the_forges_words(hub: Hub) -> None:
    errors = [{"resource": "PullRequest", "code": "custom", "message": f"No commits between memory and {BRANCH}"}]
    hub.plan("POST /pulls", (422, {}, {"message": "Validation Failed", "errors": errors}))

    with pytest.raises(ForgeError, match=f"No commits between memory and {BRANCH}"):
        find_or_open(hub.forge(), BRANCH, "memory", "")


def test_without_a_title_it_is_called_as_its_branch() -> None:
    asked = request_body(ForgeRepository("acme/shop"), BRANCH, "memory", "")

    assert (asked["title"], asked["head"], asked["base"]) == (f"memory: {BRANCH}", BRANCH, "memory")
