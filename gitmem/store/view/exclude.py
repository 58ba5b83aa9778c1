"""The view's line in ``info/exclude``: git status stays clean, and no file that the project tracks changes.

The file is local to this clone and shared by its worktrees. Source: gitignore(5).
"""

from __future__ import annotations

import os

COMMENT = "# gitmem's view of the memory; `gitmem view --remove` takes this out"
# What means something in a pattern.
SPECIAL = "\\*?[]!# "


def add(common: str, inside: str) -> None:
    """Let git status leave out a folder of the main work tree, given relative to it."""
    lines = _lines(common)
    if pattern_of(inside) not in lines:
        _write(common, [*lines, COMMENT, pattern_of(inside)])


def take_out(common: str, inside: str) -> None:
    """Take back what ``add`` did; every other line stays."""
    lines, pattern = _lines(common), pattern_of(inside)
    kept = [
        line
        for nth, line in enumerate(lines)
        if line != pattern and not (line == COMMENT and lines[nth + 1 : nth + 2] == [pattern])
    ]
    if kept != lines:
        _write(common, kept)


def pattern_of(inside: str) -> str:
    """Return the pattern that means this folder and no other."""
    return "/" + "".join(f"\\{char}" if char in SPECIAL else char for char in inside) + "/"


def _path(common: str) -> str:
    return os.path.realpath(os.path.join(common, "info", "exclude"))


def _lines(common: str) -> list[str]:
    try:
        with open(_path(common), encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            text = file.read()
    except FileNotFoundError:
        return []
    return text.removesuffix("\n").split("\n") if text else []


def _write(common: str, lines: list[str]) -> None:
    path = _path(common)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(f"{path}.gitmem", "w", encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        file.write("".join(f"{line}\n" for line in lines))
        file.flush()
        os.fsync(file.fileno())
    os.replace(f"{path}.gitmem", path)
