"""Read conversations in the exports of ChatGPT and Claude: one memory each, with who said what in reading order. Pure.

Sources: ``conversations.json`` of both exports. ChatGPT's has a tree of messages (``mapping``: by id, ``message``,
``parent``, ``children``; a message has ``author.role`` and ``content.parts``), in which an edited question is a further
branch; Claude's has a list (``chat_messages`` with ``sender``, ``text``, ``content``, ``attachments``, ``files``).
"""

from __future__ import annotations

from gitmem.plugins.import_.fields import Unreadable, without_empty
from gitmem.plugins.import_.times import time_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

KIND = "session"
# The parts of a message's content that have its words.
_WORDS = ("text", "result", "thinking", "extracted_content", "content", "input", "code")
_CREATED, _EDITED = ("create_time", "created_at", "createdAt"), ("update_time", "updated_at", "updatedAt")
_NAMES = ("file_name", "asset_pointer", "name")


def is_chat(table: Mapping[str, Any]) -> bool:
    """Return whether an object is a conversation: of others than ChatGPT and Claude, one with a title and roles."""
    if isinstance(table.get("mapping"), dict) or isinstance(table.get("chat_messages"), list):
        return True
    messages, is_titled = table.get("messages"), any(isinstance(table.get(name), str) for name in ("title", "name"))
    return is_titled and isinstance(messages, list) and any(isinstance(one, dict) and _role(one) for one in messages)


def read_chat(table: Mapping[str, Any], where: str) -> dict[str, Any] | Unreadable:
    """Return a conversation in common terms, or that it is empty."""
    is_tree = isinstance(table.get("mapping"), dict)
    said = (
        _said_in_tree(table["mapping"]) if is_tree else _said_in_list(table.get("chat_messages", table.get("messages")))
    )
    lines = [f"**{role}**: {text}" for role, text in said if text]
    if not lines:
        return Unreadable(where, "it is a conversation without a text", is_skipped=True)
    read = ("mapping", "chat_messages", "messages", "current_node", "name", "title", "account", *_CREATED, *_EDITED)
    rest = {name: value for name, value in table.items() if name not in read}
    return rest | without_empty(
        kind=KIND,
        title=table.get("title") or table.get("name"),
        body="\n\n".join(lines),
        created=next((table[name] for name in _CREATED if table.get(name)), None),
        edited=time_of(next((table[name] for name in _EDITED if table.get(name)), None)),
    )


def _said_in_tree(mapping: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield role and text of each message, every branch below the message that it answers."""
    nodes = {name: node for name, node in mapping.items() if isinstance(node, dict)}
    waiting = [name for name, node in reversed(nodes.items()) if node.get("parent") not in nodes]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        message, children = nodes[name].get("message"), nodes[name].get("children")
        waiting += [one for one in reversed(children if isinstance(children, list) else []) if one in nodes]
        if isinstance(message, dict):
            speaker = message.get("author")
            role = speaker.get("role") if isinstance(speaker, dict) else ""
            content = message.get("content")
            parts = content.get("parts") if isinstance(content, dict) else None
            yield str(role), "\n\n".join(_texts(parts if isinstance(parts, list) else content))


def _role(message: Mapping[str, Any]) -> str:
    return str(message.get("sender") or message.get("role") or "")


def _said_in_list(messages: Any) -> Iterator[tuple[str, str]]:
    for message in messages if isinstance(messages, list) else ():
        if isinstance(message, dict):
            own, texts = message.get("text"), list(_texts(message.get("content")))
            if isinstance(own, str) and own.strip() and not any(text in own for text in texts[:1]):
                texts = [own.strip(), *texts]
            attached = [text for name in ("attachments", "files") for text in _texts(message.get(name))]
            yield _role(message), "\n\n".join([*texts, *attached])


def _texts(value: object) -> Iterator[str]:
    """Yield the words in a content: texts, code, results of tools, and the names of files beside the export."""
    if isinstance(value, str):
        if value.strip():
            yield value.strip()
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)
    elif isinstance(value, dict):
        names = [value[name] for name in _NAMES if isinstance(value.get(name), str) and value[name]]
        for name in _WORDS:
            yield from _texts(value.get(name))
        if isinstance(value.get("input"), dict):
            yield from (one for one in value["input"].values() if isinstance(one, str) and one.strip())
        yield from (f"[{name}]" for name in names)
