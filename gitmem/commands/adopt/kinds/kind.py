"""A row of the table of kinds, and what its judge may look at."""

from __future__ import annotations

from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from gitmem.commands.adopt.claims.claim import Claim
    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.corpus import Corpus
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.findings import JudgedClaim, Mention
    from gitmem.commands.adopt.judge.figures import Numbers
    from gitmem.commands.adopt.repository_history import Past
    from gitmem.commands.adopt.statements import Statement


@frozen
class Basis:
    """What claims are judged on.

    Attributes:
        head: The code.
        past: Its past.
        corpus: Which of the named words the code has.
        ties: For claims of names, by document, the file that the sentence says the name is in.
        numbers: The judge of versions, values and packages.
    """

    head: Code
    past: Past
    corpus: Corpus
    ties: Mapping[tuple[str, Claim], str]
    numbers: Numbers


@frozen
class Kind:
    """One kind of claim.

    Attributes:
        name: The value of ``Claim.kind``.
        claims: Finds its claims in a statement. Pure.
        judge: Judges one of them; None if it turns out not to be a claim.
        culprit: Finds the commit that made one false, given a finding with a probe; empty if none is found.
        problem: What is wrong if one is false, with ``{token}`` and ``{name}``; empty where it depends on the finding.
        is_detail: Whether it says more about a name than that it occurs, so that the claim of the same text that the
            name occurs is left out.
        words: Returns the words of which the source of a claim has one, for ``Code.files_naming``.
        applies: Returns whether a claim is about the code at all; others are left out before anything is searched.
    """

    name: str
    claims: Callable[[Statement, Document], Iterable[Claim]]
    judge: Callable[[Mention, Basis], JudgedClaim | None]
    culprit: Callable[[JudgedClaim, Past], str]
    problem: str = ""
    is_detail: bool = False
    words: Callable[[Claim], Iterable[str]] = lambda _: ()
    applies: Callable[[Code, Claim], bool] = lambda *_: True
