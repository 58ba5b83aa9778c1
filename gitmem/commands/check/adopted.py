"""Corrections for documents whose adopted statements a change makes false, as in ``adopt --base``."""

from __future__ import annotations

from gitmem.commands.adopt.claims.claim import COMMAND, PATH
from gitmem.commands.adopt.correct import corrections
from gitmem.commands.adopt.findings import FALSE
from gitmem.commands.adopt.run import adopt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.commands.check.touched_facts import Trees


def read_corrections(trees: Trees, document: str, lines: Sequence[str]) -> dict[int, str | range]:
    """Return the corrected lines of a document after a change, by number; or the lines to delete, for each.

    Only names of files and of targets are judged: the right value is in the answer of a fact's check.

    Args:
        trees: The change.
        document: The document's path.
        lines: Its lines after the change.
    """
    false = adopt(trees.git, trees.behind, [document], base=trees.before, kinds=(PATH, COMMAND)).of(FALSE)
    texts = {document: lines}
    found: dict[int, str | range] = {one.line: one.after for one in corrections(false, texts, texts) if one.after}
    return found | {line: one.cut for one in false for line in one.cut}
