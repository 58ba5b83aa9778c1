"""A repository is found, and its refs are read, as git itself would: in every shape that a repository has."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from conftest import commit_files, git
from support.each import each

from gitmem.errors import GitmemError, NoRepositoryError
from gitmem.git import Git
from gitmem.git.repository import Repository, Unsure, discover, ignored_git_dir, is_oid, read_head, read_ref

OID = "0123456789abcdef0123456789abcdef01234567"


def found(folder: Path) -> Repository:
    return discover(str(folder))


def told_by_git(folder: Path) -> tuple[str, str, str | None]:
    """Return git directory, common directory and top folder as git tells them."""
    top = git(folder, "rev-parse", "--show-toplevel", check=False)
    common = git(folder, "rev-parse", "--path-format=absolute", "--git-common-dir")
    return git(folder, "rev-parse", "--absolute-git-dir"), common, top or None


def told_by_us(folder: Path) -> tuple[str, str, str | None]:
    it = found(folder)
    return it.git, str(it.common_dir), str(it.work_tree) if it.work_tree else None


def bare(repo: Path) -> Path:
    git(repo, "clone", "-q", "--bare", ".", "../bare.git")
    return repo.parent / "bare.git"


def linked(repo: Path) -> Path:
    git(repo, "worktree", "add", "-q", "--detach", "../linked")
    return repo.parent / "linked"


def linked_to_bare(repo: Path) -> Path:
    git(bare(repo), "worktree", "add", "-q", "--detach", "../of-bare")
    return repo.parent / "of-bare"


def submodule(repo: Path) -> Path:
    shutil.copytree(repo, repo.parent / "library", symlinks=True)
    git(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../library", "lib")
    return repo / "lib"


def shallow(repo: Path) -> Path:
    commit_files(repo, {"b": "b"})
    git(repo, "clone", "-q", "--depth", "1", f"file://{repo}", "../shallow")
    return repo.parent / "shallow"


def separate(repo: Path) -> Path:
    git(repo, "init", "-q", "--separate-git-dir", "../elsewhere.git", ".")
    return repo


def odd_name(repo: Path) -> Path:
    name = 'it\'s a "path" with\nnewline, ünï and \udcff'
    return Path(shutil.copytree(repo, repo.parent / name, symlinks=True))


def linked_of_odd_name(repo: Path) -> Path:
    return linked(Path(shutil.copytree(repo, repo.parent / "ünï codé", symlinks=True)))


def sha256(repo: Path) -> Path:
    git(repo.parent, "init", "-q", "--object-format=sha256", "wide")
    git(repo.parent / "wide", "-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "m")
    return repo.parent / "wide"


def odd_branch(repo: Path) -> Path:
    git(repo, "checkout", "-q", "-b", "caf\udce9/ünï")
    return repo


def odd_packed_branch(repo: Path) -> Path:
    odd_branch(repo)
    git(repo, "pack-refs", "--all")
    return repo


def linked_through_a_symbolic_ref(repo: Path) -> Path:
    git(repo, "symbolic-ref", "refs/heads/alias", "refs/heads/main")
    folder = linked(repo)
    git(folder, "symbolic-ref", "HEAD", "refs/heads/alias")
    git(repo, "checkout", "-q", "--detach", git(repo, "commit-tree", "-m", "another", "HEAD^{tree}"))
    return folder


SHAPES = {
    "plain": lambda repo: repo,
    "sha256": sha256,
    "odd-branch": odd_branch,
    "odd-packed-branch": odd_packed_branch,
    "linked-through-a-symbolic-ref": linked_through_a_symbolic_ref,
    "subfolder": lambda repo: repo / "src" / "auth",
    "bare": bare,
    "inside-bare": lambda repo: bare(repo) / "objects",
    "inside-git-dir": lambda repo: repo / ".git" / "refs",
    "linked": linked,
    "linked-to-bare": linked_to_bare,
    "submodule": submodule,
    "shallow": shallow,
    "separate-git-dir": separate,
    "odd-name": odd_name,
    "linked-of-odd-name": linked_of_odd_name,
}


@pytest.mark.parametrize("shape", SHAPES)
def test_repository_is_where_git_says(repo: Path, shape: str) -> None:
    folder = SHAPES[shape](repo)

    assert told_by_us(folder) == told_by_git(folder)


@pytest.mark.parametrize("shape", SHAPES)
def test_head_is_read_as_git_reads_it(repo: Path, shape: str) -> None:
    folder = SHAPES[shape](repo)

    branch, commit = Git(found(folder)).read_head()

    assert branch == git(folder, "symbolic-ref", "-q", "HEAD", check=False)
    assert commit == git(folder, "rev-parse", "HEAD")


def test_a_link_to_a_folder_leads_to_the_repository(repo: Path) -> None:
    link = repo.parent / "link"
    link.symlink_to(repo)

    assert found(link).common_dir.samefile(repo / ".git")


def test_a_folder_called_head_is_no_repository(repo: Path) -> None:
    (repo / "src" / "HEAD").write_text("ref: refs/heads/evil\n")

    assert found(repo / "src").git == str(repo / ".git")


def test_outside_of_a_repository_there_is_none(tmp_path: Path) -> None:
    with pytest.raises(NoRepositoryError, match="not a git repository") as caught:
        found(tmp_path)

    assert "git init" in caught.value.hint


def test_a_folder_that_is_gone_is_an_error_and_no_crash(tmp_path: Path) -> None:
    with pytest.raises(GitmemError):
        found(tmp_path / "gone")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to somebody else")
def test_someone_elses_repository_is_refused_in_gits_words(repo: Path) -> None:
    for path in (repo, repo / ".git"):
        os.chown(path, 12345, 12345)

    with pytest.raises(NoRepositoryError, match="dubious ownership") as caught:
        found(repo)

    assert "safe.directory" in caught.value.hint


def test_git_dir_of_the_environment_is_ignored(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(tmp_path, "init", "-q", "canary")
    for name in ("GIT_DIR", "GIT_COMMON_DIR"):
        monkeypatch.setenv(name, str(tmp_path / "canary" / ".git"))

    assert found(repo / ".git").git == str(repo / ".git")
    assert found(repo).git == str(repo / ".git")


@each(("folder", "name"), [("service/.git", "service"), ("service.git", "service"), (".git/modules/lib", "lib")])
def test_a_repository_is_called_by_its_folder(folder: str, name: str) -> None:
    path = f"/home/ana/{folder}"

    assert Repository(path, path, None).name == name


def test_state_is_shared_by_all_work_trees(repo: Path) -> None:
    assert found(linked(repo)).state_dir == found(repo).state_dir == repo / ".git" / "gitmem"


# Refs


@each(
    ("text", "expected"),
    [(OID, True), (OID + "0" * 24, True), (OID[:-1], False), (OID.upper(), False), ("z" * 40, False), ("", False)],
    ids=["sha1", "sha256", "short", "upper", "letters", "empty"],
)
def test_only_full_lower_case_hex_is_an_object_name(text: str, expected: bool) -> None:
    assert is_oid(text) is expected


def test_a_loose_ref_wins_over_a_packed_one(repo: Path) -> None:
    first = git(repo, "rev-parse", "HEAD")
    git(repo, "pack-refs", "--all")
    packed = read_ref(repo / ".git", "refs/heads/main")
    second = commit_files(repo, {"b": "b"})

    loose = read_ref(repo / ".git", "refs/heads/main")

    assert (packed, loose) == (first, second)


def test_a_ref_whose_name_ends_like_another_is_not_taken_for_it(repo: Path) -> None:
    git(repo, "branch", "x/main")
    git(repo, "update-ref", "refs/heads/main-2", git(repo, "commit-tree", "-m", "m", "HEAD^{tree}"))
    git(repo, "pack-refs", "--all")

    assert read_ref(repo / ".git", "refs/heads/ain") is None
    assert read_ref(repo / ".git", "heads/main") is None
    assert read_ref(repo / ".git", "refs/heads/main-2") != read_ref(repo / ".git", "refs/heads/main")


@each("name", ["refs/heads/none", "refs/heads/main/x", "refs/heads"])
def test_a_ref_that_is_not_there_is_none(repo: Path, name: str) -> None:
    assert read_ref(repo / ".git", name) is None


@pytest.mark.parametrize(
    "content", [b"", b"junk\n", b"ref: refs/heads/main\n", b"\xff\xfe", OID[:39].encode()], ids=str
)
def test_uncertain_refs_are_left_to_git(repo: Path, content: bytes) -> None:
    (repo / ".git" / "refs" / "heads" / "odd").write_bytes(content)

    with pytest.raises(Unsure):
        read_ref(repo / ".git", "refs/heads/odd")


def test_a_reftable_is_left_to_git(repo: Path) -> None:
    (repo / ".git" / "reftable").mkdir()

    with pytest.raises(Unsure):
        read_ref(repo / ".git", "refs/heads/main")


def test_an_unborn_head_has_a_branch_and_no_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "trunk", ".")

    assert read_head(found(tmp_path)) == ("refs/heads/trunk", None)


def test_a_detached_head_has_a_commit_and_no_branch(repo: Path) -> None:
    git(repo, "checkout", "-q", "--detach")

    assert read_head(found(repo)) == ("", git(repo, "rev-parse", "HEAD"))


def test_a_head_of_an_unknown_form_is_left_to_git(repo: Path) -> None:
    (repo / ".git" / "HEAD").write_text("ref: refs/heads/.invalid\n")

    with pytest.raises(Unsure):
        read_head(found(repo))


def test_a_format_that_this_git_cannot_read_is_refused_with_its_words(repo: Path) -> None:
    git(repo, "config", "core.repositoryformatversion", "1")
    git(repo, "config", "extensions.fromTheFuture", "true")
    (repo / ".git" / "reftable").mkdir()

    with pytest.raises(NoRepositoryError, match="unknown repository extension found: fromthefuture"):
        Git(discover(repo)).read_ref("refs/heads/memory")


@pytest.fixture
def planted(repo: Path) -> Path:
    """Return a bare repository that came with the files of another one, with a config of its own."""
    git(repo, "clone", "-q", "--bare", ".", "vendor/lib")
    git(repo / "vendor/lib", "config", "gitmem.summaryCommand", "touch /tmp/x")
    return repo / "vendor/lib"


@pytest.mark.parametrize("inside", ["", "refs", "objects"])
def test_bare_repository_in_a_work_tree_is_not_discovered(planted: Path, inside: str) -> None:
    with pytest.raises(NoRepositoryError, match="is a bare repository inside the work tree") as refused:
        found(planted / inside)

    assert refused.value.hint == f"if you trust it: gitmem -C {planted} list"


def test_config_of_a_planted_repository_cannot_make_it_a_work_tree(planted: Path) -> None:
    git(planted, "config", "core.bare", "false")
    git(planted, "config", "core.worktree", str(planted.parent))

    with pytest.raises(NoRepositoryError, match="is a bare repository inside the work tree"):
        found(planted)


def test_planted_repository_that_a_person_names_is_used(
    planted: Path,
    monkeypatch: pytest.MonkeyPatch,
    run_cli,  # type: ignore[no-untyped-def]
) -> None:
    assert run_cli("status", cwd=planted).status == 3
    monkeypatch.setenv("GIT_DIR", str(planted))
    assert told_by_us(planted)[0] == str(planted)
    monkeypatch.delenv("GIT_DIR")

    monkeypatch.setattr("gitmem.git.repository._named", "")
    assert "is a bare repository inside" not in run_cli("-C", str(planted), "status").err


def test_bare_repository_of_its_own_and_its_work_trees_need_no_naming(repo: Path) -> None:
    alone = bare(repo)

    assert told_by_us(alone)[2] is None
    assert told_by_us(linked_of(alone, repo / "inside"))[2] == str(repo / "inside")


def linked_of(folder: Path, place: Path) -> Path:
    git(folder, "worktree", "add", "-q", "--detach", str(place))
    return place


def test_git_dir_that_is_ignored_is_named_with_the_way_to_that_repository(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = discover(repo)
    for value in ("", str(repo / ".git"), f"{repo}/./.git/"):
        monkeypatch.setenv("GIT_DIR", value)
        assert ignored_git_dir(here) == ""

    monkeypatch.setenv("GIT_DIR", f"{tmp_path}/an other/.git")
    assert ignored_git_dir(here) == f"-C '{tmp_path}/an other'"
    with pytest.raises(NoRepositoryError) as caught:
        discover(tmp_path)
    assert caught.value.hint == f"GIT_DIR is ignored; to use that repository: gitmem -C '{tmp_path}/an other' list"


def test_the_null_device_in_the_place_of_gits_files_is_an_empty_file_as_for_git(repo: Path) -> None:
    commit_files(repo, {"a": "a"})
    tip = read_ref(found(repo).common, "refs/heads/main")
    for name in ("packed-refs", "shallow", "info/exclude", "config.worktree"):
        (repo / ".git" / name).unlink(missing_ok=True)
        (repo / ".git" / name).symlink_to(os.devnull)

    assert tip
    assert read_ref(found(repo).common, "refs/heads/main") == tip
    assert read_ref(found(repo).common, "refs/heads/other") is None  # it is not in packed-refs, either


@pytest.mark.parametrize(
    "name", ["HEAD", "config", "packed-refs", "index", "shallow", "refs/heads/main", "objects/info/alternates"]
)
def test_a_pipe_in_the_place_of_one_of_gits_files_is_named_and_not_waited_for(repo: Path, name: str) -> None:
    commit_files(repo, {"a": "a"})
    (repo / ".git" / name).unlink(missing_ok=True)
    os.mkfifo(repo / ".git" / name)

    with pytest.raises(NoRepositoryError, match=f"{name} is not a file"):
        read_ref(found(repo).common, "refs/heads/main")
