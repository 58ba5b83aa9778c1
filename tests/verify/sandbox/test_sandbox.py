"""Checks in each sandbox: what they cannot reach, and that nothing of them stays."""

from __future__ import annotations

import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from support.each import each
from support.grounds import can_come_to, ground_in, open_ways, user_of
from support.processes import pids_of, wait_until

from gitmem.verify.ground.ground import Ground
from gitmem.verify.sandbox import sandbox
from gitmem.verify.sandbox.account import give

PATH = os.environ["PATH"]
ROOT = Path(sandbox.__file__).parents[3]
CANARY = "tweet-tweet-7261"


works = lru_cache(sandbox.works)


def skip_where_missing(rung: str) -> str:
    if rung != "none" and not works(rung, PATH):
        pytest.skip(f"{rung} does not work here")
    return rung


@pytest.fixture(params=["bubblewrap", "landlock"])
def rung(request):
    """Each rung that confines."""
    return skip_where_missing(request.param)


@pytest.fixture(params=["bubblewrap", "landlock", "none"])
def any_rung(request):
    """Each rung, the last of which only cleans up."""
    return skip_where_missing(request.param)


@pytest.fixture
def ground(request, tmp_path):
    """Return a folder that a check may change, of the user that it runs as."""
    names = {"rung", "any_rung"} & set(request.fixturenames)
    return ground_in(tmp_path, request.getfixturevalue(names.pop()) if names else "none")


def run(command: str | list[str], ground, rung: str, *, timeout_s: float = 120.0, network: bool = False, **more):
    argv = ["sh", "-c", command] if isinstance(command, str) else command
    more.setdefault("path", PATH)
    if shows := more.pop("shows", None):
        ground = Ground(ground, "", (shows,))
    return sandbox.run_check(argv, ground=ground, rung=rung, network=network, timeout_s=timeout_s, **more)


def python(script: str) -> str:
    return f"python3 -I -c {shlex.quote(script)}"


# How a check ends


@each("status", [0, 1, 126, 127, 137, 255])
def test_exit_statuses_are_passed_on(any_rung, ground, status):
    ran = run(f"echo said; exit {status}", ground, any_rung)

    assert (ran.status, ran.output, ran.problem, ran.timed_out) == (status, "said\n", "", False)


def test_a_signal_is_reported_as_a_shell_tells_it(any_rung, ground):
    assert run("kill -9 $$", ground, any_rung).status == 137


def test_a_program_needs_no_shell(any_rung, ground):
    ran = run(["printf", "%s|", "a b", "$(id)", "--", "", "x\ny"], ground, any_rung)

    assert ran.output == "a b|$(id)|--||x\ny|"


def test_a_program_that_is_not_there_is_a_problem_and_no_verdict(any_rung, ground):
    ran = run(["gitmem-no-such-program"], ground, any_rung)

    assert (ran.status, ran.problem) == (None, "gitmem-no-such-program: no such program on PATH")


def test_a_command_that_is_not_there_is_the_shells_127(any_rung, ground):
    ran = run("gitmem-no-such-program", ground, any_rung)

    assert (ran.status, ran.problem) == (127, "")
    # A shell that cannot look into a folder of PATH says that.
    assert "not found" in ran.output or "Permission denied" in ran.output


def test_a_script_of_the_code_runs_with_and_without_its_first_line(any_rung, ground):
    for name, text in (("with", "#!/bin/sh\necho ran\n"), ("without", "echo ran\n")):
        (ground / name).write_text(text)
        (ground / name).chmod(0o755)

    assert run(["./with"], ground, any_rung).output == "ran\n"
    assert run(["./without"], ground, any_rung).output == "ran\n"


def test_file_that_is_not_a_program_gives_no_verdict(any_rung, ground):
    (ground / "plain").write_text("text\n")

    ran = run(["./plain"], ground, any_rung)

    assert ran.status in (126, None)
    assert "ermission denied" in ran.output + ran.problem


def test_a_sandbox_that_cannot_start_is_a_problem_and_no_verdict(ground):
    skip_where_missing("bubblewrap")

    ran = run("true", ground, "bubblewrap", shows=ground / "gone")

    assert ran.status is None
    assert ran.problem.startswith("the sandbox failed: bwrap: Can't find source path")


