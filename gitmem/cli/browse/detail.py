"""One memory in full: its verdict, the commit that broke it, and the history of both."""

from __future__ import annotations

from functools import partial

from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from gitmem.cli.browse.failures import FAILURES
from gitmem.cli.browse.help import keys_line
from gitmem.cli.browse.loop_screen import LoopScreen
from gitmem.cli.browse.screen_text import draw_text
from gitmem.cli.log import print_log
from gitmem.cli.names import wordings
from gitmem.cli.output import Output
from gitmem.cli.show import print_memory
from gitmem.cli.why import print_why
from gitmem.model import FAILED, SUSPECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from textual.app import ComposeResult

    from gitmem.cli.browse.app import Browse
    from gitmem.commands.why import SearchStep, Why
    from gitmem.memory import Memory

# How many entries of the history are shown; ``gitmem log KEY`` has more.
HISTORY = 20
KEYS = (("↑ ↓", "scroll"), ("n p", "next, previous"), ("w", "why"), ("e", "edit"), ("s", "settle"), ("q", "back"))


def draw(memory: Memory, key: str, out: Output) -> str:
    """Print a memory and its history, and return its status."""
    shown = memory.show(key)
    print_memory(shown.document, out, wordings(memory, shown.because, out))
    if not shown.document.get("store"):
        out.line()
        out.line(("History", "bold"))
        print_log(memory.log(key, limit=HISTORY, scope=shown.scope), out)
    return shown.status


class DetailScreen(Screen[None]):
    """A screen for one of the memories that were found."""

    app: Browse
    BINDINGS = (  # type: ignore[assignment] # Textual has a list, which all screens would share
        Binding("escape,q,left,backspace", "dismiss", "back"),
        Binding("n,right", "move(1)", "next"),
        Binding("p", "move(-1)", "previous"),
        Binding("w", "why", "why"),
        Binding("e", "edit", "edit"),
        Binding("s", "settle", "settle"),
    )

    def __init__(self, keys: Sequence[str], at: int) -> None:
        """Prepare the screen: *keys* are the memories that were found, and the one at index *at* is shown first."""
        super().__init__()
        self._keys = keys
        self._at = at
        self._status = ""
        # The result of the last action, for the line above the memory.
        self._done = ""
        self._said, self._page, self._foot = Static(id="said"), Static(), Static()
        self._scroll = VerticalScroll()

    @classmethod
    def open(cls, screen: Screen[Any], keys: Sequence[str], at: int) -> None:
        """Show one of these memories on top of another screen."""
        screen.app.push_screen(cls(keys, at))

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield self._said
        with self._scroll:
            yield self._page
        yield self._foot

    def on_resize(self) -> None:
        """Draw for the new width."""
        self._foot.update(keys_line(KEYS, self.size.width))
        self._show()

    def on_screen_resume(self) -> None:
        """Draw again, because the memory may have been settled."""
        self._show()

    def action_move(self, by: int) -> None:
        """Show the next or the previous memory."""
        self._at = max(0, min(self._at + by, len(self._keys) - 1))
        self._done = ""
        self._scroll.scroll_home(animate=False)
        self._show()

    def action_settle(self) -> None:
        """Open the loop that settles this memory."""
        if self._status in (FAILED, SUSPECT):
            self.app.push_screen(LoopScreen(FAILURES, [self._keys[self._at]]))
        else:
            self._say("there is nothing to settle: it did not fail")

    def action_why(self) -> None:
        """Find the commit that broke this fact."""
        self.app.push_screen(WhyScreen(self._keys[self._at]))

    def action_edit(self) -> None:
        """Edit this memory."""
        self.app.start(self, partial(self._edit, self._keys[self._at]))

    async def _edit(self, key: str) -> None:
        try:
            change = await self.app.edit(key)
        except Exception as err:  # noqa: BLE001 - the program words it, or ends as a bug
            self._said.update(self.app.report_error(err))
            return
        self._done = f"; changed {key}" if change.is_written else f"; {key} is as it was"
        self._show()

    def _show(self) -> None:
        self.app.start(self, partial(self._draw, self._keys[self._at]), replaces="draw")

    async def _draw(self, key: str) -> None:
        def print_detail(memory: Memory, out: Output) -> None:
            self._status = draw(memory, key, out)

        self._page.update(await self.app.draw(print_detail, self.size.width - 2))
        self._say(f"{self._at + 1} of {len(self._keys)}{self._done}")

    def _say(self, text: str) -> None:
        self._said.update(Content.styled(text, "dim"))


class WhyScreen(Screen[None]):
    """Shows the commit that broke one fact, once it is found."""

    app: Browse
    BINDINGS = (Binding("escape,q,left,backspace", "dismiss", "back"),)  # type: ignore[assignment]

    def __init__(self, key: str) -> None:
        """Prepare the screen."""
        super().__init__()
        self._key = key
        self._found: Why | None = None
        self._said, self._page, self._foot = Static(id="said"), Static(), Static()

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield self._said
        with VerticalScroll():
            yield self._page
        yield self._foot

    def on_mount(self) -> None:
        """Start the search."""
        self.app.start(self, self._find)

    def on_resize(self) -> None:
        """Draw for the new width."""
        self._foot.update(keys_line((("↑ ↓", "scroll"), ("q", "back")), self.size.width))
        self._draw()

    async def _find(self) -> None:
        def report(step: SearchStep) -> None:
            self.app.note_progress(f"{step.key}: {step.outcome} at {step.commit[:12]}", step.number, step.about)

        def work(memory: Memory) -> Why:
            return memory.why(self._key, with_diff=True, report=report)

        self._said.update(Content.styled(f"looking for what broke {self._key} …", "dim"))
        try:
            self._found = await self.app.ask(work)
        except Exception as err:  # noqa: BLE001 - the program words it, or ends as a bug
            self._said.update(self.app.report_error(err))
            return
        self._said.update(Content.styled(f"gitmem why {self._key}", "dim"))
        self._draw()

    def _draw(self) -> None:
        if (why := self._found) is not None:
            self._page.update(draw_text(lambda out: print_why(why, out), self.size.width - 2))
