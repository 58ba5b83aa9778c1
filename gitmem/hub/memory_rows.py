"""Make the rows of ``hub.memory`` from the catalog of a memory branch: memories are parsed there and nowhere else."""

from __future__ import annotations

import json
from hashlib import blake2b

from gitmem.document.author import read_author
from gitmem.frozen import fields_of, frozen
from gitmem.index.catalog import add_task, join_strings, state
from gitmem.index.catalog.fact_state import branch_verdicts, latest_of, merge_verdicts
from gitmem.index.catalog.redaction import EXACT
from gitmem.model import FAILED, HOLDS, TASK, UNPROVEN, VERIFIED
from gitmem.statuses import combine_status, own_status
from gitmem.text import parse_json
from gitmem.text.secrets import redact_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gitmem.index.catalog import Catalog

# Why a memory is not among those that a search returns, in the order of the checks; empty: it is.
HIDDEN = ("shadowed", "archived", "superseded")
_ROWS = """
SELECT m.id, m.path, m.key, m.kind, m.title, m.oid, m.created, m.updated, m.importance, m.confidence, m.expires,
  m.shadowed, m.archived, m.superseded, m.agent, m.task, m.imported, s.tags, s.paths, s.body, t.body, t.fields
FROM memory m JOIN searched s ON s.id = m.id JOIN text t ON t.id = m.id ORDER BY m.path
"""


@frozen
class MemoryRow:
    """One memory as the hub stores it; the attributes are the columns of ``hub.memory``.

    Attributes:
        path: Its file on the memory branch.
        key: Its key.
        kind: Its kind.
        status: What its last published verdict says, without regard to the time or to the code; or empty.
        owner: Who wrote it: the person, or the agent if no person is named.
        language: The language in which its text is analysed.
        title: Its title.
        fields: What a search needs of it, and its frontmatter, as JSON.
        text: Its body.
        blob: The git object of its file.
        digest: A fingerprint of all others.
    """

    path: str
    key: str
    kind: str
    status: str
    owner: str
    language: str
    title: str
    fields: str
    text: str
    blob: str
    digest: bytes


COLUMNS = tuple(MemoryRow.__annotations__)


def iter_rows(catalog: Catalog) -> Iterator[MemoryRow]:
    """Yield the rows of all memories of a catalog, sorted by path."""
    language, proofs = catalog.language, _published(catalog)
    suspects = state.chains(catalog, sorted(proof.key for proof in proofs.values() if proof.own == FAILED))
    # A foundation that was reworded since a person confirmed it.
    suspects = {**state.find_reworded(catalog, None), **suspects}
    for key in state.list_closed(catalog, suspects):
        del suspects[key]
    for row in catalog.rows(_ROWS):
        number, path, key, kind, title, oid, created, updated, importance, confidence, expires, *rest = row
        *hidden, agent, task, imported, tags, paths, searched, body, frontmatter = rest
        front, proof = parse_json(frontmatter), proofs.get(number)
        commands = {name: front[name] for name in EXACT if name in front}
        author = read_author(front)
        fields = {
            "created": created,
            "updated": updated,
            "importance": importance,
            "confidence": confidence,
            "expires": expires,
            "hidden": next((name for name, is_so in zip(HIDDEN, hidden, strict=True) if is_so), ""),
            "agent": agent,
            "imported": imported,
            "tags": add_task(join_strings(tags), task),
            "tagged": front.get("tags", []),
            "paths": join_strings(paths),
            "more": searched[len(body) :],
            "proof": {"at": proof.at, "until": proof.until, "own": proof.own} if proof else None,
            "why": list(suspects.get(key, ())),
            "frontmatter": front | redact_all(commands),  # all else is redacted in the catalog
        }
        status = combine_status(proof.own if proof else "", suspect=key in suspects)
        columns = (path, key, kind, status, author.who or author.agent, language, title)
        text = _json_of(fields)
        values = [*map(_plain, columns), text, _plain(body), oid]
        digest = blake2b("\0".join(values).encode(), digest_size=16).digest()
        yield MemoryRow(**dict(zip(COLUMNS, (*values, digest), strict=True)))


@frozen
class _Proof:
    """The last published verdict of a fact: its own status, when it was made, and until when it counts."""

    key: str
    own: str
    at: int
    until: int | None


def _published(catalog: Catalog) -> dict[int, _Proof]:
    """Return what the branch says of each fact, by its number.

    Nobody here has the code, so a verdict counts although the code may have changed since; a task's gate that does not
    hold is not a failure.
    """
    verdicts, proofs = branch_verdicts(catalog), {}
    rows = catalog.rows("SELECT m.id, m.key, m.kind, f.spec, f.claim, f.ttl_s FROM memory m JOIN fact f ON f.id = m.id")
    for number, key, kind, spec, claim, ttl_s in rows:
        last = latest_of(merge_verdicts(verdicts.get(key, ()), (), spec=spec, claim=claim))
        at, outcome = (last.at, last.outcome) if last else (0, "")
        own = own_status(outcome, fresh=True, at=at, ttl_s=None, now=at)
        if kind == TASK:
            own = VERIFIED if outcome == HOLDS else UNPROVEN
        proofs[number] = _Proof(key, own, at, at + ttl_s if ttl_s is not None and own == VERIFIED else None)
    return proofs


def _json_of(fields: dict[str, Any]) -> str:
    """Return fields as JSON that PostgreSQL accepts; nearly all are without looking at each value."""
    text = json.dumps(fields, ensure_ascii=False, sort_keys=True, default=str)
    is_plain = "\\u0000" not in text and text == _plain(text)
    return text if is_plain else json.dumps(_clean(fields), ensure_ascii=False, sort_keys=True, default=str)


def _clean(value: Any) -> Any:
    """Return a value of JSON without characters that PostgreSQL refuses."""
    if isinstance(value, str):
        return _plain(value)
    if isinstance(value, dict):
        return {_plain(str(name)): _clean(entry) for name, entry in value.items()}
    return [_clean(entry) for entry in value] if isinstance(value, list | tuple) else value


def _plain(text: str) -> str:
    """Return a text without NUL and without halves of surrogate pairs, which PostgreSQL refuses."""
    return text.replace("\0", "").encode("utf-8", "replace").decode() if not text.isascii() or "\0" in text else text


def values_of(row: MemoryRow) -> tuple[Any, ...]:
    """Return the values of a row in the order of ``COLUMNS``."""
    return tuple(fields_of(row).values())
