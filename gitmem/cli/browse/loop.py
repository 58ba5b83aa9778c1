"""What waits for a decision, one by one: the form of such a loop. What a choice does is what a command does."""

from __future__ import annotations

from gitmem.errors import UsageError
from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from gitmem.cli.output import Output
    from gitmem.memory.memory import Memory

# The keys of every loop, which no choice may have.
MOVES = {
    "n": ("next", "decide later, and go on to the next one"),
    "p": ("previous", "go back to the previous one"),
    "u": ("undo", "undo the last change, as gitmem undo does"),
    "q": ("leave", "leave; decisions are kept"),
    "?": ("help", "show what the keys do"),
}


@frozen
class Choice:
    """One thing that can be done.

    Attributes:
        key: The key for it, one character.
        label: It in one or two words.
        about: What it does, for the help.
        act: Does it to an item, with what was typed, and returns what was done as one sentence.
        asks: Returns the question that is answered first by typing; None where it needs no answer.
        may_be_empty: Whether the answer may be nothing.
        stays: Whether the item stays on the screen, since it may still wait.
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
    """What waits for one kind of decision.

    Attributes:
        name: What the items are called, such as ``failures to settle``.
        none: What is said where there are none.
        gather: Returns the items.
        draw: Prints one.
        choices: What can be done with one.
        command: The command that does the same.
        is_whole: Whether an item that does not fit on the screen cannot be decided here: what scrolls away is not read.
        is_slow: Whether gathering takes long in a large store, so that they are counted only when they are wanted.
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
        return next((one for one in self.choices if one.key == key), None)


def ask_yes(question: str) -> Callable[[Any], str]:
    """Return what asks a question that only ``y`` answers with yes."""
    return lambda _: f"{question} Type y for yes"


def need_yes(typed: str) -> None:
    """Go on only where yes was typed.

    Raises:
        UsageError: Something else was typed.
    """
    if typed.strip().lower() != "y":
        raise UsageError("nothing was done", hint="only y means yes")
