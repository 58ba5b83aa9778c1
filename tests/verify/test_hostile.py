"""Checks that mean harm, on each rung that confines, on a real ground of a real repository.

Each is contained, told as it deserves, and leaves everything outside its sandbox as it was; ``test_sandbox`` has what
holds of every check: network and sockets, the environment, what is left behind, floods.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import git
from support.each import each
from support.facts import (
    BETWEEN,
    approve_all,
    commit_later,
    make_fact,
    put,
    result_of,
    status_file,
    verdict_text,
    verify,
)
from support.grounds import grounds_on
from support.processes import pids_of

from gitmem import config, policy
from gitmem.errors import ConfigError
from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.model import SHELL, Check, Spec
from gitmem.verify.run.outcome import UNCLEAR, outcome_of
from gitmem.verify.sandbox import landlock, sandbox
from gitmem.verify.sandbox.launcher import TASKS
from gitmem.verify.sandbox.limits import MIB, Limits
from gitmem.verify.sandbox.namespaces import RESERVED_PIDS

BIN = str(Path(sys.executable).parent)
PATH = f"{BIN}:{os.environ['PATH']}"
ROOT = Path(sandbox.__file__).parents[3]
CANARY = "tweet-tweet-4471"
SMALL = Limits(processes=60, memory=96 * MIB, disk=24 * MIB)


class World:
    """A person's repository, home and approvals, and the grounds of the repository's checks on one rung."""

    def __init__(self, top: Path, template: Path, rung: str) -> None:
        self.rung = rung
        self.repo, self.home, self.trust = (top / name for name in ("service", "home", "trust"))
        shutil.copytree(template, self.repo, symlinks=True)
        for folder in (self.home, self.trust):
            folder.mkdir()
        (self.home / ".ssh").mkdir()
        (self.home / ".ssh" / "id").write_text(CANARY)
        (self.repo / ".env").write_text(CANARY)
        git(self.repo, "branch", "memory")
        overlay = rung == "bubblewrap" and sandbox.probe_overlay(PATH, self.repo / ".git" / "gitmem" / "ground")
        self.grounds = grounds_on(Git(discover(self.repo)), rung, top, overlay=overlay)
        self.head = git(self.repo, "rev-parse", "HEAD")

    def run(self, command: str | list[str], *, timeout_s: float = 120.0, limits: Limits | None = None):
        """Run a check on a ground of its own and return what happened."""
        if isinstance(command, str):
            names = {"repo": self.repo, "home": self.home, "trust": self.trust, "pid": os.getpid()}
            for name, value in names.items():
                command = command.replace(f"@{name}", str(value))
        argv = ["sh", "-c", command] if isinstance(command, str) else command
        with self.grounds.take(self.head) as ground:
            return sandbox.run_check(
                argv, ground=ground, rung=self.rung, network=False, timeout_s=timeout_s, path=PATH, limits=limits
            )

    def state(self) -> dict[str, tuple[int, str]]:
        """Return everything that a check must not touch: by path, its mode and content."""
        found = {}
        for top in (self.repo, self.home, self.trust):
            for place in [top, *top.rglob("*")]:
                if ".git/gitmem" not in str(place):
                    data = place.read_bytes() if place.is_file() else b""
                    found[str(place)] = (place.lstat().st_mode, hashlib.sha256(data).hexdigest())
        return found


@pytest.fixture(scope="module", params=["bubblewrap", "landlock"])
def world(request, template, tmp_path_factory):
    """One on each rung."""
    if not sandbox.works(request.param, PATH):
        pytest.skip(f"{request.param} does not work here")
    made = World(tmp_path_factory.mktemp("world").resolve(), template, request.param)
    with made.grounds:
        yield made


def python(script: str) -> str:
    return f"python3 -I -c {shlex.quote(script)}"


CHANGES = {
    "the code": "echo x >> @repo/README.md; rm -rf @repo/src; git -C @repo commit -q --allow-empty -m x",
    "git's configuration": "git --git-dir=@repo/.git config core.fsmonitor /evil; echo '[alias]' >> @repo/.git/config",
    "a hook": "mkdir -p @repo/.git/hooks; printf '#!/bin/sh\\n' > @repo/.git/hooks/pre-commit",
    "refs": "rm -rf @repo/.git/refs @repo/.git/packed-refs; git --git-dir=@repo/.git update-ref -d refs/heads/memory",
    "the objects it borrows": "cd .git/objects && cd $(head -n 1 info/alternates) && rm -rf -- * ; echo x > evil",
    "alternates": "mkdir -p @repo/.git/objects/info; echo /evil > @repo/.git/objects/info/alternates",
    "approvals": "mkdir -p @trust; echo yes > @trust/0123; ln -s @trust t && echo yes > t/4567",
    "the home": "echo evil > @home/.profile; rm -rf @home/.ssh; mv @home @home.gone",
    "everything in reach": "cd @home/.. && rm -rf -- * .[!.]*",
    "through a link in the ground": "rm README.md; ln -s @repo/README.md README.md; echo x >> README.md",
    "through a hard link": "ln @home/.ssh/id own && chmod 777 own && echo x > own",
    "through the root of a process": "for p in @pid $PPID 1; do echo x > /proc/$p/root@home/.profile; done",
    "through our working directory": "echo x > /proc/@pid/cwd/evil; echo x > /proc/$PPID/cwd/tmp/evil",
    "by gitmem itself": "gitmem -C @repo remember poison; gitmem -C @repo init; cd @repo && gitmem verify",
}


@each("command", CHANGES.values())
def test_it_cannot_change(world, command):
    before = world.state()

    ran = world.run(f"({command}); exit 0")

    assert (ran.status, ran.problem) == (0, "")
    assert ran.seconds < 60
    assert world.state() == before


READS = {
    "a key": "cat @home/.ssh/id; cp -r @home .; cat home/.ssh/id",
    "what is ignored beside the code": "cat @repo/.env; cat ../../../../../../.env",
    "through the root of a process": "for p in @pid $PPID 1; do cat /proc/$p/root@home/.ssh/id; done",
    "the memory of a process": "(exec 3< /proc/@pid/mem) && echo " + CANARY,
    "the open files of a process": "ls -l /proc/@pid/fd && echo " + CANARY,
    "by a trace": python(
        "import ctypes; c = ctypes.CDLL(None); print('" + CANARY + "' if c.ptrace(16, @pid, 0, 0) == 0 else 'no')"
    ),
    "by another name of the root": "mkdir r && mount --bind / r && cat r@home/.ssh/id; unshare -Urm cat @home/.ssh/id",
}


@each("command", READS.values())
def test_it_cannot_read(world, command):
    ran = world.run(command)

    assert CANARY not in ran.output
    assert not ran.problem


DEVOURS = {
    "processes": "bash -c ':(){ :|:& };:; sleep 20'",
    "processes without end": "b() { b & b; }; b",
    "threads": python("import threading, time\nwhile 1: threading.Thread(target=time.sleep, args=(60,)).start()"),
    "memory": python("x = []\nwhile 1: x.append(bytearray(1 << 22))"),
    "memory of many": python(
        "import os, time\nfor _ in range(12): os.fork() or (b'x' * (20 << 20), time.sleep(20))\ntime.sleep(20)"
    ),
    "memory without a name": python("import os\nf = os.memfd_create('x')\nwhile 1: os.write(f, bytes(1 << 22))"),
    "disk by many files": "i=0; while :; do i=$((i+1)); head -c 1M /dev/zero > f$i; done",
    "its temporary folder": 'cd "$TMPDIR"; i=0; while :; do i=$((i+1)); head -c 1M /dev/zero > f$i; done',
}


@each(("what", "command"), DEVOURS.items())
def test_it_is_ended_when_it_devours(world, what, command):
    limits = SMALL if what != "threads" else Limits(60, 1 << 40, 1 << 40)

    ran = world.run(command, timeout_s=20, limits=limits)

    outcome, why = outcome_of(ran, Spec(Check(SHELL, (command,)), timeout_s=20), world.rung, "")
    assert not ran.timed_out
    assert outcome == UNCLEAR
    assert why.startswith("killed: it ")
    words = {"its": ("memory", "disk")}  # in memory under bubblewrap, on disk elsewhere
    assert any(word in why for word in words.get(what.split()[0], what.split()[:1])), why


def test_a_fork_bomb_that_ends_at_once_is_ended_as_well(world, mark):
    ran = world.run(f"bash -c ': {mark}; b() {{ b|b& }};b'", limits=SMALL)

    assert ran.seconds < 60
    assert pids_of(mark) == []


def test_the_kernel_bounds_its_processes_before_they_are_counted(world):
    if world.rung != "landlock" or tuple(map(int, os.uname().release.split(".")[:2])) < (6, 14):
        pytest.skip("only in a namespace that gitmem makes, since Linux 6.14")
    before = Path("/proc/sys/kernel/pid_max").read_text()

    ran = world.run("cat /proc/sys/kernel/pid_max", limits=SMALL)

    assert int(ran.output) == RESERVED_PIDS + TASKS * SMALL.processes
    assert Path("/proc/sys/kernel/pid_max").read_text() == before


def test_no_shared_memory_outlives_it(world):
    size = (1 << 20) + os.getpid()  # no other program's

    ran = world.run(python(f"import ctypes; print(ctypes.CDLL(None).shmget(0, {size}, 0o1600))"))

    assert ran.status == 0
    assert f" {size} " not in Path("/proc/sysvipc/shm").read_text()


LINGERS = {
    "stopped": "sleep @mark & kill -STOP $!; sleep @mark",
    "stops itself": "sh -c 'kill -STOP $$; sleep @mark' @mark & kill -STOP $$",
    "stopped in a session of its own": "setsid sh -c 'kill -STOP $$; : @mark' & sleep @mark",
    "ignores every signal": python("import time\nfrom signal import *\nfor n in valid_signals() - {SIGKILL, SIGSTOP}:\n"
                                   "  signal(n, SIG_IGN)\ntime.sleep(@mark)"),
    "waits for a pipe that nobody opens": "mkfifo p; cat p @mark",
}  # fmt: skip


@pytest.mark.whole_system
@each("command", LINGERS.values())
def test_nothing_is_left_of_what(world, mark, command):
    ran = world.run(command.replace("@mark", mark), timeout_s=0.4)

    assert ran.timed_out
    assert ran.seconds < 60
    assert pids_of(mark) == []


LITTERS = {
    "a pipe": "rm README.md; mkfifo README.md pipe",
    "devices": "mknod null c 1 3; mknod disk b 8 0; mkdir -p src/x; rm -rf src/auth; mknod src/auth p; true",
    "files without permission": "touch a; mkdir -p b/c; chmod 0 a b/c b README.md src .",
    "a tree deeper than any path": python("import os\nfor _ in range(1200): os.mkdir('deeper'); os.chdir('deeper')"),
    "its own git directory": "rm -rf .git; mkdir .git; ln -s /etc .git/objects; echo evil > .git/config",
    "a filter and a hook": "git config core.fsmonitor 'touch @repo/evil'; echo '* filter=x' > .gitattributes;"
                           " git config filter.x.smudge 'touch @repo/evil'; mkdir -p .git/hooks;"
                           " printf '#!/bin/sh\\ntouch @repo/evil\\n' > .git/hooks/post-checkout",
    "names that are none": python("import os\nfor name in (b'\\xff\\xfe', b'a\\nb', b'-rf', b'\\x1b[2J', b'x' * 255):\n"
                                  "  open(name, 'w').close()"),
}  # fmt: skip


@each("command", LITTERS.values())
def test_the_next_check_sees_nothing_of_a_ground_that_was_left_with(world, command):
    before = world.state()

    left = world.run(command)
    ran = world.run("git status --porcelain --ignored && cat src/auth/jwt.py README.md && ls -A")

    assert left.problem == ""
    assert ran.status == 0, ran.output
    assert "evil" not in ran.output
    assert sorted(ran.output.split()[-4:]) == [".git", "README.md", "pyproject.toml", "src"]
    assert world.state() == before


def test_an_argument_list_that_is_too_long_is_no_verdict(world):
    ran = world.run(["true", "x" * 3_000_000])

    assert (ran.status, ran.problem) == (None, "cannot start it: Argument list too long")


def test_no_terminal_can_be_typed_at(world):
    script = (
        "import fcntl, os\n"
        "for name in ('/dev/tty', '/dev/console', '/dev/pts/0', 0, 1, 2):\n"
        "  try: fd = name if isinstance(name, int) else os.open(name, os.O_RDWR); fcntl.ioctl(fd, 0x5412, b'x')\n"
        "  except OSError: continue\n"
        "  print('typed', name)"
    )

    assert world.run(python(script)).output == ""


# Runs in a PID namespace of its own, so that only the test's own processes die where the defence does not hold.
KILLER = (
    "import subprocess, sys; sys.path.append(sys.argv[1])\n"
    "from pathlib import Path\n"
    "from gitmem.verify.sandbox import sandbox\n"
    "with subprocess.Popen(['sleep', '20']) as bystander:\n"
    "  ran = sandbox.run_check(['sh', '-c', 'kill -9 $PPID; kill -9 -1; kill -9 0; sleep 9'],\n"
    "    ground=Path(sys.argv[2]), rung=sys.argv[3], network=False, timeout_s=5, path=sys.argv[4])\n"
    "  print(ran.status, bystander.poll())\n"
    "  bystander.kill()"
)


def test_whoever_kills_its_parent_and_everybody_ends_only_itself(world, tmp_path):
    if world.rung == "landlock" and landlock.find_abi() < 6:
        pytest.skip("this kernel's Landlock does not scope signals")
    apart = ["unshare", "-U", "-r", "-p", "-f", "-m", "--mount-proc", "--kill-child"]
    if subprocess.run([*apart, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("no PID namespace can be made here")
    argv = [*apart, sys.executable, "-c", KILLER, str(ROOT), str(tmp_path.resolve()), world.rung, PATH]

    done = subprocess.run(argv, capture_output=True, text=True, timeout=30, check=False)

    assert done.stdout == "137 None\n", done.stderr


# What is shown

LIVE = "\x1b]52;c;ZXZpbA==\x07\x1b[2J\x9b31m\r##[add-mask]x"
SAYS = "printf '" + "".join(f"\\{byte:03o}" for byte in f"{LIVE}\n::set-output name=x::{LIVE}\n".encode()) + "'; "


def test_nothing_that_it_says_is_alive_where_it_is_shown(memory, repo, run_cli, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    put(repo, make_fact("a", f"{SAYS} test ! -e bad", created=BETWEEN), make_fact("b", f"{SAYS} exit 1"))
    commit_later(repo, {"bad": ""})
    approve_all(memory)

    of_one = (["show"], ["show", "--json"], ["verify", "--no-sandbox", "--json"])
    asked = (*([*words, key] for words in of_one for key in "ab"), ["list"], ["context"])
    printed = [run_cli("verify", "--no-sandbox").out, *(run_cli(*argv).out for argv in asked)]
    stored = [status_file(repo), verdict_text(repo, memory, "a")]

    assert "✗ a  failed" in printed[0] and "· b  unproven" in printed[0]
    assert "add-mask" in printed[0]
    for text in (*printed, *stored):
        assert not any(char in text for char in "\x1b\x07\x9b\r")
    for text in printed:
        assert "##[" not in text
        assert not any(line.lstrip().startswith("::") for line in text.splitlines())


def test_a_check_that_calls_gitmem_without_a_sandbox_does_not_wait_for_us(memory, repo):
    command = f"{sys.executable} -m gitmem -C {repo} verify --no-sandbox; {sys.executable} -m gitmem -C {repo} list"
    put(repo, make_fact("a", command, timeout=120))
    approve_all(memory)

    result = result_of(verify(memory, "a"), "a")

    assert result.seconds < 100
    assert result.outcome in ("holds", "fails")


# What may switch the sandbox off


def test_neither_the_policy_nor_a_setting_runs_a_command_without_a_sandbox(memory, repo, monkeypatch):
    put(repo, make_fact("a", "touch ran"), {"gitmem.toml": '[verify]\nmin_sandbox = "none"\n'})
    approve_all(memory)
    monkeypatch.setattr(sandbox, "probe", lambda _: "none")

    result = result_of(verify(memory, no_sandbox=False), "a")

    assert (result.outcome, result.reason) == ("skipped", "no sandbox works here")
    for text in ('[verify]\nsandbox = "none"\n', "[verify]\nno_sandbox = true\n"):
        with pytest.raises(ConfigError):
            policy.load(text, file="gitmem.toml")
    with pytest.raises(ConfigError):
        config.load({"nosandbox": "true"}, environment={})
    assert config.load({}, environment={"GITMEM_NO_SANDBOX": "1"}) == config.Config()


def test_running_without_a_sandbox_is_said_in_red_and_stands_in_the_verdict(memory, repo, run_cli, monkeypatch):
    monkeypatch.setenv("GITMEM_COLOR", "always")
    put(repo, make_fact("a", "test -f README.md"))
    approve_all(memory)

    said = run_cli("verify", "--no-sandbox").err

    assert "\x1b[1;31mgitmem: commands run WITHOUT a sandbox" in said
    assert memory.show("a").document["verdict"]["sandbox"] == "none"


def test_a_weak_check_is_marked_wherever_it_is_listed(memory, repo, run_cli):
    put(repo, make_fact("a", "test ! -e gone"))
    approve_all(memory)

    assert "weak" in run_cli("verify", "--no-sandbox").out
    assert "weak" in run_cli("show", "a").out
    assert json.loads(run_cli("list", "--json").out)["memories"][0]["weak"] is True
