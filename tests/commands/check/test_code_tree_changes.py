"""What a change does to the memories of the code tree; the rest is tested with whole changes."""

from __future__ import annotations

from conftest import commit_files, git
from support.code_changes import RS256, store_change
from support.facts import make_fact, put, tracked

from gitmem.commands.check.code_tree_changes import find_brought, home_tree
from gitmem.commands.check.facts import list_facts


def test_fact_is_known_on_the_base_by_specification_and_claim(memory, repo):
    base = commit_files(
        repo,
        tracked(
            make_fact("same", RS256), make_fact("checked", RS256), make_fact("said", RS256), make_fact("gone", RS256)
        )
        | {".memory/README.md": "About", ".memory/facts/broken.md": "---\nverify: [\n---\n"},
    )
    git(repo, "rm", "-q", ".memory/facts/gone.md")
    head = commit_files(
        repo,
        tracked(
            make_fact("same", RS256, tags=["t"]),
            make_fact("checked", {"exists": "x"}),
            make_fact("said", RS256, title="Other"),
        ),
    )
    put(repo, make_fact("of-the-branch", RS256))
    facts = list_facts(memory.repository.catalog(), ())

    found = find_brought(store_change(memory, base, head), memory.repository.catalog(), facts)

    assert [f.row.key for f in facts if f.row.id in found.facts] == ["checked", "said"]
    assert (found.removed, found.hidden) == (("gone",), ())


def test_link_in_place_of_the_folder_has_no_memories(repo, memory):
    (repo / ".memory").symlink_to("src")
    commit = commit_files(repo, {})

    assert home_tree(memory.repository.git, commit) == ""
