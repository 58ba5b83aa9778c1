"""The kinds of claims: the name of each, what finds its claims, and what judges them.

A further kind is a module beside this one, with a function that finds its claims and one that finds their source in the
code, and a row here.
"""

from __future__ import annotations

from gitmem.commands.adopt.claims.claim import COMMAND, DEPENDENCY, PATH, SYMBOL, VALUE, VERSION
from gitmem.commands.adopt.claims.commands import command_claims
from gitmem.commands.adopt.claims.dependencies import dependency_claims
from gitmem.commands.adopt.claims.numbers import number_claims
from gitmem.commands.adopt.claims.paths import path_claims
from gitmem.commands.adopt.claims.symbols import symbol_claims
from gitmem.commands.adopt.judge.occurrence import find_symbol_culprit, judge_symbol
from gitmem.commands.adopt.judge.presence import judge_path
from gitmem.commands.adopt.judge.targets import judge_command
from gitmem.commands.adopt.kinds.kind import Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitmem.commands.adopt.claims.claim import Claim
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.findings import JudgedClaim, Mention
    from gitmem.commands.adopt.kinds.kind import Basis
    from gitmem.commands.adopt.past import Past
    from gitmem.commands.adopt.statements import Statement


def _judge_tied_symbol(mention: Mention, basis: Basis) -> JudgedClaim | None:
    tie = basis.ties.get((mention.document.path, mention.claim), "")
    return judge_symbol(mention, basis.corpus, basis.head, basis.past, tie=tie)


def _broke(finding: JudgedClaim, past: Past) -> str:
    return past.broke(finding.probe) if finding.probe is not None else ""


# In the order in which the claims of a statement are listed.
KINDS = {
    kind.name: kind
    for kind in (
        Kind(PATH, path_claims, lambda mention, on: judge_path(mention, on.head, on.past), _broke),
        Kind(
            COMMAND,
            lambda statement, _: command_claims(statement),
            lambda mention, on: judge_command(mention, on.head, on.past),
            _broke,
            "`{token}` is not defined",
        ),
        Kind(
            VERSION,
            lambda statement, _: number_claims(statement),
            lambda mention, on: on.numbers.judge_version(mention),
            _broke,
        ),
        Kind(
            VALUE,
            lambda *_: (),  # found with the versions
            lambda mention, on: on.numbers.judge_value(mention),
            _broke,
        ),
        Kind(SYMBOL, lambda statement, _: symbol_claims(statement), _judge_tied_symbol, find_symbol_culprit),
        Kind(
            DEPENDENCY,
            lambda statement, _: dependency_claims(statement),
            lambda mention, on: on.numbers.judge_package(mention),
            _broke,
            is_detail=True,
        ),
    )
}


def claims_of(statement: Statement, document: Document) -> Iterator[Claim]:
    """Yield the claims of a statement, of all kinds."""
    for kind in KINDS.values():
        yield from kind.claims(statement, document)
