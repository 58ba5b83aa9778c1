"""The command line of a traced run."""

from __future__ import annotations

from gitmem.verify.trace.strace import argv_traced


def test_program_and_its_arguments_come_last_and_whole():
    argv = argv_traced("/usr/bin/strace", 70, ["-x", "a b"])

    assert argv[0] == "/usr/bin/strace"
    assert argv[-5:] == ["-o", "/proc/self/fd/70", "--", "-x", "a b"]
    assert all(option in argv for option in ("-f", "-q", "-y"))
