"""A conversation is one memory, with every message that has words in reading order."""

from __future__ import annotations

from support.each import each

from gitmem.plugins.import_.chats import read_chat
from gitmem.plugins.import_.fields import Unreadable
from gitmem.plugins.import_.systems import in_common_terms, list_objects


def node(role: str, parent: str | None, *children: str, **content: object) -> dict[str, object]:
    return {"message": {"author": {"role": role}, "content": content}, "parent": parent, "children": list(children)}


def test_branches_of_chatgpt_follow_the_message_that_they_answer() -> None:
    chat = {
        "title": "Keys",
        "create_time": 1700000000.5,
        "mapping": {
            "r": {"message": None, "parent": None, "children": ["a", "c"]},
            "c": node("user", "r", parts=["Edited", {"asset_pointer": "file:x"}]),
            "a": node("user", "r", "b", "c", parts=["First"]),
            "b": node("assistant", "a", content_type="code", text="rotate()"),
            "loop": node("user", "loop", "loop", parts=["Below no root"]),
            "odd": {"message": {"author": [], "content": []}, "parent": ["r"], "children": [{}, "loop"]},
        },
        "current_node": "b",
        "conversation_id": "c1",
    }

    ((where, found),) = list_objects([chat], "x")

    assert in_common_terms(found, where) == {
        "conversation_id": "c1",
        "kind": "session",
        "title": "Keys",
        "created": 1700000000.5,
        "body": "**user**: First\n\n**assistant**: rotate()\n\n**user**: Edited\n\n[file:x]\n\n**user**: Below no root",
    }


def test_text_attachments_and_tools_of_claude_are_kept_once() -> None:
    said = {"sender": "human", "text": "Read it", "content": [{"type": "text", "text": "Read it"}]}
    attached = {
        "attachments": [{"file_name": "a.txt", "extracted_content": "inside"}],
        "files": [{"file_name": "b.png"}],
    }
    tool = {"type": "tool_use", "name": "search", "input": {"query": "ferries", "code": "sail()", "all": ["at six"]}}
    answer = {"sender": "assistant", "text": "", "content": [{"type": "thinking", "thinking": "Hm"}, tool, None]}

    found = read_chat(
        {"name": "Docs", "chat_messages": [said | attached, answer, "odd"], "updated_at": "2024-05-01"}, "x"
    )

    assert found == {
        "kind": "session",
        "title": "Docs",
        "edited": "2024-05-01T00:00:00Z",
        "body": "**human**: Read it\n\ninside\n\n[a.txt]\n\n[b.png]\n\n"
        "**assistant**: Hm\n\nferries\n\nsail()\n\nat six\n\n[search]",
    }


def test_conversation_of_another_program_has_a_title_and_roles() -> None:
    said = [{"role": "user", "content": "Which ferry?"}, {"sender": "Model", "text": "The one at six"}]

    ((_, chat),) = list_objects([{"title": "Ferries", "createdAt": "2024-05-01", "messages": said}], "x")
    ((_, found), *_) = list_objects([{"title": "Ferries", "messages": [{"text": "no role"}]}], "x")

    assert in_common_terms(chat, "x") == {
        "kind": "session",
        "title": "Ferries",
        "created": "2024-05-01",
        "body": "**user**: Which ferry?\n\n**Model**: The one at six",
    }
    assert in_common_terms(found, "x") == found


def test_messages_may_be_plain_texts_and_a_list_of_names_is_no_conversation() -> None:
    ((_, chat),) = list_objects([{"title": "Ports", "messages": ["user: which port?", "assistant: it is 5000"]}], "x")

    assert in_common_terms(chat, "x")["body"] == "user: which port?\n\nassistant: it is 5000"
    names = {"title": "Ports", "text": "Of ports", "messages": ["a", "b"]}
    assert in_common_terms(names, "x") == names
    own = {"title": "Ports", "text": "The gateway listens on 5000", "messages": ["see also the wiki"]}
    assert in_common_terms(own, "x") == own
    asked = {"role": "user", "content": "Which port?"}
    assert in_common_terms({**own, "messages": [asked]}, "x")["kind"] == "session"


