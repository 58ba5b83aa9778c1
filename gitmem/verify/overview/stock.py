"""The state of the facts: counts, failures with causes, suspect memories with reasons, and ``STATUS.md``."""

from __future__ import annotations

from gitmem.frozen import frozen, replace
from gitmem.index.catalog import fact_state, state
from gitmem.model import BLOCKED, FAILED, STALE, STATUSES, SUSPECT, UNPROVEN, VERIFIED
from gitmem.statuses import describe_chain
from gitmem.text.json_values import parse_json
from gitmem.text.sanitize import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitmem.index.catalog.catalog import Catalog
    from gitmem.store.local import LocalState

# The page stays readable on a forge: everything is counted, this many of each are named.
NAMED = 200
# What a line is about that is not a status: the fact keeps its own.
FLAPPING = "flapping"


@frozen
class StandingLine:
    """One memory that needs a person.

    Attributes:
        key: Its key.
        title: Its title, as written.
        status: ``failed``, ``suspect`` or ``blocked``; ``flapping`` for one whose check does not always answer alike.
        because: Why, on one line.
        by: Who wrote it, or empty.
        held_commit: The code commit where a failed fact held last, where known.
        culprit: The commit that broke it, where known.
        culprit_after: Where that is one of several: the last commit before them.
        chain: For a suspect, the memories between it and the failed fact.
        path: Where it is in its store.
        is_fact: Whether it is a fact that is counted as one.
    """

    key: str
    title: str
    status: str
    because: str
    by: str
    held_commit: str = ""
    culprit: str = ""
    chain: tuple[str, ...] = ()
    path: str = ""
    culprit_after: str = ""
    is_fact: bool = True


@frozen
class Standing:
    """How the store is for one code commit.

    Attributes:
        kinds: Live memories by kind.
        statuses: Memories with a status by status.
        lines: What failed, then what is suspect, then what is blocked, each by key.
        flapping: Facts whose checks do not always answer alike, by key, whatever their status.
        moved: Facts that are judged where git renamed their files to, by key.
    """

    kinds: Mapping[str, int]
    statuses: Mapping[str, int]
    lines: tuple[StandingLine, ...]
    flapping: tuple[StandingLine, ...] = ()
    moved: tuple[str, ...] = ()


def take_stock(
    catalog: Catalog, ground: int | None, local: LocalState, *, now: int, with_blocked: bool = True
) -> Standing:
    """Return how the store is on one ground, by the verdicts of the branch and of this clone.

    What is blocked is a matter of this machine: a page that all share is made without it.
    """
    chains = state.suspects(catalog, ground)
    # Nor does it change as time passes: only here, what has expired is not counted.
    live = f"{state.LIVE} AND (m.expires IS NULL OR m.expires > {now})" if with_blocked else state.LIVE
    kinds = dict(catalog.rows(f"SELECT kind, count(*) FROM memory m WHERE {live} GROUP BY kind ORDER BY kind"))
    counts = _counts(catalog, ground, now=now, with_blocked=with_blocked)
    counts[STALE] += fact_state.stale_references(catalog, ground)
    lines = [*_failed(catalog, ground, local), *_suspects(catalog, ground, chains, counts, now)]
    lines += _blocked(catalog, ground, local) if with_blocked else []
    moved = tuple(state.moved(catalog, ground))
    return Standing(kinds, counts, tuple(lines), tuple(_flapping(catalog, ground, local)), moved)


