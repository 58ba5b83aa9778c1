"""Is the store well formed, and can this machine do what it must? Each problem is told, none hides another."""

from __future__ import annotations

import json
import re
import time

from gitmem import doctor_vectors, leftovers
from gitmem.catalog.state import TO_SETTLE
from gitmem.doctor_checks import list_secrets, list_undeclared, list_without_effect, tracing
from gitmem.document import conflict
from gitmem.document.fields import format_time, warnings_of
from gitmem.errors import GitmemError, ProcessError
from gitmem.frozen import frozen, replace
from gitmem.git.repository import is_oid
from gitmem.locks import make_folder
from gitmem.model import BUILTIN_FIELDS, Document, Problem
from gitmem.store.commit import Plan, ref_lock_path, write_commit
from gitmem.store.files import SETTLE_MARK
from gitmem.store.home import is_home
from gitmem.store.layout import POLICY_LIMIT, POLICY_PATH, ROOT_EMAIL, ROOT_NAME
from gitmem.store.lock import STALE_AFTER_S, is_held
from gitmem.store.read import display_path
from gitmem.surroundings import list_around

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from gitmem.catalog.catalog import Catalog
    from gitmem.git.binary import Git
    from gitmem.opened import Opened

# The first git with the fixes of CVE-2024-32002, -32004 and -32465 (threat T7).
SAFE_GIT = (2, 39, 4)
# Codes of entries that may be deleted from the tip: nothing of them was ever served, and history keeps them.
REMOVABLE = frozenset({"bad-name", "symlink", "submodule", "bad-mode"})
# How many commits back a tree that can be read is looked for.
LOOKED_BACK = 500


@frozen
class Examined:
    """What doctor found.

    Attributes:
        problems: The problems that remain, errors first, by path.
        fixed: What was repaired, one line each.
        machine: What this machine has, as name and value.
    """

    problems: tuple[Problem, ...]
    fixed: tuple[str, ...]
    machine: tuple[tuple[str, str], ...]


def examine(memory: Opened, *, fix: bool, replaced_hooks: Sequence[str] = ()) -> Examined:
    """Look at branch, catalog, links and machine; repair what can be repaired without losing anything.

    Args:
        memory: The store.
        fix: Whether to repair.
        replaced_hooks: Hooks that were ours and are something else now.
    """
    fixed: list[str] = []
    found = [*_locks(memory, fix, fixed), *_branch(memory, fix, fixed)]
    if not any(p.code in ("broken-ref", "no-store") for p in found):
        unreadable = _tree(memory, fix, fixed)
        found += unreadable or [*_stored(memory, fix, fixed), *_links(memory.catalog())]
        found += leftovers.captured(memory, fix, fixed)
        found += (
            [] if unreadable else [*list_undeclared(memory, memory.catalog()), *list_without_effect(memory.policy())]
        )
    found += leftovers.lost_captures(memory, fix, fixed)
    leftovers.litter(memory, fix, fixed)
    found += [*leftovers.behind(memory), *leftovers.hooks(replaced_hooks), *leftovers.failed_hooks(memory, fix, fixed)]
    allowed = memory.config.secrets_allow
    found += list_around(memory, lambda catalog: [*_list_problems(catalog), *list_secrets(catalog, allowed)])
    found += _machine_problems(memory)
    found += doctor_vectors.examine(memory, fix, fixed)
    return Examined(_ordered(found), tuple(fixed), tuple(_machine(memory)))


def added(examined: Examined, problems: Iterable[Problem], fixed: Iterable[str]) -> Examined:
    """Return what was found with more of it, in the same order."""
    return replace(examined, problems=_ordered([*examined.problems, *problems]), fixed=(*examined.fixed, *fixed))


