"""A decorator for reading methods of ``Memory``, which also read the companion of HEAD's branch."""

from __future__ import annotations

from functools import wraps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Concatenate, ParamSpec, TypeVar

    from gitmem.memory import Memory

    P = ParamSpec("P")
    R = TypeVar("R")


def reads_companion(method: Callable[Concatenate[Memory, P], R]) -> Callable[Concatenate[Memory, P], R]:
    """Return a method that also reads the companion of HEAD's branch, and restores the previous state afterwards."""

    @wraps(method)
    def reading(memory: Memory, /, *args: P.args, **options: P.kwargs) -> R:
        is_turned = memory.repository.read_companion()
        try:
            return method(memory, *args, **options)
        finally:
            if is_turned:
                memory.repository.turn()

    return reading
