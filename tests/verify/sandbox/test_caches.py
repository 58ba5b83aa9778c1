"""Caches of the home that checks see, and everything beside them that they do not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.grounds import ground_in, open_ways

from gitmem.verify.sandbox import sandbox
from gitmem.verify.sandbox.caches import find_caches

PATH = os.environ["PATH"]
SECRETS = (".cargo/credentials.toml", ".m2/settings.xml", ".npmrc", ".netrc", ".config/pip/pip.conf", ".ssh/id")
SHOWN = {
    "go/pkg/mod/example.org/one@v1/one.go": "",
    ".cargo/registry/src/one/lib.rs": "",
    ".m2/repository/one/one.jar": "",
    ".local/lib/python3.11/site-packages/user_mod.py": "V = 1\n",
    ".npm/_cacache/index-v5/00/x": "",
    ".cache/uv/archive-v0/x/y.py": "",
    ".local/share/pnpm/store/v3/files/00/x": "",
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    own = tmp_path.resolve() / "me"
    for name, text in {**SHOWN, **dict.fromkeys(SECRETS, "secret\n")}.items():
        (own / name).parent.mkdir(parents=True, exist_ok=True)
        (own / name).write_text(text)
    monkeypatch.setenv("HOME", str(own))
    return own


def test_only_folders_of_packages_are_found(home: Path) -> None:
    found = dict(find_caches())

    assert all(any(name.startswith(f"{shown}/") for shown in found) for name in SHOWN)
    assert not any(secret.startswith(f"{shown}/") for shown in found for secret in SECRETS)
    assert found["go/pkg/mod"] == f"{home}/go/pkg/mod"


def test_cache_that_leads_to_the_home_is_not_shown(home: Path) -> None:
    (home / ".m2" / "repository").rename(home / "packages")
    (home / ".m2" / "repository").symlink_to("..")

    assert ".m2/repository" not in dict(find_caches())


def test_cache_that_a_variable_moved_is_shown_where_its_tool_looks(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "modules").mkdir()
    monkeypatch.setenv("GOMODCACHE", str(tmp_path / "modules"))
    monkeypatch.setenv("CARGO_HOME", "relative")

    found = dict(find_caches())

    assert found["go/pkg/mod"] == str((tmp_path / "modules").resolve())
    assert ".cargo/registry" not in found


@pytest.mark.parametrize("rung", ["bubblewrap", "landlock"])
def test_check_reads_caches_in_its_own_home_and_writes_beside_them_only(home: Path, tmp_path: Path, rung: str) -> None:
    if not sandbox.works(rung, PATH):
        pytest.skip(f"{rung} does not work here")
    open_ways(home)
    command = (
        f"cd && for f in {' '.join(SHOWN)}; do cat $f > /dev/null || echo no $f; done;"
        f" cat {' '.join(SECRETS)} {home}/.ssh/id 2> /dev/null;"
        " for d in go .cargo .m2 .npm/_cacache .cache/uv .local; do echo x > $d/own || echo no $d; done;"
        " (echo x > .m2/repository/new) 2> /dev/null && echo written; true"
    )

    ran = sandbox.run_check(
        ["sh", "-c", command], ground=ground_in(tmp_path, rung), rung=rung, network=False, timeout_s=20, path=PATH
    )

    assert (ran.output, ran.status, ran.problem) == ("", 0, "")
    assert not (home / ".m2" / "repository" / "new").exists()
