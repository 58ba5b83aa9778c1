"""The view's line in ``info/exclude``: git status stays clean, and no tracked file changes.

The file is local to this clone and shared by its worktrees. Source: gitignore(5).
"""

from __future__ import annotations

import os

from gitmem.errors import suppress

COMMENT = "# gitmem's view of the memory; `gitmem view --remove` takes this out"
# The special characters in a pattern.
SPECIAL = "\\*?[]!# "


def add(common: str, inside: str) -> None:
    """Make git status ignore a folder of the main work tree, given relative to it.

    The lines go first, so the rest stays byte for byte the same, with or without a final line feed.
    """
    text = _read(common)
    if pattern_of(inside) not in text.split("\n"):
        _write(common, _section(inside) + text)


def take_out(common: str, inside: str) -> None:
    """Undo ``add``, even if the person moved the lines; every other line stays."""
    text = _read(common)
    kept = f"\n{text}".replace(f"\n{_section(inside)}", "\n").replace(f"\n{pattern_of(inside)}\n", "\n")[1:]
    if kept != text:
        _write(common, kept)


def _section(inside: str) -> str:
    return f"{COMMENT}\n{pattern_of(inside)}\n"


def pattern_of(inside: str) -> str:
    """Return the pattern that matches this folder and no other."""
    return "/" + "".join(f"\\{char}" if char in SPECIAL else char for char in inside) + "/"


def _path(common: str) -> str:
    return os.path.realpath(os.path.join(common, "info", "exclude"))


def _read(common: str) -> str:
    try:
        with open(_path(common), encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def _write(common: str, text: str) -> None:
    """Write the file; an empty one is removed, and its folder if that is empty too."""
    path = _path(common)
    if not text:
        os.unlink(path)
        with suppress(OSError):
            os.rmdir(os.path.dirname(path))
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(f"{path}.gitmem", "w", encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(f"{path}.gitmem", path)
