"""A store with what shells complete: keys with titles, a tag, a kind, a task, a topic."""

from __future__ import annotations

from pathlib import Path

from conftest import commit_files, git

from gitmem.memory import Memory


def make_completed_store(folder: Path) -> Path:
    """Make a repository with memories in a folder, and return it."""
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "user.name", "Ana")
    git(folder, "config", "user.email", "ana@example.org")
    commit_files(folder, {"README.md": "A service\n"})
    with Memory(folder) as memory:
        memory.remember(
            "The gateway\thas public keys", title="The gateway has public keys", key="gateway", tags=["auth"]
        )
        memory.remember("Gates open at nine", key="gates", kind="gotcha")
        memory.tasks.add("Close the gates", key="gate-task")
        memory.sessions.use("release-2")
    return folder
