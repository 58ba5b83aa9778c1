"""The console script as a program among others: pipes, signals, closed streams, odd environments and folders."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import commit_files, git, memory_text, put_files, tip
from support.console import Console
from support.terminal import ALIVE, GITMEM, SCRIPT, environment, gitmem

LINE = shlex.join(GITMEM)


def shell(folder: Path, line: str, env: dict[str, str] | None = None) -> tuple[int, str, str]:
    """Run a line of bash that calls gitmem as ``g``; the exit status is that of the last one of a pipe that failed."""
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; g() {{ {LINE} \"$@\"; }}; {line}"],
        cwd=folder, env=environment() if env is None else env, capture_output=True, text=True, check=False, timeout=180,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def many(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository with more memories than a pipe holds; its index is made."""
    folder = Path(shutil.copytree(template, tmp_path_factory.mktemp("many") / "service"))
    gitmem(folder, "init")
    put_files(folder, {f"learned/m{n:04}.md": memory_text(f"Memory {n} " + "x" * 180) for n in range(450)})
    gitmem(folder, "list")
    return folder


def test_each_exit_status_is_what_a_script_may_rely_on(repo: Path) -> None:
    gitmem(repo, "init")
    gitmem(repo, "fact", "t", "--verify", "test -s README.md && true", "--key", "f")

    ended = {
        0: gitmem(repo, "status"),
        1: gitmem(repo, "show", "nosuch"),
        2: gitmem(repo, "show"),
        3: gitmem(repo, "verify"),
    }

    assert {status: done.status for status, done in ended.items()} == {status: status for status in ended}
    assert [done.err.startswith("gitmem: error: ") for done in ended.values()] == [False, True, True, False]


def test_bug_exits_with_70_and_says_where_its_traceback_is(repo: Path) -> None:
    code = (
        "import sys; from gitmem.__main__ import script; from gitmem.cli import status\n"
        "status.run = lambda *_: 1 / 0; sys.argv[1:] = ['status']; script()"
    )

    done = subprocess.run([sys.executable, "-c", code], cwd=repo, capture_output=True, text=True, check=False)

    report = Path(done.stderr.rstrip("\n").split("the traceback is in ")[1])
    assert (done.returncode, done.stdout) == (70, "")
    assert "ZeroDivisionError" in report.read_text()
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["g list", "g list --json", "g recall --recent 450"])
def test_reader_that_goes_away_ends_it_quietly(many: Path, command: str) -> None:
    status, out, err = shell(many, f"{command} | head -1")

    assert (status, out.count("\n"), err) == (141, 1, "")


@pytest.mark.parametrize(
    "command", ["--help", "list --help", "completion bash", "--version", "trust --print", "status"]
)
def test_short_answer_to_no_one_is_quiet(repo: Path, command: str) -> None:
    gitmem(repo, "init")

    status, out, err = shell(repo, f"g {command} | true")

    assert (status in (0, 141), out, err) == (True, "", "")


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("g list >&-", 0),
        ("g list 2>&-", 0),
        ("g list >&- 2>&-", 0),
        ("g nosuch 2>&-", 2),
        ("g remember 'kept all the same' >&-", 0),
        ("g remember - <&-", 2),
        ("g show nosuch >&- 2>&- <&-", 1),
    ],
)
def test_closed_stream_is_no_traceback(repo: Path, line: str, status: int) -> None:
    gitmem(repo, "remember", "a text")

    ended, _, err = shell(repo, line)

    assert (ended, "Traceback" in err) == (status, False)


def test_closed_standard_output_is_not_taken_for_the_next_file(repo: Path) -> None:
    gitmem(repo, "remember", "a text")

    shell(repo, "for n in 1 2 3; do g remember number $n >&- 2>&- <&-; g list >&- 2>&- <&-; done")

    assert gitmem(repo, "list").out.count("\n") == 1
    assert gitmem(repo, "doctor").status == 0
    assert "error" not in git(repo, "fsck", "--strict")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("command", ["list", "list --json", "list --help", "--help", "verify"])
