"""All printing: text with colour only on terminals, JSON, notes, progress, errors.

No control character from a memory reaches a terminal: every method cleans its input. For an agent, everything but
gitmem's own words (``text.own``) is printed inside the fence, whichever method prints it. Secrets are replaced here,
for all commands, unless a command prints memories only, which the catalog has redacted (``cli.commands.REDACTED``).
"""

from __future__ import annotations

import io
import os
import sys
from time import monotonic

from gitmem.config import variable
from gitmem.statuses import MARKS, SIGNS
from gitmem.text import display, escape_json, unlike_command
from gitmem.text.own import Fenced, OwnWords, is_command_line, own

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, TextIO

    from gitmem.cli.fenced import FencedStream

# SGR codes (ECMA-48, 8.3.117) for things to distinguish at a glance; the words carry the same information.
STYLES = {status: sign.style for status, sign in SIGNS.items()} | {
    "key": "36",
    "dim": "2",
    "bold": "1",
    "red": "1;31",
    "green": "32",
    "yellow": "33",
    "match": "1",
}
# Progress is drawn at most this often (seconds), because terminals are slow.
DRAWN_EVERY_S = 0.08
# A hint that begins with one of these is a command: people copy it, so it is printed on one line.
PROGRAMS = ("gitmem ", "git ", "pipx ", "uv ", "/")
# Lines are wrapped to a number of columns in this range; longer lines of prose are hard to read.
NARROWEST, WIDEST = 40, 120
# The rule in front of the lines of a section: continuation lines repeat it.
RULE = "│ "
# A longer line of a message is cut: it quotes what was typed.
LONGEST_LINE = 2000
# The remaining time is shown from this many seconds.
LEFT_FROM_S = 2


