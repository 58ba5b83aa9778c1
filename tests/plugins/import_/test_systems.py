"""What other memory systems export as JSON comes in whole: every text, its time, and what it is about."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from support.each import each

from gitmem.plugins.import_.fields import ImportRecord, Unreadable
from gitmem.plugins.import_.jsonl import read_jsonl

MEM0 = {
    "results": [
        {
            "id": "8f",
            "memory": "Ana prefers squash merges",
            "hash": "0a",
            "created_at": "2025-03-01T10:00:00-08:00",
            "metadata": {"app": "cli"},
            "categories": ["git"],
        },
        {"id": "90", "memory": "The staging database is reset nightly", "created_at": "2025-03-02T10:00:00Z"},
    ],
    "relations": [{"source": "ana", "relationship": "owns", "target": "billing"}],
}
LETTA = {
    "agents": [{"name": "ops", "system": "You are…", "messages": [{"role": "user", "content": [{"text": "hi"}]}]}],
    "blocks": [
        {"label": "human", "value": "Bo is on call on Fridays", "description": "Who we serve", "limit": 5000},
        {"label": "corrections/log", "value": "Never restart the broker by hand", "limit": 5000, "tags": None},
    ],
    "tools": [{"name": "archival_search", "source_code": "def f(): pass"}],
}
CLAUDE_MEM = {
    "exportedAt": "2026-01-01T00:00:00Z",
    "query": "",
    "observations": [
        {
            "id": 1,
            "memory_session_id": "s",
            "project": "shop",
            "type": "bugfix",
            "title": "Pool leak",
            "subtitle": "In tests",
            "narrative": "The octopus pool kept sockets",
            "facts": '["limit is twenty"]',
            "concepts": '["gotcha"]',
            "files_read": '["src/pool.py"]',
            "files_modified": "[]",
            "text": None,
            "created_at_epoch": 1764000000000,
        },
    ],
    "sessions": [{"id": 3, "project": "shop", "user_prompt": "fix the leak"}],
    "summaries": [
        {
            "id": 2,
            "request": "Fix the leak",
            "investigated": "the pool",
            "learned": "close in finally",
            "completed": "done",
            "next_steps": "watch it",
            "notes": None,
            "created_at": "2025-11-24T16:00:00Z",
            "project": "shop",
        },
    ],
    "prompts": [{"id": 4, "prompt_text": "fix the leak"}],
}
GRAPHITI = {
    "edges": [
        {
            "uuid": "e1",
            "name": "WORKS_ON",
            "fact": "Ana works on billing",
            "valid_at": "2025-01-02T00:00:00Z",
            "invalid_at": None,
            "fact_embedding": [0.1, 0.2],
            "source_node_uuid": "n1",
            "target_node_uuid": "n2",
        },
        {"uuid": "e2", "name": "LEADS", "fact": "Bo leads search", "invalid_at": "2025-06-01T00:00:00Z"},
    ],
    "nodes": [{"uuid": "n1", "name": "Ana", "summary": "An engineer in Lagos", "labels": ["Entity", "Person"]}],
    "episodes": [{"uuid": "p1", "name": "standup", "content": "Bo: I moved to infra", "source_description": "chat"}],
}
ENTITIES = [
    {"type": "entity", "name": "Ana Ruiz", "entityType": "person", "observations": ["leads billing", "likes Go"]},
    {"type": "entity", "name": "billing", "entityType": "service", "observations": ["runs on port 7001"]},
    {"type": "relation", "from": "Ana Ruiz", "to": "billing", "relationType": "owns"},
    {"type": "relation", "from": "gateway", "to": "billing", "relationType": "calls"},
]


def read(data: str, *, name: str = "export.json") -> list[ImportRecord | Unreadable]:
    return list(read_jsonl(io.BytesIO(data.encode()), name=name, kind="learned"))


def said(found: list[ImportRecord | Unreadable]) -> dict[str, dict[str, Any]]:
    return {one.body: {**one.fields, "key": one.key} for one in found if isinstance(one, ImportRecord)}


@each("indent", [None, 2])
@each(
    ("exported", "texts"),
    [
        (MEM0, ["Ana prefers squash merges", "The staging database is reset nightly", "ana — owns — billing"]),
        (LETTA, ["Bo is on call on Fridays", "Never restart the broker by hand"]),
        (
            CLAUDE_MEM,
            [
                "In tests\n\nThe octopus pool kept sockets\n\n- limit is twenty",
                "Investigated: the pool\n\nLearned: close in finally\n\nCompleted: done\n\nNext steps: watch it",
            ],
        ),
        (GRAPHITI, ["Ana works on billing", "Bo leads search", "An engineer in Lagos", "Bo: I moved to infra"]),
        (
            ENTITIES,
            ["- leads billing\n- likes Go\n- owns billing", "- runs on port 7001", "- calls billing"],
        ),
        (
            {"entities": ENTITIES[:2], "relations": ENTITIES[2:3]},
            ["- leads billing\n- likes Go\n- owns billing", "- runs on port 7001"],
        ),
        ([{"content": "one"}, [{"text": "two"}]], ["one", "two"]),
        ({"results": [{"content": "one"}]}, ["one"]),
        ({"name": "my export", "memories": [{"content": "one"}]}, ["one"]),
        ({"title": "One", "links": [{"href": "x"}]}, ["One"]),
        ({"memory": {"blocks": LETTA["blocks"][:1]}}, ["Bo is on call on Fridays"]),
    ],
    ids=[
        "mem0",
        "letta",
        "claude-mem",
        "graphiti",
        "graph",
        "graph object",
        "lists",
        "results",
        "named",
        "one",
        "agent",
    ],
)
def test_every_text_of_an_export_comes_in(exported: object, texts: list[str], indent: int | None) -> None:
    assert list(said(read(json.dumps(exported, indent=indent)))) == texts


def test_fields_of_an_export_become_ours() -> None:
    mem0, letta = said(read(json.dumps(MEM0))), said(read(json.dumps(LETTA)))
    claude_mem, graphiti = said(read(json.dumps(CLAUDE_MEM))), said(read(json.dumps(GRAPHITI)))

    assert mem0["Ana prefers squash merges"]["created"] == "2025-03-01T18:00:00Z"
    assert letta["Bo is on call on Fridays"] == {
        "kind": "learned", "title": "human", "description": "Who we serve", "key": ""
    }  # fmt: skip
    bug, summary = claude_mem.values()
    assert (bug["kind"], bug["title"], bug["tags"]) == ("gotcha", "Pool leak", ["bugfix", "gotcha"])
    assert (bug["refs"], bug["created"], summary["kind"]) == (["src/pool.py"], "2025-11-24T16:00:00Z", "session")
    assert graphiti["Ana works on billing"]["created"] == "2025-01-02T00:00:00Z"
    assert graphiti["An engineer in Lagos"]["tags"] == ["Person"]


def test_fact_that_ended_is_archived_and_a_prompt_is_skipped() -> None:
    ended = [one for one in read(json.dumps(GRAPHITI)) if isinstance(one, ImportRecord) and one.archived]
    skipped = [one for one in read(json.dumps(CLAUDE_MEM, indent=1)) if isinstance(one, Unreadable)]

    assert [one.body for one in ended] == ["Bo leads search"]
    assert [(one.where, one.is_skipped) for one in skipped] == [
        ("export.json: sessions[1]", True), ("export.json: prompts[1]", True)
    ]  # fmt: skip


def test_lines_of_a_graph_are_one_memory_for_each_entity() -> None:
    lines = "\n".join(json.dumps(one) for one in reversed(ENTITIES))

    found = said(read(lines, name="memory.jsonl"))

    assert found["- leads billing\n- likes Go\n- owns billing"] == {
        "kind": "learned", "title": "Ana Ruiz", "tags": ["person"], "refs": ["billing"], "key": "ana-ruiz"
    }  # fmt: skip


def test_lines_after_a_damaged_first_one_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    data = '[{"content": "cut"\n{"content": "two"}\n{"content": "three"}\n'
    whole = read(data)
    monkeypatch.setattr("gitmem.plugins.import_.jsonl.DOCUMENT_LIMIT", 30)

    assert list(said(whole)) == ["two", "three"]
    assert read(data) == whole


def test_export_that_is_json_in_a_json_text_is_read() -> None:
    assert list(said(read(json.dumps(json.dumps(LETTA))))) == [block["value"] for block in LETTA["blocks"]]


def test_notes_of_standard_notes_come_with_their_tags_and_all_else_is_named() -> None:
    def item(uuid: str, kind: str, **content: Any) -> dict[str, Any]:
        return {"uuid": uuid, "content_type": kind, "created_at": "2024-01-27T10:00:00Z", "content": content}

    def block(kind: str, *children: Any, **more: Any) -> dict[str, Any]:
        return {
            "type": kind,
            "children": [block("text", text=one) if isinstance(one, str) else one for one in children],
        } | more

    row = block("tablerow", block("tablecell", "six"), block("tablecell", "noon"))
    page = block("link", "page", url="https://a.org")
    blocks = [
        block("heading", "Times"),
        block("paragraph", "It", block("tab", text="\t"), "sails", block("linebreak"), page),
        block("list", block("listitem", "first"), block("listitem", block("list", block("listitem", "second")))),
        block("table", row),
        block("horizontalrule"),
        block("quote", "Late"),
    ]
    items = [
        item("1", "Note", title="VPN", text="Deploys need it.") | {"tags": "net"},
        item("6", "Note", title="Ferries", noteType="super", text=json.dumps({"root": {"children": blocks}})),
        item("2", "Note", title="", text="Old", trashed=True),
        item("3", "Tag", title="ops", references=[{"uuid": "1"}, {"uuid": "9"}, {"uuid": ["1"]}, 7]),
        item("5", "Tag", title=None, references=[{"uuid": "1"}]),
        {"uuid": "4", "content_type": "Note", "content": "004:abc"},
    ]

    found = list(read_jsonl(io.BytesIO(json.dumps({"version": "004", "items": items}).encode()), name="f", kind="doc"))
    note, super_note, *others = found

    assert isinstance(note, ImportRecord)
    assert (note.fields["title"], note.body, note.fields["tags"]) == ("VPN", "Deploys need it.", ["net", "ops"])
    assert note.fields["created"] == "2024-01-27T10:00:00Z"
    assert getattr(super_note, "body", "") == (
        "## Times\n\nIt\tsails\npage <https://a.org>\n\n- first\n  - second\n\nsix | noon\n\n> Late"
    )
    assert [(one.is_skipped, one.reason) for one in others if isinstance(one, Unreadable)] == [
        (True, "it was deleted where it comes from"),
        (True, "it is not a note but a Tag of Standard Notes"),
        (True, "it is not a note but a Tag of Standard Notes"),
        (False, "it is encrypted: export a decrypted backup"),
    ]


@each(
    "exported",
    [
        ["Ana uses pnpm", "Deploys need the VPN"],
        {"memories": ["Ana uses pnpm", "Deploys need the VPN"]},
        {"note": "Exported today", "memories": ["Ana uses pnpm", "Deploys need the VPN"]},
        [{"note": "Ana uses pnpm"}, {"lesson": "Deploys need the VPN", "level": 3}],
    ],
)
def test_plain_texts_are_memories(exported: object) -> None:
    found = list(read_jsonl(io.BytesIO(json.dumps(exported).encode()), name="f", kind="learned"))

    assert [one.body for one in found if isinstance(one, ImportRecord)] == ["Ana uses pnpm", "Deploys need the VPN"]


def test_fact_that_ended_is_retired_at_its_end() -> None:
    found = {
        one.body: one.ended for one in read(json.dumps(GRAPHITI)) if isinstance(one, ImportRecord) and one.archived
    }

    assert found == {"Bo leads search": "2025-06-01T00:00:00Z"}


def _all(value: Any) -> list[ImportRecord]:
    lines = io.BytesIO(json.dumps(value).encode())
    return [one for one in read_jsonl(lines, name="x.json", kind="learned") if isinstance(one, ImportRecord)]


def test_what_stands_beside_the_memories_of_an_export_comes_in() -> None:
    zep = {"context": "Ada leads the ferry project", "facts": [{"uuid": "1", "fact": "Ada likes small changes"}]}
    about = {"file_name": "a_spec.pdf", "original_file_name": "spec.pdf", "file_creation_date": "2024-07-01"}
    files = [{**about, "content": "It needs 12 volts"}, {"file_name": "empty.pdf"}]
    letta = {"blocks": [{"label": "human", "value": "Bo", "created_at": "2024-08-01T00:00:00Z"}], "files": files}

    assert [one.body for one in _all(zep)] == ["Ada leads the ferry project", "Ada likes small changes"]
    found = _all(letta)
    assert [(one.fields["title"], one.body) for one in found] == [("human", "Bo"), ("spec.pdf", "It needs 12 volts")]
    assert [one.fields["created"] for one in found] == ["2024-08-01T00:00:00Z", "2024-07-01T00:00:00Z"]
