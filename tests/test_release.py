"""``.ci/release``: what a tag releases, and the tags that it refuses."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest
from conftest import git

from gitmem import __version__

PROJECT = Path(__file__).parents[1]
TAG = f"v{__version__}"

pytestmark = [
    pytest.mark.skipif(not (PROJECT / ".git").exists(), reason="this is no clone: there is nothing to tag"),
    pytest.mark.skipif(find_spec("flit_core") is None, reason="the build back end is not installed here: make"),
]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    folder = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{PROJECT}", str(folder))
    git(folder, "config", "user.name", "Ana Example")
    git(folder, "config", "user.email", "ana@example.org")
    shutil.copy2(PROJECT / ".ci/release", folder / ".ci/release")  # also what is not committed yet
    return folder


def release(clone: Path, tag: str) -> subprocess.CompletedProcess[str]:
    env = {"PATH": "/usr/bin:/bin", "PYTHON": sys.executable}
    return subprocess.run([".ci/release", tag], cwd=clone, env=env, capture_output=True, text=True, check=False)


def change(clone: Path, section: str) -> None:
    path = clone / "CHANGELOG.md"
    head, _, _ = path.read_text(encoding="utf-8").partition("## [")
    path.write_text(f"{head}{section}", encoding="utf-8")
    git(clone, "commit", "-qam", "Change the changelog")


@pytest.mark.whole_system
def test_release_has_wheel_source_and_the_changelog_s_section(clone: Path) -> None:
    earlier = "## [0.0.1] - 2025-01-01\n\n- Before\n"
    change(clone, f"## [Unreleased]\n\n- Later\n\n## [{__version__}] - 2026-01-01\n\n### Added\n\n- Now\n\n{earlier}")
    git(clone, "rm", "-rq", "tests", "docs", "benchmarks")  # two thirds of what is packed, twice
    git(clone, "commit", "-qm", "Remove what takes long to pack")
    (clone / "gitmem/left_over.py").write_text("")

    done = release(clone, TAG)

    assert done.returncode == 0, done.stderr
    files = {one.name: one for one in (clone / "dist").iterdir()}
    assert set(files) == {
        f"git_memory_store-{__version__}-py3-none-any.whl",
        f"git_memory_store-{__version__}.tar.gz",
        "notes.md",
    }
    assert files["notes.md"].read_text(encoding="utf-8").strip() == "### Added\n\n- Now"
    names = zipfile.ZipFile(files[f"git_memory_store-{__version__}-py3-none-any.whl"]).namelist()
    assert "gitmem/__init__.py" in names
    assert "gitmem/left_over.py" not in names
    assert f"gitmem/start.{sys.implementation.cache_tag}.bin" in names  # as in the wheel that an installer builds
    first = {name: one.read_bytes() for name, one in files.items()}
    release(clone, TAG)
    assert {name: one.read_bytes() for name, one in files.items()} == first


@pytest.mark.whole_system
def test_other_tags_and_versions_without_notes_are_refused(clone: Path) -> None:
    other = release(clone, "v99.0.0")
    change(clone, "## [Unreleased]\n\n- Later\n")
    bare = release(clone, TAG)

    assert (other.returncode, bare.returncode) == (1, 1)
    assert f"the tag is v99.0.0, and the version in gitmem/__init__.py is {__version__}" in other.stderr
    assert re.search(r"CHANGELOG.md has no section '## \[[\d.]+\]'", bare.stderr)
