from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest
from support.embedded_store import STORE, make_model, set_up
from support.facts import make_memory, put
from support.terminal import GITMEM


def test_it_says_what_it_did(run_cli, repo: Path, tmp_path: Path) -> None:
    set_up(repo, make_model(tmp_path / "tiny"))

    first, again = run_cli("embed", "rebuild"), json.loads(run_cli("embed", "rebuild", "--json").out)

    assert first.status == 0
    assert first.out.startswith("embedded 4 memories in ")
    assert (again["embedded"], again["forgotten"], again["models_removed"]) == (0, 0, 0)


def test_without_a_model_it_exits_3_with_how_to_set_one_up(run_cli, repo: Path) -> None:
    put(repo, STORE)

    done = run_cli("embed", "rebuild")

    assert done.status == 3
    assert "hint: set one: git config --global gitmem.embed minilm" in done.err


def _size_of_rows(repo: Path) -> int:
    return sum(path.stat().st_size for path in repo.glob(".git/gitmem/vectors/*/rows-0.f32"))


@pytest.mark.whole_system
def test_interrupted_rebuild_keeps_finished_work_and_continues_from_there(run_cli, repo: Path, tmp_path: Path) -> None:
    set_up(repo, make_model(tmp_path / "tiny"))
    put(repo, *(make_memory(f"m-{n}", f"Table {n}", "Storage. " * 2000) for n in range(200)))
    run_cli("list")
    with subprocess.Popen([*GITMEM, "embed", "rebuild"], cwd=repo, stderr=subprocess.PIPE, text=True) as rebuild:
        until = time.monotonic() + 120
        while _size_of_rows(repo) < 5_000 and time.monotonic() < until:  # of 60,000 bytes
            time.sleep(0.002)
        rebuild.send_signal(signal.SIGINT)
        assert rebuild.stderr is not None
        said = rebuild.stderr.read()

    left = json.loads(run_cli("embed", "status", "--json").out)["stores"][0]["missing"]
    again = json.loads(run_cli("embed", "rebuild", "--json").out)

    assert (rebuild.returncode, "interrupted" in said) == (130, True)
    assert 0 < left == again["embedded"] < 204
