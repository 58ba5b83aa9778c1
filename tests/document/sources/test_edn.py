"""EDN is read with what it leaves out: comments, dropped values, tags and metadata."""

import pytest
from support.each import each

from gitmem.document.sources.edn import read
from gitmem.errors import FormatError


@each(
    ("text", "keys", "value"),
    [
        ('{:a/b {:c "1"}, d 2}', ("a/b", "c"), "1"),
        ("{#_ #_ :a :b :c 3 ; :c 4\n}", ("c",), "3"),
        ('{:a #inst "2024" :b ^:private [1 #_2 3] :c #{x}}', ("a",), "2024"),
        ('{:a #inst "2024" :b ^:private [1 #_2 3] :c #{x}}', ("b", "1"), "3"),
        ('(defproject app "1" :main a.core)', ("main",), "a.core"),
        ("(app :main a.core)", ("1",), "main"),
    ],
)
def test_value_of_edn_is_found_by_its_keys(text: str, keys: tuple[str, ...], value: str) -> None:
    found = read(text).find(keys)

    assert found is not None and found.text == value


@each("text", ["{:a 1", "{:a]", ")", '{:a "', "[" * 100 + "]" * 100])
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(FormatError):
        read(text)
