"""What people have is found by its place, and nothing else is named."""

from __future__ import annotations

import json
import re
from pathlib import Path

from gitmem.plugins.import_.discovery import find_sources


def put(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("text")


def test_notes_in_the_repository_and_at_home_are_found(tmp_path: Path) -> None:
    top, home, vault = tmp_path / "work" / "my.shop", tmp_path / "home", tmp_path / "elsewhere" / "vault"
    put(
        top,
        ".beads/issues.jsonl",
        "docs/adr/0001-x.md",
        "docs/adr/0002-y.md",
        "AGENTS.md",
        "src/a.py",
        ".cursor/rules/a.mdc",
        ".roo/rules/a.md",
        ".windsurfrules",
    )
    put(top, "notes/.obsidian/app.json", "notes/a.md", "wiki/dendron.yml", "wiki/vault/a.md")
    put(home, "Documents/wiki/logseq/config.edn", "Documents/wiki/pages/a.md", "basic-memory/a.md", ".bashrc")
    put(home, f".claude/projects/{re.sub('[^A-Za-z0-9]', '-', str(top))}/memory/MEMORY.md")
    put(home, ".claude/projects/-other/memory/MEMORY.md")
    put(vault, "a.md")
    put(home, ".config/obsidian/obsidian.json")
    listed = {"vaults": {"1": {"path": str(vault)}, "2": {"path": str(tmp_path / "gone")}}}
    (home / ".config/obsidian/obsidian.json").write_text(json.dumps(listed))
    (top / "adr").mkdir()

    found = {
        one.path.removeprefix(f"{tmp_path}/"): (one.system, one.files) for one in find_sources(str(top), str(home))
    }

    project = next(path for path in found if ".claude/projects" in path)
    assert found == {
        "work/my.shop/.beads": ("beads", 1),
        "work/my.shop/.cursor/rules": ("rules of Cursor", 1),
        "work/my.shop/.roo/rules": ("rules of Roo Code", 1),
        "work/my.shop/AGENTS.md": ("instructions", 1),
        "work/my.shop/.windsurfrules": ("instructions", 1),
        "work/my.shop/docs/adr": ("decision records", 2),
        "work/my.shop/notes": ("an Obsidian vault", 1),
        "work/my.shop/wiki": ("Dendron", 2),
        project: ("Claude Code's memory of this repository", 1),
        "home/basic-memory": ("basic-memory", 1),
        "elsewhere/vault": ("an Obsidian vault", 1),
        "home/Documents/wiki": ("Logseq", 2),
    }


def test_list_of_vaults_that_is_damaged_is_ignored(tmp_path: Path) -> None:
    put(tmp_path, ".config/obsidian/obsidian.json")

    assert find_sources(str(tmp_path / "none"), str(tmp_path)) == []
