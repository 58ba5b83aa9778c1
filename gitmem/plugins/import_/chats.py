"""Read conversations that ChatGPT, Claude and others export: a memory for each, with who said what, in order. Pure.

Sources: ``conversations.json`` of both exports. ChatGPT's has a tree of messages (``mapping``: by id, ``message``,
``parent``, ``children``; a message has ``author.role`` and ``content.parts``), in which an edited question is a further
branch; Claude's has a list (``chat_messages`` with ``sender``, ``text``, ``content``, ``attachments``, ``files``).
"""

from __future__ import annotations

from gitmem.plugins.import_.fields import Unreadable, is_prose, without_empty
from gitmem.plugins.import_.times import time_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

KIND = "session"
# The parts of a message's content that have its words, and those that name a file beside the export, or a tool.
_WORDS = ("text", "result", "thinking", "extracted_content", "content", "code")
_NAMES = ("file_name", "asset_pointer", "name")
_CREATED, _EDITED = ("create_time", "created_at", "createdAt"), ("update_time", "updated_at", "updatedAt")


def is_chat(table: Mapping[str, Any]) -> bool:
    """Return whether an object is a conversation; one of other programs has a title, and messages with roles."""
    if _is_tree(table) or isinstance(table.get("chat_messages"), list):
        return True
    messages, is_titled = table.get("messages"), any(isinstance(table.get(name), str) for name in ("title", "name"))
    if not (is_titled and isinstance(messages, list) and messages):
        return False
    return any(isinstance(part, dict) and _role(part) for part in messages) or all(map(_has_words, messages))


def _is_tree(table: Mapping[str, Any]) -> bool:
    """Return whether an object is a conversation of ChatGPT; the ``mapping`` of other objects may map anything."""
    mapping = table.get("mapping")
    if not isinstance(mapping, dict):
        return False
    return "current_node" in table or any(isinstance(node, dict) and "message" in node for node in mapping.values())


def read_chat(table: Mapping[str, Any], where: str) -> dict[str, Any] | Unreadable:
    """Return a conversation in common terms, or why there is none."""
    if _is_tree(table):
        messages = _messages_in_tree(table["mapping"])
    else:
        messages = _messages_in_list(table.get("chat_messages", table.get("messages")))
    try:
        lines = [f"**{role}**: {text}" if role else text for role, text in messages if text]
    except RecursionError:
        return Unreadable(where, "it is nested too deeply")
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


def _messages_in_tree(mapping: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield role and text of each message, each branch below what it answers; those that no root leads to are last."""
    nodes = {name: node for name, node in mapping.items() if isinstance(node, dict)}
    parents = {name: parent for name, node in nodes.items() if isinstance(parent := node.get("parent"), str)}
    roots = [name for name in nodes if parents.get(name) not in nodes]
    waiting = [*reversed(nodes), *reversed(roots)]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        message, children = nodes[name].get("message"), nodes[name].get("children")
        below = children if isinstance(children, list) else []
        waiting += [child for child in reversed(below) if isinstance(child, str) and child in nodes]
        if isinstance(message, dict):
            speaker, content = message.get("author"), message.get("content")
            parts = content.get("parts") if isinstance(content, dict) else None
            role = _role(speaker) if isinstance(speaker, dict) else ""
            yield role, "\n\n".join(_texts(parts if isinstance(parts, list) else content))


def _role(about: Mapping[str, Any]) -> str:
    roles = (about.get(name) for name in ("sender", "role"))
    return next((role for role in roles if isinstance(role, str) and role), "")


def _messages_in_list(messages: Any) -> Iterator[tuple[str, str]]:
    for message in messages if isinstance(messages, list) else ():
        if _has_words(message):
            yield "", message.strip()
        if isinstance(message, dict):
            own, texts = message.get("text"), list(_texts(message.get("content")))
            if isinstance(own, str) and own.strip() and not any(text in own for text in texts[:1]):
                texts = [own.strip(), *texts]
            attached = [text for name in ("attachments", "files") for text in _texts(message.get(name))]
            yield _role(message), "\n\n".join([*texts, *attached])


def _texts(value: object) -> Iterator[str]:
    """Yield the words in a content: texts, code, results of tools, and the names of files beside the export.

    Of a part of a kind that is not known, every text of several words is one.
    """
    if isinstance(value, str):
        if value.strip():
            yield value.strip()
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)
    elif isinstance(value, dict):
        names = [value[name] for name in _NAMES if isinstance(value.get(name), str) and value[name]]
        arguments = value.get("input")
        words = [text for name in _WORDS for text in _texts(value.get(name))]
        words += _texts(list(arguments.values()) if isinstance(arguments, dict) else arguments)
        if not words and not names:
            others = (other for name, other in value.items() if name not in (*_WORDS, "input"))
            for other in others:
                words += (
                    _texts(other) if isinstance(other, list | dict) or (_has_words(other) and is_prose(other)) else ()
                )
        yield from words
        if isinstance(value.get("url"), str) and value["url"]:  # what it quotes
            yield f"[{value['title']}]({value['url']})" if isinstance(value.get("title"), str) else f"<{value['url']}>"
        yield from (f"[{name}]" for name in names)


def _has_words(value: object) -> bool:
    return isinstance(value, str) and " " in value.strip()
