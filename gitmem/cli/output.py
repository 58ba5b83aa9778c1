"""Everything that is printed: text for people with colour on a terminal only, JSON, notes, progress, errors.

Nothing from a memory reaches a terminal with its control characters alive: every method cleans what it is given.
"""

from __future__ import annotations

import io
import os
import sys
from time import monotonic

from gitmem.config import variable
from gitmem.statuses import SIGNS
from gitmem.text.sanitize import display, escaped_json, unlike_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TextIO

# SGR codes (ECMA-48, 8.3.117) of what a reader must tell apart at a glance; the words say the same without colour.
STYLES = {status: sign.style for status, sign in SIGNS.items()} | {
    "key": "36",
    "dim": "2",
    "bold": "1",
    "red": "1;31",
    "green": "32",
    "yellow": "33",
    "match": "1",
}
# Progress is drawn at most this often (seconds): a terminal is slower than the work.
DRAWN_EVERY_S = 0.08


class Output:
    """Where a command writes.

    Attributes:
        is_terminal: Whether standard output is a terminal.
        width: Columns of the terminal; 100 in a pipe.
    """

    def __init__(
        self, *, color: str = "auto", draws: bool = True, stdout: TextIO | None = None, stderr: TextIO | None = None
    ) -> None:
        _fill_closed()
        self._out = stdout or sys.stdout or _Nowhere()
        self._err = stderr or sys.stderr or _Nowhere()
        for stream in (self._out, self._err):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")
        self.is_terminal = self._out.isatty()
        self.is_error_terminal = self._err.isatty()
        # There, text on a line of its own can be a command (threat T12).
        self._is_in_workflow = variable("GITHUB_ACTIONS") == "true"
        self.set_color(color)
        self.width = self._columns()
        self._drawn_at = 0.0
        # Whether anything was printed that a second try would repeat.
        self.has_printed = False
        # How long each line is that is drawn now.
        self._drawn: list[int] = []
        self._draws = self.is_error_terminal and draws

    def _columns(self) -> int:
        if not self.is_terminal:
            return 100
        try:
            return max(40, os.get_terminal_size(self._out.fileno()).columns)
        except OSError:
            return 100

    def set_color(self, color: str) -> None:
        """Colour ``always``, ``never``, or (``auto``) each stream that is a terminal."""
        self._colors = color == "always" or (color == "auto" and self.is_terminal)
        self._error_colors = color == "always" or (color == "auto" and self.is_error_terminal)

    def styled(self, text: str, style: str, *, error: bool = False) -> str:
        """Return cleaned text in a style, where colours are on."""
        shown = display(text, sequences=True)
        code = STYLES.get(style, "") if shown else ""
        return f"\x1b[{code}m{shown}\x1b[0m" if code and (self._error_colors if error else self._colors) else shown

    def line(self, *parts: str | tuple[str, str], end: str = "\n") -> None:
        """Print one line of parts: text, or (text, style); each part is cleaned."""
        self.clear_progress()
        pieces = (self.styled(*p) if isinstance(p, tuple) else display(p, sequences=True) for p in parts)
        self._say("".join(pieces), end=end)

    def _say(self, text: str, end: str = "\n") -> None:
        self.has_printed = True
        print(unlike_command(text) if self._is_in_workflow else text, end=end, file=self._out)

    def text(self, text: str) -> None:
        """Print text of several lines, cleaned."""
        self.clear_progress()
        self._say(display(text, lines=True, sequences=True).rstrip("\n"))

    def exact(self, text: str) -> None:
        """Print what gitmem itself made (a completion script, a reviewed list) as it is."""
        self.has_printed = True
        print(text, end="" if text.endswith("\n") else "\n", file=self._out)

    def bytes(self, data: bytes) -> None:
        """Write what a program reads and gitmem itself made, the same in every locale."""
        self.has_printed = True
        self._out.flush()
        self._out.buffer.write(data)

    def json(self, found: Any) -> None:
        """Print one JSON document; control characters are escapes in it, so nothing in it is alive on a terminal."""
        import json

        self.clear_progress()
        self.has_printed = True
        text = json.dumps(found, ensure_ascii=False, indent=2)
        shown = escaped_json(text)
        print(shown.replace("##[", "#\\u0023[") if self._is_in_workflow else shown, file=self._out)

    def row(self, *cells: str) -> None:
        """Print cells separated by tabs: one record a line, for pipes."""
        whole = "".join(cells)
        if not (whole.isascii() and whole.isprintable()):  # most are, and asking of all at once is three times quicker
            cells = tuple(display(c.replace("\n", " ").replace("\t", " "), sequences=True) for c in cells)
        self._say("\t".join(cells))

    def note(self, text: str) -> None:
        """Tell the person something on standard error that is not an error."""
        self._write_progress(self.styled(f"gitmem: {text}", "dim", error=True))

    def alarm(self, text: str) -> None:
        """Say in red what somebody must not overlook."""
        self._write_progress(self.styled(f"gitmem: {text}", "red", error=True))

    def error(self, message: str, hint: str = "") -> None:
        """Print what failed, and what repairs it."""
        head = self.styled("gitmem: error:", "red", error=True)
        self._write_progress(f"{head} {display(message, lines=True)}")
        for line in hint.split("\n") if hint else ():
            self._write_progress(f"  {self.styled('hint:', 'bold', error=True)} {display(line)}")

    def _write_progress(self, line: str) -> None:
        """Print a line of ours on standard error; where that is gone, nobody can be determined."""
        self.clear_progress()
        try:
            print(unlike_command(line) if self._is_in_workflow else line, file=self._err, flush=True)
        except OSError:
            self._err = _Nowhere()

    def progress(self, what: str, done: int, total: int) -> None:
        """Draw how far long work is, on a terminal's standard error."""
        filled = 20 * done // max(total, 1)
        bar = "█" * filled + "░" * (20 - filled)
        self.draw(lambda *_: [f"{bar} {done}/{total} {what[:60]}"], finished=done >= total)

    def draw(self, lines: Callable[[int, int], Sequence[str]], *, finished: bool = False) -> None:
        """Draw lines on a terminal's standard error, in the place of what was drawn before; now and then only.

        Args:
            lines: Returns them, for a screen of so many columns and rows; one that is too long is cut.
            finished: Draw in any case: there is nothing more to come.
        """
        if not self._draws or (not finished and monotonic() - self._drawn_at < DRAWN_EVERY_S):
            return
        self._drawn_at = monotonic()
        columns, rows = self._screen()
        shown = [display(line)[: columns - 1] for line in lines(columns, rows)]
        # The cursor waits where the last line begins: there it stays when the screen is made narrower.
        print(self._erasing(columns) + "\n".join(shown), end="\r", file=self._err, flush=True)
        self._drawn = [len(line) for line in shown]

    def _screen(self) -> tuple[int, int]:
        """Return columns and rows of the terminal, as they are now."""
        try:
            columns, rows = os.get_terminal_size(self._err.fileno())
        except (OSError, ValueError):
            return 80, 24
        return max(2, columns) if columns else 80, rows or 24

    def _erasing(self, columns: int) -> str:
        """Return what takes away what was drawn (ECMA-48, 8.3.22 CUU, 8.3.39 ED, 8.3.41 EL)."""
        # A screen that was made narrower since has broken the lines.
        rows = sum(max(1, -(-length // columns)) for length in self._drawn[:-1])
        # The terminal may have echoed what was typed meanwhile (^C).
        return (f"\x1b[{rows}A" if rows else "") + ("\r\x1b[J" if self._drawn else "\r\x1b[2K")

    def clear_progress(self) -> None:
        """Take away what is drawn before something else is printed."""
        if self._drawn:
            print(self._erasing(self._screen()[0]), end="", file=self._err, flush=True)
            self._drawn = []

    def flush(self) -> None:
        """Write out what is buffered; a closed pipe raises BrokenPipeError here."""
        self.clear_progress()
        self._out.flush()

    def drop(self) -> None:
        """Give up standard output: what is still buffered goes nowhere, and Python does not try again at its end."""
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._out.fileno())
        except (OSError, ValueError):
            self._out = _Nowhere()


def _fill_closed() -> None:
    """Open what is closed of the three standard descriptors: else the next file would get the number, and the text.

    Source: POSIX.1-2017, execve(), on descriptors 0 to 2.
    """
    for fd in (0, 1, 2):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


class _Nowhere(io.StringIO):
    """A text stream that nobody reads."""

    buffer = io.BytesIO()

    def write(self, text: str) -> int:
        """Take the text for written."""
        return len(text)
