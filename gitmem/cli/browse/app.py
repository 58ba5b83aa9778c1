"""The full-screen program: its appearance, its keys, and the thread that works on the memory for it."""

from __future__ import annotations

from time import monotonic, time

from textual.app import App
from textual.binding import Binding
from textual.content import Content
from textual.theme import Theme
from textual.widgets import Static

from gitmem.cli.browse.screen_text import draw_text
from gitmem.cli.edit import draft_of
from gitmem.cli.output import DRAWN_EVERY_S, Output
from gitmem.cli.terminal import is_interactive
from gitmem.errors import GitmemError
from gitmem.memory.memory_thread import MemoryThread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from textual.screen import Screen

    from gitmem.memory import Memory
    from gitmem.write.place import Change

    Answer = TypeVar("Answer")

# The terminal's own colours, which fit a light or dark background on any machine; selections are also marked by a
# character, so that colour alone carries no meaning.
THEME = Theme(
    name="terminal",
    ansi=True,
    primary="ansi_cyan",
    secondary="ansi_cyan",
    warning="ansi_yellow",
    error="ansi_red",
    success="ansi_green",
    accent="ansi_cyan",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    boost="ansi_default",
    variables={
        "ansi-background": "ansi_default",
        "ansi-foreground": "ansi_default",
        "input-cursor-background": "ansi_default",
        "input-cursor-foreground": "ansi_default",
        "input-cursor-text-style": "reverse",
        "input-selection-background": "ansi_cyan",
        "input-selection-foreground": "ansi_black",
        "scrollbar": "ansi_cyan",
        "scrollbar-hover": "ansi_cyan",
        "scrollbar-active": "ansi_cyan",
        "scrollbar-background": "ansi_default",
        "scrollbar-background-hover": "ansi_default",
        "scrollbar-background-active": "ansi_default",
        "scrollbar-corner-color": "ansi_default",
    },
)


class Browse(App[None]):
    """The full-screen program of ``gitmem browse``.

    Attributes:
        failure: The unexpected error that ended it, or None.
    """

    TITLE = "gitmem"
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    Screen { layout: vertical; }
    Static { width: 100%; height: auto; text-wrap: nowrap; }
    Input, Input:focus, Input:ansi, Input:focus:ansi { border: none; height: 1; padding: 0; background: ansi_default; }
    #typing { layout: horizontal; height: 1; }
    #typing > Static { width: auto; }
    #typing > Input { width: 1fr; }
    VerticalScroll { height: 1fr; scrollbar-size-vertical: 1; }
    .rule { color: ansi_default; text-style: dim; height: 1; }
    """
    # A tuple, because all apps would share the list that Textual declares.
    BINDINGS = (Binding("ctrl+c,ctrl+q", "quit", "leave", priority=True),)  # type: ignore[assignment]

    def __init__(self, start: str, first: Callable[[], Screen[None]], *, clock: Callable[[], float] = time) -> None:
        """Prepare the program.

        Args:
            start: A folder of the repository, absolute.
            first: Makes the screen to show first, which needs a running program.
            clock: Returns epoch seconds.
        """
        super().__init__()
        self.failure: Exception | None = None
        self._thread = MemoryThread(start, clock=clock)
        self._first = first
        self._reported_at = 0.0

    def on_mount(self) -> None:
        """Show the first screen."""
        self.register_theme(THEME)
        self.theme = THEME.name
        self.push_screen(self._first())

    async def on_unmount(self) -> None:
        """Close the memory."""
        self._thread.close()

    def start(self, screen: Screen[None], work: Callable[[], Any], *, replaces: str = "") -> None:
        """Run a coroutine of a screen, which may wait for the thread; it *replaces* an earlier one with that name."""
        screen.run_worker(work, exclusive=bool(replaces), group=replaces or "default")

    async def ask(self, work: Callable[[Memory], Answer]) -> Answer:
        """Return the result of *work* on the memory, run in the memory's thread."""

        def work_with_progress(memory: Memory) -> Answer:
            memory.repository.progress = self.note_progress
            return work(memory)

        answer, _ = await self._thread.ask(work_with_progress, agent="")
        return answer

    async def edit(self, key: str) -> Change:
        """Let the user change a memory in their editor, which uses the terminal meanwhile."""
        draft = await self.ask(lambda memory: draft_of(memory, key))
        try:
            with self.suspend():
                draft.file.open_editor()
            return await self.ask(lambda memory: draft.write(memory, {"approve": is_interactive()}))
        except GitmemError as err:
            draft.file.name_in(err)
            raise

    async def draw(self, draw: Callable[[Memory, Output], None], width: int) -> Content:
        """Return the output of *draw*, followed by the memory's notices; or the message for an error."""

        def work(memory: Memory) -> Content:
            def print_with_notices(out: Output) -> None:
                draw(memory, out)
                for notice in memory.notices:
                    out.line((f"note: {notice}", "dim"))
                memory.notices.clear()

            return draw_text(print_with_notices, width)

        try:
            return await self.ask(work)
        except Exception as err:  # noqa: BLE001 - worded here, or it ends the program as a bug
            return self.report_error(err)

    def report_error(self, err: Exception) -> Content:
        """Return the message for an error; an unexpected one ends the program as a bug."""
        if not isinstance(err, GitmemError):
            self.failure = err
            self.exit()
            return Content("")

        def print_error(out: Output) -> None:
            out.line(("error: ", "red"), err.message.replace("\n", " "))
            for line in err.hint.split("\n") if err.hint else ():
                out.line("  ", ("hint:", "bold"), f" {line}")

        return draw_text(print_error, self.size.width)

    def note_progress(self, what: str, done: int, of: int) -> None:
        """Show the progress of long work; called often, from the memory's thread."""
        if monotonic() - self._reported_at < DRAWN_EVERY_S or self._loop is None:
            return
        self._reported_at = monotonic()
        self._loop.call_soon_threadsafe(self._show_progress, f"{what} {done}/{of}")

    def _show_progress(self, text: str) -> None:
        for line in self.screen.query("#said").results(Static):
            line.update(Content(text))
