"""The inventory of the state folder decides what an unknown clone loses: what others may have made."""

from __future__ import annotations

from support.each import each

from gitmem.store.state.inventory import INVENTORY, UNIQUE, is_known
from gitmem.store.state.registration import DERIVED


def test_what_an_unknown_clone_brings_is_removed_unless_nothing_else_has_it() -> None:
    assert set(DERIVED) >= {"vectors", "whoosh", "sources", "mcp-token", "proofs", "home-index"}
    assert [one.path for one in INVENTORY if one.is_foreign and one.loss == UNIQUE] == []


@each(
    ("path", "known"),
    [("catalog.sqlite-wal", True), ("spool/waiting/1.json", True), ("boards/x/lock", True), ("other.txt", False)],
)
def test_a_file_is_known_by_its_path(path: str, known: bool) -> None:
    assert is_known(path) == known
