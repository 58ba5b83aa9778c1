"""A folder that is filled once and then copied back, so that what is costly to make is made once for a module.

It keeps its path, which work trees, remotes and gitmem's own state name.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from gitmem.store.state.clone import SEEN, is_registered
from gitmem.store.state.registration import ACCEPTED, register

# The clones in each saved folder that were registered, by their state folder, and as what.
REGISTERED: dict[Path, list[tuple[Path, str]]] = {}
HOMES = {"XDG_STATE_HOME": "state-home", "XDG_DATA_HOME": "data-home"}


def stand(factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, name: str) -> Path:
    """Return a folder that has the same path in every test; what gitmem keeps of a person goes there, too."""
    folder = factory.getbasetemp() / name
    for variable, inside in HOMES.items():
        monkeypatch.setenv(variable, str(folder / inside))
    return folder


def fill(folder: Path, what: str, make: Callable[[], object]) -> None:
    """Have a folder as it is once a function has added to it: the first time by calling that, later by copying."""
    saved = folder.parent / f"{folder.name}-{what}"
    if saved.exists():
        shutil.rmtree(folder)
        shutil.copytree(saved, folder, symlinks=True)
        # A copy is an unknown clone. Approvals stay unknown: they name the one in which they were given.
        assert all(register(str(state), what) for state, what in REGISTERED[saved])
    else:
        make()
        states = [(state, what) for state in folder.glob("*/.git/gitmem") for what in (SEEN, ACCEPTED)]
        REGISTERED[saved] = [(state, what) for state, what in states if is_registered(str(state), what)]
        shutil.copytree(folder, saved, symlinks=True)


def fill_anew(folder: Path, template: Path) -> Path:
    """Put a copy of a repository alone into a folder, and return the copy."""
    shutil.rmtree(folder, ignore_errors=True)
    return Path(shutil.copytree(template, folder / template.name, symlinks=True))


def standing_repo(name: str):  # type: ignore[no-untyped-def]
    """Return the fixture ``repo`` for a module whose tests begin with a copy of what ``fill`` made of it."""

    @pytest.fixture
    def repo(template: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
        return fill_anew(stand(tmp_path_factory, monkeypatch, name), template)

    return repo
