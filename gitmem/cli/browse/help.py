"""Help on keys: the line at the bottom of each screen, and the page that explains all keys."""

from __future__ import annotations

from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from gitmem.cli.browse.loop import MOVES
from gitmem.cli.browse.screen_text import draw_text
from gitmem.cli.output import Output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.app import ComposeResult

SEARCH_KEYS = (
    ("any text", "search for it, in the order of gitmem recall"),
    ("↑ ↓, Ctrl-P Ctrl-N", "choose a memory; at the end, get more"),
    ("PgUp PgDn", "the same, five at once"),
    ("Enter", "open the memory"),
    ("Tab", "show the pending decisions"),
    ("Esc", "clear the field; leave if it is empty"),
    ("F1, Ctrl-G, ?", "this help (? if the field is empty)"),
    ("Ctrl-C, Ctrl-Q", "leave, from every screen"),
)
MEMORY_KEYS = (
    ("↑ ↓ PgUp PgDn", "scroll"),
    ("n p", "show the next one found, the previous one"),
    ("w", "why: find the commit that broke it"),
    ("e", "edit it in your editor (GIT_EDITOR, VISUAL, EDITOR)"),
    ("s", "settle it, if it failed or is suspect"),
    ("q, Esc", "go back to the search"),
)
WAITING_KEYS = (("↑ ↓, Enter; 1 to 5", "go through them, one by one"), ("q, Esc", "go back"))
LOOP_KEYS = (
    ("letters", "decide; they are at the foot, and ? explains them"),
    *((key, about) for key, (_, about) in MOVES.items()),
    ("Enter, Esc", "in a field: do it, or do nothing"),
)


def keys_line(keys: Iterable[tuple[str, str]], width: int) -> Content:
    """Return the keys with their actions, wrapped to as many lines as needed."""
    parts = [Content.assemble((key, "bold ansi_cyan"), " ", label) for key, label in keys]
    lines: list[Content] = []
    for part in parts:
        if lines and lines[-1].cell_length + 3 + part.cell_length <= width:
            lines[-1] += Content.styled(" · ", "dim") + part
        else:
            lines.append(part)
    return Content("\n").join(lines)


def print_help(out: Output) -> None:
    """Print the actions of all keys."""
    pages = (
        ("Search", SEARCH_KEYS),
        ("A memory", MEMORY_KEYS),
        ("Pending decisions", WAITING_KEYS),
        ("Deciding, one by one", LOOP_KEYS),
    )
    for number, (title, keys) in enumerate(pages):
        if number:
            out.line()
        out.line((title, "bold"))
        for key, about in keys:
            out.line(f"  {key:<22}  {about}")
    out.line()
    out.line(
        ("Every decision does what the command of that name does, as a commit. gitmem browse --help has more.", "dim")
    )


class HelpScreen(Screen[None]):
    """The page that explains all keys."""

    # A tuple, because all screens would share the list that Textual declares.
    BINDINGS = (Binding("escape,q,question_mark,f1,enter", "dismiss", "back"),)  # type: ignore[assignment]

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        with VerticalScroll():
            yield Static(id="page")
        yield Static(keys_line((("↑ ↓", "scroll"), ("q", "back")), 80))

    def on_resize(self) -> None:
        """Draw for the new width."""
        self.query_one("#page", Static).update(draw_text(print_help, self.size.width - 2))
