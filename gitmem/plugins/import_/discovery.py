"""Find notes and memories of other systems in a repository and the person's home folder; only names are read.

Sources: the documentation of each system, for where it keeps its files; Claude Code names the folder of a project by
its path, with ``-`` for everything but letters and digits; Obsidian lists its vaults in ``obsidian.json``.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from gitmem.agents.clients import all_tables
from gitmem.frozen import frozen
from gitmem.plugins.import_.rules import RULE_FILES, RULES
from gitmem.system import iter_files, read_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

# Files are counted up to this number: a vault may have many.
COUNTED = 10_000
# In a repository: path, system, and what is imported of it.
_REPOSITORY = (
    (".beads", "beads"),
    (".beans", "Beans"),
    (".serena/memories", "Serena"),
    *(row for client in all_tables().values() for row in client.memories[0]),
    (".bettermemory", "bettermemory"),
    *RULES,
    *((name, "instructions") for name in ("AGENTS.md", *RULE_FILES)),
    ("memory.jsonl", "an MCP memory"),
    ("memory.json", "an MCP memory"),
    *((path, "decision records") for path in ("adr", "adrs", "doc/adr", "doc/adrs", "docs/adr", "docs/adrs")),
    *((path, "decision records") for path in ("docs/decisions", "docs/architecture/decisions")),
    *((path, "decision records") for path in ("doc/architecture/decisions", "docs/architecture-decisions")),
)
# Below the home folder.
_HOME = (
    *(row for client in all_tables().values() for row in client.memories[1]),
    (".serena/memories", "Serena"),
    ("basic-memory", "basic-memory"),
    (".bettermemory", "bettermemory"),
)
# Folders that mark the folder around them as notes.
_MARKS = (
    *((".obsidian", "an Obsidian vault"), (".foam", "Foam")),
    *(("logseq/config.edn", "Logseq"), ("dendron.yml", "Dendron")),
)
_VAULT_LISTS = (".config/obsidian/obsidian.json", "Library/Application Support/obsidian/obsidian.json")
# Where people keep vaults that Obsidian did not list on this machine.
_NEAR_HOME = ("", "Documents")


@frozen
class Importable:
    """Something that can be imported.

    Attributes:
        path: The file or folder.
        system: What it is.
        files: The number of files in it, at most ``COUNTED``.
    """

    path: str
    system: str
    files: int


def find_sources(top: str, home: str) -> list[Importable]:
    """Return what can be imported, first what is in the repository; empty folders are left out.

    Args:
        top: The top folder of the work tree.
        home: The person's home folder.
    """
    sources: dict[str, Importable] = {}
    for path, system in (*_in_repository(Path(top)), *_in_home(Path(home), Path(top))):
        resolved = str(path)
        if resolved not in sources and (files := _count(path)):
            sources[resolved] = Importable(resolved, system, files)
    return list(sources.values())


def _in_repository(top: Path) -> Iterator[tuple[Path, str]]:
    for name, system in _REPOSITORY:
        yield top / name, system
    yield from _notes(top)


def _in_home(home: Path, top: Path) -> Iterator[tuple[Path, str]]:
    project = re.sub(r"[^A-Za-z0-9]", "-", str(top))
    yield home / ".claude" / "projects" / project / "memory", "Claude Code's memory of this repository"
    for name, system in _HOME:
        yield home / name, system
    for name in _VAULT_LISTS:
        yield from ((path, "an Obsidian vault") for path in _listed(home / name))
    for name in _NEAR_HOME:
        if home / name != top:
            yield from _notes(home / name)


def _notes(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield folders of notes: the folder itself, and those in it."""
    try:
        inside = [path for path in sorted(folder.iterdir()) if path.is_dir() and not path.name.startswith(".")]
    except OSError:
        return
    for path in (folder, *inside):
        for mark, system in _MARKS:
            if (path / mark).exists():
                yield path, system


def _listed(path: Path) -> list[Path]:
    """Return the vaults in Obsidian's list; none if it cannot be read."""
    try:
        vaults: Any = json.loads(read_regular(path)[: 1 << 20])["vaults"]
        return [Path(str(vault["path"])) for vault in vaults.values()]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return []


def _count(path: Path) -> int:
    if path.is_file():
        return 1
    try:
        if not path.is_dir():
            return 0
        count = 0
        for _ in iter_files(str(path)):
            count += 1
            if count == COUNTED:
                break
        return count
    except OSError:
        return 0
