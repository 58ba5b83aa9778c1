"""The seccomp filter, run as the kernel runs it, for both architectures."""

from __future__ import annotations

import errno
import os

import pytest

from gitmem.verify import landlock

AF_UNIX = 1


def verdict(program, audit: int, number: int, argument: int = 0) -> int:
    """Run a filter on one system call and return what it says (classic BPF: linux/filter.h)."""
    data = {landlock.NUMBER_AT: number, landlock.ARCHITECTURE_AT: audit, landlock.ARGUMENT_AT: argument}
    at, register = 0, 0
    while True:
        code, if_true, if_false, constant = program[at]
        at += 1
        if code == landlock.LOAD:
            register = data[constant]
        elif code == landlock.RETURN:
            return constant
        elif code == landlock.IF_EQUAL:
            at += if_true if register == constant else if_false
        else:
            assert code == landlock.IF_AT_LEAST
            at += if_true if register >= constant else if_false


REFUSED = landlock.REFUSE | errno.EPERM


@pytest.fixture(params=sorted(landlock.ARCHITECTURES))
def machine(request):
    return request.param


@pytest.mark.parametrize("family", [AF_UNIX, landlock.AF_INET, landlock.AF_INET6, landlock.AF_NETLINK, 17])
def test_without_network_no_socket_can_be_made(machine, family):
    audit, socket, *_ = landlock.ARCHITECTURES[machine]
    program = landlock.filter_program(machine, 7, network=False)

    assert verdict(program, audit, socket, family) == REFUSED


@pytest.mark.parametrize(
    ("family", "said"),
    [
        (landlock.AF_INET, landlock.ALLOW),
        (landlock.AF_INET6, landlock.ALLOW),
        (landlock.AF_NETLINK, landlock.ALLOW),
        (AF_UNIX, REFUSED),
        (17, REFUSED),
    ],
)
def test_with_network_only_internet_sockets_can_be_made(machine, family, said):
    audit, socket, *_ = landlock.ARCHITECTURES[machine]
    program = landlock.filter_program(machine, 7, network=True)

    assert verdict(program, audit, socket, family) == said


def test_what_reaches_around_it_seems_not_to_exist(machine):
    audit, _, _, denied = landlock.ARCHITECTURES[machine]
    program = landlock.filter_program(machine, 7, network=True)

    assert {verdict(program, audit, number) for number in denied} == {landlock.REFUSE | errno.ENOSYS}
    assert len(denied) == 8


def test_truncating_by_name_is_refused_only_where_landlock_does_not_see_it(machine):
    audit, _, truncate, _ = landlock.ARCHITECTURES[machine]

    said = {abi: verdict(landlock.filter_program(machine, abi, network=False), audit, truncate) for abi in (1, 2, 3, 7)}

    assert said == {1: REFUSED, 2: REFUSED, 3: landlock.ALLOW, 7: landlock.ALLOW}


def test_every_other_call_is_allowed(machine):
    audit, socket, truncate, denied = landlock.ARCHITECTURES[machine]
    program = landlock.filter_program(machine, 1, network=False)

    others = set(range(500)) - {socket, truncate, *denied}

    assert {verdict(program, audit, number) for number in others} == {landlock.ALLOW}


def test_calls_of_another_architecture_end_the_process(machine):
    program = landlock.filter_program(machine, 7, network=True)
    others = {audit for name, (audit, *_) in landlock.ARCHITECTURES.items() if name != machine} | {0x40000003}

    assert {verdict(program, audit, 0) for audit in others} == {landlock.KILL_PROCESS}


def test_calls_of_the_x32_kind_end_the_process():
    audit, socket, *_ = landlock.ARCHITECTURES["x86_64"]
    program = landlock.filter_program("x86_64", 7, network=True)

    assert verdict(program, audit, landlock.X32_BIT | socket) == landlock.KILL_PROCESS


def test_the_numbers_are_those_of_this_kernels_headers():
    """Where the headers are there, the call numbers of this architecture are those in them."""
    found = [path for path in ("/usr/include/x86_64-linux-gnu/asm/unistd_64.h",) if os.path.exists(path)]
    if os.uname().machine != "x86_64" or not found:
        pytest.skip("no header to compare with")
    with open(found[0]) as file:
        numbers = dict(line.split()[1:3] for line in file if line.startswith("#define __NR_"))

    _, socket, truncate, denied = landlock.ARCHITECTURES["x86_64"]

    assert (numbers["__NR_socket"], numbers["__NR_truncate"]) == (str(socket), str(truncate))
    names = ("io_uring_setup", "add_key", "request_key", "keyctl", "shmget", "semget", "msgget", "mq_open")
    assert [numbers[f"__NR_{name}"] for name in names] == [str(number) for number in denied]


def test_the_kernels_answer_is_a_version():
    assert landlock.find_abi() >= 0
