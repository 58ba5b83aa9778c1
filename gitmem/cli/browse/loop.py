"""Loops over pending decisions, one item at a time. Each choice does the same as a command."""

from __future__ import annotations

from gitmem.cli.output import Output
from gitmem.errors import UsageError
from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from gitmem.memory import Memory

# The keys that every loop has, and that no choice may use.
MOVES = {
    "n": ("next", "decide later, and go on to the next one"),
    "p": ("previous", "go back to the previous one"),
    "u": ("undo", "undo the last change, as gitmem undo does"),
    "q": ("leave", "leave; decisions are kept"),
    "?": ("help", "show what the keys do"),
}


@frozen
class Choice:
    """One possible decision.

    Attributes:
        key: Its key, one character.
        label: Its name, one or two words.
        about: Its effect, for the help.
        act: Applies it to an item, given the typed answer, and returns the result as one sentence.
        asks: Returns a question that must be answered first; None if there is none.
        may_be_empty: Whether the answer may be empty.
        stays: Whether the item stays on the screen because it may still need a decision.
    """

    key: str
    label: str
    about: str
    act: Callable[[Memory, Any, str], str]
    asks: Callable[[Any], str] | None = None
    may_be_empty: bool = False
    stays: bool = False


@frozen
class Loop:
    """The pending decisions of one kind.

    Attributes:
        name: The name of the items, such as ``failures to settle``.
        none: The message if there are none.
        gather: Returns the items.
        draw: Prints one item.
        choices: The possible decisions.
        command: The command that does the same.
        is_whole: Whether an item must fit on the screen to be decided, because text that scrolled away is not read.
        is_slow: Whether gathering takes long in a large store, so that items are not counted in advance.
    """

    name: str
    none: str
    gather: Callable[[Memory], Sequence[Any]]
    draw: Callable[[Memory, Any, Output], None]
    choices: tuple[Choice, ...]
    command: str
    is_whole: bool = False
    is_slow: bool = False

    def find_choice(self, key: str) -> Choice | None:
        """Return the choice with a key."""
        return next((choice for choice in self.choices if choice.key == key), None)


def ask_yes(question: str) -> Callable[[Any], str]:
    """Return a function for a question that only ``y`` answers with yes."""
    return lambda _: f"{question} Type y for yes"


def need_yes(typed: str) -> None:
    """Raise an error unless yes was typed.

    Raises:
        UsageError: Something else was typed.
    """
    if typed.strip().lower() != "y":
        raise UsageError("nothing was done", hint="only y means yes")
