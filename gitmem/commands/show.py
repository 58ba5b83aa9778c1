"""Show one memory in full, find it by its typed name, and show its history."""

from __future__ import annotations

import json

from gitmem.document.anchors import line_references
from gitmem.document.times import format_time, parse_time
from gitmem.errors import FormatError, NotFoundError, ProcessError
from gitmem.git.history import read_summaries
from gitmem.index.catalog import fact_state, short_ids, state
from gitmem.model import FAILS, STALE
from gitmem.policy.kinds import KINDS
from gitmem.repository.holder import holder_of
from gitmem.statuses import age_s, describe_chain
from gitmem.store import layout
from gitmem.store.code_folder import CODE_PREFIX
from gitmem.store.read import READABLE_WITHIN
from gitmem.store.verdicts.buckets import parse_section, sections_of
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
    from gitmem.store.local import CheckOutput, LocalState

# The time limit in seconds for a history by patterns, for which git opens every folder of every commit.
LOG_S = 8.0
# The most commits read for the history of one memory.
MOST_LOGGED = 2000


def show_of(repository: OpenRepository, key: str, scope: str) -> dict[str, Any]:
    """Return one memory of any scope, like ``show``, with its scope."""
    holder, full_key = holder_of(repository, key, scope)
    catalog = holder.catalog()
    ground = holder.ground(catalog)
    with catalog.reading():
        found = show(catalog, holder.git, holder.local, ground, full_key, now=holder.now)
    found["references"] = _references(holder.git, found["frontmatter"])
    found["stale"] = _why_stale(holder, full_key, found) if found["status"] == STALE else ""
    return found | {"scope": repository.scope_of(holder, full_key)}


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
        wrong = [one for one in found["references"] if one["state"] == CHANGED]
        changed = [one["ref"] for one in wrong if not one["why"]]
        said = [f"the code at {', '.join(changed)} has changed"] if changed else []
        return "; ".join([*said, *(f"{one['ref']} is past the end: {one['why']}" for one in wrong if one["why"])])
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
    found = holder.local.find_output(full_key)
    if found is None:
        message = f"no output of {full_key} is kept in this clone: its check did not fail here, or wrote nothing"
        raise NotFoundError(message, hint=f"to run it: gitmem verify {full_key}")
    return found


def show(catalog: Catalog, git: Git, local: LocalState, ground: int | None, key: str, *, now: int) -> dict[str, Any]:
    """Return one memory: key, kind, title, status, frontmatter, body, verdict, provenance; count the access.

    Raises:
        NotFoundError: It cannot be read; the message names the problem.
    """
    row = catalog.row(
        "SELECT id, kind, title, path, archived, superseded, expires, oid FROM memory WHERE key = ? AND shadowed = 0",
        (key,),
    )
    if row is None:
        raise NotFoundError(f"there is no memory {key}", hint="a file in the code tree counts once it is committed")
    number, kind, title, path, archived, superseded, expires, oid = row
    fields, body = catalog.row("SELECT fields, body FROM text WHERE id = ?", (number,))
    status = state.statuses_of(catalog, ground, [number], now=now, chains=state.suspects(catalog, ground))[number]
    local.count_access(key, now)
    return {
        "key": key,
        "short_id": short_ids(catalog, [key]).get(key, ""),
        "kind": kind,
        "title": title,
        "status": status.status,
        "frontmatter": redact_all(json.loads(fields)),  # commands are exact in the catalog
        "body": body,
        "verdict": _verdict(catalog, git, local, ground, number, key=key),
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


def _verdict(
    catalog: Catalog, git: Git, local: LocalState, ground: int | None, number: int, *, key: str
) -> dict[str, Any] | None:
    """Return the verdict that counts here, with the last inconclusive attempt; None if there is none."""
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
            made = read_summaries(git, [best.culprit]).get(best.culprit)
            table["broken"] = phrase(best.culprit, best.culprit_after, made, outcome=best.outcome)
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
        "fresh": fresh,
        "reads": verdict.reads,
        "tools": verdict.tools,
        "environment": verdict.environment,
        "undeclared": [path for path in verdict.undeclared.split("\n") if path],
        "moved": [{"from": move.old, "to": move.new} for move in places_moved_to(verdict.moved)],
        "outside": verdict.outside,
    }


