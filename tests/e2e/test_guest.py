"""A harmless guest: whatever a repository is like, gitmem changes nothing in it that is not gitmem's own.

Repositories are generated: a base (bare, shallow, a linked work tree ...) with any set of peculiarities. After
`uninstall --all`, all files of the git directory and of the work tree are as before, byte for byte, but for objects.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import git
from support.console import GITMEM, Console, fsck, keys_on_branch, needs_namespaces, run, snapshot, start

ANA = ("-c", "user.name=Ana Example", "-c", "user.email=ana@example.org", "-c", "commit.gpgSign=false")
AGENTS = "# Agents\n\n- See `src/b.py`, and `gone.py`.\n- Run `make test`.\n- Never push to main without a review.\n"


def commit(folder: Path, files: dict[str, str], message: str = "code") -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    git(folder, "add", "-A")
    git(folder, *ANA, "commit", "-q", "--no-verify", "--allow-empty", "-m", message)


def project(top: Path, *options: str) -> Path:
    git(top.parent, "init", "-q", "-b", "main", *options, top.name)
    commit(top, {"src/b.py": "b = 1\n", "gone.py": "x\n", "Makefile": "test:\n\ttrue\n", "AGENTS.md": AGENTS})
    (top / "gone.py").unlink()
    commit(top, {}, "remove gone.py")
    return top


# Bases: each makes a repository and returns the folder in which its user works.


def plain(top: Path) -> Path:
    return project(top)


def sha256(top: Path) -> Path:
    return project(top, "--object-format=sha256")


def separate(top: Path) -> Path:
    return project(top, f"--separate-git-dir={top.parent / 'elsewhere.git'}")


def reftable(top: Path) -> Path:
    try:
        return project(top, "--ref-format=reftable")
    except AssertionError:
        pytest.skip("this git has no reftable")


def unborn(top: Path) -> Path:
    git(top.parent, "init", "-q", "-b", "trunk", top.name)
    (top / "AGENTS.md").write_text(AGENTS)
    return top


def empty(top: Path) -> Path:
    git(top.parent, "init", "-q", top.name)
    return top


def bare(top: Path) -> Path:
    git(project(top.parent / "origin"), "clone", "-q", "--bare", ".", str(top))
    return top


def linked(top: Path) -> Path:
    git(project(top), "worktree", "add", "-q", "../linked tree", "-b", "side")
    return top.parent / "linked tree"


def linked_to_bare(top: Path) -> Path:
    git(bare(top), "worktree", "add", "-q", "../linked", "main")
    return top.parent / "linked"


def shallow(top: Path) -> Path:
    git(top.parent, "clone", "-q", "--depth=1", f"file://{project(top.parent / 'origin')}", top.name)
    return top


def partial(top: Path) -> Path:
    origin = project(top.parent / "origin")
    git(origin, "config", "uploadpack.allowFilter", "true")
    git(top.parent, "clone", "-q", "--filter=blob:none", f"file://{origin}", top.name)
    return top


def submodule(top: Path) -> Path:
    inner = project(top.parent / "inner")
    git(project(top), "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "lib")
    commit(top, {}, "submodule")
    return top / "lib"


# The first of them are tried in every run, with the two that take files away; GUESTS=13 tries all.
BASES = [
    *(sha256, separate, unborn, linked_to_bare, partial, submodule, reftable, plain, empty, bare, linked, shallow),
]
IN_EVERY_RUN = (*range(7), len(BASES))


# Peculiarities: each is given the folder and its git directory (the common one).


def has_commit(folder: Path) -> bool:
    return git(folder, "rev-parse", "--verify", "-q", "HEAD", check=False) != ""


def has_tree(folder: Path) -> bool:
    return git(folder, "rev-parse", "--is-bare-repository").strip() == "false"


def detached(folder: Path, _: Path) -> None:
    if has_commit(folder) and has_tree(folder):
        git(folder, "checkout", "-q", "--detach")


def odd_refs(folder: Path, _: Path) -> None:
    if has_commit(folder):
        names = ("heads/gitmem/feature", "heads/grün/ß", "heads/-dash", "pull/1/head", "notes/commits", "stash",
                 "heads/a@b", "bisect/bad", "original/refs/heads/main", "heads/memories", "gitmemo/x")  # fmt: skip
        orders = "".join(f"create refs/{name} HEAD\n" for name in names)
        subprocess.run(["git", "update-ref", "--stdin"], cwd=folder, input=orders.encode(), check=True)
        git(folder, "symbolic-ref", "refs/heads/alias", "refs/heads/memories")
        git(folder, *ANA, "tag", "-a", "memory", "-m", "a tag of our branch's name")


def a_note(folder: Path, _: Path) -> None:
    if has_commit(folder):
        git(folder, *ANA, "notes", "--ref=review", "add", "-m", "reviewed")


def a_folder_of_our_name(folder: Path, _: Path) -> None:
    """A branch `memory/notes` leaves no room for a branch `memory`."""
    if has_commit(folder):
        git(folder, "branch", "memory/notes")


def our_branch_name(folder: Path, _: Path) -> None:
    if has_commit(folder) and not git(folder, "for-each-ref", "refs/heads/memory/"):
        git(folder, "branch", "memory")


def packed(folder: Path, _: Path) -> None:
    git(folder, "pack-refs", "--all")


def odd_names(folder: Path, _: Path) -> None:
    if has_tree(folder):
        names = (
            "with space",
            "grün.py",
            "new\nline",
            "-rf",
            "quo'te\"",
            "tab\t",
            "back\\slash",
            " .md",
            "docs/adr/0001 ä.md",
        )
        commit(folder, dict.fromkeys(names, "text\n"), "names")
        raw = os.fsencode(folder) + b"/latin-\xe9"
        with open(raw, "wb") as file:
            file.write(b"\xff\n")
        git(folder, "add", "-A")


def crlf(folder: Path, _: Path) -> None:
    git(folder, "config", "core.autocrlf", "true")
    if has_tree(folder):
        commit(
            folder, {"CLAUDE.md": "# Claude\r\n\r\nSee `src/b.py`.\r\n", ".gitattributes": "*.bat eol=crlf\n"}, "crlf"
        )


def hooks_elsewhere(folder: Path, _: Path) -> None:
    if has_tree(folder):
        commit(folder, {".husky/pre-commit": "#!/bin/sh\nexit 0\n"}, "hooks")
        (folder / ".husky/pre-commit").chmod(0o755)
        git(folder, "config", "core.hooksPath", ".husky")


def own_hooks(_: Path, git_dir: Path) -> None:
    (git_dir / "hooks").mkdir(exist_ok=True)
    for name, mode in (("post-checkout", 0o755), ("post-merge", 0o755), ("pre-push", 0o755), ("pre-commit", 0o644)):
        hook = git_dir / "hooks" / name
        hook.write_text("#!/bin/sh\nexit 0")
        hook.chmod(mode)
    (git_dir / "hooks/post-commit").symlink_to("post-merge")


def no_hooks_folder(_: Path, git_dir: Path) -> None:
    for path in (git_dir / "hooks").glob("*"):
        path.unlink()
    (git_dir / "hooks").rmdir()


def no_info_folder(_: Path, git_dir: Path) -> None:
    for path in (git_dir / "info").glob("*"):
        if path.name == "sparse-checkout":
            return
        path.unlink()
    (git_dir / "info").rmdir()


def own_excludes(_: Path, git_dir: Path) -> None:
    (git_dir / "info").mkdir(exist_ok=True)
    (git_dir / "info/exclude").write_text("*.log")
    (git_dir / "info/attributes").write_text("*.py diff=python\r\n")


def empty_files(folder: Path, git_dir: Path) -> None:
    (git_dir / "info").mkdir(exist_ok=True)
    for name in ("info/exclude", "info/attributes"):
        (git_dir / name).write_text("")
    if has_tree(folder):
        for name in (".mcp.json", ".codex/config.toml", ".claude/settings.json"):
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text("")
        (folder / ".agents").mkdir()


def empty_folders(_: Path, git_dir: Path) -> None:
    for name in ("info", "hooks"):
        (git_dir / name).mkdir(exist_ok=True)
        if not (git_dir / "info/sparse-checkout").exists():
            for path in (git_dir / name).iterdir():
                path.unlink()


def odd_config(_: Path, git_dir: Path) -> None:
    with (git_dir / "config").open("a") as file:
        file.write(
            '# ours\n[Core]\n\tlogAllRefUpdates = always\n[diff "python"]\n  xfuncname = "^class" ; why\n[commit]\n'
            "\tgpgSign = true\n[log]\n\tshowSignature = true\n\tdate = relative\n[gpg]\n\tprogram = /nowhere\n"
            "[user]\n\tuseConfigOnly = true\n[include]\n\tpath = not-there\n[fetch]\n\tprune = true\n[push]\n"
            "\tdefault = matching\n\tfollowTags = true\n[core]\n\tcommentChar = @\n\tquotePath = false\n[status]\n"
            "\tshowUntrackedFiles = no\n[i18n]\n\tlogOutputEncoding = latin1\n[merge]\n\tff = only\n[alias]\n\tm = log"
        )


def config_of_work_trees(folder: Path, _: Path) -> None:
    git(folder, "config", "extensions.worktreeConfig", "true")
    git(folder, "config", "--worktree", "user.name", "Another Ana")


def sparse(folder: Path, _: Path) -> None:
    if has_tree(folder) and has_commit(folder):
        git(folder, "sparse-checkout", "set", "src")


def dirty(folder: Path, _: Path) -> None:
    if has_tree(folder):
        (folder / "untracked").write_text("mine\n")
        (folder / "staged").write_text("mine\n")
        (folder / "later").write_text("mine\n")
        (folder / "empty folder").mkdir()
        git(folder, "add", "staged")
        git(folder, "add", "-N", "later")
        (folder / "staged").write_text("mine, changed\n")


def conflicted(folder: Path, _: Path) -> None:
    if has_tree(folder) and has_commit(folder) and not git(folder, "status", "--porcelain"):
        commit(folder, {"src/b.py": "b = 2\n"}, "one side")
        git(folder, "branch", "other", "HEAD~1")
        one = git(folder, "rev-parse", "HEAD").strip()
        git(folder, "reset", "-q", "--hard", "HEAD~1")
        commit(folder, {"src/b.py": "b = 3\n"}, "the other side")
        git(folder, *ANA, "merge", "-q", one, check=False)


def a_folder_of_memory(folder: Path, _: Path) -> None:
    if has_tree(folder):
        (folder / ".memory").mkdir()
        (folder / ".memory/mine.txt").write_text("mine\n")


def rules_of_agents(folder: Path, _: Path) -> None:
    if has_tree(folder):
        files = {".claude/settings.json": '{"model": "x"}', ".codex/config.toml": "model = 'x'", ".mcp.json": "{}\n",
                 "CLAUDE.md": "@AGENTS.md", ".github/workflows/gitmem.yml": "on: push\n"}  # fmt: skip
        commit(folder, files, "agents")


def logs_of_every_ref(folder: Path, git_dir: Path) -> None:
    git(folder, "config", "core.logAllRefUpdates", "always")
    (git_dir / "description").write_text("an odd one")


PECULIARITIES = [
    *(odd_refs, a_note, a_folder_of_our_name, our_branch_name, packed, odd_names, crlf, hooks_elsewhere, own_hooks),
    *(no_hooks_folder, no_info_folder, own_excludes, rules_of_agents, detached, sparse, dirty, conflicted),
    *(a_folder_of_memory, config_of_work_trees, logs_of_every_ref, odd_config, empty_files, empty_folders),
]


def whole(folder: Path) -> dict[str, str]:
    """Return all files of a repository but its objects, by path: mode and content."""
    common = Path(git(folder, "rev-parse", "--path-format=absolute", "--git-common-dir").strip())
    found = {f"git/{path}": kept for path, kept in snapshot(common, apart_from=("objects",)).items()}
    if has_tree(folder):
        inside = snapshot(folder, apart_from=(".git/",) if (folder / ".git").is_dir() else ())
        found |= {f"top/{path}": kept for path, kept in inside.items()}
    return found


def refs(folder: Path) -> str:
    return git(folder, "for-each-ref", "--format=%(refname) %(objectname) %(symref)")


def difference(before: dict[str, str], after: dict[str, str]) -> dict[str, tuple[str | None, str | None]]:
    return {
        name: (before.get(name), after.get(name)) for name in {*before, *after} if before.get(name) != after.get(name)
    }


@pytest.mark.whole_system
@pytest.mark.parametrize("seed", range(int(os.environ["GUESTS"])) if "GUESTS" in os.environ else IN_EVERY_RUN)
def test_a_generated_repository_is_as_before_once_everything_is_uninstalled(seed: int, tmp_path: Path) -> None:
    dice = random.Random(seed)
    base: Callable[[Path], Path] = BASES[seed % len(BASES)]
    folder = base(tmp_path / "pro ject")
    common = Path(git(folder, "rev-parse", "--path-format=absolute", "--git-common-dir").strip())
    chosen = [one for one in PECULIARITIES if dice.random() < 0.3]
    chosen = [empty_files, empty_folders] if seed == len(BASES) else chosen
    for one in chosen:
        one(folder, common)
    print(base.__name__, [one.__name__ for one in chosen])
    (tmp_path / "home").mkdir()
    console = Console(folder, HOME=str(tmp_path / "home"), GIT_AUTHOR_NAME="Ana", GIT_AUTHOR_EMAIL="ana@example.org",
                      GIT_COMMITTER_NAME="Ana", GIT_COMMITTER_EMAIL="ana@example.org", GITMEM_VIEW="true")  # fmt: skip
    backup = tmp_path / "backup.git"
    git(tmp_path, "init", "-q", "--bare", *(["--object-format=sha256"] if base is sha256 else []), str(backup))
    git(folder, "remote", "add", "backup", str(backup))
    # Folders and files that git itself makes when it has first updated and deleted refs.
    tree = git(folder, "hash-object", "-t", "tree", "--stdin", "-w", input="").strip()
    made = git(folder, *ANA, "commit-tree", "-m", "nothing", tree).strip()
    for name in ("refs/remotes/backup/x", "refs/heads/x"):
        git(folder, "update-ref", name, made)
        git(folder, "update-ref", "-d", name)
    before, refs_before = whole(folder), refs(folder)

    read = console("adopt")
    assert read.status in (0, 1, 3), read
    assert difference(before, whole(folder)) == {}

    is_ours_taken = a_folder_of_our_name in chosen or our_branch_name in chosen
    branch = ["--branch", "notes" if is_ours_taken else "memory"]
    console.ok("init", *branch)
    done = console("adopt", "--apply")
    assert done.status in (0, 1, 3), done
    console.ok("remember", "Deploys need the VPN", "--kind", "gotcha")
    assert console("verify").status in (0, 1, 3)
    for what in ("git-hooks", "git-diff", "claude-code", "codex"):
        console("install", what)
    console.ok("sync", GITMEM_REMOTE="backup")
    assert console("doctor", "--fix").status in (0, 1)
    removed = console("uninstall", "--all", "--yes")

    # A workflow of our name that is not ours is left, which is said with status 1.
    assert removed.status in ((0, 1) if rules_of_agents in chosen else (0,)), removed
    # git keeps what it knows of the remote, which keeps the memory.
    git(folder, "update-ref", "-d", f"refs/remotes/backup/{branch[-1]}")
    assert refs(folder) == refs_before
    assert difference(before, whole(folder)) == {}
    assert git(backup, "for-each-ref", "--format=%(refname)", "refs/heads") == f"refs/heads/{branch[-1]}"
    assert [*(tmp_path / "home").rglob("*.json")] == []


@pytest.mark.whole_system
def test_apply_that_is_killed_writes_everything_or_nothing(tmp_path: Path) -> None:
    folder = project(tmp_path / "project")
    rules = "".join(f"- Never call `gone_{number}` without a lock.\n" for number in range(12))
    commit(folder, {"CLAUDE.md": f"# Rules\n\n{rules}"})
    console = Console(folder)
    console.ok("init")
    before, empty_memory = whole(folder), git(folder, "rev-parse", "memory")
    killed, begun = 0, time.monotonic()
    assert run([str(GITMEM), "adopt", "--apply"], folder).status == 0
    takes, count = time.monotonic() - begun, len(keys_on_branch(folder))
    git(folder, "update-ref", "refs/heads/memory", empty_memory)

    for part in (0.1, 0.7):
        child = start([str(GITMEM), "adopt", "--apply"], folder)
        try:
            child.communicate(timeout=takes * part)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            killed += 1
        tip = git(folder, "rev-parse", "memory")
        assert tip == empty_memory or len(keys_on_branch(folder)) == count
        git(folder, "update-ref", "refs/heads/memory", empty_memory)

    assert killed
    assert console("adopt", "--apply").status == 0
    assert len(keys_on_branch(folder)) == count > 12
    assert console.json("doctor")["problems"] == []
    fsck(folder)
    ours = ("git/gitmem", "git/refs/heads/memory", "git/logs/refs/heads/memory", "git/refs/gitmem")
    left = {path: change for path, change in difference(before, whole(folder)).items() if not path.startswith(ours)}
    assert left == {}


@needs_namespaces
def test_adopt_reads_on_a_read_only_disk_and_apply_refuses_it(tmp_path: Path) -> None:
    folder = project(tmp_path / "project")
    console = Console(folder)
    console.ok("init")
    before, read = whole(folder), console("adopt")
    read_only = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && cd "$1"'
    script = f'{read_only} && "$0" adopt; echo $?; "$0" adopt --apply; echo $?'

    done = run(["unshare", "-Urm", "sh", "-c", script, str(GITMEM), str(folder)], tmp_path)

    assert done.out == f"{read.out}1\n3\n"
    assert "gitmem: error: " in done.err
    assert whole(folder) == before
