"""Problems of the memory branch in git, and repairs of an unreadable branch or tree.

A foreign branch is left alone, and nothing is deleted from a store unless a person names it.
"""

from __future__ import annotations

import time
from pathlib import Path

from gitmem.errors import ForeignBranchError, GitmemError, NotFoundError, ProcessError
from gitmem.git.repository import is_oid
from gitmem.model import Problem
from gitmem.store import layout
from gitmem.store.commit import CommitPlan, ref_lock_path
from gitmem.store.foreign import is_stray, kind_of
from gitmem.store.layout import ROOT_EMAIL, ROOT_NAME
from gitmem.store.proofs import FOREIGN as FOREIGN_COMMIT
from gitmem.store.proofs import STORES
from gitmem.store.read import display_path
from gitmem.store.state.write_lock import STALE_AFTER_S, is_held
from gitmem.system import make_folder, read_regular
from gitmem.text import display
from gitmem.write.draft import key_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.git import Git
    from gitmem.index.catalog import Catalog
    from gitmem.repository import OpenRepository

# The entries that a person may delete from the tip: they are not read, and the history keeps them.
REMOVABLE = frozenset({"bad-name", "symlink", "submodule", "bad-mode"})
# How many commits back to search for a readable tree.
LOOKED_BACK = 500
# The branch is not a store's; it is one, with entries that belong to none.
FOREIGN, STRAYS = "foreign-branch", "stray-entries"


def check_lock(repository: OpenRepository, fix: bool, fixed: list[str]) -> list[Problem]:
    """Report a lock file of the branch."""
    lock = Path(ref_lock_path(repository.git, repository.ref))
    try:
        age = time.time() - lock.stat().st_mtime
    except OSError:
        return []
    if age < STALE_AFTER_S or is_held(lock):
        return [Problem("ref-locked", str(lock), "another git process is updating the branch", severity="warning")]
    if fix:
        lock.unlink(missing_ok=True)
        fixed.append(f"removed a stale lock file ({age:.0f} s old): {lock}")
        return []
    return [Problem("stale-lock", str(lock), f"a stale lock file, {age:.0f} s old", hint="gitmem doctor --fix")]


def check_ref(repository: OpenRepository, fix: bool, fixed: list[str]) -> list[Problem]:
    """Report problems of the branch's ref."""
    target = repository.git.symbolic_target(repository.ref)
    message = f"it is a symbolic ref to {target}" if target else ""
    try:
        tip = repository.git.read_ref(repository.ref)
    except GitmemError as err:
        message = message or err.message
    if message:
        if fix and _restore_ref(repository, fixed, target):
            return []
        return [Problem("broken-ref", repository.ref, message, hint="gitmem doctor --fix")]
    if tip is not None and not repository.git.has(tip, "commit"):
        if fix and _restore_ref(repository, fixed):
            return []
        message = f"it points to {tip[:12]}, which is not a commit in this clone"
        return [Problem("broken-ref", repository.ref, message, hint="git fetch origin; or gitmem doctor --fix")]
    try:
        commit = tip or repository.find_tip()
    except GitmemError as err:  # the remote's, as this clone knows it
        return [Problem("broken-ref", repository.ref, err.message, hint=f"git fetch {repository.config.remote}")]
    if commit is None and not repository.tree():
        message = "there is no memory in this repository yet"
        return [Problem("no-store", repository.ref, message, hint="gitmem init", severity="warning")]
    return []


def check_foreign(repository: OpenRepository) -> list[Problem]:
    """Report that the branch, here or at the remote, is not a store, or has entries that belong to none."""
    if repository.git.symbolic_target(repository.ref):
        return []
    try:
        repository.need_store()
    except ForeignBranchError as err:
        code = FOREIGN if repository.find_tip() is None else STRAYS
        return [Problem(code, repository.ref, err.message, hint=err.hint)]
    except GitmemError:
        return []  # it is missing, or its ref is broken: reported elsewhere
    return []


def _restore_ref(repository: OpenRepository, fixed: list[str], target: str = "") -> bool:
    """Reset the branch to the newest commit named by its reflog, or else by the remote.

    Commits of the ref that it pointed to (*target*) do not count, although git logs them as well.
    """
    git = repository.git
    path = git.repository.common_dir / repository.ref
    for oid in _former_tips(repository):
        if target and git.is_ancestor(oid, target):
            continue
        if git.has(oid, "commit") and kind_of(git, oid) != FOREIGN_COMMIT:
            saved = git.repository.state_dir / f"{path.name}.broken"
            was_file = path.is_file()
            if was_file:
                make_folder(saved.parent)
                path.replace(saved)
            git.run("update-ref", "-m", "gitmem: doctor", repository.ref, oid, durable=True)
            where = f"; the broken file is kept as {saved}" if was_file else ""
            fixed.append(f"reset {repository.ref} to {oid[:12]}{where}")
            return True
    return False


def _former_tips(repository: OpenRepository) -> list[str]:
    """Return the commits that the branch's reflog names, newest first, then the remote's tip."""
    log = repository.git.repository.common_dir / "logs" / repository.ref
    lines = read_regular(log).decode("utf-8", "replace").strip().split("\n") if log.is_file() else []
    names = [line.split(" ", 2)[1] for line in reversed(lines) if line.count(" ") >= 2]
    try:
        remote = repository.git.read_ref(f"refs/remotes/{repository.config.remote}/{repository.config.branch}")
    except GitmemError:
        remote = None
    return [name for name in (*names, remote) if name and is_oid(name) and set(name) != {"0"}]


