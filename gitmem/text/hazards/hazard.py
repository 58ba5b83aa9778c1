"""Everything in a text that a reviewer must see before an agent or a person acts on it, by line."""

from __future__ import annotations

from gitmem.frozen import frozen
from gitmem.text.hazards.downloads import find_downloads
from gitmem.text.hazards.instructions import WARNING, find_instructions
from gitmem.text.hazards.links import find_misleading_links
from gitmem.text.hazards.spoken_lines import find_spoken


@frozen
class Hazard:
    """A hazard in a text.

    Attributes:
        line: Its first line, from 1.
        severity: ``error`` or ``warning``.
        code: A stable word: ``instruction``, ``spoken-markup``, ``piped-script`` or ``misleading-link``.
        message: A description, one line; it repeats no instruction.
    """

    line: int
    severity: str
    code: str
    message: str


def find_hazards(text: str) -> list[Hazard]:
    """Return the hazards in a text, by line; hidden characters and secrets are found elsewhere."""
    found = [
        Hazard(one.line, one.severity, "instruction", f"it {one.message}, which no memory should")
        for one in find_instructions(text)
    ]
    for line, message in find_spoken(text):
        found.append(Hazard(line, WARNING, "spoken-markup", f"{message}: an agent may treat it as an instruction"))
    for line, message in find_downloads(text):
        found.append(Hazard(line, WARNING, "piped-script", f"it {message}: the script is not part of the change"))
    for line, message in find_misleading_links(text):
        found.append(Hazard(line, WARNING, "misleading-link", message))
    return sorted(found, key=lambda one: (one.line, one.code))
