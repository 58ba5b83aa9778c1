"""The work tree as it is: what ``git add -A`` would make of it, without touching anything of the person's."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import commit_files, git, tip
from support.facts import approve_all, make_fact, outcomes, put, result_of, verify

from gitmem.errors import GitmemError, NoRepositoryError
from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.git.staging_area import has_changes
from gitmem.verify.ground import dirty

RETRIES = "src/gateway/retry.py"


def take(folder: Path) -> tuple[str, tuple[str, ...]]:
    """Return the tree of a snapshot, and what is told of it."""
    with dirty.snapshot(Git(discover(folder))) as taken:
        return taken.git.resolve(taken.commit, "tree"), taken.notices


def change(folder: Path, script: str) -> None:
    subprocess.run(["sh", "-ec", script], cwd=folder, check=True, env={**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null"})


CHANGES = {
    "nothing": "true",
    "changed": f"echo x >> {RETRIES}",
    "staged, then changed again": f"echo x >> {RETRIES}; git add -A; echo y >> {RETRIES}",
    "staged as gone, and there": f"git rm -q --cached {RETRIES}",
    "gone": f"rm {RETRIES}; git rm -q README.md",
    "new": "mkdir -p a/b; echo x > a/b/c; echo y > 'with blank'; printf 'x' > \"$(printf 'line\\nfeed')\"",
    "meant to be added": "echo x > n; git add -N n",
    "ignored": "echo '*.log' > .gitignore; echo x > a.log; mkdir d; echo '*' > d/.gitignore; echo x > d/x",
    "tracked and ignored": "echo README.md >> .git/info/exclude; echo x > README.md",
    "can be run": f"chmod +x {RETRIES}",
    "a link": f"ln -s /etc/passwd link; ln -s nowhere gone; rm {RETRIES}; ln -s x {RETRIES}",
    "folder for file": "rm README.md; mkdir README.md; echo x > README.md/x",
    "empty folder for file": "rm README.md; mkdir README.md",
    "file for folder": "rm -r src; echo x > src",
    "link for folder": "mv src moved; ln -s moved src",
    "other line ends": "git config core.autocrlf input; printf 'a\\r\\nb\\r\\n' > README.md",
    "line ends by attributes": "echo '*.txt text' > .gitattributes; printf 'a\\r\\nb\\r\\n' > a.txt",
    "a merge that is not finished": "git checkout -qb other; echo o > README.md; git rm -q pyproject.toml;"
    " git commit -qam o; git checkout -q main; echo m > README.md; echo m >> pyproject.toml; git commit -qam m;"
    " git merge -q other || true",
    "a sparse checkout": "git status; git sparse-checkout set --cone src/auth; ls src; echo x > src/auth/new",
    "a split index": "git update-index --split-index; echo x > README.md; git add -A; echo y > n",
    "an index that is gone": "rm .git/index",
    "fifo": "mkfifo pipe; echo x > README.md",
}


@pytest.mark.parametrize("script", CHANGES.values(), ids=CHANGES.keys())
def test_it_is_what_adding_everything_would_make(repo, script):
    change(repo, script)
    index = repo / ".git" / "index"
    asked = (("for-each-ref",), ("count-objects",), ("rev-parse", "HEAD"))
    before = [index.read_bytes() if index.exists() else b"", *(git(repo, *words) for words in asked)]

    tree, _ = take(repo)

    assert [index.read_bytes() if index.exists() else b"", *(git(repo, *words) for words in asked)] == before
    git(repo, "add", "-A", "--sparse")
    assert tree == git(repo, "write-tree")


def test_a_change_that_only_its_content_shows_is_found(repo):
    """As right after a checkout: same size, same time, and the index is as old as the file (racy git)."""
    git(repo, "config", "core.trustctime", "false")
    file, index = repo / "README.md", repo / ".git" / "index"
    os.utime(file, ns=(10**18, 10**18))
    git(repo, "update-index", "--refresh")
    file.write_text("# B service\n")
    for place in (file, index):
        os.utime(place, ns=(10**18, 10**18))

    tree, _ = take(repo)

    assert tree != git(repo, "rev-parse", "HEAD^{tree}")


def test_nothing_of_the_persons_configuration_runs(repo, tmp_path):
    spy = tmp_path / "spy"
    spy.write_text(f"#!/bin/sh\necho $0 >> {tmp_path}/ran\ncat\n")
    spy.chmod(0o755)
    (repo / ".gitattributes").write_text("* filter=evil diff=evil\n")
    for name in ("post-index-change", "pre-commit", "reference-transaction", "post-commit"):
        shutil.copy(spy, repo / ".git" / "hooks" / name)
    for name in ("filter.evil.clean", "filter.evil.process", "core.fsmonitor", "diff.evil.textconv", "gpg.program"):
        git(repo, "config", name, str(spy))
    git(repo, "config", "commit.gpgSign", "true")
    (tmp_path / "ran").unlink(missing_ok=True)
    (repo / "README.md").write_text("changed\n")

    with dirty.snapshot(Git(discover(repo))) as taken:
        assert taken.git.run("cat-file", "blob", f"{taken.commit}:README.md").stdout == b"changed\n"
    assert has_changes(Git(discover(repo)))

    assert not (tmp_path / "ran").exists()


def test_what_is_left_out_is_reported(repo, tmp_path, monkeypatch):
    change(
        tmp_path,
        "git init -q -b main inner && cd inner && git -c user.name=x -c user.email=x commit -qm x --allow-empty",
    )
    change(
        repo, f"git -c protocol.file.allow=always submodule --quiet add {tmp_path}/inner module; git commit -qam module"
    )
    before = git(repo, "rev-parse", "HEAD^{tree}")
    change(repo, "echo x > module/new; git init -q empty; git init -q full; cp -r module full/m; mv full embedded")
    (repo / "big").write_bytes(b"x" * 2000)
    monkeypatch.setattr(dirty, "NEW_FILE_BYTES", 1000)

    tree, notices = take(repo)

    assert tree == before
    assert notices == (
        "submodules are skipped: module",
        "left out, new files above 0 MiB: big",
        "left out, nested repositories: embedded/, empty/",
    )


def test_more_than_anybodys_work_in_progress_is_refused(repo, monkeypatch):
    monkeypatch.setattr(dirty, "MOST_FILES", 2)
    change(repo, "touch a b c")

    with pytest.raises(GitmemError, match="more changes than can be judged: 3 files"):
        take(repo)


UNREADABLE = """
import sys
from pathlib import Path
from gitmem.errors import GitmemError
from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.verify.ground import dirty
git = Git(discover(Path(sys.argv[1])))
with dirty.snapshot(git) as taken:
    print(taken.git.resolve(taken.commit, "tree"), *taken.notices, sep="|")
