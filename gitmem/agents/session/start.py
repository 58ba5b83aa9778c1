"""The context for a session's start, within its role's budget; when a session resumes, the changes since then.

First failed facts, then the topic, the last sessions' summaries, relevant memories and new ones. Only our own words are
outside the fence; all text by others is inside it.
"""

from __future__ import annotations

import os
from itertools import pairwise

from gitmem.agents.event import COMPACTED, RESUME, START, STARTUP
from gitmem.agents.moments.file import is_off
from gitmem.agents.session import activity, log, topics, worklog
from gitmem.agents.session.places import read_text
from gitmem.agents.session.prompt import find_documents, find_hits, question_of
from gitmem.commands.context.parts import part_of
from gitmem.commands.context.relevance import unexpired_condition
from gitmem.commands.context.render import parts_of_digest
from gitmem.commands.context.sections import HEADINGS, NEWEST, RELEVANT
from gitmem.config import home
from gitmem.document.author import read_author
from gitmem.errors import GitmemError
from gitmem.frozen import frozen, replace
from gitmem.index.catalog import agent_text, places_of, refs_of, short_ids, state
from gitmem.index.catalog.agent_text import About, MemoryText, Part
from gitmem.index.catalog.disputes import list_disputes
from gitmem.index.catalog.state import count_live
from gitmem.model import ADOPTED
from gitmem.policy.kinds import START as AT_START
from gitmem.recall.conditions import filter_condition
from gitmem.recall.query import Query, RecallResult
from gitmem.repository.private import has_private, open_private
from gitmem.repository.roles import role_of
from gitmem.store.scopes import LISTED
from gitmem.store.state import losses, plain_files
from gitmem.store.state.plain_files import spool_folders
from gitmem.text import display, format_json, parse_json
from gitmem.text.budget import count_tokens, opening_of
from gitmem.text.fence import fence_entries
from gitmem.text.marker_words import LEARNED
from gitmem.text.slugs import slug

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from gitmem.agents.event import Event
    from gitmem.agents.session.topics import Topic, Workplace
    from gitmem.index.catalog import Catalog
    from gitmem.memory import Memory
    from gitmem.policy import Policy
    from gitmem.policy.kinds import Role
    from gitmem.repository import OpenRepository

BMAD = "bmad"
# The kinds left out: tasks have a part of their own, and adopted facts are shown only when they fail.
HIDDEN = ("task", ADOPTED)
# The kinds whose memories may have nothing to do with the code.
LOOSE = (LEARNED, "note")
# The largest share of the budget for each part, so that none crowds out the others; the digest gets the rest.
SUMMARY_SHARE, TOPIC_SHARE, WARM_SHARE, WORKLOG_SHARE = 0.25, 0.35, 0.2, 0.2
# The share of the whole if no memory relates to the current work: the newest few do not justify more.
QUIET_TOKENS = 250
# The size of the fence, counted in the result of `agent_text.fence_parts`.
FENCE_TOKENS = 60
# Summaries shown if there is nothing else to show.
SUMMARIES = 3
# The most tokens of warnings for a sub-agent, whose task may have nothing to do with them.
WARNING_TOKENS = 120
# Memories related to the current work: those about a file follow when the file is touched.
RELATED = 4
# Sessions searched for one of this work tree and branch.
LATEST_SESSIONS = 30
# The longest query made from a topic: enough to identify its subject.
QUERY_CHARS = 2000
# The most private memories shown to a sub-agent, newest first, and the tokens of each. Our choices.
PRIVATE_AT_MOST, PRIVATE_TOKENS = 5, 120
TITLE_CHARS = 160
# Replaces DISCIPLINE in this clone: the person's own text, ahead of the person's text for all clones. Text pushed by
# others must not instruct agents.
DISCIPLINE_FILE = "discipline.md"
DISCIPLINE_BYTES = 4000
DISCIPLINE = (
    "Back claims about this code with file and line, command output or a test; call what you have not seen unknown."
)
NUDGE = "Name your work: gitmem session use TOPIC."
SAVE = 'Save what you learn: gitmem remember "One sentence. Then why."'
CLEAN_ROOM = "This is a review topic: earlier findings are not shown, so that you judge independently."


