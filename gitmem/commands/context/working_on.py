"""The current work, for a digest or a query: changed files of the branch, and the user's claimed tasks."""

from __future__ import annotations

import os

from gitmem.commands.context import digest, relevance, sections
from gitmem.commands.context.relevance import UNFIT
from gitmem.errors import NoRepositoryError, ProcessError
from gitmem.frozen import fields_of, replace
from gitmem.git.branches import SHARED, likely_default
from gitmem.git.git import NO_SYSTEM
from gitmem.index.catalog import state
from gitmem.index.catalog.keys import describe_unreadable
from gitmem.policy.kinds import START
from gitmem.recall.conditions import hit_condition
from gitmem.recall.query import Query
from gitmem.recall.searched_store import SearchedStore
from gitmem.repository.roles import role_of
from gitmem.store.companion import companion_notice
from gitmem.store.proposal import proposal_notice
from gitmem.store.scopes import PROJECT, SCOPES
from gitmem.tasks.digest import list_own

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from typing import Any

    from gitmem.commands.context.sections import DigestItem, DigestSection
    from gitmem.git import Git
    from gitmem.index.catalog import Catalog
    from gitmem.recall.semantic import VectorQuery
    from gitmem.repository import OpenRepository

# The section of the other scopes, its share of the budget (the digest is primarily about this repository), and the
# command that lists all of them.
OTHER_SCOPES, OTHER_SHARE, OTHER_REST = "OTHER SCOPES", 0.2, "gitmem list --scope private,domain,universal"
# The most files of a branch used for relevance; more do not identify the current work.
WORKING_LIMIT = 200
# The most changed files whose facts are looked up (2 ms each at 10,000 memories), and facts per file.
PLACES_AT_MOST, FACTS_AT_MOST = 3, 3
# The most claimed tasks whose titles are used.
HELD_AT_MOST = 3
# Parts of branch names that do not describe their subject.
PREFIXES = frozenset(("feat", "feature", "fix", "bugfix", "hotfix", "chore", "wip", "dev", "task", "issue", "user"))


def at_work(repository: OpenRepository, query: Query) -> Query:
    """Return a query with the current work added: changed files, and the claimed tasks with their paths."""
    near, held = [*query.near, *working_set(repository.git, repository.default_branch())], list(query.held)
    if repository.has_store():
        for claimed in list_own(repository.catalog(), repository.git, repository.config.agent):
            held.append(claimed.row.key)
            near += claimed.paths
    return replace(query, near=tuple(near), held=tuple(held), work=False)


def score_by_names(
    repository: OpenRepository,
    catalog: Catalog,
    ground: int | None,
    vectors_of: Callable[[str, Catalog], AbstractContextManager[VectorQuery | None]],
) -> dict[str, float]:
    """Return how well memories match the names of the branch and of claimed tasks, from 0 to 1, by key.

    The best match of each name has more (``relevance.NAME_FIT``), so that it comes before what is about a changed file.

    By words, and by meaning if an embedding provider is set up. Nothing is read if the branch is a shared one and no
    task is claimed.
    """
    asked = [question for question in (branch_words(repository.git.read_head()[0]),) if question]
    asked += [
        claimed.row.title for claimed in list_own(catalog, repository.git, repository.config.agent)[:HELD_AT_MOST]
    ]
    if not asked:
        return {}
    from gitmem.recall import gate, ranker
    from gitmem.recall.scoring import RecallRun  # 10 ms, only if there is a query

    policy, found = repository.policy(), dict[str, float]()
    unfit = (*UNFIT, *policy.unread(START))
    source = SearchedStore(PROJECT, catalog, repository.local, ground)
    for question in asked:
        query = Query(text=question, limit=policy.session.limit, knowledge=True)
        with vectors_of(question, catalog) as meaning:
            ranked = ranker.recall(
                [source], query, RecallRun(policy, repository.config, repository.now), meaning=meaning
            )
        hits = gate.good_hits(
            question,
            ranked,
            policy,
            catalog_of=lambda _: catalog,
            is_new=lambda hit: hit.kind not in unfit,
            floor=policy.recall.dense.floor,
        )
        for number, hit in enumerate(hits):
            fit = hit.score / hits[0].score if number else relevance.NAME_FIT
            found[hit.key] = max(found.get(hit.key, 0.0), fit)
    return found


