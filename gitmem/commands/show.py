"""Show one memory in full, and find it by its typed name."""

from __future__ import annotations

import json

from gitmem.document.anchors import line_references
from gitmem.document.times import format_time, parse_time
from gitmem.errors import NotFoundError
from gitmem.git.history import read_summaries
from gitmem.index.catalog import fact_state, short_ids, state
from gitmem.model import FAILS, STALE
from gitmem.repository.holder import holder_of
from gitmem.statuses import age_s, describe_chain
from gitmem.text.durations import ago
from gitmem.text.secrets import redact, redact_all
from gitmem.verify.blame.culprit import last_held_commit, phrase
from gitmem.verify.due import list_elsewhere
from gitmem.verify.inputs import CodeTree
from gitmem.verify.moves import places_moved_to
from gitmem.verify.options import Options
from gitmem.verify.overview.explain import explain
from gitmem.verify.references import CHANGED, anchors_in, reference_states, references_past_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gitmem.git import Git
    from gitmem.index.catalog import Catalog
    from gitmem.model import Verdict
    from gitmem.repository import OpenRepository
    from gitmem.repository.open_store import OpenStore
    from gitmem.store.local import CheckOutput


def show_of(repository: OpenRepository, key: str, scope: str) -> dict[str, Any]:
    """Return one memory of any scope, like ``show``, with its scope."""
    holder, full_key = holder_of(repository, key, scope)
    catalog = holder.catalog()
    ground = holder.ground(catalog)
    with catalog.reading():
        details = show(fact_state.ReadStore(catalog, holder.git, holder.local, ground, holder.now), full_key)
    details["claimed"] = _why_claimed(holder, catalog, full_key)
    details["references"] = _references(holder.git, details["frontmatter"])
    details["stale"] = _why_stale(holder, full_key, details) if details["status"] == STALE else ""
    return details | {"scope": repository.scope_of(holder, full_key)}


def _why_claimed(holder: OpenStore, catalog: Catalog, key: str) -> str:
    """Return why a memory or its verdict does not count, if the policy or the fact asks who made it; or empty."""
    if not state.asks_who(catalog, holder.policy()):
        return ""
    from gitmem.verify.signed import explain as explain_makers  # 8 ms, and only where that is asked

    return explain_makers(catalog, holder.local, holder.policy(), key)


