"""What the kernel has of Landlock, and the filter that bubblewrap is handed."""

from __future__ import annotations

import os

import pytest

from gitmem.verify.sandbox import landlock, seccomp


def test_the_kernels_answer_is_a_version() -> None:
    assert landlock.find_abi() >= 0


@pytest.mark.skipif(os.uname().machine not in seccomp.ARCHITECTURES, reason="no filter for this machine")
def test_bubblewrap_is_handed_a_filter_that_leaves_unix_sockets_and_no_tracer() -> None:
    machine, families = os.uname().machine, (seccomp.AF_UNIX, seccomp.AF_INET, seccomp.AF_INET6, seccomp.AF_NETLINK)

    for traced in (True, False):
        program = seccomp.filter_program(machine, families=families, shares=False, traced=traced)
        assert landlock.find_filter(confined=False, network=False, traced=traced) == seccomp.pack(program)


def test_machine_whose_calls_are_not_known_has_no_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.uname()
    monkeypatch.setattr(os, "uname", lambda: os.uname_result((*real[:4], "riscv64")))

    with pytest.raises(OSError, match="no filter of system calls for riscv64"):
        landlock.find_filter(confined=False, network=False, traced=False)
