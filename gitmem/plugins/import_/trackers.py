"""Issues of trackers that agents use, beads and Beans, as tasks: state, attempts, dependencies and comments. Pure.

Sources: beads' ``.beads/issues.jsonl`` (``bd export``: id, title, description, design, acceptance_criteria, notes,
status, priority, issue_type, assignee, labels, dependencies of ``issue_id``, ``depends_on_id`` and ``type``, comments
of ``author``, ``text`` and ``created_at``, close_reason); Beans' YAML files (the example in its document: id, title,
slug, status, priority, description, verify, attempts of ``num``, ``outcome``, ``notes``), or Markdown with frontmatter.
"""

from __future__ import annotations

import json

from gitmem.document.fields import MAX_PRIORITY
from gitmem.model import CLAIMED, CLOSED, FAILED, OPEN, TASK
from gitmem.plugins.import_.fields import (
    DELETED,
    EMPTY,
    STORE_ONLY,
    ImportRecord,
    Unreadable,
    add_fields,
    as_list,
    is_plain_list,
    list_store_only,
    without_empty,
    words_of,
)
from gitmem.plugins.import_.times import time_of
from gitmem.tasks.life import NOTE_BYTES
from gitmem.tasks.task import DONE, RELEASED
from gitmem.write.draft import key_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

LEARNED = "LEARNED:"
FACT = "fact"
_OPEN = ("open", "todo", "draft", "ready", "blocked", "deferred", "pinned", "hooked", "backlog")
_HELD = ("in_progress", "in-progress", "claimed", "started")
_CLOSED = ("closed", "completed", "done", "resolved", "scrapped", "cancelled")
_LEVELS = {
    **{f"p{level}": level for level in range(MAX_PRIORITY + 1)},
    "critical": 0,
    "high": 1,
    "normal": 2,
    "medium": 2,
    "low": 3,
    "deferred": 4,
}
# Fields that only an issue has, besides id, title and status.
_SIGNS = (
    *("priority", "issue_type", "bean_type", "dependencies", "acceptance_criteria", "close_reason", "slug", "attempts"),
    *("attempt_log", "assignee", "blocking", "blocked_by", "closed_at"),
)
_BODIES = {
    "description": "",
    "body": "",
    "design": "Design",
    "acceptance_criteria": "Acceptance criteria",
    "acceptance": "Acceptance criteria",
    "notes": "Notes",
}
_READ = frozenset(
    (
        *("id", "title", "slug", "status", "labels", "tags", "priority", "parent", "verify", "paths", "produces"),
        *("requires", "dependencies", "blocked_by", "comments", "attempts", "attempt_log", "close_reason", "closed_at"),
        *("created_at", "updated_at", "created_by", "assignee", "claimed_by", "claimed_at", "started_at", "bean_type"),
        *("issue_type", "type", "owner", "stale_after", "last_verified", *_BODIES),
    )
)
_WORDS = ("labels", "tags", "requires", "blocked_by", "paths", "produces")
# The fields that may have the text of a comment: of beads, and of other trackers.
_TEXTS = ("text", "body", "content", "comment", "message")
_FRAME = frozenset(("id", "issue_id", "author", "user", "created_at", "created", "updated_at"))
_OUTCOMES = {"success": DONE, "done": DONE, "failed": FAILED, "failure": FAILED, "abandoned": RELEASED}
NOBODY = "unknown"


def status_of(table: Mapping[str, Any]) -> str:
    """Return the status of an issue in lower case; some write it as a list of one."""
    status = table.get("status")
    return str(status[0] if isinstance(status, list) and len(status) == 1 else status).strip().lower()


def is_issue(table: Mapping[str, Any]) -> bool:
    """Return whether a JSON object or a frontmatter is a tracker's issue."""
    return (
        isinstance(table.get("id"), str | int)
        and isinstance(table.get("title"), str)
        and status_of(table) in (*_OPEN, *_HELD, *_CLOSED, *DELETED)
        and any(name in table for name in _SIGNS)
        and "frontmatter" not in table
    )


