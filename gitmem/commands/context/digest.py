"""The digest for a session within a token budget: warnings first and never cut, then relevant, then recent memories.

Sections, relevance and budget follow Beans: ``score = path_overlap × 3 + dependency_match × 5 +
recency × 1``, 4,000 tokens, cut from the end. Nothing is dropped silently: every section says how many more there are
and how to see them.
"""

from __future__ import annotations

from heapq import merge

from gitmem.commands.context.relevance import (
    BY_TIME,
    CurrentWork,
    RelevanceRow,
    candidates,
    score_all,
    unexpired_condition,
)
from gitmem.commands.context.sections import (
    FRAME_TOKENS,
    NEWEST,
    REASON_LIMIT,
    RECENT,
    RELEVANT,
    TEXT_LIMIT,
    TITLE_LIMIT,
    WARNINGS,
    WORKING,
    DigestItem,
    DigestSection,
    cost,
    cut,
    fit,
    headline_of,
    item_cost,
    item_of,
    sentence_of,
)
from gitmem.frozen import frozen, replace
from gitmem.index.catalog import places_of, refs_of, state, wordings_of
from gitmem.model import ADOPTED, BLOCKED, FAILED, FAILS, HOLDS, STALE, STATUSES, SUMMARY, SUSPECT, UNPROVEN, VERIFIED
from gitmem.policy.kinds import START
from gitmem.statuses import SIGNS, age_s, explain_chain
from gitmem.tasks import digest as tasks
from gitmem.tasks.task import Worker
from gitmem.text import display, parse_json
from gitmem.text.durations import DAY_S, ago
from gitmem.text.globs import path_of
from gitmem.verify.overview.cause import LINES_AT_MOST, Case, few, group, title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gitmem.index.catalog import Catalog
    from gitmem.policy import Policy
    from gitmem.repository import OpenRepository
    from gitmem.tasks.digest import ClaimedTask
    from gitmem.tasks.query import TaskRow
    from gitmem.verify.overview.cause import Cause

# The share of the budget for warnings; further ones are only counted.
WARNING_SHARE = 0.5
# The most recent memories shown, and the most closed tasks; the others are counted.
LATEST = 10
NOT_PROVED = "its check does not pass here, and was never seen to hold"
# The number of memories whose status is looked up together.
BATCH = 64
RECENT_REST = "gitmem recall --recent 50"


@frozen
class _Work:
    """The work that a digest is made for, and what it is made from; all sections read it.

    Attributes:
        repository: The opened repository.
        catalog: The catalog.
        ground: The ground of HEAD, or None if statuses are unknown.
        policy: The store's policy.
        paths: The current paths: changed files of the branch, or the requested ones.
        kinds: The kinds that the reader's role reads, besides critical memories; empty for all.
        related: How well memories fit the work by its words, from 0 to 1, by key.
        chains: The causes of each suspect memory.
        doubts: The facts that are not verified.
    """

    repository: OpenRepository
    catalog: Catalog
    ground: int | None
    policy: Policy
    asked: DigestRequest
    chains: Mapping[str, tuple[str, ...]]
    doubts: Sequence[_Doubt]

    @property
    def now(self) -> int:
        """Return the time, epoch seconds."""
        return self.repository.now


@frozen
class DigestRequest:
    """What a digest is about, and how long it may be.

    Attributes:
        paths: The current paths; empty for the changed files of the branch.
        budget_tokens: The budget for all sections together, as counted by ``text.budget``; 0 for the policy's.
        kinds: The kinds to read, besides critical memories; empty for all, None for those of the setting's role.
        is_brief: Whether the newest few memories, one line each, replace recent work.
        related: How well memories fit the current work by its words, from 0 to 1, by key; None if that is not known.
    """

    paths: Sequence[str]
    budget_tokens: int
    kinds: Sequence[str] | None
    is_brief: bool = False
    related: Mapping[str, float] | None = None


