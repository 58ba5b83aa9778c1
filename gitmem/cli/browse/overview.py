"""The kinds of pending decisions, with the number of each."""

from __future__ import annotations

from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widgets import Static

from gitmem.cli.browse.approvals import APPROVALS
from gitmem.cli.browse.captures import CAPTURED
from gitmem.cli.browse.duplicates import DUPLICATES
from gitmem.cli.browse.failures import FAILURES
from gitmem.cli.browse.help import HelpScreen, keys_line
from gitmem.cli.browse.loop_screen import LoopScreen
from gitmem.cli.browse.proposals import PROPOSALS
from gitmem.cli.browse.screen_text import draw_text
from gitmem.cli.output import Output
from gitmem.errors import GitmemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from textual.app import ComposeResult

    from gitmem.cli.browse.app import Browse
    from gitmem.cli.browse.loop import Loop
    from gitmem.memory import Memory

LOOPS = (FAILURES, APPROVALS, DUPLICATES, PROPOSALS, CAPTURED)
KEYS = (("↑ ↓", "choose"), ("Enter", "go through them"), ("q", "back"), ("?", "help"))


def count(memory: Memory, loop: Loop) -> str:
    """Return how many decisions of one kind are pending, or why they were not counted."""
    if loop.is_slow:
        return "?"
    try:
        return str(len(loop.gather(memory)))
    except GitmemError:
        return "!"


class OverviewScreen(Screen[None]):
    """A screen with the kinds of decisions."""

    app: Browse
    BINDINGS = (  # type: ignore[assignment] # Textual has a list, which all screens would share
        Binding("escape,q,tab", "dismiss", "back"),
        Binding("down,j", "move(1)", "down"),
        Binding("up,k", "move(-1)", "up"),
        Binding("enter,space", "open", "go through them"),
        *(Binding(str(number), f"open({number})", "go through them") for number in range(1, len(LOOPS) + 1)),
        Binding("question_mark,f1", "help", "help"),
    )

    def __init__(self) -> None:
        """Prepare the screen."""
        super().__init__()
        self._counts: tuple[str, ...] = ("…",) * len(LOOPS)
        self._chosen = 0
        self._page, self._said, self._foot = Static(), Static(id="said"), Static()

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        with VerticalScroll(can_focus=False):
            yield self._page
        yield self._said
        yield self._foot

    def on_resize(self) -> None:
        """Draw for the new width."""
        self._foot.update(keys_line(KEYS, self.size.width))
        self._draw()

    def on_screen_resume(self) -> None:
        """Count again, because decisions may have been made."""
        self.app.start(self, self._count, replaces="draw")

    def action_move(self, by: int) -> None:
        """Select another kind."""
        self._chosen = (self._chosen + by) % len(LOOPS)
        self._draw()

    def action_open(self, number: int = 0) -> None:
        """Start the loop of the selected kind."""
        self._chosen = number - 1 if number else self._chosen
        self.app.push_screen(LoopScreen(LOOPS[self._chosen]))

    def action_help(self) -> None:
        """Show the keys."""
        self.app.push_screen(HelpScreen())

    async def _count(self) -> None:
        try:
            for at, loop in enumerate(LOOPS):
                counted = await self.app.ask(lambda memory, loop=loop: count(memory, loop))  # type: ignore[misc]
                self._counts = (*self._counts[:at], counted, *self._counts[at + 1 :])
                self._draw()
        except Exception as err:  # noqa: BLE001 - the program words it, or ends as a bug
            self._said.update(self.app.report_error(err))

    def _draw(self) -> None:
        self._page.update(draw_text(self._print, self.size.width - 2))

    def _print(self, out: Output) -> None:
        out.line(("Pending decisions", "bold"))
        out.line()
        for number, (loop, counted) in enumerate(zip(LOOPS, self._counts, strict=True)):
            mark = ("❯ ", "key") if number == self._chosen else ("  ", "")
            style = "bold" if counted not in ("0", "…") else "dim"
            out.line(mark, (f"{number + 1}  {counted:>4}  {loop.name}", style), (f"  {loop.command}", "dim"))
        out.line()
        if "?" in self._counts:
            out.line(("  ?  counted when you go there: it compares all memories", "dim"))
        if "!" in self._counts:
            out.line(("  !  cannot be done here; go there to see why", "dim"))