@frozen
class _Here:
    """The inputs of one start, which all parts read."""

    memory: Memory
    event: Event
    policy: Policy
    place: Workplace
    topic: Topic
    catalog: Catalog
    ground: int | None
    role: Role

    @property
    def repository(self) -> OpenRepository:
        """Return the repository."""
        return self.memory.repository

    @property
    def budget(self) -> int:
        """Return the budget in tokens."""
        return self.role.budget_tokens or self.policy.session.budget_tokens


def start(memory: Memory, event: Event, *, is_subagent: bool = False) -> str:
    """Return the context for a session's start, at most ``agent_text.CHARACTERS`` long; empty if there is none.

    Args:
        memory: The memory.
        event: The start, with its task if it is that of a sub-agent.
        is_subagent: Whether a sub-agent starts: unless the policy has its role, it gets what its task is about.
    """
    repository = memory.repository
    place = topics.workplace_of(repository)
    topic = topics.topic_of(place, event.session)
    if not repository.config.context or topics.is_off(place, topic) or not repository.has_store():
        return ""
    policy, catalog = repository.policy(), repository.catalog()
    name, role = role_of(policy, event.agent_type, repository.config.role)
    here = _Here(memory, event, policy, place, topic, catalog, repository.ground(catalog), role)
    entries = log.entries_of(place, event.session)
    if event.source == RESUME and entries:
        own, parts = [], _changes_since(here, entries)
        if not parts:  # logged all the same: what hooks showed before may not have come back with the conversation
            shown = log.ShownMemories({}, _tip(repository), topic=topic.name)
            log.keep(place, event, shown, now=repository.now)
            return ""
    else:
        topics.sweep(place)
        log.sweep(place)
        plain_files.sweep_counts(repository.git.repository.state, repository.now)
        own = _introduction(here)
        parts = _parts_for_task(here) if is_subagent and not name else _parts(here, own)
    text, kept = _compose(here, own, parts)
    keys, cut, tokens = agent_text.keys_of(kept), agent_text.cut_keys_of(kept), count_tokens(text)
    shown = log.ShownMemories(keys, _tip(repository), name, topic.name, cut=cut, tokens=tokens)
    log.keep(place, event, shown, now=repository.now)
    return text


def _tip(repository: OpenRepository) -> str:
    return repository.find_tip() or ""


def _compose(here: _Here, own: Sequence[str], parts: Sequence[Part]) -> tuple[str, list[Part]]:
    """Return the text, and the parts in it; entries are dropped from the end until it fits."""
    source = f"memory at {_tip(here.repository)[:12]}"
    before = "\n".join(own)
    frame = agent_text.fence_parts([Part("", (MemoryText("-"),))], source=source)
    is_quiet = not any(part.entries for part in parts if part.heading != NEWEST)
    budget = min(here.budget, QUIET_TOKENS) if is_quiet else here.budget
    tokens = budget - count_tokens(f"{before}\n{frame}")
    characters = agent_text.CHARACTERS - len(before) - len(frame) - 2
    while True:
        kept = agent_text.fit_parts(parts, tokens=tokens, characters=characters)
        text = "\n\n".join(filter(None, (before, agent_text.fence_parts(kept, source=source))))
        if len(text) <= agent_text.CHARACTERS or characters <= 0:  # spelling out hidden characters makes a text longer
            return text[: agent_text.CHARACTERS], kept
        characters -= len(text) - agent_text.CHARACTERS


def _introduction(here: _Here) -> list[str]:
    """Return the part in our own words."""
    count = count_live(here.catalog, without=HIDDEN, now=here.repository.now)
    lines = [_greeting(count), *_losses(here), *_disputes(here), *filter(None, [_discipline(here)])]
    if here.topic.is_review:
        lines.append(CLEAN_ROOM)
    elif here.place.is_shared and not here.topic.is_pinned and not log.last_start(here.place, here.event.session)[0]:
        lines.append(NUDGE)
    return lines


