"""An overlay that a process lays over a folder for itself; checks on one are in ``test_sandbox``."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gitmem.verify.sandbox import overlay, sandbox

SCRIPT = (
    "import sys; sys.path.append(sys.argv[1])\n"
    "import os\nfrom gitmem.verify.sandbox.namespaces import enter\nfrom gitmem.verify.sandbox.overlay import cover\n"
    "ground, upper, *laid = sys.argv[2:]\n"
    "enter(is_root=False)\ncover(ground, upper, [tuple(laid)] if laid else [])\n"
    "open(ground + '/new', 'w').close()\n"
    "if laid: open(ground + '/' + laid[0] + '/new', 'w').close()\n"
    "print(sorted(os.listdir(ground)), sorted(os.listdir(ground + '/' + laid[0])) if laid else '')"
)


@pytest.fixture
def places(tmp_path):
    """A folder, a folder for its changes, and one to be shown in it."""
    top = tmp_path.resolve()
    if not sandbox.probe_overlay(os.environ["PATH"], top):
        pytest.skip("overlays in a user namespace do not work here")
    folder, upper, shown = top / "a,b:c", top / "upper", top / "shown"
    for place in (folder / "deps", shown, *(upper / name for name in ("u", "w", "u1", "w1"))):
        place.mkdir(parents=True)
    (folder / "old").touch()
    (shown / "tool").touch()
    return folder, upper, shown


def covered(*words):
    argv = [sys.executable, "-I", "-c", SCRIPT, str(Path(overlay.__file__).parents[3]), *map(str, words)]
    return subprocess.run(argv, capture_output=True, text=True, check=False)


def test_changes_go_to_the_upper_folder_and_no_one_else_sees_them(places):
    folder, upper, _ = places

    assert covered(folder, upper).stdout == "['deps', 'new', 'old'] \n"
    assert sorted(os.listdir(folder)) == ["deps", "old"]
    assert os.listdir(upper / "u") == ["new"]


def test_a_folder_that_is_shown_in_it_is_changed_nowhere_either(places):
    folder, upper, shown = places

    assert covered(folder, upper, "deps", shown).stdout == "['deps', 'new', 'old'] ['new', 'tool']\n"
    assert os.listdir(shown) == ["tool"]
    assert os.listdir(folder / "deps") == []
    assert os.listdir(upper / "u1") == ["new"]


def test_a_link_in_its_place_is_not_followed(places):
    folder, upper, shown = places
    (folder / "deps").rmdir()
    (folder / "deps").symlink_to(shown)
    (folder / "way").symlink_to(folder.parent)

    assert "Not a directory" in covered(folder, upper, "deps", shown).stderr
    assert "leads outside the copy" in covered(folder, upper, "way/shown", shown).stderr
    assert os.listdir(shown) == ["tool"]
