"""Starting a store: the remote's where there is one, one root everywhere, and nothing in the way is overwritten."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import NOW, git, put_files, tip

from gitmem.errors import ConflictError, ForeignBranchError
from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.memory import Memory
from gitmem.policy import load
from gitmem.store import layout
from gitmem.store.init import InitRequest, InitResult, start
from gitmem.store.scopes import POLICY_PATH

REF = "refs/heads/memory"
REMOTE = "refs/remotes/origin/memory"


def begin(
    folder: Path, *, offline: bool = False, notices: list[str] | None = None, branch: str = "memory"
) -> InitResult:
    return start(
        Git(discover(folder)),
        InitRequest(branch, "origin", offline),
        now=NOW,
        lock_timeout_s=5,
        notices=[] if notices is None else notices,
    )


def clone(repo: Path, name: str, *options: str) -> Path:
    """Clone a repository next to it, with an author."""
    identity = ("-c", "user.name=Ben", "-c", "user.email=ben@example.org")
    git(repo, "clone", "-q", *identity, *options, f"file://{repo}", f"../{name}")
    return repo.parent / name


def root(folder: Path) -> str:
    return git(folder, "rev-list", "--max-parents=0", REF)


def test_a_new_store_has_its_policy_its_page_and_its_attributes(repo: Path) -> None:
    done = begin(repo)

    assert done == InitResult("memory", tip(repo), "started")
    assert git(repo, "ls-tree", "-r", "--name-only", REF).splitlines() == [
        layout.ATTRIBUTES_PATH,
        layout.STATUS_PATH,
        POLICY_PATH,
    ]
    assert load(git(repo, "show", f"{REF}:gitmem.toml"), file="gitmem.toml").changes == {}


def test_two_clones_that_start_apart_share_their_root(repo: Path) -> None:
    first, second = clone(repo, "first"), clone(repo, "second")
    git(second, "config", "user.name", "Somebody else")

    begin(first, offline=True)
    start(
        Git(discover(second)), InitRequest("memory", "origin", offline=True), now=NOW + 99, lock_timeout_s=5, notices=[]
    )

    assert root(first) == root(second)
    assert tip(first) != tip(second)


def test_the_roots_of_clones_that_started_apart_can_be_merged(repo: Path) -> None:
    first, second = clone(repo, "first"), clone(repo, "second")
    for folder in (first, second):
        begin(folder, offline=True)
        put_files(folder, {f"facts/of-{folder.name}.md": "x"})

    git(first, "fetch", "-q", "../second", "memory")
    git(first, "checkout", "-q", "memory")
    git(first, "merge", "-q", "--no-edit", "FETCH_HEAD")

    assert (first / "facts/of-second.md").exists()


def test_existing_store_is_left_unchanged(repo: Path) -> None:
    begin(repo)
    before = tip(repo)

    assert begin(repo) == InitResult("memory", before, "there")


def test_missing_files_of_a_store_are_added(repo: Path) -> None:
    put_files(repo, {"gitmem.toml": "[recall]\nhalf_life_days = 3\n", "facts/a.md": "a"})

    done = begin(repo)

    assert done.how == "completed"
    assert "half_life_days = 3" in git(repo, "show", f"{REF}:gitmem.toml")
    assert git(repo, "show", f"{REF}:facts/a.md") == "a"
    assert git(repo, "show", f"{REF}:STATUS.md")


# With a remote


@pytest.mark.parametrize("options", [(), ("--single-branch",), ("--depth", "1")], ids=["whole", "single", "shallow"])
def test_a_clone_joins_the_remotes_store(repo: Path, options: tuple[str, ...]) -> None:
    begin(repo)
    put_files(repo, {"facts/a.md": "a"})
    folder = clone(repo, "other", *options)

    done = begin(folder)

    assert done == InitResult("memory", tip(repo), "joined")
    assert root(folder) == root(repo)


def test_clone_fetches_a_store_that_was_pushed_later(repo: Path) -> None:
    folder = clone(repo, "other")
    begin(repo)

    assert begin(folder).how == "joined"


def test_offline_a_clone_joins_what_it_knows_of(repo: Path) -> None:
    begin(repo)
    folder = clone(repo, "other")
    known = tip(folder, REMOTE)
    put_files(repo, {"facts/later.md": "a"})

    assert begin(folder, offline=True) == InitResult("memory", known, "joined")


def test_remote_without_a_store_gives_no_notice(repo: Path) -> None:
    notices: list[str] = []

    assert begin(clone(repo, "other"), notices=notices).how == "started"
    assert notices == []


def test_a_remote_that_cannot_be_reached_is_a_notice(repo: Path) -> None:
    folder = clone(repo, "other")
    git(folder, "remote", "set-url", "origin", str(repo.parent / "gone"))
    notices: list[str] = []

    assert begin(folder, notices=notices).how == "started"
    assert len(notices) == 1
    assert "cannot check origin for a memory" in notices[0]


def test_remote_that_never_answers_times_out(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gitmem.store import init as module

    monkeypatch.setattr(module, "REMOTE_TIMEOUT_S", 0.5)
    git(repo, "remote", "add", "origin", "ssh://nowhere/x")
    git(repo, "config", "core.sshCommand", "sleep 5 #")
    notices: list[str] = []

    assert begin(repo, notices=notices).how == "started"
    assert "did not answer within 0.5 seconds" in notices[0]


def test_a_remote_that_would_run_a_program_is_refused(repo: Path) -> None:
    marker = repo.parent / "ran"
    git(repo, "config", "protocol.ext.allow", "always")
    git(repo, "remote", "add", "origin", f"ext::sh -c touch% {marker}")
    notices: list[str] = []

    begin(repo, notices=notices)

    assert not marker.exists()
    assert len(notices) == 1


def test_a_hostile_tree_of_the_remote_is_not_fetched(repo: Path) -> None:
    content = git(repo, "hash-object", "-w", "--stdin", input="x")
    raw = b"100644 .git\0" + bytes.fromhex(content)
    made = git(repo, "hash-object", "--literally", "-w", "-t", "tree", "--stdin", input=raw)
    git(repo, "update-ref", REF, git(repo, "commit-tree", "-m", "m", made))
    folder = clone(repo, "other", "--single-branch", "-b", "main")
    notices: list[str] = []

    assert begin(folder, notices=notices).how == "started"
    assert len(notices) == 1
    assert git(folder, "rev-parse", "-q", "--verify", REMOTE, check=False) == ""


def test_fetching_leaves_the_users_refs_and_fetch_head_alone(repo: Path) -> None:
    begin(repo)
    git(repo, "tag", "v1")
    git(repo, "branch", "feature")
    folder = clone(repo, "other", "--single-branch", "--no-tags", "-b", "main")
    before = git(folder, "for-each-ref")

    begin(folder)

    after = [line for line in git(folder, "for-each-ref").splitlines() if not line.endswith("/memory")]
    assert after == before.splitlines()
    assert not (folder / ".git/FETCH_HEAD").exists()


def test_a_fresh_clone_reads_before_it_starts(repo: Path) -> None:
    begin(repo)
    put_files(repo, {"facts/a.md": "---\ntitle: of the remote\nkind: learned\n---\n"})
    folder = clone(repo, "other")

    with Memory(folder) as memory:
        assert memory.repository.text_of("a").startswith("---\ntitle: of the remote")
    assert git(folder, "for-each-ref", REF) == ""


def test_a_first_write_in_a_fresh_clone_continues_the_remotes_store(repo: Path) -> None:
    begin(repo)
    folder = clone(repo, "other")

    with Memory(folder) as memory:
        memory.remember("mine", key="mine")

    assert git(folder, "rev-parse", "memory^") == tip(repo)


# What is in the way


def test_a_branch_below_it_is_named(repo: Path) -> None:
    git(repo, "branch", "memory/x")

    with pytest.raises(ConflictError, match="there is a branch memory/x") as caught:
        begin(repo)

    assert caught.value.hint.endswith("gitmem init --branch memory-store")
    assert begin(repo, branch="memory-store").how == "started"


def test_a_branch_above_it_is_an_error_that_names_it(repo: Path) -> None:
    git(repo, "branch", "memory")

    with pytest.raises(ConflictError, match="refs/heads/memory"):
        begin(repo, branch="memory/of/agents")


def test_code_branch_is_not_mistaken_for_a_store(repo: Path) -> None:
    before = tip(repo, "refs/heads/main")

    with pytest.raises(ForeignBranchError, match="main is not a memory store"):
        begin(repo, branch="main")

    assert tip(repo, "refs/heads/main") == before


def test_many_processes_that_start_at_once_make_one_store(repo: Path) -> None:
    script = (
        "import sys; from gitmem.memory import Memory\n"
        "sys.stdin.read(1); m = Memory(sys.argv[1]); print(m.init(offline=True).how); m.close()"
    )
    argv = [sys.executable, "-c", script, str(repo)]
    children = [subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(5)]

    message = sorted(child.communicate("x")[0].strip() for child in children)

    assert message == ["started", "there", "there", "there", "there"]
    assert git(repo, "rev-list", "--count", REF) == "2"
