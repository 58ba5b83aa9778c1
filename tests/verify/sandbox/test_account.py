"""The user that a check of root runs as."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from gitmem.verify.sandbox.account import CHECK_USER, SYSTEM_PLACES, argv_as, check_user, give, temporary_place


def test_root_of_a_user_namespace_alone_needs_no_other_user(monkeypatch: pytest.MonkeyPatch) -> None:
    for maps, expected in (
        ("0 1000 1\n", 0),
        ("0 1000 1\n1 100000 65536\n", 0),
        ("0 0 4294967295\n", 60877),
        ("0 0 1", 0),
    ):
        monkeypatch.setattr(os, "geteuid", lambda: 0)
        monkeypatch.setattr(Path, "read_text", lambda *_, text=maps, **__: text)
        assert check_user.__wrapped__() == expected, maps


def test_whoever_is_not_root_runs_checks_as_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)

    assert check_user.__wrapped__() == 0
    assert argv_as(0) == []


@pytest.mark.skipif(check_user() == 0, reason="only root can give a tree away")
def test_a_tree_is_given_with_its_links_and_never_what_they_lead_to(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("x")
    top = tmp_path / "top"
    (top / "a/b").mkdir(parents=True)
    (top / "a/b/file").write_text("x")
    (top / "link").symlink_to(outside)
    (top / "folder").symlink_to(tmp_path)

    give(top, CHECK_USER)

    owners = {place.lstat().st_uid for place in (top, *top.rglob("*"))}
    assert owners == {CHECK_USER}
    assert (outside.stat().st_uid, tmp_path.stat().st_uid) == (0, 0)


@pytest.mark.skipif(check_user() == 0, reason="only a check of root runs as another user")
def test_temporary_files_are_where_the_check_s_user_can_reach_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    monkeypatch.setattr(tempfile, "tempdir", str(closed))

    assert temporary_place() in map(Path, SYSTEM_PLACES)
