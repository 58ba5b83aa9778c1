"""The command line as a whole: which exit status, which words; and ``gitmem init``."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from conftest import git, put_files, tip
from support.console import GITMEM, environment, run
from support.each import each

from gitmem import __version__, cli
from gitmem.cli import list as list_command
from gitmem.cli.commands import all_commands
from gitmem.errors import GitmemError


@pytest.mark.parametrize("words", [(), ("--help",), ("-h",), ("help",)])
def test_overview_is_shown_with_and_without_asking(run_cli, words: tuple[str, ...]) -> None:
    done = run_cli(*words)

    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("usage: gitmem [-C DIR]")
    assert "\nHere:\n  this" in done.out


def test_help_exits_with_0_and_prints_on_standard_output(run_cli) -> None:
    for name in all_commands():
        words = name.split(" ")
        asked, helped, other = run_cli(*words, "--help"), run_cli("help", *words), run_cli("--help", *words)

        assert (asked.status, asked.err) == (0, "")
        assert "\nexamples:\n  " in asked.out
        assert helped.out == other.out
        assert helped.out.endswith(asked.out)


def test_version_is_reported(run_cli) -> None:
    assert run_cli("--version").out == f"gitmem {__version__}\n"


@each(
    ("words", "message", "hint"),
    [
        (("recal", "x"), "unknown command: recal", "did you mean: gitmem recall x"),
        (("statsu",), "unknown command: statsu", "did you mean: gitmem status"),
        (("help", "lst"), "unknown command or topic: lst", "did you mean: gitmem help list"),
        (
            ("search", "what's up", "--kind", "fact"),
            "unknown command: search",
            "gitmem recall 'what'\"'\"'s up' --kind fact",
        ),
        (("search", "x", "--frob"), "unknown command: search", "gitmem recall"),
        (("search", "\x1b[2J"), "unknown command: search", "gitmem recall"),
        (("add", "a trap"), "unknown command: add", "gitmem remember 'a trap'"),
        (("rm", "x", "y"), "unknown command: rm", "gitmem forget x y"),
        (("delete", "x"), "unknown command: delete", "gitmem forget x"),
        (("config", "set", "ttl_days", "3"), "unknown command: config", "gitmem policy set ttl_days 3"),
        (("config",), "unknown command: config", "gitmem policy"),
        (("history", "x"), "unknown command: history", "gitmem log x"),
        (("task", "ad", "Rotate keys"), "gitmem task: unknown verb: ad", "did you mean: gitmem task add 'Rotate keys'"),
        (("push",), "unknown command: push", "gitmem sync"),
        (("frobnicate",), "unknown command: frobnicate", "gitmem help -a lists the commands"),
        (("\x1b[2J",), "unknown command: \\x1b[2J", "gitmem help -a lists the commands"),
        (("task list",), "unknown command: task list", "did you mean: gitmem task list"),
        (("--json", "list"), "--json is not allowed before the command", "gitmem list --json"),
        (("--kind", "fact", "list"), "--kind is not allowed before the command", "gitmem list --kind fact"),
        (("--json", "task", "list"), "--json is not allowed before the command", "gitmem task list --json"),
        (
            ("--limit", "3", "recall", "a b"),
            "--limit is not allowed before the command",
            "gitmem recall --limit 3 'a b'",
        ),
        (("serch", "x", "--limit", "3"), "unknown command: serch", "did you mean: gitmem recall x --limit 3"),
        (("--json", "serch", "x"), "--json is not allowed before the command", "did you mean: gitmem recall --json x"),
        (("--json", "search", "x"), "--json is not allowed before the command", "did you mean: gitmem recall --json x"),
        (("--json", "rm", "x"), "--json is not allowed before the command", "did you mean: gitmem forget --json x"),
        (
            ("--limt", "3", "recall", "x"),
            "--limt is not allowed before the command",
            "did you mean: gitmem recall --limit 3 x",
        ),
        (("--verison",), "unknown option: --verison", "did you mean: gitmem --version"),
        (("recall", "--limt", "3", "x"), "unknown option: --limt", "did you mean --limit?"),
        (("recall", "x", "--limt", "3"), "unknown option: --limt", "did you mean --limit?"),
        (
            ("remember", "x", "--kind", "decisions"),
            "unknown kind: decisions",
            "--kind decision; a new kind needs a row: gitmem policy edit",
        ),
        (("task", "delete", "x"), "gitmem task: unknown verb: delete", "gitmem forget x"),
        (("task", "done", "x"), "gitmem task: unknown verb: done", "gitmem task close x"),
        (("task", "edit", "x", "--title", "y"), "gitmem task: unknown verb: edit", "gitmem edit x --title y"),
        (("stores", "rm", "x"), "gitmem stores: unknown verb: rm", "gitmem stores remove x"),
        (("policy", "get"), "gitmem policy: unknown verb: get", "gitmem policy show"),
        (("help", "serch"), "unknown command or topic: serch", "did you mean: gitmem help recall"),
        (("--frob", "list"), "--frob is not allowed before the command", "gitmem [-C DIR] COMMAND [OPTIONS]"),
        (("-C",), "-C needs a folder", "gitmem -C DIR COMMAND"),
        (("recall", "--\x1b[2J"), "unknown option: --\\x1b[2J", "gitmem recall --help lists the options"),
        (("recall",), "give one of: a question, --near FILE, --recent N, --stats", "gitmem recall WORDS…"),
    ],
)
def test_wrong_use_exits_with_2_and_a_hint(run_cli, words: tuple[str, ...], message: str, hint: str) -> None:
    done = run_cli(*words)

    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"gitmem: error: {message}\n  hint: {hint}\n")


def test_argument_that_is_not_utf_8_is_refused(run_cli) -> None:
    done = run_cli("show", "\udcff")

    assert (done.status, done.err) == (2, "gitmem: error: an argument is not valid UTF-8\n")


def test_error_does_not_repeat_a_typed_secret(run_cli) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"

    done = [run_cli(token), run_cli("list", "--status", token), run_cli("list", f"--{token}"), run_cli("show", token)]

    assert token not in repr(done)
    assert [one.err.split("\n")[0].count("[secret: github-token]") for one in done[:3]] == [1, 1, 1]


def test_dash_c_names_another_folder_as_in_git(run_cli, repo: Path, tmp_path: Path) -> None:
    run_cli("remember", "seen from afar")

    relative = run_cli("-C", repo.name, "-C", "src", "list", cwd=tmp_path)

    assert (relative.status, relative.out.split("\t")[0]) == (0, "seen-from-afar")


@each("command", ["list", "status", "verify", "doctor", "remember"])
def test_outside_a_repository_every_command_says_so_and_exits_with_3(run_cli, tmp_path: Path, command: str) -> None:
    done = run_cli(command, *(["a text"] if command == "remember" else []), cwd=tmp_path)

    assert (done.status, done.out) == (3, "")
    assert f"gitmem: error: {tmp_path}: not a git repository" in done.err
    assert "  hint: run it inside a git repository, or create one: git init\n" in done.err


def test_missing_folder_is_reported(run_cli) -> None:
    done = run_cli("-C", "nowhere", "list")

    assert (done.status, done.err) == (3, "gitmem: error: nowhere: No such file or directory\n")


@each("command", ["recall x", "list", "show x", "log x", "status", "context", "verify", "index", "forget x"])
def test_command_without_a_memory_says_how_to_create_one(run_cli, command: str) -> None:
    done = run_cli(*command.split())

    assert done.status == 3
    assert "gitmem: error: this repository has no memory yet: there is no branch memory\n" in done.err
    assert "gitmem init" in done.err


@each(
    ("error", "status"),
    [
        (KeyboardInterrupt(), 130),
        (BrokenPipeError(), 141),
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), 3),
        (PermissionError(errno.EACCES, "Permission denied", "/x"), 3),
        (OSError(errno.EINVAL, "Invalid argument"), 70),
        (AssertionError("never"), 70),
        (RecursionError(), 70),
        (GitmemError("no"), 3),
    ],
)
def test_each_way_to_end_has_its_exit_status(
    run_cli,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    status: int,
) -> None:
    def broken(*_: object) -> int:
        raise error

    monkeypatch.setattr(list_command, "run", broken)

    done = run_cli("list")

    assert (done.status, done.out) == (status, "")
    assert "Traceback" not in done.err


def test_interruption_inside_sqlite_ends_the_command(run_cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> int:
        with closing(sqlite3.connect(":memory:")) as db:
            db.create_function("unpacked", 0, cli.note_interruption)
            return db.execute("SELECT unpacked()").fetchone()[0]

    monkeypatch.setattr(list_command, "run", broken)

    assert (run_cli("list").status, run_cli("--version").status) == (130, 0)


@each(
    ("environment", "colors"),
    [
        ({}, "auto"),
        ({"NO_COLOR": "1"}, "never"),
        ({"FORCE_COLOR": "1"}, "always"),
        ({"FORCE_COLOR": "0"}, "never"),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, "never"),
        ({"NO_COLOR": ""}, "auto"),
        ({"TERM": "dumb"}, "never"),
    ],
)
def test_environment_says_when_to_colour(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], colors: str
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    assert cli._color() == colors


def test_setting_of_the_colour_is_obeyed_and_checked(run_cli, monkeypatch: pytest.MonkeyPatch) -> None:
    run_cli("init")
    monkeypatch.setenv("GITMEM_COLOR", "always")
    colored = run_cli("status")
    monkeypatch.setenv("GITMEM_COLOR", "blue")
    refused = run_cli("status")

    assert "\x1b[1m0 memories\x1b[0m" in colored.out
    assert (refused.status, refused.out) == (3, "")
    assert "GITMEM_COLOR must be one of auto, always, never, not 'blue'" in refused.err


def test_init_starts_the_branch_once_and_touches_nothing_else(run_cli, repo: Path) -> None:
    before = git(repo, "status", "--porcelain", "--branch"), (repo / ".git" / "config").read_bytes()

    started, again = run_cli("init"), run_cli("init")

    assert started.out.startswith("created the branch memory  ")
    assert again.out.startswith("the branch memory already exists  ")
    assert (git(repo, "status", "--porcelain", "--branch"), (repo / ".git" / "config").read_bytes()) == before
    assert not [path for path in (repo / ".git" / "hooks").iterdir() if not path.name.endswith(".sample")]


def test_json_of_init_has_the_branch_the_commit_and_what_was_done(run_cli, repo: Path) -> None:
    done = run_cli("init", "--json", "--offline")

    assert json.loads(done.out) == {"branch": "memory", "commit": tip(repo), "how": "started", "view": ""}


def test_init_joins_the_memory_of_the_remote(run_cli, repo: Path, tmp_path: Path) -> None:
    run_cli("remember", "known to the others")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--single-branch", str(repo), str(clone))

    done = run_cli("init", cwd=clone)

    assert done.out.startswith("joined the remote's memory on the branch memory")
    assert tip(clone) == tip(repo)


def test_init_explains_a_branch_that_is_in_the_way(run_cli, repo: Path) -> None:
    git(repo, "branch", "memory/old")

    done = run_cli("init")

    assert done.status == 3
    assert "the branch memory cannot exist, because there is a branch memory/old" in done.err
    assert "gitmem init --branch memory-store" in done.err


def test_memory_is_not_written_to_a_branch_of_the_code(
    run_cli,
    repo: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = git(repo, "for-each-ref"), git(repo, "status", "--porcelain")
    monkeypatch.setenv("GITMEM_BRANCH", "main")

    done = [run_cli("remember", "oh no"), run_cli("init")]

    assert [one.status for one in done] == [3, 3]
    assert "main is not a memory store" in done[0].err
    assert (git(repo, "for-each-ref"), git(repo, "status", "--porcelain")) == before


def test_memory_branch_that_is_checked_out_is_read_and_not_moved(run_cli, repo: Path) -> None:
    run_cli("remember", "seen")
    git(repo, "switch", "-q", "memory")
    before = tip(repo)

    written, read = run_cli("remember", "unseen"), run_cli("list")

    assert (written.status, read.status, tip(repo)) == (3, 0, before)
    assert "git switch -" in written.err


@pytest.mark.parametrize(
    ("variable", "nearest"),
    [
        ("GITMEM_BRANCHH", "GITMEM_BRANCH"),
        ("GITMEM_AGNET", "GITMEM_AGENT"),
        ("GITMEM_LOCKTIMEOUTT", "GITMEM_LOCK_TIMEOUT"),
    ],
)
def test_misspelt_variable_is_a_note_that_names_the_nearest(
    run_cli,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    nearest: str,
) -> None:
    monkeypatch.setenv(variable, "x")

    done = run_cli("list")

    assert done.status == 3, "there is no memory yet"
    assert f"unknown variable {variable}; the closest one is {nearest}\n" in done.err


def test_misspelt_setting_of_git_is_an_error_that_names_the_nearest(run_cli, repo: Path) -> None:
    git(repo, "config", "gitmem.lockTimeut", "3")

    done = run_cli("list")

    assert done.status == 3
    assert "  hint: the closest one is gitmem.lockTimeout\n" in done.err


@each("name", ["a b", "x..y", "\x1b[2J", "-x", "a.lock", "/a", "a//b"])
def test_name_that_no_branch_can_have_is_refused(
    run_cli,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    monkeypatch.setenv("GITMEM_BRANCH", name)

    done = run_cli("remember", "x")

    assert done.status == 3
    assert "must be a name that a branch can have" in done.err


def test_file_name_of_odd_bytes_does_not_make_the_store_unreadable(run_cli, repo: Path) -> None:
    run_cli("remember", "still here")
    blob = git(repo, "hash-object", "-w", "--stdin", input="x")
    entries = f"100644 blob {blob}\t".encode() + b"\xff\x1b[2J.md\0"
    folder = git(repo, "mktree", "-z", input=entries)
    listed = git(repo, "ls-tree", "-z", "memory").encode("utf-8", "surrogateescape")
    tree = git(repo, "mktree", "-z", input=listed + f"040000 tree {folder}\todd\0".encode())
    git(repo, "update-ref", "refs/heads/memory", git(repo, "commit-tree", tree, "-p", "memory", "-m", "odd"))

    listed_now, examined = run_cli("list"), run_cli("doctor", "--json")
    put_files(repo, {"learned/later.md": "---\ntitle: later\n---\n"})
    later = run_cli("list")

    assert listed_now.out.startswith("still-here\t")
    assert [problem["path"] for problem in json.loads(examined.out)["problems"]] == [
        "odd/\\xff\x1b[2J.md",
        "refs/heads/memory",
    ]
    assert "\x1b" not in examined.out
    assert (later.status, later.out.count("\n")) == (0, 2)


@pytest.mark.parametrize("module", ["keyword", "difflib"], ids=["as modules load", "in a command"])
def test_interruption_at_any_moment_is_one_line(tmp_path: Path, module: str) -> None:
    (tmp_path / f"{module}.py").write_text("import os\nos.kill(os.getpid(), 2)\n")
    env = environment(PYTHONPATH=str(tmp_path))

    done = run([str(GITMEM), "lisst"], tmp_path, env=env)

    assert (done.status, done.out) == (130, "")
    assert done.err == "gitmem: error: interrupted; acknowledged writes are kept\n"


def test_interruption_as_a_finished_command_ends_changes_nothing(tmp_path: Path) -> None:
    """Python has restored the system's handlers when it clears its modules; commands with threads end that way."""
    last = "class Last:\n    def __del__(self, kill=os.kill, process=os.getpid()):\n        kill(process, 2)\n"
    source = f"import concurrent.futures, os, sys\n{last}sys.last = Last()\n"
    (tmp_path / "sitecustomize.py").write_text(source)

    done = run([str(GITMEM), "--version"], tmp_path, env=environment(PYTHONPATH=str(tmp_path)))

    assert (done.status, done.err, done.out[:7]) == (0, "", "gitmem ")
