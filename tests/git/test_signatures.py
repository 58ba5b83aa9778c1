"""Who signed a commit, with real keys and the real ssh-keygen."""

from __future__ import annotations

import subprocess

import pytest
from conftest import NOW, git
from support.signers import Signer, needs_ssh_keygen

from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.git.signatures import NoSignatureProgramError, check_signatures, parse_commit, read_identities

pytestmark = needs_ssh_keygen
DAY = 86_400


@pytest.fixture
def ana(tmp_path):
    return Signer(tmp_path, "ana@example.com")


@pytest.fixture
def bob(tmp_path):
    return Signer(tmp_path, "bob@example.com")


def tree_of(repo) -> str:
    return git(repo, "rev-parse", "HEAD^{tree}")


def signer_of(repo, commit: str, signers: str, *, since: int = 0) -> tuple[str, str]:
    found = read_identities(Git(discover(repo)), [commit])
    signature = check_signatures(found.values(), signers.encode(), since={commit: since})[commit]
    return signature.signer, signature.why


def test_commit_of_an_allowed_signer_counts(repo, ana):
    commit = ana.commit(repo, tree_of(repo))

    assert signer_of(repo, commit, ana.line()) == ("ana@example.com", "")
    assert signer_of(repo, commit, ana.line(principal="*@example.com")) == ("ana@example.com", "")


@pytest.mark.parametrize(
    ("how", "because"),
    [
        ({"signs": False}, "it is not signed"),
        ({"author": "bob@example.com"}, "in the name of bob@example.com"),
    ],
)
def test_commit_does_not_count_where_nobody_signs_for_it(repo, ana, how, because):
    commit = ana.commit(repo, tree_of(repo), **how)

    signer, why = signer_of(repo, commit, ana.line())

    assert (signer, because in why) == ("", True)


def test_key_counts_only_as_the_list_allows_it(repo, ana, bob):
    commit = ana.commit(repo, tree_of(repo))
    rows = {
        "": "nobody is allowed",
        bob.line(): "another key",
        bob.line(principal="ana@example.com"): "another key for this address",
        ana.line(principal="bob@example.com"): "the key of another address",
        ana.line('namespaces="file"'): "a key for files",
        ana.line('valid-before="20200101"'): "an expired key",
        ana.line('valid-after="20990101"'): "a key of the future",
    }

    assert {what: signer_of(repo, commit, text)[0] for text, what in rows.items()} == dict.fromkeys(rows.values(), "")


def test_key_must_be_valid_when_the_commit_was_made_at_the_earliest(repo, ana):
    expires = ana.line('valid-before="20260922"')  # a day after NOW
    before, after = (ana.commit(repo, tree_of(repo), at=at) for at in (NOW, NOW + 2 * DAY))

    assert [signer_of(repo, one, expires)[0] for one in (before, after)] == ["ana@example.com", ""]
    # A commit that claims a time before its parents' cannot bring an expired key back.
    assert signer_of(repo, before, expires, since=NOW + 2 * DAY)[0] == ""


def test_revoked_key_counts_for_nothing(repo, ana, tmp_path):
    commit = ana.commit(repo, tree_of(repo))
    revoked = tmp_path / "revoked"
    subprocess.run(["ssh-keygen", "-q", "-k", "-f", revoked, f"{ana.key}.pub"], check=True, capture_output=True)
    found = read_identities(Git(discover(repo)), [commit])

    assert check_signatures(found.values(), ana.line().encode(), revoked=str(revoked))[commit].signer == ""


def test_signature_of_another_commit_or_purpose_counts_for_nothing(repo, ana):
    commit = ana.commit(repo, tree_of(repo))
    content = subprocess.run(["git", "cat-file", "commit", commit], cwd=repo, check=True, capture_output=True).stdout
    changed = parse_commit(commit, content.replace(b"\n\nx", b"\n\ny"))
    plain = parse_commit(commit, content)
    argv = ["ssh-keygen", "-q", "-Y", "sign", "-n", "file", "-f", ana.key]
    for_files = subprocess.run(argv, input=plain.signed, check=True, capture_output=True).stdout.replace(b"\n", b"\n ")
    head, _, message = plain.signed.partition(b"\n\n")
    other = parse_commit(commit, head + b"\ngpgsig " + for_files.rstrip() + b"\n\n" + message)
    twice = parse_commit(commit, content.replace(b"\n\n", b"\ngpgsig x\n\n", 1))

    assert other.signature and other.signed == plain.signed
    for wrong in (changed, other, twice):
        assert check_signatures([wrong], ana.line().encode())[commit].signer == ""


@pytest.mark.parametrize("address", ["-Oprint-pubkey@x", "ana@example.com,bob@example.com", "", "!x@y"])
def test_address_that_the_program_could_misread_is_refused(repo, ana, address):
    git(repo, "config", "user.useConfigOnly", "true")
    content = f"tree {tree_of(repo)}\nauthor a <{address}> {NOW} +0000\ncommitter a <{address}> {NOW} +0000\n"
    commit = parse_commit("0" * 40, content.encode() + b"gpgsig -----BEGIN SSH SIGNATURE-----\n x\n\nx\n")

    assert "no plain address" in check_signatures([commit], b"* ssh-ed25519 x\n")[commit.commit].why


def test_objects_that_are_no_commits_are_left_out(repo, ana):
    commit = ana.commit(repo, tree_of(repo))

    assert list(read_identities(Git(discover(repo)), [tree_of(repo), commit, "1" * 40])) == [commit]


def test_missing_program_is_named(repo, ana, tmp_path, monkeypatch):
    commit = read_identities(Git(discover(repo)), [ana.commit(repo, tree_of(repo))])
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))

    with pytest.raises(NoSignatureProgramError, match="ssh-keygen is not installed"):
        check_signatures(commit.values(), ana.line().encode())
