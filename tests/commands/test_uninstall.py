"""Uninstalling everything: what is confirmed, refused and kept; tests/e2e/test_guest.py checks that nothing is left."""

from __future__ import annotations

import os
from pathlib import Path

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


def test_uninstall_asks_for_confirmation_and_lists_what_only_this_clone_has(tmp_path: Path) -> None:
    console = Console(plain(tmp_path / "project"))
    console.ok("init")
    console.ok("remember", "Deploys need the VPN")
    tip = git(console.folder, "rev-parse", "memory").strip()

    refused = console("uninstall", "--all")
    listed = console.ok("uninstall", "--all", "--print")

    assert (refused.status, "--yes" in refused.err) == (2, True)
    assert f"was at {tip[:12]}; 3 commits not pushed" in listed
    assert git(console.folder, "rev-parse", "memory").strip() == tip


def test_ref_whose_name_is_not_utf8_is_removed(tmp_path: Path) -> None:
    console = Console(plain(tmp_path / "project"))
    console.ok("init")
    git(console.folder, "update-ref", os.fsdecode(b"refs/gitmem/runs/caf\xe9"), "HEAD")

    console.ok("uninstall", "--all", "--yes")

    assert git(console.folder, "for-each-ref", "--format=%(refname)") == "refs/heads/main"


def test_unsaved_edits_in_the_view_stop_the_uninstall(tmp_path: Path) -> None:
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


def test_remote_memory_is_deleted_only_if_the_remote_is_named(tmp_path: Path) -> None:
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
