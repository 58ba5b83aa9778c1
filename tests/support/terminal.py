"""Run the console script as a real process: with pipes, or on a real terminal of its own."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

from conftest import Ran
from support.console import OF_THE_START, fork, run, run_inside

# The script that pip made beside the interpreter; the module where the package is not installed.
SCRIPT = Path(sys.executable).parent / "gitmem"
GITMEM = [str(SCRIPT)] if SCRIPT.exists() else [sys.executable, "-m", "gitmem"]
# Characters that do something on a terminal, or hide something: all controls but tab and line feed, bidirectional
# overrides and isolates, zero-width characters.
ALIVE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
# A session of its own, and the terminal on standard input as the one that controls it (tty_ioctl(4), TIOCSCTTY).
TAKE_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execvp(sys.argv[1], sys.argv[1:])"
)


def environment(**changes: str | None) -> dict[str, str]:
    """Return the tests' environment with changes; None takes a variable out."""
    env = {**os.environ, **{name: value for name, value in changes.items() if value is not None}}
    return {name: value for name, value in env.items() if name not in changes or changes[name] is not None}


def gitmem(folder: Path, *argv: str, input: str | None = None, env: dict[str, str] | None = None) -> Ran:
    """Run one command: here, or with input or variables forked, without a terminal; by its script if it must start."""
    env = environment() if env is None else env
    if any(env.get(name) != os.environ.get(name) for name in {*env, *os.environ} if name.startswith(OF_THE_START)):
        return run([*GITMEM, *argv], folder, env=env, input=input)
    is_plain = input is None and env == dict(os.environ)
    return run_inside([*argv], folder, env) if is_plain else fork([*argv], folder, env, input=input)


class Terminal:
    """A program on a terminal: what it draws is read, keys are typed."""

    def __init__(
        self, folder: Path, *argv: str, env: dict[str, str] | None = None, columns: int = 100, rows: int = 40
    ) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-c", TAKE_TERMINAL, *argv],
            cwd=folder,
            env=environment(NO_COLOR=None, TERM="xterm") if env is None else env,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)
        self.output = ""

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        # The whole group: an editor would live on where hang-ups are ignored (nohup).
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self._master)

    def _read(self, deadline: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            raise AssertionError(f"nothing more came; so far:\n{self.output}")
        try:
            data = os.read(self._master, 65536)
        except OSError:  # EIO: nobody has the other end any more
            return False
        self.output += data.decode("utf-8", "replace")
        return bool(data)

    def wait_for(self, text: str, *, times: int = 1, timeout: float = 180) -> None:
        """Read until *text* was drawn so many times."""
        deadline = time.monotonic() + timeout
        while self.output.count(text) < times:
            assert self._read(deadline), f"it ended without {text!r}:\n{self.output}"

    def wait_for_end(self, *texts: str, timeout: float = 180) -> str:
        """Read until what was drawn ends with one of some texts, and return that one."""
        deadline = time.monotonic() + timeout
        while not (found := [text for text in texts if self.output.endswith(text)]):
            assert self._read(deadline), f"it ended without any of {texts}:\n{self.output}"
        return found[0]

    def type(self, text: str) -> None:
        """Type keys."""
        os.write(self._master, text.encode())

    def finish(self, timeout: float = 180) -> int:
        """Read to the end and return the exit status."""
        deadline = time.monotonic() + timeout
        while self._read(deadline):
            continue
        return self.process.wait(timeout)


def on_terminal(folder: Path, *argv: str, env: dict[str, str] | None = None) -> Ran:
    """Run the console script on a terminal to its end; both outputs are one, with line feeds only."""
    with Terminal(folder, *GITMEM, *argv, env=env) as terminal:
        status = terminal.finish()
        return Ran(status, terminal.output.replace("\r\n", "\n"), "")
