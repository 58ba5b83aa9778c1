"""Judge whether names occur in the code, and did when the line was written."""

from __future__ import annotations

import re

from gitmem.commands.adopt.claims.claim import is_denied, is_example, is_log
from gitmem.commands.adopt.corpus import is_aside
from gitmem.commands.adopt.findings import FALSE, HOLDS, NEVER, Finding, Probe, Source
from gitmem.document.sources.symbols import find_symbol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.commands.adopt.claims.claim import Claim
    from gitmem.commands.adopt.corpus import Corpus
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.past import Past
    from gitmem.commands.adopt.statements import Statement

# Files that a name is followed through, from the one that defined it when its line was written.
MOST_HOMES = 3


def judge_symbol(claim: Claim, statement: Statement, document: Document, corpus: Corpus, past: Past) -> Finding | None:
    """Judge the claim that a name is in the code; None if it turns out not to be a claim."""
    where = corpus.present.get(claim.name)
    if where is not None:
        return Finding(document, statement, claim, HOLDS, Source(where), check={"contains": claim.name, "in": where})
    text = statement.text
    if not claim.is_certain or not corpus.is_whole or is_denied(text, claim.token) or is_log(statement.section, text):
        return None
    wrote, _ = past.writer(document.path, claim.line)
    were = past.files_with(wrote, claim.name) if wrote else None
    home = _home(claim.name, were or (), wrote, document, past)
    if home:
        probe, check = _probe(claim.name, home), {"symbol": claim.name, "in": home}
        return Finding(
            document, statement, claim, FALSE, Source(home), held=True, wrote=wrote, probe=probe, check=check
        )
    if is_example(text):
        return None
    return Finding(document, statement, claim, NEVER, held=None if were is None else False, wrote=wrote)


def _home(name: str, files: Iterable[str], wrote: str, document: Document, past: Past) -> str:
    """Return the file that defined a name when the line was written, if the document is about that file."""
    for path in sorted(files, key=lambda one: not one.startswith(f"{document.folder}/")):
        if is_aside(path) or not _is_about(document, path):
            continue
        if defined_in(past.texts([wrote], path).get(wrote, ""), name):
            return path
    return ""


def find_symbol_culprit(finding: Finding, past: Past) -> str:
    """Return the commit that took a name out of the code: out of its file, or of the last one that it moved to."""
    assert finding.probe is not None
    name, culprit = finding.claim.name, past.broke(finding.probe)
    later = culprit
    for _ in range(MOST_HOMES):
        home = _home(name, past.files_with(later, name) or (), later, finding.document, past) if later else ""
        later = past.broke(_probe(name, home)) if home else ""
        culprit = later or culprit
    return culprit


def _probe(name: str, home: str) -> Probe:
    return Probe(home, lambda text: re.search(rf"\b{re.escape(name)}\b", text) is not None, name)


def defined_in(text: str, name: str) -> bool:
    """Return whether a text of code defines a name."""
    return find_symbol(text.encode("utf-8", "surrogateescape"), name) > 0


def _is_about(document: Document, path: str) -> bool:
    return not document.folder or path.startswith(f"{document.folder.split('/', 1)[0]}/")
