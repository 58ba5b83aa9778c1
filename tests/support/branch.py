"""What the tests of writing share: the memories as they lie on the branch, and what recall finds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from conftest import git

from gitmem.document.parse import parse
from gitmem.memory import Memory
from gitmem.recall.query import Query


def memory_files(folder: Path, rev: str = "refs/heads/memory") -> dict[str, str]:
    """Return the memories on the branch by path, as texts."""
    names = git(folder, "ls-tree", "-r", "--name-only", rev).split("\n")
    return {name: git(folder, "show", f"{rev}:{name}") + "\n" for name in names if name.endswith(".md") and "/" in name}


def fields_of(folder: Path, path: str) -> dict[str, Any]:
    """Return the frontmatter of a memory on the branch."""
    return parse(git(folder, "show", f"refs/heads/memory:{path}") + "\n", path=path).fields


def keys_found(memory: Memory, query: str) -> list[str]:
    """Return the keys of what recall finds, the best first."""
    return [hit.key for hit in memory.recall(Query(text=query)).hits]
