"""Commits of a store that are signed as git signs the person's."""

from __future__ import annotations

import pytest
from conftest import NOW, git, put_files, tip
from support.signers import Signer, needs_ssh_keygen

from gitmem.errors import ProcessError
from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.git.signatures import check_signatures, read_identities
from gitmem.store.commit import CommitPlan, WriteTarget, write_commit
from gitmem.store.commit.signing import REF, signs

pytestmark = needs_ssh_keygen
POLICY = b'format = 2\n[signatures]\nrequired = ["verdicts"]\n'


@pytest.fixture
def ana(tmp_path):
    return Signer(tmp_path, "ana@example.com")


def write(repo, files: dict[str, bytes], **how) -> str:
    plan = CommitPlan("memory: write", writes=tuple(files.items()), trailers=(("Gitmem-Key", "a"),), **how)
    made = write_commit(WriteTarget(Git(discover(repo)), "refs/heads/memory", "test", 5), lambda _: plan, now=NOW)
    assert made is not None
    return made.commit


def signer_of(repo, commit: str, ana: Signer) -> str:
    found = read_identities(Git(discover(repo)), [commit])
    return check_signatures(found.values(), ana.line().encode())[commit].signer


@pytest.mark.parametrize("machine", [False, True])
def test_commit_is_signed_where_the_policy_asks_for_signatures(repo, memory, ana, machine):
    ana.configure(repo)
    before = tip(repo)
    asking = write(repo, {"gitmem.toml": POLICY})
    commit = write(repo, {"facts/a.md": b"---\ntitle: A\n---\n"}, machine=machine)

    assert [signer_of(repo, one, ana) for one in (asking, commit)] == ["ana@example.com"] * 2
    assert git(repo, "rev-list", "--first-parent", f"{before}..memory").split() == [commit, asking]
    assert git(repo, "show", "memory:facts/a.md") == "---\ntitle: A\n---"
    author = "gitmem gitmem@localhost" if machine else "ana ana@example.com"
    assert git(repo, "log", "-1", "--format=%an %ae,%ce,%s,%(trailers:unfold)", commit) == (
        f"{author},ana@example.com,memory: write,Gitmem-Key: a"
    )
    assert git(repo, "for-each-ref", REF) == ""


def test_merge_and_first_commit_of_a_branch_are_signed(repo, ana):
    ana.configure(repo)
    first = write(repo, {"gitmem.toml": POLICY})
    side = put_files(repo, {"facts/b.md": "---\ntitle: B\n---\n"}, ref="refs/heads/side")
    merge = write(repo, {"facts/a.md": b"---\ntitle: A\n---\n"}, merged=side)

    assert [signer_of(repo, one, ana) for one in (first, merge)] == ["ana@example.com"] * 2
    assert git(repo, "log", "-1", "--format=%P", merge) == f"{first} {side}"


@pytest.mark.parametrize(
    ("name", "value"), [("commit.gpgSign", "false"), ("gpg.format", "openpgp"), ("user.signingKey", "")]
)
def test_commit_is_not_signed_where_git_does_not_sign_with_an_ssh_key(repo, memory, ana, name, value):
    ana.configure(repo)
    git(repo, "config", name, value)

    assert not signs(Git(discover(repo)))
    assert signer_of(repo, write(repo, {"gitmem.toml": POLICY}), ana) == ""


def test_commit_is_not_signed_where_the_policy_does_not_ask(repo, memory, ana):
    ana.configure(repo)

    assert signer_of(repo, write(repo, {"facts/a.md": b"---\ntitle: A\n---\n"}), ana) == ""


def test_signing_that_fails_changes_nothing(repo, memory, ana):
    ana.configure(repo)
    before = tip(repo)
    ana.key.unlink()

    with pytest.raises(ProcessError, match="could not be signed, nothing was changed"):
        write(repo, {"gitmem.toml": POLICY})

    assert (tip(repo), git(repo, "for-each-ref", REF)) == (before, "")


def test_program_that_signs_is_not_named_by_the_repository(repo, memory, ana, tmp_path):
    ana.configure(repo)
    planted = tmp_path / "planted"
    planted.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\nexit 1\n", encoding="utf-8")
    planted.chmod(0o755)
    git(repo, "config", "gpg.ssh.program", str(planted))

    assert signer_of(repo, write(repo, {"gitmem.toml": POLICY}), ana) == "ana@example.com"
    assert not (tmp_path / "ran").exists()
