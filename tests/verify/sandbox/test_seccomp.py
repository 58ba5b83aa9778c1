"""The filter of system calls, run as the kernel runs it, for both architectures; ``test_escapes`` tries real ones."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path

import pytest
from support.each import each

from gitmem.verify.sandbox import seccomp
from gitmem.verify.sandbox.seccomp import AF_INET, AF_INET6, AF_NETLINK, AF_UNIX, ALLOW, KILL_PROCESS, REFUSE

PERMISSION, NO_CALL, UNSUPPORTED = (REFUSE | error for error in (errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP))
INTERNET = (AF_INET, AF_INET6, AF_NETLINK)


def verdict(program: list[seccomp.Step], audit: int, number: int, *arguments: int) -> int:
    """Run a filter on one system call and return what it says (classic BPF: linux/filter.h)."""
    data = {seccomp.NUMBER_AT: number, seccomp.ARCHITECTURE_AT: audit}
    data |= {seccomp.ARGUMENT_AT + 8 * at: value for at, value in enumerate((*arguments, *[0] * 6)[:6])}
    at, register = 0, 0
    while True:
        code, if_true, if_false, constant = program[at]
        at += 1
        if code == seccomp.LOAD:
            register = data[constant]
            continue
        if code == seccomp.RETURN:
            return constant
        tests = {
            seccomp.IF_EQUAL: register == constant,
            seccomp.IF_AT_LEAST: register >= constant,
            seccomp.IF_BITS: bool(register & constant),
        }
        at += if_true if tests[code] else if_false


@pytest.fixture(params=sorted(seccomp.ARCHITECTURES))
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@each("families", [(), INTERNET, (AF_UNIX, *INTERNET)], ids=["none", "internet", "all"])
def test_only_sockets_of_the_families_that_are_named_can_be_made(machine: str, families: tuple[int, ...]) -> None:
    audit, column = seccomp.ARCHITECTURES[machine]
    program = seccomp.filter_program(machine, families=families, shares=True)

    for family in (*range(50), 0xFFFFFFFF):
        expected = ALLOW if family in families else PERMISSION
        assert verdict(program, audit, seccomp.SOCKET[column], family) == expected, family


@each(
    ("table", "said"),
    [(seccomp.ABSENT, NO_CALL), (seccomp.REFUSED, PERMISSION), (seccomp.ATTRIBUTES, UNSUPPORTED)],
    ids=["absent", "refused", "attributes"],
)
def test_what_leads_out_is_refused_on_every_rung(machine: str, table: dict[str, seccomp.Numbers], said: int) -> None:
    audit, column = seccomp.ARCHITECTURES[machine]
    for shares in (True, False):
        program = seccomp.filter_program(machine, families=(), shares=shares)
        assert {verdict(program, audit, numbers[column]) for numbers in table.values()} == {said}


def test_namespaces_cannot_be_made_and_processes_can(machine: str) -> None:
    audit, column = seccomp.ARCHITECTURES[machine]
    program = seccomp.filter_program(machine, families=(), shares=False)
    thread, fork, user = 0x3D0F00, 0x1200011, 0x10000000

    for numbers in seccomp.NAMESPACES.values():
        said = [verdict(program, audit, numbers[column], flags) for flags in (thread, fork, user, user | fork, 0x20000)]
        assert said == [ALLOW, ALLOW, PERMISSION, PERMISSION, PERMISSION]


def test_setuid_and_setgid_bits_cannot_be_set(machine: str) -> None:
    audit, column = seccomp.ARCHITECTURES[machine]
    program = seccomp.filter_program(machine, families=(), shares=False)

    for numbers, at in seccomp.WITH_MODE.values():
        said = [verdict(program, audit, numbers[column], *[0] * at, mode) for mode in (0o755, 0o1777, 0o4755, 0o2755)]
        assert said == [ALLOW, ALLOW, PERMISSION, PERMISSION]
    number = seccomp.OPENING["openat"][0][column]
    made, read = 0o101, 0
    said = [verdict(program, audit, number, 0, 0, flags, 0o4755) for flags in (made, read)]
    assert said == [PERMISSION, ALLOW], "the mode counts only where a file is made"


def test_other_processes_are_out_of_reach_where_no_namespace_keeps_them_apart(machine: str) -> None:
    audit, column = seccomp.ARCHITECTURES[machine]
    for shares in (True, False):
        program = seccomp.filter_program(machine, families=(), shares=shares)
        for numbers, at in seccomp.OF_PROCESSES.values():
            said = [verdict(program, audit, numbers[column], *[0] * at, process) for process in (0, 4711)]
            assert said == [ALLOW, PERMISSION if shares else ALLOW]
        for numbers, kind in seccomp.OF_KINDS.values():
            said = [
                verdict(program, audit, numbers[column], *which) for which in ((kind, 0), (kind, 4711), (kind + 2, 0))
            ]
            assert said == [ALLOW, *[PERMISSION if shares else ALLOW] * 2]
        said = {verdict(program, audit, numbers[column]) for numbers in seccomp.SHARED.values()}
        assert said == {NO_CALL if shares else ALLOW}


def test_tracing_is_left_to_the_tracer_and_truncating_to_landlock(machine: str) -> None:
    audit, column = seccomp.ARCHITECTURES[machine]
    for is_left in (True, False):
        program = seccomp.filter_program(machine, families=(), shares=True, traced=is_left, truncates=is_left)
        said = {verdict(program, audit, numbers[column]) for numbers in (seccomp.PTRACE, seccomp.TRUNCATE)}
        assert said == {ALLOW if is_left else PERMISSION}


def test_every_other_call_is_allowed(machine: str) -> None:
    audit, column = seccomp.ARCHITECTURES[machine]
    program = seccomp.filter_program(machine, families=(), shares=True, truncates=False)
    tables = (seccomp.ABSENT, seccomp.SHARED, seccomp.REFUSED, seccomp.ATTRIBUTES)
    known = {numbers[column] for table in tables for numbers in table.values()}
    known |= {seccomp.PTRACE[column], seccomp.TRUNCATE[column], seccomp.SOCKET[column]}
    known |= {numbers[column] for numbers, _ in seccomp.OF_KINDS.values()}  # for no process without arguments

    assert {verdict(program, audit, number) for number in set(range(500)) - known} == {ALLOW}


def test_calls_of_another_architecture_end_the_process(machine: str) -> None:
    program = seccomp.filter_program(machine, families=INTERNET, shares=True)
    others = {audit for name, (audit, _) in seccomp.ARCHITECTURES.items() if name != machine} | {0x40000003}

    assert {verdict(program, audit, 0) for audit in others} == {KILL_PROCESS}


def test_calls_of_the_x32_kind_end_the_process() -> None:
    program = seccomp.filter_program("x86_64", families=INTERNET, shares=True)

    assert verdict(program, seccomp.ARCHITECTURES["x86_64"][0], seccomp.X32_BIT | 41) == KILL_PROCESS


HEADERS = {"x86_64": "/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "aarch64": "/usr/include/asm-generic/unistd.h"}


def test_the_numbers_are_those_of_the_kernels_headers(machine: str) -> None:
    header = Path(HEADERS[machine])
    if not header.exists():
        pytest.skip("no header to compare with")
    found = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)$", header.read_text(encoding="utf-8"), re.MULTILINE)
    column, real = seccomp.ARCHITECTURES[machine][1], {name: int(number) for name, number in found}
    table = {name: numbers[column] for part in (seccomp.ABSENT, seccomp.SHARED, seccomp.REFUSED, seccomp.ATTRIBUTES,
                                                seccomp.NAMESPACES) for name, numbers in part.items()}  # fmt: skip
    table |= {name: numbers[column] for part in (seccomp.OF_PROCESSES, seccomp.OF_KINDS, seccomp.WITH_MODE,
                                                 seccomp.OPENING) for name, (numbers, _) in part.items()}  # fmt: skip
    table |= {"ptrace": seccomp.PTRACE[column], "truncate": seccomp.TRUNCATE[column], "socket": seccomp.SOCKET[column]}
    table |= {name: number for name, (number, _) in seccomp.OLDER.items()} if machine == "x86_64" else {}

    assert len(real) > 200
    # Older headers lack the newest calls.
    assert {name: number for name, number in table.items() if real.get(name, number) != number} == {}
    assert len(table.keys() & real.keys()) > len(table) - 6


def test_filter_is_packed_as_the_kernel_takes_it() -> None:
    program = seccomp.filter_program("x86_64", families=INTERNET, shares=True)

    assert len(seccomp.pack(program)) == 8 * len(program)
    assert len(program) < 4096, "the kernel takes no more (BPF_MAXINSNS)"
    assert max(step[1] for step in program) < 256
    assert max(step[2] for step in program) < 256
    assert os.uname().machine
