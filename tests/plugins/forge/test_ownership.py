"""A comment's ownership follows from its author, not from its text."""

from __future__ import annotations

import pytest
from support.each import each
from support.forge_server import BOT, Hub, comment

from gitmem.errors import ForgeError
from gitmem.git.forges.job_environment import ForgeRepository, place_here
from gitmem.plugins.forge.ownership import add_signature, is_same, list_marked, mark, ours, who_am_i


@each(
    ("knows", "viewer", "login"),
    [
        ("ana", None, "ana"),
        (None, "shop-app[bot]", "shop-app[bot]"),
        (None, "shop-app", "shop-app[bot]"),
        (None, None, BOT),
    ],
    ids=["a person's token", "an app's", "an app's without its ending", "nobody says"],
)
def test_account_of_the_token_is_requested(hub: Hub, knows: str | None, viewer: str | None, login: str) -> None:
    hub.knows, hub.viewer = knows, viewer

    assert who_am_i(hub.forge()) == login


def test_robot_of_a_forge_without_graphql_is_recognized_by_name(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {**hub.environment(), "FORGEJO_ACTIONS": "true", "GITEA_ACTIONS": "true"}.items():
        monkeypatch.setenv(name, value)
    forge = hub.forge()
    forge.place = place_here()

    assert who_am_i(forge) == "forgejo-actions"
    assert [path for _, path, _ in hub.asked] == ["/user"]


def test_rejected_token_is_an_error(hub: Hub) -> None:
    hub.plan("GET /user", (401, {}, {"message": "Bad credentials"}))

    with pytest.raises(ForgeError, match="Bad credentials"):
        who_am_i(hub.forge())


def test_graphql_of_github_enterprise_is_next_to_the_rest_api(hub: Hub) -> None:
    hub.plan("GET /api/v3/user", (403, {}, {"message": "Resource not accessible by integration"}))
    hub.plan("POST /api/graphql", (200, {}, {"data": {"viewer": {"login": "x[bot]"}}}))
    forge = hub.forge()
    forge.place = ForgeRepository("acme/shop", f"{hub.address}/api/v3")

    assert who_am_i(forge) == "x[bot]"


def test_ours_begins_with_the_mark_and_is_by_the_account() -> None:
    sign = mark("comment check")
    found = [
        comment(3, f"{sign}\nb"),
        comment(2, f"{sign}\nb", "mallory"),
        comment(1, f"> {sign}\nb"),
        comment(4, f"{mark('comment review')}\nb"),
        {**comment(5, f"{sign}\nb"), "user": None},
        {**comment(6, ""), "body": None},
        comment(0, f"{sign}\nc"),
    ]

    assert [one["id"] for one in ours(list_marked(found, sign), BOT)] == [0, 3]


def test_texts_are_compared_without_their_run() -> None:
    one, two = (
        add_signature("a\n", ForgeRepository("acme/shop", run=f"https://h/acme/shop/actions/runs/{n}")) for n in (1, 2)
    )

    assert "run 1</a>" in one
    assert is_same(one.replace("\n", "\r\n"), two)
    assert not is_same(add_signature("b", ForgeRepository("acme/shop")), two)
    assert not is_same(None, two)
    assert add_signature("a", ForgeRepository("acme/shop")).endswith("<sub>Written by gitmem.</sub>\n")
