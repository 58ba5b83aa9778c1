"""What a check tries to get out of its sandbox, or to stay in it, on each rung by real system calls."""

from __future__ import annotations

import os
import shlex
from functools import lru_cache
from pathlib import Path

import pytest
from conftest import git
from support.grounds import ground_in, grounds_on, user_of

from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.model import SHELL, Check, Ran, Spec
from gitmem.verify.ground.ground import Ground
from gitmem.verify.run.outcome import UNCLEAR, outcome_of
from gitmem.verify.sandbox import sandbox

PATH = os.environ["PATH"]
works = lru_cache(sandbox.works)


@pytest.fixture(params=["bubblewrap", "landlock"])
def rung(request: pytest.FixtureRequest) -> str:
    """Return each rung that works here."""
    if not works(request.param, PATH):
        pytest.skip(f"{request.param} does not work here")
    return str(request.param)


@pytest.fixture
def ground(tmp_path: Path, rung: str) -> Path:
    return ground_in(tmp_path, rung)


def run(command: str, ground: Path, rung: str, *, network: bool = False) -> Ran:
    return sandbox.run_check(
        ["sh", "-c", command], ground=ground, rung=rung, network=network, timeout_s=20.0, path=PATH
    )


def python(script: str) -> str:
    return f"/usr/bin/env python3 -I -c {shlex.quote(script)}"


CALL = """
import ctypes, errno, os, socket
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    words = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    done = libc.syscall(ctypes.c_long(number), *words)
    return "done" if done >= 0 else errno.errorcode[ctypes.get_errno()]
def opened(family, kind=1):
    try:
        socket.socket(family, kind).close()
    except OSError as err:
        return errno.errorcode[err.errno]
    return "done"
open("own", "w").close()
parent = os.getppid()
"""
# Numbers are those of x86_64 and aarch64, in this order.
ESCAPES = {
    "vsock": ("opened(40)", "EPERM"),
    "bluetooth": ("opened(31, 3)", "EPERM"),
    "packets": ("opened(17, 3)", "EPERM"),
    "alg": ("opened(38, 5)", "EPERM"),
    "add_key": ("call({add_key}, b'user', b'k', b'v', 1, -3)", "ENOSYS"),
    "keyctl": ("call({keyctl}, 0, -3, 0)", "ENOSYS"),
    "io_uring": ("call(425, 1, ctypes.create_string_buffer(120))", "ENOSYS"),
    "user namespace": ("call({unshare}, 0x10000000)", "EPERM"),
    "mount namespace": ("call({unshare}, 0x20000)", "EPERM"),
    "clone into one": ("call({clone}, 0x10000011, 0, 0, 0, 0)", "EPERM"),
    "clone3": ("call(435, 0, 0)", "ENOSYS"),
    "setns": ("call({setns}, 0, 0)", "EPERM"),
    "mount": ("call({mount}, b'none', b'.', b'tmpfs', 0, 0)", "EPERM"),
    "open_tree": ("call(428, -100, b'.', 1)", "EPERM"),
    "fsopen": ("call(430, b'tmpfs', 0)", "EPERM"),
    "chroot": ("call({chroot}, b'.')", "EPERM"),
    "ptrace": ("call({ptrace}, 16, parent, 0, 0)", "EPERM"),
    "process_vm_readv": ("call({vm_readv}, parent, 0, 0, 0, 0, 0)", "EPERM"),
    "bpf": ("call({bpf}, 0, 0, 0)", "EPERM"),
    "perf_event_open": ("call({perf}, 0, 0, -1, -1, 0)", "EPERM"),
    "userfaultfd": ("call({userfaultfd}, 1)", "EPERM"),
    "kexec_load": ("call({kexec}, 0, 0, 0, 0)", "EPERM"),
    "setuid by chmod": ("call({fchmodat}, -100, b'own', 0o4755)", "EPERM"),
    "setgid by fchmod": ("call({fchmod}, 0, 0o2755)", "EPERM"),
    "setuid by open": ("call({openat}, -100, b'new', 0o101, 0o4755)", "EPERM"),
    "openat2": ("call(437, -100, b'new', 0, 24)", "ENOSYS"),
    "setxattr": ("call({setxattr}, b'own', b'user.x', b'1', 1, 0)", "ENOTSUP"),
    "default access list": ("call({setxattr}, b'.', b'system.posix_acl_default', b'1', 1, 0)", "ENOTSUP"),
}
NUMBERS = {
    "x86_64": {
        "add_key": 248, "keyctl": 250, "unshare": 272, "clone": 56, "setns": 308, "mount": 165, "chroot": 161,
        "ptrace": 101, "vm_readv": 310, "bpf": 321, "perf": 298, "userfaultfd": 323, "kexec": 246, "fchmodat": 268,
        "fchmod": 91, "openat": 257, "setxattr": 188, "prlimit": 302, "setpriority": 141, "setscheduler": 144,
        "ioprio": 251,
    },
    "aarch64": {
        "add_key": 217, "keyctl": 219, "unshare": 97, "clone": 220, "setns": 268, "mount": 40, "chroot": 51,
        "ptrace": 117, "vm_readv": 270, "bpf": 280, "perf": 241, "userfaultfd": 282, "kexec": 104, "fchmodat": 53,
        "fchmod": 52, "openat": 56, "setxattr": 5, "prlimit": 261, "setpriority": 140, "setscheduler": 119,
        "ioprio": 30,
    },
}[os.uname().machine]  # fmt: skip


