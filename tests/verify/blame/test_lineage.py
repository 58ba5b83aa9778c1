"""Digests along a history are those that each commit's own tree has, whatever the check reads."""

from __future__ import annotations

import pytest
from conftest import commit_files, git
from support.each import each

from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.model import BUILTIN, SHELL, Check
from gitmem.verify.blame.lineage import InputQuestion, LineageReader
from gitmem.verify.inputs import CodeTree, digest
from gitmem.verify.trace.reads import format_reads

CAT = Check(SHELL, ("cat",))
SEEN = ((format_reads(["=src/auth/jwt.py", "/linked/x", "*docs"]), "seen:there"),)
QUESTIONS = {
    "tree": InputQuestion(("tree",), CAT),
    "paths": InputQuestion(("paths", "src/**", "*.md"), CAT),
    "nothing": InputQuestion(("paths", "no/such/*"), CAT),
    "seen": InputQuestion(("paths", "*.md"), CAT, SEEN),
    "moved": InputQuestion(("paths", "lib/b.py"), CAT, moved="lib/\tsrc/"),
    "link": InputQuestion(("paths", "linked/jwt.py"), CAT),
    "present": InputQuestion(("builtin",), Check(BUILTIN, ("exists", "new.txt"))),
    "content": InputQuestion(("builtin",), Check(BUILTIN, ("contains", "RS256", "src/auth/*.py"))),
}


@pytest.fixture(scope="module")
def folder(template, tmp_path_factory):
    """A history with merges, an octopus, a link, attributes, a second root, files that come and go."""
    import shutil

    repo = shutil.copytree(template, tmp_path_factory.mktemp("lineage") / "service", symlinks=True)
    commit_files(repo, {"src/auth/jwt.py": "HS256\n"}, "one")
    git(repo, "tag", "begin")
    for name, files in {
        "a": {"new.txt": "1\n"},
        "b": {"src/b.py": "b\n"},
        "c": {"src/.gitattributes": "*.py text\n"},
    }.items():
        git(repo, "checkout", "-q", "-b", name, "main")
        commit_files(repo, files, name)
    git(repo, "checkout", "-q", "main")
    commit_files(repo, {"docs/x.md": "x\n"}, "beside")
    git(repo, "merge", "-q", "--no-ff", "-m", "octopus", "a", "b", "c")
    (repo / "linked").symlink_to("src/auth")
    commit_files(repo, {}, "link")
    (repo / "linked").unlink()
    (repo / "new.txt").unlink()
    commit_files(repo, {"linked/jwt.py": "RS256\n"}, "no link")
    git(repo, "checkout", "-q", "--orphan", "other")
    commit_files(repo, {"src/other.py": "other\n"}, "another root")
    git(repo, "checkout", "-q", "main")
    git(repo, "merge", "-q", "--allow-unrelated-histories", "-s", "ours", "-m", "join", "other")
    git(repo, "branch", "-q", "early", "begin~1")
    git(repo, "checkout", "-q", "early")
    commit_files(repo, {"README.md": "# Early\n"}, "early")
    git(repo, "checkout", "-q", "main")
    git(repo, "merge", "-q", "-m", "late", "early")
    return repo


def digest_of(question: InputQuestion, tree: CodeTree) -> str:
    """Return the digest of a question's inputs, computed on a whole tree."""
    return question.digest_by(tree, question.reads_in(tree))


@each("since", ["", "begin"])
@each("name", QUESTIONS)
def test_digests_are_those_of_each_commits_own_tree(folder, name, since):
    hub, question = Git(discover(folder)), QUESTIONS[name]
    good = git(folder, "rev-parse", since) if since else ""

    lineage, trees = LineageReader(hub, git(folder, "rev-parse", "HEAD")).read(question, good)

    expected = {c: digest_of(question, CodeTree(hub, c)) for c in lineage.digests}
    assert lineage.digests == expected
    between = git(folder, "rev-list", "HEAD", *([f"^{good}"] if good else [])).split()
    assert set(lineage.ancestors) == set(between)
    if question.check.form == BUILTIN:
        assert set(trees) == set(expected.values())
        assert {d: digest_of(question, tree) for d, tree in trees.items()} == {d: d for d in trees}


def test_candidates_are_the_commits_that_changed_the_inputs(folder):
    lineage, _ = LineageReader(Git(discover(folder)), git(folder, "rev-parse", "HEAD")).read(QUESTIONS["present"])

    found = {git(folder, "log", "-1", "--format=%s", c) for c in lineage.ancestors if lineage.is_candidate(c)}

    assert found == {"the service", "a", "no link", "another root"}


def test_history_that_is_cut_off_begins_where_it_is_cut(folder, tmp_path):
    git(tmp_path, "clone", "-q", "--depth", "3", f"file://{folder}", "shallow")
    hub = Git(discover(tmp_path / "shallow"))

    lineage, _ = LineageReader(hub, hub.text("rev-parse", "HEAD")).read(QUESTIONS["paths"])

    assert {c: digest(CodeTree(hub, c), ("paths", "src/**", "*.md"), CAT) for c in lineage.digests} == lineage.digests
    assert 3 <= len(lineage.ancestors) < 10