def _greeting(count: int) -> str:
    if not count:
        return f"This repository has an empty memory. {SAVE}"
    counted = f"{count} {'memory' if count == 1 else 'memories'}"
    return f'This repository has {counted}: gitmem recall "question", gitmem show KEY. {SAVE}'


def _losses(here: _Here) -> list[str]:
    """Return a warning that captured texts were lost; it is shown until doctor clears the note."""
    found = losses.list_losses(spool_folders(here.repository.git.repository.state))
    if not found:
        return []
    count = f"{len(found)} captured text{'s' * (len(found) != 1)}"
    return [f"{count} could not be written to disk and are lost ({found[-1].why}): gitmem doctor. Tell the person."]


def _disputes(here: _Here) -> list[str]:
    """Return that memories contradict each other, until a person settles it."""
    count = len(list_disputes(here.catalog))
    if not count:
        return []
    what = "One memory contradicts another one" if count == 1 else f"{count} memories contradict others"
    return [f"{what}; a person must settle which is true: gitmem settle. Tell the person."]


def _discipline(here: _Here) -> str:
    if not here.policy.session.discipline:
        return ""
    named = here.repository.config.discipline
    own = os.path.join(home(), named.removeprefix("~/")) if named else ""
    path = next(
        (
            candidate
            for candidate in (os.path.join(here.place.root, DISCIPLINE_FILE), own)
            if os.path.lexists(candidate)
        ),
        "",
    )
    if not path:
        return DISCIPLINE
    return display(read_text(path, DISCIPLINE_BYTES).strip(), lines=True)


