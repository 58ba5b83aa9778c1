"""Values of structured files: how they are found and shown."""

from __future__ import annotations

from support.each import each

from gitmem.document.sources.node import Node

TREE = Node(1, members={"a": Node(2, items=[Node(2, "x"), Node(3, members={"b": Node(4, " 1\n2 ")})])})


@each(
    ("keys", "value"),
    [
        (("a",), "[x, …]"),
        (("a", "0"), "x"),
        (("a", "1", "b"), "1 2"),
        (("a", "1"), "{1 keys}"),
        (("a", "2"), None),
        (("a", "99999999999999999999"), None),
        (("a", "0", "b"), None),
        (("c", "d"), None),
    ],
)
def test_value_is_found_by_its_keys_and_is_one_line(keys: tuple[str, ...], value: str | None) -> None:
    found = TREE.find(keys)

    assert (found.value() if found else None) == value


def test_scalar_is_a_list_of_itself() -> None:
    assert [one.text for one in Node(1, "x").texts()] == ["x"]
    assert [one.text for one in TREE.at("a").texts()] == ["x"]


def test_names_with_dots_are_found_in_time_when_one_mapping_is_at_many_places() -> None:
    node = Node(1, members={})
    for _ in range(32):
        node = Node(1, members={".".join("a" * length): node for length in range(1, 17)})

    assert node.spell(("a",) * 31 + ("b",)) == ()
