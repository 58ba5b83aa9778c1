"""A bare machine lacks what it says, shows what it must, and notices what a command leaves behind."""

from __future__ import annotations

from pathlib import Path

import pytest
from bare.enter import LEFT_SOMETHING, Plan
from bare.machines import ORDINARY, TOOLS
from bare.run import enter, why_impossible

from gitmem.verify.sandbox.landlock import CREATE_RULESET

pytestmark = pytest.mark.skipif(bool(why_impossible()), reason=f"bare machines cannot be made here: {why_impossible()}")

LOOKS = f"""
id -u; getent passwd "$(id -u)" | cut -d: -f1 | grep . || echo nobody
echo "${{HOME-unset}}"
test -e /dev/shm && echo shm
touch "${{HOME-/}}/x" 2>/dev/null && echo writable && rm "$HOME/x"
unshare --mount true 2>/dev/null || unshare --user true 2>/dev/null && echo namespaces
for tool in {" ".join(TOOLS)}; do command -v $tool; done
python3 -c 'import ctypes; print(ctypes.CDLL(None).syscall({CREATE_RULESET}, None, 0, 1) > 0 and "landlock" or "-")'
"""


def make_plan(folder: Path, *argv: str, **fields: object) -> Plan:
    root = folder / "root"
    root.mkdir(exist_ok=True)
    given = {"user": ORDINARY, "namespaces": False, "landlock": False, "shm": False, "home": False, "shown": []}
    env = {"PATH": "/usr/bin:/bin"}
    return Plan(str(root), "/", list(TOOLS), folder="/", env=env, argv=[*argv], **{**given, **fields})


def run(plan: Plan, folder: Path) -> tuple[int, list[str]]:
    log = folder / "log"
    return enter(plan, log), log.read_text().split()


def test_plainest_machine_lacks_everything(tmp_path: Path) -> None:
    assert run(make_plan(tmp_path, "sh", "-c", LOOKS), tmp_path) == (0, [str(ORDINARY), "nobody", "unset", "-"])


def test_richest_machine_lacks_only_the_tools(tmp_path: Path) -> None:
    given = {"user": 0, "namespaces": True, "landlock": True, "shm": True, "home": True}
    plan = make_plan(tmp_path, "sh", "-c", f"HOME=/root\n{LOOKS}", **given)

    found = run(plan, tmp_path)

    assert found == (0, ["0", "root", "/root", "shm", "writable", "namespaces", "landlock"])


@pytest.mark.parametrize("place", ["/tmp/x", "/dev/shm/x", "/home/someone/x"])
def test_file_that_a_command_leaves_is_named(tmp_path: Path, place: str) -> None:
    status, said = run(make_plan(tmp_path, "touch", place, shm=True, home=True), tmp_path)

    assert (status, said) == (LEFT_SOMETHING, ["left", "behind:", place])


def test_folder_is_shown_read_only_and_the_status_is_passed_on(tmp_path: Path) -> None:
    shown = tmp_path / "shown"
    shown.mkdir()
    (shown / "file").write_text("seen\n")
    plan = make_plan(tmp_path, "sh", "-c", "cat /deep/in/file; touch /deep/in/new 2>/dev/null || exit 9", user=0)

    status, said = run(Plan(**{**vars(plan), "shown": [(str(shown), "/deep/in", False)]}), tmp_path)

    assert (status, said) == (9, ["seen"])
    assert [p.name for p in shown.iterdir()] == ["file"]
