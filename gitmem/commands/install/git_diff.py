"""Make `git diff` and `git log -p` of memories readable: a diff driver for their files, in this clone only.

Independent of the hooks: it changes what git shows, not what git does, and a person may want only one of them. The
driver is a git setting (`diff.gitmem.textconv`); its files are listed in `info/attributes`, since git reads the
attributes of the checked-out branch, which is the code's.
"""

from __future__ import annotations

import os
from pathlib import Path

from gitmem.commands.install import place as places
from gitmem.commands.install.pieces import TOML, FileRefusedError, FileSection
from gitmem.commands.install.place import ADD, KEEP, LEAVE, REMOVE, UPDATE, InstallStep
from gitmem.errors import GitmemError, suppress
from gitmem.policy.kinds import KINDS
from gitmem.store.state.empty_files import note_empty, was_empty
from gitmem.system import read_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.git import Git

NAME = "diff.gitmem.textconv"
# git passes this to a shell with the file appended (gitattributes(5), textconv). If gitmem is missing or fails, the
# file is shown unchanged: a failing driver would break every `git log -p`.
COMMAND = 'f() { gitmem textconv "$1" 2>/dev/null || cat "$1"; }; f'


def _attributes(git: Git) -> str:
    """Return the lines that assign the driver to a store's files: on its branch, and in the code's ``.memory/``.

    A folder that the code has as well is left out: its files belong to the code.
    """
    head = git.read_head()[1]
    listed = git.run("ls-tree", "-z", "--name-only", head, check=False).stdout if head else b""
    code = set(os.fsdecode(listed).split("\0"))
    if "gitmem.toml" in code:  # the memory branch itself is checked out
        code = set()
    folders = sorted({kind.folder for kind in KINDS.values()} - code)
    named = [f"/{folder}/**/*.md" for folder in (*folders, *({"archive"} - code), ".memory")]
    return "".join(f"{glob} diff=gitmem\n" for glob in (*named, "/verdicts/*.toml", "/verdicts/*/*.toml"))


def _section(git: Git) -> FileSection:
    return FileSection(str(_path(git)), _attributes(git), TOML)


def _path(git: Git) -> Path:
    return git.repository.common_dir / "info" / "attributes"


def _setting(git: Git) -> str:
    return os.fsdecode(git.run("config", "--local", "--get", NAME, check=False).stdout).removesuffix("\n")


def _read(path: Path) -> str | None:
    try:
        return read_regular(path).decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return None
    except OSError as err:
        raise GitmemError(f"{path} cannot be read: {err.strerror}") from err


def plan_install(git: Git) -> tuple[InstallStep, ...]:
    """Return the steps for installing the driver: one for the setting, one for the attributes file."""
    path = _path(git)
    before = _read(path)
    try:
        after = _section(git).apply_to(before)
    except FileRefusedError as err:
        raise GitmemError(f"{path} {err}") from err
    now = _setting(git)
    steps = [InstallStep(KEEP if now == COMMAND else UPDATE if now else ADD, NAME, "the driver", now, COMMAND)]
    what = KEEP if after == before else UPDATE if before else ADD
    return (*steps, InstallStep(what, str(path), "the files it is for", before or "", after))


def install(git: Git) -> tuple[InstallStep, ...]:
    """Install the driver and return what was done; doing it again changes nothing."""
    steps = plan_install(git)
    if steps[0].what != KEEP:
        git.run("config", "--local", NAME, COMMAND)
    if steps[1].what != KEEP:
        note_empty(git.repository.state, _path(git), _path(git).parent)
        places.write(_path(git), steps[1].after)
    return steps


def plan_uninstall(git: Git) -> tuple[InstallStep, ...]:
    """Return the steps for removing the driver; none if it is not installed."""
    path, now = _path(git), _setting(git)
    before, section = _read(path), _section(git)
    steps = []
    if now:
        is_ours = "gitmem textconv" in now
        steps.append(
            InstallStep(
                REMOVE if is_ours else LEAVE, NAME, "the driver" if is_ours else "was not written by gitmem", now
            )
        )
    if before is not None and section.is_in(before):
        steps.append(InstallStep(REMOVE, str(path), "the files it is for", before, section.remove_from(before) or ""))
    return tuple(steps)


def uninstall(git: Git) -> tuple[InstallStep, ...]:
    """Remove the driver and return what was done."""
    steps = plan_uninstall(git)
    for step in steps:
        if step.what == REMOVE and step.path == NAME:
            git.run("config", "--local", "--unset-all", NAME)
        elif step.what == REMOVE and (step.after or was_empty(git.repository.state, _path(git))):
            places.write(_path(git), step.after)
        elif step.what == REMOVE:
            _path(git).unlink()
            if not was_empty(git.repository.state, _path(git).parent):
                with suppress(OSError):  # it contains other files
                    _path(git).parent.rmdir()
    return steps
