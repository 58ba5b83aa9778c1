"""What a check reads of the code although its memory's ``paths`` do not name it: observed, told with a repair."""

from __future__ import annotations

from gitmem.text.globs import matcher
from gitmem.text.sanitize import display
from gitmem.verify.files import fixed_part
from gitmem.verify.trace.reads import AT, BELOW, LIST, MISSING, NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitmem.verify.trace.reads import Places

# How many are kept, and characters of them: a verdict is a small file (``layout.VERDICT_LIMIT``).
MOST = 20
LIMIT = 1000
# How many are named in a line for people.
NAMED = 5
# What programs look for on their own wherever they are started: nobody would declare it.
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
    """Return what was read of the code although no path names it: a few paths apart by line feeds, what is there first.

    Args:
        reads: What was read (``reads``), not folded.
        places: The code.
        paths: The globs that the memory declares; where there are none, nothing is undeclared.
    """
    if not paths:
        return ""
    matchers = [matcher(glob) for glob in paths]
    fixed = [fixed_part(glob) for glob in paths]
    found: dict[str, bool] = {}  # and whether it is missing: what was only looked up and is not there tells less
    for read in reads:
        mark, path = read[0], read[1:]
        is_folder = places.is_folder(path)
        if (mark in (AT, LIST) and path == "") or (mark == AT and is_folder) or not NOISE.isdisjoint(path.split("/")):
            continue
        if mark == LIST and places.state_of(read) == MISSING:
            continue  # what it lists is what it made
        name = f"{path}/" if is_folder and path else path
        beside = is_folder and any(name.startswith(part) or (mark == LIST and part.startswith(name)) for part in fixed)
        if not beside and not any(matches(path) for matches in matchers):
            found[(f"{name}**" if mark in (NAMES, BELOW) else name) or "**"] = places.state_of(read).startswith(MISSING)
    return _joined(sorted(found, key=lambda name: (found[name], name)))


def _joined(paths: Sequence[str]) -> str:
    kept: list[str] = []
    for path in paths[:MOST]:
        if sum(map(len, kept)) + len(path) + len(kept) > LIMIT:
            break
        kept.append(path)
    return "\n".join(kept)


def names(text: str) -> list[str]:
    """Return the paths of such a text, fit for a terminal."""
    return [display(path) for path in text.split("\n") if path]


def advice(key: str, text: str) -> str:
    """Return what is wrong and what repairs it, on one line; empty where nothing is undeclared."""
    found = names(text)
    if not found:
        return ""
    more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    message = f"{key} reads files outside its paths: {', '.join(found[:NAMED])}{more}"
    observed = f"let gitmem observe its reads: gitmem edit {key} --path ''"
    return f"{message}; add them (gitmem edit {key} --path …), or {observed}"
