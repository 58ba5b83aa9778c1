"""The git binary answers exactly, under anybody's configuration, and runs nothing of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import commit_files, git, put_files
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.each import each

from gitmem.errors import ConflictError, GitmemError, NoRepositoryError, NotFoundError, ProcessError
from gitmem.git import Git
from gitmem.git.git import EARLIEST_S, FALLBACK_IDENTITY, LATEST_S, TreeChange, TreeEntry, plausible
from gitmem.git.repository import discover

MISSING = "1" * 40
ODD_NAMES = ["a b", "new\nline", "tab\tquote\"'\\", "ünï", "caf\udce9", "esc\x1b[31m", "-dash", ":(glob)x", "#"]


@pytest.fixture
def door(repo: Path) -> Git:
    """Return the git binary, bound to a repository with some code."""
    return Git(discover(str(repo)))


def blob(repo: Path, content: bytes) -> str:
    return git(repo, "hash-object", "-w", "--stdin", input=content)


def tree(repo: Path, entries: dict[str, tuple[str, str]]) -> str:
    """Return a tree of name -> (mode, object)."""
    kinds = {"040000": "tree", "160000": "commit"}
    lines = [f"{mode} {kinds.get(mode, 'blob')} {oid}\t{name}" for name, (mode, oid) in entries.items()]
    data = "\0".join(lines).encode("utf-8", "surrogateescape") + b"\0"
    return git(repo, "mktree", "-z", "--missing", input=data)


# Trees


def test_a_tree_is_listed_with_modes_sizes_and_types(repo: Path, door: Git) -> None:
    content = blob(repo, b"12345")
    found = tree(repo, {"a.md": ("100644", content), "link": ("120000", content), "sub": ("160000", MISSING)})

    assert door.list_tree(found) == [
        TreeEntry("100644", "blob", content, 5, "a.md"),
        TreeEntry("120000", "blob", content, 5, "link"),
        TreeEntry("160000", "commit", MISSING, -1, "sub"),
    ]


def test_a_missing_blob_has_no_size(repo: Path, door: Git) -> None:
    found = tree(repo, {"gone.md": ("100644", MISSING)})

    assert door.list_tree(found) == [TreeEntry("100644", "blob", MISSING, -1, "gone.md")]


def test_names_of_any_bytes_are_listed_as_they_are(repo: Path, door: Git) -> None:
    content = blob(repo, b"")
    found = tree(repo, dict.fromkeys(ODD_NAMES, ("100644", content)))

    assert {entry.path for entry in door.list_tree(found)} == set(ODD_NAMES)
    assert {path for _, _, path in door.list_paths(found)} == set(ODD_NAMES)


def test_only_the_paths_asked_for_are_listed(door: Git) -> None:
    assert [entry.path for entry in door.list_tree("HEAD", "README.md", "none")] == ["README.md"]


def test_a_tree_is_listed_whole_from_any_folder(door: Git, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repo / "src" / "auth")

    assert "README.md" in {path for _, _, path in door.list_paths("HEAD")}


def test_a_tree_that_git_cannot_read_is_an_error(door: Git) -> None:
    with pytest.raises(ProcessError) as caught:
        door.list_tree(MISSING)

    assert caught.value.status == 128


FILES = st.dictionaries(st.sampled_from(["a", "b", "d/a", "d/b", "d/e/a", "x y"]), st.sampled_from("123"), max_size=6)


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(FILES, FILES)
def test_a_difference_leads_from_the_old_tree_to_the_new_one(
    repo: Path, door: Git, old: dict[str, str], new: dict[str, str]
) -> None:
    trees = [_tree_of(repo, files) for files in (old, new)]

    changes = door.diff_trees(*trees)

    files = {path: oid for _, oid, path in door.list_paths(trees[0])}
    for change in changes:
        if change.status == "D":
            del files[change.path]
        else:
            assert (change.status == "A") is (change.path not in files)
            files[change.path] = change.oid
    assert files == {path: oid for _, oid, path in door.list_paths(trees[1])}


def _tree_of(repo: Path, files: dict[str, str]) -> str:
    stream = b"commit refs/heads/scratch\ncommitter a <a@b> 0 +0000\ndata 0\ndeleteall\n"
    for path, content in files.items():
        stream += f'M 100644 inline "{path}"\ndata 1\n{content}\n'.encode()
    git(repo, "fast-import", "--quiet", "--force", "--date-format=raw", input=stream)
    return git(repo, "rev-parse", "scratch^{tree}")


def test_a_moved_file_is_reported_as_gone_and_new(repo: Path, door: Git) -> None:
    git(repo, "config", "diff.renames", "copies")
    content = blob(repo, b"the same content\n" * 20)
    old, new = tree(repo, {"a": ("100644", content)}), tree(repo, {"b": ("100644", content)})

    assert door.diff_trees(old, new) == [
        TreeChange("D", "000000", "0" * 40, "a", "100644", content),
        TreeChange("A", "100644", content, "b", "000000", "0" * 40),
    ]


# Objects


def test_sizes_tell_blobs_from_everything_else(repo: Path, door: Git) -> None:
    content, other = blob(repo, b"123"), git(repo, "rev-parse", "HEAD^{tree}")

    assert door.sizes([content, MISSING, other]) == {content: 3, MISSING: -1, other: -1}


def test_empty_request_starts_no_process(door: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")

    assert door.sizes([]) == {}
    assert list(door.read_blobs([])) == []


def test_blobs_come_in_the_order_asked_for_and_missing_ones_as_none(repo: Path, door: Git) -> None:
    contents = [b"", b"a\n\nb", b"\0\xff", b"missing\n"]
    oids = [blob(repo, content) for content in contents]
    wanted = [*reversed(oids), MISSING, oids[0], git(repo, "rev-parse", "HEAD")]

    assert list(door.read_blobs(wanted)) == [
        *zip(reversed(oids), reversed(contents), strict=True),
        (MISSING, None),
        (oids[0], b""),
        (wanted[-1], None),
    ]


def test_more_blobs_than_a_pipe_holds_are_read(repo: Path, door: Git) -> None:
    big = blob(repo, b"x" * 60_000)

    assert sum(len(content or b"") for _, content in door.read_blobs([big] * 3000)) == 180_000_000


def test_blobs_above_the_limit_are_left_out_and_the_rest_is_read(repo: Path, door: Git) -> None:
    small, large, other = blob(repo, b"123"), blob(repo, b"x" * 2_000_000), git(repo, "rev-parse", "HEAD")

    for wanted in ([small, large, MISSING, large, small], [large, small], [small, other, small], [large] * 3):
        found = [(oid, b"123" if oid == small else None) for oid in wanted]
        assert list(door.read_blobs(wanted, limit=4)) == found


def test_a_blob_above_the_limit_is_refused_before_it_is_read(repo: Path, door: Git) -> None:
    big = blob(repo, b"12345")

    assert door.read_blob(big, limit=5) == b"12345"
    with pytest.raises(GitmemError, match="5 bytes, above the limit of 4"):
        door.read_blob(big, limit=4)


@each("spec", [MISSING, "HEAD:none", "HEAD:a blob", "none:README.md", "HEAD:src", "HEAD:caf\udce9"])
def test_a_blob_that_is_not_there_is_none(door: Git, spec: str) -> None:
    assert door.read_blob(spec, limit=10) is None


def test_replaced_objects_are_read_as_they_were_written(repo: Path, door: Git) -> None:
    honest, forged = blob(repo, b"honest"), blob(repo, b"forged")
    git(repo, "replace", honest, forged)

    assert door.read_blob(honest, limit=100) == b"honest"


# Names


def test_revision_is_resolved_to_its_object_name(repo: Path, door: Git) -> None:
    assert door.resolve("HEAD") == git(repo, "rev-parse", "HEAD")
    assert door.resolve("main", "tree") == git(repo, "rev-parse", "HEAD^{tree}")


@each("rev", ["none", "--all", "-h", "HEAD:README.md", "HEAD~99", "", "main..main", MISSING])
def test_unknown_revision_is_not_found(door: Git, rev: str) -> None:
    with pytest.raises(NotFoundError):
        door.resolve(rev)


def test_an_ancestor_is_distinguished_from_a_stranger(repo: Path, door: Git) -> None:
    old = git(repo, "rev-parse", "HEAD")
    new = commit_files(repo, {"b": "b"})

    assert door.is_ancestor(old, new)
    assert door.is_ancestor(new, new)
    assert not door.is_ancestor(new, old)
    assert not door.is_ancestor(MISSING, new)


@pytest.mark.parametrize(
    "content", ["", "junk\n", MISSING[:39], "ref: refs/heads/odd\n"], ids=["empty", "junk", "short", "loop"]
)
def test_a_broken_ref_says_so_and_how_to_repair_it(repo: Path, door: Git, content: str) -> None:
    (repo / ".git/refs/heads/odd").write_text(content)

    with pytest.raises(ConflictError, match="refs/heads/odd is broken") as caught:
        door.read_ref("refs/heads/odd")

    assert caught.value.hint == "gitmem doctor --fix"


def test_a_symbolic_ref_leads_to_its_commit(repo: Path, door: Git) -> None:
    git(repo, "symbolic-ref", "refs/heads/alias", "refs/heads/main")

    assert door.read_ref("refs/heads/alias") == git(repo, "rev-parse", "main")


# Settings


@pytest.mark.parametrize("where", ["local", "global", "included", "worktree"])
def test_settings_are_found_wherever_git_finds_them(
    repo: Path, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    folder = repo
    if where == "local":
        git(repo, "config", "gitmem.recallLimit", "7")
    elif where == "global":
        git(repo, "config", "--global", "gitmem.recallLimit", "7")
    elif where == "included":
        (tmp_path / "more").write_text("[gitmem]\nrecallLimit = 7\n")
        git(repo, "config", "--global", "include.path", str(tmp_path / "more"))
    else:
        folder = tmp_path / "linked"
        git(repo, "worktree", "add", "-q", "--detach", str(folder))
        git(repo, "config", "extensions.worktreeConfig", "true")
        git(folder, "config", "--worktree", "gitmem.recallLimit", "7")

    assert Git(discover(str(folder))).config_values() == {"recalllimit": "7"}


def test_a_value_of_several_lines_stays_whole(repo: Path, door: Git) -> None:
    git(repo, "config", "gitmem.agent", "a\nb=c")

    assert door.config_values() == {"agent": "a\nb=c"}
    assert door.config_value("gitmem.agent") == "a\nb=c"
    assert door.config_value("gitmem.none") == ""


def test_without_settings_there_are_none(door: Git) -> None:
    assert door.config_values() == {}


def test_the_author_is_whom_git_names(door: Git) -> None:
    assert door.identity() == ("Ana", "ana@example.org")


def test_without_an_identity_the_author_is_gitmem(repo: Path, door: Git) -> None:
    git(repo, "config", "--remove-section", "user")
    git(repo, "config", "user.useConfigOnly", "true")

    assert door.identity() == FALLBACK_IDENTITY


def test_the_environments_author_does_not_sign_for_the_person(door: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_AUTHOR_NAME", "a hook's author")

    assert door.identity()[0] == "Ana"


# What may not run


def test_nothing_of_the_configuration_runs(repo: Path, door: Git, tmp_path: Path) -> None:
    old = git(repo, "rev-parse", "HEAD")
    new = put_files(repo, {"README.md": "other"}, ref="refs/heads/other")
    readme = git(repo, "rev-parse", "HEAD:README.md")
    marker = tmp_path / "ran"
    evil = tmp_path / "evil"
    evil.write_text(f"#!/bin/sh\necho $0 >> '{marker}'\nexit 1\n")
    evil.chmod(0o755)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("reference-transaction", "post-index-change", "post-checkout", "fsmonitor-watchman"):
        (hooks / name).symlink_to(evil)
    settings = {
        "core.hooksPath": str(hooks),
        "core.fsmonitor": str(evil),
        "core.pager": str(evil),
        "core.editor": str(evil),
        "core.sshCommand": str(evil),
        "diff.external": str(evil),
        "diff.x.textconv": str(evil),
        "filter.x.clean": str(evil),
        "filter.x.smudge": str(evil),
        "gpg.program": str(evil),
        "commit.gpgSign": "true",
        "credential.helper": str(evil),
    }
    for name, value in settings.items():
        git(repo, "config", name, value)
    (repo / ".git/info/attributes").write_text("* diff=x filter=x\n")

    door.list_tree(new)
    door.diff_trees(old, new)
    list(door.read_blobs([readme]))
    door.run("status", "--porcelain", check=False)
    door.run("diff", "--no-ext-diff", "--name-only", old, new)
    door.run("update-ref", "refs/heads/third", new)
    door.identity()

    assert not marker.exists()


@pytest.mark.parametrize(
    "settings",
    [
        {"color.ui": "always", "color.diff": "always"},
        {"core.quotePath": "true", "diff.noprefix": "true", "diff.orderFile": "/dev/null"},
        {"diff.ignoreSubmodules": "all", "diff.algorithm": "histogram", "diff.relative": "true"},
        {"core.abbrev": "4", "log.showSignature": "true", "format.pretty": "oneline", "core.autocrlf": "true"},
    ],
    ids=lambda settings: next(iter(settings)),
)
def test_answers_are_the_same_under_any_configuration(repo: Path, door: Git, settings: dict[str, str]) -> None:
    content = blob(repo, b"a\r\nb\n")
    old = tree(repo, {"ünï": ("100644", content), "sub": ("160000", "2" * 40)})
    new = tree(repo, {"ünï": ("100755", content), "sub": ("160000", "3" * 40)})
    before = (door.list_tree(new), door.diff_trees(old, new), list(door.read_blobs([content])))

    for name, value in settings.items():
        git(repo, "config", name, value)

    assert (door.list_tree(new), door.diff_trees(old, new), list(door.read_blobs([content]))) == before


def test_present_objects_are_found_by_kind(door: Git, repo: Path) -> None:
    head = git(repo, "rev-parse", "HEAD")

    assert (door.has(head, "commit"), door.has(head, "tree")) == (True, True)
    assert (door.has(f"{head}^{{tree}}", "commit"), door.has("0" * 39 + "1", "commit")) == (False, False)


def test_without_git_the_error_says_what_to_install(door: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")

    with pytest.raises(ProcessError, match="cannot start git") as caught:
        door.text("version")

    assert "install git" in caught.value.hint


@pytest.mark.parametrize("leaf", ["empty", "file"])
def test_tree_that_names_itself_without_end_is_given_up(
    door: Git, repo: Path, monkeypatch: pytest.MonkeyPatch, leaf: str
) -> None:
    monkeypatch.setattr("gitmem.git.git.STORE_BOUNDS", (100_000, 0.2))
    monkeypatch.setattr("gitmem.git.git.CODE_BOUNDS", (100_000, 0.2))
    empty = git(repo, "hash-object", "-w", "-t", "tree", "--stdin", input=b"")
    found = empty if leaf == "empty" else tree(repo, {"a": ("100644", blob(repo, b"x"))})
    for _ in range(12):
        found = tree(repo, dict.fromkeys("abcdefgh", ("040000", found)))

    for ask in (lambda: door.list_tree(found), lambda: door.list_paths(found), lambda: door.diff_trees(empty, found)):
        with pytest.raises(ProcessError):
            ask()


@each(
    ("clock", "kept"),
    [
        (-1e18, EARLIEST_S),
        (-1, EARLIEST_S),
        (0, EARLIEST_S),
        (1.79e9 + 0.5, 1_790_000_000),
        (2**32, LATEST_S),
        (1e300, LATEST_S),
    ],
)
def test_a_time_is_kept_between_1971_and_2106(clock: float, kept: int) -> None:
    assert plausible(clock) == kept


def test_pipe_in_a_work_tree_that_git_would_wait_for_is_named(repo: Path, door: Git) -> None:
    for name in (".gitattributes", ".gitignore", ".gitmodules"):
        os.mkfifo(repo / name)
        with pytest.raises(NoRepositoryError, match=f"{name} is not a file"):
            door.run("-C", str(repo), "status", timeout_s=10)
        (repo / name).unlink()
