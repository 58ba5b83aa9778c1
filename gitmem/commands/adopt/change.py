"""Find the statements that a change made false: those that were true before it, and those that it wrote."""

from __future__ import annotations

from functools import cached_property

from gitmem.commands.adopt.claims.claim import PATH, SYMBOL
from gitmem.commands.adopt.corpus import Corpus, search
from gitmem.commands.adopt.findings import FALSE, HOLDS, NEVER
from gitmem.commands.adopt.judge.occurrence import is_defined_in
from gitmem.commands.adopt.kinds import claims_of
from gitmem.commands.adopt.statements import split
from gitmem.errors import GitmemError
from gitmem.frozen import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from gitmem.commands.adopt.claims.claim import Claim
    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.findings import JudgedClaim, Mention
    from gitmem.commands.adopt.repository_history import Past
    from gitmem.git import Git


def find_base(git: Git, rev: str, head: str) -> str:
    """Return the merge base of the head and a revision: later changes on the other side are not part of the change.

    Raises:
        GitmemError: They have no common history in this clone.
    """
    common = git.merge_bases(git.resolve(rev), head)
    if not common:
        message = f"HEAD and {rev} have no common history in this clone"
        raise GitmemError(message, hint="git fetch --unshallow")
    return common[0]


class Change:
    """The change between a commit and the head."""

    def __init__(self, base: str, head: Code, past: Past) -> None:
        """Open the change from a base commit to the head, given the head's past."""
        self.before = head.at(base)
        self._head, self._past = head, past
        # The claims that each document made before.
        self._claims: dict[str, set[tuple[str, str, str]]] = {}

    @cached_property
    def paths(self) -> frozenset[str]:
        """Return the files that it adds, changes or removes."""
        git = self.before.git
        return frozenset(change.path for change in git.diff_trees(self.before.commit, self._head.commit))

    def corpus(self, head: Corpus, symbols: Iterable[str], values: Mapping[str, Iterable[str]]) -> Corpus:
        """Return which of the names the code had before, from those that the head has: only touched files are read."""
        corpus = search(self.before, symbols, values, among=self.paths)
        for name, paths in head.files_by_name.items():
            corpus.files_by_name[name] = [
                *(path for path in paths if path not in self.paths),
                *corpus.files_by_name.get(name, ()),
            ]
        return corpus

    def list_made_false(
        self, findings: Iterable[JudgedClaim], judge: Callable[[Mention], JudgedClaim | None]
    ) -> list[JudgedClaim]:
        """Return the findings whose statements held before the change, or were written by it, and are false after it.

        *judge* judges a claim on the code before the change.
        """
        judged_claims = []
        for finding in findings:
            if finding.verdict not in (FALSE, NEVER):
                continue
            held = self._newly_false(finding, judge(finding.mention))
            if held is not None:
                judged_claims.append(held)
            elif (finding.verdict == FALSE or finding.is_contradicted) and self._is_new(finding):
                judged_claims.append(replace(finding, verdict=FALSE))
        return judged_claims

    def _newly_false(self, finding: JudgedClaim, was: JudgedClaim | None) -> JudgedClaim | None:
        """Return a finding that is false because of the change; None if its claim did not hold before."""
        if was is None or was.verdict != HOLDS:
            return None
        place = was.source.path if was.source else ""
        if finding.claim.kind == PATH:
            then = place or finding.then
            return replace(finding, verdict=FALSE, held=True, then=then, source=was.source, check=was.check)
        if finding.verdict == FALSE or finding.is_contradicted:
            return replace(finding, verdict=FALSE)
        # A word that was only mentioned did not exist in the sense of the document.
        if finding.claim.kind == SYMBOL and not is_defined_in(self.before.text(place), finding.claim.name):
            return None
        return replace(finding, verdict=FALSE, held=True, source=was.source, check=was.check)

    def _is_new(self, finding: JudgedClaim) -> bool:
        """Return whether the change wrote a claim: whether the document did not make it before."""
        document = finding.document
        if document.path not in self.paths:
            return False
        if document.path not in self._claims:
            statements = split(self._text_before(document.path))
            self._claims[document.path] = {_key(claim) for each in statements for claim in claims_of(each, document)}
        return _key(finding.claim) not in self._claims[document.path]

    def _text_before(self, path: str) -> str:
        """Return a document's text before the change, following renames."""
        old = path if path in self.before.files else self._past.name_before(path, self.before.commit)
        return self.before.text(old) if old else ""


def _key(claim: Claim) -> tuple[str, str, str]:
    return claim.kind, claim.name, claim.stated
