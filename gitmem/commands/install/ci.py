"""Install and remove jobs on a forge: files of the work tree, and one on the memory branch.

The files of the work tree are written for the person to review and commit. The one on the memory branch is committed
like any other write: a pull request's jobs come from its own commits.
"""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

from gitmem.commands.install import ci_files
from gitmem.commands.install import place as places
from gitmem.commands.install.ci_files import FORMER, FORMER_ON_BRANCH, FORMS, IN_TREE, ON_BRANCH, is_ours
from gitmem.commands.install.ci_options import OPTIONS_PATH, CiOptions, read_options, with_bumped
from gitmem.commands.install.place import ADD, KEEP, LEAVE, REMOVE, UPDATE, InstallStep
from gitmem.commands.install.schedule import every_of, read_text
from gitmem.errors import GitmemError, UsageError
from gitmem.frozen import frozen, replace
from gitmem.model import Problem
from gitmem.store import layout
from gitmem.store.commit import CommitPlan
from gitmem.store.read import display_path
from gitmem.system.origin import find_origin
from gitmem.verify.jobs.schedule import HOURS_BY_NAME, WORKFLOWS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from gitmem.repository import OpenRepository

# The largest file of ours, when reading from a branch that others may have written.
SIZE_LIMIT = 65_536
TO_COMMIT, TO_SYNC = "review and commit it", "push it with gitmem sync"


@frozen
class CiPlan:
    """The steps in the work tree and on the memory branch.

    Attributes:
        tree: A step for each file of the work tree.
        branch: A step for each file of the memory branch, its path prefixed with the branch.
    """

    tree: tuple[InstallStep, ...]
    branch: tuple[InstallStep, ...]

    @property
    def steps(self) -> tuple[InstallStep, ...]:
        """Return them all."""
        return self.tree + self.branch


def plan_install(
    repository: OpenRepository, forge: str, asked: Mapping[str, Any] | None = None, *, force: bool = False
) -> CiPlan:
    """Return the steps for installing a forge's jobs; without a memory branch, none for it.

    Args:
        repository: The store.
        forge: One of ``ci_files.FORGES``.
        asked: Options by their names in ``CiOptions``, overriding those of the file.
        force: Overwrite changed files.

    Raises:
        UsageError: An interval is invalid, there are too many shards, or a name cannot be used in the files.
        ConfigError: The file with the options is malformed.
        GitmemError: There is no work tree, or a file's path contains a link.
    """
    top = _top(repository)
    wanted = _options(repository, top, forge, asked or {})
    tree = [
        _write_step(str(top / path), _read(top, path), text, force=force, about=TO_COMMIT)
        for path, text in ci_files.texts(forge, wanted).items()
    ]
    former = [(str(top / path), _read(top, path)) for path in FORMER.get(forge, ())]
    tree += _removal_steps(former, "of an earlier version; commit that", force=force)
    tip = repository.find_tip()
    files = ci_files.texts(forge, wanted, on_branch=True) if tip else {}
    branch = [
        _write_step(
            f"{wanted.branch}:{path}",
            _on_branch(repository, tip, path),
            text,
            force=force,
            about=TO_SYNC,
            is_exact=True,
        )
        for path, text in files.items()
    ]
    former = [
        (f"{wanted.branch}:{path}", _on_branch(repository, tip, path)) for path in FORMER_ON_BRANCH.get(forge, ())
    ]
    branch += _removal_steps(former, TO_SYNC, force=force)
    return CiPlan(tuple(tree), tuple(branch))


def _options(repository: OpenRepository, top: Path, forge: str, asked: Mapping[str, Any]) -> CiOptions:
    """Return the options: the given ones, those of the options file, and defaults."""
    text = _read(top, OPTIONS_PATH)
    options = {**(read_options(text) if text else {}), **asked}
    default = repository.default_branch().removeprefix("refs/heads/").removeprefix("refs/remotes/")
    setup = CiOptions(**options)
    known = replace(
        setup,
        every=every_of(setup.every),
        branch=repository.config.branch,
        package=setup.package or _package(),
        default=default.removeprefix(f"{repository.config.remote}/") or setup.default,
        has_merge_pipelines=has_merge_pipelines(top),
    )
    there = [text for path in IN_TREE[forge] if (text := _read(top, path)) and is_ours(text)]
    return _with_times(with_bumped(known, forge, there), top, forge)


def has_merge_pipelines(top: Path) -> bool:
    """Return whether a GitLab project's own jobs run in merge request pipelines, by its configuration."""
    text = read_text(top / layout.GITLAB_PATH) or ""
    return "merge_request_event" in text or "MergeRequest-Pipelines" in text


def _package() -> str:
    """Return the running gitmem, which jobs install unless another one is given."""
    origin = find_origin()
    if not origin.package:
        raise UsageError(
            f"{origin.reason}; choose the gitmem that the jobs install",
            hint=f"add --package {FORMS}",
        )
    return origin.package


def _write_step(
    path: str, before: str | None, text: str, *, force: bool, about: str, is_exact: bool = False
) -> InstallStep:
    if before is None:
        return InstallStep(ADD, path, about, "", text)
    if before == text:
        return InstallStep(KEEP, path, "already exists", before, text)
    if is_ours(before, is_exact=is_exact) or force:
        return InstallStep(UPDATE, path, about, before, text)
    return InstallStep(LEAVE, path, "was changed: use --force to overwrite it", before, text)


