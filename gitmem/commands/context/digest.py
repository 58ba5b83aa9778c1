"""The digest for a session within a token budget: warnings first and never cut, then relevant, then recent memories.

Sections, relevance and budget follow the beans document (B4, B5): ``score = path_overlap × 3 + dependency_match × 5 +
recency × 1``, 4,000 tokens, cut from the end. Nothing is dropped silently: every section says how many more there are
and how to see them.
"""

from __future__ import annotations

from heapq import merge

from gitmem.commands.context.relevance import (
    BY_TIME,
    UNFIT,
    RelevanceRow,
    candidates,
    fit_for,
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
)
from gitmem.index.catalog import places_of, refs_of, state
from gitmem.index.catalog.counts import count_live
from gitmem.model import ADOPTED, BLOCKED, FAILED, STALE, STATUSES, SUMMARY, SUSPECT, UNPROVEN, VERIFIED
from gitmem.policy import START
from gitmem.statuses import SIGNS, age_s, describe_chain
from gitmem.tasks import digest as tasks
from gitmem.tasks.task import Worker
from gitmem.text import display, parse_json
from gitmem.text.durations import DAY_S, ago
from gitmem.verify.overview.cause import APART, Case, few, group, title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from gitmem.config import Config
    from gitmem.index.catalog import Catalog
    from gitmem.policy import Policy
    from gitmem.tasks.digest import ClaimedTask
    from gitmem.tasks.query import TaskRow
    from gitmem.verify.overview.cause import Cause

    Reasons = Callable[[Sequence[str]], Mapping[str, tuple[str, str]]]

# The share of the budget for warnings; further ones are only counted.
WARNING_SHARE = 0.5
# The most recent memories shown, and the most closed tasks; the others are counted.
LATEST = 10
# The number of memories whose status is looked up together.
BATCH = 64


