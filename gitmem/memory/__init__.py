"""``Memory``, the Python API: one object whose methods are the commands."""

from gitmem.memory.memory import Memory

__all__ = ["Memory"]
