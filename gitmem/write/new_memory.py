"""What an author gives of a new memory, before it is checked and gets a path. Pure data."""

from __future__ import annotations

from gitmem.document.memory_fields import frontmatter_of
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

    @classmethod
    def from_options(cls, text: str, options: Mapping[str, Any], table: type, *, what: str) -> NewMemory:
        """Return a memory from a caller's options; ``force`` is not one of its fields.

        Args:
            text: The text.
            options: The options.
            table: The table of those that there are.
            what: What takes them, such as ``Workflow.decide``.

        Raises:
            UsageError: There is no such option, or a list is a text.
        """
        fields = frontmatter_of(options, table, what=what)
        fields.pop("force", None)
        title, kind, key = (fields.pop(name, "") for name in ("title", "kind", "key"))
        return cls(text, fields, title, kind, key)
