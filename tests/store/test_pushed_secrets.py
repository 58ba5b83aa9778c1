"""A push that would send a secret is refused, and says how to mend it; what the remote has already is no reason."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest
from conftest import git, memory_text, put_files, tip
from support.facts import make_memory, put

from gitmem.errors import RefusedError
from gitmem.memory import Memory

TOKEN = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
MEMORY = "refs/heads/memory"
LEAK = make_memory("leak", "The gateway", f"It deploys with {TOKEN}.")


@pytest.fixture
def hub(memory: Memory, repo: Path) -> Path:
    """Return a remote that has the memory."""
    folder = repo.parent / "hub.git"
    git(repo.parent, "init", "-q", "--bare", str(folder))
    git(repo, "remote", "add", "origin", str(folder))
    put(repo, make_memory("idle", "Idle connections drop"))
    memory.sync()
    return folder


def refused(repo: Path, send=Memory.sync) -> RefusedError:
    with Memory(repo) as memory, pytest.raises(RefusedError) as stdin:
        send(memory)
    assert TOKEN[:8] not in f"{stdin.value.message}{stdin.value.hint}"
    return stdin.value


@pytest.mark.parametrize(
    "files",
    [LEAK, {"gitmem.toml": f'[verify]\nsetup = "deploy {TOKEN}"\n'}, {"learned/file.txt": TOKEN}],
    ids=["memory", "policy", "any file"],
)
def test_secret_that_came_onto_the_branch_is_not_pushed(repo: Path, hub: Path, files) -> None:
    before = tip(hub, MEMORY)
    put(repo, files)

    err = refused(repo)

    assert f"a secret would be pushed to origin: {next(iter(files))} (github-token in line " in err.message
    assert tip(hub, MEMORY) == before


def test_hints_repair_the_leak_and_lose_nothing(repo: Path, hub: Path) -> None:
    put(repo, LEAK)
    put(repo, make_memory("other", "Another one"))
    first = refused(repo)
    assert "take it out: gitmem edit leak" in first.hint
    put(repo, make_memory("leak", "The gateway", "It deploys with what the vault holds."))

    command = refused(repo).hint.split("\n")[-1]
    subprocess.run(["sh", "-c", command], cwd=repo, check=True)
    with Memory(repo) as memory:
        done = memory.sync()

    assert shlex.split(command)[:3] == ["git", "update-ref", MEMORY]
    assert done.pushed
    assert tip(hub, MEMORY) == tip(repo, MEMORY)
    assert TOKEN not in git(hub, "log", "-p", "--all")
    assert sorted(git(hub, "ls-tree", "--name-only", "memory:gotchas").split()) == ["idle.md", "leak.md", "other.md"]


def test_first_push_of_a_branch_is_looked_at_whole(memory: Memory, repo: Path) -> None:
    git(repo.parent, "init", "-q", "--bare", "empty.git")
    git(repo, "remote", "add", "origin", str(repo.parent / "empty.git"))
    put(repo, LEAK)
    put(repo, make_memory("leak", "The gateway", "Mended."))

    command = refused(repo).hint.split("\n")[-1]
    subprocess.run(["sh", "-c", command], cwd=repo, check=True)

    with Memory(repo) as opened:
        assert opened.sync().pushed


def test_secret_that_the_remote_has_already_keeps_nothing_from_being_sent(repo: Path, hub: Path) -> None:
    put_files(hub, LEAK, ref=MEMORY)
    put(repo, make_memory("other", "Another one"))

    with Memory(repo) as memory:
        done = memory.sync()

    assert (done.pushed, done.merged) == (True, "merged")


def test_rule_that_own_configuration_silences_is_pushed(repo: Path, hub: Path) -> None:
    put(repo, LEAK)
    git(repo, "config", "gitmem.secretsAllow", "github-token")

    with Memory(repo) as memory:
        assert memory.sync().pushed


def test_proposal_with_a_secret_is_not_pushed(repo: Path, hub: Path) -> None:
    put(repo, LEAK)

    err = refused(repo, lambda memory: memory.proposals.send("notes"))

    assert "gotchas/leak.md (github-token in line " in err.message
    assert git(hub, "for-each-ref", "--format=%(refname)") == MEMORY


def test_plain_text_is_no_leak(repo: Path, hub: Path) -> None:
    put_files(repo, {"notes/n.md": memory_text("Tokens rotate", body="See the vault.\n")})

    with Memory(repo) as memory:
        assert memory.sync().pushed
