"""Standard input, and whether somebody can be asked."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from conftest import git

from gitmem.cli import terminal
from gitmem.cli.terminal import AGENT_VARIABLES, is_interactive, need_terminal, read_standard_input
from gitmem.errors import RefusedError, TrustError
from gitmem.memory import Memory


def standard_input(monkeypatch: pytest.MonkeyPatch, raw: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw), encoding="ascii"))


@pytest.mark.parametrize(
    ("raw", "text"),
    [(b"", ""), ("müde\r\n".encode(), "müde\r\n"), (b"\xef\xbb\xbfa", "a"), (b"x" * 10, "x" * 10)],
    ids=["empty", "line ends", "byte order mark", "just small enough"],
)
def test_standard_input_is_read_as_utf_8_whatever_the_locale(
    monkeypatch: pytest.MonkeyPatch, raw: bytes, text: str
) -> None:
    standard_input(monkeypatch, raw)

    assert read_standard_input(10) == text


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"x" * 11, "standard input is larger than 10 bytes"),
        (b"ab\xff", "standard input is not valid UTF-8 \\(byte 2\\)"),
    ],
)
def test_standard_input_that_no_memory_can_be_is_refused(
    monkeypatch: pytest.MonkeyPatch, raw: bytes, message: str
) -> None:
    standard_input(monkeypatch, raw)

    with pytest.raises(RefusedError, match=message):
        read_standard_input(10)


def test_closed_standard_input_is_empty_and_asks_no_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)

    assert read_standard_input(10) == ""
    assert not is_interactive()


@pytest.mark.parametrize("name", AGENT_VARIABLES)
def test_environment_of_an_agent_is_no_person(monkeypatch: pytest.MonkeyPatch, memory: Memory, name: str) -> None:
    monkeypatch.setattr(terminal, "open_terminal", io.BytesIO)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    assert is_interactive()
    assert need_terminal(memory, "")
    monkeypatch.setenv(name, "1")

    assert not is_interactive()
    with pytest.raises(TrustError, match=f"{name} shows that an agent is running this"):
        need_terminal(memory, "")


def test_clone_that_belongs_to_an_agent_approves_nothing(monkeypatch: pytest.MonkeyPatch, repo: Path) -> None:
    monkeypatch.setattr(terminal, "open_terminal", io.BytesIO)
    git(repo, "config", "gitmem.agent", "ana")

    with Memory(repo) as memory, pytest.raises(TrustError, match=r"gitmem\.agent shows"):
        need_terminal(memory, "")
