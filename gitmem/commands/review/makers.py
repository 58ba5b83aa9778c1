"""Say who made what a change brings: who wrote a fact, who proved it, who signed the verdict, and on what machine."""

from __future__ import annotations

from gitmem.commands.review import model as f
from gitmem.commands.review import sanitize
from gitmem.frozen import frozen
from gitmem.index.catalog import fact_state
from gitmem.model import BUILTIN
from gitmem.policy.settings import MEMORIES, VERDICTS
from gitmem.store.layout import MEMORY as MEMORY_FILE
from gitmem.store.layout import POLICY, VERDICT
from gitmem.store.origins import MEMORY
from gitmem.store.scopes import POLICY_PATH
from gitmem.store.verdicts.environment import describe_environment
from gitmem.verify.signed import who_made

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gitmem.commands.review.changed_files import File, FileChanges
    from gitmem.git import Git
    from gitmem.index.catalog import Catalog
    from gitmem.model import Verdict
    from gitmem.policy import Policy
    from gitmem.verify.signed import Maker

# The most verdicts whose makers are looked up: a run that records more is one commit of one machine.
MOST_PROOFS = 500


@frozen
class Makers:
    """Who made what a change brings.

    Attributes:
        proofs: The verdicts with their makers, by key.
        unsigned: The memories and the policy that no allowed signer signed, by path.
        there: The changed files that the change does not remove.
    """

    proofs: tuple[f.NewVerdict, ...]
    unsigned: Mapping[str, Maker]
    there: tuple[File, ...]


def find_makers(git: Git, catalog: Catalog, files: FileChanges, head: str, *, reviewed: str) -> Makers:
    """Return who made the verdicts, memories and policy that a change brings.

    Args:
        git: The repository.
        catalog: The catalog of the state after the change.
        files: The change.
        head: The commit after the change.
        reviewed: The code's default branch, a full ref; or empty.
    """
    there = tuple(file for file in files.files if file.place is not None and file.is_there)
    keys = sorted({file.place.key for file in there if file.place and file.place.what == VERDICT})[:MOST_PROOFS]
    paths = dict(catalog.each("SELECT key, path FROM memory WHERE shadowed = 0 AND key IN ({})", keys))
    rows = catalog.each("SELECT key, path, spec FROM verdict WHERE key IN ({}) ORDER BY at", keys)
    places = {key: (path, (key, spec[:16])) for key, path, spec in rows}  # the latest of several
    changed = [file.path for file in there if file.place and file.place.what in (MEMORY_FILE, POLICY)][:MOST_PROOFS]
    texts = {(path, MEMORY) for path in (*paths.values(), *changed)}
    makers = who_made(git, head, [*places.values(), *texts], reviewed)
    latest = {
        verdict.key: verdict
        for verdicts in fact_state.branch_verdicts(catalog, keys).values()
        for verdict in sorted(verdicts, key=lambda verdict: verdict.at)
    }
    proofs = tuple(
        _proof(latest[key], makers.get((paths.get(key, ""), MEMORY)), makers.get(place))
        for key, place in sorted(places.items())
    )
    unsigned = {path: makers[path, MEMORY] for path in changed if (path, MEMORY) in makers}
    return Makers(proofs, {path: maker for path, maker in unsigned.items() if not maker.signer}, there)


def _proof(verdict: Verdict, author: Maker | None, prover: Maker | None) -> f.NewVerdict:
    machine = describe_environment(verdict.environment) if verdict.environment else ""
    by = (prover.signer if prover else "") or verdict.by or (prover.committer if prover else "")
    return f.NewVerdict(
        verdict.key,
        verdict.outcome,
        author=sanitize.line(author.author if author else ""),
        prover=sanitize.line(by),
        signer=sanitize.line(prover.signer if prover else ""),
        unsigned=sanitize.line(prover.why if prover else "its commit cannot be found"),
        machine=sanitize.line(", ".join(filter(None, (verdict.sandbox.replace(BUILTIN, ""), machine)))),
    )


def find_unsigned(makers: Makers, before_policy: Policy, after_policy: Policy) -> Iterator[f.ReviewFinding]:
    """Yield what does not count because no allowed signer signed it, and an unsigned policy that asks for less."""
    before, after = (set(policy.signatures.required) for policy in (before_policy, after_policy))
    unsigned = makers.unsigned
    for proof in makers.proofs if VERDICTS in before | after else ():
        if not proof.signer:
            message = f"its verdict does not count, because no allowed signer signed it: {proof.unsigned}"
            yield f.ReviewFinding(f.WARNING, "verdict-unsigned", message, proof.key, "verdicts")
    for file in makers.there if MEMORIES in before | after else ():
        if file.path in unsigned and file.place is not None and file.place.what == MEMORY_FILE:
            message = f"no allowed signer signed it: {sanitize.line(unsigned[file.path].why)}"
            yield f.ReviewFinding(f.WARNING, "memory-unsigned", message, file.place.key, file.path)
    if before - after and POLICY_PATH in unsigned:
        message = f"the policy no longer asks for signatures of {', '.join(sorted(before - after))}, and "
        message += f"no allowed signer signed it: {sanitize.line(unsigned[POLICY_PATH].why)}"
        hint = "ask for them whatever the policy says: git config gitmem.signatures " + ",".join(sorted(before))
        yield f.ReviewFinding(f.ERROR, "signatures-dropped", message, "", POLICY_PATH, hint=hint)