def _with_times(wanted: CiOptions, top: Path, forge: str) -> CiOptions:
    """Return the options with the times of the existing workflow, so that all clones write the same; or new times.

    The times are arbitrary, so that not all repositories' jobs run at once, and never at the full hour, when schedules
    are delayed or dropped.
    """
    hours = HOURS_BY_NAME[wanted.every]
    there = ci_files.time_of(read_text(top / WORKFLOWS[forge]) or "") if forge in WORKFLOWS else None
    if there is not None and there[1] < (6 if hours >= 24 else hours):
        return replace(wanted, minute=there[0], hour=there[1])
    digest = sha256(os.fsencode(top.name)).digest()
    minute = 1 + digest[0] % 58
    return replace(
        wanted,
        minute=minute + (minute >= 30),
        hour=1 + digest[1] % 5 if hours >= 24 else digest[1] % hours,
    )


def install(
    repository: OpenRepository, forge: str, asked: Mapping[str, Any] | None = None, *, force: bool = False
) -> tuple[InstallStep, ...]:
    """Write the files and return what was done; doing it again changes nothing."""
    planned = plan_install(repository, forge, asked, force=force)
    for step in planned.tree:
        if step.what in (ADD, UPDATE):
            places.write(Path(step.path), step.after)
    remove_files(repository, planned.tree)
    _commit(repository, planned.branch, f"{forge}: a job reviews pull requests to this branch")
    return planned.steps


def plan_uninstall(repository: OpenRepository, forge: str, *, force: bool = False) -> CiPlan:
    """Return the steps for removing the jobs; a changed file stays."""
    top, tip = _top(repository), repository.find_tip()
    tree = [(str(top / path), _read(top, path)) for path in (*IN_TREE[forge], *FORMER.get(forge, ()))]
    names = (*ON_BRANCH[forge], *FORMER_ON_BRANCH.get(forge, ()))
    branch = [(f"{repository.config.branch}:{path}", _on_branch(repository, tip, path)) for path in names]
    return CiPlan(_removal_steps(tree, "commit its removal", force=force), _removal_steps(branch, TO_SYNC, force=force))


def _removal_steps(found: Iterable[tuple[str, str | None]], about: str, *, force: bool) -> tuple[InstallStep, ...]:
    left = "was changed: use --force to remove it"
    return tuple(
        InstallStep(REMOVE, path, about, before)
        if is_ours(before) or force
        else InstallStep(LEAVE, path, left, before, before)
        for path, before in found
        if before is not None
    )


def uninstall(repository: OpenRepository, forge: str, *, force: bool = False) -> tuple[InstallStep, ...]:
    """Remove the files and return what was done, with empty folders."""
    planned = plan_uninstall(repository, forge, force=force)
    remove_files(repository, planned.tree)
    _commit(repository, planned.branch, f"{forge}: remove the job that reviews pull requests to this branch")
    return planned.steps


def remove_files(repository: OpenRepository, steps: Iterable[InstallStep]) -> None:
    """Delete the files of the work tree whose steps say so."""
    for step in steps:
        if step.what == REMOVE:
            places.remove(Path(step.path), _top(repository))


def _commit(repository: OpenRepository, steps: Sequence[InstallStep], subject: str) -> None:
    """Apply the steps for the memory branch in one commit, planned on its current tip."""
    changed = [(step, step.path.partition(":")[2]) for step in steps if step.what in (ADD, UPDATE, REMOVE)]

    def plan(tip: str | None) -> CommitPlan | None:
        # If someone else has written since, the next attempt reports it.
        due = [(step, path) for step, path in changed if (_on_branch(repository, tip, path) or "") == step.before]
        writes = tuple((path, step.after.encode()) for step, path in due if step.what != REMOVE)
        deletes = tuple(path for step, path in due if step.what == REMOVE)
        return CommitPlan(subject, writes=writes, deletes=deletes, machine=True) if due else None

    if changed:
        repository.commit(plan, "install")


def examine(repository: OpenRepository) -> list[Problem]:
    """Report workflows on the memory branch that gitmem did not write: for ``gitmem doctor``."""
    try:
        tip = repository.find_tip()
        entries = repository.git.list_tree(tip, layout.WORKFLOWS, layout.GITLAB_PATH) if tip else []
    except GitmemError:
        return []  # the branch is unreadable, which is reported elsewhere
    expected = {path for files in (*ON_BRANCH.values(), *FORMER_ON_BRANCH.values()) for path in files}
    message = "gitmem did not write it, and a forge may run it with this repository's permissions when memory is pushed"
    return [
        Problem(
            "forge-file",
            display_path(entry.path),
            message,
            hint=f"git log -p {repository.config.branch} -- {layout.WORKFLOWS} {layout.GITLAB_PATH}",
            severity="warning",
        )
        for entry in entries
        if entry.path not in expected or not is_ours(_on_branch(repository, tip, entry.path) or "", is_exact=True)
    ]


def _on_branch(repository: OpenRepository, tip: str | None, path: str) -> str | None:
    """Return the content of a file on the memory branch; None if there is none."""
    entries = [entry for entry in repository.git.list_tree(tip, path) if entry.path == path] if tip else []
    if not entries:
        return None
    if entries[0].mode not in layout.REGULAR_MODES or entries[0].size > SIZE_LIMIT:
        return "\0"  # whatever it is, we did not write it
    return repository.git.run("cat-file", "blob", entries[0].oid).stdout.decode("utf-8", "surrogateescape")


def _top(repository: OpenRepository) -> Path:
    top = repository.git.repository.work_tree
    if top is None:
        raise GitmemError("this repository has no work tree to write a workflow into")
    return top


def _read(top: Path, path: str) -> str | None:
    """Return the content of a file in the work tree; None if there is none.

    Raises:
        GitmemError: Its path contains a link: a folder of the code may be a link to anywhere.
    """
    for inner in (Path(path), *Path(path).parents):
        if (top / inner).is_symlink() and inner != Path():
            raise GitmemError(f"{top / path} leads through a link; nothing is written there")
    return read_text(top / path)