def test_full_disk_behind_standard_output_is_reported_and_exits_with_3(repo: Path, command: str) -> None:
    gitmem(repo, "remember", "a text")

    status, _, err = shell(repo, f"g {command} >/dev/full")

    assert (status, err) == (
        3,
        "gitmem: error: cannot write the output: No space left on device\n  hint: acknowledged writes are kept\n",
    )


def test_broken_standard_error_does_not_change_the_answer(repo: Path) -> None:
    status, out, _ = shell(repo, "{ g show nosuch 2>&1 >&3 | true; } 3>&1; g nosuch 2>/dev/full")

    assert (status, out) == (2, "")


def test_folder_that_was_deleted_is_reported(repo: Path, tmp_path: Path) -> None:
    gitmem(repo, "remember", "a text")

    line = f"mkdir gone; cd gone; rmdir ../gone; g list; g --help >/dev/null && g -C {shlex.quote(str(repo))} list"

    status, out, err = shell(tmp_path, line)

    assert (status, out.split("\t")[0]) == (0, "a-text")
    assert err == "gitmem: error: the current folder no longer exists\n  hint: change to an existing folder\n"


@pytest.mark.parametrize(
    "changes",
    [
        {"HOME": None, "XDG_STATE_HOME": None},
        {"HOME": "", "XDG_STATE_HOME": ""},
        {"HOME": "/proc/nosuch", "XDG_STATE_HOME": None},
        {"HOME": "/dev/null", "XDG_STATE_HOME": "relative", "XDG_CONFIG_HOME": "/dev/null"},
    ],
    ids=["unset", "empty", "unwritable", "no folders"],
)
def test_home_is_not_needed(repo: Path, changes: dict[str, str | None]) -> None:
    console = Console(repo, **changes)
    words = ("remember text", "fact f --exists README.md", "recall text", "verify", "status", "doctor")

    done = [gitmem(repo, "init", env=environment(**changes)), *(console(*line.split()) for line in words)]

    assert [one.status for one in done] == [0] * 7


def test_without_git_reading_works_and_the_rest_says_what_is_missing(repo: Path) -> None:
    gitmem(repo, "remember", "a text about gateways")
    gitmem(repo, "list")
    git(repo, "repack", "-adq")  # a few loose objects are read without it
    env = environment(PATH="/nonexistent")

    read = [gitmem(repo, *words, env=env) for words in (["recall", "gateways"], ["list"], ["show", "a-text"])]
    others = [gitmem(repo, *words, env=env) for words in (["remember", "x"], ["verify", "--all"], ["init"])]

    assert [done.status for done in read] == [0, 0, 0]
    assert [done.status for done in others] == [3, 3, 3]
    assert all(
        done.err == "gitmem: error: cannot start git: No such file or directory\n"
        "  hint: install git, or put the folder it is in on PATH\n"
        for done in others
    )  # fmt: skip


@pytest.mark.skipif(not SCRIPT.exists(), reason="the console script is not installed")
def test_git_mem_is_the_same_command(repo: Path) -> None:
    gitmem(repo, "remember", "a text about gateways")
    env = environment(PATH=f"{SCRIPT.parent}:{os.environ['PATH']}")

    done = subprocess.run(
        ["git", "mem", "recall", "gateways"], cwd=repo / "src", env=env, capture_output=True, text=True, check=True
    )

    assert done.stdout == gitmem(repo, "recall", "gateways").out


@pytest.mark.parametrize(
    "variables",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"LC_ALL": "POSIX"},
        {"LC_ALL": "xx_YY.nosuch"},
        {"PYTHONIOENCODING": "ascii"},
    ],
    ids=["ASCII", "POSIX", "unknown", "pipe in ASCII"],
)
def test_text_that_the_locale_cannot_show_is_escaped_and_kept_whole(repo: Path, variables: dict[str, str]) -> None:
    written = gitmem(repo, "remember", "-", "--key", "k", input="Größe — ✓ 中文\n", env=environment(**variables))

    shown = gitmem(repo, "list", env=environment(**variables))

    assert (written.status, shown.status) == (0, 0)
    assert "title: Größe — ✓ 中文\n" in git(repo, "show", "memory:learned/k.md")


