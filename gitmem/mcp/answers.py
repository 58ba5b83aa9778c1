"""Format memories for clients: fenced as data, with status and provenance outside the fence.

A memory's own words are only between the markers (``hygiene.inject``). Outside of them are gitmem's own words and
slugs: keys, kinds, statuses, and agents' names as slugs.
"""

from __future__ import annotations

from mcp_types import CallToolResult, TextContent

from gitmem.commands.context.parts import part_of
from gitmem.commands.context.render import parts_of_digest
from gitmem.document.author import agent_of
from gitmem.document.fields import format_value
from gitmem.frozen import replace
from gitmem.index.catalog import places_of
from gitmem.index.catalog.agent_text import About, MemoryLabel, about, by, entry_of, fence_parts
from gitmem.recall.query import RecallResult
from gitmem.statuses import warning_of
from gitmem.text.fence import fence_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from pydantic import BaseModel

    from gitmem.memory import Memory
    from gitmem.model import Hit

# Characters shown of one memory, about 6,000 tokens: Claude Code warns of more than 10,000 tokens in an answer and cuts
# at 25,000 (its documentation, "MCP output limits").
TEXT_LIMIT = 24_000
LINE_LIMIT = 400
# Characters shown of each hit; memory_get returns the whole.
HIT_TOKENS = 120
_FIELDS = (
    "tags",
    "paths",
    "refs",
    "requires",
    "produces",
    "domains",
    "importance",
    "confidence",
    "verified_by",
    "independent",
    "task",
    "created",
)


def line(text: str, limit: int = LINE_LIMIT) -> str:
    """Return a text as one line, so that no memory can imitate the line of another."""
    line = " ".join(text[: 2 * limit].split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def hits(memory: Memory, listed: Sequence[Hit], *, limit_tokens: int = HIT_TOKENS) -> str:
    """Return hits, fenced: each with its kind, status and author, then its text."""
    part = part_of(memory.repository, "", RecallResult(tuple(listed), 0), limit_tokens=limit_tokens)
    text = "\n".join(entry.text for entry in part.entries)
    return fence_text(text, source="memories; each has key, kind, status and author, then the text")


def result(answer: BaseModel, *first: str, rest: str = "more") -> CallToolResult:
    """Return an answer as structured content and as text, since a client shows the agent one of them.

    Args:
        answer: The answer, with ``text``, ``notes`` (one a line) and perhaps ``more``.
        first: Lines before the text.
        rest: What ``more`` counts.
    """
    fields = answer.model_dump(mode="json")
    more = [f"… {fields['more']} {rest}"] if fields.get("more") else []
    notes = [f"note: {note}" for note in fields["notes"].split("\n") if note]
    text = "\n".join([*first, *filter(None, [fields["text"]]), *more, *notes])
    return CallToolResult(content=[TextContent(type="text", text=text or "nothing")], structured_content=fields)


def memory(details: Mapping[str, Any]) -> str:
    """Return one memory, up to the limit: its status in the source line, then its text."""
    fields, verdict = details["frontmatter"], details["verdict"] or {}
    agent = agent_of(fields)
    gone = [word for word in ("archived", "superseded", "expired") if details[word]]
    is_others = bool(verdict.get("outcome")) and not verdict["own"]
    whose = (
        "" if not is_others else "verdict signed" if verdict.get("signer") else "verdict claimed by the memory branch"
    )
    status = details["status"]
    standing = f"{status} ({warning_of(status)})" if warning_of(status) else status
    named = f"{details['short_id']} ({details['key']})" if details.get("short_id") else details["key"]
    source = _join(f"memory {named}", details["kind"], details["scope"], standing, whose, *gone, by(agent))
    lines = [line(details["title"])]
    lines += [
        f"{name}: {line(format_value(fields[name]))}" for name in _FIELDS if fields.get(name) not in (None, "", [])
    ]
    if fields.get("verify"):
        lines.append(f"check (shown, not run): {line(format_value(fields['verify']))}")
    lines += [f"{name}: {line(verdict[name])}" for name in ("because", "broken", "attempt") if verdict.get(name)]
    lines += [f"signed by: {line(verdict['signer'])}"] if is_others and verdict.get("signer") else []
    lines += [f"claimed: {line(details['claimed'])}"] if details.get("claimed") else []
    lines += [f"suspect: {line(details['suspicion'])}"] if details["because"] else []
    body = details["body"].strip()
    cut = f"\n… {len(body) - TEXT_LIMIT} more characters" if len(body) > TEXT_LIMIT else ""
    return fence_text("\n".join([*lines, *(["", body[:TEXT_LIMIT] + cut] if body else [])]), source=source)


def _join(*words: str) -> str:
    return ", ".join(filter(None, map(line, words)))


def digest(memory: Memory, document: Mapping[str, Any]) -> str:
    """Return a session's digest, fenced: its sections, warnings first."""
    parts = parts_of_digest(memory.repository, document)
    return fence_parts(parts, source="the digest of the memory of this repository, warnings first")


def describe_standing(memory: Memory, found: Mapping[str, Any]) -> str:
    """Return the facts that need attention, fenced: failed, suspect, blocked here, flapping; with reason and author."""
    lines = [(name, key) for name in ("failed", "suspect", "blocked", "flapping") for key in found.get(name, ())]
    store = memory.repository
    catalog = store.catalog() if lines else None
    known = about(catalog, store.ground(catalog), keys(line for _, line in lines), now=store.now) if catalog else {}
    entries = []
    for status, one in lines:
        why, text = _join(one["because"], one["broken"]), f"{line(one['title'])}{places_of(one['refs'])}"
        is_warned = bool(warning_of(status))
        entry = replace(known.get(one["key"], About()), why=why, is_explained=False)
        shown = text if is_warned or not why else f"{text}: {why}"
        entries.append(entry_of(MemoryLabel(one["key"], "", status), shown, entry))
    text = "\n".join(entry.text for entry in entries)
    return fence_text(
        text, source="facts that need attention; each has key, status and author, then why, then the title"
    )


def count_facts(statuses: Mapping[str, int], waiting: Sequence[str]) -> list[str]:
    """Return how many facts have each status, and the keys of those that wait for approval, a line each."""
    counts = ", ".join(f"{number} {status}" for status, number in statuses.items() if number)
    return [f"Facts: {counts or 'none'}", *([f"Waiting for approval: {', '.join(waiting)}"] if waiting else [])]


def keys(lines: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the keys in lines of a status."""
    return [str(line["key"]) for line in lines]
