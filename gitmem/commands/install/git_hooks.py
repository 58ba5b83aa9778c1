"""Install and remove the shims in git's hooks folder, preserving existing hooks.

An existing hook is renamed beside the shim, which calls it; removing the shim renames it back, so it is the same file
byte for byte, with its mode and times. A hook that the repository tracks is never touched.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from gitmem.commands.install import shim
from gitmem.commands.install.place import ADD, BY_HAND, CHAIN, KEEP, LEAVE, REMOVE, RESTORE, UPDATE, InstallStep
from gitmem.errors import ConflictError, GitmemError, UsageError, suppress
from gitmem.store.state.empty_files import note_empty, was_empty
from gitmem.system import atomic_write, command_of, read_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.git import Git

# git's names for settings of the whole machine or person (git-config(1), --show-scope).
SHARED_SCOPES = ("global", "system")
# pre-commit renames an existing hook to this and continues to call it (pre-commit.com, "Running in migration mode").
LEGACY = ".legacy"
# Tools that write hooks, by a word in every hook of theirs.
MANAGERS = {"pre-commit": b"pre-commit", "lefthook": b"lefthook", "husky": b'"$(dirname "$0")/h"'}


def folder_of(git: Git) -> tuple[Path, str]:
    """Return git's hooks folder, and the scope of the setting that names it; an empty scope for the default."""
    result = git.run("config", "-z", "--show-scope", "--type=path", "--get-all", "core.hooksPath", check=False)
    words = os.fsdecode(result.stdout).split("\0")[:-1]
    # Settings given by our own calls have the scope `command`.
    settings = [pair for pair in zip(words[::2], words[1::2], strict=True) if pair[0] != "command"]
    if not settings:
        return git.repository.common_dir / "hooks", ""
    scope, path = settings[-1]
    # A relative path is relative to where hooks run (git-config(1), core.hooksPath).
    return Path(os.path.normpath(Path(git.repository.top or git.repository.git, path))), scope


def plan_install(git: Git, *, shared: bool = False, check: bool = False) -> tuple[InstallStep, ...]:
    """Return the steps for installing the shims, one per event.

    Args:
        git: The repository.
        shared: Install them even if the folder serves other repositories as well.
        check: Include the shims that check a commit; existing ones stay in any case.

    Raises:
        UsageError: The folder serves other repositories as well, and *shared* does not allow that.
        ConflictError: A hook was replaced after its installation, and both the old and the new one exist.
    """
    folder, scope = folder_of(git)
    if scope in SHARED_SCOPES and not shared:
        raise UsageError(
            f"core.hooksPath is set for all your repositories: {folder}",
            hint="install the hooks for all of them: gitmem install git-hooks --shared\nthey do nothing in a "
            "repository without a memory",
        )
    checks = [event for event in shim.CHECKS if check or _is_ours(folder, event)]
    return tuple(_plan_one(git, folder, event) for event in (*shim.EVENTS, *checks))


def _is_ours(folder: Path, event: str) -> bool:
    return any(shim.is_shim(_read(folder / name) or b"") for name in (event, event + LEGACY))


def _plan_one(git: Git, folder: Path, event: str) -> InstallStep:
    path, legacy = folder / event, folder / f"{event}{LEGACY}"
    if shim.is_shim(_read(legacy) or b"") and not shim.is_shim(_read(path) or b""):
        path = legacy  # the tool that moved it there calls it: a second shim in front would be called in a loop
    kept = folder / f"{event}{shim.ORIGINAL_SUFFIX}"
    text = shim.text_of(event, python=sys.executable)
    content = _read(path)
    beside = " next to the existing hook" if os.path.lexists(kept) else ""
    if content is None:
        where = " (in your work tree)" if _inside(git, folder) is not None else ""
        return InstallStep(ADD, str(path), f"a git hook{beside}{where}", "", text)
    if shim.is_shim(content):
        before = content.decode("utf-8", "replace")
        is_same = before == text
        what = "already exists" if is_same else "a git hook"
        return InstallStep(KEEP if is_same else UPDATE, str(path), what, before, text)
    maker = _maker(content)
    if _is_tracked(git, path):
        message = f"is a tracked file{maker}: add this line to it yourself: {shim.line_of(event)}"
        return InstallStep(BY_HAND, str(path), message)
    if os.path.lexists(kept) and _read(kept) != content:
        raise ConflictError(
            f"{path} was replaced{maker} after gitmem saved the earlier hook as {kept.name}",
            hint=f"keep the one you want, and move the other one away: {kept}",
        )
    return InstallStep(CHAIN, str(path), f"a git hook, which runs the existing one{maker}, {kept.name}", "", text)


