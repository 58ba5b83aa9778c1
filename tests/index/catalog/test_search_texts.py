"""The texts of memories as the catalog gives them back."""

from __future__ import annotations

import json

from conftest import memory_text
from support.catalogs import catalog_of
from support.each import each

from gitmem.index.catalog import join_strings, strings, texts_of


@each("said", [[], ["auth"], ["auth", "two words"], ['a "quoted" one', "x"], ["back\\slash", 'a", "b']])
def test_words_of_a_list_are_its_strings(said: list[str]) -> None:
    listed = json.dumps(said, ensure_ascii=False)

    assert join_strings(listed) == " ".join(said)
    assert strings(listed) == said


def test_texts_come_back_with_their_terms_in_the_order_of_the_fields() -> None:
    catalog = catalog_of({"learned/vpn.md": memory_text("VPN drops", body="Restart the tunnels", tags="[net]")})

    (text,) = texts_of(catalog, [1]).values()

    assert (text.key, text.title, text.tags, text.body.strip()) == ("vpn", "VPN drops", "net", "Restart the tunnels")
    assert text.terms == ("vpn drop", "net", "vpn", "", "restart tunnel")