def test_no_words_of_parts_that_are_not_known_are_lost() -> None:
    quote = {"content_type": "tether_quote", "url": "https://e.example", "title": "Pools", "text": "on pools"}
    fancy = {"content_type": "new_type", "payload": {"words": "fancy words", "at": "2024-05-01T10:00:00Z", "id": "x1"}}
    thoughts = {"content_type": "thoughts", "thoughts": [{"summary": "In short", "content": "A long thought"}]}
    mapping = {name: node("a", None, **part) for name, part in (("q", quote), ("f", fancy), ("t", thoughts))}

    found = read_chat({"title": "Parts", "mapping": mapping}, "x")

    assert not isinstance(found, Unreadable)
    assert found["body"].split("\n\n") == [
        "**a**: on pools",
        "[Pools](https://e.example)",
        "**a**: fancy words",
        "**a**: A long thought",
    ]
    claude = {
        "sender": "a",
        "content": [{"type": "new", "body": "unknown words", "links": [{"url": "https://d.example"}]}],
    }
    found = read_chat({"name": "Parts", "chat_messages": [claude]}, "x")
    assert not isinstance(found, Unreadable)
    assert found["body"] == "**a**: unknown words\n\n<https://d.example>"


@each(
    ("part", "words"),
    [
        ({"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBO"}}, ["[image/png]"]),
        ({"type": "input_image", "image_url": "data:image/png;base64,iVBO"}, ["[image/png]"]),
        ({"type": "input_image", "image_url": "https://e.example/a.png"}, ["<https://e.example/a.png>"]),
        ({"type": "image", "content": "data:;base64,iVBO"}, ["[data]"]),
        ({"name": "data:text/csv,a"}, ["[text/csv]"]),
        ("data:image/png;base64,iVBO\n\nWhat is in it? Port 5000.", ["[image/png]", "What is in it? Port 5000."]),
        ("data:/etc/x, then restart the worker", ["data:/etc/x, then restart the worker"]),
        ({"url": "javascript:alert(1)", "text": "data: 5, 6"}, ["data: 5, 6"]),
        ({"url": f"https://e.example/{'a' * 2_000}", "text": "on pools"}, ["on pools"]),
    ],
)
def test_addresses_are_linked_and_data_in_them_is_named(part: dict[str, object], words: list[str]) -> None:
    found = read_chat({"name": "Parts", "chat_messages": [{"sender": "a", "content": ["Look", part]}]}, "x")

    assert not isinstance(found, Unreadable)
    assert found["body"].split("\n\n") == ["**a**: Look", *words]


def test_object_with_another_mapping_is_a_memory_of_its_own() -> None:
    ((_, found),) = list_objects([{"text": "Of ferries", "mapping": {"a": {"b": 1}}}], "x")

    assert in_common_terms(found, "x") == found


def test_conversation_without_a_text_is_named() -> None:
    found = read_chat({"title": "New chat", "mapping": {}}, "x[2]")

    assert found == Unreadable("x[2]", "it is a conversation without a text", is_skipped=True)


def test_conversation_that_is_nested_too_deeply_is_named() -> None:
    deep: list[object] = []
    for _ in range(5000):
        deep = [deep]

    found = read_chat({"title": "Deep", "chat_messages": [{"sender": deep, "text": "a", "content": deep}]}, "x")

    assert found == Unreadable("x", "it is nested too deeply")


def test_parts_in_each_other_without_a_word_are_read_in_linear_time() -> None:
    part: dict[str, object] = {}
    for number in range(100):
        part = {("content", "input", "text", "other")[number % 4]: part}

    found = read_chat({"title": "Deep", "chat_messages": [{"sender": "a", "content": part}]}, "x")

    assert found == Unreadable("x", "it is a conversation without a text", is_skipped=True)


def test_attached_files_of_chatgpt_are_named() -> None:
    message = {"author": {"role": "user"}, "content": {"parts": ["Which primer?"]}}
    about = {"attachments": [{"name": "hull.jpg"}, {"id": 1}, None]}

    found = read_chat({"title": "Paint", "mapping": {"a": {"message": message | {"metadata": about}}}}, "x")

    assert isinstance(found, dict)
    assert found["body"] == "**user**: Which primer?\n\n[hull.jpg]"
