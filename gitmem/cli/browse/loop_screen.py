"""The screen of a loop: one item after another, with keys that decide about it, like ``git add -p``."""

from __future__ import annotations

from functools import partial

from textual.containers import Container, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, Static

from gitmem.cli.browse.help import keys_line
from gitmem.cli.browse.loop import MOVES, Choice, need_yes
from gitmem.cli.browse.screen_text import draw_text
from gitmem.cli.output import Output
from gitmem.errors import GitmemError
from gitmem.statuses import MARKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from textual import events
    from textual.app import ComposeResult

    from gitmem.cli.browse.app import Browse
    from gitmem.cli.browse.loop import Loop
    from gitmem.memory import Memory


def last_change(memory: Memory) -> str:
    """Return the subject of the change that undo would revert.

    Raises:
        GitmemError: There is nothing to undo, or it cannot be undone.
    """
    return memory.bulk.undo(dry_run=True).subject


def undo(memory: Memory, _: Any, typed: str) -> str:
    """Undo the last change of the memory."""
    need_yes(typed)
    undo = memory.bulk.undo()
    return f"undid: {undo.subject}"


class LoopScreen(Screen[None]):
    """Decides about one item after another."""

    app: Browse
    AUTO_FOCUS = ""  # keys decide, except while a question is open

    def __init__(self, loop: Loop, items: Sequence[Any] = ()) -> None:
        """Prepare the screen for these *items*, or else for those that the loop gathers."""
        super().__init__()
        self._form = loop
        self._items: list[Any] = list(items)
        self._at = 0
        self._head, self._page, self._said = Static(), Static(), Static(id="said")
        self._scroll, self._typing = VerticalScroll(can_focus=False), Container(id="typing")
        self._question, self._field, self._foot = Static(), Input(select_on_focus=False), Static()
        # The error that prevented gathering the items.
        self._refusal: Content | None = None
        # Whether work is in progress; the index of the item on the screen; and the choice whose question is open.
        self._is_busy = True
        self._drawn = -1
        self._asking: Choice | None = None
        # Whether the item is incomplete on the screen, and whether the help is shown instead.
        self._is_cut = False
        self._is_help = False

    @property
    def is_drawing(self) -> bool:
        """Whether the item to decide about is not yet on the screen."""
        return self._drawn != self._at

    @property
    def is_shown(self) -> bool:
        """Whether the item to decide about is completely on the screen."""
        return not (self.is_drawing or self._is_help or self._is_cut)

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield self._head
        with self._scroll:
            yield self._page
        yield self._said
        with self._typing:
            yield self._question
            yield self._field
        yield self._foot

    def on_mount(self) -> None:
        """Gather the items."""
        self._typing.display = False
        self.app.start(self, self._begin)

    def on_resize(self) -> None:
        """Draw for the new size."""
        self.app.start(self, self._draw, replaces="draw")

    async def _begin(self) -> None:
        try:
            if not self._items:
                self._say(Content.styled(f"looking for {self._form.name} …", "dim"))
                self._items = list(await self.app.ask(self._form.gather))
                self._say(Content(""))
        except Exception as err:  # noqa: BLE001 - the program words it, or ends as a bug
            self._say(Content(""))
            self._refusal = self.app.report_error(err)
        self._is_busy = False
        await self._draw()

    async def _draw(self) -> None:
        """Draw the item, or a message that no more are left."""
        if self._is_busy and self._drawn < 0:
            return  # still gathering
        at, self._is_help = self._at, False
        self._drawn = -1
        name = self._form.name.capitalize()
        count = len(self._items)
        where = f"  ({at + 1}/{count})" if at < count else f"  (all {count} seen)" if count else ""
        self._head.update(Content.assemble((name, "bold"), (where, "dim")))
        self._foot.update(keys_line(self._keys(), self.size.width))
        content = await self._content()
        if at == self._at and not self._is_help:
            self._page.update(content)
            self._scroll.scroll_home(animate=False)
            self._drawn = at

    async def _content(self) -> Content:
        width = self.size.width - 2
        if self._refusal is not None:
            return self._refusal
        if self._at >= len(self._items):
            text = "That was all of them." if self._items else self._form.none
            return draw_text(lambda out: out.line(text), width)
        item = self._items[self._at]
        content = await self.app.draw(lambda memory, out: self._form.draw(memory, item, out), width)
        needed, there = len(content.split("\n", allow_blank=True)), self._rows()
        self._is_cut = self._form.is_whole and needed > there
        if not self._is_cut:
            return content
        head = content.split("\n", allow_blank=True)[0]
        message = f"This needs {needed} lines, but there are {there} here: make the window larger to decide."
        return head + Content("\n\n") + draw_text(lambda out: out.line((message, "yellow")), width)

    def _rows(self) -> int:
        """Return how many rows an item may take while a question is open."""
        keys = keys_line(self._keys(), self.size.width).plain.count("\n") + 1
        return self.size.height - keys - 3  # the heading, the message, the question

    def _keys(self) -> list[tuple[str, str]]:
        choices = [(choice.key, choice.label) for choice in self._form.choices] if self._at < len(self._items) else []
        return [*choices, *((key, label) for key, (label, _) in MOVES.items())]

    async def on_key(self, event: events.Key) -> None:
        """Decide, move, or scroll."""
        if self._asking is not None:
            if event.key == "escape":
                event.stop()
                self._stop_asking()
            return
        key = "?" if event.key in ("question_mark", "f1") else "q" if event.key == "escape" else event.character or ""
        if self._is_busy and key != "q":
            return
        choice = self._form.find_choice(key) if self._at < len(self._items) else None
        scroll = self._scroll
        scrolls = {
            "down": scroll.scroll_down,
            "up": scroll.scroll_up,
            "pagedown": scroll.scroll_page_down,
            "space": scroll.scroll_page_down,
            "pageup": scroll.scroll_page_up,
            "home": scroll.scroll_home,
            "end": scroll.scroll_end,
        }
        if event.key in scrolls:
            scrolls[event.key](animate=False)
        elif choice is not None:
            self._begin_choice(choice)
        elif key in MOVES:
            self._move(key)
        elif event.is_printable:
            self._say(Content.styled(f"? explains the keys; {event.character} does nothing here", "dim"))

    def _move(self, key: str) -> None:
        if key == "q":
            self.dismiss()
        elif key == "?":
            self._help()
        elif key == "u":
            self.app.start(self, self._ask_undo)
        else:
            self._at = max(0, min(self._at + (1 if key == "n" else -1), len(self._items)))
            self._say(Content(""))
            self.app.start(self, self._draw, replaces="draw")

    def _help(self) -> None:
        """Show the actions of the keys, or return to the item if they are already shown."""
        if self._is_help:
            self.app.start(self, self._draw, replaces="draw")
            return

        def print_keys(out: Output) -> None:
            for choice in self._form.choices:
                out.line("  ", (choice.key, "key"), f"  {choice.about}")
            for key, (_, about) in MOVES.items():
                out.line("  ", (key, "key"), f"  {about}")
            out.line()
            out.line((f"The same from the command line: {self._form.command}", "dim"))

        self._is_help = True
        self._page.update(draw_text(print_keys, self.size.width - 2))

    async def _ask_undo(self) -> None:
        try:
            subject = await self.app.ask(last_change)
        except GitmemError as err:
            self._say(self.app.report_error(err))
            return
        self._begin_choice(
            Choice("u", "undo", "", undo, lambda _: f"Undo “{subject}”? Type y for yes", stays=True), is_move=True
        )

    def _begin_choice(self, choice: Choice, *, is_move: bool = False) -> None:
        if not (is_move or self.is_shown):
            # Keys typed ahead must not decide about an item that was not visible yet.
            self._say(Content.styled("look at all of it first" + "; ? shows it again" * self._is_help, "dim"))
        elif choice.asks is None:
            self.app.start(self, partial(self._act, choice, ""))
        else:
            self._asking = choice
            item = self._items[self._at] if self._at < len(self._items) else None
            question = choice.asks(item)
            self._question.update(draw_text(lambda out: out.line((f"{question}: ", "bold")), self.size.width))
            self._typing.display = True
            field = self._field
            field.clear()
            field.focus()

    def _stop_asking(self) -> None:
        self._asking = None
        self._typing.display = False
        self.set_focus(None)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Apply the choice whose question was answered."""
        choice, typed = self._asking, event.value
        self._stop_asking()
        if choice is None or not (typed.strip() or choice.may_be_empty):
            self._say(Content.styled("nothing was done", "dim"))
        else:
            self.app.start(self, partial(self._act, choice, typed))

    async def _act(self, choice: Choice, typed: str) -> None:
        """Apply a choice, report the result, and go to the next item."""
        self._is_busy = True
        item = self._items[self._at] if self._at < len(self._items) else None
        self._say(Content.styled(f"{choice.label} …", "dim"))
        try:
            done = await self.app.ask(lambda memory: choice.act(memory, item, typed))
        except Exception as err:  # noqa: BLE001 - the program words it, or ends as a bug
            self._say(self.app.report_error(err))
            return
        finally:
            self._is_busy = False
        self._say(draw_text(lambda out: out.line((MARKS["verified"], "green"), f" {done}"), self.size.width))
        if not choice.stays:
            self._at += 1
        await self._draw()

    def _say(self, content: Content) -> None:
        self._said.update(content)
