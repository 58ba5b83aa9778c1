"""Show an agent the memories about a file when it reads or changes that file, once per file and context."""

from __future__ import annotations

import os

from gitmem.agents.capture.source import place_of, read_inside
from gitmem.agents.moments.programs import PROGRAMS, names_in
from gitmem.agents.session import log, topics
from gitmem.index.catalog import Catalog, agent_text, refs_of, short_ids, wordings_of
from gitmem.index.catalog.disputes import doubted
from gitmem.text import display
from gitmem.text.budget import count_tokens
from gitmem.text.fence import fence_entries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gitmem.agents.event import Event
    from gitmem.agents.session.topics import Workplace
    from gitmem.commands.context.near import NearMemory
    from gitmem.repository import OpenRepository

# The most memories shown and the tokens of their texts; the most files of one event. The rest is counted.
MOST, TOKENS, FILES_AT_MOST = 3, 200, 10
# The most bytes of a manifest that is read for the name of a package whose version was changed.
MANIFEST_BYTES = 256 * 1024
# The most characters of what edits add in which it is looked for whether they heed a memory.
ADDED_CHARS = 64 * 1024
# Facts that hold say what the code says as well: they leave room for the reasons behind it.
FACTS_AT_MOST = 2


def list_file_memories(repository: OpenRepository, event: Event, reads: Sequence[str], edits: Sequence[str]) -> str:
    """Return the memories about files that a tool read or changed; empty if none, or all were shown before.

    A read that failed counts if the file does not exist: a memory may tell where it went. An edit that adds a name
    which a memory forbids, or changes a package which it restrains, shows this memory, also in a file whose memories
    were shown.
    """
    if not repository.config.context or not repository.config.file_context or not event.session:
        return ""
    if event.failed is True:
        top = repository.git.repository.top or ""
        reads, edits = [place for place in reads if not os.path.lexists(os.path.join(top, place))], []
    places = [*edits, *reads][:FILES_AT_MOST]
    if not places:
        return ""
    at, own = topics.workplace_of(repository), log.own_context(event)
    seen, covered = log.shown_since_start(log.entries_of(at, own.session))
    fresh = [place for place in places if place not in covered]
    names = _names_added(repository, event) if edits and event.edits else {}
    if not (fresh or names) or is_off(repository, event):
        return ""
    return _tell(repository, own, at, fresh, seen, names=names, is_edit=bool(set(edits) & set(fresh)))


def _names_added(repository: OpenRepository, event: Event) -> dict[str, Callable[[str, str], bool]]:
    """Return the names of code that edits add and the packages that they change, with what judges a memory.

    That is a function of a memory's text and a name, which returns whether the memory forbids or restrains it.
    """
    from gitmem.agents.moments.packages import changed_packages, forbids_import, is_manifest, restrains
    from gitmem.agents.moments.written import added_commands, added_names, imported_packages, speaks_against

    added = "\n".join(edit.after for edit in event.edits)[:ADDED_CHARS]

    def is_against(text: str, name: str) -> bool:
        return speaks_against(text, name, added)

    names: dict[str, Callable[[str, str], bool]] = dict.fromkeys(added_names(event.edits), is_against)
    names |= dict.fromkeys(imported_packages(event.edits), forbids_import)
    if lines := added_commands(event.edits):
        names |= _commands_added(lines)
    texts: dict[str, str] = {}
    for edit in event.edits:
        if is_manifest(edit.path) and (place := place_of(repository, event, edit.path)):
            if place not in texts:
                texts[place] = read_inside(repository, place, limit=MANIFEST_BYTES) or ""
            names |= dict.fromkeys(changed_packages(edit, texts[place]), restrains)
    return names


def _commands_added(lines: str) -> dict[str, Callable[[str, str], bool]]:
    """Return the programs and names of command lines, with what says whether a memory has a caution about them."""
    from gitmem.agents.moments.cautions import CautionedCommand, has_caution, options_of, phrases_of

    command = CautionedCommand(phrases_of(lines), options_of(lines), words=frozenset(lines.split()))
    named = [*names_in(lines), *(phrase for phrase in command.phrases if phrase in PROGRAMS)]

    def is_cautioned(text: str, _: str) -> bool:
        return has_caution(text, command)

    return dict.fromkeys(named, is_cautioned)


def is_off(repository: OpenRepository, event: Event) -> bool:
    """Return whether this is switched off: by a setting, or because a review judges without earlier findings."""
    if repository.find_tip() is None:
        return True
    place = topics.workplace_of(repository)
    topic = topics.topic_of(place, event.session)
    return topics.is_off(place, topic) or topic.is_review


