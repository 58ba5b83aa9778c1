"""Describe a topic: its branch and work tree, its content, and whether agents are shown context."""

from __future__ import annotations

import os

from gitmem.agents.session import topics, worklog
from gitmem.agents.session.places import read_lines
from gitmem.text import tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitmem.agents.session.topics import Topic, Workplace
    from gitmem.repository.repository import OpenRepository


def describe(memory: OpenRepository, place: Workplace, topic: Topic) -> dict[str, Any]:
    """Return a topic as the documented JSON; it may have no files yet."""
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
        "off": _off(memory, place, topic),
        "folder": topic.folder,
        "spec": spec,
        "spec_tokens": tokens.count_tokens(spec),
        "worklog": {"entries": len(entries), "tools": worklog.counts(entries), "last": worklog.tail(topic, 5)},
        "evidence": topic.evidence(),
        "topics": topics.list_names(place),
        "archive": topics.list_archived(place),
    }


def _off(memory: OpenRepository, place: Workplace, topic: Topic) -> str:
    """Return why agents get no context; empty if they do."""
    if not memory.config.context:
        return "the setting gitmem.context"
    for folder in (place.root, topic.folder):
        path = os.path.join(folder, topics.OFF)
        if os.path.lexists(path):
            return path
    return ""
