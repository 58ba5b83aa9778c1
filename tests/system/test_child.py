"""Programs started without ``subprocess``: the same answers, and nothing of ours in them."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from gitmem.system.child import Child, can_spawn, unnamed_file

pytestmark = pytest.mark.skipif(not can_spawn(), reason="programs are started so on Linux")


def run(argv: list[str], env: Mapping[str, str], *, keep: tuple[int, ...] = ()) -> tuple[int, bytes]:
    with unnamed_file(b"") as source:
        child = Child(argv, env, stdin=source, stderr=None, keep=keep)
        found = child.outputs(None)
        child.close()
        assert found is not None
        return child.wait(), found[0]


def test_program_has_the_signals_and_descriptors_that_subprocess_would_leave_it(tmp_path: Path) -> None:
    about = "import os, json; s = [l for l in open('/proc/self/status') if l.startswith('SigIgn')][0].split()[1]"
    about += "; print(json.dumps([int(s, 16) & 0x7fffffff, sorted(map(int, os.listdir('/proc/self/fd')))]))"
    argv = [sys.executable, "-I", "-S", "-c", about]
    expected = json.loads(subprocess.run(argv, capture_output=True, check=True).stdout)[0]
    kept, ours = (os.open(tmp_path / name, os.O_CREAT | os.O_RDWR) for name in ("kept", "ours"))
    try:
        status, output = run(argv, {}, keep=(kept,))
    finally:
        os.close(kept)
        os.close(ours)

    ignored, descriptors = json.loads(output)
    assert status == 0
    assert ignored == expected
    assert {0, 1, 2, kept} <= set(descriptors)
    assert ours not in descriptors


def test_program_is_found_on_the_path_that_it_is_given(tmp_path: Path) -> None:
    for name, answer, mode in (("first", "no", 0o644), ("second", "yes", 0o755)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "tool").write_text(f"#!/bin/sh\necho {answer}\n")
        (tmp_path / name / "tool").chmod(mode)

    assert run(["tool"], {"PATH": f"{tmp_path}/none:{tmp_path}/first:{tmp_path}/second"}) == (0, b"yes\n")
    with pytest.raises(FileNotFoundError) as caught:
        run(["tool"], {"PATH": f"{tmp_path}/none"})
    assert caught.value.filename == "tool"


@pytest.mark.parametrize("has_pidfd", [True, False])
def test_program_that_runs_on_is_not_waited_for(monkeypatch: pytest.MonkeyPatch, has_pidfd: bool) -> None:
    if not has_pidfd:
        monkeypatch.delattr(os, "pidfd_open")
    reads, writes = os.pipe()
    with os.fdopen(reads, "rb") as source:
        child = Child(["cat"], {"PATH": os.defpath}, stdin=source, stderr=None)
    try:
        assert child.outputs(0.01) is None
        os.write(writes, b"word")
        os.close(writes)
        assert child.outputs(60) == (b"word", b"")
        assert child.wait() == 0
    finally:
        child.close()
