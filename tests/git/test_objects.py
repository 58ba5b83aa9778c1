"""Both doors to objects give the same answers on the same repositories; SHA-256 goes through the binary."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import git
from support.hostile_branch import FILE, FOLDER, LINK, MODULE, NOWHERE, blob, tree

from gitmem.errors import GitmemError, NotFoundError
from gitmem.git import Git, objects
from gitmem.git.objects import LibgitObjects, Objects, PathEntry, open_objects
from gitmem.git.repository import discover

DOORS = {"libgit2": LibgitObjects, "binary": Objects}


@pytest.fixture(params=["libgit2", "binary", "sha256"])
def door(request: pytest.FixtureRequest, repo: Path) -> Objects:
    if request.param == "sha256":
        git(repo, "init", "-q", "--object-format=sha256", "other")
        opened = open_objects(Git(discover(repo / "other")))
        assert type(opened) is Objects
        return opened
    found = Git(discover(repo))
    opened = open_objects(found)
    assert type(opened) is LibgitObjects
    return opened if request.param == "libgit2" else Objects(found)


def folder_of(door: Objects) -> Path:
    top = door.git.repository.work_tree
    assert top is not None
    return top


def write(folder: Path, files: dict[str, str]) -> str:
    """Write a tree of folders and return its name."""
    entries: list[tuple[str, bytes, str]] = []
    inside: dict[str, dict[str, str]] = {}
    for path, content in files.items():
        name, slash, rest = path.partition("/")
        if slash:
            inside.setdefault(name, {})[rest] = content
        else:
            entries.append((FILE, os.fsencode(name), blob(folder, content.encode())))
    entries += [(FOLDER, os.fsencode(name), write(folder, below)) for name, below in inside.items()]
    order = sorted(entries, key=lambda entry: entry[1] + (b"/" if entry[0] == FOLDER else b""))
    raw = b"".join(f"{mode} ".encode() + name + b"\0" + bytes.fromhex(oid) for mode, name, oid in order)
    return git(folder, "hash-object", "-t", "tree", "-w", "--literally", "--stdin", input=raw)


def test_a_difference_names_what_was_and_what_is(door: Objects) -> None:
    folder = folder_of(door)
    old = write(folder, {"a/x.md": "1", "a/same.md": "s", "b": "was a file", "c/d/e.md": "deep"})
    new = write(folder, {"a/x.md": "2", "a/same.md": "s", "b/now.md": "a folder", "\udcff.md": "bytes"})

    found = door.diff(old, new)

    def shown(entry: PathEntry | None) -> str | None:
        return None if entry is None else door.read([entry.oid], limit=99)[entry.oid].decode()

    assert {path: (shown(was), shown(now)) for path, (was, now) in found.items()} == {
        "a/x.md": ("1", "2"),
        "b": ("was a file", None),
        "b/now.md": (None, "a folder"),
        "c/d/e.md": ("deep", None),
        "\udcff.md": (None, "bytes"),
    }
    assert found["a/x.md"][0] == door.find(old, "a/x.md")


def test_nothing_is_an_empty_tree(door: Objects) -> None:
    top = write(folder_of(door), {"a/x.md": "1"})

    assert list(door.diff(None, top)) == ["a/x.md"]
    assert door.diff(top, None)["a/x.md"][1] is None
    assert door.diff(top, top) == door.diff(None, None) == {}


def test_links_and_modules_are_entries_like_others(repo: Path) -> None:
    link = blob(repo, b"/etc/passwd")
    top = tree(repo, [(LINK, b"link.md", link), (MODULE, b"module", NOWHERE)])

    found = [make_door(repo, kind).diff(None, top) for kind in DOORS]

    assert (
        found[0]
        == found[1]
        == {
            "link.md": (None, PathEntry("120000", link)),
            "module": (None, PathEntry("160000", NOWHERE)),
        }
    )


def make_door(repo: Path, kind: str) -> Objects:
    found = Git(discover(repo))
    return Objects(found) if kind == "binary" else open_objects(found)


def test_find_tells_files_folders_and_nothing_apart(door: Objects) -> None:
    top = write(folder_of(door), {"a/x[1].md": "1", "a/x1.md": "2"})

    assert door.find(top, "a/x[1].md") == door.diff(None, top)["a/x[1].md"][1]
    folder = door.find(top, "a")
    assert folder is not None and folder.mode == "040000"
    assert door.find(top, "a/none") is None
    assert door.find(top, "a/x1.md/below") is None


def test_read_leaves_out_what_is_missing_too_large_or_no_blob(door: Objects) -> None:
    folder = folder_of(door)
    small, large, top = blob(folder, b"123"), blob(folder, b"1234"), write(folder, {"a": "x"})
    missing = "1" * len(small)

    assert door.read([small, large, missing, top, small], limit=3) == {small: b"123"}


def test_a_missing_tree_is_reported(door: Objects) -> None:
    missing = "1" * len(write(folder_of(door), {}))

    with pytest.raises(NotFoundError, match="a tree of the store cannot be read"):
        door.diff(missing, None)


def test_trees_that_multiply_are_refused(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects, "MOST_CHANGES", 50)
    top = write(repo, {"a": "x", "b": "y"})
    for _ in range(6):
        top = tree(repo, [(FOLDER, b"l", top), (FOLDER, b"r", top)])

    for kind in DOORS:
        with pytest.raises(GitmemError, match="more than 50 files"):
            make_door(repo, kind).diff(None, top)


def test_a_partial_clone_goes_through_the_binary(repo: Path) -> None:
    (repo / ".git/objects/pack").mkdir(exist_ok=True)
    (repo / ".git/objects/pack/pack-1.promisor").touch()

    assert type(open_objects(Git(discover(repo)))) is Objects


def test_merge_bases_are_all_of_them_sorted(repo: Path) -> None:
    door = Git(discover(repo))
    top = git(repo, "rev-parse", "HEAD^{tree}")

    def commit(message: str, *parents: str) -> str:
        return git(repo, "commit-tree", "-m", message, *(w for p in parents for w in ("-p", p)), top)

    root, apart = commit("root"), commit("apart")
    one, other = commit("one", root), commit("other", root)
    left, right = commit("left", one, other), commit("right", other, one)

    assert door.merge_bases(one, other) == [root]
    assert door.merge_bases(left, right) == sorted([one, other])
    assert door.merge_bases(one, apart) == []


@contextmanager
def failing_device() -> Iterator[None]:
    """Let every open of a file fail, as on a device that does not answer."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_objects_that_cannot_be_opened_are_an_error_and_no_bug(repo: Path) -> None:
    opened = open_objects(Git(discover(repo)))
    inner = write(repo, {"c": "1"})
    top = write(repo, {"a/b/c": "1"})

    with failing_device():
        assert opened.read([inner], limit=9) == {}
        for ask in (lambda: opened.find(inner, "c"), lambda: opened.diff(None, top)):
            with pytest.raises(NotFoundError, match="cannot be read"):
                ask()
        assert type(open_objects(opened.git)) is Objects
    assert opened.find(inner, "c") is not None


ONES = {"commit": "", "tree": "^{tree}", "blob": ":README.md"}


def test_loose_object_that_was_cut_short_is_unreadable(repo: Path) -> None:
    names = {kind: git(repo, "rev-parse", f"HEAD{at}") for kind, at in ONES.items()}
    for kind, oid in names.items():
        file = repo / ".git" / "objects" / oid[:2] / oid[2:]
        whole = file.read_bytes()
        file.chmod(0o644)
        for size in (0, len(whole) // 3, len(whole) - 5):
            file.write_bytes(whole[:size])
            door = open_objects(Git(discover(str(repo))))

            assert isinstance(door, LibgitObjects)
            if kind == "blob":
                assert door.read([oid], limit=10_000) == {}
            else:
                with pytest.raises(NotFoundError):
                    door.diff(None, names["commit"])
        file.write_bytes(whole)
