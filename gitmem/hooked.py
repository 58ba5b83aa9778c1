"""What happens in an agent's session: the part of ``Memory`` that hooks of harnesses call."""

from __future__ import annotations

from gitmem.sessions import Sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.event import Event


class Hooked(Sessions):
    """An opened store with what is done when something happens in an agent's session."""

    def session_started(self, event: Event) -> str:
        """Return what an agent should know as its session starts, or goes on."""
        from gitmem.session.start import Doors, start

        doors = Doors(lambda budget, kinds: self.context(paths=(), budget_tokens=budget, kinds=kinds), self.recall)
        return start(self, event, doors)

    def prompted(self, event: Event) -> str:
        """Return the memories that a prompt needs and that this session was not shown yet; mostly none."""
        from gitmem.session.prompt import recall_for

        return recall_for(self, event, self.recall)

    def tool_used(self, event: Event) -> None:
        """Keep what was done for the session's worklog."""
        from gitmem.session.worklog import record

        record(self, event)
