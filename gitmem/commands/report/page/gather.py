"""Gather the page's data from the catalog, the verdicts of all times and the code's history. Read-only."""

from __future__ import annotations

import json
import os

from gitmem import __version__
from gitmem.commands.report.page import model, rank_factors, timeline
from gitmem.commands.report.page.model import ARCHIVED, EXPIRED, LIVE, SUPERSEDED, Page, PageMemory
from gitmem.document.author import read_author
from gitmem.document.file_checks import first_fact_command
from gitmem.document.spec import format_check
from gitmem.errors import NotFoundError, ProcessError
from gitmem.frozen import frozen, replace
from gitmem.git.branches import is_on_default
from gitmem.index.catalog import fact_state, short_ids, state, strings
from gitmem.index.catalog.fact_state import FactRow
from gitmem.model import FAILED, STALE, SUSPECT, TASK, UNPROVEN, Check
from gitmem.recall.scoring import RecallRun
from gitmem.statuses import describe_chain, name_chain
from gitmem.store.scopes import PROJECT, UNIVERSAL, is_meant
from gitmem.text.globs import is_plain
from gitmem.text.natural_order import natural_order
from gitmem.text.secrets import redact
from gitmem.verify.blame.culprit import describe_culprits, with_last_held
from gitmem.verify.due import is_accepted
from gitmem.verify.overview.notice.permalinks import commits_of, files_of
from gitmem.verify.past_verdicts import verdicts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from gitmem.config import Config
    from gitmem.git import Git
    from gitmem.index.catalog import Catalog
    from gitmem.index.catalog.state import MemoryStatus
    from gitmem.model import Verdict
    from gitmem.policy import Policy
    from gitmem.repository import OpenRepository
    from gitmem.store.local import LocalState

_MEMORIES = (
    "SELECT m.id, m.key, m.kind, m.title, m.created, m.archived, m.superseded, m.superseded_by, m.expires, t.fields,"
    " t.body, t.paths, m.task, k.state, f.form, f.words"
    " FROM memory m JOIN text t ON t.id = m.id LEFT JOIN task k ON k.id = m.id LEFT JOIN fact f ON f.id = m.id"
    " WHERE m.shadowed = 0"
)


@frozen
class PageSource:
    """A store at one commit of the code, with what a page needs besides.

    Attributes:
        catalog: The catalog, inside a read.
        git: The repository of the code.
        ground: The ground of the code's commit; None if statuses are unknown.
        local: The local state of this clone.
        policy: The store's policy.
        config: The reader's settings for ranking.
        now: The time for ages; 0 in the past, where nothing has an age.
    """

    catalog: Catalog
    git: Git
    ground: int | None
    local: LocalState
    policy: Policy
    config: Config
    now: int


def gather_now(repository: OpenRepository, *, status: Mapping[str, Any], scope: str) -> Page:
    """Return the page's data for one scope's memories now, with the code's default branch as the history.

    Raises:
        NotFoundError: There are none of that scope.
    """
    store = next(iter(repository.stores((scope,))), None)
    if store is None:
        raise NotFoundError(f"there are no memories with the scope {scope}", hint="run gitmem report without --scope")
    git, catalog, tip = repository.git, store.catalog(), store.source()[0]
    # The universal store is not about any code of its own.
    branch, code = git.read_head() if store.store.scope != UNIVERSAL else ("", None)
    default, remote = repository.default_branch(), repository.config.remote
    is_here = is_on_default(git, default, remote=remote, head=(branch, code))
    short = default.removeprefix("refs/heads/").removeprefix("refs/remotes/")
    line = (code if is_here or not default else git.read_ref(default)) if code else None
    domains, url = repository.domains(), git.remote_url(remote)
    page = Page(
        name=git.repository.name,
        scope=scope,
        made=repository.now,
        version=__version__,
        branch=branch.removeprefix("refs/heads/"),
        code=code or "",
        tip=tip,
        waiting=tuple(status["waiting"]),
        left_out=sum(repository.other_scopes().values()) if scope == PROJECT else 0,
        commits=commits_of(url) if code else "",
        files=files_of(url, code) if code else "",
    )
    ground = store.checked_ground(catalog)
    source = PageSource(catalog, git, ground, store.local, store.policy(), repository.config, repository.now)
    with catalog.reading():
        page = gather(
            source,
            page,
            status,
            (line or "", short or code or ""),
            accepts=lambda fields: store.store.scope != UNIVERSAL or is_meant(fields, (scope,), domains),
        )
    return replace(page, first_fact=_first_fact(git, code)) if code and not any(page.counts().values()) else page


