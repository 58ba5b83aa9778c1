"""Installing the shims: existing hooks are preserved, called, and restored byte for byte."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import commit_files, git

from gitmem.cli import is_client
from gitmem.commands.install import git_hooks, shim
from gitmem.errors import ConflictError, GitmemError, UsageError
from gitmem.memory import Memory

MINE = "#!/bin/sh\necho mine\n"
# What husky 9.1.7 writes for every event, and the part of its `h` that finds the project's own hook (its index.js).
HUSKY = '#!/usr/bin/env sh\n. "$(dirname "$0")/h"'
HUSKY_H = """#!/usr/bin/env sh
n=$(basename "$0")
s=$(dirname "$(dirname "$0")")/$n

[ ! -f "$s" ] && exit 0
[ "${HUSKY-}" = "0" ] && exit 0
sh -e "$s" "$@"
exit $?
"""


def state_of(folder: Path) -> dict[str, tuple[object, ...]]:
    """Return everything in a folder: content or target, mode and time of change."""
    found: dict[str, tuple[object, ...]] = {}
    for path in sorted(folder.iterdir()):
        message = path.lstat()
        content = os.readlink(path) if path.is_symlink() else path.read_bytes()
        found[path.name] = (content, message.st_mode, message.st_mtime_ns)
    return found


def write_hook(path: Path, text: str = MINE, *, mode: int = 0o755) -> Path:
    """Write a hook of the person's own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def test_uninstall_restores_every_hook_even_after_two_installs(memory, repo: Path) -> None:
    hooks = repo / ".git" / "hooks"
    write_hook(hooks / "post-checkout", mode=0o750)
    write_hook(hooks / "post-merge", "not even a script\0", mode=0o644)
    write_hook(hooks / "real", "#!/bin/sh\n")
    (hooks / "post-commit").symlink_to("real")
    (hooks / "post-rewrite").symlink_to("nowhere")
    before = state_of(hooks)

    first = [step.what for step in git_hooks.install(memory.repository.git)]
    installed = state_of(hooks)
    second = [step.what for step in git_hooks.install(memory.repository.git)]
    assert state_of(hooks) == installed
    git_hooks.uninstall(memory.repository.git)

    assert first == [*[git_hooks.CHAIN] * 4, git_hooks.ADD]
    assert second == [git_hooks.KEEP] * 5
    assert state_of(hooks) == before
    assert git_hooks.uninstall(memory.repository.git) == ()


def test_plan_changes_nothing_and_equals_the_installation(memory, repo: Path) -> None:
    hooks = repo / ".git" / "hooks"
    write_hook(hooks / "post-checkout")
    before = state_of(hooks)

    plan = git_hooks.plan_install(memory.repository.git)

    assert state_of(hooks) == before
    assert plan == git_hooks.install(memory.repository.git)


def test_older_shim_is_updated(memory, repo: Path) -> None:
    old = write_hook(repo / ".git" / "hooks" / "post-merge", f"#!/bin/sh\n{shim.MARK}post-merge\nold\n")

    steps = git_hooks.install(memory.repository.git)

    assert [step.what for step in steps if step.path == str(old)] == [git_hooks.UPDATE]
    assert "old" not in old.read_text().split("\n")
    assert not old.with_name(f"post-merge{shim.ORIGINAL_SUFFIX}").exists()


@pytest.mark.parametrize("manager", ["husky", "lefthook", "pre-commit"])
def test_hook_of_a_manager_is_kept_and_its_maker_named(memory, repo: Path, manager: str) -> None:
    folder = repo / ".git" / "hooks"
    if manager == "husky":  # its folder is not tracked: .husky/_/.gitignore is `*`
        folder = repo / ".husky" / "_"
        git(repo, "config", "core.hooksPath", ".husky/_")
    hook = write_hook(folder / "post-checkout", HUSKY if manager == "husky" else f"#!/bin/sh\n# {manager}\n")
    before = state_of(folder)

    steps = git_hooks.install(memory.repository.git)

    assert f"(of {manager})" in next(step.about for step in steps if step.what == git_hooks.CHAIN)
    assert shim.is_shim(hook.read_bytes())
    git_hooks.uninstall(memory.repository.git)
    assert state_of(folder) == before


