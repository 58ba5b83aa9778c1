"""The state of the facts: counts, failures with causes, suspect memories with reasons, and ``STATUS.md``."""

from __future__ import annotations

from types import MappingProxyType

from gitmem.document.author import read_author
from gitmem.frozen import frozen, replace
from gitmem.index.catalog import fact_state, state
from gitmem.model import ADOPTED, FAILED, STALE, STATUSES, SUSPECT, UNPROVEN, VERIFIED
from gitmem.policy.kinds import describe_kinds
from gitmem.statuses import describe_chain, describe_claims
from gitmem.text import display, parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitmem.index.catalog import Catalog
    from gitmem.store.local import LocalState

# Keeps the page readable on a forge: everything is counted, but only this many of each are named.
FACTS_NAMED = 200
# The mark of a line about something that is not a status; the fact keeps its own status.
FLAPPING = "flapping"


@frozen
class StockLine:
    """One memory that needs a person.

    Attributes:
        key: The memory's key.
        title: Its title, as written.
        status: ``failed``, ``suspect``, ``blocked`` or, if it was tried here and did not pass, ``unproven``;
            ``flapping`` if its check gives varying results.
        because: The reason, on one line.
        by: The author, or empty.
        held_commit: The code commit where a failed fact last held, where known.
        culprit: The commit that broke it, where known.
        culprit_after: If only a range of commits is known: the last commit before it.
        chain: For a suspect, the memories between it and the failed fact.
        path: Its path in its store.
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


@frozen
class Stock:
    """The state of the store at one code commit.

    Attributes:
        kinds: Number of live memories of each kind.
        statuses: Number of memories with each status, without adopted claims.
        lines: Failed, then suspect memories, then those that do not pass here, each by key; adopted claims included.
        flapping: Facts whose checks give varying results, by key, whatever their status.
        moved: Facts that are judged at the new paths of files that git renamed, by key.
        claims: Number of adopted claims with each status: each proves a name or a value, not its sentence.
    """

    kinds: Mapping[str, int]
    statuses: Mapping[str, int]
    lines: tuple[StockLine, ...]
    flapping: tuple[StockLine, ...] = ()
    moved: tuple[str, ...] = ()
    claims: Mapping[str, int] = MappingProxyType({})


def take_stock(
    catalog: Catalog, ground: int | None, local: LocalState, *, now: int, with_blocked: bool = True
) -> Stock:
    """Return the state of the store on one ground, by the verdicts of the branch and of this clone.

    Blocked facts depend on this machine, and what is known of other repositories on the reader, so a page that all
    clones share is made without them.
    """
    catalog.wrong_elsewhere = local.wrong_elsewhere()
    chains = state.suspects(catalog, ground, with_elsewhere=with_blocked)
    # A shared page must not change as time passes either, so expired memories are left out only here.
    live = f"{state.LIVE} AND (m.expires IS NULL OR m.expires > {now})" if with_blocked else state.LIVE
    kinds = dict(catalog.rows(f"SELECT kind, count(*) FROM memory m WHERE {live} GROUP BY kind ORDER BY kind"))
    counts = _counts(catalog, ground, now=now, with_blocked=with_blocked)
    claims = dict.fromkeys(STATUSES, 0)
    if kinds.get(ADOPTED):
        of = f"{state.CLAIM} AND m.kind = '{ADOPTED}'"
        claims = _counts(catalog, ground, now=now, with_blocked=with_blocked, of=of)
        counts = {status: number - claims[status] for status, number in counts.items()}
    counts[STALE] += len(state.referring_to_changed_lines(catalog, ground))
    lines = [*_list_failed(catalog, ground, local), *_suspects(catalog, ground, chains, (counts, claims), now)]
    lines += _list_blocked(catalog, ground, local, chains) if with_blocked else []
    moved, flapping = tuple(state.list_moved(catalog, ground)), tuple(_list_flapping(catalog, ground, local))
    return Stock(kinds, counts, tuple(lines), flapping, moved, claims)


def _counts(
    catalog: Catalog, ground: int | None, *, now: int, with_blocked: bool, of: str = state.CLAIM
) -> dict[str, int]:
    """Return how many facts have each status, ignoring suspicion.

    Most facts are verified: the others are counted and subtracted from the total (2 ms for 10,000 instead of 8).
    """
    states = (
        "FROM state s CROSS JOIN memory m ON m.id = s.fact CROSS JOIN fact f ON f.id = m.id"
        f" WHERE s.ground = ? AND {state.LIVE} AND {of}"
    )
    counts = dict.fromkeys(STATUSES, 0)
    counts |= catalog.rows(
        f"SELECT CASE WHEN s.outcome = 'fails' THEN 'failed' WHEN s.blocked = {state.NOT_RUN} AND ? THEN 'blocked'"
        " WHEN s.outcome <> 'holds' OR (s.blocked AND ?) THEN 'unproven' ELSE 'stale' END, count(*)"
        f" {states} AND (s.outcome <> 'holds' OR s.fresh = 0 OR {state.EXPIRES} < ? OR (s.blocked AND ?)) GROUP BY 1",
        (with_blocked, with_blocked, ground or 0, now, with_blocked),
    )
    total = catalog.row(
        "SELECT count(*) FROM memory m INDEXED BY memory_live CROSS JOIN fact f ON f.id = m.id"
        f" WHERE {state.LIVE} AND {of}"
    )[0]
    is_complete = catalog.row("SELECT 1 FROM ground WHERE id = ? AND complete = 1", (ground or 0,))
    known = total if is_complete else catalog.row(f"SELECT count(*) {states}", (ground or 0,))[0]
    counts[VERIFIED] = known - sum(counts.values())
    counts[UNPROVEN] += total - known
    return counts


def _list_blocked(
    catalog: Catalog, ground: int | None, local: LocalState, chains: Mapping[str, tuple[str, ...]]
) -> list[StockLine]:
    """Return the blocked facts that are not suspect as well: each memory is on one line, and counted once."""
    rows = state.list_blocked(catalog, ground)
    noted = local.blocked() if rows else {}
    return [
        StockLine(key, title, noted[key].status, noted[key].reason, author(catalog, number), path=path)
        for key, title, number, path in rows
        if key in noted and key not in chains
    ]


def _list_flapping(catalog: Catalog, ground: int | None, local: LocalState) -> list[StockLine]:
    rows = state.list_flapping(catalog, ground)
    keys = [row[0] for row in rows]
    branch, mine = (fact_state.branch_verdicts(catalog, keys), local.verdicts(keys)) if keys else ({}, {})
    lines = []
    for key, title, number, spec, claim in rows:
        latest = fact_state.latest_of(
            fact_state.merge_verdicts(branch.get(key, ()), mine.get(key, ()), spec=spec, claim=claim)
        )
        lines.append(StockLine(key, title, FLAPPING, latest.attempt if latest else "", author(catalog, number)))
    return lines


def _list_failed(catalog: Catalog, ground: int | None, local: LocalState) -> list[StockLine]:
    rows = catalog.rows(
        "SELECT m.key, m.title, m.id, m.path FROM state s INDEXED BY state_failed CROSS JOIN memory m ON m.id = s.fact"
        f" WHERE s.ground = ? AND s.outcome = 'fails' AND {state.LIVE} AND {state.CLAIM} ORDER BY m.key",
        (ground or 0,),
    )
    verdicts = fact_state.verdicts_of(catalog, ground, [row[0] for row in rows], local)
    lines = []
    for key, title, number, path in rows:
        line = StockLine(key, title, FAILED, "", author(catalog, number), path=path)
        if (v := verdicts.get(key)) is not None:
            line = replace(line, because=v.because, held_commit=v.held_commit)
            line = replace(line, culprit=v.culprit, culprit_after=v.culprit_after)
        lines.append(line)
    return lines


def _suspects(
    catalog: Catalog,
    ground: int | None,
    chains: Mapping[str, tuple[str, ...]],
    counts: tuple[dict[str, int], dict[str, int]],
    now: int,
) -> list[StockLine]:
    """Return the suspects, and count them as such in the counts of facts and claims."""
    rows = catalog.each(
        f"SELECT m.id, m.key, m.title, m.path, m.kind = '{ADOPTED}' FROM memory m WHERE {state.LIVE}"
        " AND m.key IN ({})",
        sorted(chains),
    )
    suspects = {number: tuple(rest) for number, *rest in rows}
    statuses = state.statuses_of(catalog, ground, suspects, now=now, chains=chains)
    lines = []
    for number, (key, title, path, is_adopted) in sorted(suspects.items(), key=lambda item: item[1]):
        if statuses[number].own and statuses[number].is_claim:
            counts[is_adopted][statuses[number].own] -= 1
        counts[is_adopted][SUSPECT] += 1
        line = StockLine(key, title, SUSPECT, describe_chain(chains[key]), author(catalog, number), path=path)
        lines.append(replace(line, chain=chains[key]))
    return lines


def describe_statuses(standing: Stock) -> str:
    """Describe how many facts, and suspects of any kind, and claims have each status, as ``status``; may be empty."""
    counts = ", ".join(f"{n} {status}" for status, n in standing.statuses.items() if n)
    return "; ".join(filter(None, (counts, describe_claims(standing.claims))))


def author(catalog: Catalog, number: int) -> str:
    """Return the author of a memory by its ``by`` field, or an empty string."""
    row = catalog.row("SELECT fields FROM text WHERE id = ?", (number,))
    return read_author(parse_json(row[0])).label if row else ""


def culprits(standing: Stock) -> list[tuple[str, str]]:
    """Return the known culprits: the commit, and the last commit before it if only a range is known."""
    return [(line.culprit, line.culprit_after) for line in standing.lines if line.culprit]


def status_page(standing: Stock, culprits: Mapping[tuple[str, str], str]) -> str:
    """Return ``STATUS.md``, without ages and branch commits, so that it changes only when a status does.

    Args:
        standing: The state of the store.
        culprits: A phrase for each of its ``culprits`` (``verify.blame.culprit.describe_culprits``).
    """
    facts = sum(standing.statuses.values())
    total = sum(standing.kinds.values())
    kinds = markdown(describe_kinds(standing.kinds)) or "none"
    parts = ["# What this repository's memory says, and what still holds", ""]
    parts += ["| status | memories |", "|---|---|"]
    parts += [f"| {status} | {standing.statuses[status]} |" for status in STATUSES if standing.statuses[status]]
    parts += ["" if facts else "| no facts yet | 0 |\n"]
    parts += [f"{claims}.", ""] if (claims := describe_claims(standing.claims)) else []
    parts += [f"{total} memories: {kinds}.", ""]
    for status, heading in ((FAILED, "Failed"), (SUSPECT, "Suspect")):
        lines = [line for line in standing.lines if line.status == status]
        if lines:
            parts += [f"## {heading}", "", *(_bullet(line, culprits) for line in lines[:FACTS_NAMED])]
            parts += [f"- … and {len(lines) - FACTS_NAMED} more: `gitmem list --status {status}`"] * (
                len(lines) > FACTS_NAMED
            )
            parts.append("")
    if standing.flapping:
        parts += ["## Flapping", "", "Their checks give different answers on the same code.", ""]
        parts += [_bullet(line, culprits) for line in standing.flapping[:FACTS_NAMED]]
        parts += [f"- … and {len(standing.flapping) - FACTS_NAMED} more"] * (len(standing.flapping) > FACTS_NAMED)
        parts.append("")
    parts += ["Written by `gitmem verify`; the verdict of each fact is in `verdicts/`.", ""]
    return "\n".join(parts)


def _bullet(line: StockLine, culprits: Mapping[tuple[str, str], str]) -> str:
    parts = [f"- **{markdown(line.key)}**: {markdown(line.title)}"]
    if line.because:
        parts.append(f"— {markdown(line.because)}")
    # The last commit before the culprit; where that is unknown, the commit where the fact was last seen to hold.
    held = line.culprit_after or ("" if line.culprit else line.held_commit)
    where = [f"last held at `{held[:12]}`"] if held else []
    broken = culprits.get((line.culprit, line.culprit_after), "") if line.culprit else ""
    where += [markdown(broken)] if broken else []
    where += [f"written by {markdown(line.by)}"] if line.by else []
    return " ".join(parts) + (f" ({', '.join(where)})" if where else "")


def markdown(text: str) -> str:
    """Escape a memory's text for a Markdown page: one line, hidden characters shown, no markup."""
    shown = display(" ".join(text.split()))
    for char in "\\`*_[]<>#|!":
        shown = shown.replace(char, "\\" + char)
    return shown


def cell(text: str) -> str:
    """Escape untrusted text for a table cell: one line, no markup, HTML, mention or link."""
    shown = markdown(text).replace("&", "&amp;")
    # A zero-width space: GitHub links ``@name`` and bare addresses even when they are escaped.
    for sign in ("@", "://", "www."):
        shown = shown.replace(sign, f"{sign[0]}&#8203;{sign[1:]}")
    # GitHub's additions to Markdown: strikethrough and formulas.
    return shown.replace("~", "\\~").replace("$", "\\$")