def _first_fact(git: Git, code: str) -> str:
    """Return the command that records a fact about a file at the top of the code; empty if there is none to name."""
    entries = os.fsdecode(git.run("ls-tree", "-z", "--full-tree", code).stdout).split("\0")
    files = [name for mode, _, name in (entry.partition("\t") for entry in entries) if mode.startswith("100")]
    names = [name for name in files if name.isprintable() and is_plain(name) and not name.startswith("-")]
    names.sort(key=lambda name: (not name.lower().startswith("readme"), name.startswith(".")))
    return first_fact_command(names) if names else ""


def gather(
    source: PageSource,
    page: Page,
    status: Mapping[str, Any],
    line: tuple[str, str],
    *,
    accepts: Callable[[str], bool] = lambda _: True,
) -> Page:
    """Return a page with the data of a store.

    Args:
        source: The store.
        page: The page's name, scope, time and commits.
        status: The result of ``status`` for the same state.
        line: The commit whose history is shown, and the branch's name; empty if there is none.
        accepts: Tells by a memory's fields as JSON whether the page has it.
    """
    catalog = source.catalog
    entries = _list_entries(source, accepts, page.waiting)
    links = list_links(catalog)
    drawn, problem = _timeline(source, page, links, line)
    kinds = sorted({entry.kind for entry in entries})
    return replace(
        page,
        entries=tuple(entries),
        links=tuple(links),
        timeline=drawn,
        jobs=status.get("jobs"),
        warnings=(*_warnings(status), *problem),
        ranking=rank_factors.settings(kinds, run=_run(source), language=catalog.language),
    )


def _run(source: PageSource) -> RecallRun:
    return RecallRun(source.policy, source.config, source.now)


def _list_entries(source: PageSource, accepts: Callable[[str], bool], waiting: Sequence[str]) -> list[PageMemory]:
    catalog, ground, local, now = source.catalog, source.ground, source.local, source.now
    rows = [row for row in catalog.rows(_MEMORIES) if accepts(row[9])]
    rows.sort(key=lambda row: (-row[4], natural_order(row[1])))
    chains = state.suspects(catalog, ground)
    statuses = state.statuses_of(catalog, ground, [row[0] for row in rows], now=now, chains=chains)
    facts = [row[1] for row in rows if row[14] is not None]
    verdicts = with_last_held(source.git, fact_state.verdicts_of(catalog, ground, facts, local))
    broken = describe_culprits(source.git, ((v.culprit, v.culprit_after) for v in verdicts.values()))
    ranks = rank_factors.list_rank_factors(catalog, local, statuses, _run(source))
    entries = [
        _entry(row, statuses[row[0]], verdicts.get(row[1]), ranks[row[0]], broken=broken, now=now, waiting=waiting)
        for row in rows
    ]
    ids = short_ids(catalog, [entry.key for entry in entries])
    names = {entry.key: f"{entry.title} ({ids.get(entry.key, entry.key)})" for entry in entries}
    return [
        replace(entry, short_id=ids.get(entry.key, ""), why=name_chain(entry.why, entry.chain, names))
        for entry in entries
    ]


def _entry(
    row: tuple[Any, ...],
    standing: MemoryStatus,
    verdict: Verdict | None,
    rank: rank_factors.RankFactors,
    *,
    broken: Mapping[tuple[str, str], str],
    now: int,
    waiting: Sequence[str],
) -> PageMemory:
    (number, key, kind, title, created, archived, superseded, superseded_by, expires, text, body, places, task, step,
     form, words) = row  # fmt: skip
    fields = json.loads(text)
    is_expired = expires is not None and expires <= now
    place = ARCHIVED if archived else SUPERSEDED if superseded else EXPIRED if is_expired else LIVE
    # A gate is not a claim: if it fails, there is just work to do.
    has_status = place in (LIVE, EXPIRED) and (standing.is_claim or standing.status == SUSPECT)
    status = standing.status if has_status else ""
    entry = PageMemory(
        key=key,
        kind=kind,
        # A pushed credential must not travel further than the branch, wherever in a memory it is.
        title=redact(title),
        place=place,
        status=status,
        body=redact(body.strip("\n")),
        created=created,
        by=redact(read_author(fields).label),
        tags=_list_values(fields, "tags"),
        paths=_list_values(fields, "paths"),
        refs=_list_values(fields, "refs"),
        requires=_list_values(fields, "requires"),
        produces=_list_values(fields, "produces"),
        superseded_by=superseded_by,
        task=redact(task),
        state=step or "" if kind == TASK else "",
        check=redact(format_check(Check(form, tuple(json.loads(words))))) if form else "",
        chain=standing.chain if status == SUSPECT else (),
        weak=has_status and standing.weak,
        flapping=has_status and standing.flapping > 0,
        places=tuple(map(redact, strings(places))),
        number=number,
        since=rank.since,
        factor=rank.factor,
    )
    counted = verdict if has_status else None
    entry = _with_verdict(entry, counted, broken) if counted is not None else entry
    return replace(entry, why=redact(_why(entry, counted, standing, waits=key in waiting)))


