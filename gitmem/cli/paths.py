"""Paths of the code on the command line: relative to the current folder, as in git; ``:/PATH`` starts at the top.

All other code uses paths from the top of the work tree: options that take such a path have one of these functions as
their ``type``.
"""

from __future__ import annotations

import os

from gitmem.errors import NoRepositoryError, UsageError
from gitmem.text import composed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# The prefix of a path that starts at the top of the work tree (gitglossary(7), pathspec).
TOP = ":/"
WILD = frozenset("*?[")


def code_path(text: str) -> str:
    """Return a typed path or glob relative to the top of the work tree; unchanged outside of a work tree.

    Raises:
        UsageError: It leads out of the work tree, or does not exist but would if it started at the top.
    """
    return composed(_code_path(text))


def _code_path(text: str) -> str:
    if text.startswith(TOP):
        return text.removeprefix(TOP) or "."
    places = _places() if text else None
    if places is None:
        return text
    folder, top = places
    if folder == top and not text.startswith((".", "/")) and "/../" not in text:
        return text
    literal, rest = _literal(text)
    path = os.path.relpath(os.path.join(folder, _real(literal)), top)
    if path == ".." or path.startswith("../"):
        raise UsageError(
            f"{text} is not a path inside the repository", hint=f"{TOP}PATH begins at the top of the repository"
        )
    if not _is_there(top, path) and not literal.startswith("/") and _is_there(top, literal):
        message = f"there is no {path}: paths are relative to the current folder"
        raise UsageError(message, hint=f"did you mean {TOP}{text}?")
    if rest or literal.endswith("/"):
        path = "" if path == "." else f"{path}/"
    return f"{path}{rest}"


def path_reader(place: Callable[[str, Callable[[str], str]], str] | None) -> Callable[[str], str]:
    """Return the function that reads an option whose value contains a path (``Value.placed``)."""
    return str if place is None else lambda text: place(text, code_path)


def code_reference(text: str) -> str:
    """Return a reference with its path relative to the top of the work tree; URLs and ids of runs are unchanged.

    Raises:
        UsageError: As ``code_path``.
    """
    path, mark, lines = text.rpartition(":")
    is_lines = bool(path) and lines.replace("-", "").isdecimal()
    path = path if is_lines else text
    if "://" in text or not (
        path.startswith(TOP) or os.path.lexists(path) or (is_lines and ("/" in path or "." in path))
    ):
        return text
    return code_path(path) + (f"{mark}{lines}" if is_lines else "")


def _places() -> tuple[str, str] | None:
    """Return the current folder and the top of its work tree as real paths; None if there is no work tree."""
    from gitmem.git.repository import discover

    try:
        folder = os.path.realpath(os.getcwd())
        top = discover(folder).top
    except (NoRepositoryError, OSError):
        return None
    top = os.path.realpath(top) if top else ""
    return (folder, top) if top and (folder == top or folder.startswith(os.path.join(top, ""))) else None


def _real(path: str) -> str:
    """Return an absolute path with links in its folders resolved, but not a link that it names itself."""
    folder, name = os.path.split(path.rstrip("/"))
    return os.path.join(os.path.realpath(folder), name) if path.startswith("/") else path


def _is_there(top: str, path: str) -> bool:
    return bool(path) and os.path.lexists(os.path.join(top, path))


def _literal(text: str) -> tuple[str, str]:
    """Split a glob into the folders before its first pattern and the rest; a plain path has no rest."""
    at = next((at for at, char in enumerate(text) if char in WILD), len(text))
    at = len(text) if at == len(text) else text.rfind("/", 0, at) + 1
    return text[:at], text[at:]
