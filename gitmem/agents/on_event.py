"""What happens in an agent's session: the part of ``Memory`` that hooks of harnesses call."""

from __future__ import annotations

from gitmem.agents.session.active import Sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.agents.event import Event


class Hooked(Sessions):
    """An opened store with what is done when something happens in an agent's session."""

    def accept(self) -> None:
        """Have hooks of the person's own settings show the memories of this clone."""
        from gitmem.store.acceptance import accept

        if not accept(self.git.repository.state):
            self.notices.append(
                "that you accept this clone could not be recorded: hooks of your own settings show nothing"
            )

    def is_accepted(self) -> bool:
        """Tell whether somebody accepted the memories of this clone."""
        from gitmem.store.acceptance import is_accepted

        return is_accepted(self.git.repository.state)

    def not_accepted(self) -> str:
        """Return what an agent is told in place of memories that nobody accepted: one line, nothing of theirs."""
        from gitmem.index.catalog.counts import count_live

        count = count_live(self.catalog(), without=("task",), now=self.now)
        return (
            f"This repository has a memory of {count} {'entry' if count == 1 else 'entries'}. It is not shown here,"
            " because nobody accepted it in this clone. The person decides that, not an agent: gitmem init."
        )

    def session_started(self, event: Event) -> str:
        """Return what an agent should know as its session starts, or goes on."""
        from gitmem.agents.session.start import Doors, start

        doors = Doors(lambda budget, kinds: self.context(paths=(), budget_tokens=budget, kinds=kinds), self.recall)
        return start(self, event, doors)

    def prompted(self, event: Event) -> str:
        """Return the memories that a prompt needs and that this session was not shown yet; mostly none."""
        from gitmem.agents.session.prompt import recall_for

        return recall_for(self, event, self.recall)

    def tool_used(self, event: Event) -> None:
        """Keep what a tool's use teaches, and what it did for the session's worklog, also where the first fails."""
        from gitmem.agents.capture.tools import capture
        from gitmem.agents.session.worklog import record

        try:
            capture(self, event)
        finally:
            record(self, event)

    def responded(self, event: Event) -> None:
        """Keep what an agent's words say was learnt."""
        from gitmem.agents.capture.responses import capture

        capture(self, event)

    def compacting(self, event: Event) -> str:
        """Keep what a session was about before its harness forgets most of it."""
        from gitmem.agents.session.summary import compacting

        return compacting(self, event)

    def session_ended(self, event: Event) -> None:
        """Keep what a session was about at its end."""
        from gitmem.agents.session.summary import ended

        ended(self, event)

    def stopped(self, event: Event) -> None:
        """Note that an agent stopped; no knowledge is kept at a stop: its words are read when the session ends."""
        from gitmem.agents.session.stops import stopped

        stopped(self, event)

    def subagent_stopped(self, event: Event) -> str:
        """Return what a sub-agent should still do before it stops, where the policy asks; mostly nothing."""
        from gitmem.agents.session.stops import subagent_stopped

        return subagent_stopped(self, event)

    def summarize(self) -> list[str]:
        """Make the summaries of sessions that hooks asked for, and return their keys."""
        from gitmem.agents.capture.responses import learn_from
        from gitmem.agents.capture.source import captured_by
        from gitmem.agents.session.summary import Given, finish
        from gitmem.commands.capture.quality import says_something

        return finish(self, Given(learn_from, captured_by, says_something))
