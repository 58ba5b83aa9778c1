"""``gitmem metrics``: to standard output, or in place of a file that node exporter reads."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse


@pytest.fixture(autouse=True)
def _store(run_cli) -> None:
    run_cli("init")
    run_cli("remember", "The gateway drops requests without a trace id")


def test_text_is_printed_with_the_repository(run_cli) -> None:
    done = run_cli("metrics", "--repository", 'a "b"')

    families = {family.name: family for family in parse(done.out)}
    assert done.status == 0
    assert families["gitmem_memories"].samples[0].labels == {"repository": 'a "b"', "kind": "learned"}


def test_file_is_replaced_atomically_and_readable_by_others(run_cli, tmp_path: Path) -> None:
    file = tmp_path / "gitmem.prom"
    (tmp_path / f"gitmem.prom.{os.getpid()}.new").write_text("of a run that was killed")
    before = os.umask(0o077)
    try:
        first = run_cli("metrics", "--textfile", str(file))
        run_cli("remember", "Another thing that nobody had known before")
        second = run_cli("metrics", "--textfile", str(file))
    finally:
        os.umask(before)

    assert (first.status, first.out, second.status) == (0, "", 0)
    assert 'kind="learned"} 2\n' in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o644
    assert [path.name for path in tmp_path.glob("gitmem.prom*")] == ["gitmem.prom"]


@pytest.mark.skipif(os.name == "nt", reason="a folder can be written to there all the same")
def test_failure_leaves_the_old_file_and_says_so(run_cli, tmp_path: Path, repo: Path) -> None:
    folder = tmp_path / "textfile"
    folder.mkdir()
    file = folder / "gitmem.prom"
    file.write_text("old")
    (folder / f"gitmem.prom.{os.getpid()}.new").mkdir()  # root may write anywhere, but not there

    done = run_cli("metrics", "--textfile", str(file))

    assert done.status == 3
    assert f"cannot write the text file {file}: " in done.err
    assert file.read_text() == "old"
    (repo / ".git/refs/heads/memory").write_text("nonsense\n")
    broken = run_cli("metrics", "--textfile", str(file))
    assert broken.status != 0
    assert file.read_text() == "old"


def test_file_name_that_collectors_ignore_is_refused(run_cli, tmp_path: Path) -> None:
    done = run_cli("metrics", "--textfile", str(tmp_path / "gitmem.txt"))

    assert done.status == 2
    assert "--textfile gitmem.prom" in done.err
