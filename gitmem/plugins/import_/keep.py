"""Read the notes of Google Keep, each of which is a JSON file in its Takeout archive. Pure.

Source: the files below ``Takeout/Keep`` of an export (``textContent`` or ``listContent``, ``labels``, ``annotations``,
``attachments``, ``createdTimestampUsec``, ``isTrashed`` and others).
"""

from __future__ import annotations

from gitmem.plugins.import_.fields import DELETED_REASON, Unreadable, tables_in, without_empty
from gitmem.plugins.import_.times import time_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

# A name that each note has, and how far into a file it is looked for: a long text may follow, and attachments precede.
_SIGN, HEAD_BYTES = "isTrashed", 8192
# One of them is in each note; a note of images alone may have no text.
_CONTENT = frozenset(("textContent", "listContent", "userEditedTimestampUsec"))
_LINK = "WEBLINK"


def is_keep_file(head: bytes) -> bool:
    """Return whether a file is a note of Keep, by its first ``HEAD_BYTES``."""
    return head.lstrip()[:1] == b"{" and b'"isTrashed"' in head and b'"isArchived"' in head


def is_keep(table: Mapping[str, Any]) -> bool:
    """Return whether an object is a note of Keep."""
    return isinstance(table.get(_SIGN), bool) and not _CONTENT.isdisjoint(table)


def read_keep(table: Mapping[str, Any], where: str) -> dict[str, Any] | Unreadable:
    """Return a note in common terms, or why there is none; its archive is a folder, so what is there is a note, too."""
    if table[_SIGN]:
        return Unreadable(where, DELETED_REASON, is_skipped=True)
    items = [
        f"- [{'x' if item.get('isChecked') else ' '}] {item['text']}"
        for item in tables_in(table.get("listContent"))
        if isinstance(item.get("text"), str)
    ]
    links = [
        f"[{link.get('title') or link['url']}]({link['url']})"
        for link in tables_in(table.get("annotations"))
        if link.get("source") == _LINK and isinstance(link.get("url"), str)
    ]
    parts = (str(table.get("textContent") or ""), "\n".join(items), "\n".join(links))
    attached = [one["filePath"] for one in tables_in(table.get("attachments")) if isinstance(one.get("filePath"), str)]
    body = "\n\n".join(filter(None, parts))
    if not (body.strip() or str(table.get("title") or "").strip() or attached):
        return Unreadable(where, "it is empty", is_skipped=True)
    return without_empty(
        title=table.get("title") or (", ".join(attached) if not body.strip() else None),
        body=body,
        tags=[one["name"] for one in tables_in(table.get("labels")) if isinstance(one.get("name"), str)],
        created=time_of(table.get("createdTimestampUsec")),
        edited=time_of(table.get("userEditedTimestampUsec")),
        attachments=attached,
    )
