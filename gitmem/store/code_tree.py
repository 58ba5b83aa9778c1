"""Read the code tree's memories in ``.memory/`` from the object database, like the memory branch."""

from __future__ import annotations

from gitmem.frozen import replace
from gitmem.git import Git
from gitmem.model import Problem
from gitmem.store import layout, read
from gitmem.store.code_folder import CODE_PREFIX


def scan_all(git: Git, tree: str) -> read.Scan:
    """Return every memory of a tree ``.memory``, and a problem for each entry that is not allowed there."""
    return _place(read.sort_entries(tree, git.list_tree(tree)))


def scan_changes(git: Git, old: str, new: str) -> read.Scan:
    """Return what changed between two trees ``.memory``.

    Raises:
        ProcessError: One of them cannot be read.
    """
    return _place(read.scan_changes(git, old, new))


def _place(scan: read.Scan) -> read.Scan:
    """Return a scan with its paths below ``.memory/``; only memories are read there."""
    files = [f for f in scan.files if f.place.what == layout.MEMORY]
    served = {f.path for f in files}
    problems = [_own(p) for p in scan.problems if not p.path.upper().startswith("README")]
    problems += [
        Problem("not-in-code", f.path, f"a {f.place.what} has an effect only on the memory branch", severity="warning")
        for f in scan.files
        if f.path not in served
    ]
    return read.Scan(
        scan.commit,
        tuple(replace(f, path=CODE_PREFIX + f.path) for f in files),
        tuple(CODE_PREFIX + path for path in scan.removed),
        tuple(replace(p, path=CODE_PREFIX + p.path) for p in problems),
        tuple(CODE_PREFIX + path for path in scan.added),
        scan.is_twice,
    )


def _own(problem: Problem) -> Problem:
    """Return a problem with advice that fits files of the code, which only the person may change."""
    if problem.code in ("bad-name", "symlink", "submodule", "bad-mode"):
        return replace(problem, hint=f"git mv or git rm it: {CODE_PREFIX}{problem.path}")
    return problem


def join_scans(branch: read.Scan, home: read.Scan) -> read.Scan:
    """Return two scans combined."""
    return read.Scan(
        branch.commit,
        (*branch.files, *home.files),
        (*branch.removed, *home.removed),
        (*branch.problems, *home.problems),
        (*branch.added, *home.added),
        branch.is_twice or home.is_twice,
    )


def place_of(path: str) -> layout.StorePath | str:
    """Parse a path of the branch or the code tree; return its place, or one sentence why nothing may be there."""
    return layout.place_of(path.removeprefix(CODE_PREFIX))
