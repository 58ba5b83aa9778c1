"""Removal deletes exactly what it should."""

from __future__ import annotations

import os
import subprocess
import sys

from gitmem.verify.sandbox.removal import remove_tree


def test_removing_a_missing_folder_succeeds(tmp_path):
    remove_tree(str(tmp_path / "gone"))


def test_removing_takes_what_was_made_unreadable(tmp_path):
    top = tmp_path / "top"
    (top / "a" / "b" / "c").mkdir(parents=True)
    (top / "a" / "b" / "f").write_text("x")
    for folder in (top / "a" / "b", top / "a", top):
        folder.chmod(0)

    remove_tree(str(top))

    assert not top.exists()


def test_removing_follows_no_link(tmp_path):
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "f").write_text("kept")
    top = tmp_path / "top"
    (top / "d").mkdir(parents=True)
    (top / "link").symlink_to(precious)
    (top / "d" / "link").symlink_to(precious)
    (tmp_path / "toplink").symlink_to(precious)

    remove_tree(str(top))
    remove_tree(str(tmp_path / "toplink"))

    assert sorted(os.listdir(tmp_path)) == ["precious"]
    assert (precious / "f").read_text() == "kept"


def test_removing_is_not_stopped_by_depth(tmp_path):
    # Deeper than a path may be long (4096 bytes), and than Python recurses (1000).
    script = "import os, sys\nos.chdir(sys.argv[1])\nfor _ in range(1500): os.mkdir('deeper'); os.chdir('deeper')"
    top = tmp_path / "top"
    top.mkdir()
    subprocess.run([sys.executable, "-I", "-S", "-c", script, str(top)], check=True)

    remove_tree(str(top))

    assert list(tmp_path.iterdir()) == []


def test_removing_a_file_removes_the_file(tmp_path):
    (tmp_path / "f").write_text("x")

    remove_tree(str(tmp_path / "f"))

    assert list(tmp_path.iterdir()) == []
