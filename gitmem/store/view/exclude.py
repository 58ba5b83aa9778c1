"""The view's line in ``info/exclude``: git status stays clean, and no tracked file changes.

The file is local to this clone and shared by its worktrees. Source: gitignore(5).
"""

from __future__ import annotations

import os

from gitmem.errors import suppress
from gitmem.store.state.empty_files import note_empty, was_empty

COMMENT = "# gitmem's view of the memory; `gitmem view --remove` takes this out"
# The special characters in a pattern.
SPECIAL = "\\*?[]!# "


def add(common: str, inside: str, state: str = "") -> None:
    """Make git status ignore a folder of the main work tree, given relative to it.

    The lines go first, so the rest stays byte for byte the same, with or without a final line feed.

    Args:
        common: The common git directory.
        inside: The folder.
        state: The folder of local state, to note there that the file or its folder was empty.
    """
    text = _read(common)
    if pattern_of(inside) not in text.split("\n"):
        if state:
            note_empty(state, _path(common), os.path.dirname(_path(common)))
        _write(common, _section(inside) + text)


def take_out(common: str, inside: str, state: str = "") -> None:
    """Undo ``add``, even if the person moved the lines; every other line stays."""
    text = _read(common)
    kept = f"\n{text}".replace(f"\n{_section(inside)}", "\n").replace(f"\n{pattern_of(inside)}\n", "\n")[1:]
    if kept != text and (kept or was_empty(state, _path(common))):
        _write(common, kept)
    elif kept != text:
        os.unlink(_path(common))
        if not was_empty(state, folder := os.path.dirname(_path(common))):
            with suppress(OSError):  # it contains other files
                os.rmdir(folder)


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
    path = _path(common)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(f"{path}.gitmem", "w", encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(f"{path}.gitmem", path)