def test_confining_that_fails_is_a_problem_and_no_verdict(ground, monkeypatch):
    skip_where_missing("landlock")
    monkeypatch.setattr(sandbox, "DEVICES", ("/dev/gone",))

    ran = run("true", ground, "landlock")

    assert (ran.status, ran.problem) == (None, "cannot start it: No such file or directory")


def test_check_inherits_no_descriptor_and_cannot_report(any_rung, ground):
    ran = run(python("import os; print(sorted(map(int, os.listdir('/proc/self/fd')))[:-1])"), ground, any_rung)

    assert ran.output == "[0, 1, 2]\n"


def test_an_unknown_rung_is_refused(ground):
    with pytest.raises(ValueError, match="chroot"):
        run("true", ground, "chroot")


# What a check is given


def test_the_environment_is_made_from_nothing(any_rung, ground, monkeypatch):
    monkeypatch.setenv("GITHUB_TOKEN", CANARY)
    monkeypatch.setenv("GIT_DIR", "/canary")

    names = {line.split("=")[0] for line in run("env", ground, any_rung).output.splitlines()}

    # PWD and the like are the shell's own.
    names -= {"PWD", "SHLVL", "_", "OLDPWD", "npm_config_offline"}
    assert names == {"PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "TERM", "TZ"}


def test_check_does_not_depend_on_the_users_locale_time_zone_or_folders(any_rung, ground, monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setenv("LC_ALL", "C")

    ran = run("date +%Z; locale charmap 2>/dev/null || echo UTF-8; pwd; umask", ground, any_rung)

    assert ran.output == f"UTC\nUTF-8\n{ground}\n0022\n"


def test_home_and_temporary_folder_are_empty_and_writable(any_rung, ground):
    ran = run('ls -A "$HOME" && touch "$HOME/a" "$TMPDIR/b" && mktemp', ground, any_rung)

    assert ran.status == 0, ran.output
    assert ran.output.count("\n") == 1


def test_home_and_temporary_folder_are_gone_afterwards(any_rung, ground):
    folders = run(
        'mkdir -p "$TMPDIR/a/b" && chmod 0 "$TMPDIR/a"; echo "$HOME"; echo "$TMPDIR"', ground, any_rung
    ).output

    assert [place for place in folders.split() if place != "/tmp" and Path(place).exists()] == []


def test_a_link_in_the_place_of_its_home_is_not_followed_when_that_is_removed(ground, tmp_path):
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").write_text("kept")

    run(f'rmdir "$HOME"; ln -s {tmp_path}/precious "$HOME"', ground, "none")

    assert (tmp_path / "precious" / "file").read_text() == "kept"


def test_standard_input_is_empty_and_there_is_no_terminal(any_rung, ground):
    assert run("cat; (: < /dev/tty) 2>/dev/null || echo none", ground, any_rung).output == "none\n"


def test_a_broken_pipe_ends_a_writer_as_it_should(any_rung, ground):
    ran = run("yes | head -n 1", ground, any_rung)

    assert (ran.status, ran.output) == (0, "y\n")


def test_devices_and_standard_streams_have_their_names(any_rung, ground):
    ran = run(
        "head -c 3 /dev/zero > /dev/null && head -c 3 /dev/urandom > /dev/null && echo ok > /dev/stderr",
        ground,
        any_rung,
    )

    assert (ran.status, ran.output) == (0, "ok\n")


def test_python_and_git_of_our_path_run(any_rung, ground):
    ran = run("python3 -c 'import json, ssl; print(json.dumps(1))' && git --version", ground, any_rung)

    assert ran.status == 0, ran.output


@pytest.mark.skipif(sys.prefix == sys.base_prefix, reason="the tests do not run in a virtual environment")
def test_a_virtual_environment_on_path_works_where_its_home_is_hidden(any_rung, ground):
    if any_rung == "landlock" and not can_come_to(Path(sys.executable)):
        pytest.skip("the checks of root cannot come to this Python")
    path = f"{Path(sys.executable).parent}:{PATH}"

    ran = run("python -c 'import pytest, sys; print(sys.prefix)'", ground, any_rung, path=path)

    assert ran.output == f"{sys.prefix}\n"


# What a check cannot reach


def test_the_ground_can_be_changed(any_rung, ground):
    ran = run("mkdir d && echo x > d/f && mv d/f g && ln -s g l && rmdir d && cat l", ground, any_rung)

    assert (ran.status, ran.output) == (0, "x\n")


def test_nothing_outside_the_ground_can_be_changed(rung, ground, tmp_path):
    (tmp_path / "file").write_text("kept")

    ran = run(
        f"cd {tmp_path}; echo x > file; echo x >> file; rm -f file; mv file gone; touch new; mkdir newdir;"
        f" ln -s /etc l; truncate -s 0 file; ln {tmp_path}/file ground/hard; rmdir ground; mv ground elsewhere; true",
        ground,
        rung,
    )

    assert ran.status == 0
    assert (tmp_path / "file").read_text() == "kept"
    assert sorted(os.listdir(tmp_path)) == ["file", "ground"]


def test_nothing_of_the_system_can_be_changed(rung, ground):
    ran = run("touch /etc/gitmem-test /usr/gitmem-test /var/gitmem-test /gitmem-test", ground, rung)

    assert ran.status != 0
    assert not any(Path(top, "gitmem-test").exists() for top in ("/etc", "/usr", "/var", "/"))


def test_the_home_and_other_folders_cannot_be_read(rung, ground, tmp_path):
    (tmp_path / "secret").write_text(CANARY)
    home = Path.home() / f".gitmem-test-{uuid.uuid4().hex}"
    home.write_text(CANARY)
    try:
        ran = run(f"cat {tmp_path}/secret {home}; ls {tmp_path} {Path.home()} | grep gitmem-test", ground, rung)
    finally:
        home.unlink()

    assert CANARY not in ran.output
    assert "gitmem-test" not in ran.output.replace(str(home), "")


def test_what_it_is_given_to_read_cannot_be_changed(rung, ground, tmp_path):
    folder = tmp_path.resolve() / "readable"
    folder.mkdir()
    (folder / "config").write_text("kept\n")

    ran = run(f"cat {folder}/config && echo x > {folder}/config", ground, rung, shows=folder)

    assert ran.output.startswith("kept\n")
    assert ran.status != 0
    assert (folder / "config").read_text() == "kept\n"


def test_no_process_shows_our_environment(rung, ground, monkeypatch):
    monkeypatch.setenv("GITHUB_TOKEN", CANARY)
    # The kernel does not show what was changed after the start, so the check gets a parent that started with it.
    script = (
        "import sys; sys.path.append(sys.argv[1])\n"
        "from pathlib import Path\n"
        "from gitmem.verify.sandbox import sandbox\n"
        "ran = sandbox.run_check(['sh', '-c', 'cat /proc/*/environ'], ground=Path(sys.argv[2]),\n"
        "  rung=sys.argv[3], network=False, timeout_s=120, path=sys.argv[4])\n"
        "print(ran.output)"
    )
    argv = [sys.executable, "-c", script, str(ROOT), str(ground), rung, PATH]

    shown = subprocess.run(argv, capture_output=True, text=True, check=True).stdout

    assert "LC_ALL=C.UTF-8" in shown
    assert CANARY not in shown


@pytest.mark.skipif(os.geteuid() != 0, reason="only root could read it")
def test_password_hashes_cannot_be_read_by_root_either(rung, ground):
    assert run("cat /etc/shadow", ground, rung).status != 0


CONNECT = "import socket; socket.create_connection(('127.0.0.1', {port}), 5).sendall(b'hello')"
SEND = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'hello', ('127.0.0.1', {port}))"


@pytest.fixture
def listener():
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def test_there_is_no_network(rung, ground, listener):
    listener.settimeout(0.2)

    ran = run(python(CONNECT.format(port=listener.getsockname()[1])), ground, rung)

    assert ran.status == 1
    with pytest.raises(TimeoutError):
        listener.accept()


def test_there_is_no_network_for_datagrams(rung, ground):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("127.0.0.1", 0))
        receiver.settimeout(0.2)

        run(python(SEND.format(port=receiver.getsockname()[1])), ground, rung)

        with pytest.raises(TimeoutError):
            receiver.recv(10)