@pytest.mark.parametrize("event", ["post-commit", "post-rewrite"])
def test_project_s_own_hook_is_still_found_by_husky(memory, repo: Path, tmp_path: Path, event: str) -> None:
    git(repo, "config", "core.hooksPath", ".husky/_")
    for name in shim.EVENTS:
        write_hook(repo / ".husky" / "_" / name, HUSKY)
    write_hook(repo / ".husky" / "_" / "h", HUSKY_H, mode=0o644)
    (repo / ".husky" / event).write_text(f'echo "$# $(cat)" >"{tmp_path}/told"\n')
    git_hooks.install(memory.repository.git)

    git(repo, "commit", "-q", "--allow-empty", "--amend", "-m", "again")

    words, said = (tmp_path / "told").read_text().split(" ", 1)
    assert (words, bool(said.strip())) == (("1", True) if event == "post-rewrite" else ("0", False))


def test_commit_checks_are_installed_on_request_and_then_kept(memory, repo: Path) -> None:
    hooks = repo / ".git" / "hooks"
    write_hook(hooks / "pre-commit")
    before = state_of(hooks)

    git_hooks.install(memory.repository.git)
    assert state_of(hooks)["pre-commit"] == before["pre-commit"]
    git_hooks.install(memory.repository.git, check=True)
    steps = git_hooks.install(memory.repository.git)

    assert [Path(step.path).name for step in steps] == [*shim.EVENTS, *shim.CHECKS]
    assert {step.what for step in steps} == {git_hooks.KEEP}
    write_hook(hooks / "pre-commit", "#!/bin/sh\n# lefthook\n")
    (hooks / "pre-merge-commit").unlink()  # by hand: nobody misses it
    assert git_hooks.list_missing(memory.repository.git) == [str(hooks / "pre-commit")]
    write_hook(hooks / "pre-commit")
    git_hooks.uninstall(memory.repository.git)
    assert state_of(hooks)["pre-commit"][:2] == before["pre-commit"][:2]
    assert set(state_of(hooks)) == set(before) | {f"pre-commit{shim.ORIGINAL_SUFFIX}"}


def test_hook_rewritten_by_its_manager_is_kept_again(memory, repo: Path) -> None:
    hook = write_hook(repo / ".git" / "hooks" / "post-checkout", "#!/bin/sh\n# husky\n")
    git_hooks.install(memory.repository.git)
    write_hook(hook, "#!/bin/sh\n# husky\n")
    assert git_hooks.list_missing(memory.repository.git) == [str(hook)]

    git_hooks.install(memory.repository.git)

    assert shim.is_shim(hook.read_bytes())
    assert git_hooks.list_missing(memory.repository.git) == []


def test_other_hook_in_our_place_is_never_lost(memory, repo: Path) -> None:
    hook = write_hook(repo / ".git" / "hooks" / "post-checkout")
    git_hooks.install(memory.repository.git)
    write_hook(hook, "#!/bin/sh\necho another\n")

    with pytest.raises(ConflictError):
        git_hooks.install(memory.repository.git)
    left = [step.what for step in git_hooks.uninstall(memory.repository.git) if step.path == str(hook)]

    assert left == [git_hooks.LEAVE]
    assert hook.read_text() == "#!/bin/sh\necho another\n"
    assert hook.with_name(f"post-checkout{shim.ORIGINAL_SUFFIX}").read_text() == MINE


def test_shim_moved_by_pre_commit_is_found_and_removed(memory, repo: Path) -> None:
    hook = write_hook(repo / ".git" / "hooks" / "post-checkout")
    git_hooks.install(memory.repository.git)
    hook.rename(hook.with_name("post-checkout.legacy"))
    write_hook(hook, "#!/bin/sh\n# pre-commit\n")
    assert git_hooks.list_missing(memory.repository.git) == []
    assert {step.what for step in git_hooks.install(memory.repository.git)} == {
        git_hooks.KEEP
    }  # a second shim would go in a circle

    git_hooks.uninstall(memory.repository.git)

    assert hook.with_name("post-checkout.legacy").read_text() == MINE
    assert "pre-commit" in hook.read_text()