def log_of(repository: OpenRepository, key: str, *, limit: int, scope: str) -> list[dict[str, Any]]:
    """Return the history of a memory of any scope, like ``log``; without a key, that of the whole project's store."""
    if not key:
        return _log_all(repository.git, repository.source()[0], limit, repository.notices)
    store, full_key = holder_of(repository, key, scope)
    code = repository.git.read_head()[1] if store.is_in_tree else None
    tip = store.source()[0]
    return log(store.git, tip, full_key, limit=limit, notices=repository.notices, code=code or "")


def _log_all(git: Git, tip: str, limit: int, notices: list[str]) -> list[dict[str, Any]]:
    """Return the newest commits of a store; one that writes nothing but verdicts is a ``verdict``."""
    rows = []
    for row, changed in _parse_log(_read_log(git, tip, ["."], limit, notices, plain=["."])):
        paths = [layout.place_of(path) for path, _, _ in changed]
        what = {path.what for path in paths if isinstance(path, layout.StorePath)}
        is_memory = layout.MEMORY in what or not what & {layout.VERDICT, layout.BUCKET}
        rows.append({**row, "what": layout.MEMORY if is_memory else layout.VERDICT})
    return rows


def log(git: Git, tip: str, key: str, *, limit: int, notices: list[str], code: str = "") -> list[dict[str, Any]]:
    """Return the history of a memory and of its verdicts, newest first.

    Each row has ``commit``, ``at`` (empty for an impossible date), ``who``, ``subject``, ``what`` (``memory`` or
    ``verdict``) and, for a verdict, ``outcome``, ``because`` and ``code_commit``. Follows the memory through split
    folders and the archive; parts hidden by an unreadable tree are reported in *notices*. For a memory in the code
    tree, the commits of the code (*code* is the newest of them) and those of its verdicts are returned.
    """
    plain = _plain(key, is_code=bool(code))
    asked, noticed = limit, len(notices)
    while True:
        texts = [_read_log(git, code or tip, _specs(key, is_code=bool(code)), asked, notices, plain=plain)]
        texts += [_read_log(git, tip, _specs(key)[-3:], asked, notices, plain=_plain(key))] if code and tip else []
        logged = [_parse_log(text) for text in texts]
        rows = _of_fact(git, key, [row for rows in logged for row in rows])
        # The commits of a bucket may all be about other facts.
        is_all = asked >= MOST_LOGGED or len(notices) > noticed or all(len(one) < asked for one in logged)
        if len(rows) >= limit or is_all:
            break
        asked *= 8
    if code:
        rows.sort(key=lambda row: row["at"], reverse=True)
    return rows[:limit]


def _read_log(git: Git, tip: str, specs: list[str], limit: int, notices: list[str], *, plain: list[str]) -> bytes:
    """Return the output of git log; it is called again for the commits before an unreadable tree."""
    # Only NUL separates the fields: a name or a subject may hold any other character. A diff.orderFile in the user's
    # settings that does not exist would be an error.
    argv = (
        "-c", "diff.orderFile=/dev/null", "log", "-z", "--no-color", "--no-show-signature", "--no-renames", "--raw",
        "--no-abbrev", "--encoding=UTF-8", f"--max-count={limit}", "--format=%H%x00%ct%x00%an%x00%s",
    )  # fmt: skip
    try:
        whole = git.run(*argv, tip, "--", *specs, check=False, timeout_s=LOG_S)
    except ProcessError:  # a tree in this history has an endless number of files, and a pattern looks at each of them
        notices.append("searching the whole history takes too long: only the usual folders are shown")
        return git.run("--literal-pathspecs", *argv, tip, "--", *plain, timeout_s=LOG_S).stdout
    if whole.status == 0:
        return whole.stdout
    for back in range(1, READABLE_WITHIN):
        behind = git.run(*argv, f"{tip}~{back}", "--", *specs, check=False)
        if behind.status == 0:
            notices.append("a tree of the memory branch is unreadable, so this history is incomplete: gitmem doctor")
            return whole.stdout + behind.stdout
    return git.run(*argv, tip, "--", *specs).stdout


