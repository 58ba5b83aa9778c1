"""Show an agent the memories about a file when it reads or changes that file, once per file and session."""

from __future__ import annotations

from gitmem.agents import event as happened
from gitmem.agents.capture.marks import is_marked, mark
from gitmem.agents.capture.source import place_of
from gitmem.agents.session import topics
from gitmem.index.catalog import Catalog, places_of
from gitmem.text import display
from gitmem.text.fence import fence_entries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.agents.event import Event
    from gitmem.commands.context.dependents import Dependent
    from gitmem.repository import OpenRepository

# The most memories of each kind, files per edit, and characters of a title. Our choices.
AT_MOST, FILES_AT_MOST = 5, 10
TITLE_CHARS = 200


def list_file_memories(memory: OpenRepository, event: Event) -> str:
    """Return the memories about files that a tool read or changed; empty if none, or all were shown before."""
    if not memory.config.context or not memory.config.file_context or event.failed is True or not event.session:
        return ""
    is_edit = event.tool == happened.EDIT
    paths = [edit.path for edit in event.edits[:FILES_AT_MOST]] if is_edit else [event.path] if event.path else []
    places = dict.fromkeys(place for place in (place_of(memory, event, path) for path in paths) if place)
    fresh = [place for place in places if not is_marked(memory, event.session, _name(event, place))]
    if not fresh or is_off(memory, event):
        return ""
    from gitmem.commands.context.dependents import facts_reading, gotchas_about

    # Uncommitted memories are left out: adding them to the catalog takes longer than everything else here.
    tip, tree = memory.find_tip() or "", memory.tree()
    opened = Catalog.open_at(memory.folder(tree), tip, tree)
    catalog, parts = opened or memory.catalog(tip), []
    for place in fresh:
        mark(memory, event.session, _name(event, place))
        text = _about(place, facts_reading(catalog, place), gotchas_about(catalog, place), is_edit=is_edit)
        parts += [text] if text else []
    if opened is not None:
        opened.close()
    return "\n\n".join(parts)


def _name(event: Event, place: str) -> str:
    """Return the mark for a file; a sub-agent has a context of its own."""
    return f"file {place} {event.agent}"


def is_off(memory: OpenRepository, event: Event) -> bool:
    """Return whether this is switched off: by a setting, or because a review judges without earlier findings (E3)."""
    if memory.find_tip() is None:
        return True
    place = topics.workplace_of(memory)
    topic = topics.topic_of(place, event.session)
    return topics.is_off(place, topic) or topic.is_review


def _about(place: str, facts: Sequence[Dependent], gotchas: Sequence[Dependent], *, is_edit: bool) -> str:
    if not facts and not gotchas:
        return ""
    lines = []
    if facts:
        named = ", ".join(one.key for one in facts[:AT_MOST])
        more = f" and {len(facts) - AT_MOST} more" if len(facts) > AT_MOST else ""
        what = f"fact{'s' * (len(facts) != 1)} {named}{more}"
        reads = "reads" if len(facts) == 1 else "read"
        begins = (
            f"You are changing what {what} {reads}" if is_edit else f"Before you change this file: {what} {reads} it"
        )
        lines.append(f"{begins}. Run gitmem check before you commit; if a fact is no longer true, reword it.")
    if gotchas:
        lines.append(f"{len(gotchas)} known gotcha{'s' * (len(gotchas) != 1)} about this file.")
    entries = [
        (f"- [{one.key}] ({kind})", display(one.title[:TITLE_CHARS]) + places_of(one.refs))
        for kind, some in (("fact", facts), ("gotcha", gotchas))
        for one in some[:AT_MOST]
    ]
    source = "the memory of this repository, about a file; key and kind"
    return f"{display(place)}: {' '.join(lines)}\n{fence_entries(entries, source=source)}"
