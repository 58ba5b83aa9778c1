"""What a setting lists: names and folders."""

from __future__ import annotations

import pytest
from support.each import each

from gitmem.errors import UsageError
from gitmem.store.listings import StoreListing, entries_of, entry_of


def named(*texts: str) -> dict[str, str]:
    return {entry.name: entry.path for entry in entries_of(texts, "/here/service")}


def test_a_store_is_called_as_its_folder_unless_it_is_given_a_name() -> None:
    assert named("/srv/api", "notes=/srv/n", "/srv/web.git", "/srv/tool/.git", "/srv/数据/") == {
        "api": "/srv/api",
        "notes": "/srv/n",
        "web": "/srv/web.git",
        "tool": "/srv/tool/.git",
        "store": "/srv/数据",
    }


def test_a_relative_folder_begins_at_the_repository_and_a_tilde_at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ana")

    assert named("../api", "~/notes", "x=./a=b") == {
        "api": "/here/api",
        "notes": "/home/ana/notes",
        "x": "/here/service/a=b",
    }


def test_each_folder_counts_once_and_a_name_that_is_taken_gets_a_number() -> None:
    assert named("/a/api", "/a/api/", "/b/api", "api=/c/gateway") == {
        "api-2": "/a/api",
        "api-3": "/b/api",
        "api": "/c/gateway",
    }


@each("text", ["a/b=c", "-x=c", "ü=c", "=c"])
def test_prefix_that_cannot_be_a_name_is_part_of_the_path(text: str) -> None:
    assert [entry.path for entry in entries_of([text], "/here")] == [f"/here/{text}"]


def test_a_new_store_needs_a_name_of_its_own() -> None:
    others = [StoreListing("api", "/srv/api", "/srv/api")]

    assert entry_of("web=x", "/srv/x", others) == StoreListing("web", "/srv/x", "web=/srv/x")
    assert entry_of("./x", "/srv/x", others) == StoreListing("x", "/srv/x", "/srv/x")
    with pytest.raises(UsageError, match="a store api already"):
        entry_of("../other/api", "/other/api", others)
