"""Memories packed for the page's script: everything comes back, texts fit their room, nothing hidden travels."""

from __future__ import annotations

import json
import zlib
from base64 import b64decode
from random import Random

from support.each import each

from gitmem.commands.report.page.model import Page, PageMemory
from gitmem.commands.report.page.payload import BLOCK, key_of_title, pack
from gitmem.commands.report.page.render import PAGE_AT_MOST, render
from gitmem.text.slugs import slug

LETTERS = b"abcdefghijklmnopqrstuvwxyz "
ANY = Random(7)
NOISE = [ANY.randbytes(4_000).translate((LETTERS * 10)[:256]).decode() for _ in range(1_100)]


def page(*entries: PageMemory) -> Page:
    return Page("x", "project", 1, "0", entries=entries, links=(("a", "b-c"),))


def unpacked(text: str):
    return json.loads(zlib.decompress(b64decode(text), -15))


def test_fields_and_texts_come_back_in_the_order_of_numbers() -> None:
    one = PageMemory("a", "fact", "A", status="failed", body="é\n\nb", tags=("x", "y"), created=7, since=9, number=2)
    packed = pack(page(one, PageMemory("b-c", "gotcha", "B, c!", number=1)), at_most=None)

    columns = unpacked(packed.columns)
    assert (columns["count"], columns["links"]) == (2, [[1, 0]])
    assert {name: columns["memories"][name] for name in ("title", "kind", "tags", "status", "since")} == {
        **{"title": ["B, c!", "A"], "kind": ["gotcha", "fact"], "tags": [0, ["x", "y"]]},
        **{"status": [0, "failed"], "since": [0, 9]},
    }
    assert "key" not in columns["memories"]
    assert [unpacked(block) for block in packed.blocks] == [["", "é\n\nb"]]


def test_texts_that_do_not_fit_are_cut_evenly_and_short_ones_stay_whole() -> None:
    entries = [PageMemory(f"k{nth}", "fact", "T", body=text, number=nth) for nth, text in enumerate(NOISE[:600])]
    short = PageMemory("short", "fact", "T", body="short", number=len(entries))

    packed = pack(page(*entries, short), at_most=300_000)

    texts = [text for block in packed.blocks for text in unpacked(block)]
    assert 270_000 < len(packed.columns) + sum(map(len, packed.blocks)) <= 303_000
    assert {len(text) for text in texts} == {packed.cut_at, len("short")}
    assert unpacked(packed.columns)["memories"]["cut"] == [4_000 - packed.cut_at] * len(entries) + [0]
    assert len(packed.blocks) == len(texts) // BLOCK + 1
    assert pack(page(*entries), at_most=None).cut_at == 0


def test_page_stays_below_its_size_and_a_whole_or_served_one_cuts_nothing() -> None:
    entries = [PageMemory(f"k{nth}", "fact", "T", body=text, number=nth) for nth, text in enumerate(NOISE)]

    file, whole, served = (render(page(*entries), **options) for options in ({}, {"is_whole": True}, {"served": "now"}))

    assert PAGE_AT_MOST * 0.95 < len(file.encode()) < 3_000_000
    assert len(whole) > 3_200_000
    assert "Texts are truncated after" in file
    assert "Texts are truncated after" not in whole + served
    assert ("data-texts>" in whole, "data-texts>" in served) == (True, False)


@each("place", ["title", "body", "by", "why"])
def test_hidden_characters_are_spelt_out(place: str) -> None:
    packed = pack(page(PageMemory(**{"key": "a", "kind": "fact", "title": "A", place: "x\u202ey\x1b"})), at_most=None)

    shown = json.dumps([unpacked(packed.columns), unpacked(packed.blocks[0])], ensure_ascii=False)
    assert "x\\\\u{202e}y\\\\x1b" in shown


@each("title", ["There is a README", "Don't use `eval` in src/a.py", "x" * 70, "A long title of many words " * 4])
def test_most_keys_are_those_that_titles_give(title: str) -> None:
    assert key_of_title(title) == slug(title) or len(title) > 60
