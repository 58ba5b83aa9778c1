"""What other memory systems export as JSON: objects in lists and containers, and graphs of entities. Pure.

Sources: mem0's ``get_all`` (``results`` with ``memory``, ``relations`` with ``source``, ``relationship``, ``target``);
Letta's agent file (``blocks`` with ``label`` and ``value``, ``files`` with ``original_file_name`` and ``content``); the
reference MCP server "memory", whose lines have a ``type`` of ``entity`` (``name``, ``entityType``, ``observations``) or
``relation`` (``from``, ``to``, ``relationType``); claude-mem's ``export-memories`` (``observations`` with
``narrative``, ``facts``, ``concepts``, ``files_read``, lists written as JSON texts; ``summaries`` with ``request``,
``learned`` and others; ``prompts`` and ``sessions``); Graphiti's edges (``fact``, ``valid_at``, ``invalid_at``,
``expired_at``), nodes (``name``, ``summary``, ``labels``) and episodes; Standard Notes' backup (``items`` with
``content_type`` and ``content``).
"""

from __future__ import annotations

import json
from collections import defaultdict
from textwrap import indent

from gitmem.frozen import replace
from gitmem.plugins.import_.chats import is_chat, read_chat
from gitmem.plugins.import_.fields import (
    DELETED_REASON,
    EMPTY,
    TEXT,
    TITLE,
    ImportRecord,
    Unreadable,
    as_list,
    from_table,
    is_prose,
    tables_in,
    without_empty,
    words_of,
)
from gitmem.plugins.import_.keep import is_keep, read_keep
from gitmem.plugins.import_.names import key_of
from gitmem.plugins.import_.roam import is_graph, read_pages
from gitmem.plugins.import_.times import time_of
from gitmem.text import count_of, display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from typing import Any

# Objects inside objects are read this deep: an agent file has agents, which have blocks.
DEEPEST = 4
# Why a fact that ended is in the archive.
ENDED = "it no longer holds in the system it comes from"
# claude-mem's types of observations that are kinds here; the others are learnings.
_OBSERVED = {"decision": "decision", "bugfix": "gotcha"}
_SUMMARY = ("investigated", "learned", "completed", "next_steps", "notes")
# What Zep says about a user beside the facts.
_CONTEXT = "context"
# The lists that make an object with a title a container all the same.
_LISTS = ("memories", "results", "items", "data", "entries", "records", "documents", "notes")


def list_objects(found: Any, where: str) -> Iterator[tuple[str, Any]]:
    """Yield the objects in a JSON value with their locations: those of lists, and of objects that only contain lists.

    What such an object says besides its lists is named as skipped.

    Args:
        found: The value.
        where: Its location, for display.
    """
    if _is_texts(found):
        yield from ((f"{where}[{number}]", {"text": text}) for number, text in enumerate(found, 1))
    else:
        yield from _list_objects(found, where, 0)


def _list_objects(found: Any, where: str, depth: int) -> Iterator[tuple[str, Any]]:
    if is_graph(found):
        pages = [(f"{where}[{number}]", page) for number, page in enumerate(read_pages(found), 1)]
        yield from ((place, page) for place, page in pages if page is not None)
        if empty := sum(page is None for _, page in pages):  # Roam makes a page for each link
            yield where, Unreadable(where, f"{count_of(empty, 'page')} without a text", is_skipped=True)
        return
    if isinstance(found, list) and (not found or any(isinstance(entry, dict | list) for entry in found)):
        for number, entry in enumerate(found, 1):
            yield from _list_objects(entry, f"{where}[{number}]", depth)
        return
    if isinstance(found, dict) and isinstance(items := found.get("items"), list):
        _tag_notes(items)
    lists = _lists_in(found) if isinstance(found, dict) and depth < DEEPEST else {}
    if not lists:
        yield where, found
        return
    if isinstance(context := found.get(_CONTEXT), str) and is_prose(context):
        yield f"{where}: {_CONTEXT}", {"text": context}
    for name, inside in lists.items():
        yield from _list_objects(inside, f"{where}: {name}", depth + 1)
    if beside := [name for name, value in found.items() if name not in (*lists, _CONTEXT) and _says_something(value)]:
        names = display(", ".join(beside))
        yield where, Unreadable(where, f"not among its memories: {names}", is_skipped=True)


def _says_something(value: object) -> bool:
    """Return whether a value beside lists of memories has words: a number, a time or a version is about the export."""
    if isinstance(value, str):
        return len(value.split()) > 1 and time_of(value) is None
    return bool(words_of("", value))


