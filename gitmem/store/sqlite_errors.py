"""Classify SQLite errors: a damaged file, another writer, or a full disk."""

from __future__ import annotations

import _sqlite3 as sqlite3

# The errors of a query to a damaged file; SQLite's messages quote it, and Python cannot always decode them.
ERRORS = (sqlite3.Error, UnicodeDecodeError)


def is_damage(err: BaseException | None) -> bool:
    """Return whether an error may mean that a file is damaged: one flipped bit can cause any error of SQLite.

    If it was not damage, a rebuild is wasted and the error returns.
    """
    return isinstance(err, ERRORS) and not is_busy(err) and not is_unwritable(err)


def is_busy(err: Exception) -> bool:
    """Return whether an error only means that another process is writing."""
    return isinstance(err, sqlite3.Error) and any(words in str(err) for words in ("is locked", "busy"))


def is_unwritable(err: Exception) -> bool:
    """Return whether an error only means that the disk is full or read-only (sqlite.org/rescode.html)."""
    words = ("full", "readonly", "disk I/O", "unable to open")
    return isinstance(err, sqlite3.Error) and any(word in str(err) for word in words)
