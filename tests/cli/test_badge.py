"""``gitmem badge``: to standard output or a file, as a picture or as JSON."""

from __future__ import annotations

import json
import os
from pathlib import Path
from xml.etree import ElementTree

import pytest


@pytest.fixture(autouse=True)
def _facts(run_cli) -> None:
    run_cli("init")
    run_cli("fact", "Tokens are signed", "--contains", "RS256", "--in", "src/auth/jwt.py", "--key", "f")


def test_picture_is_printed_or_written_the_same(run_cli, tmp_path: Path) -> None:
    file = tmp_path / "facts.svg"
    file.write_text("old")

    printed = run_cli("badge").out
    done = run_cli("badge", str(file))

    assert ElementTree.fromstring(printed).get("aria-label") == "facts: 1 verified"
    assert (done.status, done.out, file.read_text(encoding="utf-8")) == (0, "", printed)
    assert f"{file}: facts: 1 verified" in done.err
    assert os.listdir(tmp_path).count("facts.svg") == 1
    assert not list(tmp_path.glob("*.new"))


def test_json_is_an_endpoint_and_exits_with_0_also_where_a_fact_failed(run_cli, repo: Path, tmp_path: Path) -> None:
    (repo / "src/auth/jwt.py").write_text("HS256\n")
    run_cli("fact", "x", "--exists", "none", "--key", "g", "--unproven")
    run_cli("verify")

    done = run_cli("badge", "--json", "--label", "what we know")

    assert done.status == 0
    assert json.loads(done.out) == {
        "schemaVersion": 1, "label": "what we know", "message": "1 failed", "color": "c62828"
    }  # fmt: skip
    run_cli("badge", "--json", "--label", "what we know", str(tmp_path / "b.json"))
    assert (tmp_path / "b.json").read_text() == done.out


def test_file_that_cannot_be_written_is_named(run_cli, tmp_path: Path) -> None:
    done = run_cli("badge", str(tmp_path / "none" / "facts.svg"))

    assert done.status == 3
    assert "the badge " in done.err
    assert "facts.svg: No such file or directory" in done.err
