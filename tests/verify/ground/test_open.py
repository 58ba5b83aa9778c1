"""The grounds that work here: in the repository where it can be written to, else in the temporary folder."""

from __future__ import annotations

import os
import tempfile
from functools import lru_cache

import pytest
from conftest import NOW, commit_files, git

from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.verify.ground.ground import place_of_clones
from gitmem.verify.ground.open import open_grounds
from gitmem.verify.sandbox import sandbox
from gitmem.verify.sandbox.account import temporary_place

PATH = os.environ["PATH"]
works = lru_cache(sandbox.works)


@pytest.mark.parametrize("rung", ["bubblewrap", "none"])
def test_grounds_of_a_read_only_repository_are_temporary(repo, monkeypatch, tmp_path, rung):
    if rung != "none" and not works(rung, PATH):
        pytest.skip(f"{rung} does not work here")
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    (repo / ".git" / "gitmem").write_text("in the way, as a disk that is read-only would be")
    commits = [git(repo, "rev-parse", "HEAD"), commit_files(repo, {"new": "new\n"})]

    said = []
    with open_grounds(Git(discover(repo)), rung, PATH, now=NOW) as grounds:
        for commit in commits:
            with grounds.take(commit) as ground:
                assert ground.path.is_relative_to(temporary_place())
                argv = ["sh", "-c", "git log --oneline | wc -l; cat new; echo x > new"]
                ran = sandbox.run_check(argv, ground=ground, rung=rung, network=False, timeout_s=20, path=PATH)
                said.append(ran.output.split("\n")[:2])

    assert said == [["1", "cat: new: No such file or directory"], ["2", "new"]]
    assert os.listdir(tmp_path / "tmp") == []


def test_grounds_are_in_the_place_of_the_work_tree_where_mounts_work(repo):
    commit = git(repo, "rev-parse", "HEAD")
    place = place_of_clones(Git(discover(repo)))
    mounts = {"bubblewrap": True, "landlock": sandbox.probe_place(PATH, place, "landlock"), "none": False}
    for rung, is_mounted in mounts.items():
        with open_grounds(Git(discover(repo)), rung, PATH, now=NOW) as grounds, grounds.take(commit) as ground:
            assert (ground.path_in_check == repo.resolve()) is is_mounted
            # Without mounts, a check could see that there are settings above it, and not read them.
            assert ground.path.is_relative_to(place) is (is_mounted or rung == "none")


def test_landlock_shows_the_same_place_and_history_as_bubblewrap(repo):
    """And the borrowed objects, read-only, whose folder the mounted ground hides."""
    place = place_of_clones(Git(discover(repo)))
    if not (works("bubblewrap", PATH) and works("landlock", PATH) and sandbox.probe_place(PATH, place, "landlock")):
        pytest.skip("the rungs, or mounts, do not work here")
    (repo / ".env").write_text("secret")
    commit, said = git(repo, "rev-parse", "HEAD"), []
    script = (
        "pwd; git log --format=%s; ls -A; cat .env; git cat-file -t HEAD; echo x > made;"
        " o=$(head -n 1 .git/objects/info/alternates); (echo x > $o/x) 2>/dev/null && echo written;"
        " rm -rf .git; echo x > README.md"
    )
    for rung in ("bubblewrap", "landlock", "bubblewrap", "landlock"):
        with open_grounds(Git(discover(repo)), rung, PATH, now=NOW) as grounds, grounds.take(commit) as ground:
            argv = ["sh", "-c", script]
            ran = sandbox.run_check(argv, ground=ground, rung=rung, network=False, timeout_s=20, path=PATH)
            said.append((ran.status, ran.output, ran.problem))

    assert len(set(said)) == 1
    assert said[0][1].startswith(f"{repo.resolve()}\n")
    assert "written" not in said[0][1]
    assert (repo / "README.md").read_text() != "x\n"
