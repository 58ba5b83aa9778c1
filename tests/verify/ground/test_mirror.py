"""Folders of dependencies in a ground without mounts: which parts are copies, which are links, and where they lead."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitmem.errors import GitmemError
from gitmem.verify.ground import mirror
from gitmem.verify.ground.folders import LentFolder
from gitmem.verify.ground.mirror import lay_folder

# A file, or a link where the text begins with "-> ". TOP is the work tree.
TREE = {
    "node_modules/.bin/left": "-> ../left/cli.js",
    "node_modules/.bin/right": '#!/bin/sh\nexec node "TOP/node_modules/right/cli.js"\n',
    "node_modules/left/cli.js": "x",
    "node_modules/@me/web": "-> ../../packages/web",
    "node_modules/@me/api": "-> TOP/packages/api",
    "node_modules/@you/lib/index.js": "x",
    "vendor/autoload.php": "x",
    "vendor/composer/autoload_static.php": "x",
    "vendor/composer/ca-bundle/x.php": "x",
    "vendor/monolog/monolog/x.php": "x",
    ".venv/pyvenv.cfg": "home = /usr/bin\ncommand = python -m venv TOP/.venv\n",
    ".venv/bin/python": "-> /usr/bin/python3",
    ".venv/bin/tool": "#!TOP/.venv/bin/python\n",
    ".venv/lib/python3.11/site-packages/app.pth": "TOP/src\nTOP2/src\n",
    ".venv/lib/python3.11/site-packages/binary.so": "\0TOP/src",
    ".venv/lib/python3.11/site-packages/pytest/x.py": "x",
    ".venv/lib64": "-> lib",
}


@pytest.fixture
def work(tmp_path: Path) -> Path:
    top = tmp_path.resolve() / "work"
    for name, content in TREE.items():
        place, text = top / name, content.replace("TOP", str(top))
        place.parent.mkdir(parents=True, exist_ok=True)
        if text.startswith("-> "):
            place.symlink_to(text[3:])
        else:
            place.write_text(text)
            os.utime(place, (1000, 1000))
    return top


def lay(work: Path, name: str, *, is_linked: bool = True, is_in_place: bool = False) -> Path:
    ground = work.parent / "ground"
    lay_folder(LentFolder(name, work / name, is_linked=is_linked), ground, work if is_in_place else ground)
    return ground


def describe(ground: Path, work: Path) -> dict[str, str]:
    """Return each entry by its path: its text, or where it leads; of both, the work tree and the ground as words."""
    found = {}
    for place in ground.rglob("*"):
        if place.is_symlink():
            text = f"-> {place.readlink()}"
        elif place.is_file():
            text = place.read_text()
        else:
            continue
        found[str(place.relative_to(ground))] = text.replace(str(work), "TOP").replace(str(ground), "GROUND")
    return found


MIRRORS = {
    "node_modules": {
        ".bin/left": "-> ../left/cli.js",
        ".bin/right": '#!/bin/sh\nexec node "GROUND/node_modules/right/cli.js"\n',
        "left": "-> TOP/node_modules/left",
        "@me/web": "-> ../../packages/web",
        "@me/api": "-> GROUND/packages/api",
        "@you/lib": "-> TOP/node_modules/@you/lib",
    },
    "vendor": {
        "autoload.php": "x",
        "composer/autoload_static.php": "x",
        "composer/ca-bundle": "-> TOP/vendor/composer/ca-bundle",
        "monolog": "-> TOP/vendor/monolog",
    },
    ".venv": {
        "pyvenv.cfg": "home = /usr/bin\ncommand = python -m venv GROUND/.venv\n",
        "bin/python": "-> /usr/bin/python3",
        "bin/tool": "#!GROUND/.venv/bin/python\n",
        "lib/python3.11/site-packages/app.pth": "GROUND/src\nTOP2/src\n",
        "lib/python3.11/site-packages/binary.so": "\0TOP/src",
        "lib/python3.11/site-packages/pytest": "-> TOP/.venv/lib/python3.11/site-packages/pytest",
        "lib64": "-> lib",
    },
}


@pytest.mark.parametrize("name", MIRRORS)
def test_mirror_links_packages_and_leads_from_the_work_tree_to_the_ground(work: Path, name: str) -> None:
    ground = lay(work, name)

    assert describe(ground, work) == {f"{name}/{path}": text for path, text in MIRRORS[name].items()}


def test_copy_has_the_packages_themselves_and_the_times_of_its_files(work: Path) -> None:
    ground = lay(work, ".venv", is_linked=False)

    site = ground / ".venv/lib/python3.11/site-packages"
    assert (site / "pytest/x.py").read_text() == "x"
    assert (site / "app.pth").read_text().startswith(f"{ground}/src\n")
    assert {place.stat().st_mtime for place in site.rglob("*") if place.is_file()} == {1000.0}


def test_copy_that_is_seen_in_place_keeps_its_paths(work: Path) -> None:
    ground = lay(work, ".venv", is_linked=False, is_in_place=True)

    assert (ground / ".venv/bin/tool").read_text() == f"#!{work}/.venv/bin/python\n"


def test_large_packages_are_mirrored_and_not_copied(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mirror, "COPY_FILES", 6)
    for number in range(9):
        (work / f"node_modules/left/{number}.js").write_text("x")

    with pytest.raises(GitmemError, match="node_modules is too large to be copied"):
        lay(work, "node_modules", is_linked=False)

    monkeypatch.setattr(mirror, "COPY_FILES", 10)
    (work.parent / "ground").rename(work.parent / "half")
    lay(work, "node_modules")
