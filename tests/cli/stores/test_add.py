from __future__ import annotations

import json
import shutil
from pathlib import Path

from conftest import git
from support.facts import make_memory, put


def test_a_repository_is_listed_and_its_name_printed_alone(run_cli, repo: Path, template: Path, tmp_path: Path) -> None:
    api = Path(shutil.copytree(template, tmp_path / "api"))
    put(api, make_memory("gw", "The gateway"))

    first = run_cli("stores", "add", "../api")
    again = run_cli("stores", "add", f"other={api}", "--json")

    assert (first.status, first.out) == (0, "api\n")
    assert f"list and recall now include {api}: 1 memory\n" in first.err
    assert json.loads(again.out)["name"] == "other"
    assert git(repo, "config", "--get-all", "gitmem.stores") == f"{api}\nother={api}"


def test_folder_that_is_not_a_repository_is_not_listed(run_cli, repo: Path, tmp_path: Path) -> None:
    done = run_cli("stores", "add", str(tmp_path))

    assert (done.status, done.out) == (3, "")
    assert git(repo, "config", "--get-all", "gitmem.stores", check=False) == ""
