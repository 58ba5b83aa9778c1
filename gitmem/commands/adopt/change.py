"""Find the statements that a change made false: those that were true before it, and those that it wrote."""

from __future__ import annotations

import os
from functools import cached_property

from gitmem.commands.adopt.claims.claim import PATH, SYMBOL
from gitmem.commands.adopt.code import Code
from gitmem.commands.adopt.corpus import Corpus, search
from gitmem.commands.adopt.findings import FALSE, HOLDS, NEVER
from gitmem.commands.adopt.judge.occurrence import is_defined_in
from gitmem.errors import GitmemError
from gitmem.frozen import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from gitmem.commands.adopt.claims.claim import Claim
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.findings import Finding
    from gitmem.commands.adopt.past import Past
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

    def __init__(self, git: Git, base: str, head: Code, past: Past, contents: dict[str, str]) -> None:
        """Open the change.

        Args:
            git: The repository.
            base: The commit before it.
            head: The code after it.
            past: The past of the head.
            contents: Texts by object name, shared by the trees of one repository.
        """
        self.before = Code(git, base, contents)
        self._git, self._head, self._past = git, head, past

    @cached_property
    def paths(self) -> frozenset[str]:
        """Return the files that it adds, changes or removes."""
        argv = ("diff-tree", "-r", "-z", "--no-renames", "--name-only", self.before.commit, self._head.commit)
        done = self._git.run(*argv)
        return frozenset(os.fsdecode(part) for part in done.stdout.split(b"\0") if part)

    def corpus(self, head: Corpus, symbols: Iterable[str], values: Mapping[str, Iterable[str]]) -> Corpus:
        """Return which names the code had before, starting from the head's: only touched files are read.

        Args:
            head: The names that the head has.
            symbols: Names that the head does not have.
            values: Names that are defined somewhere, each with how it may be spelled.
        """
        found = search(self.before, symbols, values, progress=_quiet, among=self.paths)
        for name, paths in head.files_by_name.items():
            found.files_by_name[name] = [
                *(path for path in paths if path not in self.paths),
                *found.files_by_name.get(name, ()),
            ]
        return found

    def list_made_false(
        self,
        findings: Iterable[Finding],
        judge: Callable[[Finding], Finding | None],
        claims: Callable[[Document, str], Iterable[Claim]],
    ) -> list[Finding]:
        """Return the findings whose statements held before the change, or were written by it, and are false after it.

        Args:
            findings: The findings at the head.
            judge: Judges a finding's claim on the code before the change.
            claims: Returns the claims of a document's text.
        """
        wrote = _Written(self.before, self.paths, self._past, claims)
        found = []
        for finding in findings:
            if finding.verdict not in (FALSE, NEVER):
                continue
            held = self._newly_false(finding, judge(finding))
            if held is not None:
                found.append(held)
            elif finding.verdict == FALSE and wrote.has(finding):
                found.append(finding)
        return found

    def _newly_false(self, finding: Finding, was: Finding | None) -> Finding | None:
        """Return a finding that is false because of the change; None if its claim did not hold before."""
        if was is None or was.verdict != HOLDS:
            return None
        place = was.source.path if was.source else ""
        if finding.claim.kind == PATH:
            then = place or finding.then
            return replace(finding, verdict=FALSE, held=True, then=then, source=was.source, check=was.check)
        if finding.verdict == FALSE:
            return finding
        # A word that was only mentioned did not exist in the sense of the document.
        if finding.claim.kind == SYMBOL and not is_defined_in(self.before.text(place), finding.claim.name):
            return None
        return replace(finding, verdict=FALSE, held=True, source=was.source, check=was.check)


class _Written:
    """The claims that a change wrote: those that the document did not make before."""

    def __init__(
        self,
        before: Code,
        touched: frozenset[str],
        past: Past,
        claims: Callable[[Document, str], Iterable[Claim]],
    ) -> None:
        self._before, self._touched, self._past, self._claims = before, touched, past, claims
        self._made: dict[str, set[tuple[str, str, str]]] = {}

    def has(self, finding: Finding) -> bool:
        path = finding.document.path
        if path not in self._touched:
            return False
        if path not in self._made:
            self._made[path] = {_key(one) for one in self._claims(finding.document, self._text(path))}
        return _key(finding.claim) not in self._made[path]

    def _text(self, path: str) -> str:
        """Return the document's text before the change, following renames."""
        if path in self._before.files:
            return self._before.text(path)
        old = self._past.name_before(path, self._before.commit)
        return self._before.text(old) if old else ""


def _key(claim: Claim) -> tuple[str, str, str]:
    return claim.kind, claim.name, claim.stated


def _quiet(done: int, total: int) -> None:
    """A progress callback that does nothing."""