Path(sys.argv[1], "README.md").chmod(0)
try:
    dirty.snapshot(git).__enter__()
except GitmemError as err:
    print(err.message)
"""


def test_what_cannot_be_read_is_reported_and_refused_where_it_is_tracked(repo):
    without = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
    if without and shutil.which("setpriv") is None:
        pytest.skip("setpriv is not installed, and root can read everything")
    change(
        repo, "echo x > README.md; git add README.md; echo x > secret; mkdir shut; echo x > shut/x; chmod 0 secret shut"
    )
    tree = git(repo, "write-tree")

    ran = subprocess.run(
        [*without, sys.executable, "-c", UNREADABLE, str(repo)], capture_output=True, text=True, check=False
    )
    (repo / "shut").chmod(0o700)

    message = f"{tree}|left out: folders that cannot be read|left out, new files that cannot be read: secret"
    assert ran.stdout.splitlines() == [message, "cannot judge the work tree: README.md cannot be read"], ran.stderr


def test_a_linked_work_tree_is_its_own(repo, tmp_path):
    git(repo, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    (repo / "README.md").write_text("main\n")
    (tmp_path / "side" / "README.md").write_text("side\n")

    with dirty.snapshot(Git(discover(tmp_path / "side"))) as taken:
        assert taken.git.run("cat-file", "blob", f"{taken.commit}:README.md").stdout == b"side\n"


def test_a_bare_repository_has_no_work_tree(repo, tmp_path):
    git(tmp_path, "clone", "-q", "--bare", str(repo), "bare")

    with pytest.raises(NoRepositoryError, match="there is no work tree here"):
        take(tmp_path / "bare")


# Through a verify run


@pytest.fixture
def stocked(memory, repo):
    """A memory with three facts that hold, proved at HEAD."""
    put(
        repo,
        make_fact("builtin", {"contains": "RS256", "in": "src/auth/*.py"}),
        make_fact("gateway", f"grep -q 3 {RETRIES}", paths=["src/gateway/**"]),
        make_fact("whole", 'test ! -e broken && git diff --quiet HEAD && test -z "$(git status --porcelain)"'),
    )
    approve_all(memory)
    assert verify(memory).recorded is not None
    return memory


def state(memory, repo) -> list[object]:
    """Return all that a run may leave: the branch, local verdicts and attempts, refs, objects, the work tree."""
    asked = (("for-each-ref",), ("count-objects",), ("status", "--porcelain"))
    return [
        tip(repo),
        memory.repository.local.serial(),
        memory.repository.local.blocked(),
        *(git(repo, *words) for words in asked),
    ]


def test_facts_whose_inputs_changed_are_judged_as_they_are_now_and_nothing_is_recorded(stocked, repo):
    (repo / RETRIES).write_text("RETRIES = 5\n")
    (repo / "new-and-secret").write_text("tweet-7261\n")
    before = state(stocked, repo)

    at_head, run = verify(stocked), verify(stocked, dirty=True)

    assert at_head.notices == ("uncommitted changes were not looked at; to judge them: gitmem verify --dirty",)

    assert outcomes(run) == {"gateway": "fails", "whole": "holds"}
    assert run.dirty
    assert (run.recorded, run.commit) == (None, git(repo, "rev-parse", "HEAD"))
    assert state(stocked, repo) == before
    assert list((repo / ".git" / "gitmem" / "ground").rglob("new-and-secret")) == []
    assert not verify(stocked).due


@pytest.mark.parametrize("options", [{}, {"no_sandbox": False}], ids=["plain", "sandboxed"])
def test_a_failure_that_was_there_before_the_change_is_not_the_changes(memory, repo, options):
    put(repo, make_fact("a", f"test -e {repo}/.git/broken || grep -q 3 {RETRIES}", paths=["src/gateway/**"]))
    approve_all(memory)
    assert outcomes(verify(memory, **options)) == {"a": "holds"}
    (repo / RETRIES).write_text("RETRIES = 5\n")

    first, second = (outcomes(verify(memory, dirty=True, **options)) for _ in range(2))

    assert first == second == {"a": "fails"}


def test_keys_and_all_are_judged_whether_they_changed_or_not(stocked, repo):
    (repo / "broken").touch()

    assert outcomes(verify(stocked, dirty=True)) == {"whole": "fails"}
    assert outcomes(verify(stocked, "builtin", dirty=True)) == {"builtin": "holds"}
    assert outcomes(verify(stocked, dirty=True, everything=True)) == {
        "builtin": "holds",
        "gateway": "holds",
        "whole": "fails",
    }
    assert [due.row.key for due in verify(stocked, dirty=True, dry_run=True).would_run] == ["whole"]
    (repo / "broken").unlink()
    assert verify(stocked, dirty=True).due == 0


def test_after_the_work_is_committed_the_verdicts_are_the_same(stocked, repo):
    (repo / RETRIES).write_text("RETRIES = 5\n")
    report = outcomes(verify(stocked, dirty=True))
    commit_files(repo, {})

    assert outcomes(verify(stocked)) == report


def test_command_line_says_that_it_is_the_work_tree_and_exits_by_the_results(stocked, repo, run_cli):
    clean = run_cli("verify", "--dirty")
    (repo / RETRIES).write_text("RETRIES = 5\n")
    failed, table = run_cli("verify", "--dirty", "--no-sandbox"), run_cli("verify", "--dirty", "--json", "gateway")
    refused = run_cli("verify", "--dirty", "--record")

    assert (clean.status, clean.out.strip()) == (
        0,
        "The current work tree: no fact reads the changed files; nothing was recorded.",
    )
    assert failed.status == 1
    assert failed.out.strip().endswith("The current work tree: 2 due: 1 holds, 1 failed; nothing was recorded.")
    found = json.loads(table.out)
    assert (table.status, found["dirty"], found["recorded"]) == (1, True, "")
    assert [(r["key"], r["outcome"]) for r in found["results"]] == [("gateway", "fails")]
    assert (refused.status, "--dirty records nothing" in refused.err) == (2, True)
    assert result_of(verify(stocked, "gateway", dirty=True), "gateway").because.startswith("exit 1")


def test_pipe_that_git_would_wait_for_is_named(repo):
    (repo / "README.md").write_text("changed\n")
    for name in (".gitattributes", ".gitignore", "src/.gitattributes", "src/auth/.gitignore"):
        os.mkfifo(repo / name)
        with pytest.raises(NoRepositoryError, match=f"{name} is not a file"):
            take(repo)
        (repo / name).unlink()