def _tell(
    repository: OpenRepository,
    event: Event,
    at: Workplace,
    places: Sequence[str],
    seen: dict[str, str],
    *,
    names: Mapping[str, Callable[[str, str], bool]],
    is_edit: bool,
) -> str:
    from gitmem.commands.context.near import memories_naming, memories_near, names_in_file, with_statuses

    # Uncommitted memories are left out: adding them to the catalog takes longer than everything else here.
    tip, tree = repository.find_tip() or "", repository.tree()
    opened = Catalog.open_at(repository.folder(tree), tip, tree)
    catalog = opened or repository.catalog(tip)
    try:
        ground = repository.ground(catalog)
        memories: dict[str, NearMemory] = {}
        of_place: dict[str, set[str]] = {}
        written: dict[str, list[NearMemory]] = {}
        if names:
            written = memories_naming(
                catalog, ground, list(names), lambda text, name: names[name](text, name), now=repository.now
            )
        nears = [*written.values()]
        for place in places:
            defined = names_in_file(repository.git.repository.top, place)
            nears.append(memories_near(catalog, ground, place, defined, now=repository.now))
            of_place[place] = {near.key for near in nears[-1]}
        for near in nears:
            for near_memory in near:
                if seen.get(near_memory.key) != near_memory.status.status and (
                    near_memory.key not in memories or near_memory.rank < memories[near_memory.key].rank
                ):
                    memories[near_memory.key] = near_memory
        shown = _best(sorted(memories.values(), key=lambda near: near.rank))
        if shown and repository.spot_check(catalog, ground, [near.key for near in shown]):
            shown = with_statuses(catalog, ground, shown, now=repository.now)
            known = {near.key for near in shown if seen.get(near.key) == near.status.status}
            shown = [near for near in shown if near.key not in known]
            memories = {key: near for key, near in memories.items() if key not in known}
        if not shown:
            return ""
        ids = short_ids(catalog, [near.key for near in shown])
        entries = _entries(catalog, shown, ids)
    finally:
        if opened is not None:
            opened.close()
    text = "\n".join(filter(None, (
        _heading(places, [ids.get(near.key, near.key) for near in shown if near.reads], is_edit=is_edit),
        _added(written, shown),
        fence_entries(entries),
        _rest(len(memories) - len(shown), places),
    )))  # fmt: skip
    keys = {near.key: near.status.status for near in shown}
    # A file none of whose memories fitted is not covered yet: the next hook shows them.
    covered = [place for place in places if not of_place[place] or not keys.keys().isdisjoint(of_place[place])]
    log.keep(at, event, log.ShownMemories(keys, tip, files=covered, tokens=count_tokens(text)), now=repository.now)
    return text


def _best(ranked: Sequence[NearMemory]) -> list[NearMemory]:
    """Return the memories to show: the first ones, of which not all are facts that hold if there are others."""
    facts = [near for near in ranked if near.reads and not near.status.why]
    many = {fact.number for fact in facts[max(FACTS_AT_MOST, MOST - len(ranked) + len(facts)) :]}
    return [near for near in ranked if near.number not in many][:MOST]


def _entries(catalog: Catalog, shown: Sequence[NearMemory], ids: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return each memory as its label and as much of its text as fits."""
    numbers, against = [near.number for near in shown], doubted(catalog, [near.key for near in shown])
    refs, wordings, left = refs_of(catalog, numbers), wordings_of(catalog, numbers), TOKENS
    entries = []
    for count, near in enumerate(shown):
        limit = max(left // (len(shown) - count), 1)
        text, _ = agent_text.excerpt(
            near.title,
            wordings[near.number][1],
            refs.get(near.number, ()),
            limit_tokens=limit,
            key=ids.get(near.key, near.key),
        )
        doubt = against.get(near.key, "")
        known = agent_text.About(near.agent, near.status.is_own, near.status.why, doubt, short_id=ids.get(near.key, ""))
        entries.append(
            agent_text.label_and_text(agent_text.MemoryLabel(near.key, near.kind, near.status.status), text, known)
        )
        left -= count_tokens(text)
    return entries


def _heading(places: Sequence[str], facts: Sequence[str], *, is_edit: bool) -> str:
    if not places:
        return ""
    named = ", ".join(map(display, places))
    if is_edit and facts:
        what = f"fact{'s' * (len(facts) != 1)} {', '.join(facts)} {'reads' if len(facts) == 1 else 'read'}"
        return f"{named}: you are changing what {what}: run gitmem check before you commit."
    return f"{named}:"


def _added(written: Mapping[str, Sequence[NearMemory]], shown: Sequence[NearMemory]) -> str:
    """Return the names and packages that the shown memories forbid or restrain, as a line; empty if there are none."""
    keys = {near.key for near in shown}
    names = [name for name, near in written.items() if any(near_memory.key in keys for near_memory in near)]
    return f"You added or changed {', '.join(map(display, names))}." if names else ""


def _rest(count: int, places: Sequence[str]) -> str:
    if count <= 0 or not places:
        return ""
    place = display(places[0])
    is_plain = all(char.isalnum() or char in "/._-" for char in place)
    typed = place if is_plain else "'" + place.replace("'", "'\\''") + "'"
    return f"({count} more: gitmem recall --near {typed})"
