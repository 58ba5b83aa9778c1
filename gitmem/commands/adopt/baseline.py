"""A baseline: the false statements of a repository that are known, as a file with a line of JSON for each. Pure."""

from __future__ import annotations

import json

from gitmem.commands.adopt.findings import FALSE, KNOWN
from gitmem.errors import UsageError
from gitmem.frozen import replace
from gitmem.text import escape_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from gitmem.commands.adopt.findings import Adoption, JudgedClaim

    Entry = tuple[str, str, str, str]

# No line numbers: a statement that only moves stays known.
FIELDS = ("document", "kind", "token", "stated")


def list_entries(adoption: Adoption) -> list[Entry]:
    """Return the entries of all false statements, sorted."""
    return sorted({_entry_of(judged) for judged in adoption.of(FALSE)})


def format_baseline(entries: Iterable[Entry]) -> str:
    """Return the text of a baseline file."""
    lines = (json.dumps(dict(zip(FIELDS, entry, strict=True)), ensure_ascii=False) for entry in entries)
    return "".join(f"{escape_json(line)}\n" for line in lines)


def parse_baseline(text: str, file: str) -> list[Entry]:
    """Return the entries of a baseline file; blank lines are skipped.

    Raises:
        UsageError: A line is not an entry.
    """
    entries = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        is_entry = isinstance(row, dict) and sorted(row) == sorted(FIELDS)
        if not is_entry or not all(isinstance(value, str) for value in row.values()):
            message = f"{file}:{number} is not an entry of a baseline: a JSON object with {', '.join(FIELDS)}"
            raise UsageError(message, hint="gitmem adopt --write-baseline adopt-baseline.jsonl")
        entries.append(tuple(row[name] for name in FIELDS))
    return entries


def mark_known(adoption: Adoption, entries: Container[Entry]) -> Adoption:
    """Return the findings with those false statements as known that are entries of a baseline."""
    marked = [
        replace(finding, verdict=KNOWN) if finding.verdict == FALSE and _entry_of(finding) in entries else finding
        for finding in adoption.findings
    ]
    return replace(adoption, findings=marked)


def list_gone(adoption: Adoption, entries: Iterable[Entry], *, is_complete: bool) -> list[Entry]:
    """Return the entries that are no longer false, sorted; of the documents that were read, unless all were read."""
    read = {document.path for document in adoption.documents}
    left = {_entry_of(judged) for judged in adoption.of(KNOWN)}
    return sorted(entry for entry in set(entries) - left if is_complete or entry[0] in read)


def _entry_of(finding: JudgedClaim) -> Entry:
    claim = finding.claim
    return finding.document.path, claim.kind, claim.token, claim.stated
