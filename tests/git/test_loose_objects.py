"""Objects that are read without git, loose or packed: the same answers, and git is asked for all else."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import commit_files, git

from gitmem.errors import NoRepositoryError, ProcessError
from gitmem.git import Git, loose_objects
from gitmem.git.loose_objects import LARGEST, LooseObjects
from gitmem.git.packed_objects import PackedObjects, make_bare
from gitmem.git.repository import Unsure, discover
from gitmem.system import process


@pytest.fixture
def rich(repo: Path) -> Path:
    """Return a repository with links, a submodule, odd names, a change of every kind, and a merge."""
    (repo / "link").symlink_to("README.md")
    names = ("a.b", "a/b/c", "a0", "grün/ß ", "-x", "new\nline", ":(top)", "bin")
    commit_files(repo, dict.fromkeys(names, "text\n"))
    git(repo, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},module")
    git(repo, "commit", "-qm", "a submodule")
    git(repo, "checkout", "-qb", "side", "HEAD~1")
    commit_files(repo, {"side": "1\n"}, "side")
    git(repo, "checkout", "-qf", "main")
    git(repo, "merge", "-q", "--no-ff", "-m", "merge", "side")
    (repo / "bin").unlink()
    (repo / "link").unlink()
    (repo / "bin").symlink_to("a0")
    (repo / "a.b").chmod(0o755)
    commit_files(repo, {"link/now": "a folder\n"}, "each kind of change")
    return repo


def answers(repo: Path) -> list[object]:
    """Return what git and gitmem's reader say about everything in a repository."""
    git_ = Git(discover(str(repo)))
    commits = git(repo, "rev-list", "--all").split()
    blobs = [oid for _, oid, _ in git_.list_paths(commits[0])]
    pairs = [(one, other) for one in (commits[0], commits[-1]) for other in commits[::2]]
    return [
        [git_.list_tree(one) for one in commits],
        [git_.list_tree(commits[0], "a/b", "grün/ß ", "absent", "bin"), git_.list_tree(commits[0], "a/", "a0/")],
        [git_.list_paths(f"{one}^{{tree}}", "a") for one in commits],
        [git_.diff_trees(*pair) for pair in pairs],
        [Git(git_.repository).is_ancestor(*pair) for pair in pairs],
        [git_.merge_bases(*pair) for pair in pairs],
        git_.sizes([*blobs, commits[0], "2" * 40]),
        [list(git_.read_blobs(blobs, limit=limit)) for limit in (None, 3, 100)],
        [git_.read_blob(f"{commits[0]}:{path}", limit=100) for path in ("a/b/c", "a", "absent", "a/absent")],
        [git_.has(commits[0], kind) for kind in ("commit", "tree", "blob")] + [git_.has("2" * 40, "tree")],
        [git_.resolve(name, kind) for name in ("HEAD", commits[1], "main") for kind in ("commit", "tree")],
    ]


