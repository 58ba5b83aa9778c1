"""Find claims: the parts of a sentence that can be checked against the code."""

from __future__ import annotations

from gitmem.commands.adopt.claims.commands import command_claims
from gitmem.commands.adopt.claims.dependencies import dependency_claims
from gitmem.commands.adopt.claims.numbers import number_claims
from gitmem.commands.adopt.claims.paths import path_claims
from gitmem.commands.adopt.claims.symbols import symbol_claims

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitmem.commands.adopt.claims.claim import Claim
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.statements import Statement


def claims_of(statement: Statement, document: Document) -> Iterator[Claim]:
    """Yield the claims of a statement, of all kinds."""
    yield from path_claims(statement, document)
    yield from command_claims(statement)
    yield from number_claims(statement)
    yield from symbol_claims(statement)
    yield from dependency_claims(statement)