def digest(
    catalog: Catalog,
    ground: int | None,
    policy: Policy,
    *,
    config: Config,
    now: int,
    working: Sequence[str],
    budget_tokens: int,
    kinds: Sequence[str] = (),
    related: Mapping[str, float] | None = None,
    waiting: int,
    notices: Iterable[str],
    worker: Callable[[], Worker],
    reasons: Reasons,
) -> list[DigestSection]:
    """Return the sections that fit into the budget.

    Args:
        catalog: The catalog.
        ground: The ground of HEAD, or None if statuses are unknown.
        policy: The store's policy.
        config: The settings.
        now: Epoch seconds.
        working: The current paths: changed files of the branch, or the requested ones.
        budget_tokens: The budget for all sections together, as counted by ``text.budget``.
        kinds: Relevant memories of these kinds come first.
        related: To include only memories related to the current work, how well each fits by its words, from 0 to 1, by
            key; recent work is then limited to the newest few. None for everything that fits into the budget.
        waiting: Commands that wait for approval.
        notices: Lines about the store itself, most important first.
        worker: Returns the current worker; called only if any task is claimed.
        reasons: Returns why facts fail, by key (``verify.blame.culprit.reasons_of``).
    """
    chains = state.suspects(catalog, ground)
    warned, reported = _warnings(catalog, ground, reasons, chains, now)
    held = tasks.list_claimed(catalog, worker()) if tasks.is_anything_held(catalog) else []
    others = (
        tasks.list_claimed_by_others(catalog, [one.row.key for one in held])
        if held or tasks.is_anything_held(catalog)
        else []
    )
    warned = _with_failures(catalog, warned, held, working, now)
    lines = [DigestItem("", "", "", display(notice)) for notice in notices]
    if waiting:
        words = "commands wait" if waiting != 1 else "command waits"
        lines.append(DigestItem("", "", "", f"{waiting} {words} for approval: gitmem trust --review"))
    left = budget_tokens - FRAME_TOKENS - sum(map(item_cost, lines))
    section = fit(
        WARNINGS,
        warned,
        int(left * WARNING_SHARE),
        "gitmem list --status failed,suspect,blocked,stale",
        total=sum(item.number for item in warned),
    )
    # Lines about the store itself are few, and no list has them.
    warnings = DigestSection(WARNINGS, (*section.items, *lines), section.total + len(lines), section.rest)
    left -= cost([section])
    in_hand = [*(_held_item(one, now) for one in held), *(_others_item(row, now) for row in others)]
    at_work = fit(WORKING, in_hand, left, "gitmem task list --state claimed", total=len(in_hand))
    left -= cost([at_work])
    working = [*working, *(path for one in held for path in one.paths)]
    unread = policy.unread(START)
    rows = candidates(catalog, working, now, kinds=kinds, related=related, unread=unread)
    in_hand_keys = [one.row.key for one in held]
    scored = score_all(catalog, rows, working, now, held=in_hand_keys, policy=policy, config=config, related=related)
    scored.sort(key=lambda pair: pair[0].kind not in kinds)
    limit = policy.context.max_memory_tokens
    relevant = (
        item_of(catalog, row, status, score, limit)
        for (row, score), status in _with_status(catalog, ground, scored, now=now, chains=chains)
        if row.key not in reported and status in ("", VERIFIED, UNPROVEN)
    )
    if related is None:
        total = count_live(catalog, without=(*UNFIT, *unread), now=now)
        total -= _count(catalog, f"{fit_for(unread)} AND {unexpired_condition(now)}", reported)
    else:
        total = sum(row.key not in reported for row, _ in scored)
    section = fit(RELEVANT, relevant, left, "gitmem recall, gitmem list", total=total)
    left -= cost([section])
    shown = {item.key for item in section.items} | reported
    if related is not None:
        newest = list(_newest(catalog, ground, now=now, policy=policy, chains=chains, shown=shown))
        # The heading of the start shows their total, and no reader needs all of them.
        return [warnings, at_work, section, fit(NEWEST, newest, left, "gitmem recall --recent 50", total=len(newest))]
    recent, total = _recent(catalog, ground, now=now, policy=policy, chains=chains, shown=shown)
    return [warnings, at_work, section, fit(RECENT, recent, left, "gitmem recall --recent 50", total=total)]


def _newest(
    catalog: Catalog,
    ground: int | None,
    *,
    now: int,
    policy: Policy,
    chains: Mapping[str, tuple[str, ...]],
    shown: set[str],
) -> Iterator[DigestItem]:
    """Yield the beginnings of the newest memories that are not shown above, whatever their age (A6)."""
    kinds = ("task", SUMMARY, ADOPTED, *policy.unread(START))
    condition = f"{state.LIVE} AND {unexpired_condition(now)} AND m.kind NOT IN {kinds}"
    most = policy.session.newest
    rows = catalog.rows(f"{BY_TIME} WHERE {condition} ORDER BY m.created DESC, m.key LIMIT ?", (most + len(shown),))
    fresh = [(row, 0.0) for row in (RelevanceRow(*row) for row in rows) if row.key not in shown][:most]
    for (row, _), status in _with_status(catalog, ground, fresh, now=now, chains=chains):
        yield headline_of(catalog, row, status)


def _with_status(
    catalog: Catalog,
    ground: int | None,
    scored: Sequence[tuple[RelevanceRow, float]],
    *,
    now: int,
    chains: Mapping[str, tuple[str, ...]],
) -> Iterator[tuple[tuple[RelevanceRow, float], str]]:
    """Yield memories with scores and statuses, looked up lazily: usually only the first few are needed."""
    for start in range(0, len(scored), BATCH):
        batch = scored[start : start + BATCH]
        statuses = state.statuses_of(catalog, ground, [row.id for row, _ in batch], now=now, chains=chains)
        for pair in batch:
            yield pair, statuses[pair[0].id].status


