"""What clients' own installers read at the top of this repository is what gitmem writes today, and they accept it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
from jsonschema import Draft7Validator
from support.terminal import environment

from gitmem import __version__
from gitmem.text.budget import count_tokens

PROJECT = Path(__file__).resolve().parents[1]
# The schema of the registry for servers of the Model Context Protocol, as published on 2025-12-11.
SCHEMA = Path(__file__).parent / "commands/install/schemas/mcp-server.json"
# How each client checks a folder, and what it says of a good one; `make clients` installs them here.
VALIDATORS = {
    "claude": (["plugin", "validate", "--strict"], "Validation passed"),
    "gemini": (["extensions", "validate"], "successfully validated"),
}
INSTALLED = PROJECT / "build/clients/npm/node_modules/.bin"


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    spec = spec_from_file_location("make_plugins", PROJECT / "plugins/make.py")
    assert spec is not None
    assert spec.loader is not None
    maker = module_from_spec(spec)
    spec.loader.exec_module(maker)
    return maker


@pytest.fixture(scope="module")
def files(maker: ModuleType) -> dict[str, str]:
    made: dict[str, str] = maker.files()
    return made


def test_files_are_what_gitmem_writes_today(files: dict[str, str]) -> None:
    for name, text in files.items():
        assert (PROJECT / name).read_text(encoding="utf-8") == text, f"{name}; run: python plugins/make.py"


def test_folders_of_plugins_have_nothing_else(files: dict[str, str]) -> None:
    folders = ("plugins/claude-code", "commands", "skills", ".claude-plugin")

    there = {
        str(path.relative_to(PROJECT)) for name in folders for path in (PROJECT / name).rglob("*") if path.is_file()
    }

    assert there <= set(files)


def test_all_name_one_version_and_say_the_same(files: dict[str, str]) -> None:
    tables = [json.loads(text) for name, text in files.items() if name.endswith(".json") and "hooks" not in name]
    (shop,) = [table for table in tables if "plugins" in table]
    others = [table for table in tables if table is not shop]

    assert {table["version"] for table in others} == {__version__}
    assert len(others) == 3
    assert len({table["description"] for table in (*tables, *shop["plugins"])}) == 1


def test_marketplace_names_the_folder_of_the_plugin(files: dict[str, str]) -> None:
    (plugin,) = json.loads(files[".claude-plugin/marketplace.json"])["plugins"]

    assert (PROJECT / plugin["source"] / ".claude-plugin/plugin.json").is_file()


def test_registry_accepts_the_entry_of_the_server(files: dict[str, str]) -> None:
    schema = Draft7Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
    entry = json.loads(files["server.json"])

    schema.validate(entry)
    assert entry["$schema"] == schema.schema["$id"]
    assert not schema.is_valid({**entry, "description": "x" * 101})


@pytest.mark.parametrize(
    ("url", "name", "source"),
    [
        ("https://github.com/ana/memory", "io.github.ana/gitmem", "github"),
        ("https://gitlab.com/ana/tools/memory/", "io.gitlab.ana/gitmem", "gitlab"),
        ("https://git.example.org/ana/memory", "org.example.git/gitmem", None),
        ("", "gitmem/gitmem", None),
    ],
)
def test_namespace_is_the_owner_of_the_repository(maker: ModuleType, url: str, name: str, source: str | None) -> None:
    entry = maker.server(url)

    Draft7Validator(json.loads(SCHEMA.read_text(encoding="utf-8"))).validate(entry)
    assert entry["name"] == name
    assert entry.get("repository") == ({"url": url, "source": source} if source else None)


@pytest.mark.parametrize("client", VALIDATORS)
def test_clients_accept_what_their_installers_read(client: str, tmp_path: Path) -> None:
    program = shutil.which(client, path=os.pathsep.join([str(INSTALLED), os.environ["PATH"]]))
    if program is None:
        pytest.skip(f"{client} is not installed: make clients")
    words, good = VALIDATORS[client]
    folders = [PROJECT, PROJECT / "plugins/claude-code"] if client == "claude" else [PROJECT]

    for folder in folders:
        done = subprocess.run(
            [program, *words, str(folder)], env=environment(HOME=str(tmp_path)), cwd=tmp_path,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip
        said = done.stdout + done.stderr
        if client == "claude" and folder == PROJECT and (warned := re.findall(r"❯ (hooks: .*)", said)):
            # The folder is Gemini CLI's extension, too; Claude Code 2.1.332 also reads those hooks, and says this only.
            events = json.loads((PROJECT / "hooks/hooks.json").read_text(encoding="utf-8"))["hooks"]
            known = {f"hooks: hooks.{one}: unknown hook event; entry ignored at runtime" for one in events}
            assert set(warned) <= known
            assert f"Found {len(warned)} warnings" in said
            continue
        assert done.returncode == 0, said
        assert good in said


def test_skill_teaches_the_workflow_in_under_900_tokens(files: dict[str, str]) -> None:
    skills = [text for path, text in files.items() if path.endswith("SKILL.md")]

    assert skills
    assert max(map(count_tokens, skills)) < 900
