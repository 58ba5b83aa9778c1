"""A memory from another system on its way into the store: validated, and in the form in which it would be written."""

from __future__ import annotations

from gitmem.document.fields import id_in, strings_in
from gitmem.document.format import format as format_document
from gitmem.document.parse import parse
from gitmem.errors import FormatError, RefusedError
from gitmem.frozen import frozen, replace
from gitmem.index.catalog.inserts import KnownText
from gitmem.index.catalog.redaction import may_be_respelled
from gitmem.index.catalog.rows import time_of
from gitmem.model import Document
from gitmem.store import layout
from gitmem.text.hazards.hidden_characters import find_hidden
from gitmem.text.secrets import find_secrets
from gitmem.text.tags import find_tags
from gitmem.write.draft import (
    Author,
    automatic_key,
    check_rules,
    clean_body,
    clean_text,
    metadata,
    split_title,
    without_frontmatter,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gitmem.policy import Policy


@frozen
class Incoming:
    """One memory that may be written.

    Attributes:
        where: Its source, for display.
        key: Its key, or the one made from its text.
        is_explicit: Whether the source named the key, or the note that it was made from.
        is_exact: Whether its text is a file of gitmem, to be written unchanged.
        kind: Its kind.
        title: Its title.
        body: Its body.
        text: The file's text.
        time: When it was written or last changed, epoch seconds; 0 if unknown.
        folder: Its original folder, or empty for that of its kind.
        archived: Whether it is retired.
        has_command: Whether it has a command, which a person must approve before it runs.
        superseded_by: The key of the memory that superseded it, or empty.
        name: The name of the note that the key was made from, or empty.
        id: Its id in the source, if no other memory can have it by chance; else empty.
        read: The parsed text, unless it was changed since; for the index.
    """

    where: str
    key: str
    is_explicit: bool
    is_exact: bool
    kind: str
    title: str
    body: str
    text: str
    time: int
    folder: str = ""
    archived: bool = False
    has_command: bool = False
    superseded_by: str = ""
    name: str = ""
    id: str = ""
    read: KnownText | None = None


class UnsafeError(RefusedError):
    """It contains a secret or a hidden character; the message names the sort and repeats nothing."""


def incoming_exact(document: Document, where: str, *, folder: str, archived: bool, policy: Policy) -> Incoming:
    """Return a file of gitmem to be written unchanged.

    Raises:
        UnsafeError: It holds a secret or a hidden character.
    """
    refuse_unsafe(document.text.removeprefix("\ufeff"), document.fields, policy)
    read = KnownText(document, _is_clean(document, policy))
    is_usual = layout.is_folder(folder) and folder not in layout.RESERVED_FOLDERS
    return replace(
        _incoming(document, where, is_explicit=True),
        is_exact=True,
        folder=folder if is_usual else "",
        archived=archived,
        read=read,
    )


@frozen
class ForeignMemory:
    """A memory of another system.

    Attributes:
        key: Its key; empty to make one.
        fields: Its frontmatter, with its kind.
        body: Its text.
        where: Its file and line.
        name: The name of the note that its key is made from, or empty.
    """

    key: str
    fields: Mapping[str, Any]
    body: str
    where: str
    name: str = ""


def incoming_new(given: ForeignMemory, author: Author, policy: Policy, *, now: int) -> Incoming:
    """Return a memory of another system in gitmem's form: with title, tags, metadata and a key.

    Raises:
        UnsafeError: It holds a secret or a hidden character.
        RefusedError: It lacks what its kind requires, or a field is invalid.
    """
    fields = given.fields
    kind, text = str(fields["kind"]), clean_body(given.body)
    named = clean_text(" ".join(str(fields.get("title") or "").split()))
    title, rest = split_title(text, named)
    # A person's note has the tags that the person gave it.
    words = [] if given.name else find_tags(f"{title}\n{rest}", policy.tags, policy.recall.language)
    tags = list(dict.fromkeys([*fields.get("tags", ()), *words]))
    whole = {**fields, "title": title} | ({"tags": tags} if tags else {})
    whole |= metadata(whole, author, now)
    try:
        formatted = format_document(whole, rest + "\n" if rest else "")
        # Before a key is made from it, because errors name the key.
        refuse_unsafe(formatted, whole, policy)
        key = given.key or automatic_key(kind, f"{title} {rest}" if named else without_frontmatter(text))
        document = parse(formatted, path=f"{key}.md")
    except FormatError as err:
        raise RefusedError(err.message, hint=err.hint) from err
    check_rules(key, document, policy)
    known = _incoming(document, given.where, is_explicit=bool(given.key))
    # A generated time says nothing about the memory's age.
    time = known.time if "created" in fields else 0
    return replace(
        known, name=given.name, id=id_in(fields), time=time, read=KnownText(document, _is_clean(document, policy))
    )


def _incoming(document: Document, where: str, *, is_explicit: bool) -> Incoming:
    fields = document.fields
    verify = fields.get("verify")
    return Incoming(
        where=where,
        key=document.key,
        is_explicit=is_explicit,
        is_exact=False,
        kind=document.kind,
        title=document.title,
        body=document.body,
        text=document.text,
        time=time_of(fields.get("updated")) or time_of(fields.get("created")),
        has_command=verify is not None and not isinstance(verify, dict),
        superseded_by=str(fields.get("superseded_by") or ""),
    )


def _is_clean(document: Document, policy: Policy) -> bool:
    """Return whether a text that was not refused has no secret for the index either, which allows none."""
    return not (policy.secrets.allow or "\r" in document.text or may_be_respelled(document.text))


def refuse_unsafe(text: str, fields: Mapping[str, Any], policy: Policy) -> None:
    """Refuse a file's text with a secret or a hidden character.

    Raises:
        UnsafeError: It has one.
    """
    _refuse_unsafe(text.replace("\r\n", "\n"), policy)
    # A value occurs literally in the text, unless it has YAML escapes or doubled quotes.
    if "\\" in text or "''" in text:
        for value in fields.values():
            for part in strings_in(value):
                _refuse_unsafe(part, policy)


def _refuse_unsafe(text: str, policy: Policy) -> None:
    if flaws := find_hidden(text):
        raise UnsafeError(f"it contains an invisible character: {flaws[0].name} ({flaws[0].codepoint})")
    rules = dict.fromkeys(secret.rule for secret in find_secrets(text) if secret.rule not in policy.secrets.allow)
    if rules:
        raise UnsafeError(f"it seems to contain a secret ({', '.join(rules)})")
