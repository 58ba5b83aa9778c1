"""Pulled documents as files of a store: others wrote them, so they are made safe to show and to store.

Secrets are replaced and hidden characters are spelled out, both visibly; nothing is refused, since the text is not ours
to correct.
"""

from __future__ import annotations

import unicodedata
from datetime import datetime

from gitmem.document.format import format as format_document
from gitmem.document.times import format_time
from gitmem.errors import FormatError
from gitmem.frozen import frozen
from gitmem.git.git import plausible
from gitmem.store import layout
from gitmem.text import display
from gitmem.text.secrets import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

# The longest body in bytes: a memory has 64 KiB with its frontmatter.
BODY_LIMIT = 56 * 1024
TITLE_LIMIT, NAME_LIMIT, TAGS = 200, 100, 20


@frozen
class PulledDocument:
    """One document of a source.

    Attributes:
        key: Its key, made from its number or id at the source.
        kind: Its kind, such as ``github_issue``.
        title: Its title.
        body: Its text, Markdown.
        fields: Further frontmatter.
    """

    key: str
    kind: str
    title: str
    body: str
    fields: Mapping[str, Any]

    @property
    def path(self) -> str:
        """Return its path in the tree of its source."""
        return path_of(self.kind, self.key)


def path_of(kind: str, key: str) -> str:
    """Return the path of a document in the tree of its source: its folder is named for its kind."""
    return layout.memory_path(kind, key, split=True)


def file_of(document: PulledDocument) -> bytes:
    """Return a document as the file of a memory."""
    title = clean(document.title, limit=TITLE_LIMIT) or document.key
    fields = {"title": title, "kind": document.kind, **_plain(document.fields)}
    body = cut(redact(display(_lines(document.body), lines=True, sequences=True)), document.fields)
    try:
        return format_document(fields, body).encode()
    except FormatError:
        # The frontmatter is too large, or not valid YAML: the text matters more than its labels.
        return format_document({"title": title, "kind": document.kind}, body).encode()


def clean(text: object, *, limit: int = NAME_LIMIT) -> str:
    """Return a text by others as one safe line; empty if it is not a text."""
    shown = display(unicodedata.normalize("NFC", " ".join(text.split()))) if isinstance(text, str) else ""
    return redact(shown)[:limit].rstrip()


def time_of(text: object) -> str:
    """Return an API's time in the form of memories, or an empty string.

    Source: RFC 3339; Jira writes ``2026-10-01T11:00:00.000+0000``.
    """
    if not isinstance(text, str):
        return ""
    try:
        moment = datetime.fromisoformat(text)
        return format_time(plausible(moment.timestamp())) if moment.tzinfo is not None else ""
    except (ValueError, OverflowError):
        return ""


def cut(text: str, fields: Mapping[str, Any]) -> str:
    """Return a body that fits into a memory; a truncated one says so, and where the rest is."""
    raw = text.encode("utf-8", "replace")
    if len(raw) <= BODY_LIMIT:
        return raw.decode()
    where = next(iter(fields.get("refs", ())), "")
    return raw[:BODY_LIMIT].decode("utf-8", "ignore") + f"\n\n[cut here; the whole text: {where}]\n"


def _lines(text: str) -> str:
    plain = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd").strip("\n")
    return unicodedata.normalize("NFC", plain)


def _plain(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields without empty ones, with safe texts."""
    about: dict[str, Any] = {}
    for name, value in fields.items():
        if isinstance(value, list | tuple):
            texts = dict.fromkeys(filter(None, (clean(text, limit=TITLE_LIMIT) for text in value)))
            about |= {name: list(texts)[:TAGS]} if texts else {}
        elif isinstance(value, dict):
            named = {key: clean(text) for key, text in value.items() if clean(text)}
            about |= {name: named} if named else {}
        elif isinstance(value, str):
            about |= {name: clean(value, limit=TITLE_LIMIT)} if clean(value) else {}
        elif value is not None:
            about[name] = value
    return about
