"""The command line of bubblewrap; what it keeps a check from is tried in ``test_sandbox`` and ``test_escapes``."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitmem.verify.ground.ground import Ground
from gitmem.verify.sandbox import bubblewrap, probe, sandbox

PATH = os.environ["PATH"]


def test_rung_that_filters_no_system_calls_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    if not sandbox.works("bubblewrap", PATH):
        pytest.skip("bubblewrap does not work here")
    whole = bubblewrap.wrap

    def without_filter(*words: object, **how: object) -> list[str]:
        argv = whole(*words, **how)  # type: ignore[arg-type]
        at = argv.index("--seccomp")
        return argv[:at] + argv[at + 2 :]

    monkeypatch.setattr(bubblewrap, "wrap", without_filter)
    sandbox.why_not.cache_clear()

    why = sandbox.why_not("bubblewrap", PATH)
    rows = dict(probe.describe(PATH, Path("/nonexistent")))
    sandbox.why_not.cache_clear()

    assert why == "it filters no system calls"
    assert why in rows["bubblewrap"]


@pytest.mark.parametrize("user", [0, 60877])
def test_root_makes_no_user_namespace_and_gives_up_all_that_it_keeps(
    monkeypatch: pytest.MonkeyPatch, user: int
) -> None:
    monkeypatch.setattr("gitmem.verify.sandbox.account.check_user", lambda: user)
    ground = Ground(Path("/srv/a/tree"), "", ())

    argv = bubblewrap.wrap(["true"], program="bwrap", ground=ground, path="", network=False, report_fd=5)

    assert ("--unshare-all" in argv) is not user
    assert ("--cap-add" in argv) is bool(user)
    assert argv[argv.index("--") + 1 :] == ([*bubblewrap.account.argv_as(user), "true"] if user else ["true"])
    ways = [argv[at + 1] for at, word in enumerate(argv) if word == "--dir"]
    assert ({"/srv", "/srv/a"} <= set(ways)) is bool(user)
