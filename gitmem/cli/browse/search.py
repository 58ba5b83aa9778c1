"""The first screen: search as you type, in the order of ``gitmem recall``."""

from __future__ import annotations

from textual.binding import Binding
from textual.containers import Container, VerticalScroll
from textual.content import Content
from textual.geometry import Region
from textual.screen import Screen
from textual.widgets import Input, Static

from gitmem.cli.browse.detail import DetailScreen
from gitmem.cli.browse.help import HelpScreen, keys_line
from gitmem.cli.browse.overview import OverviewScreen
from gitmem.cli.browse.screen_text import draw_text
from gitmem.cli.hits import print_hit
from gitmem.cli.memory_rows import row_of, widths_of
from gitmem.cli.output import shorten
from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from textual.app import ComposeResult

    from gitmem.cli.browse.app import Browse
    from gitmem.memory import Memory
    from gitmem.model import Hit

# Prefixes of the selected hit, and of the others.
CHOSEN, OTHER = Content.styled("❯ ", "bold ansi_cyan"), Content("  ")
KEYS = (
    ("↑ ↓", "choose"),
    ("Enter", "open"),
    ("Tab", "decisions"),
    ("Esc", "clear, or leave"),
    ("F1", "help"),
)
# At the end of the list, recall runs again with twice as many hits, up to this number.
HITS_AT_MOST = 200


@frozen
class SearchPage:
    """The result of a query.

    Attributes:
        hits: The memories.
        more: How many more there are, at least.
        said: The message about them.
        now: When it was found, epoch seconds.
    """

    hits: tuple[Hit, ...]
    more: int
    said: str
    now: int = 0


def search(memory: Memory, text: str, limit: int) -> SearchPage:
    """Return the result of ``gitmem recall --limit N`` for a query; the newest memories for an empty one."""
    limit = limit or memory.repository.config.recall_limit
    result = memory.recall(text, limit=limit)
    if not result.hits:
        meant = f"; did you mean {result.suggestion!r}?" if result.suggestion else ""
        return SearchPage((), 0, f"nothing found{meant}" if text.strip() else "There are no memories yet.")
    what = "best" if text.strip() else "newest"
    more = f", at least {result.more} more below" if result.more else ""
    notes = "".join(f"; {notice}" for notice in (result.notice, *memory.notices) if notice)
    return SearchPage(result.hits, result.more, f"the {len(result.hits)} {what}{more}{notes}", memory.repository.now)


