"""Merge the fields of a memory when the same text is recorded again."""

from __future__ import annotations

from gitmem.model import TASK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gitmem.write.draft import Draft

# Fields set by the store itself: they are no difference between two texts.
ASIDE = ("by", "updated", "superseded_by")
# The history of a task, which recording the task again does not undo.
_LIFE = ("state", "claimed", "attempts", "closed")
# A check is one unit: a new command removes all fields of the old check.
_CHECK = ("verify", "refute", "timeout", "network", "env", "outside")


def unite_fields(before: Mapping[str, Any], new: Mapping[str, Any], draft: Draft) -> dict[str, Any]:
    """Return the fields of a memory that was written again.

    With an explicit key the new fields win, except for generated values and links; otherwise missing fields stay, and
    lists are united.
    """
    stay = (
        ("created", "supersedes", *(_LIFE if draft.kind == TASK else ()), *draft.made) if draft.is_explicit else before
    )
    gone = ("superseded_by", "retired", "by", *(_CHECK if "verify" in new else ()))
    kept = {name: value for name, value in before.items() if name in stay and name not in gone}
    fields = {**kept, **{name: value for name, value in new.items() if name not in draft.made or name not in kept}}
    for name, value in new.items():
        if isinstance(value, list) and name in kept and name != "verify":
            listed = [kept[name]] if isinstance(kept[name], str) else kept[name]
            fields[name] = list(dict.fromkeys([*listed, *value]))
    return fields
