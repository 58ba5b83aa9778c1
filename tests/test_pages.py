"""Every command of these pages prints what the page shows, on a terminal, in an empty home.

``UPDATE_PAGES=1`` writes what was printed into the pages: review the difference.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from support.grounds import can_come_to, open_ways
from support.typed_pages import DOCS, is_shown, place_of, read_page, type_page

from gitmem.verify.sandbox import sandbox

# As `python -m benchmarks.container`, from any folder.
CONTAINER = [
    *(sys.executable, "-c"),
    f"import os, sys; sys.path.append({str(DOCS.parent)!r}); from benchmarks.container import forbid_namespaces;"
    " forbid_namespaces(); os.execvp(sys.argv[1], sys.argv[1:])",
]
WHOLE = ("tutorial", "troubleshooting", "duplicates", "scopes", "stores")
PAGES = [*(DOCS / f"{name}.md" for name in WHOLE), *sorted((DOCS / "howto").glob("*.md"))]
NAMES = [path.relative_to(DOCS).as_posix() for path in PAGES]


@pytest.mark.whole_system
@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_every_command_prints_what_the_page_shows(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    written = [one for one in read_page(text) if not one.network]
    if " -- node " in text and not shutil.which("node"):
        pytest.skip("node is not installed")

    # Not in pytest's folder, whose long name would wrap messages elsewhere.
    with TemporaryDirectory(prefix="", dir="/tmp", ignore_cleanup_errors=True) as home:
        printed = type_page(read_page(text), Path(home), place_of(text))

    wrong = [(a, b) for a, b in zip(written, printed, strict=True) if not is_shown(a.shown, b.shown, a.command)]
    if os.environ.get("UPDATE_PAGES"):
        for one, really in reversed(wrong):
            text = text[: one.start] + really.shown + text[one.start + len(one.shown) :]
        page.write_text(text, encoding="utf-8")
        return
    for one, really in wrong:
        assert one.shown == really.shown, f"{page.name}: $ {one.command}"


@pytest.mark.whole_system
def test_how_to_is_the_same_without_bubblewrap_and_in_containers(tmp_path: Path) -> None:
    """Containers, CI images and Ubuntu 24.04 have no bubblewrap, and the former no namespaces either."""
    if not sandbox.works("landlock", os.environ["PATH"]):
        pytest.skip("landlock does not work here")
    # A page of programs that are not in a folder which only root may enter; both of them without node, but not there.
    name = "node" if shutil.which("node") else "python"
    has_namespaces = name == "python" and not can_come_to(Path(os.path.realpath(sys.executable)))
    text = (DOCS / "howto" / f"{name}.md").read_text(encoding="utf-8")
    missing = tmp_path / "bwrap"
    missing.write_text("#!/bin/sh\nexit 1\n")
    missing.chmod(0o755)
    prefix = [] if has_namespaces else CONTAINER

    with TemporaryDirectory(prefix="", dir="/tmp", ignore_cleanup_errors=True) as home:
        open_ways(Path(home))
        printed = type_page(read_page(text), Path(home), place_of(text), path=str(tmp_path), prefix=prefix)

    written = [one for one in read_page(text) if not one.network]
    assert [b.shown for a, b in zip(written, printed, strict=True) if not is_shown(a.shown, b.shown, a.command)] == []


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_what_needs_the_network_is_named_as_not_typed(page: Path) -> None:
    left_out = [one.command for one in read_page(page.read_text(encoding="utf-8")) if one.network]

    if left_out:
        pytest.skip(f"needs the network: {'; '.join(left_out)}")


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a\n", "a\n", True),
        ("a\n", "b\n", False),
        ("", "a\n", False),
        ("a\n", "", False),
        ("at 1234567\n", "at 89abcde0f1\n", True),
        ("a\n…\nd\n", "a\nb\nc\nd\n", True),
        ("a\n…\nd\n", "a\nb\nc\n", False),
        ("3s ago, 2026-01-02\n", "14s ago, 2027-03-04\n", True),
    ],
)
def test_only_what_differs_from_run_to_run_may_differ(shown: str, printed: str, same: bool) -> None:
    assert is_shown(shown, printed) is same


def test_commands_are_read_with_their_further_lines_and_output() -> None:
    here = "```console\n$ cat > a <<END\n> x\n>\n> END\n$ cat a\nx\n```\n"
    page = f"Text\n\n{here}\n```console network\n$ pip install a\n```\n"

    found = read_page(page)

    assert [(one.command, one.shown, one.network) for one in found] == [
        ("cat > a <<END\nx\n\nEND", "", False),
        ("cat a", "x\n", False),
        ("pip install a", "", True),
    ]
