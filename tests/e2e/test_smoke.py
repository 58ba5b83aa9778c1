"""The smoke test that CI runs on other systems is one: it passes here, and fails where something does not work."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.console import GITMEM, environment, run

SMOKE = Path(__file__).resolve().parent.parent.parent / ".ci" / "smoke"

pytestmark = pytest.mark.skipif(not GITMEM.exists(), reason="the console script is not installed")


@pytest.mark.whole_system
def test_smoke_test_passes_here(tmp_path: Path) -> None:
    done = run([str(SMOKE)], tmp_path, env=environment(GITMEM_VIEW=None))

    assert done.status == 0, done
    assert done.out.splitlines()[-1] == "ok      gitmem doctor"


def test_smoke_test_ends_with_what_does_not_work(tmp_path: Path) -> None:
    broken = tmp_path / "gitmem"
    broken.write_text("#!/bin/sh\n[ $1 != init ] || { echo no room; exit 3; }\necho recall\n", encoding="utf-8")
    broken.chmod(0o755)

    done = run([str(SMOKE)], tmp_path, env=environment(PATH=f"{tmp_path}{os.pathsep}{os.environ['PATH']}"))

    assert (done.status, done.out.splitlines()[-2:]) == (1, ["FAILED  gitmem init", "no room"]), done