@pytest.mark.parametrize(
    "name", ["with space\nquo'te\"s", "größe 中文 e\u0301 e\x1b[2Jsc a\tb", "$(touch x)`touch x`", "-dash"]
)
def test_repository_may_lie_in_any_folder(template: Path, tmp_path: Path, name: str) -> None:
    folder = Path(shutil.copytree(template, tmp_path / name))

    done = [
        gitmem(folder, *words)
        for words in (
            ["init"],
            ["remember", "a text"],
            ["fact", "built in", "--contains", "RS256", "--in", "src/auth/jwt.py"],
            ["verify", "--all"],
            ["list"],
            ["status"],
            ["context"],
            ["doctor"],
            ["show", "a-text"],
        )
    ]
    outside = gitmem(tmp_path, "-C", name, "list")

    assert [one.status for one in done] == [0] * 9
    assert outside.out == done[4].out
    assert [ALIVE.findall(one.out + one.err) for one in done] == [[]] * 9
    assert not [path for path in (tmp_path / "x", folder / "x") if path.exists()]


def processes_that_name(text: str) -> list[int]:
    """Return processes whose command line has a text (Linux)."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if text.encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


@pytest.mark.whole_system
@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="there is no /proc")
def test_ctrl_c_while_verifying_ends_what_runs_and_loses_nothing(repo: Path) -> None:
    gitmem(repo, "init")
    unusual = f"{os.getpid()}.25"
    check = json.dumps(f"echo started; sleep {unusual}")
    put_files(
        repo,
        {
            "facts/quick.md": memory_text("q", verify="{exists: README.md}").replace("learned", "fact"),
            "facts/slow.md": memory_text("s", verify=check).replace("learned", "fact"),
        },
    )
    commit_files(repo, {"approved": gitmem(repo, "trust", "--print").out})
    before = tip(repo)

    child = subprocess.Popen(
        [*GITMEM, "verify", "--approved", "approved"],
        cwd=repo, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    deadline = time.monotonic() + 120
    while not processes_that_name(f"sleep {unusual}") and not processes_that_name(f"sleep\0{unusual}"):
        assert time.monotonic() < deadline, "the check was never started"
        time.sleep(0.05)
    os.killpg(child.pid, signal.SIGINT)
    _, err = child.communicate(timeout=180)

    deadline = time.monotonic() + 120
    while processes_that_name(unusual) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert child.returncode == 130
    assert "Traceback" not in err
    assert processes_that_name(unusual) == []
    assert git(repo, "rev-parse", "memory") == before or git(repo, "merge-base", before, "memory") == before
    assert gitmem(repo, "verify", "quick").status == 0
    assert gitmem(repo, "doctor").status == 0
    assert git(repo, "worktree", "list").count("\n") == 0


def test_environment_of_a_hook_is_not_obeyed(repo: Path, tmp_path: Path) -> None:
    other = tmp_path / "canary"
    shutil.copytree(repo, other)
    before = {path: path.read_bytes() for path in sorted(other.rglob("*")) if path.is_file()}
    env = environment(
        GIT_DIR=str(other / ".git"),
        GIT_WORK_TREE=str(other),
        GIT_INDEX_FILE=str(other / ".git" / "index"),
        GIT_AUTHOR_DATE="1 +0000",
        GIT_CONFIG_COUNT="1",
        GIT_CONFIG_KEY_0="core.hooksPath",
        GIT_CONFIG_VALUE_0="/evil",
    )

    done = gitmem(repo, "remember", "a text", env=env), gitmem(repo, "verify", env=env)

    assert [one.status for one in done] == [0, 0]
    assert {path: path.read_bytes() for path in sorted(other.rglob("*")) if path.is_file()} == before
    assert gitmem(repo, "list").out.startswith("a-text\t")
