"""Help pages fit every terminal and have everything that the parser has; the manual page is one that groff takes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.each import each

from gitmem.cli import manual
from gitmem.cli.columns import width_of
from gitmem.cli.commands import FIRST_WEEK, HIDDEN, all_commands, load_command
from gitmem.cli.parser import parser_of
from gitmem.cli.topics import TOPICS

GROFF = shutil.which("groff")
NAMES = (*all_commands(), *HIDDEN)


def pages(width: int) -> dict[str, str]:
    """Return every page of help for a terminal of so many columns."""
    found = {name: manual.page(parser_of(name, load_command(name)), width) for name in NAMES}
    found |= {f"help {name}": manual.topic(name, width) for name in TOPICS}
    here = ["12 memories on the branch memory, with 9 facts: 7 verified, 1 failed, 1 suspect"]
    return found | {"help": manual.overview(width, here), "help -a": manual.format_all(width)}


@each("width", [60, 80, 100])
def test_no_page_of_help_is_wider_than_the_terminal(width: int) -> None:
    wide = [
        f"{name}: {line}" for name, text in pages(width).items() for line in text.split("\n") if width_of(line) > width
    ]

    assert wide == []


def test_page_has_every_option_with_its_help_and_examples_before_options() -> None:
    for name in NAMES:
        parser = parser_of(name, load_command(name))
        words = " ".join(manual.page(parser, 60).replace("\\\n", "").split())
        for action in parser._actions:
            if action.dest != "help":
                assert " ".join(manual.help_of(action).split()) in words, f"{name} {action.dest}"
                assert [option for option in action.option_strings if option not in words] == []
        lines = manual.page(parser, 60).split("\n")
        assert lines.index("examples:") < min(
            lines.index(title) for title in ("options:", "output:", lines[-2]) if title in lines
        )


def test_overview_shows_twelve_commands_and_how_the_memory_is() -> None:
    shown = manual.overview(100, ["3 memories"])

    assert [name for name in FIRST_WEEK if f"\n  {name} " not in shown] == []
    assert "\n  badge" not in shown
    assert "\nHere:\n  3 memories\n" in shown


def test_list_of_all_commands_has_plumbing_apart() -> None:
    usual, _, plumbing = manual.format_all(100).partition("\nPlumbing, for programs and CI:\n")

    names = [name for name in all_commands() if " " not in name]
    assert [name for name in names if f"\n  {name} " not in manual.format_all(100)] == []
    assert [name for name in ("merge", "badge", "mcp") if f"\n  {name} " in usual or f"  {name} " not in plumbing] == []


@pytest.mark.skipif(GROFF is None, reason="groff is not installed")
def test_manual_page_has_every_command_and_no_warning() -> None:
    text = manual.man_page({name: parser_of(name, load_command(name)) for name in all_commands()})

    done = subprocess.run(
        ["groff", "-man", "-Tascii", "-P-c", "-P-b", "-P-u", "-ww"],
        input=text,
        capture_output=True,
        text=True,
        check=True,
    )

    assert [
        line for line in done.stderr.split("\n") if line and "special character" not in line and "adjust" not in line
    ] == []
    shown = " ".join(done.stdout.split())
    assert [name for name in all_commands() if f"gitmem {name}" not in shown] == []
    assert "DATABASE_URL" in shown


def test_manual_page_that_the_package_installs_is_that_of_the_parser() -> None:
    text = manual.man_page({name: parser_of(name, load_command(name)) for name in all_commands()})
    folder = Path(__file__).parents[2] / "data/share/man/man1"

    assert (folder / "git-mem.1").read_text("utf-8") == text, "run: python docs/make_cli.py"
    assert (folder / "gitmem.1").read_text("utf-8") == ".so man1/git-mem.1\n"


INSTALLED = Path(sys.prefix, "share/man")


@pytest.mark.skipif(
    shutil.which("man") is None or not (INSTALLED / "man1/git-mem.1").exists(),
    reason="man is not installed, or gitmem is not installed with its manual page",
)
def test_git_mem_help_shows_the_installed_manual_page(tmp_path: Path) -> None:
    bin_folder = Path(sys.executable).parent
    env = os.environ | {"PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}", "MANPATH": str(INSTALLED)}

    argv = ["git", "mem", "--help"]
    done = subprocess.run(argv, cwd=tmp_path, env=env, capture_output=True, text=True, check=True)

    assert done.stdout.startswith("GIT-MEM(1)")
