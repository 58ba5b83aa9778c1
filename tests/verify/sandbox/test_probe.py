"""What doctor says of the sandbox: as it was found by running it, with what would mend it."""

from __future__ import annotations

import os

import pytest

from gitmem.verify.sandbox import probe, sandbox

PATH = os.environ["PATH"]
UID_MAP = "the sandbox failed: bwrap: setting up uid map: Permission denied"


def test_each_rung_is_told_as_it_was_probed(tmp_path):
    rows = dict(probe.describe(PATH, tmp_path / "ground"))

    works = [rung for rung in ("bubblewrap", "landlock") if sandbox.works(rung, PATH)]
    assert {name for name, value in rows.items() if value == "works"} == set(works)
    assert rows["sandbox"] == (
        f"commands run in {works[0]}" if works else "only built-in checks run, unless you use --no-sandbox"
    )
    assert ("overlays" in rows) == ("bubblewrap" in works)


def test_where_nothing_works_it_says_so_and_what_to_install(tmp_path):
    rows = dict(probe.describe(str(tmp_path), tmp_path / "ground"))

    assert rows["sandbox"] == "only built-in checks run, unless you use --no-sandbox"
    assert rows["bubblewrap"] == "does not work: sh: no such program on PATH (install bubblewrap)"


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("kernel/apparmor_restrict_unprivileged_userns", "1\n", "AppArmor"),
        ("kernel/unprivileged_userns_clone", "0\n", "kernel.unprivileged_userns_clone=1"),
        ("user/max_user_namespaces", "0\n", "user.max_user_namespaces="),
    ],
)
def test_a_setting_of_the_kernel_is_named(tmp_path, name, value, said):
    for program in ("bin/bwrap", name):
        (tmp_path / program).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / program).write_text(value)
    (tmp_path / "bin" / "bwrap").chmod(0o755)
    path = str(tmp_path / "bin")

    assert said in probe.remedy("bubblewrap", UID_MAP, path, settings=tmp_path)
    (tmp_path / name).write_text("2\n")
    assert said not in probe.remedy("bubblewrap", UID_MAP, path, settings=tmp_path)


def test_what_works_needs_no_remedy():
    assert [probe.remedy(rung, "", "") for rung in ("bubblewrap", "landlock", "seatbelt")] == ["", "", ""]