def digest(
    repository: OpenRepository, catalog: Catalog, ground: int | None, asked: DigestRequest, notices: Iterable[str]
) -> list[DigestSection]:
    """Return the sections that fit into the budget.

    Args:
        repository: The opened repository.
        catalog: Its catalog.
        ground: The ground of HEAD, or None if statuses are unknown.
        asked: What it is about and how long it may be, both settled.
        notices: Lines about the store itself, most important first.
    """
    doubts = _list_doubts(catalog, ground, repository.now)
    stale = [
        doubt.key
        for doubt in doubts
        if doubt.outcome and not (doubt.attempt or (doubt.is_fresh and doubt.outcome == FAILS))
    ]
    repository.spot_check(catalog, ground, stale)
    chains = state.suspects(catalog, ground)
    work = _Work(repository, catalog, ground, repository.policy(), asked, chains, doubts)
    held = tasks.list_own(catalog, repository.git, repository.config.agent)
    others = tasks.list_claimed_by_others(catalog, [claimed.row.key for claimed in held])
    items, warned = _warnings(work)
    left = asked.budget_tokens - FRAME_TOKENS
    warnings = _warning_section(_with_failures(work, items, held), notices, left)
    left -= cost([warnings])
    in_hand = [*(_held_item(claimed, work.now) for claimed in held), *(_others_item(row, work.now) for row in others)]
    at_work = fit(WORKING, in_hand, left, "gitmem task list --state claimed", total=len(in_hand))
    left -= cost([at_work])
    relevant = _relevant(work, held, warned, left)
    left -= cost([relevant])
    shown = {item.key for item in relevant.items} | warned
    latest = _newest(work, shown, left) if asked.is_brief else _recent(work, shown, left)
    return [warnings, at_work, relevant, latest]


def _warning_section(items: Sequence[DigestItem], notices: Iterable[str], budget: int) -> DigestSection:
    """Return the warnings that fit, then all lines about the store itself: these are few, and no list has them."""
    lines = [DigestItem("", "", "", display(notice)) for notice in notices]
    room = int((budget - sum(map(item_cost, lines))) * WARNING_SHARE)
    total = sum(item.number for item in items)
    section = fit(WARNINGS, items, room, "gitmem list --status failed,suspect,blocked,stale", total=total)
    return replace(section, items=(*section.items, *lines), total=total + len(lines))


def _relevant(work: _Work, held: Sequence[ClaimedTask], warned: set[str], budget: int) -> DigestSection:
    """Return the memories related to the work, the most relevant first, without those that are warned of."""
    catalog, policy, now = work.catalog, work.policy, work.now
    paths = [*work.asked.paths, *(path for claimed in held for path in claimed.paths)]
    current = CurrentWork(paths, [claimed.row.key for claimed in held], work.asked.related or {})
    rows = candidates(catalog, paths, now, current.related or {}, unread=policy.unread(START))
    scored = score_all(work.repository, catalog, rows, current)
    total = sum(row.key not in warned for row, _ in scored)
    read = _read(work, [row for row, _ in scored])
    scored = [pair for pair in scored if pair[0].id in read]
    items = (
        item_of(catalog, row, status, score, policy.context.max_memory_tokens)
        for row, score, status in _with_status(work, scored)
        if row.key not in warned and status in ("", VERIFIED, UNPROVEN)
    )
    return fit(RELEVANT, items, budget, "gitmem recall, gitmem list", total=total)


def _read(work: _Work, rows: Sequence[RelevanceRow]) -> set[int]:
    """Return the memories that the reader's role reads, by number."""
    if not work.asked.kinds:
        return {row.id for row in rows}
    critical = "SELECT id FROM memory WHERE importance = 'critical' AND id IN ({})"
    others = [row.id for row in rows if row.kind not in work.asked.kinds]
    return {row.id for row in rows}.difference(others) | {row[0] for row in work.catalog.each(critical, others)}


def _with_status(
    work: _Work, scored: Sequence[tuple[RelevanceRow, float]]
) -> Iterator[tuple[RelevanceRow, float, str]]:
    """Yield memories with scores and statuses, looked up lazily: usually only the first few are needed."""
    for start in range(0, len(scored), BATCH):
        batch = scored[start : start + BATCH]
        statuses = _statuses_of(work, [row for row, _ in batch])
        yield from ((row, score, status) for (row, score), status in zip(batch, statuses, strict=True))


def _statuses_of(work: _Work, rows: Sequence[RelevanceRow]) -> list[str]:
    statuses = state.statuses_of(work.catalog, work.ground, [row.id for row in rows], now=work.now, chains=work.chains)
    return [statuses[row.id].status for row in rows]


