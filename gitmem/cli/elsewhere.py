"""Read what memories of other repositories say on which those here rest, from listed stores and from the hub."""

from __future__ import annotations

from gitmem.config import variable
from gitmem.document.builtin_checks import value_of
from gitmem.document.elsewhere import Foundation, parse_elsewhere
from gitmem.errors import GitmemError
from gitmem.frozen import replace
from gitmem.index.catalog.required_elsewhere import list_required_elsewhere

# Seconds until a hub must have answered: before many checks, and before a single answer.
PATIENT_S, HURRIED_S = 2.0, 0.3
_NO_HUB, _OFFLINE = "no hub is set (gitmem.hub)", "nothing was read from others (--offline)"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitmem.cli.output import Output
    from gitmem.memory import Memory


def refresh(memory: Memory, out: Output, *, limit_s: float, more: Iterable[str] = ()) -> None:
    """Read and keep what is known elsewhere of the memories that those here require; nothing is run.

    Statuses use it until the next time. Where it cannot be read, no check compares with what was known before.

    Args:
        memory: The memory.
        out: Gets a line if the hub does not answer.
        limit_s: Seconds until the hub must have answered; 0 to read nothing.
        more: Further references.
    """
    repository = memory.repository
    required = list_required_elsewhere(repository.catalog()) if repository.has_store() else []
    references = sorted({*(target for _, target in required), *more})
    if not references:
        return
    listed = repository.listing().entries if limit_s else {}
    foundations: dict[str, Foundation | None] = {}
    others = []
    for reference in references:
        name, key = parse_elsewhere(reference) or ("", "")
        if name in listed:
            foundations[reference] = _read_listed(memory, name, key)
        else:
            others.append(reference)
    theirs, problem = _ask_hub(repository.config.hub, others, limit_s) if others else ({}, "")
    known = repository.local.elsewhere()
    for reference in others:
        before = known.get(reference)
        # A worker of a hub has just stored what all readers may know (``hub.work``).
        foundations[reference] = (
            theirs.get(reference)
            if not problem
            else before and replace(before, problem=problem * (not before.is_shared))
        )
    if problem and problem not in (_NO_HUB, _OFFLINE):
        out.note(f"the hub does not say whether memories of other repositories hold: {problem}")
    repository.local.keep_elsewhere(foundations)


def _ask_hub(site: str, references: Sequence[str], limit_s: float) -> tuple[dict[str, Foundation], str]:
    """Return what the hub knows of memories, by reference; and why it was not read, or an empty text."""
    if not limit_s:
        return {}, _OFFLINE
    if site in ("", "off"):
        return {}, _NO_HUB
    from gitmem.hub import client

    foundations: dict[str, Foundation] = {}
    for at in range(0, len(references), client.KEYS):
        some, problem = client.find_foundations(
            site, references[at : at + client.KEYS], token=variable("GITMEM_HUB_TOKEN"), limit_s=limit_s
        )
        if problem:
            return {}, problem
        foundations |= some
    return foundations, ""


def _read_listed(memory: Memory, name: str, key: str) -> Foundation | None:
    """Return what a listed store knows of a memory; None if it has none, or cannot be read."""
    try:
        shown = memory.show(key, store=name).document
    except GitmemError:
        return None
    value = value_of(shown["frontmatter"].get("verify"))
    return Foundation(shown["status"], value, tuple(shown["because"]))
