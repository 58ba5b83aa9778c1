"""A store whose questions share meaning and no word with their answers, and a tiny model that knows both."""

from __future__ import annotations

from pathlib import Path

from conftest import git
from support.facts import make_memory, put
from support.models import make_static

from gitmem.memory import Memory
from gitmem.repository.approvals import accept_settings

# Questions in words that no memory has, and what they mean.
LOGIN, STORAGE, TIME = "authentication", "database", "deadline"
STORE = {
    **make_memory("sso", "The login page redirects", "Everybody goes through it.", kind="decision", tags=["web"],
                  paths=["src/web/**"]),
    **make_memory("vacuum", "Postgres needs a vacuum", "At night.", tags=["ops"], paths=["ops/cron"]),
    **make_memory("slow-call", "The retry comes after the timeout", "Three times.", paths=["src/web/client.py"]),
    **make_memory("colours", "Buttons are blue", "By the style guide.", kind="decision"),
}  # fmt: skip


def make_model(folder: Path, *, scale: float = 1.0) -> str:
    """Save a model and return its setting."""
    return f"model2vec:{make_static(folder, scale=scale)}"


def choose(repo: Path, setting: str, name: str = "embed") -> None:
    """Choose a model for this repository, and accept that: a setting that loads a model or sends text asks for it."""
    git(repo, "config", f"gitmem.{name}", setting)
    with Memory(repo) as memory:
        if memory.repository.ignored_settings:
            accept_settings(memory.repository)


def set_up(repo: Path, setting: str) -> None:
    """Write the store, choose the model as a person would, and use the clone once: from then on it is known here."""
    put(repo, STORE)
    choose(repo, setting)
    with Memory(repo) as memory:
        memory.repository.catalog()
