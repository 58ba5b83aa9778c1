"""How each kind of finding is worded and how grave it is: the same in every form."""

from __future__ import annotations

from gitmem.frozen import frozen
from gitmem.verify.blame.culprit import phrase
from gitmem.verify.finding import BROKEN, FAILED, HOLDS, MENDED, SILENCED, STILL, SUSPECT, UNCHECKED, WRONG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.verify.finding import Finding

ERROR = "error"
WARNING = "warning"
NOTE = "note"


@frozen
class Words:
    """One kind of finding.

    Attributes:
        level: ``error``, ``warning``, ``note``, or empty where there is nothing to complain of.
        told: What is said behind the key.
        heading: The heading of a list of them.
        meaning: What the kind means, one sentence.
    """

    level: str
    told: str
    heading: str
    meaning: str


WORDS = {
    BROKEN: Words(
        ERROR, "becomes false", "Becomes false", "The fact held before the change and does not hold with it."
    ),
    FAILED: Words(ERROR, "does not hold", "Failed", "The fact's check says that it does not hold."),
    WRONG: Words(
        ERROR,
        "has a wrong verdict",
        "Wrong verdicts",
        "A verdict on the memory branch says something else than its built-in check answers for the same inputs.",
    ),
    SILENCED: Words(
        WARNING,
        "is silenced by the change",
        "Silenced by this change",
        "The change's own memories hide, remove, supersede or weaken this fact, and the change touches what it reads.",
    ),
    SUSPECT: Words(WARNING, "is suspect", "Suspect", "Something that this memory requires does not hold."),
    UNCHECKED: Words(
        WARNING, "could not be checked", "Could not be checked", "Nothing was learnt of a fact that had to be checked."
    ),
    STILL: Words(
        NOTE, "was false before and still is", "False before and still", "The change does not mend this fact."
    ),
    MENDED: Words("", "becomes true", "Becomes true", "The fact did not hold before the change and holds with it."),
    HOLDS: Words("", "holds", "Holds", "The fact holds."),
}


def sentence(finding: Finding) -> str:
    """Return a finding as people read it, without its key and place."""
    words = WORDS[finding.kind]
    parts = [f"“{finding.title}” {words.told}" + (f": {finding.because}" if finding.because else "") + "."]
    if finding.culprit:
        parts.append(f"It was {phrase(finding.culprit, finding.culprit_after)}.")
    if finding.by and words.level:
        parts.append(f"Written by {finding.by}.")
    if finding.kind == WRONG:
        parts.append(f"Write the right one: gitmem verify --record {finding.key}")
    if finding.kind in (BROKEN, FAILED, SILENCED, SUSPECT, STILL):
        parts.append(f"What to do about it: gitmem settle {finding.key}")
    return " ".join(parts)