class SearchScreen(Screen[None]):
    """The screen for searching as you type."""

    app: Browse
    BINDINGS = (  # type: ignore[assignment] # Textual has a list, which all screens would share
        Binding("down,ctrl+n", "move(1)", "down"),
        Binding("up,ctrl+p", "move(-1)", "up"),
        Binding("pagedown", "move(5)", "down"),
        Binding("pageup", "move(-5)", "up"),
        Binding("tab,shift+tab", "wait", "decisions", priority=True),
        Binding("escape", "clear", "clear"),
        Binding("f1,ctrl+g", "help", "help"),
    )

    def __init__(self, query: str = "", *, is_waiting: bool = False) -> None:
        """Prepare the screen: *query* is the initial text, and *is_waiting* first opens the pending decisions."""
        super().__init__()
        self._query = query
        self._is_waiting = is_waiting
        # The requested query and number of hits, those on the screen, and whether a search is running.
        self._wanted: tuple[str, int] = (query, 0)
        self._shown: tuple[str, int] | None = None
        self._is_busy = False
        self._found = SearchPage((), 0, "")
        self._drawn: list[Content] = []
        self._chosen = 0
        self._field = Input(query, placeholder="words, a path, an identifier", select_on_focus=False)
        self._said, self._list, self._foot = Static(id="said"), Static(), Static()
        self._scroll = VerticalScroll(can_focus=False)

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        with Container(id="typing"):
            yield Static(Content.styled("search: ", "bold"))
            yield self._field
        yield self._said
        with self._scroll:
            yield self._list
        yield self._foot

    def on_mount(self) -> None:
        """Request the first hits."""
        self._field.focus()
        if self._is_waiting:
            self.action_wait()
        self._want(self._query)

    def on_resize(self) -> None:
        """Draw for the new width."""
        self._foot.update(keys_line(KEYS, self.size.width))
        self._draw()

    def on_screen_resume(self) -> None:
        """Search again, because decisions may have changed the result."""
        if self._shown is not None:
            self._shown = None
            self._fetch()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search for the typed text."""
        if event.value == "?":  # not a useful query, so it opens the help
            event.input.clear()
            self.action_help()
        elif event.value != self._wanted[0]:
            self._chosen = 0
            self._want(event.value)

    def on_input_submitted(self) -> None:
        """Open the selected memory."""
        if self._found.hits:
            DetailScreen.open(self, [hit.reference for hit in self._found.hits], self._chosen)

    def is_answered(self, text: str) -> bool:
        """Return whether the hits on the screen belong to this query."""
        return self._shown is not None and self._shown[0] == text

    def action_move(self, by: int) -> None:
        """Select another hit; at the end, request more."""
        hits = self._found.hits
        if by > 0 and self._chosen == len(hits) - 1 and self._found.more and len(hits) < HITS_AT_MOST:
            self._want(self._wanted[0], limit=2 * len(hits))
        self._chosen = max(0, min(self._chosen + by, len(hits) - 1))
        self._draw_list()

    def action_wait(self) -> None:
        """Show the pending decisions."""
        self.app.push_screen(OverviewScreen())

    def action_clear(self) -> None:
        """Clear the field, or leave if it is empty."""
        if self._field.value:
            self._field.clear()
        else:
            self.app.exit()

    def action_help(self) -> None:
        """Show the keys."""
        self.app.push_screen(HelpScreen())

    def _want(self, text: str, *, limit: int = 0) -> None:
        self._wanted = (text, limit)
        self._fetch()

    def _fetch(self) -> None:
        if not self._is_busy:
            self._is_busy = True
            self.app.start(self, self._answer)

    async def _answer(self) -> None:
        """Search until the screen shows the requested result; queries that were overtyped meanwhile are skipped."""
        try:
            while self._shown != self._wanted:
                text, limit = wanted = self._wanted
                key = self._found.hits[self._chosen].key if limit and self._found.hits else ""
                self._found = await self.app.ask(lambda memory, q=text, n=limit: search(memory, q, n))  # type: ignore[misc]
                self._shown = wanted
                keys = [hit.key for hit in self._found.hits]
                self._chosen = keys.index(key) if key in keys else min(self._chosen, max(0, len(keys) - 1))
                self._draw()
        except Exception as err:  # noqa: BLE001 - the program words it, or ends as a bug
            self._shown = self._wanted
            self._said.update(self.app.report_error(err))
        finally:
            self._is_busy = False

    def _draw(self) -> None:
        """Draw the hits."""
        width = self.size.width - 4  # the mark, and the scroll bar with a space before it
        page = self._found
        rows = [row_of(hit) for hit in page.hits]
        widths = widths_of(rows, width)
        self._drawn = [
            draw_text(lambda out, hit=hit, row=row: print_hit(hit, row, widths, out, now=page.now), width)  # type: ignore[misc] # defaults
            for hit, row in zip(page.hits, rows, strict=True)
        ]
        summary = shorten(self._found.said, self.size.width)
        self._said.update(draw_text(lambda out: out.line((summary, "dim")), self.size.width))
        self._draw_list()

    def _draw_list(self) -> None:
        """Draw the list with the selected hit marked, and scroll to it."""
        lines: list[Content] = []
        top = height = 0
        for number, content in enumerate(self._drawn):
            if number == self._chosen:
                top = len(lines)
            first, *rest = content.split("\n", allow_blank=True)
            lines += [(CHOSEN if number == self._chosen else OTHER) + first, *(OTHER + line for line in rest)]
            if number == self._chosen:
                height = len(lines) - top
        self._list.update(Content("\n").join(lines))
        self.call_after_refresh(
            self._scroll.scroll_to_region, Region(0, top, 1, max(1, height)), animate=False, force=True, immediate=True
        )
