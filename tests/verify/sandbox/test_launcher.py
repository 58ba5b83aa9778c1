"""What the starter does when what a check left does not end; ``test_sandbox`` has checks that it runs."""

from __future__ import annotations

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