def install(git: Git, *, shared: bool = False, check: bool = False) -> tuple[InstallStep, ...]:
    """Install the shims and return what was done; doing it again changes nothing.

    Raises:
        GitmemError: The folder cannot be written to; nothing was changed.
    """
    steps = plan_install(git, shared=shared, check=check)
    folder, _ = folder_of(git)
    _need_writable(folder)
    note_empty(git.repository.state, folder, folder.parent)
    folder.mkdir(parents=True, exist_ok=True)
    # Without this folder, the shims do nothing: gitmem was never used there.
    git.repository.state_dir.mkdir(mode=0o700, exist_ok=True)
    for step in steps:
        if step.what == CHAIN:
            Path(step.path).replace(f"{step.path}{shim.ORIGINAL_SUFFIX}")
        if step.what in (ADD, CHAIN, UPDATE):
            # Atomically: git may be about to call it.
            atomic_write.write(Path(step.path), step.after.encode(), mode=0o755)
    return steps


def plan_uninstall(git: Git) -> tuple[InstallStep, ...]:
    """Return the steps for removing the shims, one per hook that is ours or was renamed by us."""
    folder, _ = folder_of(git)
    steps = []
    for event in (*shim.EVENTS, *shim.CHECKS):
        path = folder / event
        kept = path.with_name(f"{event}{shim.ORIGINAL_SUFFIX}")
        ours = next((p for p in (path, path.with_name(event + LEGACY)) if shim.is_shim(_read(p) or b"")), None)
        if ours is None and os.path.lexists(kept):
            if os.path.lexists(path):
                message = f"was not written by gitmem; the earlier hook is {kept.name}"
                steps.append(InstallStep(LEAVE, str(path), message))
            else:
                steps.append(InstallStep(RESTORE, str(path), "the earlier hook"))
        elif ours is not None:
            text = (_read(ours) or b"").decode("utf-8", "replace")
            is_same = ours != path and _read(kept) is not None and _read(kept) == _read(path)
            if os.path.lexists(kept) and not is_same:  # pre-commit has restored the same hook itself
                steps.append(InstallStep(RESTORE, str(ours), "the earlier hook", text))
            else:
                steps.append(InstallStep(REMOVE, str(ours), "a git hook", text))
    return tuple(steps)


def uninstall(git: Git) -> tuple[InstallStep, ...]:
    """Remove the shims, restore the original hooks, and return what was done.

    Raises:
        GitmemError: The folder cannot be written to; nothing was changed.
    """
    steps = plan_uninstall(git)
    folder, _ = folder_of(git)
    if steps:
        _need_writable(folder)
    for step in steps:
        path = Path(step.path)
        if step.what == RESTORE:
            path.with_name(path.name.removesuffix(LEGACY) + shim.ORIGINAL_SUFFIX).replace(path)
        elif step.what == REMOVE:
            path.unlink()
            path.with_name(path.name.removesuffix(LEGACY) + shim.ORIGINAL_SUFFIX).unlink(missing_ok=True)
    with suppress(OSError):  # it contains other hooks
        if steps and not was_empty(git.repository.state, folder):
            folder.rmdir()
    return steps


def list_missing(git: Git) -> list[str]:
    """Return the hooks that were ours and have been replaced since, if others still are."""
    folder, _ = folder_of(git)
    ours = {event: _is_ours(folder, event) for event in (*shim.EVENTS, *shim.CHECKS)}
    kept = {event for event in ours if os.path.lexists(folder / f"{event}{shim.ORIGINAL_SUFFIX}")}
    # Checking hooks, and those that earlier versions did not install, are only missed if there is a renamed hook.
    optional = ("pre-push", *shim.CHECKS)
    wanted = [event for event in ours if event not in optional or event in kept]
    was_set = any(ours.values()) or bool(kept)
    return [str(folder / event) for event in wanted if was_set and not ours[event]]


def _read(path: Path) -> bytes | None:
    """Return a hook's content, None if there is none; a dangling link counts as a hook."""
    try:
        return read_regular(path)
    except FileNotFoundError:
        return b"" if path.is_symlink() else None
    except NotADirectoryError:
        return None
    except OSError as err:
        raise GitmemError(f"{path} cannot be read: {err.strerror}", hint="a hook is a file; move it away") from err


def _maker(content: bytes) -> str:
    return next((f" (of {name})" for name, word in MANAGERS.items() if word in content), "")


def _is_tracked(git: Git, path: Path) -> bool:
    inside = _inside(git, path.parent)
    if inside is None:
        return False
    top, spec = str(git.repository.top), f":(literal){inside / path.name}"
    return bool(git.run(f"--work-tree={top}", "-C", top, "ls-files", "-z", "--", spec).stdout)


def _inside(git: Git, folder: Path) -> Path | None:
    """Return a folder's path in the work tree, links resolved; None if it is outside, or in .git."""
    if git.repository.work_tree is None:
        return None
    real, top = folder.resolve(), git.repository.work_tree.resolve()
    if not real.is_relative_to(top) or real.is_relative_to(git.repository.common_dir.resolve()):
        return None
    return real.relative_to(top)


def _need_writable(folder: Path) -> None:
    there = folder
    while not there.exists():
        there = there.parent
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise GitmemError(
            f"the hooks' folder is not writable: {folder}",
            hint=f"nothing was changed; make it writable, then try again: {command_of('chmod', 'u+w', str(there))}",
        )