def _newest(work: _Work, shown: set[str], budget: int) -> DigestSection:
    """Return the beginnings of the newest memories that are not shown above, whatever their age."""
    latest = _latest(work, _is_news(work, SUMMARY), shown, work.policy.session.newest)
    items = [headline_of(work.catalog, row, status) for row, status in latest]
    # The heading of the start shows their total, and no reader needs all of them.
    return fit(NEWEST, items, budget, RECENT_REST, total=len(items))


def _recent(work: _Work, shown: set[str], budget: int) -> DigestSection:
    """Return new memories, newest first, with closed tasks; the newest few are new whatever their age.

    What is shown above is left out.
    """
    since = work.now - work.policy.context.recent_days * DAY_S
    condition = f"{_is_news(work)} AND m.created > {since}"
    latest = _latest(work, condition, shown, LATEST)
    if len(latest) < work.policy.session.newest:
        latest = _latest(work, _is_news(work), shown, work.policy.session.newest)
    closed = tasks.list_closed(work.catalog, since, now=work.now, limit=LATEST)
    total = work.catalog.row(f"SELECT count(*) FROM memory m INDEXED BY memory_recent WHERE {condition}")[0]
    total += tasks.count_closed(work.catalog, since, now=work.now) - _count(work.catalog, condition, shown)
    total += sum(row.created <= since for row, _ in latest)
    # Items are made lazily: usually there is room for a few.
    items = merge(
        ((row.created, _recent_item(work, row, status)) for row, status in latest),
        ((task.closed, _closed_item(task, reason, work.now)) for task, reason in closed),
        key=lambda pair: -pair[0],
    )
    return fit(RECENT, (item for _, item in items), budget, RECENT_REST, total=total)


def _is_news(work: _Work, *without: str) -> str:
    """Return the SQL condition for recent work: no tasks or adopted facts, nor these kinds."""
    kinds = ("task", ADOPTED, *without, *work.policy.unread(START))
    condition = f"{state.LIVE} AND {unexpired_condition(work.now)} AND m.kind NOT IN {kinds}"
    # A policy is untrusted, and a role may name any text as a kind.
    names = ", ".join("'{}'".format(kind.replace("'", "''")) for kind in work.asked.kinds or ())
    return f"{condition} AND (m.kind IN ({names}) OR m.importance = 'critical')" if names else condition


def _latest(work: _Work, condition: str, shown: set[str], most: int) -> list[tuple[RelevanceRow, str]]:
    """Return the newest memories that are not shown above, each with its status."""
    rows = work.catalog.rows(
        f"{BY_TIME} WHERE {condition} ORDER BY m.created DESC, m.key LIMIT ?", (most + len(shown),)
    )
    fresh = [row for row in (RelevanceRow(*row) for row in rows) if row.key not in shown][:most]
    return list(zip(fresh, _statuses_of(work, fresh), strict=True))


def _recent_item(work: _Work, row: RelevanceRow, status: str) -> DigestItem:
    item = item_of(work.catalog, row, status, 0.0, work.policy.context.max_memory_tokens)
    return replace(item, text=f"{item.text} ({ago(age_s(row.created, work.now))} ago)") if row.created else item


def _closed_item(task: TaskRow, reason: str, now: int) -> DigestItem:
    why = f": {cut(reason, TEXT_LIMIT)}" if reason else ""
    text = f"{cut(task.title, TITLE_LIMIT)}{why} (closed {ago(age_s(task.closed, now))} ago)"
    return DigestItem(task.key, "task", "", text)


def _count(catalog: Catalog, condition: str, keys: Iterable[str]) -> int:
    """Return how many of some memories meet a condition."""
    # By the index of keys: SQLite would scan all new memories (measured: 2.7 ms at 10,000 instead of 0.1).
    counting = f"SELECT 1 FROM memory m INDEXED BY memory_key WHERE {condition} AND m.key IN ({{}})"
    return len(list(catalog.each(counting, keys)))


@frozen
class _Warning:
    """A memory that must not be relied on, and why; with its number in the catalog if its references are shown."""

    case: Case
    kind: str
    title: str
    why: str
    number: int = 0


