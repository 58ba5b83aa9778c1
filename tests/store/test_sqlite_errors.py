"""Errors of SQLite that mean damage are told from those that pass."""

from __future__ import annotations

import sqlite3

from support.each import each

from gitmem.store.local import is_busy, is_damage, is_unwritable


@each(
    ("err", "expected"),
    [
        (sqlite3.DatabaseError("database disk image is malformed"), "damage"),
        (sqlite3.IntegrityError("NOT NULL constraint failed"), "damage"),
        (sqlite3.OperationalError("malformed database schema (memory)"), "damage"),
        (sqlite3.OperationalError("Could not decode to UTF-8 column 'title'"), "damage"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"), "damage"),
        (sqlite3.OperationalError("database is locked"), "busy"),
        (sqlite3.OperationalError("database or disk is full"), "unwritable"),
        (sqlite3.OperationalError("attempt to write a readonly database"), "unwritable"),
        (sqlite3.OperationalError("disk I/O error"), "unwritable"),
        (KeyError("busy"), ""),
        (None, ""),
    ],
)
def test_errors_are_distinguished(err: Exception, expected: str) -> None:
    found = {"damage": is_damage(err), "busy": is_busy(err), "unwritable": is_unwritable(err)}

    assert [name for name, is_so in found.items() if is_so] == ([expected] if expected else [])
