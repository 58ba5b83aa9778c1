"""Limits that the settings of formatters and linters state."""

from __future__ import annotations

from conftest import commit_files

from gitmem.commands.adopt.findings import HOLDS, NEVER
from gitmem.commands.adopt.run import adopt
from gitmem.git import Git
from gitmem.git.repository import discover

DETEKT = (
    "style:\n  MaxLineLength:\n    active: true\n    maxLineLength: 100\n"
    "formatting:\n  ArgumentListWrapping:\n    maxLineLength: 120\n"
)


def judged(repo, verdict):
    handle = Git(discover(repo))
    adoption = adopt(handle, handle.resolve("HEAD"), ["AGENTS.md"], kinds={"value"})
    return [(one.claim.stated, one.source.where) for one in adoption.of(verdict)]


def test_length_at_which_another_rule_wraps_is_not_the_longest_line(repo):
    files = {"AGENTS.md": "- Line length 120\n- Line length 100\n", "detekt-config.yml": DETEKT}
    commit_files(repo, files)

    assert judged(repo, HOLDS) == [("100", "detekt-config.yml:4")]


def test_length_of_another_folder_proves_nothing_where_the_own_folder_has_one(repo):
    files = {"AGENTS.md": "- Line length 80\n", ".editorconfig": "[*]\nmax_line_length = 120\n"}
    commit_files(repo, {**files, "web/.prettierrc": '{"printWidth": 80}\n'})

    assert judged(repo, HOLDS) == judged(repo, NEVER) == []
