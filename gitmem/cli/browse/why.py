"""A screen with the commit that broke a fact, as found by ``gitmem why``."""

from __future__ import annotations

from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from gitmem.cli.browse.help import keys_line
from gitmem.cli.browse.screen_text import drawn
from gitmem.cli.why import print_why

TYPE_CHECKING = False
if TYPE_CHECKING:
    from textual.app import ComposeResult

    from gitmem.cli.browse.app import Browse
    from gitmem.commands.why import SearchStep, Why
    from gitmem.memory import Memory


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
        if (found := self._found) is not None:
            self._page.update(drawn(lambda out: print_why(found, out), self.size.width - 2))
