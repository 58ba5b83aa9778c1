from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import git

from gitmem.errors import GitmemError
from gitmem.store.universal import find_universal, make_universal, universal_place


def test_a_repository_is_made_once_and_found_again(tmp_path: Path) -> None:
    assert find_universal() is None

    made = make_universal()

    assert made == find_universal() == make_universal()
    assert made.top == str(tmp_path / "data-home/gitmem/universal")
    assert os.stat(made.top).st_mode & 0o077 == 0
    assert not (Path(made.git) / "hooks").exists()


def test_one_that_was_made_by_half_is_finished(tmp_path: Path) -> None:
    (tmp_path / "data-home/gitmem/universal/.git/objects").mkdir(parents=True)

    assert find_universal() is None
    assert make_universal() == find_universal()


def test_a_repository_around_it_is_another_one(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    Path(universal_place()).mkdir(parents=True)

    assert find_universal() is None


def test_a_place_that_cannot_be_written_to_is_reported(tmp_path: Path) -> None:
    (tmp_path / "data-home").write_text("a file")

    with pytest.raises(GitmemError, match=r"cannot create .*universal"):
        make_universal()


def test_without_a_home_it_is_not_looked_for_at_the_root_of_the_file_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", "")
    monkeypatch.chdir(tmp_path)

    assert find_universal() is None
    with pytest.raises(GitmemError, match="HOME is empty"):
        make_universal()
    assert list(tmp_path.iterdir()) == []
