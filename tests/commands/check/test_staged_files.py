"""Staged changes against HEAD: what the next commit makes false; nothing is written."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from conftest import commit_files, git, put_files
from support.code_changes import RS256, finding, kinds
from support.console import snapshot
from support.facts import approve_all, make_fact, put, tracked, verify

from gitmem.errors import GitmemError, NoRepositoryError
from gitmem.memory import Memory
from gitmem.verify.options import Options

JWT, RETRY = "src/auth/jwt.py", "src/gateway/retry.py"
EDDSA = 'ALGORITHM = "EdDSA"\n'


def check(memory: Memory, *keys: str):
    return memory.check(options=Options(keys=keys, no_sandbox=True), staged=True)


def stage(repo: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (repo / path).parent.mkdir(parents=True, exist_ok=True)
        (repo / path).write_text(text)
        git(repo, "add", path)


def test_what_is_staged_counts_and_nothing_else_and_nothing_is_touched(memory, repo, tmp_path, monkeypatch):
    put(
        repo,
        make_fact("breaks", RS256, by={"who": "ana"}),
        make_fact("rests", requires=["breaks"], verify={"exists": "README.md"}),
        make_fact("mended", {"exists": "new"}),
        make_fact("still", {"contains": "HS512", "in": JWT}),
        make_fact("not-staged", {"contains": "RETRIES", "in": RETRY}),
        make_fact("meant", {"absent": "meant"}),
    )
    stage(repo, {JWT: EDDSA, "new": ""})
    (repo / RETRY).write_text("")
    (repo / "meant").write_text("")
    git(repo, "add", "-N", "meant")
    memory.repository.catalog()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    before = snapshot(repo, apart_from=(".git/gitmem",))

    checked = check(memory)

    assert kinds(checked) == {
        "breaks": "newly_false",
        "rests": "suspect",
        "mended": "newly_true",
        "still": "still_false",
    }
    assert (checked.span.base, checked.span.head) == (git(repo, "rev-parse", "HEAD"), "")
    assert (checked.files, checked.facts) == (2, 6)
    found = finding(checked, "breaks")
    assert (found.by, found.places[0].path, found.places[0].line) == ("ana", JWT, 1)
    assert snapshot(repo, apart_from=(".git/gitmem",)) == before
    assert list((tmp_path / "tmp").iterdir()) == []


def test_index_of_a_partial_commit_is_the_one_that_counts(memory, repo, monkeypatch):
    put(repo, make_fact("a", RS256), make_fact("b", {"contains": "RETRIES", "in": RETRY}))
    stage(repo, {JWT: EDDSA})
    shutil.copy(repo / ".git/index", repo / ".git/next-index-1.lock")
    stage(repo, {RETRY: ""})
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/next-index-1.lock")

    assert kinds(check(memory)) == {"a": "newly_false"}


def test_no_commit_is_made_where_no_fact_reads_what_is_staged(memory, repo, monkeypatch):
    put(repo, make_fact("a", RS256))
    stage(repo, {"other.txt": "", "src/auth/other.txt": ""})
    monkeypatch.setattr("gitmem.verify.ground.private_commits.Apart", pytest.fail)

    checked = check(memory)

    assert (checked.files, checked.facts, checked.findings) == (2, 1, ())


def test_unfinished_merge_is_not_judged(memory, repo):
    git(repo, "checkout", "-q", "-b", "other")
    commit_files(repo, {JWT: "theirs\n"})
    git(repo, "checkout", "-q", "main")
    commit_files(repo, {JWT: "ours\n"})
    git(repo, "merge", "-q", "other", check=False)

    with pytest.raises(GitmemError, match=JWT):
        check(memory)


def test_bare_repository_has_nothing_staged(repo, tmp_path):
    git(tmp_path, "clone", "-q", "--bare", str(repo), "bare.git")
    put_files(tmp_path / "bare.git", make_fact("a", RS256))

    with Memory(tmp_path / "bare.git") as memory, pytest.raises(NoRepositoryError, match="no work tree"):
        check(memory)


def test_merge_is_not_accused_of_what_a_side_of_it_made_false(memory, repo):
    put(
        repo,
        make_fact("theirs", RS256),
        make_fact("rests", requires=["theirs"], verify={"exists": "README.md"}),
        make_fact("merged", {"lacks": "RETRIES = 0", "in": "src/**"}),
    )
    git(repo, "checkout", "-q", "-b", "other")
    commit_files(repo, {JWT: EDDSA})
    git(repo, "checkout", "-q", "main")
    commit_files(repo, {"ours": ""})
    git(repo, "merge", "-q", "--no-commit", "--no-ff", "other")
    stage(repo, {RETRY: "RETRIES = 0\n"})  # by whoever merges

    checked = check(memory)

    assert kinds(checked) == {"merged": "newly_false", "theirs": "still_false"}
    assert "which is merged" in finding(checked, "theirs").because


@pytest.mark.parametrize("has_memory", [True, False], ids=["a memory", "none"])
def test_first_commit_is_checked_against_nothing(tmp_path, has_memory):
    repo = tmp_path / "new"
    git(tmp_path, "init", "-q", "-b", "main", str(repo))
    stage(repo, {"a": "1\n", "b": "2\n"})
    facts = [make_fact("false-here", {"contains": "9", "in": "a"}), make_fact("command", "true # runs nowhere yet")]
    if has_memory:
        put_files(repo, make_fact("absent", {"absent": "a"}) | make_fact("reads", {"contains": "2", "in": "b"}))
    stage(repo, tracked(*facts))

    with Memory(repo) as memory:
        found = kinds(check(memory))

    ours = {"absent": "newly_false", "reads": "newly_true"} if has_memory else {}
    assert found == {"false-here": "newly_false", "command": "unchecked"} | ours


def test_nothing_is_asked_of_a_repository_without_memories(repo):
    stage(repo, {JWT: EDDSA})

    with Memory(repo) as memory:
        checked = check(memory)

    assert (checked.files, checked.facts, checked.findings) == (1, 0, ())


def test_memories_of_the_code_count_as_they_are_staged(memory, repo):
    commit_files(
        repo, tracked(make_fact("reworded", {"exists": "README.md"}), make_fact("gone", {"exists": "README.md"}))
    )
    stage(repo, tracked(make_fact("brought", {"exists": "nowhere"}), make_fact("reworded", {"exists": "not-there"})))
    git(repo, "rm", "-q", "--cached", ".memory/facts/gone.md")

    checked = check(memory)

    assert kinds(checked) == {"brought": "newly_false", "reworded": "newly_false"}
    assert (checked.brought, checked.removed) == (("brought", "reworded"), ("gone",))
    assert finding(checked, "brought").fact.path == ".memory/facts/brought.md"


@pytest.mark.parametrize(
    ("fact", "kind"),
    [
        (make_fact("alg", {"contains": "EdDSA", "in": "src/auth/*.py"}, title="Tokens use EdDSA"), {"alg": "holds"}),
        (make_fact("alg", {"contains": "HS256", "in": "src/auth/*.py"}), {"alg": "silenced"}),
        ({"facts/alg.md": None, "archive/facts/alg.md": make_fact("alg", RS256)["facts/alg.md"]}, {}),
        ({"facts/alg.md": None}, {"alg": "silenced"}),
    ],
)
def test_a_fact_of_the_code_changes_with_its_code_in_one_commit(memory, repo, fact, kind):
    commit_files(repo, tracked(make_fact("alg", RS256)), "a fact")
    stage(repo, {JWT: EDDSA} | {path: text for path, text in tracked(fact).items() if text})
    for path in [path for path, text in tracked(fact).items() if text is None]:
        git(repo, "rm", "-q", path)

    checked = check(memory)

    assert {f.key: f.kind for f in checked.findings if f.kind in ("holds", "silenced")} == kind
    assert bool(checked.of("newly_false")) == ("silenced" in kind.values())
    git(repo, "checkout", "-q", "-b", "change")
    git(repo, "commit", "-q", "-m", "code and fact")
    against = memory.check(base="main", options=Options(no_sandbox=True))
    assert [f.key for f in against.of("silenced")] == ["alg"]  # a pull request is judged by the facts of its base


def test_approved_command_runs_on_what_is_staged_and_another_is_not_run(memory, repo, tmp_path):
    put(repo, make_fact("approved", f"grep -q RS256 {JWT}", paths=["src/**"]))
    approve_all(memory)
    verify(memory)
    put(repo, make_fact("unapproved", f"touch {tmp_path}/ran; grep -q RS256 {JWT}", paths=["src/**"]))
    stage(repo, {JWT: EDDSA})
    (repo / JWT).write_text("RS256, but not staged\n")

    checked = check(memory)

    assert kinds(checked) == {"approved": "newly_false", "unapproved": "unchecked"}
    assert finding(checked, "unapproved").because == "not approved"
    assert not (tmp_path / "ran").exists()
    assert memory.repository.local.verdicts(["approved"])["approved"][0].outcome == "holds"  # of HEAD; of no index


@pytest.mark.parametrize("place", ["linked work tree", "submodule", "names of SHA-256"])
def test_other_repositories_are_checked_alike(repo, tmp_path, place):
    if place == "linked work tree":
        folder = tmp_path / "linked"
        git(repo, "worktree", "add", "-q", str(folder))
    elif place == "submodule":
        git(tmp_path, "init", "-q", "outer")
        git(tmp_path / "outer", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repo), "inner")
        folder = tmp_path / "outer" / "inner"
    else:
        folder = tmp_path / "long"
        git(tmp_path, "init", "-q", "-b", "main", "--object-format=sha256", str(folder))
        git(folder, "config", "user.name", "Ana")
        git(folder, "config", "user.email", "ana@example.org")
        commit_files(folder, {JWT: 'ALGORITHM = "RS256"\n'})
    put_files(folder, make_fact("a", RS256))
    stage(folder, {JWT: EDDSA})

    with Memory(folder) as memory:
        assert kinds(check(memory)) == {"a": "newly_false"}
