"""Changes to approved lists, policies and workflows are listed, each with its effect."""

from __future__ import annotations

from pathlib import Path

from conftest import commit_files, git

from gitmem.commands.check.change import Trees
from gitmem.commands.check.edits import look_at_edits
from gitmem.git import Git
from gitmem.git.repository import discover

LINE = "{hash}  {key}  make {key}\n"


def test_list_workflow_and_policy_are_named_and_nothing_else(repo: Path) -> None:
    lines = [LINE.format(hash=str(n) * 64, key=f"k{n}") for n in range(3)]
    other_word = LINE.format(hash="x" * 64, key="k9")
    other = "jobs: {test: {steps: [{run: make test}]}}\n"
    base = commit_files(
        repo,
        {
            ".github/gitmem-approved": f"# reviewed\n{lines[0]}{lines[1]}",
            ".github/workflows/gitmem-check.yml": "run: gitmem check\n",
            ".github/workflows/ci.yml": "run: gitmem verify\n",
            ".github/workflows/test.yml": other,
        },
    )
    git(repo, "rm", "-q", ".github/workflows/ci.yml")
    head = commit_files(
        repo,
        {
            ".github/gitmem-approved": f"# reviewed again\n{lines[1]}{lines[2]}x\n{'4' * 64}\n{other_word}",
            ".github/workflows/gitmem-check.yml": "run: gitmem check || true\n",
            ".github/workflows/test.yml": other + "# slower\n",
            ".memory/gitmem.toml": "[verify]\nclaimed = true\n",
            "README.md": "gitmem is used here\n",
        },
    )
    store = Git(discover(repo))

    found = list(look_at_edits(Trees(store, base, lambda: head, store.diff_trees(base, head)), ""))

    assert [(one.code, one.path) for one in found] == [
        ("approved-list", ".github/gitmem-approved"),
        ("gitmem-workflow", ".github/workflows/ci.yml"),
        ("gitmem-workflow", ".github/workflows/gitmem-check.yml"),
        ("policy-file", ".memory/gitmem.toml"),
    ]
    assert found[0].message.endswith("it approves k2 (make k2); it no longer approves k0 (make k0)")
    assert "removes" in found[1].message