@pytest.mark.whole_system
def test_answers_are_those_of_git(rich: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = answers(rich)
    monkeypatch.setattr(LooseObjects, "_open", unsure)

    assert here == answers(rich)
    git(rich, "gc", "-q")
    monkeypatch.undo()
    assert here == answers(rich)


def unsure(*_: object) -> None:
    raise Unsure


def test_loose_objects_are_read_without_a_process(rich: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git_, head, root = Git(discover(str(rich))), git(rich, "rev-parse", "HEAD"), git(rich, "rev-parse", "HEAD~3")
    monkeypatch.setattr(process, "RunningTool", None)
    monkeypatch.setattr(Git, "run", None)

    assert git_.resolve("HEAD") == head
    assert git_.is_ancestor(root, head) and not git_.is_ancestor(head, root)
    files = {path: oid for _, oid, path in git_.list_paths(head)}
    assert (
        git_.read_blob(f"{head}:README.md", limit=100)
        == dict(git_.read_blobs([files["README.md"]]))[files["README.md"]]
    )


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "half": lambda raw: raw[: len(raw) // 2],
    "more": lambda raw: raw + b"x",
    "other bytes": lambda raw: raw[:-6] + b"\0" * 6,
    "no object": lambda _: __import__("zlib").compress(b"blob 3 abc"),
    "another size": lambda _: __import__("zlib").compress(b"blob 9\0abc"),
    "another object": lambda _: __import__("zlib").compress(b"blob 3\0abc"),
}


@pytest.mark.parametrize("how", DAMAGE)
def test_damaged_object_is_left_to_git(repo: Path, how: str) -> None:
    blob = git(repo, "rev-parse", "HEAD:README.md")
    path = repo / ".git/objects" / blob[:2] / blob[2:]
    raw = path.read_bytes()
    path.chmod(0o644)
    path.write_bytes(DAMAGE[how](raw))

    with pytest.raises(Unsure):
        LooseObjects(str(repo / ".git")).read(blob)


def test_a_pipe_in_the_place_of_an_object_is_named_and_not_waited_for(repo: Path) -> None:
    head = git(repo, "rev-parse", "HEAD")
    path = repo / ".git/objects" / head[:2] / head[2:]
    path.unlink()
    os.mkfifo(path)

    with pytest.raises(NoRepositoryError, match=f"{head[2:]} is not a file"):
        Git(discover(str(repo))).list_tree(head)


def test_a_commit_with_the_content_of_another_is_refused(repo: Path) -> None:
    old, new = git(repo, "rev-parse", "HEAD"), commit_files(repo, {"a": "1"})
    place = repo / ".git/objects" / new[:2] / new[2:]
    place.unlink()
    place.write_bytes((repo / ".git/objects" / old[:2] / old[2:]).read_bytes())

    with pytest.raises(ProcessError):
        Git(discover(str(repo))).list_tree(new)


def test_half_a_commit_is_not_there(repo: Path) -> None:
    head = git(repo, "commit-tree", "-m", "\n".join(map(str, range(500))), "HEAD^{tree}")
    path = repo / ".git/objects" / head[:2] / head[2:]
    raw = path.read_bytes()
    path.chmod(0o644)
    path.write_bytes(raw[: len(raw) // 2])

    assert LooseObjects(str(repo / ".git")).read_header(head)[0] == "commit"
    assert not Git(discover(repo)).has(head, "commit")


def test_parents_are_named_only_before_the_author(repo: Path) -> None:
    old = commit_files(repo, {"a": "1"})
    text = git(repo, "cat-file", "commit", git(repo, "commit-tree", "-m", "x", "HEAD^{tree}"))
    head, _, message = text.partition("\n\n")
    (repo / "forged").write_text(f"{head}\nparent {old}\n\n{message}\n")
    new = git(repo, "hash-object", "-t", "commit", "--literally", "-w", "forged")

    assert not Git(discover(repo)).is_ancestor(old, new)


def test_many_or_large_objects_are_left_to_git(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    head = commit_files(repo, {"a/b/c": "1", "large": "x" * 500})
    loose = LooseObjects(str(repo / ".git"))
    whole = [path for _, _, path in loose.list_files(head)]

    assert b"a/b/c" in whole
    for name, most in (("FEW", 2), ("DEEPEST", 0), ("LARGEST", 10)):
        with monkeypatch.context() as patch:
            patch.setattr(loose_objects, name, most)
            with pytest.raises(Unsure):
                loose.list_files(head)


def test_history_that_ends_early_is_left_to_git(repo: Path) -> None:
    head = commit_files(repo, {"a": "1"})
    (repo / ".git" / "shallow").write_text(head)

    with pytest.raises(Unsure):
        LooseObjects(str(repo / ".git")).is_ancestor(head, head)


def packed(repo: Path) -> Git:
    git_ = Git(discover(str(repo)))
    git_.loose = PackedObjects(git_.repository.common)
    return git_


def test_libgit2_answers_as_git(rich: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(rich, "gc", "-q")
    expected = answers(rich)
    monkeypatch.setattr("gitmem.git.git.LooseObjects", PackedObjects)

    assert answers(rich) == expected


def test_packed_objects_are_read_without_a_process(rich: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(rich, "gc", "-q")
    head, root, git_ = git(rich, "rev-parse", "HEAD"), git(rich, "rev-parse", "HEAD~3"), packed(rich)
    expected = Git(git_.repository).list_tree(head)
    monkeypatch.setattr(process, "RunningTool", None)
    monkeypatch.setattr(Git, "run", None)

    assert git_.list_tree(head) == expected
    assert dict(git_.read_blobs([one.oid for one in expected if one.size > 0], limit=100)).keys() == {
        one.oid for one in expected if one.size > 0
    }
    assert git_.is_ancestor(root, head) and not git_.is_ancestor("1" * 40, head)


def test_large_missing_and_damaged_objects_are_left_to_git(repo: Path) -> None:
    large = git(repo, "hash-object", "-w", "--stdin", input="x" * (LARGEST + 1))
    damaged = git(repo, "hash-object", "-w", "--stdin", input="".join(map(chr, range(33, 120))))
    file = repo / ".git" / "objects" / damaged[:2] / damaged[2:]
    file.chmod(0o644)
    file.write_bytes(file.read_bytes()[:20])
    objects = packed(repo).loose

    assert objects.read(large, 10) == ("blob", LARGEST + 1, b"")
    for oid in (large, damaged, "1" * 40, "HEAD"):
        with pytest.raises(Unsure):
            objects.read(oid)


def test_bare_repository_keeps_any_url(tmp_path: Path) -> None:
    url = 'ssh://git@host/a "b" \\ ;#é'

    make_bare(tmp_path / "m.git", "origin", url)

    assert git(tmp_path / "m.git", "config", "remote.origin.url") == url
    assert git(tmp_path / "m.git", "rev-parse", "--is-bare-repository") == "true"