def test_system_calls_that_lead_out_are_refused_alike_on_every_rung(rung: str, ground: Path) -> None:
    tried = "".join(f"print({what.format(**NUMBERS)})\n" for what, _ in ESCAPES.values())

    ran = run(python(CALL + tried), ground, rung)

    assert dict(zip(ESCAPES, ran.output.split(), strict=True)) == {name: stdin for name, (_, stdin) in ESCAPES.items()}


def test_other_processes_are_left_alone(ground: Path, rung: str) -> None:
    tried = (
        "call({prlimit}, {pid}, 7, 0, 0), call({setpriority}, 0, {pid}, 5), call({setscheduler}, {pid}, 0, bytes(4))"
    )
    own = "call({prlimit}, 0, 7, 0, ctypes.create_string_buffer(16)), call({setpriority}, 0, 0, 19)"

    ran = run(python(f"{CALL}print({tried.format(pid=os.getpid(), **NUMBERS)}, {own.format(**NUMBERS)})"), ground, rung)

    assert set(ran.output.split()[:3]) <= {"EPERM", "ESRCH"}
    assert ran.output.split()[3:] == ["done", "done"]


def test_all_processes_of_the_user_are_not_slowed_down(ground: Path, rung: str) -> None:
    """Their kind, with the number 0, is the caller's user: PRIO_USER (2) and IOPRIO_WHO_USER (3)."""
    before = os.getpriority(os.PRIO_PROCESS, os.getpid())
    tried = "call({setpriority}, 2, 0, 19), call({ioprio}, 3, 0, 3 << 13), call({ioprio}, 1, 0, 3 << 13)"

    ran = run(python(f"{CALL}print({tried.format(**NUMBERS)})"), ground, rung)

    if rung == "landlock":  # elsewhere, a namespace keeps them apart
        assert ran.output.split() == ["EPERM", "EPERM", "done"]
    assert os.getpriority(os.PRIO_PROCESS, os.getpid()) == before


OPEN_KERNEL_STATE = """
import os
opened = tried = 0
for entry in os.listdir("/proc"):
    if entry.isdigit() or os.path.islink(f"/proc/{entry}"):
        continue  # processes
    found = [(f"/proc/{entry}", [], [])] if os.path.isfile(f"/proc/{entry}") else os.walk(f"/proc/{entry}")
    for top, _, files in found:
        for place in [os.path.join(top, name) for name in files] or [top] * os.path.isfile(top):
            tried += 1
            try:
                os.close(os.open(place, os.O_WRONLY | os.O_NONBLOCK))
                opened += 1
                print(place)
            except OSError:
                pass
print(tried > 100, opened)
"""


def test_no_setting_of_the_kernel_can_be_opened_for_writing(rung: str, ground: Path) -> None:
    ran = run(python(OPEN_KERNEL_STATE), ground, rung)

    assert (ran.status, ran.output) == (0, "True 0\n")


def test_checks_of_root_run_as_nobody_that_matters_and_own_the_ground(rung: str, ground: Path) -> None:
    ran = run("id -u; id -G; touch made && stat -c %u . made; cat /etc/shadow; cat /etc/ssh/*_key", ground, rung)

    own = user_of(rung) or os.getuid()
    assert ran.output.split("\n")[0] == str(own)
    assert ran.output.split("\n")[2:4] == [str(own)] * 2
    assert "root:" not in ran.output
    assert "PRIVATE" not in ran.output
    assert (ground / "made").stat().st_uid == own


@pytest.mark.parametrize("way", ["setfacl -d -m o::rwx .", python("import os; os.setxattr('.', 'user.x', b'1')")])
def test_nothing_that_a_check_hangs_on_its_ground_is_there_for_the_next(
    rung: str, repo: Path, tmp_path: Path, way
) -> None:
    head = git(repo, "rev-parse", "HEAD")
    with grounds_on(Git(discover(repo)), rung, tmp_path) as grounds:
        with grounds.take(head) as ground:
            run_on(ground, f"{way}; touch left; mkdir -p d && cd d && {way}", rung)
            names = [os.listxattr(place) for place in (ground.path, ground.path / "d") if place.exists()]
        with grounds.take(head) as ground:
            after = run_on(ground, "ls; umask 077; touch mine; stat -c %a mine", rung)

    assert names == [[]] * len(names)
    assert "left" not in after.output
    assert after.output.split()[-1] == "600"


def run_on(ground: Ground, command: str, rung: str) -> Ran:
    return sandbox.run_check(["sh", "-c", command], ground=ground, rung=rung, network=False, timeout_s=20.0, path=PATH)


def test_denial_is_unclear_in_the_same_words_on_every_rung(rung: str, ground: Path) -> None:
    spec = Spec(Check(SHELL, ("x",)), interpreter="sh", timeout_s=20)
    for command in (
        "touch /usr/x",
        "unshare --user true",
        "chmod u+s . ",
        python("import socket; socket.socket(40, 1)"),
        python("import os; os.setxattr('.', 'user.x', b'1')"),
    ):
        ran = run(command, ground, rung)
        outcome, because = outcome_of(ran, spec, rung, "")
        assert (outcome, because.partition(":")[0]) == (UNCLEAR, "the sandbox blocked it"), (command, ran)
