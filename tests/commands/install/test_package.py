"""Jobs install one commit or one hash; a package that could change over time is refused."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from importlib.metadata import requires
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml
from conftest import PINNED, git
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from support import forge_server
from support.each import each

from gitmem.commands.install import ci_files
from gitmem.commands.install.ci_files import need_pinned
from gitmem.commands.install.ci_options import CiOptions
from gitmem.errors import UsageError
from gitmem.verify.overview.notice.document import LISTS

PROJECT = Path(__file__).resolve().parents[3]
LOCKS = PROJECT / "gitmem" / "commands" / "install" / "locks"
ARCHIVE = f"https://git.example.org/gitmem-1.tar.gz#sha256={'ab' * 32}"


@each("package", [PINNED, ARCHIVE, "."])
def test_pinned_packages_are_accepted(package: str) -> None:
    need_pinned(package)


@each(
    "package",
    [
        *("", "git-memory-store", "git-memory-store==9", "gitmem[mcp]", "./elsewhere", "--index-url=https://evil"),
        *(PINNED[:-1], PINNED.replace("https", "http"), PINNED.rpartition("@")[0], f"{PINNED.rpartition('@')[0]}@main"),
        *(ARCHIVE.partition("#")[0], ARCHIVE.replace("sha256", "md5"), ARCHIVE.replace("https", "http")),
        *(
            f"{PINNED}; curl evil",
            f'{PINNED}"',
            f"{PINNED}\\n",
            PINNED.replace("tools", "$(id)"),
            "x ${{ github.token }}",
        ),
    ],
)
def test_unpinned_package_is_refused(package: str) -> None:
    with pytest.raises(UsageError, match="full commit or a hash"):
        need_pinned(package)


def test_no_text_suggests_installing_the_package_by_name() -> None:
    named = git(PROJECT, "grep", "--no-index", "--exclude-standard", "-lI", "git-memory-store").split("\n")

    # Its own name, where it asks for its own metadata, what was, and what the back end puts into a source distribution.
    apart = {
        "pyproject.toml",
        "gitmem/system/origin.py",
        "CHANGELOG.md",
        "tests/commands/install/test_package.py",
        "PKG-INFO",
    }
    assert set(named) <= apart
    assert (PROJECT / "pyproject.toml").read_text(encoding="utf-8").count("git-memory-store") == 1


@pytest.mark.whole_system
@pytest.mark.skipif(not (PROJECT / ".git").exists(), reason="this is no clone: what git tracks is not known")
@pytest.mark.skipif(find_spec("flit_core") is None, reason="the build back end is not installed here: make")
def test_source_distribution_has_all_that_git_tracks(tmp_path: Path) -> None:
    code = f"from flit_core import buildapi; print(buildapi.build_sdist({str(tmp_path)!r}))"
    name = subprocess.run(
        [sys.executable, "-c", code], cwd=PROJECT, check=True, capture_output=True, text=True
    ).stdout.strip()
    with tarfile.open(tmp_path / name) as archive:
        packed = {one.name.partition("/")[2] for one in archive.getmembers()}

    assert set(git(PROJECT, "ls-files").split("\n")) <= packed
    assert not [one for one in packed if one.endswith(".pyc")]


def locked(name: str) -> dict[str, tuple[str, int]]:
    """Return the version of each package of a lock, and how many hashes it has."""
    text = (LOCKS / f"{name}.txt").read_text(encoding="utf-8")
    parts = re.split(r"(?m)^(?=[a-z])", text)[1:]
    found = [(re.match(r"([a-z0-9-]+)==([0-9.]+)", part), part.count("--hash=sha256:")) for part in parts]
    return {one[1]: (one[2], number) for one, number in found if one}


@each(("name", "steps"), [("build", "build-system.requires"), ("jobs", "project.dependencies")])
def test_lock_includes_all_dependencies(name: str, steps: str) -> None:
    table: object = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    for step in steps.split("."):
        table = table[step]
    lock = locked(name)
    left, seen = list(map(Requirement, table)), set()

    while left:
        needed = left.pop()
        package = canonicalize_name(needed.name)
        if package in seen or (needed.marker and not needed.marker.evaluate({"extra": ""})):
            continue
        seen.add(package)
        assert needed.specifier.contains(lock[package][0]), f"run: .ci/lock  ({needed})"
        left += map(Requirement, requires(package) or ()) if name == "jobs" else ()
    assert set(lock) == seen, "run: .ci/lock"
    assert all(number for _, number in lock.values())


def scripts() -> list[str]:
    """Return the installing script of each file that has one."""
    wanted = CiOptions(package=PINNED)
    texts = [
        text
        for forge in ci_files.FORGES
        for on_branch in (False, True)
        for text in ci_files.texts(forge, wanted, on_branch=on_branch).values()
    ]
    return [text for text in texts if "pip install" in text]


def test_every_file_installs_by_hash_and_gitmem_by_itself() -> None:
    for text in scripts():
        lines = [line for line in text.splitlines() if "pip install" in line]
        found = [("--require-hashes" in line, "--no-build-isolation" in line) for line in lines]
        assert found == [(True, False), (False, True)] * (len(found) // 2)
        assert all("--no-deps" in line and "--no-compile" in line for line in lines)
    assert len(scripts()) == 9


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository with this gitmem as its only commit; never change it."""
    folder = tmp_path_factory.mktemp("package") / "source"
    folder.mkdir()
    names = ["gitmem", "data", "pyproject.toml", "README.md", "LICENSE"]
    for name in names:
        if (PROJECT / name).is_dir():
            shutil.copytree(PROJECT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(PROJECT / name, folder / name)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "user.name", "Ana")
    git(folder, "config", "user.email", "ana@example.org")
    git(folder, "add", *names)
    git(folder, "commit", "-q", "-m", "gitmem")
    return folder


