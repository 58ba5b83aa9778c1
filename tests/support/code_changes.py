"""A branch with a change, the check of it, and its findings, for the tests of checked changes."""

from __future__ import annotations

from pathlib import Path

from conftest import commit_files, git

from gitmem.commands.check.change import ChangeSpan, StoreChange, Trees
from gitmem.commands.check.run import CheckResult
from gitmem.memory import Memory
from gitmem.verify.options import Options
from gitmem.verify.overview.finding import FactFinding

RS256 = {"contains": "RS256", "in": "src/auth/*.py"}


def change(
    repo: Path, files: dict[str, str] | None = None, *, branch: str = "change", gone: tuple[str, ...] = ()
) -> str:
    """Make a branch with a change of these files and return its commit; it is checked out."""
    git(repo, "checkout", "-q", "-b", branch)
    for path in gone:
        git(repo, "rm", "-q", path)
    return commit_files(repo, files or {})


def check(memory: Memory, *keys: str, base: str = "", head: str = "", **options) -> CheckResult:
    """Check a change, without a sandbox: it is tested elsewhere, and this is quicker."""
    options.setdefault("no_sandbox", True)
    return memory.check(options=Options(keys=keys, **options), base=base, head=head)


def store_change(memory: Memory, base: str, head: str) -> StoreChange:
    """Return the change between two commits, against the facts of the project."""
    store = memory.repository
    trees = Trees(store.git, base, lambda: head, store.git.diff_trees(base, head))
    return StoreChange(store, Options(), ChangeSpan(base, head, base), trees, lambda *_: None)


def kinds(checked: CheckResult) -> dict[str, str]:
    """Return what came of each fact and suspect, by key."""
    return {finding.key: finding.kind for finding in checked.findings}


def finding(checked: CheckResult, key: str) -> FactFinding:
    """Return the finding of one key."""
    return next(found for found in checked.findings if found.key == key)
