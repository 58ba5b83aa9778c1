"""What the tests of the view share: a memory with a view, and how its folder stands."""

from __future__ import annotations

import shutil
from pathlib import Path

from conftest import git, put_files

from gitmem.memory import Memory
from gitmem.store.view.state import View, load


def view_of(memory: Memory) -> View:
    """Return what is known of the view."""
    found = load(memory.repository.git.repository)
    assert found is not None
    return found


def files_of(folder: Path) -> dict[str, str]:
    """Return the files of a view by path, without git's own."""
    found = (p for p in folder.rglob("*") if p.is_symlink() or p.is_file())
    return {str(p.relative_to(folder)): p.read_text() for p in sorted(found) if p.name != ".git"}


def status_of(folder: Path) -> str:
    """Return what git status says in a view."""
    return git(folder, "status", "--porcelain", "-uall")


def push(repo: Path, **texts: str) -> str:
    """Put learned memories onto the branch, as somebody else would, and return the tip."""
    return put_files(repo, {f"learned/{key}.md": text for key, text in texts.items()})


def copy(folder: Path, to: Path) -> Path:
    """Copy a repository as `cp -r` does."""
    return Path(shutil.copytree(folder, to, symlinks=True))
