"""The pictures of terminals show what the commands print today; the report's pictures are small.

``UPDATE_PAGES=1`` draws them again: look at each before you commit it.
"""

from __future__ import annotations

import html
import os
import re
import shutil
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
from support.typed_pages import is_shown

DOCS = Path(__file__).resolve().parent.parent / "docs"
NAMES = ("adopt", "check", "hook")


@pytest.fixture(scope="module")
def maker() -> Any:
    spec = spec_from_file_location("make_picture", DOCS / "make_picture.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def plain(screen: str) -> str:
    return re.sub(r"\x1b\[[\d;]*m", "", screen)


@pytest.mark.parametrize("name", NAMES)
def test_commands_print_today_what_the_picture_shows(maker: Any, name: str, tmp_path: Path) -> None:
    terminal = maker.TERMINALS[name]
    if any("| jq" in command for command in terminal.typed) and shutil.which("jq") is None:
        pytest.skip("jq is not installed")

    screen = maker.type_commands(terminal, tmp_path)

    if os.environ.get("UPDATE_PAGES"):
        maker.write_terminal(name, screen)
    shown = maker.printed_path(name).read_text(encoding="utf-8")
    assert is_shown(plain(shown), plain(screen)), f"now:\n{plain(screen)}\nthe picture shows:\n{plain(shown)}"


@pytest.mark.parametrize("name", NAMES)
def test_picture_is_drawn_from_what_was_printed(maker: Any, name: str) -> None:
    screen = maker.printed_path(name).read_text(encoding="utf-8")
    picture = (DOCS / f"{name}.svg").read_text(encoding="utf-8")

    assert picture == maker.draw(name, screen), "run: python docs/make_picture.py"
    drawn = html.unescape("".join(re.findall(r"<text[^>]*>([^<]*)</text>", picture)))
    assert re.sub(r"\s", "", drawn) == re.sub(r"\s", "", plain(screen))


def test_comment_on_a_pull_request_is_today_what_its_picture_shows(maker: Any, tmp_path: Path) -> None:
    comment = maker.print_comment(tmp_path)

    shown = maker.COMMENT.read_text(encoding="utf-8")
    assert is_shown(shown, comment), f"now:\n{comment}\nrun: python docs/make_picture.py --pages"


def test_readme_shows_each_picture_with_its_text(maker: Any) -> None:
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")

    assert set(maker.TERMINALS) == set(NAMES)
    assert set(re.findall(r"!\[[^\]]{40,}\]\(docs/(\w+)\.svg\)", readme)) == set(NAMES)


def test_pictures_of_pages_are_small_and_as_wide_as_they_are_shown() -> None:
    for name, width in {"report.png": 1200, "report-dark.png": 1200, "comment.png": 1000}.items():
        content = (DOCS / name).read_bytes()
        # A PNG begins with its signature and the chunk IHDR, which begins with the width (RFC 2083, 4.1.1).
        assert (content[:8], content[12:16], int.from_bytes(content[16:20])) == (b"\x89PNG\r\n\x1a\n", b"IHDR", width)
        assert len(content) <= 150_000
