"""Read who wrote a memory: its field ``by`` is a name, or a mapping such as ``{who: ana, agent: dev, role: pm}``."""

from __future__ import annotations

from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


@frozen
class RecordedAuthor:
    """The author that a memory names; a part that it does not name is empty.

    Attributes:
        who: The person.
        agent: The agent that wrote for them.
        role: The agent's role.
        session: The agent's session.
        names: Everything that the field says, in its order.
    """

    who: str
    agent: str
    role: str
    session: str
    names: tuple[str, ...]

    @property
    def label(self) -> str:
        """Return the person and the agent as one text; empty if neither is known."""
        return " / ".join(filter(None, (self.who, self.agent)))


def agent_of(fields: Mapping[str, Any]) -> str:
    """Return the agent that a memory names; empty if it names none."""
    by = fields.get("by")
    return str(by.get("agent") or "") if isinstance(by, dict) else ""


def read_author(fields: Mapping[str, Any]) -> RecordedAuthor:
    """Return the author of a memory by its frontmatter; a value of another shape counts as a name."""
    by = fields.get("by")
    if not isinstance(by, dict):
        who = str(by or "")
        return RecordedAuthor(who, "", "", "", (who,) if who else ())
    parts = {name: str(value) for name, value in by.items() if value}
    part = parts.get
    return RecordedAuthor(
        part("who", ""), part("agent", ""), part("role", ""), part("session", ""), tuple(parts.values())
    )