def facts_reading_changes(catalog: Catalog, working: Sequence[str]) -> list[str]:
    """Return the keys of the facts whose checks read changed files, those that name them first."""
    if not working:
        return []
    from gitmem.commands.context.near import facts_reading

    found = [facts_reading(catalog, place)[:FACTS_AT_MOST] for place in working[:PLACES_AT_MOST]]
    return [key for keys in found for key in keys]


def branch_words(head: str) -> str:
    """Return the words about the work in a branch's name; empty for a shared branch.

    Args:
        head: The full ref of HEAD, or empty.
    """
    branch = head.removeprefix("refs/heads/")
    if branch.lower() in SHARED:
        return ""
    words = "".join(char if char.isalnum() else " " for char in branch).split()
    return " ".join(word for word in words if word.lower() not in PREFIXES)


def context(
    repository: OpenRepository,
    asked: digest.DigestRequest,
    *,
    jobs: Callable[[Catalog, int | None], list[str]],
    verified: Callable[[Catalog], dict[str, Any] | None],
    vectors_of: Callable[[str, Catalog], AbstractContextManager[VectorQuery | None]],
) -> dict[str, Any]:
    """Return the digest for a session about these paths, or the current work.

    Args:
        repository: The opened repository.
        asked: What it is about, and how long it may be.
        jobs: Returns a line for each verify job that is overdue or failed.
        verified: Returns when facts were last verified.
        vectors_of: Returns a query as vectors, None to search by words alone.
    """
    policy = repository.policy()
    kinds = role_of(policy, repository.config.role)[1].kinds if asked.kinds is None else asked.kinds
    configured = repository.config.default_branch or policy.verify.default_branch
    # Without reading git's configuration, which takes a process: this only affects relevance.
    likely = likely_default(repository.git, configured=configured, remote=repository.config.remote)
    working = asked.paths or working_set(repository.git, likely or repository.default_branch())
    budget_tokens = asked.budget_tokens or policy.context.budget_tokens
    others = other_scopes(repository, working, budget_tokens, few=asked.is_brief)
    if others is not None:
        budget_tokens -= sections.cost([others])
        if not repository.has_store():
            return sections.as_table([others], None) | {"verified": None}
    catalog = repository.catalog()
    ground = repository.checked_ground(catalog)
    about = (
        repository.behind,
        proposal_notice(repository.store.proposal),
        companion_notice(repository.store.companion),
    )
    lines = [*filter(None, about)]
    lines += [*notices(catalog, jobs(catalog, ground)), *_approvals(repository)]
    words = score_by_names(repository, catalog, ground, vectors_of)
    words |= {key: max(words.get(key, 0.0), 1.0) for key in facts_reading_changes(catalog, working)}
    settled = digest.DigestRequest(working, budget_tokens, kinds, asked.is_brief, words)
    with catalog.reading():
        found = digest.digest(repository, catalog, ground, settled, lines)
    return sections.as_table([*found, *([others] if others else [])], catalog) | {
        "verified": verified(catalog) if is_any_judged(catalog) else None
    }


def _approvals(repository: OpenRepository) -> list[str]:
    """Return a notice of the commands that wait for approval, if there are any."""
    count = len(repository.waiting_keys())
    words = "commands wait" if count != 1 else "command waits"
    return [f"{count} {words} for approval: gitmem trust --review"] if count else []


def notices(catalog: Catalog, jobs: Sequence[str] = ()) -> list[str]:
    """Return notices about the store that a session must see, the most important first.

    Args:
        catalog: The catalog.
        jobs: The problems with schedules of verify jobs, one line each.
    """
    found = [*jobs]
    unreadable = describe_unreadable(catalog)
    if unreadable:
        found.append(unreadable)
    facts = catalog.row(
        f"SELECT 1 FROM fact f JOIN memory m ON m.id = f.id WHERE {state.LIVE} AND {state.CLAIM} LIMIT 1"
    )
    if facts and not is_any_judged(catalog):
        found.append("no fact has been verified yet: gitmem verify")
    return found


