"""What the starter is told, and that what it removes is what it was told to remove."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.verify import launch

words = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
lists = st.lists(words, max_size=4).map(tuple)
plans = st.builds(
    launch.Plan,
    cwd=words,
    scratch=words,
    cpu_s=st.integers(1, 10**9),
    reports=st.booleans(),
    confined=st.booleans(),
    network=st.booleans(),
    traced=st.booleans(),
    env=lists,
    readable=lists,
    writable=lists,
    argv=lists,
)


@given(plans)
def test_a_plan_survives_the_pipe(plan):
    request = launch.format_plan(plan)

    assert int.from_bytes(request[:4], "big") == len(request) - 4
    assert launch.parse_plan(request[4:]) == plan


def test_a_word_that_is_not_utf_8_survives_the_pipe():
    plan = launch.Plan("/", "", 1, False, False, False, False, (), (), (), ("\udcff", ""))

    assert launch.parse_plan(launch.format_plan(plan)[4:]) == plan


def test_a_nul_in_a_word_is_refused_and_cannot_make_two_of_one():
    plan = launch.Plan("/", "", 1, False, False, False, False, (), (), (), ("a\0b",))

    with pytest.raises(ValueError, match="null byte"):
        launch.format_plan(plan)


def test_removing_what_is_not_there_is_no_error(tmp_path):
    launch.remove_tree(str(tmp_path / "gone"))


def test_removing_takes_what_was_made_unreadable(tmp_path):
    top = tmp_path / "top"
    (top / "a" / "b" / "c").mkdir(parents=True)
    (top / "a" / "b" / "f").write_text("x")
    for folder in (top / "a" / "b", top / "a", top):
        folder.chmod(0)

    launch.remove_tree(str(top))

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

    launch.remove_tree(str(top))
    launch.remove_tree(str(tmp_path / "toplink"))

    assert sorted(os.listdir(tmp_path)) == ["precious"]
    assert (precious / "f").read_text() == "kept"


def test_removing_is_not_stopped_by_depth(tmp_path):
    # Deeper than a path may be long (4096 bytes), and than Python recurses (1000).
    script = "import os, sys\nos.chdir(sys.argv[1])\nfor _ in range(1500): os.mkdir('deeper'); os.chdir('deeper')"
    top = tmp_path / "top"
    top.mkdir()
    subprocess.run([sys.executable, "-I", "-S", "-c", script, str(top)], check=True)

    launch.remove_tree(str(top))

    assert list(tmp_path.iterdir()) == []


def test_removing_a_file_removes_the_file(tmp_path):
    (tmp_path / "f").write_text("x")

    launch.remove_tree(str(tmp_path / "f"))

    assert list(tmp_path.iterdir()) == []


def test_children_are_found_without_the_kernels_list_as_well(monkeypatch):
    with subprocess.Popen(["sleep", "30"]) as child:
        listed = launch._list_children()
        monkeypatch.setattr("builtins.open", _without_children_file(open))
        scanned = launch._list_children()
        child.kill()

    assert child.pid in listed
    assert child.pid in scanned


def _without_children_file(real):
    def opened(path, *args, **kwargs):
        if str(path).endswith("/children"):
            raise FileNotFoundError(path)
        return real(path, *args, **kwargs)

    return opened


def test_what_does_not_end_is_told_in_place_of_a_status(monkeypatch, capsys):
    monkeypatch.setattr(launch, "SWEEP_S", 0.05)
    monkeypatch.setattr(launch, "_list_children", list)

    with subprocess.Popen(["sleep", "30"]) as child:
        with pytest.raises(SystemExit, match=r"did not end within 0\.05 s"):
            launch._sweep()
        child.kill()
