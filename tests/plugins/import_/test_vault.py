"""The vault around a folder is found by its settings, whatever they contain."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.each import each

from gitmem.plugins.import_.vault import Vault, read_vault


def put(folder: Path, **files: object) -> Path:
    for name, found in files.items():
        path = folder / name.replace("__", "/").replace("_json", ".json")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(found if isinstance(found, str) else json.dumps(found))
    return folder


def test_folder_without_settings_is_no_vault(tmp_path: Path) -> None:
    assert read_vault(tmp_path) == Vault()


@pytest.mark.parametrize("mark", [".obsidian", ".foam", ".zk", "dendron.yml"])
def test_part_of_a_vault_is_in_it(tmp_path: Path, mark: str) -> None:
    (tmp_path / mark).mkdir()
    (tmp_path / "Notes").mkdir()

    assert read_vault(tmp_path / "Notes") == Vault(
        is_vault=True, is_foam=mark == ".foam", is_dendron=mark == "dendron.yml", name=tmp_path.name
    )


def test_folders_of_templates_are_relative_to_the_folder_that_is_read(tmp_path: Path) -> None:
    settings = {".obsidian__templates_json": {"folder": "Meta/Templates"}}
    plugin = {".obsidian__plugins__templater-obsidian__data_json": {"templates_folder": "/Tpl/"}}
    put(tmp_path, **settings, **plugin)
    (tmp_path / "Meta").mkdir()

    assert read_vault(tmp_path).templates == ("Meta/Templates", "Tpl")
    assert read_vault(tmp_path / "Meta").templates == ("Templates",)


@each("found", ["", "[]", "{", {"folder": 3}, {"folder": "/"}, {"folder": "../../etc"}])
def test_odd_settings_name_no_templates(tmp_path: Path, found: object) -> None:
    assert read_vault(put(tmp_path, **{".obsidian__templates_json": found})).templates == ()


def test_graph_of_logseq_is_told_from_a_vault(tmp_path: Path) -> None:
    (tmp_path / "logseq").mkdir()
    (tmp_path / "logseq" / "config.edn").write_text(';; :journal/page-title-format "d"\n{}')

    assert read_vault(tmp_path) == Vault(is_vault=True, is_logseq=True, day="MMM do, yyyy", name=tmp_path.name)
    (tmp_path / "logseq" / "config.edn").write_text('{:journal/page-title-format "dd.MM.yyyy"}')
    assert read_vault(tmp_path).day == "dd.MM.yyyy"
