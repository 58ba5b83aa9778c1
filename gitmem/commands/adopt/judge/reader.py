"""A claim that the text of one file decides, judged at HEAD and when its line was written."""

from __future__ import annotations

from gitmem.commands.adopt.findings import FALSE, HOLDS, JudgedClaim, Probe, Source
from gitmem.document.builtin_checks import words_of
from gitmem.frozen import frozen
from gitmem.model import BUILTIN, Check
from gitmem.model import HOLDS as PROVED
from gitmem.text.globs import escape
from gitmem.verify.builtin_answers import answer_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.findings import Mention
    from gitmem.commands.adopt.repository_history import Past


@frozen
class Reader:
    """A reader that decides a claim from one file.

    Attributes:
        path: The file.
        read: Returns for its text whether the claim holds, with the deciding line and its value; None if it does not
            say.
        proofs: The built-in checks that may prove the claim, best first.
        near: A word in every line that matters; empty if there is none.
    """

    path: str
    read: Callable[[str], tuple[bool, int, str] | None]
    proofs: tuple[Mapping[str, str], ...] = ()
    near: str = ""

    def holds(self, text: str) -> bool:
        """Return whether the claim holds for a text of the file."""
        answer = self.read(text)
        return answer is not None and answer[0]

    def check(self, text: str, line: int) -> Mapping[str, str] | None:
        """Return the first check that passes on a text for which the claim holds; else one for the literal line."""
        content = text.encode("utf-8", "surrogateescape")
        for proof in self.proofs:
            if answer_file(Check(BUILTIN, words_of(proof)), self.path, content).outcome == PROVED:
                return proof
        written = text.split("\n")[line - 1].strip() if line else ""
        # A line that the file has twice would stay if the deciding one changes.
        return {"contains": written, "in": escape(self.path)} if line and text.count(written) == 1 else None

    def judge(self, mention: Mention, head: Code, past: Past) -> JudgedClaim | None:
        """Return the finding for a claim; None if the file does not say, or the statement is about the past."""
        here = head.text(self.path)
        answer = self.read(here)
        if answer is None:
            return None
        holds, line, actual = answer
        source = Source(self.path, line, actual)
        if holds:
            return JudgedClaim(mention, HOLDS, source, check=self.check(here, line))
        if mention.is_past:
            return None
        wrote, _ = past.writer(mention)
        then = past.text(wrote, self.path)
        was = self.read(then) if then else None
        return JudgedClaim(
            mention,
            FALSE,
            source,
            held=None if was is None else was[0],
            wrote=wrote,
            probe=Probe(self.path, self.holds, self.near),
            check=self.check(then, was[1]) if was and was[0] else None,
        )