def read_issue(table: Mapping[str, Any], *, where: str) -> list[ImportRecord | Unreadable]:
    """Return the task for an issue, and the learnings in its comments.

    Args:
        table: Its fields.
        where: Its location, for display.
    """
    key = key_of(table["id"])
    status = status_of(table)
    if not key:
        return [Unreadable(where, "its id has neither a letter nor a digit")]
    if status in DELETED:
        return [Unreadable(where, "it was deleted in its tracker", is_skipped=True)]
    fields: dict[str, Any] = {"kind": FACT if str(table.get("bean_type")) == FACT else TASK}
    fields["title"] = " ".join(str(table["title"]).split())
    if fields["kind"] == TASK:
        fields |= _life(table, status)
    fields |= _links(table)
    tags = [*as_list(table.get("labels")), *as_list(table.get("tags")), *_type_of(table)]
    tags += [status] if status in _OPEN[1:] else []
    author = table.get("created_by") or table.get("owner")
    fields |= without_empty(
        priority=_priority(table.get("priority")),
        verify=table.get("verify") or None,
        tags=list(dict.fromkeys(tags)),
        created=time_of(table.get("created_at")),
        updated=time_of(table.get("updated_at")),
        by={"who": str(author)} if author else None,
    )
    left_out = [*add_fields(table, _READ | STORE_ONLY, fields)]
    left_out += [name for name in list_store_only(table) if name not in fields and name not in _READ]
    comments = _comments(table)
    learnings = [(text, who, when) for text, who, when in comments if text.upper().startswith(LEARNED)]
    body = _body(table, fields, [comment for comment in comments if comment not in learnings])
    learned = [_list_learnings(key, text, who, when, where) for text, who, when in learnings]
    return [ImportRecord(where, key, fields, body, left_out=tuple(left_out)), *learned]


def key_of(identity: object) -> str:
    """Return the key for an issue: its id in lower case; if that is only a number, ``bean-41``."""
    text = str(identity).strip().lower()
    if text.replace(".", "").isdigit():
        text = f"bean-{text}"
    return key_from(text)


def _life(table: Mapping[str, Any], status: str) -> dict[str, Any]:
    """Return the state of a task with its attempts, its claim, and how it was closed."""
    attempts = _attempts(table)
    fields: dict[str, Any] = {"attempts": attempts} if attempts else {}
    who = str(table.get("claimed_by") or table.get("assignee") or "")
    if status in _CLOSED:
        reason = str(table.get("close_reason") or ("" if status in ("closed", "completed", "done") else status))
        when = time_of(table.get("closed_at")) or time_of(table.get("updated_at"))
        closed = without_empty(when=when, who=who or NOBODY, reason=_short(reason))
        return {"state": CLOSED, "closed": closed, **fields}
    if status in _HELD:
        since = time_of(table.get("claimed_at") or table.get("started_at") or table.get("updated_at"))
        num = 1 + max((attempt["num"] for attempt in attempts), default=0)
        return {"state": CLAIMED, "claimed": without_empty(num=num, who=who or NOBODY, when=since), **fields}
    return {"state": OPEN, **fields, **without_empty(assignee=who)}