class Output:
    """The output of a command.

    Attributes:
        is_terminal: Whether standard output is a terminal.
        width: Columns of the terminal, at most 120; 100 in a pipe.
        pages: Whether long output may go to a pager.
        is_agents: Whether an agent reads it. It gets the same text at a terminal as at a pipe.
        redacts: Whether standard output may hold secrets; errors and notes always may.
    """

    def __init__(
        self,
        *,
        color: str = "auto",
        draws: bool = True,
        is_agents: bool = False,
        stdout: TextIO | None = None,
        stderr: TextIO | None = None,
    ) -> None:
        _fill_closed()
        self._out: Any = stdout or sys.stdout or _Nowhere()
        self._err: Any = stderr or sys.stderr or _Nowhere()
        for stream in (self._out, self._err):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")
        self.is_agents = is_agents
        self.redacts = True
        # Standard output and error, if an agent reads them.
        self._fenced: tuple[FencedStream, FencedStream] | None = None
        if is_agents:
            self._fence()
        self.is_terminal = self._out.isatty()
        self.is_error_terminal = self._err.isatty()
        # There, a line of text can be interpreted as a command.
        self._is_in_workflow = variable("GITHUB_ACTIONS") == "true"
        self._is_color_typed = False
        self.set_color(color)
        self.width = self._columns()
        self._drawn_at = 0.0
        # The total and the finished work, when the work began, and how much was finished then.
        self._work, self._work_began = (0, 0), (0.0, 0)
        # Whether anything was printed that running the command again would repeat.
        self.has_printed = False
        self.pages = draws
        # Output that is held until it is known whether it fits on the screen.
        self._held: io.StringIO | None = None
        # The lengths of the lines that are drawn now.
        self._drawn: list[int] = []
        self._draws = self.is_error_terminal and draws

    def _fence(self) -> None:
        from gitmem.cli.fenced import FencedStream  # only for agents

        self._fenced = (FencedStream(self._out), FencedStream(self._err))
        self._out, self._err = self._fenced

    def name(self, command: str) -> None:
        """Name the command that prints from now on."""
        for stream in self._fenced or ():
            stream.name(command)

    def _columns(self) -> int:
        return min(WIDEST, self._columns_of(self._out)) if self.is_terminal else 100

    def _columns_of(self, stream: TextIO) -> int:
        """Return the columns of a terminal: COLUMNS if it is exported, as in git and argparse."""
        named = variable("COLUMNS")
        if named.isascii() and named.isdigit() and int(named[:5]) > 0:
            return max(NARROWEST, int(named[:5]))
        try:
            return max(NARROWEST, os.get_terminal_size(stream.fileno()).columns or 80)
        except (OSError, ValueError):
            return 100

    def set_color(self, color: str, *, is_typed: bool = False) -> None:
        """Use colour ``always``, ``never``, or (``auto``) on each stream that is a terminal.

        An option on the command line takes precedence over a setting that is read later.
        """
        if self.is_agents:
            color = "never"
        if self._is_color_typed and not is_typed:
            return
        self._is_color_typed = is_typed
        self._colors = color == "always" or (color == "auto" and self.is_terminal)
        self._error_colors = color == "always" or (color == "auto" and self.is_error_terminal)

    def _style(self, text: str, style: str, *, error: bool = False) -> str:
        """Return cleaned text in a style, if colours are on."""
        shown = self._clean(text, error=error)
        code = STYLES.get(style, "") if shown else ""
        return f"\x1b[{code}m{shown}\x1b[0m" if code and (self._error_colors if error else self._colors) else shown

    def _clean(self, text: str, *, error: bool = False) -> str:
        """Return one line of text without control characters and secrets."""
        shown = display(text, sequences=True)
        if isinstance(text, OwnWords) or (self._fenced and not error):  # the fence redacts
            return shown
        return self._without_secrets(shown, error=error)

    def _without_secrets(self, text: str, *, error: bool = False) -> str:
        """Return cleaned text with its secrets replaced."""
        if not self.redacts and not error:
            return text
        from gitmem.text.secrets import redact  # 4 ms (measured), which the quickest commands do without

        return redact(text)

    def line(self, *parts: str | tuple[str, str], end: str = "\n") -> None:
        """Print one line of parts: text, or (text, style); each part is cleaned."""
        self.clear_progress()
        if self.is_terminal and _may_be_wider(parts, self.width):
            for line in self._wrap(parts, self.width):
                self._say(line, end=end)
            return
        pieces = (self._style(*p) if isinstance(p, tuple) else self._clean(p) for p in parts)
        self._say("".join(pieces), end=end, is_own=_are_own(parts))

    def confirm(self, did: str, what: str = "") -> None:
        """Confirm a change on a terminal, in one sentence; print nothing to a pipe."""
        if self.is_terminal:
            self.line((MARKS["verified"], "green"), " ", did, *(("  ", (what, "bold")) if what else ()))

    def result(self, plain: str, did: str = "", what: str = "", *, is_change: bool = True) -> None:
        """Print the result of a command: *plain* to a pipe; on a terminal, confirm a change in one sentence.

        Args:
            plain: A name, or the sentence.
            did: The sentence, if *plain* is a name.
            what: What the sentence is about.
            is_change: Whether anything was changed.
        """
        if self.is_terminal and is_change:
            self.confirm(did or plain, what)
        else:
            self.line(plain)

    def announce(self, did: str) -> None:
        """Confirm a change of a command without other output: one sentence on a terminal, or a note."""
        if self.is_terminal:
            self.confirm(did)
        else:
            self.note(did)

    def _wrap(self, parts: Sequence[str | tuple[str, str]], width: int, *, error: bool = False) -> list[str]:
        """Wrap one line of parts at words; continuation lines are indented."""
        from gitmem.cli.columns import breaks

        named = [(part, "") if isinstance(part, str) else part for part in parts]
        texts = [(self._clean(text, error=error), style) for text, style in named]
        whole = "".join(text for text, _ in texts)
        lead = len(whole) - len(whole.lstrip(" "))
        # Continuation lines are aligned with the text after a mark.
        hang = lead + 2
        rule = ""
        if whole.startswith(RULE):
            rest = whole.lstrip(RULE)
            has_mark = rest[1:2] == " " and not rest[0].isalnum()
            hang, rule = len(whole) - len(rest) + 2 * has_mark, RULE
        lines = []
        for number, (start, end) in enumerate(breaks(whole, width, hang)):
            line, at = rule.ljust(min(hang, width // 2)) if number else "", 0
            for text, style in texts:
                piece = text[max(0, start - at) : max(0, end - at)]
                line += self._style(piece, style, error=error) if piece else ""
                at += len(text)
            lines.append(line)
        return lines

    def _say(self, text: str, end: str = "\n", *, is_own: bool = False) -> None:
        self.has_printed = True
        shown = unlike_command(text) if self._is_in_workflow else text
        if is_own and self._fenced:
            self._fenced[0].write_own(shown + end)
        else:
            print(shown, end=end, file=self._out)

    def text(self, text: str) -> None:
        """Print text of several lines, cleaned."""
        self.clear_progress()
        if self._fenced and isinstance(text, (Fenced, OwnWords)):
            self._say(text.rstrip("\n"), is_own=True)
            return
        shown = self._without_secrets(display(text, lines=True, sequences=True)).rstrip("\n")
        if self.is_terminal and any(_may_be_wider((line,), self.width) for line in shown.split("\n")):
            from gitmem.cli.columns import fill

            shown = "\n".join(part for line in shown.split("\n") for part in fill(line, self.width))
        self._say(shown)

    def difference(self, before: str, after: str, path: str) -> None:
        """Print what changes in a file, as a unified diff."""
        from difflib import unified_diff

        for line in unified_diff(before.splitlines(), after.splitlines(), path, path, lineterm=""):
            self.text(line)  # which keeps tabs

    def exact(self, text: str, *, is_json: bool = False, is_copy: bool = False) -> None:
        """Print text that programs read unchanged: a reviewed list, a report in one of its formats.

        For an agent, it is fenced like all other text, unless it is JSON or goes to a file. Only a copy that a command
        reads again, *is_copy*, keeps its secrets.
        """
        self.has_printed = True
        if not is_copy and not isinstance(text, OwnWords):
            text = self._without_secrets(text)
        shown = text if text.endswith("\n") else f"{text}\n"
        if self._fenced and (is_json or self._fenced[0].is_file):
            self._fenced[0].write_data(shown)
        elif self._fenced and isinstance(text, OwnWords):
            self._fenced[0].write_own(shown)
        else:
            # The end of the line in a write of its own: Python reports a closed pipe only at the next write.
            print(shown[:-1], file=self._out)

    def page(self, text: str) -> None:
        """Print help, with bold headings if colours are on, and through the pager if it is long."""
        self.hold()
        if isinstance(text, OwnWords) and self._fenced:
            self.exact(text)
            return
        before = ""
        for line in text.rstrip("\n").split("\n"):
            is_heading = line.endswith(":") and not line.startswith(" ") and not before
            before = line
            self.exact(self._style(line, "bold") if is_heading and self._colors else line)

    def hold(self) -> None:
        """Hold the output until ``flush`` if it may be longer than the screen."""
        if self.is_terminal and self.pages and self._held is None:
            self._held, self._behind = io.StringIO(), self._out
            self._out = self._held

    def _release(self, *, paged: bool) -> None:
        """Print the held output, through the pager if it is longer than the screen."""
        if self._held is None:
            return
        text, self._held, self._out = self._held.getvalue(), None, self._behind
        if paged and text.count("\n") >= self._screen()[1]:
            from gitmem.cli.pager import show

            if show(text):
                return
        print(text, end="", file=self._out)

    def bytes(self, data: bytes, *, is_json: bool = False) -> None:
        """Write bytes made by gitmem itself for another program, the same in every locale; see ``exact``."""
        self._release(paged=False)
        self.has_printed = True
        if self._fenced:
            self.exact(data.decode("utf-8", "surrogateescape"), is_json=is_json, is_copy=True)
            return
        self._out.flush()
        self._out.buffer.write(data)

    def json(self, found: Any) -> None:
        """Print one JSON document, with control characters escaped."""
        import json

        self.clear_progress()
        self.has_printed = True
        if self.redacts:
            from gitmem.text.secrets import redact_all  # see ``_without_secrets``

            found = redact_all(found)
        text = json.dumps(found, ensure_ascii=False, indent=2)
        shown = escape_json(text)
        self.exact(shown.replace("##[", "#\\u0023[") if self._is_in_workflow else shown, is_json=True, is_copy=True)

    def row(self, *cells: str) -> None:
        """Print cells separated by tabs: one record on a line, for pipes."""
        whole = "".join(cells)
        if not (whole.isascii() and whole.isprintable()):  # most are, and checking them together is three times quicker
            cells = tuple(display(c.replace("\n", " ").replace("\t", " "), sequences=True) for c in cells)
        self._say(self._without_secrets("\t".join(cells)))

    def note(self, text: str) -> None:
        """Print a message on standard error that is not an error."""
        self._write_error((own("gitmem: {}", text), "dim"))

    def event(self, found: Mapping[str, object]) -> None:
        """Print an event as JSON on one line of standard error, for programs that collect logs."""
        import json

        self._write_error(escape_json(json.dumps(found)), whole=True)

    def alarm(self, text: str) -> None:
        """Print an important message in red on standard error."""
        self._write_error((own("gitmem: {}", text), "red"))

    def error(self, message: str, hint: str = "") -> None:
        """Print an error and its hint."""
        self._release(paged=False)
        first, *more = self._without_secrets(display(message, lines=True), error=True).split("\n")
        lead = (own("gitmem: error:"), "red")
        self._write_error(lead, " ", own("{}", message) if isinstance(message, OwnWords) else first)
        for line in more:
            self._write_error(line)
        for line in hint.split("\n") if hint else ():
            shown = OwnWords(line) if isinstance(hint, OwnWords) or is_command_line(line) else line
            self._write_error("  ", (own("hint:"), "bold"), " ", shown, whole=line.startswith(PROGRAMS))

    def _write_error(self, *parts: str | tuple[str, str], whole: bool = False) -> None:
        """Print a line on standard error, with *whole* without line breaks; if that is closed, the line is lost."""
        self.clear_progress()
        parts = tuple(_cut(part) for part in parts)
        width = min(WIDEST, self._columns_of(self._err)) if self.is_error_terminal and not whole else 0
        if width and _may_be_wider(parts, width):
            lines = self._wrap(parts, width, error=True)
        else:
            lines = ["".join(self._style(*((p, "") if isinstance(p, str) else p), error=True) for p in parts)]
        if self._fenced:
            text = "".join(f"{line}\n" for line in lines)
            (self._fenced[1].write_own if _are_own(parts) else self._fenced[1].write)(text)
            return
        try:
            for line in lines:
                print(unlike_command(line) if self._is_in_workflow else line, file=self._err, flush=True)
        except OSError:
            self._err = _Nowhere()

    def progress(self, what: str, done: int, total: int) -> None:
        """Draw the progress of long work on standard error, if it is a terminal."""
        filled = 20 * done // max(total, 1)
        bar = "█" * filled + "░" * (20 - filled)
        if total != self._work[0] or done < self._work[1]:
            self._work_began = (monotonic(), done)
        self._work = (total, done)
        began, first = self._work_began
        left = (monotonic() - began) / max(done - first, 1) * (total - done) if done > first else 0.0
        rest = f"  {left:.0f} s left" if left >= LEFT_FROM_S else ""
        self.draw(lambda *_: [f"{bar} {done}/{total} {what[:60]}{rest}"], finished=done >= total)

    def draw(self, lines: Callable[[int, int], Sequence[str]], *, finished: bool = False) -> None:
        """Replace the drawn lines on standard error, if it is a terminal, but not too often.

        Args:
            lines: Returns the lines for a screen of this many columns and rows; longer lines are cut.
            finished: Whether this is the last drawing, which is never skipped.
        """
        if not self._draws or (not finished and monotonic() - self._drawn_at < DRAWN_EVERY_S):
            return
        self._drawn_at = monotonic()
        columns, rows = self._screen()
        shown = [display(line)[: columns - 1] for line in lines(columns, rows)]
        # The cursor stays at the beginning of the last line, where it remains if the screen becomes narrower.
        print(self._erasing(columns) + "\n".join(shown), end="\r", file=self._err, flush=True)
        self._drawn = [len(line) for line in shown]

    def _screen(self) -> tuple[int, int]:
        """Return the current columns and rows of the terminal."""
        try:
            columns, rows = os.get_terminal_size(self._err.fileno())
        except (OSError, ValueError):
            return 80, 24
        return max(2, columns) if columns else 80, rows or 24

    def _erasing(self, columns: int) -> str:
        """Return the codes that erase the drawn lines (ECMA-48, 8.3.22 CUU, 8.3.39 ED, 8.3.41 EL)."""
        # If the screen has become narrower, the drawn lines are wrapped.
        rows = sum(max(1, -(-length // columns)) for length in self._drawn[:-1])
        # The terminal may have echoed typed characters meanwhile (^C).
        return (f"\x1b[{rows}A" if rows else "") + ("\r\x1b[J" if self._drawn else "\r\x1b[2K")

    def clear_progress(self) -> None:
        """Erase the drawn lines before other output."""
        if self._drawn:
            print(self._erasing(self._screen()[0]), end="", file=self._err, flush=True)
            self._drawn = []

    def flush(self) -> None:
        """Write all buffered output; raises BrokenPipeError if the pipe is closed."""
        self.clear_progress()
        self._release(paged=True)
        self._out.flush()
        if self._fenced:
            self._err.flush()

    def drop(self) -> None:
        """Close standard output: buffered output is lost, and Python does not try to write it at exit."""
        if self._fenced:
            self._fenced[0].drop()
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._out.fileno())
        except (OSError, ValueError):
            self._out = _Nowhere()


def _cut(part: str | tuple[str, str]) -> str | tuple[str, str]:
    """Return a part of a message without its middle if it is very long."""
    if not isinstance(part, str) or len(part) <= LONGEST_LINE:
        return part if isinstance(part, str) or len(part[0]) <= LONGEST_LINE else (str(_cut(part[0])), part[1])
    return f"{part[: LONGEST_LINE // 2]} … {part[-LONGEST_LINE // 4 :]}"


def _are_own(parts: Sequence[str | tuple[str, str]]) -> bool:
    """Return whether all parts of a line are gitmem's own words or spaces."""
    texts = [part if isinstance(part, str) else part[0] for part in parts]
    return all(isinstance(text, OwnWords) or not text.strip() for text in texts)


def _may_be_wider(parts: Sequence[str | tuple[str, str]], width: int) -> bool:
    """Return whether a line may need more than this many columns and so must be measured."""
    texts = [part if isinstance(part, str) else part[0] for part in parts]
    return sum(len(text) if text.isascii() else 2 * len(text) for text in texts) > width


def _fill_closed() -> None:
    """Open closed standard descriptors: otherwise the next opened file would get the number and receive the output.

    Source: POSIX.1-2017, execve(), on descriptors 0 to 2.
    """
    for fd in (0, 1, 2):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


class _Nowhere(io.StringIO):
    """A text stream that discards everything."""

    buffer = io.BytesIO()

    def write(self, text: str) -> int:
        """Discard the text."""
        return len(text)


def shorten(text: str, width: int) -> str:
    """Shorten a text to one line of at most *width* columns."""
    from gitmem.cli.columns import width_of

    line = " ".join(text.split())
    if width_of(line) <= width:
        return line
    cut = line[: max(1, width - 1)]
    while len(cut) > 1 and width_of(cut) > width - 1:
        cut = cut[:-1]
    return f"{cut}…"


def list_of(values: Iterable[str]) -> str:
    """Join values with commas."""
    return ", ".join(values)


def is_head(distance: Mapping[str, Any]) -> bool:
    """Return whether a commit is HEAD, given the numbers of commits that only one of them has."""
    return bool(distance["behind"] == 0 and distance["ahead"] == 0)


def place_of(distance: Mapping[str, Any]) -> str:
    """Describe where a commit is relative to HEAD, given the numbers of commits that only one of them has."""
    behind, ahead = distance["behind"], distance["ahead"]
    if behind is None:
        return "not in this clone"
    if is_head(distance):
        return "which is HEAD"
    if not ahead:
        return f"{quantity(behind, 'commit')} behind HEAD"
    if not behind:
        return f"{quantity(ahead, 'commit')} ahead of HEAD"
    return f"beside HEAD ({quantity(ahead, 'commit')} only there, {behind} only here)"


def quantity(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun: ``1 memory``, ``2 memories``."""
    return f"{number} {one if number == 1 else many or one + 's'}"
