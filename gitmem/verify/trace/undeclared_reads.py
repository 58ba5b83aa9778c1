"""Find what a check reads of the code outside its memory's ``paths``, and suggest how to fix it."""

from __future__ import annotations

from gitmem.text import display, list_some
from gitmem.text.globs import fixed_prefix, matcher
from gitmem.verify.trace.reads import AT, BELOW, LIST, MISSING, NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitmem.verify.trace.reads import Places

# Number and total length of the recorded paths: a verdict is a small file (``layout.VERDICT_LIMIT``).
PATHS_AT_MOST = 20
LIMIT = 1000
# How many are named in a message.
READS_NAMED = 5
# Files that programs look for on their own in any folder; no author would declare them.
NOISE = frozenset(
    [
        ".editorconfig",
        ".gitattributes",
        ".gitignore",
        ".gitmodules",
        ".python-version",
        ".venv",
        "__pycache__",
        "node_modules",
        "pyvenv.cfg",
        "python311.zip",
    ]
)


def list_undeclared(reads: Iterable[str], places: Places, paths: Sequence[str]) -> str:
    """Return what was read outside *paths*: a few paths separated by line feeds, existing ones first.

    Args:
        reads: The reads (``reads``), not folded.
        places: The code.
        paths: The globs that the memory declares; if it declares none, nothing is undeclared.
    """
    if not paths:
        return ""
    matchers = [matcher(glob) for glob in paths]
    fixed = [fixed_prefix(glob) for glob in paths]
    found: dict[str, bool] = {}  # by path, whether it is missing: a lookup of a missing path is less relevant
    for read in reads:
        mark, path = read[0], read[1:]
        is_folder = places.is_folder(path)
        if (mark in (AT, LIST) and path == "") or (mark == AT and is_folder) or not NOISE.isdisjoint(path.split("/")):
            continue
        if mark == LIST and places.state_of(read) == MISSING:
            continue  # the check made the folder that it lists
        name = f"{path}/" if is_folder and path else path
        beside = is_folder and any(name.startswith(part) or (mark == LIST and part.startswith(name)) for part in fixed)
        if not beside and not any(matches(path) for matches in matchers):
            found[(f"{name}**" if mark in (NAMES, BELOW) else name) or "**"] = places.state_of(read).startswith(MISSING)
    return _join(sorted(found, key=lambda name: (found[name], name)))


def _join(paths: Sequence[str]) -> str:
    kept: list[str] = []
    for path in paths[:PATHS_AT_MOST]:
        if sum(map(len, kept)) + len(path) + len(kept) > LIMIT:
            break
        kept.append(path)
    return "\n".join(kept)


def parse_paths(text: str) -> list[str]:
    """Split such a text into paths that are safe to print."""
    return [display(path) for path in text.split("\n") if path]


def advice(key: str, text: str) -> str:
    """Describe the problem and its fix on one line; empty if nothing is undeclared."""
    found = parse_paths(text)
    if not found:
        return ""
    message = f"{key} reads files outside its paths: {list_some(found, READS_NAMED)}"
    observed = f"let gitmem observe its reads: gitmem edit {key} --path ''"
    return f"{message}; add them (gitmem edit {key} --path …), or {observed}"
