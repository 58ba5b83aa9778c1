"""From inside the view, the repository is seen as from its main work tree; nothing is read where there is no view."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import git

from gitmem.git.repository import discover
from gitmem.memory import Memory
from gitmem.store.view.state import FILE_NAME, has_one, load, outside


def test_inside_the_view_the_code_is_that_of_the_main_work_tree(memory: Memory, repo: Path) -> None:
    memory.view.make()
    git(repo, "worktree", "add", "-q", "-b", "topic", "../linked")
    linked = discover(str(repo.parent / "linked"))

    seen = outside(discover(str(repo / ".memory")))

    assert seen == discover(str(repo))
    assert outside(linked) == linked
    with Memory(repo / ".memory") as inside:
        assert inside.repository.git.read_head() == ("refs/heads/main", git(repo, "rev-parse", "main"))


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"path": "../../x", "name": "../../..", "shown": "", "held": {}}', '{"held": 1}', "\0"]
)
def test_damaged_record_names_no_view(memory: Memory, text: str) -> None:
    memory.view.make()
    Path(memory.repository.git.repository.state, FILE_NAME).write_text(text)

    assert load(memory.repository.git.repository) is None


def test_without_a_view_none_is_found(memory: Memory) -> None:
    assert (has_one(memory.repository.git.repository.state), load(memory.repository.git.repository)) == (False, None)
