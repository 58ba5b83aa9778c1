"""Whether a person can be asked."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from conftest import git
from support.agent_signs import SIGNS
from support.each import each

from gitmem.cli import terminal
from gitmem.cli.terminal import is_interactive, need_terminal
from gitmem.errors import TrustError
from gitmem.memory import Memory


def test_closed_standard_input_is_not_interactive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)

    assert not is_interactive()


@each("name", SIGNS)
def test_environment_of_an_agent_is_not_interactive(monkeypatch: pytest.MonkeyPatch, memory: Memory, name: str) -> None:
    monkeypatch.setattr(terminal, "open_terminal", io.BytesIO)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    assert is_interactive()
    assert need_terminal(memory, "")
    with monkeypatch.context() as patch:
        patch.setenv(name, "1")

        assert not is_interactive()
        with pytest.raises(TrustError, match=f"{name} shows that an agent is running this"):
            need_terminal(memory, "")


def test_clone_that_belongs_to_an_agent_approves_nothing(monkeypatch: pytest.MonkeyPatch, repo: Path) -> None:
    monkeypatch.setattr(terminal, "open_terminal", io.BytesIO)
    git(repo, "config", "gitmem.agent", "ana")

    with Memory(repo) as memory, pytest.raises(TrustError, match=r"gitmem\.agent shows"):
        need_terminal(memory, "")