def _specs(key: str, *, is_code: bool = False) -> list[str]:
    """Return the possible paths of a memory and its verdicts as pathspecs (gitglossary(7), pathspec)."""
    shard = layout.shard(key)
    memory = [f"{top}*/{folder}{key}.md" for top in ("", "archive/") for folder in ("", f"{shard}/")]
    if is_code:
        return [f":(glob){CODE_PREFIX}{path}" for path in memory]
    verdicts = (layout.bucket_path(key), f"verdicts/{shard}/{key}.{'?' * 16}.toml")
    specs = [f":(glob){path}" for path in (*memory, *verdicts)]
    return [*specs, ":(exclude,glob).github/**"]


def _plain(key: str, *, is_code: bool = False) -> list[str]:
    """Return the possible paths of a memory of a built-in kind, for which git opens no other folder."""
    folders = sorted({kind.folder for kind in KINDS.values()})
    tops = [f"{top}{folder}" for top in ("", "archive/") for folder in folders]
    paths = [f"{top}/{below}{key}.md" for top in tops for below in ("", f"{layout.shard(key)}/")]
    return [f"{CODE_PREFIX}{path}" for path in paths] if is_code else paths


def _parse_log(text: bytes) -> list[tuple[dict[str, Any], list[tuple[str, str, str]]]]:
    """Return each commit with the files that it changed: the path, and the blobs before and after."""
    words = text.decode("utf-8", "replace").split("\0")
    rows = []
    at = 0
    while at + 3 < len(words):
        commit, when, who, subject = words[at : at + 4]
        at += 4
        changed: list[tuple[str, str, str]] = []
        while at + 1 < len(words) and words[at].lstrip("\n").startswith(":"):
            _, _, old, new, _ = words[at].split(" ")
            changed.append((words[at + 1], old, new))
            at += 2
        row = {"commit": commit, "at": _date(when), "who": redact(who), "subject": redact(subject)}
        rows.append((row, changed))
    return rows


def _of_fact(
    git: Git, key: str, logged: list[tuple[dict[str, Any], list[tuple[str, str, str]]]]
) -> list[dict[str, Any]]:
    """Return the commits that changed a memory or its verdicts, with the verdicts in them."""
    places = {path: layout.place_of(path) for _, changed in logged for path, _, _ in changed}
    kinds = {path: place.what for path, place in places.items() if isinstance(place, layout.StorePath)}
    verdicts = (layout.VERDICT, layout.BUCKET)
    oids = {oid for _, changed in logged for path, *ends in changed if kinds.get(path) in verdicts for oid in ends}
    found = dict(git.read_blobs((oid for oid in oids if oid.strip("0")), limit=layout.BUCKET_LIMIT))
    rows = []
    for row, changed in logged:
        is_memory, is_verdict = False, False
        said: dict[str, Any] = {}
        for path, *ends in changed:
            if kinds.get(path) not in verdicts:
                is_memory = True
                continue
            old, new = (_sections(found.get(oid) or b"", path, key) for oid in ends)
            is_verdict |= old != new or kinds[path] == layout.VERDICT
            said |= _outcome(path, {name: text for name, text in new.items() if old.get(name) != text})
        if is_memory or is_verdict or not changed:
            rows.append({**row, "what": layout.MEMORY if is_memory or not is_verdict else layout.VERDICT, **said})
    return rows


def _sections(content: bytes, path: str, key: str) -> dict[tuple[str, str], bytes]:
    return {name: text for name, text in sections_of(content, path) if name[0] == key}


def _date(when: str) -> str:
    try:
        return format_time(int(when))
    except ValueError:
        return ""  # anyone can write such a commit


def _outcome(path: str, verdicts: Mapping[tuple[str, str], bytes]) -> dict[str, Any]:
    """Return the verdicts in one commit; deleted, oversized and malformed ones are skipped."""
    fields: dict[str, Any] = {}
    for name, text in verdicts.items():
        try:
            verdict = parse_section(name, text, path)
        except FormatError:
            continue
        fields = {"outcome": verdict.outcome, "because": verdict.because, "code_commit": verdict.commit}
    return fields