def _count(catalog: Catalog, condition: str, keys: Iterable[str]) -> int:
    """Return how many of some memories meet a condition."""
    # By the index of keys: SQLite would scan all new memories (measured: 2.7 ms at 10,000 instead of 0.1).
    counting = f"SELECT 1 FROM memory m INDEXED BY memory_key WHERE {condition} AND m.key IN ({{}})"
    return len(list(catalog.each(counting, keys)))


def _warnings(
    catalog: Catalog, ground: int | None, reasons: Reasons, chains: Mapping[str, tuple[str, ...]], now: int
) -> tuple[list[DigestItem], set[str]]:
    """Return one line for each memory that must not be relied on, and their keys."""
    rows = catalog.rows(
        "SELECT m.id, m.key, m.kind, m.title, s.at, s.outcome, s.blocked, s.fresh, f.inputs, f.words"
        " FROM state s"
        " CROSS JOIN fact f ON f.id = s.fact"
        f" CROSS JOIN memory m ON m.id = f.id WHERE s.ground = ? AND {state.LIVE} AND {state.CLAIM}"
        f" AND (s.outcome = 'fails' OR (m.kind <> '{ADOPTED}' AND (s.blocked = 1 OR (s.outcome = 'holds'"
        f" AND (s.fresh = 0 OR {state.EXPIRES} < ?)))))"
        " ORDER BY m.key",
        (ground or 0, now),
    )
    found: dict[str, DigestItem] = {}
    cases: list[Case] = []
    because = reasons([r[1] for r in rows if r[5] == "fails"])
    wrong = dict(
        catalog.each(
            f"SELECT key, id FROM memory m WHERE {unexpired_condition(now)} AND id IN ({{}})",
            state.referring_to_changed_lines(catalog, ground),
        )
    )
    # More than a digest has lines for.
    numbers = {row[1]: row[0] for row in rows[:BATCH]} | dict([*wrong.items()][:BATCH])
    refs = refs_of(catalog, numbers.values())

    def warn(case: Case, kind: str, text: str, why: str) -> None:
        mine = refs.get(numbers.get(case.key, 0), ())
        line = cut(text, TITLE_LIMIT) + places_of(mine) + (f" — {why}" if why else "")
        found[case.key] = DigestItem(case.key, kind, case.status, line, refs=mine)
        cases.append(case)

    for _, key, kind, text, at, outcome, is_blocked, is_fresh, inputs, words in rows:
        if outcome == "fails":
            why, broken = because.get(key, ("", ""))
            case = Case(key, FAILED, FAILED, why, (broken, ""))
            warn(case, kind, text, "; ".join(cut(one, REASON_LIMIT) for one in (why, broken) if one))
        elif is_blocked:
            meaning = SIGNS[BLOCKED].meaning
            warn(Case(key, BLOCKED, BLOCKED, meaning), kind, text, meaning)
        elif key not in chains:
            why = "its time to live has passed" if is_fresh else "the code that it reads has changed"
            read = "" if is_fresh else _places_read(inputs, words)
            reason = f"{cut(read, REASON_LIMIT)} has changed" if read else why
            warn(Case(key, STALE, STALE, why), kind, text, f"{reason}; verified {ago(age_s(at, now))} ago")
    for key, kind, text in catalog.each("SELECT key, kind, title FROM memory WHERE id IN ({})", sorted(wrong.values())):
        why = "the lines of code that it refers to have changed"
        warn(Case(key, STALE, STALE, why), kind, text, why)
    suspects = catalog.each(
        "SELECT m.key, m.kind, m.title FROM memory m "
        f"WHERE {state.LIVE} AND {unexpired_condition(now)} AND m.key IN ({{}})",
        sorted(chains),
    )
    for key, kind, text in suspects:
        why = describe_chain(chains[key])
        warn(Case(key, SUSPECT, SUSPECT, why, chain=chains[key]), kind, text, why)
    for key, text, *_ in state.flapping(catalog, ground):
        if key not in found:
            message = "its check gives different answers"
            warn(Case(key, VERIFIED, "holds, but flaps", message), "fact", text, message)
    items = [item for cause in group(cases) for item in _items_of(cause, found)]
    return sorted(items, key=lambda item: STATUSES.index(item.status)), set(found)


