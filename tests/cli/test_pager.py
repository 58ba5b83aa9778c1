"""The pager: on a terminal, for output longer than the screen; GITMEM_PAGER before core.pager."""

from __future__ import annotations

from pathlib import Path

from conftest import git
from support.terminal import GITMEM, Terminal, environment


def on_screen(folder: Path, *argv: str, rows: int = 40, **changes: str | None) -> str:
    env = environment(NO_COLOR="1", TERM="xterm", **changes)
    with Terminal(folder, *GITMEM, *argv, env=env) as terminal:
        assert terminal.finish() == 0
        return terminal.output.replace("\r\n", "\n")


def test_long_help_goes_to_the_pager_that_was_chosen(repo: Path) -> None:
    git(repo, "config", "core.pager", "sed s/^/GIT:/")

    assert "GIT:usage: gitmem" in on_screen(repo, "help", "-a")
    assert "OURS:usage: gitmem" in on_screen(repo, "help", "-a", GITMEM_PAGER="sed s/^/OURS:/")
    assert on_screen(repo, "--no-pager", "help", "-a").startswith("usage: gitmem")
    assert on_screen(repo, "help", "-a", GITMEM_PAGER="no-such-pager-here 2>/dev/null").startswith("usage: gitmem")
    assert on_screen(repo, "help", "-a", GITMEM_RUN="1").startswith("usage: gitmem")  # an agent presses no keys
    assert on_screen(repo, "untrust", "--help").startswith("usage: gitmem")  # it fits
