"""A finding as a sentence, the same in every format."""

from __future__ import annotations

from gitmem.text import as_sentence
from gitmem.verify.blame.culprit import phrase
from gitmem.verify.overview.finding import BROKEN, FAILED, OUTSIDE, SILENCED, STILL, SUSPECT, WORDS, WRONG, Spot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.verify.overview.finding import FactFinding, StatedLine


def sentence(finding: FactFinding) -> str:
    """Return a finding as a sentence for people, without its key and place."""
    words = WORDS[finding.kind]
    parts = [as_sentence(f"“{finding.title}” {words.phrase}" + (f": {finding.because}" if finding.because else ""))]
    parts += [place_sentence(line) for line in finding.stated]
    if finding.culprit:
        parts.append(f"It was {phrase(finding.culprit, finding.culprit_after)}.")
    if finding.by and words.level:
        parts.append(f"Written by {finding.by}.")
    if finding.kind == WRONG:
        parts.append(f"To record the right verdict: gitmem verify --record {finding.name}")
    if finding.kind in (BROKEN, FAILED, SILENCED, SUSPECT, STILL, OUTSIDE):
        parts.append(f"To decide what to do: gitmem settle {finding.name}")
    return " ".join(parts)


def list_spots(finding: FactFinding) -> list[Spot]:
    """Return the places of a finding, the most useful first: lines of documents, changed inputs, its own file."""
    own = [finding.fact] if finding.fact is not None else []
    return [*(line.spot for line in finding.stated), *finding.places, *own] or [Spot(finding.path)]


def place_sentence(line: StatedLine) -> str:
    """Return where a document states a fact, and how to correct it."""
    against = f", which {line.where} contradicts" if line.where else ""
    corrected = line.corrected.strip().removeprefix("- ")
    right = f"; it should say: {corrected}" if corrected else ""
    right = f"; {line.remove}" if line.cut else right
    return as_sentence(f"{line.spot.path}:{line.spot.line} states it{against}{right}")