@pytest.mark.skipif(sandbox.find_program("npx", PATH) is None, reason="npx is not installed")
def test_npx_fails_at_once_where_its_tool_is_missing_and_there_is_no_network(rung, ground):
    ran = run(["npx", "no-such-tool-7261"], ground, rung)

    assert not ran.timed_out
    assert "ENOTCACHED" in ran.output


def test_npm_may_use_the_network_where_the_check_may(any_rung, ground):
    assert "npm_config_offline" not in run("env", ground, any_rung, network=True).output


def test_the_network_is_there_for_a_fact_that_says_so(any_rung, ground, listener):
    listener.settimeout(5)

    ran = run(python(CONNECT.format(port=listener.getsockname()[1])), ground, any_rung, network=True)

    assert ran.status == 0, ran.output
    assert listener.accept()[0].close() is None


def test_sockets_of_agents_and_daemons_cannot_be_reached(rung, ground, tmp_path):
    script = "import socket; socket.socket(socket.AF_UNIX).connect({where!r})"
    for where in (str(tmp_path / "agent"), f"\0gitmem-{uuid.uuid4().hex}"):
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(where)
            server.listen()
            (ground / "connect.py").write_text(script.format(where=where))

            assert run(["python3", "-I", "connect.py"], ground, rung).status == 1