def is_any_judged(catalog: Catalog) -> bool:
    """Return whether any fact has a verdict, on the branch or in this clone."""
    queries = ("SELECT 1 FROM verdict LIMIT 1", "SELECT 1 FROM state WHERE outcome <> '' LIMIT 1")
    return any(catalog.row(query) for query in queries)


def working_set(git: Git, default_branch: str) -> list[str]:
    """Return the changed files: of the work tree, and of the branch against the default one."""
    found: list[str] = []
    top = git.repository.top
    if top is not None:
        try:
            # Most repositories have no filter to switch off, and then the system's settings do not matter here.
            plain, more = ([], NO_SYSTEM) if not git.may_be_set("filter") else (git.without_filters(), None)
            # -uno: untracked files would cost a walk of the whole tree; new files are soon staged.
            status = ("status", "--porcelain", "-z", "-uno", "--no-renames")
            result = git.run(f"--work-tree={top}", "-C", top, *plain, *status, timeout_s=5, more=more)
            found += [os.fsdecode(item[3:]) for item in result.stdout.split(b"\0") if len(item) > 3]
        except (ProcessError, NoRepositoryError):
            pass  # a broken index, or a pipe, is reported elsewhere; the digest is only less relevant
    if default_branch and not _is_at(git, default_branch):
        try:
            result = git.run("diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", f"{default_branch}...HEAD")
            found += [os.fsdecode(item) for item in result.stdout.split(b"\0") if item]
        except ProcessError:
            pass  # unborn HEAD, or no common ancestor
    return list(dict.fromkeys(found))[:WORKING_LIMIT]


def _is_at(git: Git, ref: str) -> bool:
    """Return whether HEAD is at the commit of a ref: the branch then has no changes, and git need not run."""
    commit = git.read_head()[1]
    return commit is not None and commit == git.read_ref(ref)


def other_scopes(
    repository: OpenRepository, working: Sequence[str], budget_tokens: int, *, few: bool
) -> DigestSection | None:
    """Return the section of the private, domain and universal memories; None if there are none.

    With *few*, as many as the project's newest ones.
    """
    items: list[DigestItem] = []
    total = 0
    others = [store for store in repository.stores(SCOPES) if store is not repository]
    for source in repository.sources(others) if others else ():
        with source.catalog.reading():
            found = list(_items_of(repository, source, working))
        total += len(found)
        items += found
    if not total:
        return None
    items.sort(key=lambda item: (-item.score, item.key))
    items = items[: repository.policy().session.newest] if few else items
    return sections.fit(OTHER_SCOPES, items, int(budget_tokens * OTHER_SHARE), OTHER_REST, total=total)


def _items_of(repository: OpenRepository, source: SearchedStore, working: Sequence[str]) -> Iterator[DigestItem]:
    """Yield a store's memories as items of the digest, each with its scope."""
    catalog, ground, policy, now = source.catalog, source.ground, repository.policy(), repository.now
    condition, values = hit_condition(catalog, ground, source.narrow(Query()), now=now)
    fit = relevance.fit_for(policy.unread(START))
    newest = f"{relevance.COLUMNS} WHERE {condition} AND {fit} ORDER BY m.created DESC, m.key LIMIT ?"
    rows = [relevance.RelevanceRow(*row) for row in catalog.rows(newest, (*values, relevance.NEWEST))]
    keys = {row.key for row in rows}
    ranked = relevance.score_all(repository, catalog, rows, relevance.CurrentWork(working))
    scored = [(row, score) for row, score in ranked if row.key in keys]
    statuses = state.statuses_of(
        catalog, ground, [row.id for row, _ in scored], now=now, chains=state.suspects(catalog, ground)
    )
    factors = fields_of(policy.recall.scope)
    for row, score in scored:
        scope = source.scope_of(row.key)
        item = sections.item_of(
            catalog, row, statuses[row.id].status, score * factors[scope], policy.context.max_memory_tokens
        )
        yield replace(item, scope=scope)
