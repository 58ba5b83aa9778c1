"""What an author gives of a new memory, before it is checked and gets a path. Pure data."""

from __future__ import annotations

from gitmem.frozen import frozen
from gitmem.policy.kinds import REMEMBER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


@frozen
class NewMemory:
    """What an author gives of a new memory.

    Attributes:
        text: The text; for a fact, its body.
        fields: Further fields of the frontmatter by name; empty ones are left out.
        title: Its title; empty to derive it from the text.
        kind: Its kind.
        key: An explicit key, or empty for one made from the text.
        writer: How it is written (``policy.collections.WRITERS``).
        former: The explicit key that earlier versions gave it, or empty.
    """

    text: str
    fields: Mapping[str, Any]
    title: str = ""
    kind: str = "learned"
    key: str = ""
    writer: str = REMEMBER
    former: str = ""