def test_our_processes_cannot_be_signalled(rung, ground, mark):
    with subprocess.Popen(["sleep", mark]) as bystander:
        run(f"kill -9 {bystander.pid} {os.getpid()}", ground, rung)
        time.sleep(0.1)

        assert bystander.poll() is None
        bystander.kill()


def test_removing_everything_removes_the_ground_alone(rung, ground, tmp_path):
    (tmp_path / "file").write_text("kept")
    (ground / "file").write_text("gone")

    run(f"cd {tmp_path} && rm -rf -- *; rm -rf -- {ground}/*", ground, rung)

    assert (tmp_path / "file").read_text() == "kept"
    assert list(ground.iterdir()) == []


# That nothing stays


ESCAPES = {
    "child": "sleep {mark}",
    "ignores TERM": "trap '' TERM HUP INT; sleep {mark}; sleep {mark}",
    "background": "sleep {mark} & sleep {mark}",
    "own session": "setsid sleep {mark} & sleep {mark}",
    "forked twice": "(setsid sh -c 'setsid sleep {mark} &' &) ; sleep {mark}",
    "closed outputs": "setsid sleep {mark} >/dev/null 2>&1 < /dev/null & sleep {mark}",
}


@each("command", ESCAPES.values())
def test_nothing_is_left_after_the_limit(any_rung, ground, mark, command):
    ran = run(command.format(mark=mark), ground, any_rung, timeout_s=0.2)

    assert ran.timed_out
    assert ran.seconds < 60
    assert pids_of(mark) == []


@each("command", ESCAPES.values())
def test_nothing_is_left_after_success(any_rung, ground, mark, command):
    ran = run(f"({command.format(mark=mark)}) & sleep 0.05; exit 0", ground, any_rung)

    assert (ran.status, ran.timed_out) == (0, False)
    assert ran.seconds < 60
    assert pids_of(mark) == []


def test_nothing_is_left_of_a_check_that_kills_its_parent(ground, mark):
    ran = run(f"sleep {mark} & kill -9 $PPID; sleep {mark}", ground, "none")

    assert (ran.status, ran.problem) == (None, "the sandbox failed")
    assert ran.seconds < 60
    assert wait_until(lambda: pids_of(mark) == [], seconds=10)


def test_a_check_that_kills_its_whole_group_ends_no_one_else(any_rung, ground):
    assert run("kill -9 0; sleep 30", ground, any_rung).status == 137
    assert run("kill -TERM 0; sleep 30", ground, any_rung).status == 143


def test_a_fork_bomb_is_over_at_the_limit(any_rung, ground, mark):
    # Bounded by its own depth: 2 ** 4 sleepers and as many shells, whatever limits bind here.
    bomb = 'b() { if [ "$1" -gt 0 ]; then b $(($1-1)) & b $(($1-1)) & wait; else sleep ' + mark + "; fi; }; b 4"

    ran = run(bomb, ground, any_rung, timeout_s=0.4)

    assert ran.timed_out
    assert pids_of(mark) == []


def test_a_chain_of_forks_is_caught_up_with(any_rung, ground, mark):
    # Each link starts the next in a session of its own and is gone; it ends by itself after 2000.
    chain = 'n=$1; [ $n -lt 2000 ] || exit 0; setsid sh -c "$0" "$0" $((n+1)) ' + mark + " & exit 0"
    (ground / "chain").write_text(chain)

    ran = run('sh -c "$(cat chain)" "$(cat chain)" 0 & sleep 0.2; exit 0', ground, any_rung)

    assert ran.status == 0
    assert pids_of(mark) == []


def test_a_flood_is_stopped_and_its_end_kept(any_rung, ground):
    ran = run("yes", ground, any_rung)

    assert ran.problem == "killed: it wrote more than 64 MiB"
    assert ran.output.endswith("y\ny\n")
    assert ran.cut