def install(package: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the script of the jobs with a pip that only records its arguments."""
    fake = folder / "python"
    fake.write_text('#!/bin/sh\necho "$@"\n')
    fake.chmod(0o755)
    script = (ci_files.TEMPLATES / "install.sh").read_text(encoding="utf-8")
    env = {"PATH": f"{folder}:/usr/bin:/bin", "PACKAGE": package, "HOME": str(folder), **variables}
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script], env=env, capture_output=True, text=True, check=False
    )


@pytest.mark.whole_system
def test_job_installs_the_commit_that_is_named_and_its_own_lock(source: Path, tmp_path: Path) -> None:
    commit, later = git(source, "rev-parse", "HEAD"), tmp_path / "later"
    git(tmp_path, "clone", "-q", str(source), str(later))
    git(
        later, "-c", "user.name=Ana", "-c", "user.email=ana@example.org", "commit", "-q", "--allow-empty", "-m", "later"
    )

    done = install(f"git+file://{later}@{commit}", tmp_path)
    other = install(f"git+file://{later}@{'1' * 40}", tmp_path)

    assert done.returncode == 0, done.stderr
    dependencies, itself = done.stdout.splitlines()
    checked_out = Path(itself.split(" ")[-1])
    assert git(checked_out, "rev-parse", "HEAD") == commit
    assert f"-r {checked_out}/gitmem/commands/install/locks/jobs.txt" in dependencies
    assert (other.returncode != 0, other.stdout) == (True, "")


def test_archive_with_another_hash_is_not_opened(tmp_path: Path) -> None:
    curl = tmp_path / "curl"
    curl.write_text(
        '#!/bin/sh\nfor file; do before=$last; last=$file; [ "$before" != --output ] || echo evil >"$file"; done\n'
    )
    curl.chmod(0o755)

    done = install(ARCHIVE, tmp_path)

    assert (done.returncode != 0, "install" in done.stdout) == (True, False)
    assert "did NOT match" in done.stderr


@pytest.mark.whole_system
def test_job_that_writes_comments_installs_the_back_end_and_gitmem_alone(source: Path, tmp_path: Path) -> None:
    package = f"git+file://{source}@{git(source, 'rev-parse', 'HEAD')}"

    done = install(package, tmp_path, NEEDS="nothing")

    needed, itself = done.stdout.splitlines()
    assert re.findall(r"locks/(\w+)\.txt", needed) == ["build"]
    assert "--no-deps" in itself
    assert len(locked("build")) + 1 == 2
    [step] = [one for one in comment_job()["steps"] if one.get("name") == "Install gitmem"]
    assert step["env"]["NEEDS"] == "nothing"


def comment_job() -> dict:
    text = ci_files.texts(ci_files.GITHUB, CiOptions(package=PINNED))[ci_files.WRITE]
    return yaml.safe_load(text)["jobs"]["comment"]


@pytest.mark.whole_system
@pytest.mark.skipif(find_spec("flit_core") is None, reason="the build back end is not installed here: make")
def test_that_job_s_command_runs_with_gitmem_alone(source: Path, tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    alone = ["--no-deps", "--no-index", "--no-compile"]
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    build = f"from flit_core import buildapi; buildapi.build_wheel({str(wheels)!r})"
    subprocess.run([sys.executable, "-c", build], cwd=source, check=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "env")], check=True)
    [wheel] = wheels.iterdir()
    subprocess.run([*pip, "--python", str(tmp_path / "env"), "install", *alone, str(wheel)], check=True)
    (tmp_path / "gitmem").mkdir()
    broken = {"newly_false": [{"key": "port", "title": "The port is 8080"}]}
    (tmp_path / "gitmem" / "check.json").write_text(json.dumps({name: [] for name in LISTS} | broken))

    with forge_server.serving() as hub:
        hub.pulls.append(forge_server.pull(12))
        words = comment_job()["steps"][-1]["run"]
        env = {
            "PATH": f"{tmp_path}/env/bin:/usr/bin:/bin",
            "HEAD_SHA": forge_server.COMMIT,
            "RUN_ID": "1",
            **hub.environment(),
        }
        env |= {"RUNNER_TEMP": str(tmp_path)}
        subprocess.run(["bash", "-ec", words], cwd=tmp_path, env=env, check=True)

    assert "The port is 8080" in str(hub.comments)
