"""`gitmem merge` is git's merge driver for memories among the code."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import commit_files, git, memory_text

PATH = ".memory/gotchas/a.md"


@pytest.mark.parametrize(
    ("one", "other", "is_open"), [("tags: [a, b]", "ttl: 30d", False), ("ttl: 1d", "ttl: 2d", True)]
)
def test_git_merges_memories_by_meaning(repo: Path, one: str, other: str, is_open: bool) -> None:
    git(repo, "config", "merge.gitmem.driver", f"{sys.executable} -m gitmem merge %O %A %B %P")
    base = memory_text("T", tags="[a]", body="One.\n")
    commit_files(repo, {PATH: base, ".gitattributes": "/.memory/** merge=gitmem\n"})
    git(repo, "switch", "-q", "-c", "topic")
    commit_files(repo, {PATH: base.replace("tags: [a]", f"tags: [a]\n{one}" if "ttl" in one else one)})
    git(repo, "switch", "-q", "main")
    commit_files(repo, {PATH: base.replace("tags: [a]", f"tags: [a]\n{other}")})

    git(repo, "merge", "-q", "-m", "m", "topic", check=False)

    text = (repo / PATH).read_text()
    assert "<<<<" not in text and "====" not in text
    assert bool(git(repo, "ls-files", "-u")) is is_open
    if is_open:
        assert "ttl: 2d\n" in text and "{field: ttl, other: 1d, by: " in text
    else:
        assert "tags: [a, b]\nttl: 30d\n" in text


def test_the_policy_and_what_is_not_there(run_cli: Any, repo: Path) -> None:
    for name, text in {"o": "[verify]\njobs = 1\n", "a": "[verify]\njobs = 2\n", "b": "[verify]\njobs = 3\n"}.items():
        (repo / name).write_text(text)

    done, missing = run_cli("merge", "o", "a", "b", "gitmem.toml", "--json"), run_cli("merge", "o", "a", "none")

    assert (done.status, json.loads(done.out)) == (1, {"path": "gitmem.toml", "fields": ["file"]})
    assert (repo / "a").read_text().startswith("[verify]\njobs = 3\n# gitmem: two versions, to settle. one side wrote:")
    assert missing.status == 1 and "none: No such file" in missing.err