def _warnings(work: _Work) -> tuple[list[DigestItem], set[str]]:
    """Return one line for each memory that must not be relied on, and their keys."""
    why = "its check gives different answers"
    flapping = state.list_flapping(work.catalog, work.ground)
    strongest: dict[str, _Warning] = {}
    for warning in (
        *(*_facts_in_doubt(work), *_memories_in_doubt(work)),
        *(_Warning(Case(key, VERIFIED, "holds, but flaps", why), "fact", text, why) for key, text, *_ in flapping),
    ):
        known = strongest.get(warning.case.key)
        if known is None or STATUSES.index(warning.case.status) < STATUSES.index(known.case.status):
            strongest[warning.case.key] = warning
    warnings = list(strongest.values())
    # More than a digest has lines for.
    numbers = [warning.number for warning in warnings if warning.number][: 2 * BATCH]
    refs = refs_of(work.catalog, numbers)
    bodies = wordings_of(work.catalog, [warning.number for warning in warnings if warning.title.endswith("…")][:BATCH])
    found: dict[str, DigestItem] = {}
    for warning in warnings:
        mine = refs.get(warning.number, ())
        sentence = sentence_of(warning.title, bodies.get(warning.number, ("", ""))[1]) + places_of(mine)
        line = sentence + (f" — {warning.why}" if warning.why else "")
        found[warning.case.key] = DigestItem(warning.case.key, warning.kind, warning.case.status, line, refs=mine)
    items = [item for cause in group(warning.case for warning in warnings) for item in _items_of(cause, found)]
    return sorted(items, key=lambda item: STATUSES.index(item.status)), set(found)


@frozen
class _Doubt:
    """A fact that failed, cannot be checked here or is stale, as the catalog has it."""

    number: int
    key: str
    kind: str
    title: str
    at: int
    outcome: str
    attempt: int
    is_fresh: bool
    inputs: str
    words: str
    spec: str


def _list_doubts(catalog: Catalog, ground: int | None, now: int) -> list[_Doubt]:
    """Return the facts that failed, cannot be checked here or are stale, by key."""
    rows = catalog.rows(
        "SELECT m.id, m.key, m.kind, m.title, s.at, s.outcome, s.blocked, s.fresh, f.inputs, f.words, f.spec"
        " FROM state s"
        " CROSS JOIN fact f ON f.id = s.fact"
        f" CROSS JOIN memory m ON m.id = f.id WHERE s.ground = ? AND {state.LIVE} AND {state.CLAIM}"
        f" AND (s.outcome = 'fails' OR (m.kind <> '{ADOPTED}' AND (s.blocked > 0 OR (s.outcome = 'holds'"
        f" AND (s.fresh = 0 OR {state.EXPIRES} < ?)))))"
        " ORDER BY m.key",
        (ground or 0, now),
    )
    return [_Doubt(*row) for row in rows]


def _facts_in_doubt(work: _Work) -> Iterator[_Warning]:
    """Yield the facts that failed, cannot be checked here or are stale, by key."""
    answers = work.catalog.spot_answers
    answered = {doubt.key: answers.get((work.ground or 0, doubt.key, doubt.spec), ("", "")) for doubt in work.doubts}
    because = _reasons(
        work, [doubt.key for doubt in work.doubts if doubt.outcome == FAILS and answered[doubt.key][0] != HOLDS]
    )
    for doubt in work.doubts:
        outcome, reason = answered[doubt.key]
        if outcome == HOLDS:
            continue
        if outcome or doubt.outcome == FAILS:
            recorded, broken = because.get(doubt.key, ("", ""))
            why = reason or recorded
            case = Case(doubt.key, FAILED, FAILED, why, (broken, ""))
            text = "; ".join(cut(part, REASON_LIMIT) for part in (why, broken) if part)
            yield _Warning(case, doubt.kind, doubt.title, text, doubt.number)
        elif doubt.attempt:
            status = BLOCKED if doubt.attempt == state.NOT_RUN else UNPROVEN
            why = SIGNS[BLOCKED].meaning if status == BLOCKED else NOT_PROVED
            yield _Warning(Case(doubt.key, status, status, why), doubt.kind, doubt.title, why, doubt.number)
        elif doubt.key not in work.chains:
            why = "its time to live has passed" if doubt.is_fresh else "the code that it reads has changed"
            read = "" if doubt.is_fresh else _places_read(doubt.inputs, doubt.words)
            reason = f"{cut(read, REASON_LIMIT)} has changed" if read else why
            since = f"verified {ago(age_s(doubt.at, work.now))} ago"
            yield _Warning(
                Case(doubt.key, STALE, STALE, why), doubt.kind, doubt.title, f"{reason}; {since}", doubt.number
            )