def _lists_in(table: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return the lists of objects in a container; empty for an object that says something itself."""
    blocks = table.get("blocks", table.get("core_memory"))
    if _is_blocks(blocks):
        agents = table.get("agents")
        passages = (
            [passage for agent in agents if isinstance(agent, dict) for passage in _passages(agent)] if agents else []
        )
        files = [
            {
                "title": one.get("original_file_name") or one.get("file_name"),
                "text": one["content"],
                "created_at": time_of(one.get("file_creation_date")) or one.get("created_at"),
            }
            for one in tables_in(table.get("files"))
            if isinstance(one.get("content"), str)
        ]
        return {"blocks": blocks, "passages": passages or _passages(table), **({"files": files} if files else {})}
    if "frontmatter" in table or _has_text(table) or is_chat(table) or is_keep(table):
        return {}
    lists = {
        name: value
        for name, value in table.items()
        if isinstance(value, list) and any(isinstance(entry, dict) for entry in value)
    }
    lists |= {name: [{"text": text} for text in table[name]] for name in _LISTS if _is_texts(table.get(name))}
    if any(isinstance(table.get(name), str) and table[name] for name in TITLE):
        is_container = any(name in _LISTS for name in lists)
        return {name: value for name, value in lists.items() if is_container and (name in _LISTS or _has_notes(value))}
    # An object beside lists, or in the place of one, may be a memory or have some.
    inner = {
        name: [value]
        for name, value in table.items()
        if isinstance(value, dict)
        and (name in ("memory", "data") or (lists and (_has_text(value) or any(map(_has_notes, value.values())))))
    }
    return lists | inner


def _has_text(table: Mapping[str, Any]) -> bool:
    return any(isinstance(table.get(name), str) and table[name].strip() for name in TEXT)


def _has_notes(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(entry, dict) and _has_text(entry) for entry in value)


def _is_texts(value: object) -> bool:
    """Return whether a value is a list of texts of several words, as a person or a chat writes down memories."""
    return (
        isinstance(value, list) and value != [] and all(isinstance(text, str) and " " in text.strip() for text in value)
    )


def _is_blocks(value: object) -> bool:
    return isinstance(value, list) and any(
        isinstance(entry, dict) and "label" in entry and "value" in entry for entry in value
    )


def _passages(table: Mapping[str, Any]) -> list[Any]:
    passages = table.get("passages", table.get("archival_memory"))
    return passages if isinstance(passages, list) else []


def in_common_terms(table: Mapping[str, Any], where: str) -> dict[str, Any] | Unreadable:
    """Return an object of another system with the field names that ``from_table`` reads; others unchanged."""
    common_terms = dict(table)
    for is_one, translate in _SYSTEMS:
        if is_one(common_terms):
            translated: dict[str, Any] | Unreadable = translate(common_terms, where)
            return translated
    return common_terms


def _claude_mem_observation(table: dict[str, Any], _where: str) -> dict[str, Any]:
    texts = [str(table.get(name) or "") for name in ("narrative", "text")]
    facts = "\n".join(f"- {text}" for text in _texts(table.get("facts")))
    lines = [str(table.get("subtitle") or ""), *texts, facts]
    paths = [*_texts(table.get("files_read")), *_texts(table.get("files_modified"))]
    kind = str(table.get("type") or "")
    read = (
        "narrative",
        "text",
        "facts",
        "subtitle",
        "concepts",
        "files_read",
        "files_modified",
        "type",
        "prompt_number",
    )
    rest = {name: value for name, value in table.items() if name not in (*read, "id", "created_at_epoch")}
    return rest | without_empty(
        kind=_OBSERVED.get(kind, "learned"),
        body="\n\n".join(line for line in lines if line),
        tags=[*([kind] if kind else []), *_texts(table.get("concepts"))],
        refs=list(dict.fromkeys(path for path in paths if path)),
        created=time_of(table.get("created_at_epoch")) or table.get("created_at"),
    )


def _claude_mem_summary(table: dict[str, Any], _where: str) -> dict[str, Any]:
    parts = [(name, str(table.get(name) or "").strip()) for name in _SUMMARY]
    files = [*_texts(table.get("files_read")), *_texts(table.get("files_edited"))]
    read = (*_SUMMARY, "request", "id", "files_read", "files_edited", "created_at_epoch", "prompt_number")
    rest = {name: value for name, value in table.items() if name not in read}
    return rest | without_empty(
        kind="session",
        title=str(table["request"]),
        body="\n\n".join(f"{name.replace('_', ' ').capitalize()}: {text}" for name, text in parts if text),
        refs=list(dict.fromkeys(files)),
        created=time_of(table.get("created_at_epoch")) or table.get("created_at"),
    )


def _claude_mem_prompt(_table: dict[str, Any], where: str) -> Unreadable:
    return Unreadable(where, "it is what a user typed or a session's data, not a memory", is_skipped=True)


def _texts(value: object) -> list[str]:
    """Return a list of texts, which claude-mem writes as JSON."""
    if isinstance(value, str) and value.startswith("["):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return [str(value)]
    return as_list(value) if isinstance(value, list) else [value] if isinstance(value, str) and value else []


def _graphiti_edge(table: dict[str, Any], _where: str) -> dict[str, Any]:
    name = table.get("name")
    tags = [name.lower()] if isinstance(name, str) else []
    rest = {key: value for key, value in table.items() if key not in ("fact", "episodes", *(["name"] if tags else []))}
    ended = table.get("invalid_at") or table.get("expired_at")
    return rest | without_empty(
        body=table["fact"],
        tags=tags,
        created=table.get("valid_at") or table.get("created_at"),
        kind="learned",
        status="ended" if ended else None,
    )


def _graphiti_node(table: dict[str, Any], _where: str) -> dict[str, Any]:
    labels = [label for label in as_list(table.get("labels")) if label != "Entity"]
    rest = {name: value for name, value in table.items() if name not in ("name", "summary", "labels", "node_labels")}
    return rest | without_empty(title=table["name"], body=table["summary"] or table["name"], tags=labels, kind="doc")


def _letta_block(table: dict[str, Any], _where: str) -> dict[str, Any]:
    about = table.get("description")
    more = {"description": about, "tags": as_list(table.get("tags")), "metadata": table.get("metadata")}
    more["created"] = table.get("created_at")
    return without_empty(title=table["label"], body=table["value"], **more)


def _mem0_relation(table: dict[str, Any], _where: str) -> dict[str, Any]:
    end = table.get("target", table.get("destination"))
    rest = {name: table[name] for name in table if name not in ("source", "relationship", "target", "destination")}
    return rest | {"body": f"{table['source']} — {table['relationship']} — {end}", "tags": ["relation"]}


def _tag_notes(items: list[Any]) -> None:
    """Give the notes of a backup of Standard Notes the names of the tags that refer to them."""
    notes = {item["uuid"]: item for item in items if isinstance(item, dict) and _is_standard_note(item)}
    for tag in notes.values():
        about = tag["content"]
        if tag["content_type"] == "Tag" and isinstance(about, dict) and isinstance(about.get("references"), list):
            for link in about["references"]:
                note = notes.get(str(link.get("uuid"))) if isinstance(link, dict) else None
                if note is not None and isinstance(about.get("title"), str):
                    note["tags"] = [*as_list(note.get("tags")), about["title"]]


def _is_standard_note(table: Mapping[str, Any]) -> bool:
    return all(isinstance(table.get(name), str) for name in ("uuid", "content_type")) and "content" in table


def _standard_note(table: dict[str, Any], where: str) -> dict[str, Any] | Unreadable:
    about, kind = table["content"], table["content_type"]
    if isinstance(about, str):
        return Unreadable(where, "it is encrypted: export a decrypted backup")
    if kind != "Note" or not isinstance(about, dict):
        return Unreadable(where, f"it is not a note but a {display(kind)} of Standard Notes", is_skipped=True)
    if about.get("trashed") is True:
        return Unreadable(where, DELETED_REASON, is_skipped=True)
    named = {name: table.get(name) for name in ("uuid", "created_at", "updated_at", "tags")}
    text = about.get("text")
    if about.get("noteType") == "super" and isinstance(text, str):
        text = _super_text(text)
    return without_empty(title=about.get("title"), text=text, **named)


def _super_text(text: str) -> str:
    """Return the words in a tree of blocks, as Standard Notes' editor "Super" stores; any other text unchanged."""
    try:
        root = json.loads(text)["root"]
        return "\n\n".join(filter(None, (_words_in(block).strip() for block in root["children"])))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return text


def _words_in(block: Mapping[str, Any]) -> str:
    """Return the text of a block of Lexical, with its list items and rows in lines of their own."""
    name = str(block.get("type"))
    if isinstance(block.get("text"), str):
        return str(block["text"])
    if name == "linebreak":
        return "\n"
    between = {"list": "\n", "table": "\n", "tablerow": " | "}.get(name, "")
    children = block.get("children", ())
    inner = between.join(map(_words_in, children))
    if name == "listitem" and any(child.get("type") == "list" for child in children):
        return indent(inner, "  ")  # a list inside a list is in an item of its own
    sign = {"listitem": "- ", "heading": "## ", "quote": "> "}.get(name, "")
    address = f" <{block['url']}>" if isinstance(block.get("url"), str) else ""
    return f"{sign}{inner}{address}"


def _has(*names: str) -> Any:
    return lambda table: all(name in table for name in names)


_SYSTEMS: tuple[tuple[Any, Any], ...] = (
    (_is_standard_note, _standard_note),
    (is_keep, read_keep),
    (is_chat, read_chat),
    (_has("narrative", "facts"), _claude_mem_observation),
    (_has("request", "next_steps"), _claude_mem_summary),
    (_has("prompt_text"), _claude_mem_prompt),
    (_has("user_prompt", "project"), _claude_mem_prompt),
    (_has("fact", "uuid"), _graphiti_edge),
    (_has("name", "summary", "uuid"), _graphiti_node),
    (_has("label", "value"), _letta_block),
    (_has("source", "relationship"), _mem0_relation),
)


def is_ended(table: Mapping[str, Any]) -> bool:
    """Return whether an object of Graphiti says that its fact holds no more."""
    return "fact" in table and "uuid" in table and bool(table.get("invalid_at") or table.get("expired_at"))


def as_ended(record: ImportRecord, table: Mapping[str, Any]) -> ImportRecord:
    """Return a memory that goes to the archive, because it holds no more."""
    ended = time_of(table.get("invalid_at")) or time_of(table.get("expired_at")) or ""
    return replace(record, archived=True, why=ENDED, ended=ended)


class Graph:
    """The entities and relations of an MCP memory, which are read completely before their memories are made."""

    def __init__(self) -> None:
        # By name: where it was found first, its types, the lines of its observations, and its other fields.
        self._entities: dict[str, tuple[str, list[str], list[str], dict[str, Any]]] = {}
        self._relations: dict[str, list[tuple[str, str, str]]] = defaultdict(list)

    def add(self, table: Any, where: str) -> bool:
        """Add an entity or a relation; return whether the object is one."""
        if not isinstance(table, dict):
            return False
        if isinstance(table.get("name"), str) and isinstance(table.get("observations"), list):
            self._add_entity(table, where)
            return True
        if all(isinstance(table.get(name), str) for name in ("from", "to", "relationType")):
            more = _more(table, ("from", "to", "relationType", "type"))
            self._relations[table["from"]].append((table["relationType"], table["to"], more))
            return True
        return False

    def _add_entity(self, table: Mapping[str, Any], where: str) -> None:
        """Add an entity; one with the name of another adds its observations to that one."""
        name, about = table["name"], str(table.get("entityType") or "")
        _, tags, seen, fields = self._entities.setdefault(name, (where, [], [], {}))
        tags += [about] if about and about not in tags else []
        seen += [
            line
            for observation in table["observations"]
            if observation and (line := f"- {_observation(observation)}") not in seen
        ]
        for field, value in table.items():
            if field not in ("name", "observations", "entityType", "type") and value not in EMPTY:
                fields.setdefault(field, value)

    def records(self, kind: str) -> Iterator[ImportRecord | Unreadable]:
        """Yield the memories: one for each entity, and one for each end of relations that is not an entity."""
        names = set(self._entities)
        for name, (where, tags, seen, more) in self._entities.items():
            yield self._record(where, name, seen, names, kind, tags=tags, more=more)
        where = next(iter(self._entities.values()))[0].partition(":")[0] if self._entities else "relations"
        for name in sorted(set(self._relations) - names):
            yield self._record(where, name, [], names, kind, tags=[], more={})

    def _record(
        self,
        where: str,
        name: str,
        lines: list[str],
        names: set[str],
        kind: str,
        *,
        tags: list[str],
        more: Mapping[str, Any],
    ) -> ImportRecord | Unreadable:
        linked = self._relations.get(name, [])
        lines = [*lines, *(f"- {relation} {other}{rest}" for relation, other, rest in linked)]
        refs = [key_of(other) for _, other, _ in linked if other in names]
        fields = without_empty(kind=kind, title=name, tags=tags, refs=list(dict.fromkeys(refs)))
        return from_table({**more, **fields, "key": name, "body": "\n".join(lines) or name}, where=where, kind=kind)


def _more(table: Mapping[str, Any], read: Collection[str]) -> str:
    """Return the other fields of an observation or relation in parentheses; empty if there is none."""
    parts = [f"{name}: {value}" for name, value in table.items() if name not in read and value not in EMPTY]
    return f" ({', '.join(parts)})" if parts else ""


def _observation(value: object) -> str:
    """Return the text of an observation, which some servers store as an object."""
    if isinstance(value, dict):
        name = next((name for name in TEXT if value.get(name)), "")
        return f"{value[name]}{_more(value, (name,))}" if name else json.dumps(value, ensure_ascii=False)
    return " ".join(str(value).split("\n"))
