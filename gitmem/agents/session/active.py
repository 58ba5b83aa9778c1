"""``memory.sessions``: the topics that sessions work on, and what each session was shown."""

from __future__ import annotations

import os

from gitmem.agents.session import log, topics, worklog
from gitmem.agents.session.places import read_lines
from gitmem.frozen import replace
from gitmem.text.budget import count_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from gitmem.agents.session.topics import Topic, Workplace
    from gitmem.commands.report.moments import LaterEvent
    from gitmem.commands.report.usage import StoreUsage
    from gitmem.repository import OpenRepository


def _brought(entry: Mapping[str, Any]) -> bool:
    """Return whether an entry of the retrieval log brought memories into a context; own writes have no length."""
    return entry.get("event") in log.BROUGHT or bool(entry.get("tokens"))


# A quarter of a year: long enough for most memories to be needed once. Our choice.
USAGE_DAYS = 90


class Sessions:
    """The sessions of one work tree and branch, and their topics."""

    def __init__(self, repository: OpenRepository) -> None:
        self._opened = repository

    def use(self, name: str, spec: str = "") -> Topic:
        """Make a topic the active one of this work tree and branch, and add to its specification.

        Raises:
            RefusedError: The name is invalid, or the text holds a secret or a hidden character.
        """
        self._refuse_typed("the specification", spec)
        return topics.use(self.place(), name, spec)

    def note(self, text: str, *, session: str = "") -> Topic:
        """Add a paragraph to the specification of the active topic.

        Raises:
            RefusedError: The text holds a secret or a hidden character.
        """
        self._refuse_typed("the note", text)
        topic = self.topic(session)
        topics.note(topic, text)
        return topic

    def add_evidence(self, text: str, refs: Sequence[str], *, session: str = "") -> Topic:
        """Add evidence to the active topic: a finding, and where it can be seen.

        Raises:
            RefusedError: The text holds a secret or a hidden character.
        """
        self._refuse_typed("the evidence", "\n".join((text, *refs)))
        topic = self.topic(session)
        topics.add_evidence(topic, text, refs, now=self._opened.now)
        return topic

    def wipe(self, *, session: str = "") -> tuple[Topic, bool]:
        """Remove the active topic's specification, worklog and evidence; return whether it had any."""
        topic = self.topic(session)
        return topic, topics.wipe(self.place(), topic)

    def archive(self, *, session: str = "") -> Topic:
        """Archive the active topic, which stays readable.

        Raises:
            NotFoundError: The topic is empty.
        """
        return topics.archive(self.place(), self.topic(session), now=self._opened.now)

    def switch_context(self, *, is_on: bool, everywhere: bool, session: str = "") -> str:
        """Switch the context for agents on or off, for the active topic or everywhere here; return the switch file."""
        return topics.switch(self.place(), None if everywhere else self.topic(session), is_on=is_on)

    def status(self, *, session: str = "", name: str = "") -> dict[str, Any]:
        """Return the state of the active topic, or of a named one."""
        return describe(self._opened, self.place(), self.topic(session, name))

    def shown(self, session: str = "") -> list[dict[str, Any]]:
        """Return what a session was shown, oldest first; without a name, the latest session."""
        place = self.place()
        name = session or next(iter(log.sessions(place)), "")
        return [{"session": name, **entry} for entry in log.entries_of(place, name)]

    def usage(self, *, days: int = USAGE_DAYS) -> StoreUsage:
        """Return how the memory grows, and how much of it is used in this clone (``gitmem stats``).

        Args:
            days: The number of days to look back, including today; >= 1.
        """
        from gitmem.commands.report import usage

        place = self.place()
        entries = {name: log.entries_of(place, name) for name in log.sessions(place)}
        shown = {name: [entry for entry in them if _brought(entry)] for name, them in entries.items()}
        return usage.read(self._opened, shown, days=days, later=self._later(place, shown))

    def _later(
        self, place: Workplace, sessions: Mapping[str, Sequence[Mapping[str, Any]]]
    ) -> dict[str, tuple[LaterEvent, ...]]:
        """Return the commands and edits in the worklog of each session's topic."""
        from gitmem.commands.report.moments import later_events

        read: dict[str, tuple[LaterEvent, ...]] = {}
        later = {}
        for name, entries in sessions.items():
            agent = next((str(entry["agent"]) for entry in entries if entry.get("agent")), "")
            last = entries[-1] if entries else {}
            at = replace(place, workspace=str(last.get("workspace")), branch=str(last.get("branch")))
            path = topics.topic_of(at, name.removesuffix(f"-{agent}") if agent else name).worklog_path
            if path not in read:
                read[path] = later_events(read_lines(path, worklog.WORKLOG_BYTES))
            later[name] = read[path]
        return later

    def _refuse_typed(self, what: str, text: str) -> None:
        from gitmem.write.draft import refuse_typed

        refuse_typed(what, text, self._opened.policy())

    def place(self) -> Workplace:
        """Return the workspace: this work tree and branch."""
        return topics.workplace_of(self._opened)

    def topic(self, session: str = "", name: str = "") -> Topic:
        """Return the active topic, or a named one, archived or not.

        Raises:
            NotFoundError: There is no topic with this name.
        """
        return topics.find(self.place(), name) if name else topics.topic_of(self.place(), session)


def describe(repository: OpenRepository, place: Workplace, topic: Topic) -> dict[str, Any]:
    """Return a topic as the documented JSON; its files need not exist yet."""
    spec = topic.spec()
    entries = read_lines(topic.worklog_path, worklog.WORKLOG_BYTES)
    return {
        "topic": topic.name,
        "workspace": place.workspace,
        "branch": place.branch,
        "shared": place.is_shared,
        "named": topic.is_pinned,
        "archived": topic.is_archived,
        "review": topic.is_review,
        "off": _why_off(repository, place, topic),
        "folder": topic.folder,
        "spec": spec,
        "spec_tokens": count_tokens(spec),
        "worklog": {"entries": len(entries), "tools": worklog.counts(entries), "last": worklog.tail(topic, 5)},
        "evidence": topic.evidence(),
        "topics": topics.list_names(place),
        "archive": topics.list_archived(place),
    }


def _why_off(repository: OpenRepository, place: Workplace, topic: Topic) -> str:
    """Return why agents get no context; empty if they do."""
    if not repository.config.context:
        return "the setting gitmem.context"
    for folder in (place.root, topic.folder):
        path = os.path.join(folder, topics.OFF)
        if os.path.lexists(path):
            return path
    return ""