def _memories_in_doubt(work: _Work) -> Iterator[_Warning]:
    """Yield the memories whose lines of code changed, and the suspect ones."""
    live = f"SELECT m.id, m.key, m.kind, m.title FROM memory m WHERE {unexpired_condition(work.now)}"
    why = "the lines of code that it refers to have changed"
    changed = state.referring_to_changed_lines(work.catalog, work.ground)
    for number, key, kind, text in work.catalog.each(f"{live} AND id IN ({{}})", changed):
        yield _Warning(Case(key, STALE, STALE, why), kind, text, why, number)
    suspects = work.catalog.each(f"{live} AND {state.LIVE} AND m.key IN ({{}})", sorted(work.chains))
    for number, key, kind, text in suspects:
        why = explain_chain(work.chains[key])
        yield _Warning(Case(key, SUSPECT, SUSPECT, why, chain=work.chains[key]), kind, text, why, number)


def _reasons(work: _Work, keys: Sequence[str]) -> Mapping[str, tuple[str, str]]:
    if not keys:
        return {}
    from gitmem.verify.blame.culprit import reasons_of  # 5 ms with its imports, only if something failed

    return reasons_of(work.catalog, work.repository.git, work.ground, keys, work.repository.local)


def _places_read(inputs: str, words: str) -> str:
    """Return what a check reads, as declared or named in the check itself; empty if it is observed."""
    how, *places = parse_json(inputs)
    if how == "builtin":
        from gitmem.document.builtin_checks import globs_of  # 10 ms, only if a fact is stale

        places = list(map(path_of, globs_of(parse_json(words))))
    return " or ".join(places[:2]) + (" or …" if len(places) > 2 else "")


def _items_of(cause: Cause, found: Mapping[str, DigestItem]) -> Iterator[DigestItem]:
    """Yield the line of each of a few facts with one cause, or one line for all of them; then their dependents."""
    phrases = {case.culprit: cut(case.culprit[0], REASON_LIMIT) for case in cause.cases}
    resting = tuple(case.key for case in cause.suspects)
    for keys, status, what, is_apart in (
        (cause.keys, cause.cases[0].status, title(cause, phrases), cause.is_apart),
        (resting, SUSPECT, f"{len(resting)} memories that rest on them", len(resting) <= LINES_AT_MOST),
    ):
        if is_apart:
            yield from (found[key] for key in keys)
        else:
            text = f"{cut(what, TEXT_LIMIT)}: {few(keys)} (each: gitmem status --each)"
            yield DigestItem("", "fact", status, text, number=len(keys))


def _with_failures(work: _Work, warned: Sequence[DigestItem], held: Sequence[ClaimedTask]) -> list[DigestItem]:
    """Return the warnings with earlier failures: of claimed tasks first, of tasks nearby after the failed facts."""
    mine, near = list[DigestItem](), list[DigestItem]()
    keys = {claimed.row.key for claimed in held}
    for failure in tasks.failures(work.catalog, held, work.asked.paths, now=work.now):
        notes = f": {cut(failure.notes, REASON_LIMIT)}" if failure.notes else ""
        text = f"PAST FAILURE: {cut(failure.title, TITLE_LIMIT)} — attempt {failure.num}{notes}"
        (mine if failure.key in keys else near).append(DigestItem(failure.key, "task", "", text))
    failed = [item for item in warned if item.status == FAILED]
    return [*mine, *failed, *near, *warned[len(failed) :]]


def _others_item(row: TaskRow, now: int) -> DigestItem:
    """Return a task that someone else works on: who, and since when."""
    since = f", {ago(age_s(row.since, now))} ago" if row.since else ""
    who = cut(str(Worker(row.who, row.agent)), REASON_LIMIT)
    return DigestItem(row.key, "task", "", f"{cut(row.title, TITLE_LIMIT)} — claimed by {who}{since}")


def _held_item(held: ClaimedTask, now: int) -> DigestItem:
    """Return a claimed task: which attempt, since when, and the last failure."""
    failed = next((attempt for attempt in held.task.past_attempts if attempt.outcome == FAILED), None)
    before = f' (before: "{cut(failed.notes, REASON_LIMIT)}")' if failed is not None and failed.notes else ""
    num = held.task.held.num if held.task.held else held.task.next_num
    since = f", claimed {ago(age_s(held.row.since, now))} ago" if held.row.since else ""
    return DigestItem(held.row.key, "task", "", f"{cut(held.row.title, TITLE_LIMIT)} — attempt {num}{since}{before}")