def _with_verdict(entry: PageMemory, verdict: Verdict, broken: Mapping[tuple[str, str], str]) -> PageMemory:
    """Return a memory with its verdict's data; without a reason unless it failed."""
    entry = replace(entry, judged=verdict.at, judged_at=verdict.commit)
    if entry.status != FAILED:
        return entry
    status = broken.get((verdict.culprit, verdict.culprit_after), "")
    return replace(entry, culprit=verdict.culprit, broken=redact(status), held=verdict.held_commit)


def _why(entry: PageMemory, verdict: Verdict | None, standing: MemoryStatus, *, waits: bool) -> str:
    """Return the reason for a memory's status, on one line."""
    if entry.status == FAILED:
        return verdict.because if verdict else ""
    if entry.status == SUSPECT:
        return describe_chain(entry.chain)
    if entry.status == STALE:
        return standing.why
    if entry.status == UNPROVEN:
        return "its command is waiting for approval" if waits else "no verdict yet for its current text"
    return ""


def _list_values(fields: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = fields.get(name)
    values = value if isinstance(value, list) else [value]
    return tuple(redact(str(value)) for value in values if value not in (None, ""))


def list_links(catalog: Catalog) -> list[tuple[str, str]]:
    """Return which live memory requires which other live one, by key or by a label that it produces, sorted."""
    rows = catalog.rows(
        "SELECT m.key, l.relation, l.target FROM link l JOIN memory m ON m.id = l.source"
        f" WHERE l.relation IN ('requires', 'produces') AND {state.LIVE}"
    )
    live = {row[0] for row in catalog.rows(f"SELECT m.key FROM memory m WHERE {state.LIVE}")}
    names: dict[str, set[str]] = {}
    for key, relation, target in rows:
        if relation == "produces":
            names.setdefault(target, set()).add(key)
    links = {
        (needed, key)
        for key, relation, target in rows
        if relation == "requires"
        for needed in names.get(target, set()) | ({target} & live)
        if needed != key
    }
    return sorted(links)


def _timeline(
    source: PageSource, page: Page, links: Iterable[tuple[str, str]], line: tuple[str, str]
) -> tuple[model.Timeline | None, tuple[str, ...]]:
    """Return the timeline, and the problem if it cannot be computed."""
    catalog, git = source.catalog, source.git
    rows = catalog.rows(
        "SELECT f.id, m.key, f.spec, f.claim, f.form, f.words, f.inputs, f.ttl_s FROM fact f JOIN memory m"
        f" ON m.id = f.id WHERE {state.LIVE} AND {state.CLAIM}"
    )
    if not rows or not line[0]:
        return None, ()
    try:
        facts = [FactRow(*row) for row in rows]
        verdicts, is_whole = verdicts_of(git, page.tip, [fact.key for fact in facts])
        mine = source.local.verdicts([fact.key for fact in facts])
        branch: dict[str, list[Verdict]] = {}
        for verdict in verdicts:
            branch.setdefault(verdict.key, []).append(verdict)
        judged = []
        for fact in facts:
            both = branch.get(fact.key, ()), mine.get(fact.key, ())
            known = fact_state.merge_verdicts(*both, spec=fact.spec, claim=fact.claim)
            judged.append(
                timeline.FactHistory(fact, tuple(v for v in known if is_accepted(v, source.policy, now=page.made)))
            )
        here = _outcomes_here(catalog, source.ground) if page.code == line[0] else {}
        return timeline.read(git, *line, timeline.FactHistories(judged, links, here, is_whole)), ()
    except ProcessError as err:
        return None, (f"cannot compute statuses over the history of the code: {err.message}",)


def _outcomes_here(catalog: Catalog, ground: int | None) -> dict[str, str]:
    """Return the outcome of each fact with a verdict on the exact inputs of the code, wherever it was made."""
    return dict(
        catalog.rows(
            "SELECT m.key, s.outcome FROM state s JOIN memory m ON m.id = s.fact"
            " WHERE s.ground = ? AND s.fresh = 1 AND s.outcome <> ''",
            (ground or 0,),
        )
    )


def _warnings(status: Mapping[str, Any]) -> Iterable[str]:
    jobs = status.get("jobs") or {}
    yield from (str(jobs[name]) for name in ("silent", "soon_off") if jobs.get(name))
    if status["problems"]:
        number = status["problems"]
        yield f"{number} file{'s' if number > 1 else ''} of the memory cannot be read or have problems: gitmem doctor"
    if status["to_settle"]:
        yield f"two merged versions to settle: {', '.join(status['to_settle'][:10])}"