def _parts(here: _Here, own: Sequence[str]) -> list[Part]:
    """Return the parts from the memory, in order; the digest gets the tokens that the others leave."""
    if here.topic.is_review:
        return [_topic(here)]
    if here.policy.session.profile == BMAD:
        return [_summaries(here, SUMMARIES, here.budget)]
    is_compacted = here.event.source == COMPACTED
    # After a compaction, what this session did matters, not what the one before did.
    last = _worklog(here) if is_compacted else _summaries(here, 1, int(here.budget * SUMMARY_SHARE))
    ahead = [_topic(here), last, _warm(here)]
    spent = FENCE_TOKENS + count_tokens("\n".join([*own, agent_text.body_of(ahead)]))
    room = max(here.budget - spent, here.budget // 4)
    digest = agent_text.fit_parts(_digest(here, room), tokens=room, characters=agent_text.CHARACTERS)
    warnings, rest = digest[:1], [_fewer(here, part, last) for part in digest[1:]]
    return [*warnings, *ahead, *_without(rest, agent_text.keys_of(ahead))]


def _fewer(here: _Here, part: Part, last: Part) -> Part:
    """Return a part of the digest as a start shows it: the best of what is related, and of the newest only news.

    What a file is about is shown when it is read or changed. News are the memories since the session before, without
    what its summary says; after a compaction there are none. If the list is full, memories by people that name nothing
    in the code are left out: the prompt that needs one recalls it.
    """
    entries = part.entries
    if part.heading == HEADINGS[RELEVANT]:
        return Part(part.heading, entries[:RELATED], part.more + len(entries[RELATED:]), part.rest)
    if part.heading == NEWEST:
        since, shown = _news_since(here)
        written = "SELECT key FROM memory m WHERE key IN ({}) AND m.created >= ?"
        fresh = {row[0] for row in here.catalog.each(written, [entry.key for entry in entries], (since,))}
        already = "".join(entry.text for entry in last.entries)
        entries = tuple(
            entry
            for entry in entries
            if entry.key in fresh - shown and entry.text.partition(") ")[2][:TITLE_CHARS] not in already
        )
        is_full = len(part.entries) + part.more >= here.policy.session.newest
        unrelated = _unrelated(here, [entry.key for entry in entries]) if is_full else set()
        entries = tuple(entry for entry in entries if entry.key not in unrelated)
        return Part(part.heading, entries)
    return part


def _unrelated(here: _Here, keys: Sequence[str]) -> set[str]:
    """Return those of some memories that a person learned or noted, without paths, references or names of code."""
    sql = (
        "SELECT m.key, m.title, t.body FROM memory m JOIN text t ON t.id = m.id"
        f" WHERE m.key IN ({{}}) AND m.agent = '' AND m.kind IN {LOOSE} AND t.paths = '[]'"
    )
    return {key for key, title, body in here.catalog.each(sql, keys) if not _names_code(f"{title} {body}")}


def _names_code(text: str) -> bool:
    """Return whether a text names something of code: a file, a command's option, an identifier, or an abbreviation."""
    if "`" in text or "()" in text or " --" in text:
        return True
    for word in text.split():
        plain = word.strip("'\",.;:!?()[]")
        inner = plain[1:-1]
        is_name = "_" in inner or "/" in inner or ("." in inner and len(plain) > 3 and not plain[0].isdigit())
        is_short = plain.isupper() and plain.isalpha() and len(plain) > 1
        if is_name or is_short or any(a.islower() and b.isupper() for a, b in pairwise(plain)):
            return True
    return False


def _parts_for_task(here: _Here) -> list[Part]:
    """Return the parts for a sub-agent: what failed, and the memories that answer its task, as a prompt's are found."""
    if here.topic.is_review:
        return []
    query = question_of(here.event.prompt)
    hits = find_hits(here.repository, here.event, query, here.memory.recall) if query else []
    ahead = _digest(here, here.budget)[:1]
    (warnings,) = agent_text.fit_parts(ahead, tokens=WARNING_TOKENS, characters=agent_text.CHARACTERS)
    part = part_of(here.repository, "ABOUT YOUR TASK", RecallResult(tuple(hits), 0))
    return [warnings, *_without([part], agent_text.keys_of([warnings]))]


def _news_since(here: _Here) -> tuple[int, frozenset[str]]:
    """Return since when a memory is news, in epoch seconds, and the keys that were shown then and are not news."""
    if here.event.source == COMPACTED:
        return here.repository.now, frozenset()
    return (0, frozenset()) if here.event.source == RESUME else log.last_start(here.place, here.event.session)


def _without(parts: Sequence[Part], shown: Mapping[str, str]) -> list[Part]:
    """Return parts without memories that other parts show."""
    return [
        Part(part.heading, tuple(e for e in part.entries if e.key not in shown), part.more, part.rest) for part in parts
    ]


def _topic(here: _Here) -> Part:
    """Return the topic, with its specification if that is short enough; a longer one is never truncated."""
    topic = here.topic
    spec = "" if topic.is_review else topic.spec()
    room = min(here.policy.session.spec_tokens, int(here.budget * TOPIC_SHARE))
    if not spec:
        entries = (MemoryText(f"- the topic {topic.name}"),) if topic.is_pinned else ()
    elif count_tokens(spec) > room:
        size = count_tokens(spec)
        entries = (MemoryText(f"- the topic {topic.name}; its specification ({size} tokens) is in {topic.spec_path}"),)
    else:
        entries = (MemoryText(f"- the topic {topic.name}:\n{display(spec, lines=True)}"),)
    return Part("TOPIC", entries)


def _summaries(here: _Here, count: int, room: int) -> Part:
    """Return the summaries of the last sessions in this work tree and on this branch; if there are none, of others."""
    condition, values = filter_condition(here.catalog, here.ground, Query(kinds=("session",)), now=here.repository.now)
    rows = here.catalog.rows(
        "SELECT m.key, m.title, t.body, t.fields, m.agent FROM memory m JOIN text t ON t.id = m.id"
        f" WHERE {condition} ORDER BY m.created DESC, m.key LIMIT ?",
        (*values, LATEST_SESSIONS),
    )
    rows.sort(key=lambda row: -_nearness(here, row[3]))
    entries = []
    limit = min(room // count, here.policy.context.max_memory_tokens)
    ids = short_ids(here.catalog, [row[0] for row in rows[:count]])
    for key, title, body, fields, agent in rows[:count]:
        if _nearness(here, fields) > 1:  # a summary by rules ends with the branch, which is this one
            body = "\n".join(line for line in body.split("\n") if not line.startswith("A session of "))  # noqa: PLW2901
        shown = opening_of(body, limit_tokens=limit)
        # The title of a summary made by rules is one of its lines, or the names of the changed files.
        is_repeated = title.removesuffix("…") in shown or (title.startswith("Changed ") and "Changed: " in shown)
        text = shown if is_repeated else f"{title}\n{shown}".strip()
        text += "" if shown == body.strip() else f"\n(in full: gitmem show {ids[key]})"
        known = About(agent, short_id=ids[key])
        entries.append(agent_text.entry_of(agent_text.MemoryLabel(key, "session", ""), _indented(text), known))
    return Part("LAST SESSION" if count == 1 else "LAST SESSIONS", tuple(entries))


def _indented(text: str) -> str:
    """Return a text with its lines, indented so that none of them looks like an entry."""
    return display(text, lines=True).replace("\n", "\n  ")


def _nearness(here: _Here, fields: str) -> int:
    """Return how close a session was: 3 for this branch in this work tree, 2 for this branch, 1 for this work tree."""
    found = parse_json(fields)
    is_here, is_branch = found.get("workspace") == here.place.workspace, found.get("branch") == here.place.branch
    return 2 * bool(is_branch) + bool(is_here)


def _warm(here: _Here) -> Part:
    """Return memories that match a topic with a name and a specification; other projects' memories are left out."""
    settings, spec = here.policy.session, here.topic.spec()
    if not here.topic.is_pinned or not spec:
        return Part("", ())
    wanted = Query(text=spec[:QUERY_CHARS], limit=settings.limit, reader=AT_START)
    result = here.memory.recall(wanted)
    hits = [hit for hit in result.hits if hit.scope != LISTED and not result.notice]
    hits = [hit for hit in hits if hit.score >= here.policy.recall.dense.floor * hits[0].score]
    hits += find_documents(here.repository, wanted, here.memory.recall, {}, most=settings.limit - len(hits))
    each = int(here.budget * WARM_SHARE) // settings.limit
    return part_of(here.repository, "RELEVANT TO THE TOPIC", RecallResult(tuple(hits), 0), limit_tokens=each)


def _worklog(here: _Here) -> Part:
    """Return the topic's last commands and edits, as many whole entries as fit."""
    lines = worklog.tail(here.topic, here.policy.session.worklog_entries)
    room = int(here.budget * WORKLOG_SHARE)
    while lines and count_tokens("\n".join(lines)) > room:
        lines = lines[1:]
    return Part("DONE BEFORE THE CONTEXT WAS COMPACTED", tuple(MemoryText(f"- {line}") for line in lines))


def _digest(here: _Here, budget: int) -> list[Part]:
    """Return the sections of the digest, formatted for this context, warnings first."""
    digest = here.memory.context(budget_tokens=budget, kinds=here.role.kinds, is_brief=True)
    return parts_of_digest(here.repository, digest.document)


def _titles(here: _Here, heading: str, rows: Sequence[Any]) -> Part:
    """Return memories as a list of titles."""
    numbers = [row[0] for row in rows]
    chains = state.suspects(here.catalog, here.ground)
    statuses = state.statuses_of(here.catalog, here.ground, numbers, now=here.repository.now, chains=chains)
    known = agent_text.about(here.catalog, here.ground, [row[1] for row in rows], now=here.repository.now)
    refs = refs_of(here.catalog, numbers)
    entries = (
        agent_text.entry_of(
            agent_text.MemoryLabel(key, kind, statuses[number].status),
            display(title[:TITLE_CHARS]) + places_of(refs.get(number, ())),
            known.get(key, About()),
        )
        for number, key, kind, title in rows
    )
    return Part(heading, tuple(entries))


def _is_own(here: _Here, fields: str) -> bool:
    """Return whether the session itself wrote a memory, judging by its fields."""
    return bool(here.event.session) and read_author(parse_json(fields)).session == here.event.session


def _list_keys_since(here: _Here, tip: str) -> list[str] | None:
    """Return the keys of the memories that changed since a commit: more precise than the time of a start, in seconds.

    None if the commit is gone: a branch that was replaced shares no history with it.
    """
    from gitmem.git.objects import open_objects

    try:
        changes = open_objects(here.repository.git).diff(tip or None, _tip(here.repository) or None)
    except GitmemError:
        return None
    return sorted({path.rpartition("/")[2].removesuffix(".md") for path in changes})


def _changes_since(here: _Here, entries: Sequence[Mapping[str, Any]]) -> list[Part]:
    """Return what changed since a resumed session last ran: statuses, and new memories."""
    if here.topic.is_review or here.policy.session.profile == BMAD:
        return []
    seen = log.statuses_in_context(entries)
    # Prompts and the session's own writes are logged as well, but show nothing written by others.
    last = next((entry for entry in reversed(entries) if entry.get("event") == START), entries[-1])
    warnings = _digest(here, here.budget)[0]
    fresh = tuple(entry for entry in warnings.entries if entry.key and seen.get(entry.key) != entry.status)
    parts = [Part(warnings.heading, fresh)]
    if last.get("tip") != _tip(here.repository):
        written = _list_keys_since(here, str(last.get("tip") or ""))
        among = "" if written is None else " AND m.key IN (SELECT value FROM json_each(?))"
        rows = here.catalog.rows(
            "SELECT m.id, m.key, m.kind, m.title, t.fields FROM memory m JOIN text t ON t.id = m.id"
            f" WHERE {state.LIVE} AND m.kind NOT IN {HIDDEN} AND {unexpired_condition(here.repository.now)}"
            f" AND m.updated >= ?{among} ORDER BY m.updated DESC, m.key LIMIT ?",
            (int(last.get("at") or 0), *([format_json(written)] if among else []), 4 * here.policy.session.newest),
        )
        listed_already = {entry.key for entry in fresh}
        new = [
            row[:4] for row in rows if row[1] not in seen and row[1] not in listed_already and not _is_own(here, row[4])
        ]
        parts.append(_titles(here, "WRITTEN SINCE", new))
    return [part for part in parts if part.entries]


def start_subagent(memory: Memory, event: Event) -> str:
    """Return context for a sub-agent that starts, by its type and task; empty if there is none."""
    if event.prompt:
        activity.log(memory.repository, event, event.prompt)
    # It has a context of its own, without what the session was shown.
    own = replace(event, name=START, source=STARTUP, session=f"{event.session}-{event.agent}")
    digest = start(memory, own, is_subagent=True)
    return "\n\n".join(filter(None, (_private_memories(memory.repository, event), digest)))


def _private_memories(repository: OpenRepository, event: Event) -> str:
    """Return the private memories of the agent that the sub-agent's type names."""
    if (
        not slug(event.agent_type)
        or not repository.config.context
        or not has_private(repository.git)
        or is_off(repository, event)
    ):
        return ""
    store = open_private(repository, agent=event.agent_type)
    if store.find_tip() is None:
        return ""
    rows = store.catalog().rows(
        "SELECT m.key, m.kind, m.title, t.body FROM memory m JOIN text t ON t.id = m.id"
        f" WHERE {state.LIVE} AND {unexpired_condition(repository.now)} ORDER BY m.created DESC, m.key LIMIT ?",
        (PRIVATE_AT_MOST,),
    )
    entries = [
        (
            f"- [{key}] ({kind})",
            _indented(opening_of(f"{title}\n{body}".strip(), limit_tokens=PRIVATE_TOKENS)),
        )
        for key, kind, title, body in rows
    ]
    return fence_entries(entries, source=f"the private memory of the agent {slug(event.agent_type)}; key and kind")