def _attempts(table: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the finished attempts; Beans has them as ``attempts``, later versions as ``attempt_log``."""
    attempts = []
    for number, row in enumerate(_rows(table, "attempt_log", "attempts"), 1):
        outcome = _OUTCOMES.get(str(row.get("outcome") or "").lower(), str(row.get("outcome") or RELEASED))
        num = row.get("num") if type(row.get("num")) is int and row["num"] >= 1 else number
        ended = without_empty(
            num=num,
            outcome=outcome,
            who=str(row.get("agent") or row.get("who") or NOBODY),
            when=time_of(row.get("started_at") or row.get("when")),
            ended=time_of(row.get("finished_at") or row.get("ended")),
            notes=_short(str(row.get("notes") or "")),
        )
        attempts.append(ended)
    return attempts


def _short(text: str) -> str:
    """Return text shortened for a note; ``_body`` has all of it."""
    line = " ".join(text.split())
    return line if len(line.encode()) <= NOTE_BYTES else line.encode()[: NOTE_BYTES - 3].decode(errors="ignore") + "…"


def _links(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parent, the requirements, and other links."""
    waits = [key_of(key) for name in ("requires", "blocked_by") for key in as_list(table.get(name))]
    parent = key_of(table["parent"]) if table.get("parent") else ""
    others: dict[str, list[str]] = {}
    dependencies = table.get("dependencies")
    for dependency in dependencies if isinstance(dependencies, list) else []:
        kind = str(dependency.get("type") or "blocks") if isinstance(dependency, dict) else "blocks"
        if not (other := _other_of(dependency)):
            continue
        if kind == "blocks":
            waits.append(key_of(other))
        elif kind == "parent-child":
            parent = key_of(other)
        else:
            others.setdefault(kind.replace("-", "_"), []).append(key_of(other))
    paths, produces = as_list(table.get("paths")), as_list(table.get("produces"))
    fields = without_empty(requires=list(dict.fromkeys(waits)), parent=parent, paths=paths, produces=produces)
    return fields | {name: keys for name, keys in others.items() if name not in fields}


def _priority(value: object) -> int | None:
    if isinstance(value, str) and value.lower() in _LEVELS:
        return _LEVELS[value.lower()]
    number = int(value) if isinstance(value, str) and value.isdecimal() else value
    return min(number, MAX_PRIORITY) if type(number) is int and number >= 0 else None


def _type_of(table: Mapping[str, Any]) -> list[str]:
    kind = table.get("issue_type") or table.get("type")
    return [str(kind)] if kind and kind != TASK else []


def _comments(table: Mapping[str, Any]) -> list[tuple[str, str, str | None]]:
    """Return text, author and time of each comment; of one without a field for its text, all that it says."""
    comments = []
    for row in _rows(table, "comments"):
        text = next((str(row[name]).strip() for name in _TEXTS if str(row.get(name) or "").strip()), "")
        has_content = any(value for name, value in row.items() if name not in _FRAME)
        other = json.dumps(row, ensure_ascii=False, default=str) if has_content and not text else ""
        who = row.get("author") or row.get("user") or ""
        who = who.get("login") or who.get("name") or "" if isinstance(who, dict) else who
        comments.append((text or other, str(who), time_of(row.get("created_at") or row.get("created"))))
    return [comment for comment in comments if comment[0]]


def _rows(table: Mapping[str, Any], *names: str) -> list[dict[str, Any]]:
    """Return the tables in the first of these fields that is a list; plain text in it, as a table with that text."""
    name = next((name for name in names if isinstance(table.get(name), list)), "")
    plain = "text" if name == "comments" else "notes"
    rows: list[Any] = table[name] if name else []
    return [row if isinstance(row, dict) else {plain: str(row)} for row in rows if row]


def _list_learnings(key: str, text: str, who: str, when: str | None, where: str) -> ImportRecord:
    """Return the learnings in a comment, as capture would find them."""
    fields = without_empty(kind="learned", task=key, created=when, by={"who": who} if who else None)
    return ImportRecord(where, "", fields, text[len(LEARNED) :].strip())


def _body(table: Mapping[str, Any], fields: Mapping[str, Any], comments: list[tuple[str, str, str | None]]) -> str:
    """Return the body of a task: everything that people wrote, and what does not fit into fields."""
    parts = []
    for name, heading in _BODIES.items():
        text = _text_of(table.get(name))
        parts += [f"## {heading}\n\n{text}" if heading else text] if text else []
    notes = [str(row.get("notes") or "") for row in _rows(table, "attempt_log", "attempts")]
    long = [text for text in notes if len(text) > NOTE_BYTES]
    reason = str(table.get("close_reason") or "")
    long += [reason] if len(reason) > NOTE_BYTES else []
    parts += ["## Notes in full\n\n" + "\n\n".join(long)] if long else []
    lines = [f"- {' '.join(filter(None, (when, who)))}: {text}" for text, who, when in comments]
    parts += ["## Comments\n\n" + "\n".join(line.replace("\n", "\n  ") for line in lines)] if lines else []
    parts += [_text_of({name: table[name]}) for name in sorted(_READ & table.keys()) if _is_odd(name, table[name])]
    return "\n\n".join(parts) or str(fields["title"])


def _text_of(value: object) -> str:
    """Return what people wrote in a field, also if it is a list or a table."""
    if isinstance(value, str) or not value:
        return str(value or "").strip()
    return words_of("", value).strip(" :\n") or json.dumps(value, ensure_ascii=False, default=str)


def _is_odd(name: str, value: object) -> bool:
    """Return whether a field of an issue has another form than the one that is read: its text goes to the body."""
    if value in EMPTY:
        return False
    if name in _WORDS:
        return not is_plain_list(value)
    if name == "dependencies":
        return not isinstance(value, list) or not all(_other_of(entry) for entry in value)
    if name in ("comments", "attempts", "attempt_log"):
        return not isinstance(value, list)
    return name == "priority" and _priority(value) is None


def _other_of(dependency: object) -> str:
    """Return the id of the issue that a dependency names; empty if it names none."""
    other = dependency.get("depends_on_id", dependency.get("id")) if isinstance(dependency, dict) else dependency
    return str(other) if isinstance(other, str | int) else ""
