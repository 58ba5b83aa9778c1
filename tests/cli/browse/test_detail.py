"""``gitmem browse``: what broke a fact, and changing a memory in the editor, on a real terminal."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import commit_files
from support.terminal import GITMEM, Terminal, environment


@pytest.mark.whole_system
def test_memory_is_changed_in_the_editor_and_what_broke_it_is_found(run_cli, repo: Path) -> None:
    pytest.importorskip("textual", reason="the extra tui is not installed")
    run_cli("init")
    run_cli("fact", "Tokens are signed", "--contains", "RS256", "--in", "src/auth/jwt.py", "--key", "signed")
    commit_files(repo, {"src/auth/jwt.py": "EdDSA\n"}, "sign with EdDSA")
    run_cli("verify")
    env = environment(EDITOR="sed -i 's/Tokens are signed/Every token is signed/'", GIT_EDITOR=None, VISUAL=None)

    with Terminal(repo, *GITMEM, "browse", "tokens", env=env, columns=80, rows=24) as terminal:
        terminal.wait_for("Tokens are signed")
        terminal.type("\r")
        terminal.wait_for("1 of 1")
        terminal.type("w")
        terminal.wait_for("sign with EdDSA (Ana)")
        terminal.type("q")
        terminal.wait_for("1 of 1", times=2)
        terminal.type("e")
        terminal.wait_for("; changed signed")
        terminal.type("\x03")
        status = terminal.finish()

    assert status == 0
    assert "Every token is signed" in run_cli("show", "signed").out
