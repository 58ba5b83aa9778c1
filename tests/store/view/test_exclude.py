"""The view's line in info/exclude: it hides the view alone, and goes without a trace."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import git

from gitmem.store.view import exclude


@pytest.mark.parametrize("name", [".memory", "a b/[x]*", "#hash", "!bang"])
def test_line_hides_this_folder_and_no_other(repo: Path, name: str) -> None:
    for folder in (name, "src/other"):
        (repo / folder).mkdir(parents=True, exist_ok=True)
        (repo / folder / "file").write_text("x")

    exclude.add(str(repo / ".git"), name)

    assert git(repo, "status", "--porcelain", "-uall") == "?? src/other/file"


def test_taking_it_out_leaves_every_other_line_byte_for_byte(tmp_path: Path) -> None:
    file = tmp_path / "info" / "exclude"
    exclude.add(str(tmp_path), ".memory")
    exclude.take_out(str(tmp_path), ".memory")
    assert not file.parent.exists()
    before = b"# caf\xe9\r\n*.log\n/.memory-old/"
    file.parent.mkdir()
    file.write_bytes(before)

    exclude.add(str(tmp_path), ".memory")
    exclude.add(str(tmp_path), ".memory")
    added = file.read_bytes()
    exclude.take_out(str(tmp_path), ".memory")

    assert added.count(b"/.memory/\n") == 1
    assert file.read_bytes() == before
