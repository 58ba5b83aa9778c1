"""Whether a run's answer follows from the files that it read, by real traces of small commands."""

from __future__ import annotations

import shutil

import pytest
from support.each import each

from benchmarks.awkward import Code, run
from gitmem.verify.trace.determinism import is_determined
from gitmem.verify.trace.observe import Scene, observe
from gitmem.verify.trace.trace import parse_trace

STRACE = shutil.which("strace") or ""

pytestmark = pytest.mark.skipif(not STRACE, reason="strace is not installed")


@each(
    ("command", "answer"),
    [
        ("grep -q a x", True),
        ("test -e y || ! grep -c nothing x >/dev/null", True),
        ("cat x | sed s/a/b/ | wc -l | grep -qx 1", True),
        ("grep -q a x && test $(($(od -An -N2 -tu2 /dev/urandom) % 2)) = 3", False),
        ("head -c1 /dev/urandom | grep -q a", False),
        ("grep -q x /proc/uptime", False),
        ("test $(( $$ % 2 )) = 3", False),
        ("test ${RANDOM:-1} = 2", False),
        ("test $(date +%N) = 1", False),
        ("./script", True),
        ("sort -R x", False),
    ],
)
def test_answer_follows_from_files_where_nothing_else_could_decide_it(tmp_path, command, answer):
    code, ground = Code({"x": "a\n", "script": "#!/bin/sh\ngrep -q b x\n"}), tmp_path.resolve()
    code.write(ground)
    traces = [parse_trace(run(command, ground, STRACE).trace or b"", str(ground))]
    programs = observe(traces, Scene(str(ground), code.places, code.content)).programs

    assert is_determined(programs, traces, [command]) is answer
