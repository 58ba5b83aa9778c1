"""Record the results of a verify run: verdict files and ``STATUS.md`` in one commit, or this clone's local state."""

from __future__ import annotations

import _sqlite3 as sqlite3

from gitmem.errors import suppress
from gitmem.frozen import frozen, replace
from gitmem.index.catalog import fact_state, state, update
from gitmem.index.catalog.inserts import Inserts
from gitmem.model import FAILED, FAILS, SUSPECT, is_weaker
from gitmem.statuses import SKEW_S
from gitmem.store import layout
from gitmem.store.commit import CommitPlan, WriteTarget, pack, write_commit
from gitmem.store.proposal import is_proposal
from gitmem.store.trailers import CLAIMED, CODE
from gitmem.store.verdicts.buckets import parse_section
from gitmem.store.verdicts.environment import difference
from gitmem.store.verdicts.files import plan_writes
from gitmem.verify.blame.culprit import describe_culprits, phrase
from gitmem.verify.overview.stock import Stock, culprits, status_page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gitmem.index.catalog import Catalog
    from gitmem.model import Verdict
    from gitmem.store.verdicts.files import FileWrites

# Trailers name at most this many memories each; STATUS.md and `gitmem list --status` name all.
TRAILERS = 50
# An unchanged verdict is recorded again when this part of its TTL has passed.
REWRITTEN_AFTER = 0.1
# For a verdict that never expires: how long other inputs may stay unrecorded, as with the usual TTL.
DEFAULT_TTL_S = 30 * 86_400


@frozen
class RecordResult:
    """What was committed.

    Attributes:
        commit: The commit on the memory branch; empty if nothing had changed.
        failed: Facts that newly failed.
        holds_again: Facts that failed before and hold now.
        suspect: Newly suspect memories with their chain of causes.
        cleared: Memories that are no longer suspect.
    """

    commit: str
    failed: tuple[str, ...] = ()
    holds_again: tuple[str, ...] = ()
    suspect: tuple[tuple[str, tuple[str, ...]], ...] = ()
    cleared: tuple[str, ...] = ()


def worth_writing(old: Verdict | None, new: Verdict, *, ttl_s: int | None) -> bool:
    """Return whether a verdict needs a commit: it says something new, or the old one is a tenth of its TTL old.

    The same outcome for other inputs is not urgent for others: five of six commits of a team said nothing more
    (measured: 83 % of those for 25 commits of code). A clone that needs the verdict judges the fact again.

    Args:
        old: The verdict on the branch, or None.
        new: The verdict.
        ttl_s: How long a verdict counts, in seconds, or None.
    """
    if old is None:
        return True
    # A mark is recorded when it is set or removed; each clone counts on its own how many equal answers are missing.
    if (old.outcome, old.spec, old.claim, old.weak, old.confirmed, old.flapping > 0, old.outside) != (
        new.outcome, new.spec, new.claim, new.weak, new.confirmed, new.flapping > 0, new.outside,
    ):  # fmt: skip
        return True
    if (old.culprit, old.culprit_after, old.rests) != (new.culprit, new.culprit_after, new.rests):
        return True
    # The policy may not have accepted the old one, or it comes from a clock that was ahead.
    if is_weaker(old.sandbox, new.sandbox) or old.at > new.at + SKEW_S:
        return True
    if ttl_s is None and old.inputs != new.inputs:
        ttl_s = DEFAULT_TTL_S
    return ttl_s is not None and new.at - old.at > ttl_s * REWRITTEN_AFTER


@frozen
class Recording:
    """Where the verdicts of one run are recorded.

    Attributes:
        target: The memory branch.
        catalog: The catalog; its rows are updated in the same step.
        follow: Updates the catalog to a tip (passed in, since it belongs to search).
        commit: The code commit that was judged.
        now: Epoch seconds.
        is_fresh: Returns whether the inputs of a verdict of the branch are unchanged.
        refusal: Returns why a verdict does not count as its maker's, or an empty string (``verify.signed``).
    """

    target: WriteTarget
    catalog: Catalog
    follow: Callable[[str], None]
    commit: str
    now: int
    is_fresh: Callable[[Verdict], bool]
    refusal: Callable[[Verdict], str] = lambda _: ""


