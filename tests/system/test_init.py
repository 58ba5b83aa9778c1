"""Files and folders of the state belong to one person, or to the group that shares the repository."""

from __future__ import annotations

import ast
import os
import re
import stat
from pathlib import Path

import pytest

import gitmem
from gitmem.system import blocked_by, make_folder, open_private, read_regular, settle_modes


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
@pytest.mark.parametrize(
    ("above", "folder", "file"), [(0o755, 0o700, 0o600), (0o777, 0o700, 0o600), (0o2775, 0o2770, 0o660)]
)
def test_folders_and_files_are_the_persons_or_the_groups_by_the_folder_above(
    tmp_path: Path, umask: int, above: int, folder: int, file: int
) -> None:
    common = tmp_path / "common"
    common.mkdir()
    common.chmod(above)
    before = os.umask(umask)
    try:
        make_folder(common / "gitmem/spool/waiting")
        os.close(open_private(common / "gitmem/spool/entry", os.O_WRONLY | os.O_CREAT))
        (common / "gitmem/database").touch()
        settle_modes(str(common / "gitmem"))
    finally:
        os.umask(before)

    assert [mode(common / name) for name in ("gitmem", "gitmem/spool", "gitmem/spool/waiting")] == [folder] * 3
    assert mode(common / "gitmem/spool/entry") == file
    assert above != 0o2775 or mode(common / "gitmem/database") == file


def test_a_state_folder_that_a_person_opened_for_reading_stays_so(tmp_path: Path) -> None:
    (tmp_path / "gitmem").mkdir(mode=0o755)

    settle_modes(str(tmp_path / "gitmem"))

    assert mode(tmp_path / "gitmem") == 0o755


def test_a_link_in_the_place_of_the_state_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "target").mkdir()
    (tmp_path / "target").chmod(0o777)
    (tmp_path / "target/file").touch(mode=0o600)
    (tmp_path / "gitmem").symlink_to("target")
    tmp_path.chmod(0o2775)

    settle_modes(str(tmp_path / "gitmem"))

    assert (mode(tmp_path / "target"), mode(tmp_path / "target/file")) == (0o777, 0o600)


def test_a_file_in_the_way_of_a_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    for place in ("file/below/it", "file"):
        with pytest.raises(NotADirectoryError):
            make_folder(tmp_path / place)


def test_what_blocks_a_file_is_named_with_a_command_and_other_errors_are_not(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    cases = {
        "folder": f"a folder is in its place; move it: mv -n {tmp_path}/folder {tmp_path}/folder.old",
        "file/below/it": f"a file is in its place; move it: mv -n {tmp_path}/file {tmp_path}/file.old",
        "missing/file": "",
    }

    for name, expected in cases.items():
        with pytest.raises(OSError) as caught:
            open_private(tmp_path / name, os.O_RDWR | os.O_CREAT)
        assert blocked_by(caught.value, tmp_path / name) == expected


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# Where a file is opened for reading in another way: a terminal, what a person or a forge named, what gitmem ships with
# or has just made, what the kernel answers, and descriptors that were opened safely.
OPENED_OTHERWISE = {
    *("cli/terminal.py", "cli/textconv.py", "repository/branch_memory.py", "verify/trace/programs.py"),
    *("index/embed/packaged_model.py", "system/origin.py", "store/commit/signing.py"),
    *("store/state/clone.py", "store/view/safe_folder.py"),
    *("cli/adopt.py", "cli/editor.py", "cli/input.py", "cli/merge.py", "plugins/import_/files.py"),
    "verify/approvals/reviewed_list.py",
    *("commands/install/ci_files.py", "commands/install/client_files.py", "commands/report/page/render.py"),
    *("commands/review/forms.py", "hub/follower.py", "hub/records.py", "hub/schema.py", "hub/web/page.py"),
    *("store/state/write_lock.py", "verify/ground/scratch.py", "verify/sandbox/account.py", "verify/sandbox/probe.py"),
}


def test_files_are_opened_for_reading_only_if_they_are_files() -> None:
    package = Path(gitmem.__file__).parent
    found = set()
    sources = ((path, path.read_text("utf-8")) for path in package.rglob("*.py"))
    for path, source in sources:
        # To parse the 500 others takes most of the time.
        is_suspect = re.search(r"\bopen\b|\bread_(?:text|bytes)\b", source)
        for call in ast.walk(ast.parse(source)) if is_suspect else ():
            if isinstance(call, ast.Call) and may_wait(call):
                found.add(str(path.relative_to(package)))

    assert found == OPENED_OTHERWISE


def may_wait(call: ast.Call) -> bool:
    """Return whether a call opens a path for reading, and would wait for a writer if a pipe is there."""
    if isinstance(call.func, ast.Attribute):
        name, mode = call.func.attr, call.args[:1]
        if name in ("read_text", "read_bytes"):
            return True
        is_text = any(option.arg == "encoding" for option in call.keywords)
        is_path = name == "open" and (is_text or any(isinstance(a, ast.Constant) and "b" in str(a.value) for a in mode))
    else:
        is_path, mode = isinstance(call.func, ast.Name) and call.func.id == "open", call.args[1:2]
    how = next((str(a.value) for a in mode if isinstance(a, ast.Constant)), "r")
    return is_path and how.startswith("r") and not any(option.arg == "opener" for option in call.keywords)


def test_a_pipe_in_the_place_of_a_file_is_an_error_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_bytes(b"content")
    (tmp_path / "null").symlink_to(os.devnull)
    (tmp_path / "endless").symlink_to("/dev/zero")

    assert read_regular(tmp_path / "file") == b"content"
    assert read_regular(tmp_path / "null") == b""  # git and many programs are switched off like this
    for place in ("pipe", "endless", ".", "missing"):
        with pytest.raises(OSError):
            read_regular(tmp_path / place)


def test_commands_in_hints_quote_their_paths() -> None:
    """Quotes around a path break at an apostrophe in it: ``command_of`` sets them where they are needed."""
    command = r"\b(?:rm|mv|cp|ls|cd|chmod|git|gitmem)(?: [-+a-z]+)*"
    quoted = re.compile(rf"{command} (?:> )?'\{{[^}}]*\}}'|\b(?:mv|gitmem -C) \{{")
    package = Path(gitmem.__file__).parent
    hints = [(path.name, line.strip()) for path in package.rglob("*.py") for line in path.read_text().split("\n")]
    assert [place for place in hints if quoted.search(place[1])] == []
