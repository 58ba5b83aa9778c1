"""Every shape of a repository, wherever it lies and wherever one stands in it: the same answers, nothing touched."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import CODE, commit_files, git, tip
from support.console import GITMEM, Console, fsck, run, untouched

# Each builds a place from a fresh repository and returns where one stands in it.
Builder = Callable[[Path], Path]


def main(repo: Path) -> Path:
    return repo


def sub_folder(repo: Path) -> Path:
    return repo / "src" / "auth"


def linked(repo: Path) -> Path:
    git(repo, "worktree", "add", "-q", "--detach", "../linked")
    return repo.parent / "linked"


def linked_inside(repo: Path) -> Path:
    git(repo, "worktree", "add", "-q", "-b", "topic", "inner/linked")
    return repo / "inner" / "linked" / "src"


def bare(repo: Path) -> Path:
    git(repo, "clone", "-q", "--bare", ".", "../bare.git")
    return repo.parent / "bare.git"


def linked_to_bare(repo: Path) -> Path:
    place = bare(repo)
    git(place, "worktree", "add", "-q", "../of-bare", "main")
    return repo.parent / "of-bare"


def shallow(repo: Path) -> Path:
    commit_files(repo, {"more": "1\n"})
    git(repo, "clone", "-q", "--depth=1", f"file://{repo}", "../shallow")
    return repo.parent / "shallow"


def partial(repo: Path) -> Path:
    git(repo, "config", "uploadpack.allowFilter", "true")
    git(repo, "clone", "-q", "--filter=blob:none", f"file://{repo}", "../partial")
    return repo.parent / "partial"


def submodule(repo: Path) -> Path:
    top = repo.parent / "top"
    git(repo, "init", "-q", "-b", "main", str(top))
    git(top, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(repo), "part")
    return top / "part"


def submodule_folder(repo: Path) -> Path:
    return submodule(repo) / "src" / "auth"


def linked_to_submodule(repo: Path) -> Path:
    git(submodule(repo), "worktree", "add", "-q", "--detach", "../side")
    return repo.parent / "top" / "side" / "src"


def detached(repo: Path) -> Path:
    commit_files(repo, {"more": "1\n"})
    git(repo, "checkout", "-q", "--detach", "HEAD~1")
    return repo


def packed(repo: Path) -> Path:
    git(repo, "gc", "-q")
    return repo


def separate(repo: Path) -> Path:
    git(repo, "init", "-q", "--separate-git-dir", str(repo.parent / "kept elsewhere.git"))
    return repo


def inside_git_dir(repo: Path) -> Path:
    return repo / ".git" / "hooks"


def behind_link(repo: Path) -> Path:
    (repo.parent / "link").symlink_to(repo)
    return repo.parent / "link" / "src"


def sha256(repo: Path) -> Path:
    place = repo.parent / "sha256"
    git(repo, "init", "-q", "-b", "main", "--object-format=sha256", str(place))
    identity(place)
    commit_files(place, CODE)
    return place


def borrowing(repo: Path) -> Path:
    git(repo, "clone", "-q", "--shared", ".", "../borrowing")
    return repo.parent / "borrowing"


def identity(folder: Path) -> None:
    git(folder, "config", "user.name", "Ana")
    git(folder, "config", "user.email", "ana@example.org")


# What a shell, git and a list of paths each take for more than a letter; where one is refused, the others say nothing,
# so those that some programs refuse have names of their own.
NAMES = {
    "odd": "-rf a  'b' \"c\" \\ $HOME `x` %s a:b;c&d|e<f> [ab]*?{c} naïve-记忆-🧠 ",
    "newline": "line\nfeed",
    "not-utf-8": b"caf\xe9".decode("utf-8", "surrogateescape"),
}


def moved_to(name: str) -> Builder:
    def build(repo: Path) -> Path:
        return repo.rename(repo.parent / name)

    return build


BUILDERS: dict[str, Builder] = {
    "main": main, "sub-folder": sub_folder, "linked": linked, "linked-inside": linked_inside, "bare": bare,
    "linked-to-bare": linked_to_bare, "shallow": shallow, "partial": partial, "submodule": submodule,
    "submodule-folder": submodule_folder, "linked-to-submodule": linked_to_submodule, "detached": detached,
    "packed": packed, "separate-git-dir": separate, "inside-git-dir": inside_git_dir, "behind-link": behind_link,
    "sha256": sha256, "borrowing": borrowing,
    **{f"named-{name}": moved_to(text) for name, text in NAMES.items()},
}  # fmt: skip


ESSENTIAL = {
    "remember": ["remember", "The gateway only holds public keys", "--key", "gateway"],
    "fact": ["fact", "RS256", "--contains", "RS256", "--in", ":/src/auth/*.py", "--key", "rs256"],
    "unproven": ["fact", "Retries", "--exists", ":/src/gateway/retry.py", "--key", "retries", "--unproven"],
    "verify": ["verify"],
    "recall": ["recall", "public keys of the gateway"],
}
# Commands that say something besides what was asked: that a branch was started, that a shallow clone ends early.
LOUD = ("remember", "fact", "past")

# Where what is in the repository is read otherwise, not only found elsewhere, more commands run.
READ_OTHERWISE = set("main linked bare shallow partial submodule separate-git-dir sha256 borrowing".split())
MORE = {
    "show": ["show", "gateway"],
    "context": ["context"],
    "status": ["status"],
    "log": ["log", "rs256"],
    "past": ["recall", "gateway", "--at", "HEAD"],
    "edit": ["edit", "gateway", "--tag", "keys"],
    "doctor": ["doctor"],
    "rebuild": ["index", "--rebuild"],
}


def make_unfinished(place: Path) -> None:
    """Leave work of every sort in the work tree, where there is one."""
    top = git(place, "rev-parse", "--show-toplevel", check=False)
    if top:
        Path(top, "README.md").write_text("staged\n")
        git(Path(top), "add", "README.md")
        Path(top, "README.md").write_text("changed again\n")
        Path(top, "untracked").write_text("mine\n")


@pytest.mark.parametrize("name", BUILDERS)
def test_everything_works_and_nothing_of_the_person_is_touched(repo: Path, name: str) -> None:
    place = BUILDERS[name](repo)
    identity(place)
    make_unfinished(place)
    # That a program starts in such a folder: test_console_script.py.
    console, before = Console(place), untouched(place)
    commands = {**ESSENTIAL, **MORE} if name in READ_OTHERWISE else ESSENTIAL

    done = {command: console(*words) for command, words in commands.items()}

    assert {command: ran.status for command, ran in done.items()} == dict.fromkeys(commands, 0), done
    ends_early = "gitmem: this clone is shallow, so older changes are not shown: git fetch --unshallow\n"
    said = ends_early if name == "shallow" else ""
    assert "".join(ran.err for command, ran in done.items() if command not in LOUD) == said, done
    assert "gateway\t" in done["recall"].out
    statuses = {memory["key"]: memory["status"] for memory in console.json("list")["memories"]}
    assert statuses == {"gateway": "", "retries": "verified", "rs256": "verified"}
    assert untouched(place) == before
    fsck(place)


@pytest.mark.parametrize(
    "name", ["linked", "linked-inside", "sub-folder", "inside-git-dir", "behind-link", "separate-git-dir"]
)
def test_all_places_of_one_repository_share_one_memory(repo: Path, name: str) -> None:
    place = BUILDERS[name](repo)

    Console(place).ok("remember", "Written there", "--key", "there")
    Console(repo).ok("remember", "Written here", "--key", "here")

    assert Console(place).listed() == Console(repo).listed() == ["here", "there"]


def test_verdicts_in_a_linked_work_tree_are_those_of_its_own_code(repo: Path) -> None:
    Console(repo).ok("fact", "RS256", "--contains", "RS256", "--in", ":/src/auth/*.py", "--key", "rs256")
    place = linked_inside(repo)
    top = repo / "inner" / "linked"
    commit_files(top, {"src/auth/jwt.py": "EdDSA\n"})

    assert Console(place)("verify").status == 1
    assert Console(place).json("show", "rs256")["status"] == "failed"
    assert Console(repo).json("show", "rs256")["status"] == "verified"


def test_fresh_clone_reads_the_memory_of_its_remote_and_writes_on_top(repo: Path) -> None:
    Console(repo).ok("remember", "Written there", "--key", "there")
    for name, options in {
        "full": [],
        "single": ["--single-branch"],
        "depth": ["--depth=1", "--no-single-branch"],
    }.items():
        git(repo, "clone", "-q", *options, f"file://{repo}", f"../{name}")
        clone = Console(repo.parent / name)
        identity(clone.folder)
        if name == "single":
            clone.ok("init")  # a clone of one branch has to ask for the memory
        before = untouched(clone.folder)

        assert clone.listed() == ["there"], name
        clone.ok("remember", f"Written in {name}", "--key", f"in-{name}")
        assert clone.listed() == [f"in-{name}", "there"]
        assert untouched(clone.folder) == before
        assert git(clone.folder, "merge-base", "memory", f"{tip(repo)}") == tip(repo)


def test_unborn_head_can_be_written_down_in_and_verified_later(tmp_path: Path) -> None:
    place = tmp_path / "new"
    git(tmp_path, "init", "-q", "-b", "main", str(place))
    identity(place)
    console = Console(place)
    before = untouched(place)

    console.ok("remember", "The plan", "--key", "plan")
    console.ok("fact", "There will be code", "--exists", "src", "--key", "code")

    assert console.listed() == ["code", "plan"]
    assert console("recall", "plan").status == 0
    assert console("context").status == 0
    assert console("status").status == 0
    refused = console("verify")
    assert (refused.status, "no commit yet" in refused.err) == (3, True), refused
    assert console("doctor").status == 0
    assert untouched(place) == before
    assert git(place, "symbolic-ref", "HEAD") == "refs/heads/main"
    commit_files(place, {"src/a.py": "1\n"})
    console.ok("edit", "code", "--exists", "src/a.py")
    assert console("verify").status == 0
    assert console.json("show", "code")["status"] == "verified"


def test_memory_branch_that_is_checked_out_is_not_moved_under_the_files(repo: Path) -> None:
    console = Console(repo)
    console.ok("remember", "First", "--key", "first")
    git(repo, "switch", "-q", "memory")
    before = tip(repo)

    refused = console("remember", "Second")

    assert refused.status == 3
    assert "checked out here" in refused.err
    assert tip(repo) == before
    assert git(repo, "status", "--porcelain") == ""
    assert console.listed() == ["first"]


def test_memory_branch_that_is_checked_out_in_another_work_tree_is_not_moved_under_its_files(repo: Path) -> None:
    console = Console(repo)
    console.ok("remember", "First", "--key", "first")
    view = repo.parent / "a view"
    git(repo, "worktree", "add", "-q", str(view), "memory")

    refused = console("remember", "Second", "--key", "second")
    hint = refused.err.splitlines()[-1].partition("hint: ")[2].rpartition("git -C ")
    advised = console.type(f"git -C {hint[2]}")
    console.ok("remember", "Third", "--key", "third")
    commit_files(view, {"learned/mine.md": "---\ntitle: By hand\nkind: learned\n---\n"})

    assert refused.status == 3
    assert f"the branch memory is checked out in {view}" in refused.err
    assert advised.status == 0
    assert console.listed() == ["first", "third"], "a commit in the view reverts nothing"
    shutil.rmtree(view)
    git(repo, "worktree", "add", "-q", "-f", str(view), "memory")
    shutil.rmtree(view)
    console.ok("remember", "The view is gone", "--key", "gone")
    assert console.listed() == ["first", "gone", "third"]


def test_folder_that_is_gone_is_reported(repo: Path) -> None:
    gone = repo / "gone"
    gone.mkdir()
    script = f'rmdir "$PWD"; "{GITMEM}" "$@"'

    for words in (["list"], ["remember", "Nowhere"], ["verify"], ["recall", "x"], ["-C", ".", "status"]):
        gone.mkdir(exist_ok=True)
        done = run(["bash", "-c", script, "-", *words], gone)

        assert (done.status, done.out) == (3, ""), (words, done)
        assert "no longer exists" in done.err
    gone.mkdir()
    Console(repo).ok("remember", "Somewhere", "--key", "somewhere")
    assert run(["bash", "-c", script, "-", "-C", str(repo), "list"], gone).status == 0


def test_place_outside_of_any_repository_is_reported(tmp_path: Path) -> None:
    for words in (["list"], ["remember", "Nowhere"], ["verify"], ["init"], ["doctor"]):
        done = run([str(GITMEM), *words], tmp_path)

        assert (done.status, done.out) == (3, ""), (words, done)
        assert "not a git repository" in done.err
        assert "hint: " in done.err
    assert list(tmp_path.iterdir()) == []
    assert run([str(GITMEM), "-C", str(tmp_path / "missing"), "list"], tmp_path).status == 3


def test_copied_and_moved_repository_keeps_its_memory_to_itself(repo: Path) -> None:
    Console(repo).ok("remember", "The original", "--key", "original")
    copy = Path(shutil.copytree(repo, repo.parent / "copy", symlinks=True))

    Console(copy).ok("remember", "Of the copy", "--key", "copied")
    moved = copy.rename(repo.parent / "moved")

    assert Console(repo).listed() == ["original"]
    assert Console(moved).listed() == ["copied", "original"]


def test_branch_that_is_in_the_way_of_the_memory_is_reported(repo: Path) -> None:
    git(repo, "branch", "memory/notes")
    console = Console(repo)

    for words in (["init"], ["remember", "Something"]):
        done = console(*words)
        assert done.status == 3, done
        assert "memory/notes" in done.err or "there can be no branch memory" in done.err
        assert "gitmem init --branch memory-store" in done.err
    git(repo, "config", "gitmem.branch", "memory-store")
    console.ok("remember", "Something", "--key", "some")
    assert console.listed() == ["some"]
    assert git(repo, "for-each-ref", "--format=%(refname)", "refs/heads") == (
        "refs/heads/main\nrefs/heads/memory-store\nrefs/heads/memory/notes"
    )


def test_repository_of_another_owner_is_refused_with_the_words_of_git(repo: Path) -> None:
    if subprocess.run(["chown", "-R", "65534", str(repo)], capture_output=True, check=False).returncode != 0:
        pytest.skip("only root can give a repository to somebody else")

    done = Console(repo)("remember", "Not mine")

    assert (done.status, done.out) == (3, "")
    assert "dubious ownership" in done.err
    assert "safe.directory" in done.err
    Console(repo, GIT_CONFIG_COUNT=None).type(f"git config --global --add safe.directory '{repo}'")
    try:
        assert Console(repo).ok("remember", "Mine to write", "--key", "mine") == "mine"
    finally:
        Console(repo).type("git config --global --unset-all safe.directory")