DRIVER = (
    "import sys; sys.path.append(sys.argv[1])\n"
    "from pathlib import Path\n"
    "from gitmem.verify.sandbox import sandbox\n"
    "print('ready', flush=True)\n"
    "sandbox.run_check(['sh', '-c', sys.argv[5]], ground=Path(sys.argv[2]), rung=sys.argv[3], network=False,\n"
    "  timeout_s=60, path=sys.argv[4])"
)


@pytest.fixture
def temporary():
    """Return a folder for what a killed driver leaves, which the user of checks can come to."""
    with TemporaryDirectory() as folder:
        os.chmod(folder, 0o711)
        yield folder


def start_driver(*words, ground, temporary):
    """Start the driver, which is killed: what it leaves is removed by the next run, a minute later."""
    argv = [sys.executable, "-I", "-c", DRIVER, str(ROOT), str(ground), *words]
    return subprocess.Popen(argv, stdout=subprocess.PIPE, env={**os.environ, "TMPDIR": temporary})


def test_nothing_outlives_us_when_we_are_killed(any_rung, ground, mark, temporary):
    command = f"trap '' TERM HUP; setsid sleep {mark} & setsid sleep {mark} & sleep {mark}"
    with start_driver(any_rung, PATH, command, ground=ground, temporary=temporary) as ours:
        assert wait_until(lambda: len(pids_of(f"sleep\0{mark}")) == 3)
        ours.kill()

    assert wait_until(lambda: pids_of(mark) == [])
    left = [name.rpartition("-")[0] for name in os.listdir(temporary)]
    assert left == ([] if any_rung == "bubblewrap" else ["gitmem-check"]), "not in a folder of the system"


def test_nothing_outlives_us_when_we_are_killed_while_it_starts(any_rung, ground, mark, temporary):
    for delay_s in (0.0, 0.002, 0.004, 0.008, 0.012, 0.016):
        with start_driver(any_rung, PATH, f"sleep {mark}", ground=ground, temporary=temporary) as ours:
            assert ours.stdout.readline() == b"ready\n"
            time.sleep(delay_s)
            ours.kill()

    time.sleep(0.2)
    assert wait_until(lambda: pids_of(mark) == [])