@pytest.mark.parametrize("link", [False, True], ids=["setting", "link"])
def test_tracked_hook_is_left_to_the_person(memory, repo: Path, link: bool) -> None:
    commit_files(repo, {".githooks/post-checkout": MINE})
    if link:
        shutil.rmtree(repo / ".git" / "hooks", ignore_errors=True)
        (repo / ".git" / "hooks").symlink_to(repo / ".githooks")
    else:
        git(repo, "config", "core.hooksPath", ".githooks")

    steps = {step.what: step for step in git_hooks.install(memory.repository.git)}

    assert (repo / ".githooks" / "post-checkout").read_text() == MINE
    assert 'gitmem hook post-checkout "$@" 2>/dev/null || :' in steps[git_hooks.BY_HAND].about
    assert git(repo, "status", "--porcelain", "-uno") == ""
    assert "(in your work tree)" in steps[git_hooks.ADD].about


def test_line_for_a_tracked_check_hook_is_a_valid_command(memory, repo: Path) -> None:
    commit_files(repo, {".githooks/pre-commit": MINE})
    git(repo, "config", "core.hooksPath", ".githooks")

    about = next(
        step.about for step in git_hooks.install(memory.repository.git, check=True) if step.what == git_hooks.BY_HAND
    )

    assert about.endswith(": ! command -v gitmem >/dev/null || gitmem hook check || exit")
    assert is_client("pre-commit")
    assert not is_client("check")


def test_folder_that_serves_all_repositories_is_changed_only_when_asked(
    memory, repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".gitconfig").write_text("[core]\n\thooksPath = ~/all-hooks\n")

    with pytest.raises(UsageError):
        git_hooks.install(memory.repository.git)
    assert not (tmp_path / "all-hooks").exists()
    git_hooks.install(memory.repository.git, shared=True)

    assert shim.is_shim((tmp_path / "all-hooks" / "post-checkout").read_bytes())


def test_linked_work_tree_and_bare_repository_have_their_hooks_in_the_common_folder(
    memory, repo: Path, tmp_path: Path
) -> None:
    git(repo, "worktree", "add", "-q", str(tmp_path / "linked"), "-b", "linked")
    git(tmp_path, "clone", "-q", "--bare", str(repo), "bare.git")

    with Memory(tmp_path / "linked") as linked, Memory(tmp_path / "bare.git") as bare:
        git_hooks.install(linked.repository.git)
        git_hooks.install(bare.repository.git)

    assert shim.is_shim((repo / ".git" / "hooks" / "post-merge").read_bytes())
    assert shim.is_shim((tmp_path / "bare.git" / "hooks" / "post-merge").read_bytes())


def test_folder_that_cannot_be_written_to_is_reported_before_anything_changes(
    memory, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = write_hook(repo / ".git" / "hooks" / "post-checkout")
    monkeypatch.setattr(os, "access", lambda path, mode: not str(path).endswith("hooks"))  # root may write anywhere

    with pytest.raises(GitmemError, match="is not writable"):
        git_hooks.install(memory.repository.git)

    assert hook.read_text() == MINE


def test_folder_in_place_of_a_hook_is_reported(memory, repo: Path) -> None:
    (repo / ".git" / "hooks" / "post-checkout").mkdir(parents=True)

    with pytest.raises(GitmemError, match="cannot be read"):
        git_hooks.install(memory.repository.git)


def test_hook_restored_by_pre_commit_is_not_called_twice(memory, repo: Path) -> None:
    generated = "#!/bin/sh\n# File generated by pre-commit\necho called\n"
    hook = write_hook(repo / ".git" / "hooks" / "post-checkout", generated)
    git_hooks.install(memory.repository.git)
    legacy = hook.rename(hook.with_name("post-checkout.legacy"))
    write_hook(hook, generated)

    done = subprocess.run([legacy, "a", "b", "1"], capture_output=True, check=True)
    git_hooks.uninstall(memory.repository.git)

    assert done.stdout == b""
    assert [path.name for path in hook.parent.glob("post-*") if path.suffix != ".sample"] == ["post-checkout"]
    assert hook.read_text() == generated


def test_link_that_came_with_the_code_is_not_written_through(memory, repo: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text(MINE)
    (repo / ".githooks").mkdir()
    (repo / ".githooks" / f"post-commit.{os.getpid()}.new").symlink_to(precious)
    git(repo, "config", "core.hooksPath", ".githooks")

    git_hooks.install(memory.repository.git)

    assert precious.read_text() == MINE
    assert shim.is_shim((repo / ".githooks" / "post-commit").read_bytes())