def _places_read(inputs: str, words: str) -> str:
    """Return what a check reads, as declared or named in the check itself; empty if it is observed."""
    how, *places = parse_json(inputs)
    if how == "builtin":
        from gitmem.document.builtin_checks import globs_of  # 10 ms, only if a fact is stale

        places = list(globs_of(parse_json(words)))
    return " or ".join(places[:2]) + (" or …" if len(places) > 2 else "")


def _items_of(cause: Cause, found: Mapping[str, DigestItem]) -> Iterator[DigestItem]:
    """Yield the line of each of a few facts with one cause, or one line for all of them; then their dependents."""
    phrases = {case.culprit: cut(case.culprit[0], REASON_LIMIT) for case in cause.cases}
    for keys, status, what in (
        (cause.keys, cause.cases[0].status, title(cause, phrases)),
        (tuple(case.key for case in cause.suspects), SUSPECT, f"{len(cause.suspects)} memories that rest on them"),
    ):
        if len(keys) <= APART:
            yield from (found[key] for key in keys)
        else:
            text = f"{cut(what, TEXT_LIMIT)}: {few(keys)} (each: gitmem status --each)"
            yield DigestItem("", "fact", status, text, number=len(keys))


def _recent(
    catalog: Catalog,
    ground: int | None,
    *,
    now: int,
    policy: Policy,
    chains: Mapping[str, tuple[str, ...]],
    shown: set[str],
) -> tuple[Iterator[DigestItem], int]:
    """Return new memories that are not shown above, newest first, and the total.

    Items are made lazily: usually there is room for a few.
    """
    since = now - policy.context.recent_days * DAY_S
    left_out = ("task", ADOPTED, *policy.unread(START))
    condition = f"{state.LIVE} AND m.created > {since} AND {unexpired_condition(now)} AND m.kind NOT IN {left_out}"
    rows = catalog.rows(
        f"{BY_TIME} WHERE {condition} ORDER BY m.created DESC, m.key LIMIT ?",
        (LATEST + len(shown),),
    )
    fresh = [(row, 0.0) for row in (RelevanceRow(*row) for row in rows) if row.key not in shown][:LATEST]
    closed = tasks.list_closed(catalog, since, now=now, limit=LATEST)
    in_all = catalog.row(f"SELECT count(*) FROM memory m INDEXED BY memory_recent WHERE {condition}")[0]
    total = in_all - _count(catalog, condition, shown) + tasks.count_closed(catalog, since, now=now)
    limit = policy.context.max_memory_tokens

    def written() -> Iterator[tuple[int, DigestItem]]:
        for (row, _), status in _with_status(catalog, ground, fresh, now=now, chains=chains):
            item = item_of(catalog, row, status, 0.0, limit)
            text = f"{item.text} ({ago(age_s(row.created, now))} ago)"
            yield row.created, DigestItem(item.key, item.kind, item.status, text)

    def done() -> Iterator[tuple[int, DigestItem]]:
        for task, reason in closed:
            why = f": {cut(reason, TEXT_LIMIT)}" if reason else ""
            text = f"{cut(task.title, TITLE_LIMIT)}{why} (closed {ago(age_s(task.closed, now))} ago)"
            yield task.closed, DigestItem(task.key, "task", "", text)

    return (item for _, item in merge(written(), done(), key=lambda pair: -pair[0])), total


def _with_failures(
    catalog: Catalog, warned: Sequence[DigestItem], held: Sequence[ClaimedTask], working: Sequence[str], now: int
) -> list[DigestItem]:
    """Return the warnings with earlier failures: of claimed tasks first, of tasks nearby after the failed facts."""
    mine, near = list[DigestItem](), list[DigestItem]()
    keys = {one.row.key for one in held}
    for failure in tasks.failures(catalog, held, working, now=now):
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
