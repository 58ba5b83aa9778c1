"""A summary of the store: counts, ages, commands waiting for approval, and current work."""

from __future__ import annotations

from gitmem.document.times import format_time
from gitmem.frozen import fields_of
from gitmem.index.catalog import refs_of, short_ids, state
from gitmem.index.catalog.disputes import list_disputes
from gitmem.index.catalog.fact_state import ReadStore
from gitmem.model import STATES
from gitmem.statuses import age_s
from gitmem.store.companion import companion_branch
from gitmem.store.scopes import PROJECT
from gitmem.store.state.spool import counts
from gitmem.verify.blame.culprit import describe_culprits
from gitmem.verify.due import list_elsewhere
from gitmem.verify.overview.stock import culprits, take_stock
from gitmem.write.archive import list_rotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from gitmem.index.catalog import Catalog
    from gitmem.repository import OpenRepository
    from gitmem.repository.open_store import OpenStore
    from gitmem.verify.overview.stock import StockLine

_TO_SETTLE = (
    f"SELECT m.key FROM memory m JOIN text t ON t.id = m.id WHERE m.shadowed = 0 AND {state.TO_SETTLE} ORDER BY m.key"
)


def status_of(
    repository: OpenRepository,
    scope: str,
    *,
    jobs: Callable[[Catalog, int | None, str], dict[str, Any]],
    view: Callable[[], dict[str, Any] | None],
) -> dict[str, Any]:
    """Return the status of the project's store, or of another scope's.

    Args:
        repository: The opened repository.
        scope: The scope; empty for the project.
        jobs: Returns the state of verify jobs.
        view: Returns the state of the view, or None.
    """
    stores = repository.stores((scope,) if scope else (PROJECT,))
    store: OpenStore = stores[0] if stores else repository
    waiting, catalog, tip = store.waiting_keys(), store.catalog(), store.source()[0]
    ground = store.checked_ground(catalog)
    ref = store.ref if store.git.read_ref(store.ref) or not store.store.proposal else store.store.upstream
    with catalog.reading():
        summary = status(
            ReadStore(catalog, store.git, store.local, ground, store.now), ref=ref, tip=tip, waiting=waiting
        )
        summary["rotation"] = [fields_of(rotation) for rotation in list_rotations(catalog, store.policy())]
        summary["jobs"] = jobs(catalog, ground, tip)
    summary |= {"spool": counts(repository.git.repository.state), "view": view()}
    summary |= {"scope": scope or PROJECT, "scopes": repository.other_scopes()}
    if store.store.companion:
        summary["branch"] = repository.config.branch
    return summary | {"proposal": store.store.proposal, "companion": _companion(store)}


def _companion(store: OpenStore) -> dict[str, Any] | None:
    """Return the changes of the memory by HEAD's branch, if that is what is read."""
    if not store.store.companion:
        return None
    from gitmem.store.merge.on_top import list_changed_keys  # merging: only if a branch has a memory of its own

    top = store.tip()
    memory = store.git.text("rev-parse", store.store.upstream)
    return {
        "branch": companion_branch(store.store.companion),
        "changed": list(list_changed_keys(store.git, memory, top)),
    }


def status(read: ReadStore, *, ref: str, tip: str, waiting: Sequence[str] = ()) -> dict[str, Any]:
    """Return counts by kind and status, ages of index and verdicts, waiting commands, and problems."""
    catalog, git, ground, now = read.catalog, read.git, read.ground, read.now
    standing = take_stock(catalog, ground, read.local, now=now)
    broken = describe_culprits(git, culprits(standing))
    of = {
        status: _lines(catalog, [line for line in standing.lines if line.status == status], broken)
        for status in ("failed", "suspect", "blocked")
    }
    # The branch's verdicts, and those on this ground that only this clone has.
    known = (
        catalog.row("SELECT max(at) FROM verdict"),
        catalog.row("SELECT max(at) FROM state WHERE ground = ?", (ground,)),
    )
    verified = max(row[0] or 0 for row in known)
    is_local = git.read_ref(ref) is not None
    shows = catalog.meta("commit")
    return {
        "branch": ref.removeprefix("refs/heads/") if is_local else f"{ref.removeprefix('refs/heads/')} of the remote",
        "commit": tip,
        "memories": sum(standing.kinds.values()),
        "kinds": dict(standing.kinds),
        "statuses": dict(standing.statuses),
        "claims": dict(standing.claims),
        "tasks": _tasks(catalog),
        "failed": of["failed"],
        "suspect": of["suspect"],
        "blocked": of["blocked"],
        "flapping": _lines(catalog, standing.flapping, broken),
        "moved": list(standing.moved),
        "stale": _stale(catalog, ground, now),
        "elsewhere": list_elsewhere(catalog, ground),
        "waiting": list(waiting),
        "problems": catalog.row("SELECT count(*) FROM problem")[0],
        "to_settle": [row[0] for row in catalog.rows(_TO_SETTLE)],
        "disputes": [{"key": dispute.key, "contradicts": dispute.other} for dispute in list_disputes(catalog)],
        "archived": catalog.row("SELECT count(*) FROM memory WHERE archived = 1 AND shadowed = 0")[0],
        "index": {"commit": shows, "is_current": shows == tip},
        "verified_at": format_time(verified) if verified else "",
        "verified_age_s": age_s(verified, now) if verified else None,
    }


def _stale(catalog: Catalog, ground: int | None, now: int) -> dict[str, int]:
    """Return the number of stale memories by reason: changed inputs, expired time to live, changed lines."""
    changed, expired = catalog.row(
        "SELECT coalesce(sum(s.fresh = 0), 0), coalesce(sum(s.fresh = 1 AND s.at + f.ttl_s < ?), 0) FROM state s"
        " CROSS JOIN fact f ON f.id = s.fact CROSS JOIN memory m ON m.id = f.id"
        f" WHERE s.ground = ? AND s.outcome = 'holds' AND s.blocked = 0 AND {state.LIVE} AND {state.CLAIM}",
        (now, ground or 0),
    )
    return {"inputs": changed, "ttl": expired, "references": len(state.referring_to_changed_lines(catalog, ground))}


def _tasks(catalog: Catalog) -> dict[str, int]:
    """Return how many live tasks are in each state."""
    rows = catalog.rows(
        f"SELECT t.state, count(*) FROM task t JOIN memory m ON m.id = t.id WHERE {state.LIVE} GROUP BY t.state"
    )
    return dict.fromkeys(STATES, 0) | dict(rows)


def _lines(catalog: Catalog, lines: Sequence[StockLine], broken: Mapping[tuple[str, str], str]) -> list[dict[str, Any]]:
    numbers = dict(
        catalog.each("SELECT key, id FROM memory WHERE shadowed = 0 AND key IN ({})", [line.key for line in lines])
    )
    refs, ids = refs_of(catalog, numbers.values()), short_ids(catalog, numbers)
    return [
        {"key": line.key, "short_id": ids.get(line.key, "")}
        | _line(line, broken, refs.get(numbers.get(line.key, 0), ()))
        for line in lines
    ]


def _line(line: StockLine, broken: Mapping[tuple[str, str], str], refs: Sequence[str]) -> dict[str, Any]:
    return {
        "title": line.title,
        "because": line.because,
        "by": line.by,
        "culprit": line.culprit,
        "culprit_after": line.culprit_after,
        "path": line.path,
        "chain": list(line.chain),
        "broken": broken.get((line.culprit, line.culprit_after), ""),
        "refs": list(refs),
    }
