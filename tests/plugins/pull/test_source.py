"""Valid sources, and that only this clone defines its sources."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import git
from support.each import each

from gitmem.errors import NotFoundError, RefusedError, UsageError
from gitmem.memory import Memory
from gitmem.plugins.pull.source import list_sources, make_source


@each(
    ("typed", "remote", "address", "api"),
    [
        ("acme/shop", "", "acme/shop", "https://api.github.com"),
        ("https://github.com/acme/shop.git", "", "acme/shop", "https://api.github.com"),
        ("", "git@github.com:acme/shop.git", "acme/shop", "https://api.github.com"),
        ("", "ssh://git@github.example.com:2222/acme/shop", "acme/shop", "https://github.example.com/api/v3"),
    ],
)
def test_repository_comes_from_the_argument_or_the_remote(typed: str, remote: str, address: str, api: str) -> None:
    source = make_source("github", typed, remote=remote)

    assert (source.address, source.api) == (address, api)


@each(
    ("kind", "address", "options"),
    [
        ("github", "", {}),
        ("github", "not a repository", {}),
        ("github", "acme/..", {}),
        ("github", "acme/shop", {"include": ["wiki"]}),
        ("github", "acme/shop", {"name": "../x"}),
        ("github", "acme/shop", {"name": "x.lock"}),
        ("github", "acme/shop", {"every": "often"}),
        ("github", "acme/shop", {"every": "never"}),
        ("github", "acme/shop", {"since": "yesterday"}),
        ("github", "acme/shop", {"api": "http://api.example.com"}),
        ("jira", "", {}),
        ("jira", "https://me:secret@acme.example", {}),
        ("jira", "https://acme.example", {"project": "A OR 1=1"}),
        ("code", "acme/shop", {}),
        ("docs", "", {"include": ["issues"]}),
    ],
)
def test_invalid_source_is_refused(kind: str, address: str, options: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as raised:
        make_source(kind, address, **options)

    assert raised.value.hint
    assert "secret" not in str(raised.value)


def test_second_source_with_a_name_is_refused(memory: Memory) -> None:
    memory.sources.add("code")

    with pytest.raises(RefusedError, match="there is a source code already"):
        memory.sources.add("code", paths=["src"])


def test_removing_a_source_deletes_all_its_data(memory: Memory, repo: Path) -> None:
    memory.sources.add("code")
    memory.sources.pull("code")

    memory.sources.remove("code")

    assert git(repo, "for-each-ref", "refs/gitmem/sources") == ""
    assert [path.name for path in (repo / ".git/gitmem/sources").iterdir()] == ["code.lock"]
    with pytest.raises(NotFoundError, match="there is no source code"):
        memory.sources.pull("code")


def test_damaged_settings_hide_no_other_source(memory: Memory, repo: Path) -> None:
    memory.sources.add("code")
    memory.sources.add("docs")
    (repo / ".git/gitmem/sources/code.json").write_text("{", encoding="utf-8")

    assert [source.name for source in list_sources(memory.repository)] == ["docs"]
    assert "the settings of the source code are damaged; add it again: gitmem sources add" in memory.notices


def test_copied_repository_brings_no_sources_along(memory: Memory, repo: Path, tmp_path: Path) -> None:
    memory.sources.add("jira", "https://tracker.example", project="SHOP")
    memory.remember("Something")

    copy = shutil.copytree(repo, tmp_path / "copy", symlinks=True)

    with Memory(copy) as other:
        assert list(other.sources.list()) == []
