"""Git-native memory for coding agents and the people they work with.

``gitmem.Memory`` is one object whose methods are the commands, and ``gitmem.Query`` what recall is asked for; both are
loaded on first use, because the command line and the hooks start on every prompt and must not pay for what they do not
need.
"""

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.memory import Memory
    from gitmem.recall.query import Query

__all__ = ["Memory", "Query", "__version__"]


def __getattr__(name: str) -> object:
    """Load ``Memory``, and the types of its queries, on first use (PEP 562)."""
    if name == "Memory":
        from gitmem.memory import Memory

        return Memory
    if name == "Query":
        from gitmem.recall.query import Query

        return Query
    raise AttributeError(f"module 'gitmem' has no attribute {name!r}")