def _counts(catalog: Catalog, ground: int | None, *, now: int, with_blocked: bool) -> dict[str, int]:
    """Return how many facts have each status, suspicion left out.

    Most are verified: those that are not are counted, and the rest is what is left (2 ms for 10,000 instead of 8).
    """
    states = (
        "FROM state s CROSS JOIN memory m ON m.id = s.fact CROSS JOIN fact f ON f.id = m.id"
        f" WHERE s.ground = ? AND {state.LIVE} AND {state.CLAIM}"
    )
    counts = dict.fromkeys(STATUSES, 0)
    counts |= catalog.rows(
        "SELECT CASE WHEN s.outcome = 'fails' THEN 'failed' WHEN s.blocked AND ? THEN 'blocked'"
        f" WHEN s.outcome <> 'holds' THEN 'unproven' ELSE 'stale' END, count(*) {states} AND (s.outcome <> 'holds'"
        f" OR s.fresh = 0 OR {state.EXPIRES} < ? OR (s.blocked AND ?)) GROUP BY 1",
        (with_blocked, ground or 0, now, with_blocked),
    )
    total = catalog.row(
        "SELECT count(*) FROM memory m INDEXED BY memory_live CROSS JOIN fact f ON f.id = m.id"
        f" WHERE {state.LIVE} AND {state.CLAIM}"
    )[0]
    is_complete = catalog.row("SELECT 1 FROM ground WHERE id = ? AND complete = 1", (ground or 0,))
    known = total if is_complete else catalog.row(f"SELECT count(*) {states}", (ground or 0,))[0]
    counts[VERIFIED] = known - sum(counts.values())
    counts[UNPROVEN] += total - known
    return counts


def _blocked(catalog: Catalog, ground: int | None, local: LocalState) -> list[StandingLine]:
    rows = state.blocked(catalog, ground)
    noted = local.blocked() if rows else {}
    return [
        StandingLine(key, title, BLOCKED, noted[key].reason, author(catalog, number), path=path)
        for key, title, number, path in rows
        if key in noted
    ]


def _flapping(catalog: Catalog, ground: int | None, local: LocalState) -> list[StandingLine]:
    rows = state.flapping(catalog, ground)
    keys = [row[0] for row in rows]
    branch, mine = (fact_state.branch_verdicts(catalog, keys), local.verdicts(keys)) if keys else ({}, {})
    lines = []
    for key, title, number, spec, claim in rows:
        latest = fact_state.latest_of(fact_state.merged(branch.get(key, ()), mine.get(key, ()), spec=spec, claim=claim))
        lines.append(StandingLine(key, title, FLAPPING, latest.attempt if latest else "", author(catalog, number)))
    return lines


def _failed(catalog: Catalog, ground: int | None, local: LocalState) -> list[StandingLine]:
    rows = catalog.rows(
        "SELECT m.key, m.title, m.id, m.path FROM state s INDEXED BY state_failed CROSS JOIN memory m ON m.id = s.fact"
        f" WHERE s.ground = ? AND s.outcome = 'fails' AND {state.LIVE} AND {state.CLAIM} ORDER BY m.key",
        (ground or 0,),
    )
    verdicts = fact_state.counting(catalog, ground, [row[0] for row in rows], local)
    lines = []
    for key, title, number, path in rows:
        verdict = verdicts.get(key)
        phrases = (verdict.because, verdict.held_commit, verdict.culprit) if verdict else ("", "", "")
        after = verdict.culprit_after if verdict else ""
        by = author(catalog, number)
        lines.append(
            StandingLine(key, title, FAILED, phrases[0], by, phrases[1], phrases[2], path=path, culprit_after=after)
        )
    return lines


def _suspects(
    catalog: Catalog, ground: int | None, chains: Mapping[str, tuple[str, ...]], counts: dict[str, int], now: int
) -> list[StandingLine]:
    rows = catalog.each(
        f"SELECT m.id, m.key, m.title, m.path FROM memory m WHERE {state.LIVE} AND m.key IN ({{}})", sorted(chains)
    )
    found = {number: (key, title, path) for number, key, title, path in rows}
    statuses = state.statuses_of(catalog, ground, found, now=now, chains=chains)
    lines = []
    for number, (key, title, path) in sorted(found.items(), key=lambda item: item[1]):
        is_fact = bool(statuses[number].own and statuses[number].is_claim)
        if is_fact:
            counts[statuses[number].own] -= 1
        counts[SUSPECT] += 1
        line = StandingLine(key, title, SUSPECT, describe_chain(chains[key]), author(catalog, number), path=path)
        lines.append(replace(line, chain=chains[key], is_fact=is_fact))
    return lines


def describe_statuses(standing: Standing) -> str:
    """Return how many facts have each status, and then the suspect memories that are no facts; or an empty string."""
    others = sum(line.status == SUSPECT and not line.is_fact for line in standing.lines)
    counts = {**standing.statuses, SUSPECT: standing.statuses.get(SUSPECT, 0) - others}
    facts = ", ".join(f"{n} {status}" for status, n in counts.items() if n)
    memories = f"{others} {'memory' if others == 1 else 'memories'} suspect" if others else ""
    return "; ".join(filter(None, (facts, memories)))


