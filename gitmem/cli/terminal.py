"""The person at the terminal: whether there is one, and who may approve commands."""

from __future__ import annotations

import sys

from gitmem.agents.clients import agent_variable, is_agent_program
from gitmem.config import variable
from gitmem.errors import TrustError
from gitmem.system.parents import parent_names
from gitmem.text import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitmem.memory import Memory


def agent_sign() -> str:
    """Return what shows that an agent runs this: a variable, or a program that started it; else an empty string.

    This is not a security boundary.
    """
    if sign := agent_variable():
        return sign
    if variable("GITMEM_PARENTS") == "off":
        return ""
    return next((name for names in parent_names() for name in names if is_agent_program(name)), "")


def is_interactive() -> bool:
    """Return whether a person can answer at a terminal: standard input is one, and it can be opened.

    False in an agent's environment, because an agent may have its own terminal.
    """
    if agent_sign():
        return False
    terminal = open_terminal() if sys.stdin is not None and sys.stdin.isatty() else None
    if terminal is not None:
        terminal.close()
    return terminal is not None


def need_terminal(memory: Memory, hint: str) -> Any:
    """Return the terminal at which a person can be asked for an approval.

    Raises:
        TrustError: An agent runs this, or there is no terminal; *hint* says what to do without one.
    """
    if sign := agent_sign() or (memory.repository.config.agent and "gitmem.agent"):
        raise TrustError(
            f"only a person can approve commands, but {sign} shows that an agent is running this one",
            hint="run it in a terminal that no agent uses",
        )
    terminal = open_terminal()
    if terminal is None:
        raise TrustError("approving needs a terminal, and there is none here", hint=hint)
    return terminal


def ask(question: str) -> str | None:
    """Ask the person at the terminal and return the typed line without its end; None if there is no terminal.

    The end of the input (Ctrl-D) counts as ``q``.
    """
    terminal = open_terminal()
    if terminal is None:
        return None
    with terminal:
        terminal.write(display(question).encode("utf-8", "backslashreplace"))
        line = read_line(terminal)
    return line.strip() if line.endswith("\n") else "q"


def read_line(terminal: Any) -> str:
    """Return the line that a person types at a terminal; without an end of line if the input ends."""
    typed = b""
    while not typed.endswith(b"\n"):
        char = terminal.read(1)
        if not char:
            break
        typed += char
    return typed.decode("utf-8", "replace")


def open_terminal() -> Any:
    """Open the terminal itself for reading and writing (never standard input); None if there is none."""
    try:
        terminal = open("/dev/tty", "r+b", buffering=0)  # noqa: SIM115, PTH123 - a device; the caller keeps it
    except OSError:
        return None
    return terminal