def test_checks_in_many_threads_end_only_their_own(any_rung, ground, mark):
    rans = {}

    def ask(number):
        rans[number] = run(
            f"setsid sleep {mark} & sleep 0.{number // 2}; echo {number}; exit {number}", ground, any_rung
        )

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(1, 6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert {n: (ran.status, ran.output) for n, ran in rans.items()} == {n: (n, f"{n}\n") for n in range(1, 6)}
    assert pids_of(mark) == []


# Limits


def test_limits_are_set(any_rung, ground):
    ran = run("ulimit -c; ulimit -f; ulimit -n; ulimit -t; cat /proc/self/oom_score_adj", ground, any_rung, timeout_s=7)

    core, file_blocks, files, seconds, oom = ran.output.split()
    assert (core, int(file_blocks) * 512, oom) == ("0", 1 << 30, "1000")
    assert int(files) <= 4096
    assert int(seconds) >= 7


def test_file_past_the_limit_gives_no_verdict(any_rung, ground):
    ran = run("truncate -s 2G big", ground, any_rung)

    assert ran.status == 128 + signal.SIGXFSZ


# Which rung


def test_the_strongest_rung_that_works_is_found():
    works = [rung for rung in ("bubblewrap", "landlock") if sandbox.works(rung, PATH)]

    assert sandbox.probe(PATH) == (works or ["none"])[0]


@pytest.mark.parametrize(
    ("platform", "rungs"), [("linux", ("bubblewrap", "landlock")), ("darwin", ("seatbelt",)), ("win32", ())]
)
def test_each_system_has_its_ladder(monkeypatch, platform, rungs):
    monkeypatch.setattr(sandbox.sys, "platform", platform)

    assert sandbox.ladder() == rungs


def test_a_rung_that_does_not_work_says_why(tmp_path):
    (tmp_path / "sh").symlink_to("/bin/sh")
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2; exit 1\n")
    (tmp_path / "bwrap").chmod(0o755)

    said = "the sandbox failed: bwrap: setting up uid map: Permission denied"
    assert sandbox.why_not("bubblewrap", f"{tmp_path}:{PATH}") == said
    assert sandbox.why_not("seatbelt", PATH) == "cannot start /usr/bin/sandbox-exec: No such file or directory"


def test_without_bubblewrap_on_path_the_next_rung_is_found(tmp_path):
    skip_where_missing("landlock")
    open_ways(tmp_path)
    for name in ("sh", "cat"):
        (tmp_path / name).symlink_to(f"/bin/{name}")

    assert sandbox.probe(str(tmp_path)) == "landlock"


def test_probe_finds_no_rung_and_does_not_raise_where_nothing_runs(tmp_path):
    assert sandbox.probe(str(tmp_path)) == "none"
    assert sandbox.probe("") == "none"
    assert not sandbox.probe_overlay(str(tmp_path), tmp_path)


def test_a_bubblewrap_that_confines_nothing_is_not_taken_for_one(tmp_path):
    fake = """#!/bin/bash
    while [ "$1" != -- ]; do [ "$1" != --json-status-fd ] || fd=$2; [ "$1" != --chdir ] || cd "$2"; shift; done
    shift
    "$@"
    echo '{"exit-code": '$?'}' >&$fd
    """
    (tmp_path / "bwrap").write_text(fake)
    (tmp_path / "bwrap").chmod(0o755)

    assert run("true", tmp_path, "bubblewrap", path=f"{tmp_path}:{PATH}").status == 0
    assert not sandbox.works("bubblewrap", f"{tmp_path}:{PATH}")


def test_programs_are_not_looked_for_in_the_folder_we_are_in(tmp_path, monkeypatch):
    (tmp_path / "bwrap").write_text("#!/bin/sh\n")
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.chdir(tmp_path)

    assert sandbox.find_program("bwrap", ".::") is None


# Overlays


@pytest.fixture
def overlay(tmp_path):
    """A ground with a lower and an upper folder."""
    skip_where_missing("bubblewrap")
    if not sandbox.probe_overlay(PATH, tmp_path):
        pytest.skip("overlays in a user namespace do not work here")
    top = tmp_path.resolve() / 'a "b",c:d\n'
    for name in ("lower", "upper/u", "upper/w"):
        (top / name).mkdir(parents=True)
    (top / "lower" / "file").write_text("lower")
    give(top, user_of("bubblewrap"))
    return Ground(top / "lower", "", (), top / "upper")


def test_changes_on_an_overlay_are_kept_above_and_not_below(overlay):
    first = run("echo upper > file; echo x > new; mkdir -p a/b", overlay, "bubblewrap")
    second = run("cat file new; pwd", overlay, "bubblewrap")

    assert (first.status, second.output) == (0, f"upper\nx\n{overlay.path}\n")
    assert (overlay.path / "file").read_text() == "lower"
    assert sorted(os.listdir(overlay.path)) == ["file"]


def test_an_overlay_that_cannot_be_mounted_is_a_problem_and_no_verdict(overlay):
    (overlay.upper / "w").rmdir()

    ran = run("true", overlay, "bubblewrap")

    assert ran.status is None
    assert ran.problem == "no overlay: No such file or directory"


def test_an_overlay_needs_bubblewrap(tmp_path):
    with pytest.raises(ValueError, match="overlay"):
        run("true", Ground(tmp_path, "", (), tmp_path), "none")


def test_nothing_is_left_of_a_check_on_an_overlay(overlay, mark):
    ran = run(f"setsid sleep {mark} & sleep {mark}", overlay, "bubblewrap", timeout_s=0.5)

    assert ran.timed_out
    assert pids_of(mark) == []


def test_check_under_landlock_sees_no_process_but_its_own(tmp_path):
    skip_where_missing("landlock")
    if not sandbox.probe_place(PATH, tmp_path, "landlock"):
        pytest.skip("namespaces do not work here")
    ground = ground_in(tmp_path, "landlock")
    looks = (
        "cat /proc/{}/cmdline 2> /dev/null; cat /proc/self/status /proc/meminfo | tail -0 && ls /proc | grep -c ^[0-9]"
    )
    with subprocess.Popen(["sleep", "600.4321"]) as other:
        alone, online = (run(looks.format(other.pid), ground, "landlock", network=net) for net in (False, True))
        ended = run("kill -TERM 0; sleep 9", ground, "landlock")
        other.kill()

    # The first process of the namespace, the shell, and those of the pipe that run already.
    assert {alone.output, online.output} <= {"3\n", "4\n"}
    assert (ended.status, ended.problem) == (143, "")
