"""Decide which verdicts and memories count where the policy asks for signatures or for independent verdicts.

Who introduced a text is found once and kept in the catalog, by its path and its content. Nothing is looked at where
neither the policy nor a fact asks.
"""

from __future__ import annotations

from gitmem.errors import GitmemError, ProcessError
from gitmem.frozen import frozen
from gitmem.git.signatures import Signature, check_signatures, read_identities
from gitmem.index.catalog import fact_state, state, update
from gitmem.policy.settings import MEMORIES, VERDICTS
from gitmem.store.code_folder import is_home
from gitmem.store.origins import MEMORY, find_origins, list_touched_paths
from gitmem.verify.approvals.signers import SignerSources, find_sources, read_signers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gitmem.git import Git
    from gitmem.git.signatures import CommitIdentity
    from gitmem.index.catalog import Catalog
    from gitmem.model import Verdict
    from gitmem.policy import Policy
    from gitmem.store.local import LocalState
    from gitmem.store.origins import Origin, Origins, Place

# The catalog's note of the tip and the signers for which origins are known.
KNOWN = "origins"
SHALLOW = "the commit that introduced it is not in this shallow clone"
SEVERAL = "several people introduced it"


@frozen
class Maker:
    """Who introduced a text.

    Attributes:
        author: The author's address; empty if several did.
        committer: The committer's; likewise.
        signer: The allowed signer who signed it, or empty.
        why: The reason if no one did.
    """

    author: str
    committer: str
    signer: str
    why: str


@frozen
class Demands:
    """What the policy and the facts ask for.

    Attributes:
        verdicts: Whether a claimed verdict counts only if an allowed signer signed it.
        authors: The address of the author of each fact that needs a verdict by someone else, by key; empty if unknown.
        unsigned: The facts whose file no allowed signer signed, if memories must be signed.
    """

    verdicts: bool = False
    authors: Mapping[str, str] | None = None
    unsigned: frozenset[str] = frozenset()

    def refusal(self, verdict: Verdict) -> str:
        """Return why a verdict does not count, on one line; empty if it does."""
        if verdict.key in self.unsigned:
            return "no allowed signer signed this fact"
        if self.verdicts and not verdict.own and not verdict.signer:
            return "no allowed signer signed its verdict"
        author = (self.authors or {}).get(verdict.key)
        if author is None:
            return ""
        prover = verdict.signer or ("" if self.verdicts and not verdict.own else verdict.by)
        if not prover or not author:
            return "it needs a verdict by someone other than its author, and its verdict does not say whose it is"
        if prover.lower() == author.lower():
            return f"it needs a verdict by someone other than its author {author}"
        return ""


def demands_of(catalog: Catalog, policy: Policy) -> Demands:
    """Return what the policy and the facts ask for."""
    required = policy.signatures.required
    asking = "1" if policy.verify.independent else state.INDEPENDENT
    authors = catalog.rows(
        "SELECT m.key, coalesce(nullif(o.signer, ''), o.author, '') FROM packed p JOIN fact f ON f.id = p.id"
        " JOIN memory m ON m.id = p.id LEFT JOIN origin o ON o.path = m.path AND o.name = '' AND o.mark = m.oid"
        f" WHERE {asking} AND m.shadowed = 0"
    )
    unsigned = []
    if MEMORIES in required:
        unsigned = catalog.rows(
            "SELECT m.key, m.path FROM fact f JOIN memory m ON m.id = f.id LEFT JOIN origin o ON o.path = m.path AND"
            " o.name = '' AND o.mark = m.oid WHERE m.shadowed = 0 AND coalesce(o.signer, '') = ''"
        )
    keys = frozenset(key for key, path in unsigned if not is_home(path))
    return Demands(VERDICTS in required, dict(authors), keys)


def is_settled(catalog: Catalog, git: Git, policy: Policy, reviewed: str) -> bool:
    """Return whether the origins of everything that is asked for are known."""
    return catalog.meta(KNOWN) == _note(catalog, policy, find_sources(git, reviewed))


def settle(catalog: Catalog, git: Git, policy: Policy, reviewed: str) -> None:
    """Find who introduced what the policy or a fact asks about, inside a transaction.

    Args:
        catalog: The catalog.
        git: The repository.
        policy: The store's policy.
        reviewed: The code's default branch, a full ref; or empty.
    """
    sources, tip = find_sources(git, reviewed), catalog.meta("commit")
    note = _note(catalog, policy, sources)
    if catalog.meta(KNOWN) == note:
        return
    _forget_touched(catalog, git, tip, note)
    requested = _list_asked(catalog, policy)
    known = {(path, name): mark for path, name, mark in catalog.rows("SELECT path, name, mark FROM origin")}
    missing = {
        place: identity for place, identity in requested.items() if known.get((place[0], _name(place))) != identity[0]
    }
    if missing and tip:
        origins = find_origins(git, tip, missing)
        rows = _rows(origins, missing, _check(git, origins, sources))
        catalog.connection.executemany("INSERT OR REPLACE INTO origin VALUES (?,?,?,?,?,?,?)", rows)
    update.forget_states(catalog, {key for _, key in requested.values()})
    catalog.set_meta(KNOWN, note)


def who_made(git: Git, tip: str, places: Iterable[Place], reviewed: str) -> dict[Place, Maker]:
    """Return who introduced texts of a commit of a store, without the catalog; missing ones are left out.

    Args:
        git: The repository.
        tip: The commit.
        places: The texts.
        reviewed: The code's default branch, a full ref; or empty.
    """
    origins = find_origins(git, tip, places)
    identities = _check(git, origins, find_sources(git, reviewed))
    return {place: _maker(origin, identities) for place, origin in origins.by_place.items()}


