"""References to lines: moved ones are updated in one commit, changed ones are left to a person."""

from __future__ import annotations

from pathlib import Path

from conftest import commit_files
from support.branch import fields_of

from gitmem.memory import Memory

LINES = [f"def function_{n}(value):\n    return value * {n} + offset_{n}\n" for n in range(6)]


def test_moved_references_are_updated_and_changed_ones_are_left(memory: Memory, repo: Path, run_cli) -> None:
    commit_files(repo, {"src/a.py": "".join(LINES), "src/b.py": "".join(LINES).replace("function", "helper")})
    memory.remember("The third function doubles", key="moved", refs=["src/a.py:5-6"])
    memory.remember("The fourth helper triples", key="changed", refs=["src/b.py:7-8"])
    assert memory.bulk.curate("refs").steps == ()
    after = (
        "".join(LINES).replace("function", "helper").replace("def helper_3(value):\n    return value * 3", "x = 1\ny")
    )
    commit_files(repo, {"src/a.py": "# one\n# two\n" + "".join(LINES), "src/b.py": after})

    assert [(step.key, step.why) for step in memory.bulk.curate("refs").steps] == [
        ("changed", "src/b.py:7-8 changed"),
        ("moved", "src/a.py:5-6 is now src/a.py:7-8"),
    ]
    done = run_cli("curate", "refs", "--apply")

    assert (done.status, "\nchanged 1 memory in " in done.out) == (0, True)
    assert fields_of(repo, "learned/moved.md")["refs"] == ["src/a.py:7-8"]
    assert [step.key for step in memory.bulk.curate("refs").steps] == ["changed"]
    assert run_cli("curate", "refs").status == 1
