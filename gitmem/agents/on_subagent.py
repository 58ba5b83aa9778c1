"""Context for a sub-agent that starts: what a lead injected for it, and the digest within its role's budget."""

from __future__ import annotations

from gitmem.agents.event import START, STARTUP
from gitmem.agents.on_file import is_off
from gitmem.agents.session.activity import log
from gitmem.agents.session.start import start
from gitmem.frozen import replace
from gitmem.index.catalog.state import LIVE
from gitmem.repository import has_private, open_private
from gitmem.text import display
from gitmem.text.budget import opening_of
from gitmem.text.fence import fence_entries
from gitmem.text.slugs import slug

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.agents.event import Event
    from gitmem.memory import Memory
    from gitmem.repository import OpenRepository

# The most learnings shown, newest first, and the tokens of each. Our choices.
AT_MOST, EACH_TOKENS = 5, 120


def subagent_context(memory: Memory, event: Event) -> str:
    """Return context for a sub-agent that starts, by its name and type; empty if there is none."""
    if event.prompt:
        log(memory.repository, event, event.prompt)
    # It has a context of its own, without what the session was shown.
    own = replace(event, name=START, source=STARTUP, session=f"{event.session}-{event.agent}")
    return "\n\n".join(filter(None, (_private_memories(memory.repository, event), start(memory, own, related=False))))


def _private_memories(memory: OpenRepository, event: Event) -> str:
    """Return the private memories of the agent that the sub-agent's type names."""
    if not slug(event.agent_type) or not memory.config.context or not has_private(memory.git) or is_off(memory, event):
        return ""
    store = open_private(memory, agent=event.agent_type)
    if store.find_tip() is None:
        return ""
    rows = store.catalog().rows(
        "SELECT m.key, m.kind, m.title, t.body FROM memory m JOIN text t ON t.id = m.id"
        f" WHERE {LIVE} AND (m.expires IS NULL OR m.expires > ?) ORDER BY m.created DESC, m.key LIMIT ?",
        (memory.now, AT_MOST),
    )
    entries = [
        (f"- [{key}] ({kind})", display(opening_of(f"{title}\n{body}".strip(), limit_tokens=EACH_TOKENS), lines=True))
        for key, kind, title, body in rows
    ]
    return fence_entries(entries, source=f"the private memory of the agent {slug(event.agent_type)}; key and kind")
