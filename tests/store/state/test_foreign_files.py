"""Links in the state folder lead to what is somebody's: they go, and it stays."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import git

from gitmem.errors import UnwritableError
from gitmem.memory import Memory
from gitmem.recall.query import Query
from gitmem.store.state.foreign_files import describe_misplaced, has_links, remove_links


@pytest.mark.parametrize(
    "place", ["at", "vectors", "whoosh", "capture/sessions", "sessions/shown", "sessions/a/b", "private/a/x"]
)
def test_link_is_removed_and_its_target_stays(tmp_path: Path, place: str) -> None:
    mine = tmp_path / "mine" / "folder" / "file"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    link = tmp_path / "state" / place
    link.parent.mkdir(parents=True)
    link.symlink_to(tmp_path / "mine")

    remove_links(str(tmp_path / "state"))

    assert not link.is_symlink()
    assert mine.read_text() == "mine"


def test_anything_but_a_link_stays(tmp_path: Path) -> None:
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
        opened.recall(Query(text="gateway"))
        opened.at("HEAD").recall(Query(text="gateway"))

    assert len(list((tmp_path / "home").iterdir())) == 12
    assert git(repo, "status", "--porcelain") == ""


def test_link_that_cannot_be_removed_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "at").symlink_to("/home")
    monkeypatch.setattr(
        "os.unlink", lambda *_, **__: (_ for _ in ()).throw(PermissionError(30, "Read-only file system"))
    )

    with pytest.raises(UnwritableError, match=r"at, which is a link .* Read-only"):
        remove_links(str(tmp_path))


def test_links_of_the_code_in_a_scratch_clone_stay(tmp_path: Path) -> None:
    (tmp_path / "ground" / "0" / "src").mkdir(parents=True)
    (tmp_path / "ground" / "0" / "src" / "current").symlink_to("v2")
    (tmp_path / "ground" / "1").symlink_to("/home")

    remove_links(str(tmp_path))

    assert (tmp_path / "ground" / "0" / "src" / "current").is_symlink()
    assert not (tmp_path / "ground" / "1").is_symlink()


def test_folders_without_links_are_distinguished_from_others(tmp_path: Path) -> None:
    (tmp_path / "vectors" / "a").mkdir(parents=True)
    assert not has_links(str(tmp_path))

    (tmp_path / "vectors" / "a" / "rows").symlink_to("x")
    assert has_links(str(tmp_path))


def test_every_command_says_what_to_do_about_a_file_in_the_place_of_the_state(memory: Memory, repo: Path) -> None:
    memory.remember("The gateway drops idle connections")
    memory.close()
    state = repo / ".git" / "gitmem"
    state.rename(state.with_suffix(".old"))
    state.write_text("not gitmem's")

    with Memory(repo) as opened:
        found = opened.recall(Query(text="gateway"))
        said = opened.repository.notices

    assert [hit.title for hit in found.hits] == ["The gateway drops idle connections"]
    assert [
        notice for notice in said if f"{state} is not a folder" in notice and f"mv -n {state} {state}.old" in notice
    ]
    assert (state.read_text(), describe_misplaced(str(repo), str(repo / "none"))) == ("not gitmem's", "")
    (repo / "ana's").touch()
    assert """mv -n '{0}'"'"'s' '{0}'"'"'s.old'""".format(repo / "ana") in describe_misplaced(str(repo / "ana's"))


@pytest.mark.parametrize(
    "command",
    ["adopt", "trust --print", "untrust nothing-such", "sync", "why nothing-such", "show nothing-such", "list"],
)
def test_each_command_says_once_what_is_in_the_place_of_the_state(run_cli, memory: Memory, repo: Path, command) -> None:
    memory.remember("The gateway drops idle connections")
    memory.close()
    state = repo / ".git" / "gitmem"
    state.rename(state.with_suffix(".old"))
    state.touch()

    done = run_cli(*command.split())

    assert done.err.count(f"mv -n {state} {state}.old") == 1


def test_a_report_is_not_written_below_a_file(run_cli, memory: Memory, repo: Path) -> None:
    memory.close()
    state = repo / ".git" / "gitmem"
    state.rename(state.with_suffix(".old"))
    state.touch()

    done = run_cli("report")

    assert done.status == 3, done.err
    assert "Not a directory" in done.err
