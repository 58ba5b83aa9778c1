"""What the starter does when what a check left does not end; ``test_sandbox`` has checks that it runs."""

from __future__ import annotations

import errno
import shutil
import subprocess

import pytest

from gitmem.verify.sandbox import launcher


def test_what_does_not_end_is_reported_in_place_of_a_status(monkeypatch, capsys):
    monkeypatch.setattr(launcher, "SWEEP_S", 0.05)
    monkeypatch.setattr(launcher, "iter_descendants", lambda _: [])

    with subprocess.Popen(["sleep", "30"]) as child:
        with pytest.raises(SystemExit, match=r"did not end within 0\.05 s"):
            launcher._sweep()
        child.kill()


@pytest.mark.parametrize(
    ("words", "number"), [(["x" * 3_000_000], errno.E2BIG), ([], errno.EACCES)], ids=["too-long", "not-executable"]
)
def test_error_of_the_first_program_that_is_there_is_the_one_reported(tmp_path, words, number):
    locked = tmp_path / "true"
    locked.write_text("")
    places = [str(tmp_path / "none"), *([shutil.which("true")] if words else []), str(locked), str(tmp_path / "no")]

    with pytest.raises(OSError) as caught:
        launcher._execute(places, ("true", *words), {})

    assert caught.value.errno == number