def _ordered(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    return tuple(sorted(problems, key=lambda p: (p.severity != "error", p.path, p.key, p.code)))


def _locks(memory: Opened, fix: bool, fixed: list[str]) -> list[Problem]:
    lock = ref_lock_path(memory.git, memory.ref)
    try:
        age = time.time() - lock.stat().st_mtime
    except OSError:
        return []
    if age < STALE_AFTER_S or is_held(lock):
        return [Problem("ref-locked", str(lock), "another git process is moving the branch now", severity="warning")]
    if fix:
        lock.unlink(missing_ok=True)
        fixed.append(f"removed a lock file that nobody holds ({age:.0f} s old): {lock}")
        return []
    return [
        Problem("stale-lock", str(lock), f"a lock file that nobody holds, {age:.0f} s old", hint="gitmem doctor --fix")
    ]


def _branch(memory: Opened, fix: bool, fixed: list[str]) -> list[Problem]:
    target = memory.git.symbolic_target(memory.ref)
    told = f"it is no branch of its own, it stands for {target}" if target else ""
    try:
        tip = memory.git.read_ref(memory.ref)
    except GitmemError as err:
        told = told or err.message
    if told:
        if fix and _restore_ref(memory, fixed, target):
            return []
        return [Problem("broken-ref", memory.ref, told, hint="gitmem doctor --fix")]
    if tip is not None and not memory.git.has(tip, "commit"):
        if fix and _restore_ref(memory, fixed):
            return []
        told = f"it names {tip[:12]}, which is no commit here"
        return [Problem("broken-ref", memory.ref, told, hint="git fetch origin; or gitmem doctor --fix")]
    try:
        found = tip or memory.find_tip()
    except GitmemError as err:  # the remote's, as this clone knows it
        return [Problem("broken-ref", memory.ref, err.message, hint=f"git fetch {memory.config.remote}")]
    if found is None and not memory.tree():
        told = "there is no memory in this repository yet"
        return [Problem("no-store", memory.ref, told, hint="gitmem init", severity="warning")]
    return []


def _restore_ref(memory: Opened, fixed: list[str], target: str = "") -> bool:
    """Put the branch back on the newest commit that its reflog, or else the remote, names.

    One of the ref that it stood for (*target*) is none of ours: git logs that one, too.
    """
    git = memory.git
    path = git.repository.common_dir / memory.ref
    for oid in _former_tips(memory):
        if target and git.is_ancestor(oid, target):
            continue
        if git.has(oid, "commit"):
            kept = git.repository.state_dir / f"{path.name}.broken"
            was_file = path.is_file()
            if was_file:
                make_folder(kept.parent)
                path.replace(kept)
            git.run("update-ref", "-m", "gitmem: doctor", memory.ref, oid, durable=True)
            where = f"; the broken file is kept as {kept}" if was_file else ""
            fixed.append(f"put {memory.ref} back on {oid[:12]}{where}")
            return True
    return False


def _former_tips(memory: Opened) -> list[str]:
    """Return the commits that the branch's reflog names, the newest first, then the remote's tip."""
    log = memory.git.repository.common_dir / "logs" / memory.ref
    lines = log.read_text(encoding="utf-8", errors="replace").strip().split("\n") if log.is_file() else []
    names = [line.split(" ", 2)[1] for line in reversed(lines) if line.count(" ") >= 2]
    try:
        remote = memory.git.read_ref(f"refs/remotes/{memory.config.remote}/{memory.config.branch}")
    except GitmemError:
        remote = None
    return [name for name in (*names, remote) if name and is_oid(name) and set(name) != {"0"}]


def _tree(memory: Opened, fix: bool, fixed: list[str]) -> list[Problem]:
    """Return the problem that the tip's tree cannot be read; nothing else can be looked at, or written, until it is."""
    try:
        row = memory.catalog().row("SELECT message, hint FROM problem WHERE code = 'tree-unreadable'")
    except ProcessError as err:
        row = (f"no tree of the branch can be read: {err.message}", "gitmem doctor --fix")
    if row is None or (fix and _restore_tree(memory, fixed)):
        return []
    return [Problem("tree-unreadable", "", row[0], hint=row[1])]


def _restore_tree(memory: Opened, fixed: list[str]) -> bool:
    """Write the newest tree that can be read on top of one that cannot; the history keeps both."""
    git, tip = memory.git, memory.git.read_ref(memory.ref)
    if tip is None:
        return False
    line = git.run("rev-list", "--first-parent", f"--max-count={LOOKED_BACK}", tip, check=False).stdout
    for oid in dict.fromkeys([*line.decode("ascii").split(), *_former_tips(memory)]):
        if _can_be_listed(git, oid):
            told = f"doctor: write the tree of {oid[:12]} on top of one that cannot be read"
            who = ("-c", f"user.name={ROOT_NAME}", "-c", f"user.email={ROOT_EMAIL}")
            made = git.run(*who, "commit-tree", "-p", tip, "-m", told, f"{oid}^{{tree}}", durable=True).stdout
            git.run("update-ref", "-m", "gitmem: doctor", memory.ref, made.decode("ascii").strip(), tip, durable=True)
            fixed.append(f"wrote the tree of {oid[:12]} on top of {tip[:12]}, whose own cannot be read")
            return True
    return False


def _can_be_listed(git: Git, commit: str) -> bool:
    try:
        git.list_tree(commit)
    except ProcessError:
        return False
    return True


def _stored(memory: Opened, fix: bool, fixed: list[str]) -> list[Problem]:
    problems = _list_problems(memory.catalog())
    removable = {p.path: p for p in problems if p.code in REMOVABLE}
    if fix and removable and memory.git.read_ref(memory.ref) is not None:
        _remove(memory, removable)
        left = _list_problems(memory.catalog())
        gone = removable.keys() - {p.path for p in left}
        fixed += [f"removed {path!r} from the branch ({removable[path].message}); its history keeps it"
                  for path in sorted(gone)]  # fmt: skip
        problems = left
    catalog = memory.catalog()
    problems += list_secrets(catalog, memory.config.secrets_allow)
    return [*problems, *_newer(catalog), *_shadowed(catalog), *_orphans(catalog), *_to_settle(memory, catalog)]


def _list_problems(catalog: Catalog) -> list[Problem]:
    rows = catalog.rows("SELECT code, path, message, key, hint, severity FROM problem ORDER BY path, code")
    return [Problem(*row) for row in rows]


def _remove(memory: Opened, removable: Collection[str]) -> None:
    """Delete entries from the tip, in one commit: by the names of the tree, which a displayed path may not be."""

    def plan(tip: str | None) -> Plan | None:
        assert tip is not None, "there is a branch"
        named = [entry.path for entry in memory.git.list_tree(tip) if display_path(entry.path) in removable]
        # A name that is empty cannot be named.
        paths = sorted(path for path in named if all(path.split("/")))
        told = f"doctor: remove {len(paths)} entr{'y' if len(paths) == 1 else 'ies'} that no store may have"
        return Plan(told, deletes=tuple(paths), machine=True) if paths else None

    write_commit(
        memory.git, memory.ref, plan, command="doctor", now=memory.now, lock_timeout_s=memory.config.lock_timeout_s
    )


def _newer(catalog: Catalog) -> list[Problem]:
    """Return what was written for a newer gitmem: it is shown, and neither changed nor checked."""
    rows = catalog.rows(
        "SELECT m.key, m.path, t.fields FROM memory m JOIN text t ON t.id = m.id WHERE instr(t.marks, ' schema ')"
    )
    documents = (Document(key, path, json.loads(fields), "", "") for key, path, fields in rows)
    return [problem for document in documents for problem in warnings_of(document)]


def _to_settle(memory: Opened, catalog: Catalog) -> list[Problem]:
    """Return what two people changed in two ways, and a merge kept both of."""
    rows = catalog.rows(
        "SELECT m.key, m.path, t.fields FROM memory m JOIN text t ON t.id = m.id WHERE m.shadowed = 0"
        f" AND {TO_SETTLE} ORDER BY m.key"
    )
    found = [
        Problem("to-settle", path, conflict.told(json.loads(fields)) or "something is to be settled", key=key,
                hint=f"say what counts: gitmem edit {key}; or keep it as it is: gitmem edit {key} --settled",
                severity="warning")
        for key, path, fields in rows
    ]  # fmt: skip
    tip = memory.find_tip()
    try:
        policy = (memory.git.read_blob(f"{tip}:{POLICY_PATH}", limit=POLICY_LIMIT * 2) if tip else None) or b""
    except GitmemError:
        policy = b""  # larger than a policy may be: that is a problem already
    if SETTLE_MARK.encode() in policy:
        told = "two people changed the same settings; the other version stands in it as a comment"
        found.append(Problem("to-settle", POLICY_PATH, told, hint="edit it on the branch", severity="warning"))
    return found


def _shadowed(catalog: Catalog) -> list[Problem]:
    rows = catalog.rows(
        "SELECT s.key, s.path, w.path FROM memory s JOIN memory w ON w.key = s.key AND w.shadowed = 0"
        " WHERE s.shadowed = 1 ORDER BY s.path"
    )
    return [_twice(*row) for row in rows]


def _twice(key: str, path: str, winner: str) -> Problem:
    if is_home(winner) and not is_home(path):
        told = f"the code tree has this key, too, and counts in this checkout: {winner}"
        return Problem("key-in-both-homes", path, told, key=key, hint=f"gitmem show {key}", severity="warning")
    told = f"{winner} has the same key, and counts"
    return Problem("key-twice", path, told, key=key, hint=f"gitmem edit {key}", severity="warning")


def _orphans(catalog: Catalog) -> list[Problem]:
    rows = catalog.rows("SELECT v.path, v.key FROM verdict v LEFT JOIN memory m ON m.key = v.key WHERE m.id IS NULL")
    return [
        Problem("orphan-verdict", path, "there is no memory with this key", key=key, severity="warning")
        for path, key in rows
    ]


def _links(catalog: Catalog) -> list[Problem]:
    """Return links to nothing, and circles of ``requires`` or ``supersedes``."""
    known = "SELECT key FROM memory UNION SELECT target FROM link WHERE relation = 'produces'"
    rows = catalog.rows(
        "SELECT m.key, m.path, l.relation, l.target FROM link l JOIN memory m ON m.id = l.source"
        " WHERE l.relation <> 'produces' AND m.archived = 0 AND m.shadowed = 0"
        f" AND l.target NOT IN ({known}) ORDER BY m.key, l.target"
    )
    found = [
        Problem("link-to-nothing", path, f"{relation} {target}: no memory has this key or produces this label", key=key,
                hint=f"gitmem edit {key}", severity="warning")
        for key, path, relation, target in rows
    ]  # fmt: skip
    rows = catalog.rows(
        "SELECT m.key, m.path, m.superseded_by FROM memory m WHERE m.superseded_by <> '' AND m.shadowed = 0"
        " AND NOT EXISTS (SELECT 1 FROM memory o WHERE o.key = m.superseded_by)"
    )
    found += [
        Problem("link-to-nothing", path, f"superseded_by {target}: there is no such memory", key=key,
                hint=f"gitmem edit {key}", severity="warning")
        for key, path, target in rows
    ]  # fmt: skip
    for relation in ("requires", "supersedes"):
        found += [
            Problem("link-circle", "", f"{relation} goes in a circle: {' → '.join(circle)}", key=circle[0],
                    hint=f"gitmem edit {circle[0]}", severity="warning")
            for circle in _circles(catalog, relation)
        ]  # fmt: skip
    return found


def _edges(catalog: Catalog, relation: str) -> dict[str, list[str]]:
    """Return the memories that each one is linked to, by key: what requires a label requires who produces it."""
    kept = "m.archived = 0 AND m.shadowed = 0"
    linked = f"SELECT m.key, l.target FROM link l JOIN memory m ON m.id = l.source WHERE {kept} AND l.relation = ?"
    rows = catalog.rows(linked, (relation,))
    if relation == "supersedes":
        rows += catalog.rows(f"SELECT superseded_by, key FROM memory m WHERE superseded_by <> '' AND {kept}")
    producers: dict[str, list[str]] = {}
    for key, label in catalog.rows(linked, ("produces",)) if relation == "requires" else ():
        producers.setdefault(label, []).append(key)
    edges: dict[str, set[str]] = {}
    for key, target in rows:
        edges.setdefault(key, set()).update((target, *producers.get(target, ())))
    return {key: sorted(targets) for key, targets in edges.items()}


def _circles(catalog: Catalog, relation: str) -> list[list[str]]:
    """Return each circle of a relation once, beginning with its first key in alphabetical order."""
    edges = _edges(catalog, relation)
    circles: set[tuple[str, ...]] = set()
    done: set[str] = set()
    for start in sorted(edges):
        path: list[str] = []
        stack = [(start, iter(edges.get(start, ())))] if start not in done else []
        path += [start] if stack else []
        while stack:
            key, targets = stack[-1]
            target = next(targets, None)
            if target is None:
                done.add(key)
                stack.pop()
                path.pop()
            elif target in path:
                circle = path[path.index(target) :]
                first = circle.index(min(circle))
                circles.add((*circle[first:], *circle[:first], circle[first]))
            elif target not in done:
                stack.append((target, iter(edges.get(target, ()))))
                path.append(target)
    return [list(c) for c in sorted(circles)]


def _git_version(memory: Opened) -> tuple[int, ...]:
    words = memory.git.run("version").stdout.decode().split()
    return tuple(int(n) for n in re.findall(r"\d+", words[2])[:3])


def _machine_problems(memory: Opened) -> list[Problem]:
    found = []
    if memory.is_clock_wrong:
        told = f"this machine's clock is wrong; what is written now is dated {format_time(memory.now)}"
        found.append(Problem("clock-wrong", "", told, hint="set the clock: date; timedatectl", severity="warning"))
    version = _git_version(memory)
    if version < SAFE_GIT:
        shown = ".".join(map(str, version))
        told = f"git {shown} has known holes (CVE-2024-32002 and others)"
        found.append(Problem("old-git", "", told, hint="update git to 2.39.4 or later", severity="warning"))
    return found


def _machine(memory: Opened) -> list[tuple[str, str]]:
    from gitmem.config import search_path
    from gitmem.verify import ladder, sandbox

    rung = sandbox.probe(search_path())
    return [
        ("git", ".".join(map(str, _git_version(memory)))),
        *ladder.describe(search_path(), memory.git.repository.state_dir / "ground"),
        ("tracing", tracing(memory, search_path(), rung)),
        ("state", str(memory.git.repository.state_dir)),
        ("built-in checks", ", ".join(BUILTIN_FIELDS)),
    ]
