"""Files below one folder: whole or not at all, and never through a symbolic link."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest
from support.each import each

from gitmem.git.objects import oid_of
from gitmem.store.view.safe_folder import NEW, ODD, Folder


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """Return a folder with a stranger's secret beside it."""
    (tmp_path / "secret").write_text("secret")
    folder = tmp_path / "top"
    folder.mkdir()
    return folder


def test_what_is_written_is_read_and_its_folders_go_with_the_last_file(top: Path) -> None:
    with Folder(str(top)) as folder:
        folder.write("a/b/x.md", b"one\n", mode="100644")
        folder.write("a/y.md", b"two\n", mode="100755")
        found = (folder.read("a/b/x.md"), folder.read("a/y.md"), folder.read("a/none.md"), folder.read("no/x.md"))
        is_program = os.access(top / "a/y.md", os.X_OK)
        folder.remove("a/b/x.md")

    assert found == (b"one\n", b"two\n", None, None)
    assert is_program
    assert not os.access(top / "a/b", os.F_OK)
    assert sorted(p.name for p in (top / "a").iterdir()) == ["y.md"]


def test_links_lead_nowhere(top: Path) -> None:
    (top / "file.md").symlink_to("../secret")
    (top / "dir").symlink_to("..")
    (top / NEW).symlink_to("../secret")
    os.mkfifo(top / "pipe.md")

    with Folder(str(top)) as folder:
        odd = [folder.oid(path, 40) for path in ("file.md", "dir/secret", "pipe.md")]
        with pytest.raises(NotADirectoryError):
            folder.write("dir/new.md", b"x", mode="100644")
        folder.write("file.md", b"mine", mode="100644")

    assert odd == [ODD, ODD, ODD]
    assert (top.parent / "secret").read_text() == "secret"
    assert not (top.parent / "new.md").exists()
    assert ((top / "file.md").is_symlink(), (top / "file.md").read_text()) == (False, "mine")


@each("path", ["../secret", "a/../../secret", "", "a//b", ".git", "a/.GIT/config", "./x"])
def test_no_path_leads_out_of_it_or_into_gits_own(top: Path, path: str) -> None:
    with Folder(str(top)) as folder:
        with pytest.raises(ValueError, match="its name is not allowed"):
            folder.write(path, b"x", mode="100644")
        with pytest.raises(ValueError, match="its name is not allowed"):
            folder.remove(path)

        assert folder.oid(path, 40) == ODD
    assert (top.parent / "secret").read_text() == "secret"


def test_top_that_is_a_link_is_refused(top: Path) -> None:
    (top.parent / "link").symlink_to(top)

    with pytest.raises(NotADirectoryError), Folder(str(top.parent / "link")):
        pass


def test_a_file_larger_than_a_memory_is_not_read(top: Path) -> None:
    (top / "large.md").write_bytes(bytes(2_000_000))

    with Folder(str(top)) as folder, pytest.raises(ValueError, match="2000000 bytes"):
        folder.read("large.md")


def test_the_name_of_a_blob_is_gits() -> None:
    assert oid_of(b"", 40) == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert oid_of(b"x", 64) == hashlib.sha256(b"blob 1\0x").hexdigest()
