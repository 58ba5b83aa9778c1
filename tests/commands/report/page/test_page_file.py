"""The page replaces only an earlier report."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.commands.report.page.page_file import write
from gitmem.commands.report.page.render import MARK
from gitmem.errors import GitmemError, RefusedError


def test_an_earlier_page_is_replaced_and_an_empty_file_filled(tmp_path: Path) -> None:
    page, empty = tmp_path / "page.html", tmp_path / "empty.html"
    empty.touch()

    for file in (page, page, empty):
        write(str(file), f"{MARK}é")

    assert page.read_bytes() == empty.read_bytes() == f"{MARK}é".encode()
    assert sorted(tmp_path.iterdir()) == [empty, page]


@pytest.mark.parametrize(
    "make", [lambda f: f.write_text("<!doctype html>\n<p>mine"), lambda f: f.symlink_to("x"), Path.mkdir]
)
def test_file_of_a_person_is_not_overwritten(tmp_path: Path, make) -> None:
    file = tmp_path / "page.html"
    make(file)

    with pytest.raises(RefusedError, match=r"page\.html"):
        write(str(file), MARK)

    assert sorted(tmp_path.iterdir()) == [file]


def test_force_replaces_a_file_and_never_a_folder(tmp_path: Path) -> None:
    (tmp_path / "mine.html").write_text("mine")

    write(str(tmp_path / "mine.html"), MARK, force=True)

    assert (tmp_path / "mine.html").read_text() == MARK
    with pytest.raises(RefusedError, match="is a folder"):
        write(str(tmp_path), MARK, force=True)


def test_a_folder_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(GitmemError, match="cannot write the report"):
        write(str(tmp_path / "no" / "page.html"), MARK)