def check_tree(repository: OpenRepository, fix: bool, fixed: list[str]) -> list[Problem]:
    """Report that the tip's tree cannot be read; until it can, nothing else can be checked or written."""
    try:
        row = repository.catalog().row("SELECT message, hint FROM problem WHERE code = 'tree-unreadable'")
    except ProcessError as err:
        row = (f"no tree of the branch is readable: {err.message}", "gitmem doctor --fix")
    if row is None or (fix and _restore_tree(repository, fixed)):
        return []
    return [Problem("tree-unreadable", "", row[0], hint=row[1])]


def _restore_tree(repository: OpenRepository, fixed: list[str]) -> bool:
    """Commit the newest readable tree on top of the unreadable one; the history keeps both."""
    git, tip = repository.git, repository.git.read_ref(repository.ref)
    if tip is None:
        return False
    line = git.run("rev-list", "--first-parent", f"--max-count={LOOKED_BACK}", tip, check=False).stdout
    for oid in dict.fromkeys([*line.decode("ascii").split(), *_former_tips(repository)]):
        if kind_of(git, oid) in STORES and _can_be_listed(git, oid):
            message = f"doctor: write the tree of {oid[:12]} on top of one that cannot be read"
            who = ("-c", f"user.name={ROOT_NAME}", "-c", f"user.email={ROOT_EMAIL}")
            commit = git.run(*who, "commit-tree", "-p", tip, "-m", message, f"{oid}^{{tree}}", durable=True).stdout
            git.run(
                "update-ref", "-m", "gitmem: doctor", repository.ref, commit.decode("ascii").strip(), tip, durable=True
            )
            fixed.append(f"committed the tree of {oid[:12]} on top of {tip[:12]}, whose own tree is unreadable")
            return True
    return False


def _can_be_listed(git: Git, commit: str) -> bool:
    try:
        git.list_tree(commit)
    except ProcessError:
        return False
    return True


def list_problems(catalog: Catalog) -> list[Problem]:
    """Return the problems of single entries, by path."""
    rows = catalog.rows("SELECT code, path, message, key, hint, severity FROM problem ORDER BY path, code")
    return [Problem(*row) for row in rows]


def rename_devices(repository: OpenRepository, fixed: list[str]) -> None:
    """Give memories whose names Windows keeps for devices (``nul.md``) the names that an import gives them now."""
    named = {p.path: _allowed_path(p.path) for p in list_problems(repository.catalog()) if p.code == "bad-name"}
    if not any(named.values()):
        return

    def plan(tip: str | None) -> CommitPlan | None:
        assert tip is not None, "there is a branch"
        paths = {entry.path for entry in repository.git.list_tree(tip)}
        moves = tuple((old, new) for old, new in named.items() if new and old in paths and new not in paths)
        return CommitPlan("doctor: rename memories with reserved names", moves=moves, machine=True) if moves else None

    repository.commit(plan, "doctor")
    left = {p.path for p in list_problems(repository.catalog())}
    fixed += [f"renamed {old} to {new} on the branch" for old, new in named.items() if new and old not in left]


def _allowed_path(path: str) -> str:
    """Return the allowed path of a memory whose name is that of a device; else an empty path."""
    archived = path.startswith("archive/")
    folder, *split, name = path.removeprefix("archive/").split("/")
    key, possible = name.removesuffix(".md"), key_from(name.removesuffix(".md"))
    allowed = layout.memory_path(folder, possible, split=bool(split), archived=archived)
    return allowed if possible == f"key-{key}" and layout.find_memory(allowed) is not None else ""


def delete_entries(repository: OpenRepository, named: Sequence[str], fixed: list[str]) -> None:
    """Delete entries that belong to no store from the tip, in one commit; the history keeps them.

    Raises:
        NotFoundError: A name matches no such entry, nor a folder with one.
    """
    problems = {p.path: p for p in list_problems(repository.catalog()) if p.code in REMOVABLE}
    wanted = set()
    for name in named:
        # A person can also type the displayed form of a name.
        found = {path for path in problems for form in (path, display(path)) if is_stray(form, [name.rstrip("/")])}
        wanted |= found
        if not found:
            message = f"{name}: the branch has no entry of this name outside its store"
            raise NotFoundError(message, hint="gitmem doctor lists such entries; gitmem forget KEY retires a memory")

    def plan(tip: str | None) -> CommitPlan | None:
        assert tip is not None, "there is a branch"
        # By the tree's own names, which may differ from the displayed ones; an empty name cannot be typed.
        entries = [entry.path for entry in repository.git.list_tree(tip) if display_path(entry.path) in wanted]
        paths = sorted(path for path in entries if all(path.split("/")))
        message = f"doctor: delete {len(paths)} entr{'y' if len(paths) == 1 else 'ies'} that belong to no store"
        return CommitPlan(message, deletes=tuple(paths), machine=True) if paths else None

    repository.commit(plan, "doctor", repairs=True)
    gone = wanted - {p.path for p in list_problems(repository.catalog())}
    fixed += [
        f"deleted {path!r} from the branch ({problems[path].message}); its history keeps it" for path in sorted(gone)
    ]
