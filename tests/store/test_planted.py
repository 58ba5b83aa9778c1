"""Links in the state folder lead to what is somebody's: they go, and it stays."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import git

from gitmem.app import Memory
from gitmem.recall.asked import Asked
from gitmem.store.planted import remove_links


@pytest.mark.parametrize("place", ["at", "vectors", "whoosh", "capture/sessions", "sessions/shown", "sessions/a/b"])
def test_link_goes_and_what_it_leads_to_stays(tmp_path: Path, place: str) -> None:
    mine = tmp_path / "mine" / "folder" / "file"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    link = tmp_path / "state" / place
    link.parent.mkdir(parents=True)
    link.symlink_to(tmp_path / "mine")

    remove_links(str(tmp_path / "state"))

    assert not link.is_symlink()
    assert mine.read_text() == "mine"


def test_what_is_no_link_stays(tmp_path: Path) -> None:
    (tmp_path / "sessions" / "a" / "b").mkdir(parents=True)
    (tmp_path / "sessions" / "a" / "b" / "log").write_text("x")

    remove_links(str(tmp_path))
    remove_links(str(tmp_path / "not there"))

    assert (tmp_path / "sessions" / "a" / "b" / "log").read_text() == "x"


def test_looking_back_deletes_nothing_behind_a_link(memory: Memory, repo: Path, tmp_path: Path) -> None:
    memory.remember("The gateway drops idle connections")
    memory.close()
    for number in range(12):
        (tmp_path / "home" / f"folder-{number}").mkdir(parents=True)
    state = repo / ".git" / "gitmem"
    (state / "at").symlink_to(tmp_path / "home")

    with Memory(repo) as opened:
        opened.recall(Asked(query="gateway"))
        opened.at("HEAD").recall(Asked(query="gateway"))

    assert len(list((tmp_path / "home").iterdir())) == 12
    assert git(repo, "status", "--porcelain") == ""
