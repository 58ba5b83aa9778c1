"""Packages by name: which manifests count, and what else a package may be called."""

import pytest
from conftest import commit_files

from gitmem.commands.adopt.code import Code
from gitmem.commands.adopt.judge.packages import list_packages
from gitmem.git import Git
from gitmem.git.repository import discover

FILES = {
    "crates/core/Cargo.toml": '[workspace]\n[package]\nname = "core"\n',
    "web/package.json": '{"name": "@x/site"}\n',
    "web/node_modules/y/package.json": '{"name": "y"}\n',
    "py/pyproject.toml": '[project]\nname = "My_Tool"\n',
    "settings.gradle": "include ':app', 'lib'\n",
}


@pytest.mark.parametrize(
    ("tool", "name", "places"),
    [
        ("cargo", "core", ["crates/core/Cargo.toml:3"]),
        ("npm", "@x/site", ["web/package.json:1"]),
        ("npm", "site", ["web/package.json:1"]),
        ("npm", "web", []),
        ("", "web", ["web/package.json"]),
        ("npm", "y", []),
        ("npm", "core", []),
        ("uv", "my-tool", ["py/pyproject.toml:2"]),
        ("gradle", ":app", ["settings.gradle:1"]),
        ("gradle", ":lib", ["settings.gradle:1"]),
        ("gradle", ":li", []),
    ],
)
def test_package_is_found_by_the_name_in_its_manifest(repo, tool, name, places):
    commit_files(repo, FILES)
    git = Git(discover(repo))

    found = list_packages(Code(git, git.resolve("HEAD")), name, tool)

    assert [one.where for one in found] == places
