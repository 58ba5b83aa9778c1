"""``gitmem browse`` as a command: on a real terminal, without one, and without its package."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from support.terminal import GITMEM, Terminal, environment

WITHOUT = "import sys; sys.modules['textual'] = None; from gitmem.cli import main; sys.exit(main(sys.argv[1:]))"


def test_without_a_terminal_it_names_other_commands(run_cli) -> None:
    done = run_cli("browse")

    assert (done.status, done.out) == (2, "")
    assert "error: browse needs a terminal that it can draw on\n" in done.err
    assert "  hint: use the commands recall, show, status" in done.err


def test_without_its_package_it_says_how_to_install_it(repo: Path) -> None:
    with Terminal(repo, sys.executable, "-c", WITHOUT, "browse") as terminal:
        status = terminal.finish()

    assert status == 3
    assert "the package textual is not installed here" in terminal.output
    assert "pip install" in terminal.output


@pytest.mark.whole_system
@pytest.mark.parametrize("env", [{}, {"NO_COLOR": "1"}], ids=["colours", "no colour"])
def test_real_terminal_is_drawn_on_and_given_back(run_cli, repo: Path, env: dict[str, str]) -> None:
    pytest.importorskip("textual", reason="the extra tui is not installed")
    run_cli("init")
    run_cli("remember", "The gateway drops idle connections", "--key", "idle")

    with Terminal(repo, *GITMEM, "browse", "gateway", env=environment(**{"NO_COLOR": None, **env})) as terminal:
        terminal.wait_for("The gateway drops idle")
        terminal.type("\x03")
        status = terminal.finish()

    assert status == 0
    assert terminal.output.count("\x1b[?1049h") == terminal.output.count("\x1b[?1049l") == 1  # the alternate screen
    assert ("\x1b[36m" in terminal.output or ";36m" in terminal.output) is not env
