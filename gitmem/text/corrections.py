"""Correct lines of documents: replace a stated value, version or path by another. Pure."""

from __future__ import annotations

import posixpath
import re

# Separators of words in a line of code: blanks, quotes, and signs between a name and its value.
_PARTS = re.compile(r"[^\s\"'`,;=:<>()\[\]{}]+")


def as_exact(stated: str, actual: str) -> str:
    """Return a version with as many parts as the stated one has: 1.25 for 1.25.12 if 1.24 is stated."""
    return ".".join(actual.split(".")[: stated.count(".") + 1])


def replace_value(line: str, name: str, stated: str, actual: str) -> str:
    """Replace the first mention of a value after its name, else the first one in the line."""
    pattern = re.compile(rf"(?<![\w.]){re.escape(stated)}(?!\w|\.\d)")
    found = pattern.search(line, max(line.find(name), 0)) or pattern.search(line)
    return line if found is None else line[: found.start()] + actual + line[found.end() :]


def replace_path(line: str, old: str, new: str) -> str:
    """Replace each mention of a path or another name."""
    return re.sub(rf"(?<![\w/.-]){re.escape(old)}(?![\w-])", lambda _: new, line)


def move_path(line: str, folder: str, old: str, new: str) -> str:
    """Replace the mentions of a moved path, written from the root or from a folder of the line's document.

    Args:
        line: A line of a document.
        folder: The document's folder.
        old: The former path, from the root.
        new: The path now.
    """
    line = replace_path(line, old, new)
    # A link may name the path from the root, but lead there from its own folder or one above: documents have no other
    # way.
    while folder:
        line = replace_path(line, posixpath.relpath(old, folder), posixpath.relpath(new, folder))
        folder = posixpath.dirname(folder)
    was, now = posixpath.basename(old), posixpath.basename(new)
    named = rf"\[(`?){re.escape(was)}\1\](?=\((?:[^)]*/)?{re.escape(now)}[)#])"
    return re.sub(named, lambda found: f"[{found[1]}{now}{found[1]}]", line)


def only_difference(before: str, after: str) -> tuple[str, str]:
    """Return the single word in which two lines of code differ, in both versions; empty unless it is one word."""
    was, now = _PARTS.findall(before), _PARTS.findall(after)
    pairs = [(old, new) for old, new in zip(was, now, strict=False) if old != new]
    return pairs[0] if len(was) == len(now) and len(pairs) == 1 else ("", "")
