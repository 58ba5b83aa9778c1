from __future__ import annotations

import os
from pathlib import Path

from conftest import commit_files, git
from support.facts import Clock, make_memory, put, statuses, tracked

from gitmem.memory import Memory


def test_what_may_not_lie_there_is_one_problem_each(repo: Path) -> None:
    odd = {
        ".memory/README.md": "for people\n",
        ".memory/gitmem.toml": "",
        ".memory/facts/No Key.md": "x",
        ".memory/notes/bad.md": "-",
    }
    commit_files(repo, {**odd, **tracked(make_memory("a", "good"))})
    os.symlink("/etc/passwd", repo / ".memory/facts/link.md")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "a link")

    with Memory(repo, clock=Clock()) as memory:
        assert set(statuses(memory)) == {"a"}
        found = {(p.path, p.code) for p in memory.doctor(fix=True).problems}
    assert found == {
        (".memory/gitmem.toml", "not-in-code"),
        (".memory/facts/No Key.md", "bad-name"),
        (".memory/facts/link.md", "symlink"),
        (".memory/notes/bad.md", "no-frontmatter"),
    }


def test_a_folder_of_that_name_on_the_memory_branch_is_no_second_home(repo: Path) -> None:
    put(repo, make_memory("a", "good"), tracked(make_memory("evil", "pushed")))

    with Memory(repo, clock=Clock()) as memory:
        assert set(statuses(memory)) == {"a"}