def author(catalog: Catalog, number: int) -> str:
    """Return who wrote a memory, by its ``by`` field, or an empty string."""
    row = catalog.row("SELECT fields FROM text WHERE id = ?", (number,))
    return written_by(parse_json(row[0]).get("by")) if row else ""


def written_by(by: object) -> str:
    """Return who a memory's ``by`` field names, or an empty string."""
    if isinstance(by, dict):
        return " / ".join(str(v) for v in (by.get("who"), by.get("agent")) if v)
    return str(by or "")


def culprits(standing: Standing) -> list[tuple[str, str]]:
    """Return what is known to have broken facts: the commit, and where it is one of several, the last one before."""
    return [(line.culprit, line.culprit_after) for line in standing.lines if line.culprit]


def status_page(standing: Standing, culprits: Mapping[tuple[str, str], str]) -> str:
    """Return ``STATUS.md``: no ages and no commit of the branch, so that it changes only when something does.

    Args:
        standing: How the store stands.
        culprits: A phrase for each of its ``culprits`` (``verify.blame.culprit.describe_culprits``).
    """
    facts = sum(standing.statuses.values())
    total = sum(standing.kinds.values())
    parts = ["# What this repository's memory says, and what still holds", ""]
    parts += ["| status | memories |", "|---|---|"]
    parts += [f"| {status} | {standing.statuses[status]} |" for status in STATUSES if standing.statuses[status]]
    parts += ["" if facts else "| no facts yet | 0 |\n", f"{total} memories: {_kinds(standing.kinds)}.", ""]
    for status, heading in ((FAILED, "Failed"), (SUSPECT, "Suspect")):
        lines = [line for line in standing.lines if line.status == status]
        if lines:
            parts += [f"## {heading}", "", *(_bullet(line, culprits) for line in lines[:NAMED])]
            parts += [f"- … and {len(lines) - NAMED} more: `gitmem list --status {status}`"] * (len(lines) > NAMED)
            parts.append("")
    if standing.flapping:
        parts += ["## Flapping", "", "Their checks give different answers on the same code.", ""]
        parts += [_bullet(line, culprits) for line in standing.flapping[:NAMED]]
        parts += [f"- … and {len(standing.flapping) - NAMED} more"] * (len(standing.flapping) > NAMED)
        parts.append("")
    parts += ["Written by `gitmem verify`; the verdict of each fact is in `verdicts/`.", ""]
    return "\n".join(parts)


def _kinds(kinds: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {markdown(kind)}" for kind, number in kinds.items()) or "none"


def _bullet(line: StandingLine, culprits: Mapping[tuple[str, str], str]) -> str:
    parts = [f"- **{markdown(line.key)}**: {markdown(line.title)}"]
    if line.because:
        parts.append(f"— {markdown(line.because)}")
    # Right before the commit that broke it, which is named; where that is not known, where it was seen to hold last.
    held = line.culprit_after or ("" if line.culprit else line.held_commit)
    where = [f"last held at `{held[:12]}`"] if held else []
    broken = culprits.get((line.culprit, line.culprit_after), "") if line.culprit else ""
    where += [markdown(broken)] if broken else []
    where += [f"written by {markdown(line.by)}"] if line.by else []
    return " ".join(parts) + (f" ({', '.join(where)})" if where else "")


def markdown(text: str) -> str:
    """Return text of a memory for a Markdown page: one line, hidden characters shown, markup dead."""
    shown = display(" ".join(text.split()))
    for char in "\\`*_[]<>#|!":
        shown = shown.replace(char, "\\" + char)
    return shown


def cell(text: str) -> str:
    """Return text of others for a table: one line, no markup, no HTML, no mention of a person and no link."""
    shown = markdown(text).replace("&", "&amp;")
    # A zero-width space, spelt: GitHub takes ``@name`` and bare addresses for what they look like, escaped or not.
    for sign in ("@", "://", "www."):
        shown = shown.replace(sign, f"{sign[0]}&#8203;{sign[1:]}")
    # Of its own Markdown: text that is struck out, and formulas.
    return shown.replace("~", "\\~").replace("$", "\\$")