def record(
    run: Recording, verdicts: Sequence[Verdict], *, before: Stock, after: Callable[[], Stock], claimed: bool = False
) -> RecordResult:
    """Record new verdicts in one commit on the memory branch; make no commit if nothing changed.

    Args:
        run: The run that made them.
        verdicts: New verdicts.
        before: The state of the store before them.
        after: Returns the state of the store with them, without blocked facts.
        claimed: Whether the verdicts come from other machines' result files.
    """
    git, catalog = run.target.git, run.catalog
    db = catalog.connection
    recorded = RecordResult("")

    def plan(tip: str | None) -> CommitPlan | None:
        nonlocal recorded
        _undo(catalog)
        if tip is not None:  # facts in the code tree may be judged before the branch exists
            run.follow(tip)
        # Under the store's lock and until the commit is on disk, so that the catalog shows the new verdicts exactly
        # when the branch has them.
        db.execute("BEGIN IMMEDIATE")
        old = fact_state.branch_verdicts(catalog, [v.key for v in verdicts])
        changed = list_news(catalog, verdicts, run.is_fresh, run.refusal)
        if not changed:
            return None
        planned = plan_writes(git, tip, changed, is_loose=is_proposal(run.target.ref))
        _into_catalog(catalog, planned)
        stock, blamed = after(), _list_blamed(changed, old)
        recorded = _difference(catalog, before, stock, changed, old)
        page = status_page(stock, describe_culprits(git, culprits(stock)))
        return CommitPlan(
            _subject(changed, recorded, blamed),
            writes=tuple(sorted({**planned.writes, layout.STATUS_PATH: page.encode()}.items())),
            deletes=planned.deletes,
            trailers=_trailers(recorded, run.commit, changed, blamed, claimed),
            machine=True,
        )

    try:
        written = write_commit(run.target, plan, now=run.now)
        if written is None:
            return RecordResult("")
        with suppress(sqlite3.DatabaseError):  # the branch has the verdicts: the next read brings the catalog along
            catalog.set_meta("commit", written.commit)
            db.execute("COMMIT")
    finally:
        _undo(catalog)
    pack.count(git, written.commit)
    return replace(recorded, commit=written.commit)


def _undo(catalog: Catalog) -> None:
    if catalog.connection.in_transaction:
        catalog.connection.execute("ROLLBACK")


def list_news(
    catalog: Catalog,
    verdicts: Sequence[Verdict],
    is_fresh: Callable[[Verdict], bool] = lambda _: False,
    refusal: Callable[[Verdict], str] = lambda _: "",
) -> list[Verdict]:
    """Return the verdicts to commit: none if none needs a commit; verdicts of facts retired since are left out.

    Args:
        catalog: The catalog of the branch.
        verdicts: New verdicts.
        is_fresh: Returns whether the inputs of a verdict of the branch are unchanged. If a commit is needed, it
            also includes verdicts for other inputs, so that other clones need not judge these again.
        refusal: Returns why a verdict does not count as its maker's: one that does takes its place.
    """
    keys = [v.key for v in verdicts]
    old = fact_state.branch_verdicts(catalog, keys)
    ttls = dict(
        catalog.each(
            f"SELECT m.key, f.ttl_s FROM fact f JOIN memory m ON m.id = f.id WHERE {state.LIVE} AND m.key IN ({{}})",
            keys,
        )
    )
    same = {v.key: next((o for o in old.get(v.key, ()) if o.spec[:16] == v.spec[:16]), None) for v in verdicts}
    same = {key: None if old is not None and refusal(old) else old for key, old in same.items()}
    live = [v for v in verdicts if v.key in ttls and not _is_elsewhere(same[v.key], v, is_fresh)]
    news = {v.key for v in live if worth_writing(same[v.key], v, ttl_s=ttls[v.key])}
    if not news:
        return []
    return [v for v in live if v.key in news or _is_of_other_inputs(same[v.key], v, is_fresh)]


def _is_elsewhere(old: Verdict | None, new: Verdict, is_fresh: Callable[[Verdict], bool]) -> bool:
    """Return whether a verdict only shows a difference between this environment and that of another verdict.

    A confirmed failure is caused by the code and reported to everyone; a check that holds here does not revoke it,
    unless it was found in a weaker sandbox.
    """
    is_revoked = old is not None and old.outcome == FAILS and (not old.confirmed or is_weaker(old.sandbox, new.sandbox))
    if is_revoked or old is None or old.spec != new.spec or old.claim != new.claim or old.outcome == new.outcome:
        return False
    if not difference(old.environment, new.environment) or not (old.inputs == new.inputs or is_fresh(old)):
        return False
    return new.outcome != FAILS or not new.confirmed


