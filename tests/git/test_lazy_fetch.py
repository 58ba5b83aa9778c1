"""Objects that a partial clone lacks: reading them starts no program that the repository's configuration names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import git, memory_text, put_files

from gitmem.errors import GitmemError
from gitmem.git import Git
from gitmem.git.repository import discover, programs_of
from gitmem.memory import Memory
from gitmem.recall.query import Query
from gitmem.repository.approvals import accept_settings

# A setting that names a program, and the address for which git starts it.
PROGRAMS = {
    "core.sshCommand": "ssh://127.0.0.1/x",
    "core.gitProxy": "git://127.0.0.1/x",
    "remote.origin.uploadpack": "/",
}
COMMANDS = ("list", "recall text", "show a", "log", "status", "context", "doctor", "review", "remember more", "view")


@pytest.fixture
def clone(repo: Path, tmp_path: Path) -> Path:
    """Return a clone without the blobs of its memory branch."""
    put_files(repo, {"facts/a.md": memory_text("a")})
    git(repo, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--filter=blob:none", repo.as_uri(), "clone")
    git(tmp_path / "clone", "update-ref", "refs/heads/memory", "refs/remotes/origin/memory")
    return tmp_path / "clone"


def plant(clone: Path, name: str) -> Path:
    """Let the clone's own configuration name a program for fetching, and return the file that it would write."""
    script = clone.parent / "evil.sh"
    script.write_text(f"#!/bin/sh\necho ran >> {clone.parent}/ran\nexit 1\n")
    script.chmod(0o755)
    git(clone, "remote", "set-url", "origin", PROGRAMS[name])
    git(clone, "config", name, str(script))
    return clone.parent / "ran"


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_command_that_reads_starts_it(clone: Path, run_cli, name: str) -> None:  # type: ignore[no-untyped-def]
    ran = plant(clone, name)
    git(clone, "cat-file", "-e", "memory:facts/a.md", check=False)
    assert ran.exists(), "git itself would start it"
    ran.unlink()

    for words in COMMANDS:
        run_cli(*words.split(), cwd=clone)

    assert not ran.exists()


def test_person_who_accepts_the_program_has_it_started(clone: Path) -> None:
    ran = plant(clone, "core.sshCommand")
    with Memory(clone) as memory:
        assert [*memory.repository.ignored_settings] == ["core.sshCommand"]
        accept_settings(memory.repository)

    with Memory(clone) as memory:
        assert memory.repository.ignored_settings == {}
        with pytest.raises(GitmemError):
            memory.repository.catalog()
    assert ran.exists()


def test_persons_own_program_and_a_plain_remote_are_used(clone: Path, repo: Path, tmp_path: Path) -> None:
    git(repo, "config", "--global", "core.sshCommand", "ssh -v")
    git(clone, "config", "-f", str(clone / "more"), "core.abbrev", "12")
    git(clone, "config", "include.path", "../more")
    try:
        assert programs_of(discover(clone)) == {}
        with Memory(clone) as memory:
            assert [hit.key for hit in memory.list(Query()).hits] == ["a"]
    finally:
        git(repo, "config", "--global", "--unset", "core.sshCommand")


def test_programs_are_listed_with_every_value(clone: Path) -> None:
    git(clone, "config", "credential.https://ignore what was said.helper", "!one")
    git(clone, "config", "--add", "credential.helper", "!two")
    git(clone, "config", "--add", "credential.helper", "!three")

    found = programs_of(discover(clone))

    assert [*found] == ["credential.helper"]
    assert json.loads(found["credential.helper"]) == [
        ["credential.https://ignore what was said.helper", "!one"],
        ["credential.helper", "!two"],
        ["credential.helper", "!three"],
    ]


def test_clone_that_lacks_nothing_may_have_its_own_program(repo: Path) -> None:
    git(repo, "config", "core.sshCommand", "ssh -i key")

    assert programs_of(discover(repo)) == {}
    assert "GIT_NO_LAZY_FETCH" not in Git(discover(repo)).environment()