def explain(catalog: Catalog, local: LocalState, policy: Policy, key: str) -> str:
    """Return why a memory, or its latest verdict, does not count as signed or independent; empty if it does."""
    demands = demands_of(catalog, policy)
    why = dict(catalog.rows("SELECT o.path || ' ' || o.name, o.why FROM origin o WHERE o.signer = ''"))
    path, spec, claim = catalog.row(
        "SELECT m.path, coalesce(f.spec, ''), coalesce(f.claim, '') FROM memory m LEFT JOIN fact f ON f.id = m.id"
        " WHERE m.key = ? AND m.shadowed = 0",
        (key,),
    )
    if MEMORIES in policy.signatures.required and f"{path} " in why:
        return f"no allowed signer signed this memory: {why[f'{path} ']}"
    branch, mine = fact_state.branch_verdicts(catalog, [key]), local.verdicts([key])
    verdicts = fact_state.merge_verdicts(branch.get(key, ()), mine.get(key, ()), spec=spec, claim=claim)
    latest = fact_state.latest_of(verdicts)
    refusal = demands.refusal(latest) if latest is not None else ""
    if latest is None or not refusal:
        return ""
    because = next((reason for place, reason in why.items() if place.endswith(f" {key} {spec[:16]}")), "")
    because = f" ({because})" if because and not latest.signer and not latest.own else ""
    return f"{latest.outcome} at {latest.commit[:12]}, but {refusal}{because}"


def _note(catalog: Catalog, policy: Policy, sources: SignerSources) -> str:
    demand = f"{','.join(sorted(policy.signatures.required))} {int(policy.verify.independent)}"
    return f"{sources.stamp} {demand} {catalog.meta('commit')}"


def _forget_touched(catalog: Catalog, git: Git, tip: str, note: str) -> None:
    """Delete the origins of texts that were touched since: one that was changed and restored has another origin."""
    old, new = catalog.meta(KNOWN).split(" "), note.split(" ")
    touched = None
    if old[:-1] == new[:-1] and old[-1] and tip:
        try:
            touched = list_touched_paths(git, old[-1], tip)
        except ProcessError:
            touched = None
    if touched is None:
        catalog.connection.execute("DELETE FROM origin")
    else:
        catalog.connection.executemany("DELETE FROM origin WHERE path = ?", [(path,) for path in touched])


def _list_asked(catalog: Catalog, policy: Policy) -> dict[Place, tuple[str, str]]:
    """Return the mark and the key of each text whose origin is asked for."""
    requested: dict[Place, tuple[str, str]] = {}
    if VERDICTS in policy.signatures.required:
        rows = catalog.rows("SELECT path, key, spec, written FROM verdict WHERE written <> ''")
        requested |= {(path, (key, spec[:16])): (mark, key) for path, key, spec, mark in rows}
    if MEMORIES in policy.signatures.required:
        which = "1"
    elif policy.verify.independent:
        which = "EXISTS (SELECT 1 FROM fact f WHERE f.id = m.id)"
    else:
        which = f"m.id IN (SELECT p.id FROM packed p WHERE {state.INDEPENDENT})"
    rows = catalog.rows(f"SELECT m.path, m.oid, m.key FROM memory m WHERE m.archived = 0 AND {which}")
    requested |= {(path, MEMORY): (oid, key) for path, oid, key in rows if not is_home(path)}
    return requested


def _name(place: Place) -> str:
    return " ".join(place[1]).strip()


def _check(git: Git, origins: Origins, sources: SignerSources) -> dict[str, tuple[CommitIdentity, Signature]]:
    """Return who made each commit, and who signed it."""
    identities = read_identities(git, origins.parents)
    whole = [identity for identity in identities.values() if identity.parents == origins.parents[identity.commit]]
    signers = read_signers(git, sources)
    try:
        signed = check_signatures(whole, signers, revoked=sources.revoked, since=origins.since) if signers else {}
    except GitmemError as err:
        signed = {identity.commit: Signature("", err.message) for identity in whole}
    known = {identity.commit for identity in whole}
    checked = {}
    for name, commit_identity in identities.items():
        nobody = Signature("", "there are no allowed signers here" if commit_identity.signature else "it is not signed")
        checked[name] = (commit_identity, signed.get(name, nobody) if name in known else Signature("", SHALLOW))
    return checked


def _rows(
    origins: Origins,
    asked: Mapping[Place, tuple[str, str]],
    made: Mapping[str, tuple[CommitIdentity, Signature]],
) -> Iterable[tuple[str, ...]]:
    """Yield the rows of ``origin``: path, name, mark, commits, author, signer and the reason if there is none."""
    for place, origin in origins.by_place.items():
        mark = _mark(origin, place)
        if mark != asked[place][0]:
            continue  # the catalog is ahead of the branch: this verdict is about to be committed
        maker = _maker(origin, made)
        commits = " ".join(origin.commits)
        yield (place[0], _name(place), mark, commits, maker.author, maker.signer, maker.why)


def _maker(origin: Origin, made: Mapping[str, tuple[CommitIdentity, Signature]]) -> Maker:
    whose = [made[commit] for commit in origin.commits if commit in made]
    signers = {signature.signer for _, signature in whose}
    authors, committers = {identity.author for identity, _ in whose}, {identity.committer for identity, _ in whose}
    signer = signers.pop() if len(whose) == len(origin.commits) and len(signers) == 1 else ""
    why = next((signature.why for _, signature in whose if signature.why), "" if signer else SEVERAL)
    author, committer = (names.pop() if len(names) == 1 else "" for names in (authors, committers))
    return Maker(author, committer, signer, why)


def _mark(origin: Origin, place: Place) -> str:
    return origin.text.decode("ascii") if place[1] == MEMORY else update.digest_text(origin.text)