def _references(git: Git, fields: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the state of references to lines of code at HEAD: where they are, how they changed, or what is wrong."""
    commit = git.read_head()[1] if line_references(fields) else None
    if commit is None:
        return []
    tree = CodeTree(git, commit)
    states = (
        reference_states(git, tree, anchors_in(fields), has_diff=True) + references_past_end(git, tree, [fields])[0]
    )
    return [{"ref": s.ref, "state": s.state, "place": s.place, "diff": redact(s.diff), "why": s.why} for s in states]


def _why_stale(holder: OpenStore, key: str, found: Mapping[str, Any]) -> str:
    """Return why a memory is stale: which lines or inputs changed, or when its time to live passed."""
    verdict = found["verdict"]
    if verdict is None:
        wrong = [reference for reference in found["references"] if reference["state"] == CHANGED]
        changed = [reference["ref"] for reference in wrong if not reference["why"]]
        reasons = [f"the code at {', '.join(changed)} has changed"] if changed else []
        return "; ".join(
            [
                *reasons,
                *(f"{reference['ref']} is past the end: {reference['why']}" for reference in wrong if reference["why"]),
            ]
        )
    if verdict["fresh"]:
        passed = parse_time(verdict["expires_at"])
        return f"its time to live passed at {verdict['expires_at']}, {ago(age_s(passed, holder.now))} ago"
    session = holder.session(Options(keys=(key,)))
    changed = [path for due in explain(holder.git, session.tree(), session.list_due()) for path in due.changed]
    files = ", ".join(changed) or "what it reads"
    return f"{files} changed since {verdict['commit'][:12]}"


def output_of(repository: OpenRepository, key: str, scope: str) -> CheckOutput:
    """Return the end of a check's output from its last run in this clone, if it did not pass.

    Raises:
        NotFoundError: None is stored.
    """
    holder, full_key = holder_of(repository, key, scope)
    output = holder.local.find_output(full_key)
    if output is None:
        message = f"no output of {full_key} is kept in this clone: its check did not fail here, or wrote nothing"
        raise NotFoundError(message, hint=f"to run it: gitmem verify {full_key}")
    return output


def show(read: fact_state.ReadStore, key: str) -> dict[str, Any]:
    """Return one memory: key, kind, title, status, frontmatter, body, verdict, provenance; count the access.

    Raises:
        NotFoundError: It cannot be read; the message names the problem.
    """
    catalog, ground, now = read.catalog, read.ground, read.now
    row = catalog.row(
        "SELECT id, kind, title, path, archived, superseded, expires, oid FROM memory WHERE key = ? AND shadowed = 0",
        (key,),
    )
    if row is None:
        raise NotFoundError(f"there is no memory {key}", hint="a file in the code tree counts once it is committed")
    number, kind, title, path, archived, superseded, expires, oid = row
    fields, body = catalog.row("SELECT fields, body FROM text WHERE id = ?", (number,))
    status = state.statuses_of(catalog, ground, [number], now=now, chains=state.suspects(catalog, ground))[number]
    read.local.count_access(key, now)
    return {
        "key": key,
        "short_id": short_ids(catalog, [key]).get(key, ""),
        "kind": kind,
        "title": title,
        "status": status.status,
        "frontmatter": redact_all(json.loads(fields)),  # commands are exact in the catalog
        "body": body,
        "verdict": _verdict(read, number, key),
        "because": list(status.chain),
        "suspicion": describe_chain(status.chain) if status.chain else "",
        "weak": status.weak,
        "flapping": status.flapping,
        "moved": status.moved,
        "archived": bool(archived),
        "superseded": bool(superseded),
        "expired": expires is not None and expires <= now,
        "path": path,
        "blob": oid,
    }


def _verdict(read: fact_state.ReadStore, number: int, key: str) -> dict[str, Any] | None:
    """Return the verdict that counts here, with the last inconclusive attempt; None if there is none."""
    catalog, git, local, ground = read.catalog, read.git, read.local, read.ground
    fact = catalog.row("SELECT spec, claim, ttl_s FROM fact WHERE id = ?", (number,))
    if fact is None:
        return None
    known = catalog.row(
        "SELECT digest, outcome, at, own FROM state WHERE ground = ? AND fact = ?", (ground or 0, number)
    )
    branch, mine = fact_state.branch_verdicts(catalog, [key]), local.verdicts([key])
    verdicts = fact_state.merge_verdicts(branch.get(key, ()), mine.get(key, ()), spec=fact[0], claim=fact[1])
    if known is not None:
        verdicts = [v for v in verdicts if (v.outcome, v.at, v.own) == (known[1], known[2], bool(known[3]))]
    best, fresh = fact_state.pick(verdicts, known[0] if known else "")
    blocked = local.blocked().get(key)
    if blocked is not None and (blocked.spec, blocked.claim) != fact[:2]:
        blocked = None  # it was another check, or of another claim
    if best is None and blocked is None:
        return None
    table = _as_table(best, fresh) if best else {"outcome": "", "commit": "", "at": "", "because": "", "culprit": ""}
    if best is not None:
        table["expires_at"] = format_time(best.at + fact[2]) if fact[2] is not None else ""
        table["held_last"] = last_held_commit(git, best) if best.outcome == FAILS else ""
        if best.culprit:
            summary = read_summaries(git, [best.culprit]).get(best.culprit)
            table["broken"] = phrase(best.culprit, best.culprit_after, summary, outcome=best.outcome)
        table["elsewhere"] = list_elsewhere(catalog, ground, [key]).get(key, "")
    if best is not None and best.attempt:
        table |= {"attempt": best.attempt, "attempt_at": format_time(best.attempt_at)}
    if blocked is not None and (best is None or blocked.at >= best.at):
        table |= {"attempt": blocked.reason, "attempt_at": format_time(blocked.at)}
    return table


def _as_table(verdict: Verdict, fresh: bool) -> dict[str, Any]:
    return {
        "outcome": verdict.outcome,
        "commit": verdict.commit,
        "at": format_time(verdict.at),
        "because": verdict.because,
        "culprit": verdict.culprit,
        "culprit_after": verdict.culprit_after,
        "sandbox": verdict.sandbox,
        "seconds": verdict.seconds,
        "held_commit": verdict.held_commit,
        "held_at": format_time(verdict.held_at) if verdict.held_at else "",
        "confirmed": verdict.confirmed,
        "weak": verdict.weak,
        "own": verdict.own,
        "by": verdict.by,
        "signer": verdict.signer,
        "fresh": fresh,
        "reads": verdict.reads,
        "tools": verdict.tools,
        "environment": verdict.environment,
        "undeclared": [path for path in verdict.undeclared.split("\n") if path],
        "moved": [{"from": move.old, "to": move.new} for move in places_moved_to(verdict.moved)],
        "outside": verdict.outside,
    }
