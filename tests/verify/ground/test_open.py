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
from gitmem.verify.sandbox.account import check_user, temporary_place

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


def test_grounds_are_in_the_place_of_the_work_tree_only_where_that_can_be_shown(repo):
    commit = git(repo, "rev-parse", "HEAD")
    seen = {}
    for rung in ("bubblewrap", "landlock", "none"):
        with open_grounds(Git(discover(repo)), rung, PATH, now=NOW) as grounds, grounds.take(commit) as ground:
            seen[rung], clone = ground.path_in_check, ground.path
            assert rung != "bubblewrap" or ground.path_in_check == repo.resolve()
            own = clone.is_relative_to(place_of_clones(Git(discover(repo))))
            # The checks of root could not come to a folder of its repository.
            assert own is not (rung == "landlock" and bool(check_user()))
            seen[rung] = seen[rung] == clone

    assert seen == {"bubblewrap": False, "landlock": True, "none": True}
