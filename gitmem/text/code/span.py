"""The lines of a definition in code."""

from __future__ import annotations

from gitmem.frozen import frozen


@frozen
class Span:
    """The lines of one definition.

    Attributes:
        name: The defined name.
        first: Its first line, from 0.
        end: The line after its last one.
    """

    name: str
    first: int
    end: int
