"""gitmem is a guest in other people's repositories: what it is not asked to change stays, and it leaves no trace."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import git
from support.console import Console

ANA = ("-c", "user.name=Ana Example", "-c", "user.email=ana@example.org")


def commit(folder: Path, message: str = "code", **files: str) -> None:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(folder, "add", "-A")
    git(folder, *ANA, "commit", "-q", "--allow-empty", "-m", message)


def plain(top: Path) -> Path:
    git(top.parent, "init", "-q", "-b", "main", top.name)
    commit(top, a_txt="a\n", src__b_py="b = 1\n")
    return top


def unborn(top: Path) -> Path:
    git(top.parent, "init", "-q", top.name)
    (top / "new.txt").write_text("not added\n")
    return top


def dirty(top: Path) -> Path:
    plain(top)
    (top / "a.txt").write_text("staged\n")
    git(top, "add", "a.txt")
    (top / "a.txt").write_text("changed again\n")
    (top / "untracked").write_text("x\n")
    (top / "gone").mkdir()
    return top


def detached(top: Path) -> Path:
    plain(top)
    commit(top, "second", a_txt="2\n")
    git(top, "checkout", "-q", "HEAD~1")
    return top


def linked(top: Path) -> Path:
    plain(top)
    git(top, "worktree", "add", "-q", "../linked", "-b", "side")
    return top.parent / "linked"


def shallow(top: Path) -> Path:
    origin = plain(top.parent / "origin")
    commit(origin, "second", a_txt="2\n")
    git(top.parent, "clone", "-q", "--depth=1", f"file://{origin}", top.name)
    return top


def packed(top: Path) -> Path:
    plain(top)
    git(top, *ANA, "tag", "-a", "v1", "-m", "v1")
    git(top, "pack-refs", "--all")
    git(top, "gc", "-q")
    return top


def hooked(top: Path) -> Path:
    plain(top)
    for name in ("post-checkout", "post-commit", "post-merge"):
        hook = top / ".git/hooks" / name
        hook.write_text("#!/bin/sh\nexit 0\n")
        hook.chmod(0o755)
    (top / ".git/info/attributes").write_text("*.py diff=python\n")
    (top / ".git/info/exclude").write_text("*.log")
    git(top, "config", "diff.python.xfuncname", "^class")
    return top


def other_hooks_path(top: Path) -> Path:
    plain(top)
    commit(top, "hooks", hooks__pre_commit="#!/bin/sh\n")
    git(top, "config", "core.hooksPath", "hooks")
    return top


def with_names_of_ours(top: Path) -> Path:
    plain(top)
    git(top, "branch", "memory")
    git(top, "branch", "gitmem/feature")
    git(top, "tag", "memory-1")
    return top


def with_instructions(top: Path) -> Path:
    plain(top)
    commit(top, "agents", AGENTS_md="# Agents\r\nUse tabs", _claude__settings_json='{"model": "x"}')
    (top / ".memory").mkdir()
    (top / ".memory/mine.txt").write_text("mine\n")
    return top


def submodule(top: Path) -> Path:
    inner = plain(top.parent / "inner")
    plain(top)
    git(top, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "lib")
    git(top, *ANA, "commit", "-q", "-m", "submodule")
    return top / "lib"


def separate(top: Path) -> Path:
    git(top.parent, "init", "-q", "-b", "main", f"--separate-git-dir={top.parent / 'elsewhere.git'}", top.name)
    commit(top, a_txt="a\n")
    return top


def sha256(top: Path) -> Path:
    git(top.parent, "init", "-q", "-b", "main", "--object-format=sha256", top.name)
    commit(top, a_txt="a\n")
    return top


def sparse(top: Path) -> Path:
    plain(top)
    git(top, "sparse-checkout", "set", "src")
    return top


SHAPES = [
    *(plain, unborn, dirty, detached, linked, shallow, packed, hooked, other_hooks_path, with_names_of_ours),
    *(with_instructions, submodule, separate, sha256, sparse),
]


def snapshot(folder: Path) -> dict[str, object]:
    """Return all that a person could see of a repository: refs, files, index, HEAD, configuration, hooks, excludes."""
    common = Path(folder, git(folder, "rev-parse", "--git-common-dir").strip())
    own = Path(folder, git(folder, "rev-parse", "--git-dir").strip())
    places = [folder, common / "hooks", common / "info", common / "worktrees", own]
    skipped = ("objects", "logs", "modules", "packed-refs", "FETCH_HEAD")
    files = {}
    for place in places:
        for path in sorted(place.rglob("*")):
            inside = path.relative_to(place).parts
            if ".git" in inside or inside[0] in skipped or (place == own and inside[0] in ("refs", "gitmem")):
                continue
            files[str(path)] = path.read_bytes() if path.is_file() and not path.is_symlink() else path.stat().st_mode
    return {
        "refs": git(folder, "for-each-ref", "--format=%(refname) %(objectname) %(symref)"),
        "config": (common / "config").read_text(),
        "status": git(folder, "status", "--porcelain=v2", "--branch", "--untracked-files=all"),
        **files,
    }


def difference(before: dict[str, object], after: dict[str, object]) -> dict[str, tuple[object, object]]:
    return {
        name: (before.get(name), after.get(name)) for name in {*before, *after} if before.get(name) != after.get(name)
    }


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_a_repository_is_as_before_once_everything_is_uninstalled(
    shape: Callable[[Path], Path], tmp_path: Path
) -> None:
    console = Console(shape(tmp_path / "project"), HOME=str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    backup = tmp_path / "backup.git"
    git(tmp_path, "init", "-q", "--bare", *(["--object-format=sha256"] if shape is sha256 else []), str(backup))
    before = snapshot(console.folder)
    console("adopt")
    assert difference(before, snapshot(console.folder)) == {}

    branch = ["--branch", "notes"] if shape is with_names_of_ours else []
    console.ok("init", *branch)
    console.ok("remember", "Deploys need the VPN", "--kind", "gotcha")
    console("view")
    console("verify")
    for what in ("git-hooks", "git-diff", "claude-code", "codex"):
        console("install", what)
    git(console.folder, "remote", "add", "backup", str(backup))
    console.ok("sync", GITMEM_REMOTE="backup")
    console("doctor", "--fix")
    assert "refs/heads/" in console.ok("uninstall", "--all", "--print")
    console.ok("uninstall", "--all", "--yes")
    git(console.folder, "remote", "remove", "backup")

    assert difference(before, snapshot(console.folder)) == {}
    assert git(backup, "for-each-ref", "refs/heads") != "", "the remote keeps its memory"
    assert [*(tmp_path / "home").rglob("*.json")] == []


def test_uninstalling_everything_is_confirmed_and_says_what_only_this_clone_has(tmp_path: Path) -> None:
    console = Console(plain(tmp_path / "project"))
    console.ok("init")
    console.ok("remember", "Deploys need the VPN")
    tip = git(console.folder, "rev-parse", "memory").strip()

    refused = console("uninstall", "--all")
    listed = console.ok("uninstall", "--all", "--print")

    assert (refused.status, "--yes" in refused.err) == (2, True)
    assert f"was at {tip[:12]}; 3 commits are on no remote" in listed
    assert git(console.folder, "rev-parse", "memory").strip() == tip


def test_what_is_not_saved_in_the_view_keeps_everything(tmp_path: Path) -> None:
    console = Console(plain(tmp_path / "project"))
    console.ok("init")
    console.ok("remember", "Deploys need the VPN", "--key", "vpn")
    console.ok("view")
    (note,) = (console.folder / ".memory").rglob("vpn.md")
    note.write_text(note.read_text() + "\nMore.\n")
    before = snapshot(console.folder)

    done = console("uninstall", "--all", "--yes")

    assert done.status != 0
    assert "not saved" in done.err
    assert difference(before, snapshot(console.folder)) == {}


def test_the_remote_loses_its_memory_only_when_it_is_named(tmp_path: Path) -> None:
    remote = tmp_path / "remote.git"
    git(tmp_path, "init", "-q", "--bare", str(remote))
    console = Console(plain(tmp_path / "project"))
    git(console.folder, "remote", "add", "origin", str(remote))
    git(console.folder, "push", "-q", "origin", "main")
    console.ok("init", "--branch", "notes")
    console.ok("remember", "Deploys need the VPN")
    console.ok("sync")
    assert "refs/heads/notes" in git(remote, "for-each-ref")

    console.ok("uninstall", "--all", "--yes", "--remote", "origin")

    assert git(remote, "for-each-ref", "--format=%(refname)").split() == ["refs/heads/main"]
