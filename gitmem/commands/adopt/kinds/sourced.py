"""Kinds of claims whose source in the code one function finds, and the judge of all of them."""

from __future__ import annotations

from gitmem.commands.adopt.claims.claim import is_example
from gitmem.commands.adopt.documents import moved_to
from gitmem.commands.adopt.findings import FALSE, HOLDS, NEVER, JudgedClaim, Probe
from gitmem.commands.adopt.kinds.kind import Kind
from gitmem.frozen import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from gitmem.commands.adopt.claims.claim import Claim
    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.findings import Mention, Source
    from gitmem.commands.adopt.kinds.kind import Basis
    from gitmem.commands.adopt.repository_history import Past
    from gitmem.commands.adopt.statements import Statement

    Find = Callable[[Code, Claim, Document], Source | None]

# The files that a claim is followed through, from the one that confirmed it when its line was written.
MOST_HOMES = 3


def sourced(
    name: str,
    claims: Callable[[Statement, Document], Iterable[Claim]],
    find: Find,
    problem: str,
    *,
    partly: Find | None = None,
    doubt: Find | None = None,
    contradict: Find | None = None,
    check: Callable[[Claim, Source], Mapping[str, Any] | None] = lambda *_: None,
    words: Callable[[Claim], Iterable[str]] = lambda _: (),
    applies: Callable[[Code, Claim], bool] = lambda *_: True,
) -> Kind:
    """Return a kind of claims that hold where a source for them is found.

    Args:
        name: The kind.
        claims: Finds its claims in a statement. Pure.
        find: Returns where the code confirms a claim: the file and, if there is one, the line and the text there. Of
            several places it returns the first one, in an order that does not depend on the texts of files.
        problem: What is wrong if one is false, with ``{token}`` and ``{name}``: "`{token}` is not a route".
        partly: Returns where the code may confirm a claim that cannot be checked exactly. Such a claim is not judged,
            but false if its source is gone.
        doubt: Returns where the code may still confirm a claim whose source is gone, which then is not judged.
        contradict: Returns where the code contradicts a claim without a source; if it finds nothing, the claim is not
            judged. By default, that there is no source is the contradiction, and the reason names the former source.
        check: Returns the built-in check that proves a claim, given its source; None if there is none.
        words: Returns the words that *find* passes to ``Code.files_naming``: those of all claims are searched at once.
        applies: Returns whether a claim is about the code at all; others are left out before anything is searched.

    A claim that is not certain counts only if it holds, or held when its line was written.
    """
    rule = _Rule(find, partly, doubt, contradict, check)
    return Kind(name, claims, rule.judge, rule.find_culprit, problem, is_detail=True, words=words, applies=applies)


class _Rule:
    """Judges the claims of one kind."""

    def __init__(
        self,
        find: Find,
        partly: Find | None,
        doubt: Find | None,
        contradict: Find | None,
        check: Callable[[Claim, Source], Mapping[str, Any] | None],
    ) -> None:
        self._find, self._partly, self._doubt, self._contradict, self._check = find, partly, doubt, contradict, check

    def judge(self, mention: Mention, basis: Basis) -> JudgedClaim | None:
        claim, document, head = mention.claim, mention.document, basis.head
        if (source := self._find(head, claim, document)) is not None:
            return JudgedClaim(mention, HOLDS, source, check=self._check(claim, source))
        if mention.is_past or (self._partly and self._partly(head, claim, document)):
            return None
        against = self._contradict(head, claim, document) if self._contradict else None
        if self._contradict and against is None:
            return None
        wrote, named = basis.past.writer(mention)
        then, before = basis.past.code(wrote), moved_to(document, named)
        was = self._find_or_partly(then, claim, before) if then is not None else None
        if (was or claim.is_certain) and self._doubt and self._doubt(head, claim, document):
            return None
        if then is None or was is None:
            is_claim = claim.is_certain and not is_example(mention.statement.text)
            held = None if then is None else False
            never = JudgedClaim(mention, NEVER, against, held=held, wrote=wrote, is_contradicted=against is not None)
            return never if is_claim else None
        probe = (
            self._probe_against(against, claim, document, head)
            if against
            else self._probe_for(was, claim, before, then)
        )
        check = self._check(claim, was)
        false = JudgedClaim(mention, FALSE, against or was, held=True, wrote=wrote, probe=probe, check=check)
        return replace(false, is_contradicted=True) if against else false

    def _find_or_partly(self, code: Code, claim: Claim, document: Document) -> Source | None:
        source = self._find(code, claim, document)
        return self._partly(code, claim, document) if source is None and self._partly else source

    def _probe_for(self, source: Source, claim: Claim, document: Document, code: Code) -> Probe:
        """Return how to decide whether a file confirms a claim, as it did in some code; other files count as there."""

        def holds(text: str) -> bool:
            proof = self._find_or_partly(code.with_text(source.path, text), claim, document)
            return proof is not None and proof.path == source.path

        return Probe(source.path, holds)

    def _probe_against(self, source: Source, claim: Claim, document: Document, code: Code) -> Probe:
        """Return how to decide whether a file does not contradict a claim, as it does in some code."""
        contradict = self._contradict
        assert contradict is not None, "something contradicts the claim"

        def holds(text: str) -> bool:
            found = contradict(code.with_text(source.path, text), claim, document)
            return found is None or found.path != source.path

        return Probe(source.path, holds)

    def find_culprit(self, finding: JudgedClaim, past: Past) -> str:
        """Return the commit that took a claim's source out of its file, or of the last one that it moved to."""
        assert finding.probe is not None, "a claim without a probe has no culprit"
        culprit = past.broke(finding.probe)
        if self._contradict:
            return culprit
        later = culprit
        for _ in range(MOST_HOMES):
            code = past.code(later)
            home = self._find_or_partly(code, finding.claim, finding.document) if code is not None else None
            if code is None or home is None:
                break
            later = past.broke(self._probe_for(home, finding.claim, finding.document, code))
            culprit = later or culprit
        return culprit
