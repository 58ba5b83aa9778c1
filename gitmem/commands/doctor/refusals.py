"""The queue of captured texts that were refused: list them, accept one as a memory, or drop it."""

from __future__ import annotations

import os

from gitmem.errors import NotFoundError, RefusedError
from gitmem.frozen import frozen
from gitmem.store.state.spool import Spool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gitmem.repository import OpenRepository

ALL = "all"
NAME_LENGTH = 6


@frozen
class RefusedText:
    """A captured text that was refused.

    Attributes:
        name: Six hexadecimal digits.
        kind: The kind that the memory would have; empty if the text was not stored.
        text: The text with its secrets replaced; empty if it was not stored.
        why: Why it was refused.
        path: Its file.
    """

    name: str
    kind: str
    text: str
    why: str
    path: str


def list_refused(repository: OpenRepository) -> list[RefusedText]:
    """Return the texts that were refused, oldest first."""
    spool = Spool(repository.git.repository.state)
    refused = []
    for path, why in spool.list_refused():
        entry = spool.read_refused(path)
        name = path.rpartition(os.sep)[2].partition("-")[2].partition(".")[0][:NAME_LENGTH]
        refused.append(
            RefusedText(name, str(entry.get("kind", "learned")) if entry else "", entry.get("text", ""), why, path)
        )
    return refused


def accept(repository: OpenRepository, name: str, drain: Callable[[], int]) -> int:
    """Make memories of one refused text, or of all that have a text, and return how many.

    Raises:
        NotFoundError: There is no such text.
        RefusedError: Its text was not stored, or is refused again.
    """
    spool = Spool(repository.git.repository.state)
    chosen = [refused for refused in _choose(repository, name) if refused.text or name != ALL]
    for refused in chosen:
        if not refused.text:
            raise RefusedError(
                f"the text of {refused.name} was not kept", hint=f"gitmem doctor --captured --drop {refused.name}"
            )
        spool.accept(refused.path)
    drain()
    again = {refused.name: refused.why for refused in list_refused(repository)}
    for refused in chosen:
        if refused.name in again:
            raise RefusedError(
                f"{refused.name} is refused again: {again[refused.name]}", hint='gitmem remember "what you learned"'
            )
    return len(chosen)


def drop(repository: OpenRepository, name: str) -> int:
    """Delete one refused text, or all of them, and return how many.

    Raises:
        NotFoundError: There is no such text.
    """
    chosen = _choose(repository, name)
    for refused in chosen:
        Spool(repository.git.repository.state).drop(refused.path)
    return len(chosen)


def _choose(repository: OpenRepository, name: str) -> list[RefusedText]:
    refused = list_refused(repository)
    chosen = refused if name == ALL else [refused_text for refused_text in refused if refused_text.name == name]
    if not chosen and name != ALL:
        raise NotFoundError(f"no refused text is named {name}", hint="gitmem doctor --captured")
    return chosen