def _is_of_other_inputs(old: Verdict | None, new: Verdict, is_fresh: Callable[[Verdict], bool]) -> bool:
    return old is not None and old.inputs != new.inputs and not is_fresh(old)


def _into_catalog(catalog: Catalog, files: FileWrites) -> None:
    for path in files.deletes:
        update.remove_path(catalog, path)
    inserts = Inserts(catalog)
    for path, content in files.writes.items():
        place = layout.place_of(path)
        assert isinstance(place, layout.StorePath), "gitmem writes only where a store may have files"
        if place.what == layout.BUCKET:
            update.update_bucket(catalog, inserts, path, content)
        elif place.what == layout.VERDICT:
            inserts.add_verdict(path, parse_section((place.key, place.spec), content, path))
            update.forget_states(catalog, [place.key])
    inserts.flush()


def _difference(
    catalog: Catalog,
    before: Stock,
    after: Stock,
    changed: Iterable[Verdict],
    old: Mapping[str, Sequence[Verdict]],
) -> RecordResult:
    """Return what is new to the branch, though this clone may have known it before (``Session.keep``)."""
    failing_before = {key for key, vs in old.items() if any(v.outcome == FAILS for v in vs)}
    same_before = {(v.spec, v.claim) for vs in old.values() for v in vs if v.outcome == FAILS}
    failing_now = {v.key for v in changed if v.outcome == FAILS}
    failed = {v.key for v in changed if v.outcome == FAILS and (v.spec, v.claim) not in same_before}
    suspect_before = {line.key for line in before.lines if line.status == SUSPECT}
    suspect_now = {line.key: line.chain for line in after.lines if line.status == SUSPECT}
    again = failing_before & {v.key for v in changed} - failing_now
    suspect = [(k, chain) for k, chain in sorted(suspect_now.items()) if k not in suspect_before or chain[-1] in failed]
    still_failed = {line.key for line in after.lines if line.status == FAILED}
    cleared = (suspect_before | state.chains(catalog, again).keys()) - set(suspect_now) - still_failed - again
    return RecordResult("", tuple(sorted(failed)), tuple(sorted(again)), tuple(suspect), tuple(sorted(cleared)))


def _list_blamed(changed: Iterable[Verdict], old: Mapping[str, Sequence[Verdict]]) -> list[Verdict]:
    """Return the verdicts with a culprit that the branch does not name yet."""
    known = {(o.key, o.culprit) for vs in old.values() for o in vs}
    return [v for v in changed if v.outcome == FAILS and v.culprit and (v.key, v.culprit) not in known]


def _subject(changed: Sequence[Verdict], recorded: RecordResult, blamed: Sequence[Verdict]) -> str:
    parts = [f"{len(recorded.failed)} failed"] if recorded.failed else []
    parts += [f"{len(recorded.suspect)} suspect"] if recorded.suspect else []
    parts += [f"{held} hold{'s' if held == 1 else ''} again"] if (held := len(recorded.holds_again)) else []
    if not parts and len(blamed) == 1:
        return f"why: {blamed[0].key} was {phrase(blamed[0].culprit, blamed[0].culprit_after)}"
    if not parts and blamed:
        return f"why: what broke {len(blamed)} facts"
    if len(recorded.failed) == 1 and len(parts) <= 2:
        parts[0] = f"{recorded.failed[0]} failed"
    return "verify: " + (", ".join(parts) if parts else f"{len(changed)} verdict{'s' * (len(changed) != 1)}")


def _trailers(
    recorded: RecordResult, commit: str, changed: Sequence[Verdict], blamed: Iterable[Verdict], claimed: bool
) -> tuple[tuple[str, str], ...]:
    rows = [(CODE, commit), ("Gitmem-Verdicts", str(len(changed)))]
    rows += [(CLAIMED, str(len(changed)))] if claimed else []
    rows += _cap("Gitmem-Failed", list(recorded.failed))
    rows += _cap("Gitmem-Holds-Again", list(recorded.holds_again))
    rows += _cap("Gitmem-Suspect", [f"{key} (because {' -> '.join(chain)})" for key, chain in recorded.suspect])
    rows += _cap("Gitmem-Cleared", list(recorded.cleared))
    rows += _cap("Gitmem-Culprit", [f"{v.key} {v.culprit}" for v in blamed])
    return tuple(rows)


def _cap(name: str, values: list[str]) -> list[tuple[str, str]]:
    rows = [(name, value) for value in values[:TRAILERS]]
    return [*rows, (name + "-More", str(len(values) - TRAILERS))] if len(values) > TRAILERS else rows
