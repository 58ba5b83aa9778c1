"""Two machines verify at once and push to one remote: both come to their end, and no verdict is lost."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from conftest import git
from support.facts import make_fact, put, verdict_keys
from support.terminal import GITMEM, environment, gitmem

from gitmem.store.layout import shard

FACTS = 40
# Of four buckets: both machines change each of them.
KEYS = [key for key in (f"f{n}" for n in range(9000)) if shard(key) < "04"][:FACTS]


@pytest.fixture
def hub(repo: Path) -> Path:
    """Return a bare repository with the code and the memory of many facts."""
    folder = repo.parent / "hub.git"
    git(repo.parent, "init", "-q", "--bare", "-b", "main", str(folder))
    git(repo, "remote", "add", "origin", str(folder))
    gitmem(repo, "init")
    holds, fails = {"exists": "README.md"}, {"exists": "nowhere"}
    put(repo, *(make_fact(key, fails if n % 5 == 0 else holds) for n, key in enumerate(KEYS)))
    git(repo, "push", "-q", "origin", "main", "memory")
    return folder


@pytest.mark.whole_system
def test_two_shards_verify_and_sync_at_once(repo: Path, hub: Path, tmp_path: Path) -> None:
    clones = [tmp_path / f"machine-{number}" for number in (1, 2)]
    for clone in clones:
        git(tmp_path, "clone", "-q", str(hub), str(clone))
    line = '"$@" verify --shard "$0"; "$@" sync'
    jobs = [
        subprocess.Popen(
            ["sh", "-c", line, f"{number}/2", *GITMEM],
            cwd=clone,
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for number, clone in enumerate(clones, 1)
    ]

    ended = [(job.communicate(timeout=180), job.returncode) for job in jobs]

    assert [status for _, status in ended] == [0, 0], ended
    assert verdict_keys(hub) == sorted(KEYS)
    assert len(git(hub, "ls-tree", "-r", "--name-only", "memory", "--", "verdicts").split()) == 4
    gitmem(repo, "sync")
    document = json.loads(gitmem(repo, "status", "--json").out)
    assert (document["statuses"]["verified"], document["statuses"]["failed"]) == (FACTS - FACTS // 5, FACTS // 5)
    assert "nothing was due" in gitmem(repo, "verify").out
