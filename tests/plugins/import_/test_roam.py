"""Roam's JSON: a page is a memory, its blocks an outline in reading order, with links, tags and times."""

from __future__ import annotations

import io
import json
from typing import Any

from gitmem.plugins.import_.fields import ImportRecord, Unreadable
from gitmem.plugins.import_.jsonl import read_jsonl

PAGES: list[dict[str, Any]] = [
    {
        "title": "Sync queue",
        "create-time": 1587252898938,
        "edit-time": 1587252910036,
        "uid": "p1",
        "children": [
            {
                "string": "Retries are in [[Retry]] #ops #[[on call]]",
                "uid": "blk000001",
                "children": [{"string": "deep\n```js\n[[Code]]```", "uid": "blk000002", "children": []}],
            },
            {"string": "", "uid": "blk000003"},
            {"string": "Last", "uid": "blk000004", "heading": 2},
        ],
    },
    {"title": "Retry", "children": [{"string": "See ((blk000002)) and [[Gone]]", "create-time": 1587252898938}]},
    {"title": "Gone", "uid": "p3", "create-time": 1587252898938},
    {"title": "Code", "children": [{"string": "x"}]},
]


def read(pages: object) -> list[ImportRecord | Unreadable]:
    return list(read_jsonl(io.BytesIO(json.dumps(pages).encode()), name="g.json", kind="doc"))


def test_blocks_of_a_page_are_an_outline_in_reading_order() -> None:
    first = read(PAGES)[0]

    assert isinstance(first, ImportRecord)
    assert first.body == "\n".join(
        [
            "- Retries are in [[Retry]] #ops #[[on call]]",
            "  - deep",
            "    ```js",
            "    [[Code]]```",
            "- ## Last",
        ]
    )
    assert (first.key, first.fields["title"], first.fields["created"]) == (
        "sync-queue",
        "Sync queue",
        "2020-04-18T23:34:58Z",
    )
    assert (first.fields["tags"], first.fields["refs"]) == (["ops", "on call"], ["retry"])


def test_page_without_text_is_named_and_reference_to_a_block_leads_to_its_page() -> None:
    _, retry, code, gone = read(PAGES)

    assert isinstance(retry, ImportRecord)
    assert (retry.fields["refs"], retry.fields["created"]) == (["sync-queue"], "2020-04-18T23:34:58Z")
    assert isinstance(gone, Unreadable)
    assert (gone.reason, gone.is_skipped) == ("1 page without a text", True)
    assert isinstance(code, ImportRecord)


def test_list_of_other_objects_with_titles_is_not_a_graph() -> None:
    (found,) = read([{"title": "A", "text": "Close the pool first", "children": [{"name": "b"}]}])

    assert isinstance(found, ImportRecord)
    assert found.body.startswith("Close the pool first")
