"""The repositories of the hub: what is added, changed, removed and refused."""

from __future__ import annotations

import pytest
from support.postgres import HubDatabase

from gitmem.errors import NotFoundError, UsageError
from gitmem.hub.database import connected
from gitmem.hub.registry import Entry, add, list_repositories, name_of, remove


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://git.example.org/payments/api.git", "payments/api"),
        ("https://git.example.org/a/b/c/", "b/c"),
        ("ssh://git@git.example.org:2222/payments/api.git/", "payments/api"),
        ("git@git.example.org:payments/api.git", "payments/api"),
        ("git@git.example.org:api", "api"),
        ("/srv/git/api.git", "git/api"),
        ("https://git.example.org/", ""),
    ],
)
def test_name_comes_from_the_address(url: str, name: str) -> None:
    assert name_of(url) == name


def test_repositories_are_listed_with_their_readers_and_changed_when_added_again(hub: HubDatabase) -> None:
    url = "https://git.example.org/payments/api.git"
    with connected(hub.url) as connection:
        assert list_repositories(connection) == []
        assert add(connection, Entry(url, team="payments", readers=("bob", "alice"))) == "payments/api"
        add(connection, Entry("/srv/git/web.git", name="web"))
        first = list_repositories(connection)
        add(connection, Entry(url, name="api", readers=("carol",)))
        second = list_repositories(connection)

        assert [(one.name, one.team, [*one.readers]) for one in first] == [
            ("payments/api", "payments", ["alice", "bob", "payments"]),
            ("web", "", []),
        ]
        assert [(one.name, one.team, [*one.readers]) for one in second] == [("api", "", ["carol"]), ("web", "", [])]
        remove(connection, "api")
        add(connection, Entry(url, name="api"))  # a removed one may come back
        log = connection.execute("SELECT identity, action, detail FROM hub.audit ORDER BY id").fetchall()

    assert [(who, what) for who, what, _ in log] == [
        ("hub_owner", what) for what in ("add", "add", "add", "remove", "add")
    ]
    assert "alice, bob" in log[0][2]


def test_removing_what_is_not_there_is_refused(hub: HubDatabase) -> None:
    with connected(hub.url) as connection, pytest.raises(NotFoundError, match="no repository nothing"):
        remove(connection, "nothing")


@pytest.mark.parametrize(
    "entry",
    [
        Entry("ext::sh -c 'touch x'", name="a"),
        Entry("--upload-pack=touch", name="a"),
        Entry("relative/folder", name="a"),
        Entry("https://host/a b", name="a"),
        Entry("https://host/a\nb", name="a"),
        Entry("https://alice:secret@host/a/b"),
        Entry("https://host/"),
        Entry(f"https://host/{'a' * 3000}", name="a"),
        Entry("/srv/a", name="../a"),
        Entry("/srv/a", name="a\x1b[31m"),
        Entry("/srv/a", name="a b"),
        Entry("/srv/a", name="a", branch="memory..x"),
        Entry("/srv/a", name="a", branch="-x"),
        Entry("/srv/a", name="a", readers=("alice\nadmin",)),
        Entry("/srv/a", name="a", readers=("",)),
        Entry("/srv/a", name="a", team=" x"),
    ],
)
def test_hostile_entry_is_refused(hub: HubDatabase, entry: Entry) -> None:
    with connected(hub.url) as connection:
        with pytest.raises(UsageError):
            add(connection, entry)

        assert list_repositories(connection) == []


def test_two_repositories_cannot_have_one_name(hub: HubDatabase) -> None:
    with connected(hub.url) as connection:
        add(connection, Entry("/srv/a/api.git", name="api"))
        with pytest.raises(UsageError, match="another repository is called api: /srv/a/api"):
            add(connection, Entry("/srv/b/api.git", name="api"))
