"""Find references to lines of code that moved or changed, and update those that moved: first a plan.

Moved lines are found as in `show` (``verify.references``). Changed lines are for a person: the memory may be wrong.
"""

from __future__ import annotations

import json

from gitmem.commands.curate.age import CurationPlan, CurationStep
from gitmem.document.anchors import FIELD
from gitmem.index.catalog.state import LIVE
from gitmem.verify.inputs import CodeTree
from gitmem.verify.references import CHANGED, MOVED, anchors_for, anchors_in, reference_states, references_past_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from gitmem.repository.open_store import OpenStore
    from gitmem.verify.references import ReferenceState

REFS = "refs"
_ANCHORED = (
    "SELECT m.key, m.kind, m.title, m.oid, t.fields FROM packed p JOIN memory m ON m.id = p.id"
    f" JOIN text t ON t.id = m.id WHERE instr(p.marks, ' anchors ') > 0 AND {LIVE} ORDER BY m.key"
)


def stale_references(store: OpenStore) -> CurationPlan:
    """Return the memories whose references moved or changed at HEAD; reads only."""
    catalog = store.catalog_at(store.find_tip())
    count = catalog.row(f"SELECT count(*) FROM memory m WHERE {LIVE}")[0]
    head = store.git.read_head()[1]
    steps: list[CurationStep] = []
    tree = CodeTree(store.git, head) if head else None
    rows = catalog.rows(_ANCHORED) if tree else []
    all_fields = [json.loads(row[-1]) for row in rows]
    past_end = references_past_end(store.git, tree, all_fields) if tree else []
    for (key, kind, title, oid, _), fields, wrong in zip(rows, all_fields, past_end, strict=True):
        assert tree is not None, "there is code"
        states = reference_states(store.git, tree, anchors_in(fields), has_diff=False) + wrong
        odd = [state for state in states if state.state in (MOVED, CHANGED)]
        if odd:
            why = "; ".join(_description(reference) for reference in odd)
            steps.append(CurationStep(key, kind, title, why, oid, _new_places(store, fields, odd)))
    return CurationPlan(REFS, tuple(steps), count)


def _description(reference: ReferenceState) -> str:
    if reference.why:
        return f"{reference.ref} is past the end: {reference.why}"
    return f"{reference.ref} is now {reference.place}" if reference.place else f"{reference.ref} changed"


def _new_places(store: OpenStore, fields: Mapping[str, Any], odd: Sequence[ReferenceState]) -> dict[str, Any]:
    """Return the fields with the new places; none if a reference changed, which is for a person."""
    if any(reference.state == CHANGED for reference in odd):
        return {}
    places = {reference.ref: reference.place for reference in odd}
    old = fields.get("refs") or []
    refs = list(dict.fromkeys(places.get(str(ref), str(ref)) for ref in (old if isinstance(old, list) else [old])))
    return {"refs": refs, FIELD: anchors_for(store.git, refs, is_strict=False)}


def repairable(plan: CurationPlan) -> CurationPlan:
    """Return the steps that need no person."""
    return CurationPlan(REFS, tuple(step for step in plan.steps if step.fields), plan.looked_at)
