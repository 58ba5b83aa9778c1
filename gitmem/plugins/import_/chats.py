"""Read conversations that ChatGPT, Claude and others export: a memory for each, with who said what, in order. Pure.

Sources: ``conversations.json`` of both exports. ChatGPT's has a tree of messages (``mapping``: by id, ``message``,
``parent``, ``children``; a message has ``author.role`` and ``content.parts``), in which an edited question is a further
branch; Claude's has a list (``chat_messages`` with ``sender``, ``text``, ``content``, ``attachments``, ``files``).
"""

from __future__ import annotations

import re

from gitmem.plugins.import_.fields import TEXT, Unreadable, is_prose, tables_in, without_empty
from gitmem.plugins.import_.times import time_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

KIND = "session"
# The parts of a message's content that have its words, and those that name a file beside the export, or a tool.
_WORDS = ("text", "result", "thinking", "extracted_content", "content", "code")
_NAMES = ("file_name", "asset_pointer", "name")
# The addresses that become links, the most characters of one, and an address that has data itself.
_FOLLOWED, MOST_URL = ("https://", "http://"), 2_000
_DATA = re.compile(r"(?<![\w:])data:([\w.+-]{1,60}/[\w.+-]{1,60})?((?:;[\w.=+-]{1,60}){0,4}),\S*")
_CREATED, _EDITED = ("create_time", "created_at", "createdAt"), ("update_time", "updated_at", "updatedAt")


def is_chat(table: Mapping[str, Any]) -> bool:
    """Return whether an object is a conversation; one of other programs has a title, and messages with roles."""
    if _is_tree(table) or isinstance(table.get("chat_messages"), list):
        return True
    messages, is_titled = table.get("messages"), any(isinstance(table.get(name), str) for name in ("title", "name"))
    if not (is_titled and isinstance(messages, list) and messages):
        return False
    if any(isinstance(part, dict) and _role(part) for part in messages):
        return True
    has_text = any(isinstance(text := table.get(name), str) and text.strip() for name in TEXT)
    return not has_text and all(map(_has_words, messages))


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
            about = message.get("metadata")
            attached = about.get("attachments") if isinstance(about, dict) else None
            files = [item.get("name") for item in tables_in(attached)]
            names = [f"[{name.strip('[]')}]" for name in files if isinstance(name, str) and name]
            yield role, "\n\n".join([*_texts(parts if isinstance(parts, list) else content), *names])


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
            yield _without_data(value.strip())
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)
    elif isinstance(value, dict):
        names = [value[name] for name in _NAMES if isinstance(value.get(name), str) and value[name]]
        arguments = value.get("input")
        said = [value.get(name) for name in _WORDS]
        said += arguments.values() if isinstance(arguments, dict) else [arguments]
        words = _texts(said)
        first = next(words, "")
        if first:
            yield first
            yield from words
        elif not names:
            others = (other for name, other in value.items() if name not in (*_WORDS, "input"))
            yield from _texts([other for other in others if isinstance(other, list | dict) or _is_said(other)])
        if isinstance(value.get("url"), str):
            yield from _link(value["url"], value.get("title"))
        if isinstance(value.get("image_url"), str):
            yield from _link(value["image_url"], None)
        yield from (f"[{_without_data(name).strip('[]')}]" for name in names)


def _link(url: str, title: object) -> Iterator[str]:
    """Yield a link to what a part quotes, or the type of the data in its address."""
    if url.startswith(_FOLLOWED) and len(url) <= MOST_URL:
        yield f"[{title}]({url})" if isinstance(title, str) else f"<{url}>"
    elif (data := _without_data(url)) != url:
        yield data


def _without_data(text: str) -> str:
    """Return a text with the type alone of each URL that has data itself: ``[image/png]`` (RFC 2397)."""
    return _DATA.sub(_type_of, text) if "data:" in text else text


def _type_of(url: re.Match[str]) -> str:
    kind, options = url.groups()
    return f"[{kind or 'data'}]" if kind or "base64" in options else url[0]


def _is_said(value: object) -> bool:
    return _has_words(value) and is_prose(value)


def _has_words(value: object) -> bool:
    return isinstance(value, str) and " " in value.strip()
