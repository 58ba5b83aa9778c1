"""Reading methods of ``Memory`` read the companion of HEAD's branch on top of the memory branch."""

from __future__ import annotations

from functools import wraps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Concatenate, ParamSpec, TypeVar

    from gitmem.memory.memory import Memory

    P = ParamSpec("P")
    R = TypeVar("R")


def reads_companion(method: Callable[Concatenate[Memory, P], R]) -> Callable[Concatenate[Memory, P], R]:
    """Return a method that reads the memory as it is on HEAD's branch, and leaves what is open as it was."""

    @wraps(method)
    def reading(memory: Memory, /, *args: P.args, **options: P.kwargs) -> R:
        is_turned = memory.repository.read_companion()
        try:
            return method(memory, *args, **options)
        finally:
            if is_turned:
                memory.repository.turn()

    return reading
