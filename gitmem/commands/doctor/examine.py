"""Examine the store and this machine; report every problem, so that none hides another."""

from __future__ import annotations

import json
import os
import re

from gitmem.commands.doctor import background, branch, tools, vectors
from gitmem.commands.doctor.branch import FOREIGN, STRAYS, list_problems
from gitmem.commands.doctor.checks import (
    describe_tracing,
    list_poisoned,
    list_secrets,
    list_undeclared,
    list_without_effect,
)
from gitmem.commands.doctor.signatures import list_signature_problems
from gitmem.document import conflict
from gitmem.document.builtin_checks import CHECKS
from gitmem.document.elsewhere import SEPARATOR
from gitmem.document.fields import warnings_of
from gitmem.document.times import format_time
from gitmem.errors import GitmemError
from gitmem.frozen import frozen, replace
from gitmem.git.git import EARLIEST_S, LATEST_S
from gitmem.index.catalog.required_elsewhere import list_required_elsewhere
from gitmem.index.catalog.state import TO_SETTLE
from gitmem.model import Document, Problem
from gitmem.repository.private import has_private
from gitmem.store.code_folder import is_home
from gitmem.store.layout import POLICY_LIMIT
from gitmem.store.merge.policy import SETTLE_MARK
from gitmem.store.scopes import DOMAIN, POLICY_PATH, PRIVATE, UNIVERSAL
from gitmem.system import command_of, file_lock
from gitmem.text import list_some

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitmem.git import Git
    from gitmem.index.catalog import Catalog
    from gitmem.repository import OpenRepository

# When git itself collects garbage, unless the person set other limits (git-config(1), gc.auto and gc.autoPackLimit).
MOST_LOOSE, MOST_PACKS = 6700, 50
# References to memories of other repositories that one line names; all are counted.
NAMES_SHOWN = 5
# The first git with the fixes of CVE-2024-32002, -32004 and -32465.
SAFE_GIT = (2, 39, 4)


@frozen
class Examination:
    """The result of doctor.

    Attributes:
        problems: The remaining problems, errors first, by path.
        fixed: The repairs, one line each.
        machine: Properties of this machine, as name and value.
    """

    problems: tuple[Problem, ...]
    fixed: tuple[str, ...]
    machine: tuple[tuple[str, str], ...]


def examine(
    repository: OpenRepository, *, fix: bool, delete: Sequence[str] = (), replaced_hooks: Sequence[str] = ()
) -> Examination:
    """Examine branch, catalog, links and machine; repair what can be repaired without losing anything.

    Args:
        repository: The store.
        fix: Whether to repair. Nothing is deleted that gitmem did not write, and a foreign branch is left alone.
        delete: Entries that belong to no store, or folders of them, to delete from the tip.
        replaced_hooks: Hooks of gitmem that something else replaced.

    Raises:
        NotFoundError: There is no such entry to delete.
    """
    fixed: list[str] = []
    if delete:
        branch.delete_entries(repository, delete, fixed)
    foreign = branch.check_foreign(repository)
    mends = fix and not foreign
    problems = [*branch.check_lock(repository, mends, fixed), *branch.check_ref(repository, mends, fixed)]
    problems += foreign or branch.check_foreign(repository)  # a branch that was repaired can be examined now
    if not any(p.code in ("broken-ref", "no-store", FOREIGN) for p in problems):
        unreadable = branch.check_tree(repository, mends, fixed)
        if mends and not unreadable:
            branch.rename_devices(repository, fixed)
        problems += unreadable or [*_check_store(repository), *_check_links(repository)]
        problems += background.check_captures(repository, mends, fixed)
        if not unreadable:
            problems += list_signature_problems(repository, repository.catalog())
            problems += [*list_undeclared(repository, repository.catalog()), *list_without_effect(repository.policy())]
    problems += [*background.check_losses(repository, fix, fixed), *background.check_purge(repository)]
    background.sweep_litter(repository, fix, fixed)
    problems += [
        *background.list_failed_jobs(repository),
        *background.list_replaced_hooks(replaced_hooks),
        *background.check_hooks(repository, fix, fixed),
    ]
    problems += [*_check_scopes(repository), *_check_remotes(repository), *_check_machine(repository)]
    problems += _check_objects(repository.git)
    problems += vectors.examine(repository, fix, fixed)
    return Examination(_in_order(problems), tuple(fixed), tuple(_machine(repository)))


def is_own(examined: Examination) -> bool:
    """Return whether the branch is a store, without entries that belong to none."""
    return not any(p.code in (FOREIGN, STRAYS) for p in examined.problems)


def add_problems(examined: Examination, problems: Iterable[Problem], fixed: Iterable[str]) -> Examination:
    """Return an examination with further results, in the same order."""
    return replace(examined, problems=_in_order([*examined.problems, *problems]), fixed=(*examined.fixed, *fixed))


def _in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    return tuple(sorted(problems, key=lambda p: (p.severity != "error", p.path, p.key, p.code)))


def _check_store(repository: OpenRepository) -> list[Problem]:
    catalog = repository.catalog()
    catalog.check()
    problems = _check_entries(repository, catalog)
    return [
        *problems,
        *_list_newer(catalog),
        *_list_shadowed(catalog),
        *_list_orphans(catalog),
        *_to_settle(repository, catalog),
    ]


def _check_entries(repository: OpenRepository, catalog: Catalog) -> list[Problem]:
    return [*list_problems(catalog), *list_secrets(catalog, repository.config.secrets_allow), *list_poisoned(catalog)]


def _list_newer(catalog: Catalog) -> list[Problem]:
    """Report memories written by a newer gitmem: they are shown, but neither changed nor checked."""
    rows = catalog.rows(
        "SELECT m.key, m.path, t.fields FROM memory m JOIN text t ON t.id = m.id WHERE instr(t.marks, ' schema ')"
    )
    documents = (Document(key, path, json.loads(fields), "", "") for key, path, fields in rows)
    return [problem for document in documents for problem in warnings_of(document)]


def _to_settle(repository: OpenRepository, catalog: Catalog) -> list[Problem]:
    """Report memories in which a merge kept two conflicting versions."""
    rows = catalog.rows(
        "SELECT m.key, m.path, t.fields FROM memory m JOIN text t ON t.id = m.id WHERE m.shadowed = 0"
        f" AND {TO_SETTLE} ORDER BY m.key"
    )
    problems = [
        Problem("to-settle", path, conflict.summary(json.loads(fields)) or "two versions were merged", key=key,
                hint=f"choose a version: gitmem edit {key}; or keep it as it is: gitmem edit {key} --settled",
                severity="warning")
        for key, path, fields in rows
    ]  # fmt: skip
    tip = repository.find_tip()
    try:
        policy = (repository.git.read_blob(f"{tip}:{POLICY_PATH}", limit=POLICY_LIMIT * 2) if tip else None) or b""
    except GitmemError:
        policy = b""  # larger than a policy may be: reported already
    if SETTLE_MARK.encode() in policy:
        message = "two people changed the same settings; the file contains the other version as a comment"
        problems.append(Problem("to-settle", POLICY_PATH, message, hint="edit it on the branch", severity="warning"))
    return problems


def _list_shadowed(catalog: Catalog) -> list[Problem]:
    rows = catalog.rows(
        "SELECT s.key, s.path, w.path FROM memory s JOIN memory w ON w.key = s.key AND w.shadowed = 0"
        " WHERE s.shadowed = 1 ORDER BY s.path"
    )
    return [_twice(*row) for row in rows]


def _twice(key: str, path: str, winner: str) -> Problem:
    if is_home(winner) and not is_home(path):
        message = f"a memory in the code tree has the same key and takes precedence in this checkout: {winner}"
        return Problem("key-in-both-homes", path, message, key=key, hint=f"gitmem show {key}", severity="warning")
    message = f"{winner} has the same key and takes precedence"
    return Problem("key-twice", path, message, key=key, hint=f"gitmem edit {key}", severity="warning")


def _list_orphans(catalog: Catalog) -> list[Problem]:
    rows = catalog.rows("SELECT v.path, v.key FROM verdict v LEFT JOIN memory m ON m.key = v.key WHERE m.id IS NULL")
    return [
        Problem("orphan-verdict", path, "there is no memory with this key", key=key, severity="warning")
        for path, key in rows
    ]


def _check_links(repository: OpenRepository) -> list[Problem]:
    """Report links without a target, and cycles of ``requires`` or ``supersedes``."""
    catalog = repository.catalog()
    elsewhere = list_required_elsewhere(catalog)
    known = "SELECT key FROM memory UNION SELECT target FROM link WHERE relation = 'produces'"
    rows = catalog.rows(
        "SELECT m.key, m.path, l.relation, l.target FROM link l JOIN memory m ON m.id = l.source"
        " WHERE l.relation <> 'produces' AND m.archived = 0 AND m.shadowed = 0"
        f" AND l.target NOT IN ({known}) ORDER BY m.key, l.target"
    )
    problems = [
        Problem("link-to-nothing", path, f"{relation} {target}: no memory has this key or produces this label", key=key,
                hint=f"gitmem edit {key}", severity="warning")
        for key, path, relation, target in rows
        if relation != "requires" or (key, target) not in elsewhere
    ]  # fmt: skip
    listed = repository.listing().entries if elsewhere else {}
    targets = sorted({target for _, target in elsewhere if target.partition(SEPARATOR)[0] not in listed})
    if targets and repository.config.hub in ("", "off"):
        named = list_some(targets, NAMES_SHOWN)
        message = f"a hub or a listed store must tell whether memories of other repositories hold: requires {named}"
        problems.append(
            Problem("link-elsewhere", "", message, hint="git config --global gitmem.hub URL", severity="warning")
        )
    rows = catalog.rows(
        "SELECT m.key, m.path, m.superseded_by FROM memory m WHERE m.superseded_by <> '' AND m.shadowed = 0"
        " AND NOT EXISTS (SELECT 1 FROM memory o WHERE o.key = m.superseded_by)"
    )
    problems += [
        Problem("link-to-nothing", path, f"superseded_by {target}: no memory has this key", key=key,
                hint=f"gitmem edit {key}", severity="warning")
        for key, path, target in rows
    ]  # fmt: skip
    for relation in ("requires", "supersedes"):
        problems += [
            Problem("link-circle", "", f"{relation} forms a cycle: {' → '.join(circle)}", key=circle[0],
                    hint=f"gitmem edit {circle[0]}", severity="warning")
            for circle in _circles(catalog, relation)
        ]  # fmt: skip
    return problems


def _edges(catalog: Catalog, relation: str) -> dict[str, list[str]]:
    """Return the memories that each one is linked to, by key; requiring a label means requiring its producers."""
    condition = "m.archived = 0 AND m.shadowed = 0"
    linked = f"SELECT m.key, l.target FROM link l JOIN memory m ON m.id = l.source WHERE {condition} AND l.relation = ?"
    rows = catalog.rows(linked, (relation,))
    if relation == "supersedes":
        rows += catalog.rows(f"SELECT superseded_by, key FROM memory m WHERE superseded_by <> '' AND {condition}")
    producers: dict[str, list[str]] = {}
    for key, label in catalog.rows(linked, ("produces",)) if relation == "requires" else ():
        producers.setdefault(label, []).append(key)
    edges: dict[str, set[str]] = {}
    for key, target in rows:
        edges.setdefault(key, set()).update((target, *producers.get(target, ())))
    return {key: sorted(targets) for key, targets in edges.items()}


def _circles(catalog: Catalog, relation: str) -> list[list[str]]:
    """Return each cycle of a relation once, starting with its first key in alphabetical order."""
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


def _check_scopes(repository: OpenRepository) -> list[Problem]:
    """Report problems with files of the other scopes; they are repaired in their own repositories."""
    problems = []
    for store in repository.stores((PRIVATE, DOMAIN, UNIVERSAL)):
        here, there = store.store.scope == PRIVATE, command_of("gitmem", "-C", str(store.git.repository.top), "doctor")
        for p in _check_entries(repository, store.catalog()):
            hint = f"gitmem edit {p.key or 'KEY'} --scope {PRIVATE}" if here else there
            where = f"{store.store.scope}: {p.path}"
            problems.append(Problem(p.code, where, p.message, key=p.key, hint=hint, severity=p.severity))
    return problems


def _check_remotes(repository: OpenRepository) -> list[Problem]:
    """Report remotes to which a push sends every ref, including private memories."""
    if not has_private(repository.git):
        return []
    result = repository.git.run("config", "-z", "--get-regexp", r"^remote\..*\.(mirror|push)$", check=False)
    pairs = (item.partition("\n") for item in os.fsdecode(result.stdout).split("\0") if item)
    problems = []
    for name, _, value in pairs:
        remote, what = name.removeprefix("remote.").rsplit(".", 1)
        if (what == "mirror" and value != "false") or value.lstrip("+").startswith(("refs/*", "refs/gitmem")):
            message = f"a push to {remote} sends every ref, including private memories"
            hint = f"git config --unset remote.{remote}.{what}; or push with --all instead of --mirror"
            problems.append(Problem("private-exposed", name, message, hint=hint, severity="warning"))
    return problems


def _git_version(repository: OpenRepository) -> tuple[int, ...]:
    words = repository.git.run("version").stdout.decode().split()
    return tuple(int(n) for n in re.findall(r"\d+", words[2])[:3])


def _check_machine(repository: OpenRepository) -> list[Problem]:
    problems = []
    if not EARLIEST_S <= repository.clock() <= LATEST_S:
        message = f"this machine's clock is wrong; new memories are dated {format_time(repository.now)}"
        problems.append(
            Problem("clock-wrong", "", message, hint="set the clock: date; timedatectl", severity="warning")
        )
    state = repository.git.repository.state
    if not file_lock.works(state):
        message = f"locks of files do not work in {state}: commands that run at once rebuild each other's index"
        hint = f"move the repository to a file system with locks: df -T {state}"
        problems.append(Problem("no-locks", "", message, hint=hint, severity="warning"))
    version = _git_version(repository)
    if version < SAFE_GIT:
        shown = ".".join(map(str, version))
        message = f"git {shown} has known vulnerabilities (CVE-2024-32002 and others)"
        problems.append(Problem("old-git", "", message, hint="update git to 2.39.4 or later", severity="warning"))
    return problems


def _check_objects(git: Git) -> list[Problem]:
    """Report a repository in which git would collect garbage: gitmem never does, and in some clones it works alone."""
    lines = git.text("count-objects", "-v").splitlines()
    counts = {name: int(count) for name, _, count in (line.partition(": ") for line in lines) if count.isdecimal()}
    # The last value of gc.auto is that of our own calls, which never collect garbage.
    loose, packs = counts.get("count", 0), counts.get("packs", 0)
    most_loose = _limit(git, "gc.auto", MOST_LOOSE, ours=1)
    most_packs = _limit(git, "gc.autoPackLimit", MOST_PACKS)
    if most_loose <= 0 or (loose <= most_loose and not 0 < most_packs < packs):
        return []
    message = f"git has not packed this repository for a while: {loose} loose objects, {packs} packs"
    return [Problem("gc-due", "", message, hint="git gc", severity="warning")]


def _limit(git: Git, name: str, default: int, *, ours: int = 0) -> int:
    """Return the person's value of a setting, without the last values, which are *ours*."""
    output = git.run("config", "--type=int", "--get-all", name, check=False).stdout.split()
    theirs = output[: len(output) - ours]
    return int(theirs[-1]) if theirs else default


def _machine(repository: OpenRepository) -> list[tuple[str, str]]:
    from gitmem.system.environment import search_path
    from gitmem.verify.sandbox import probe, sandbox

    rung = sandbox.probe(search_path())
    return [
        ("git", ".".join(map(str, _git_version(repository)))),
        *probe.describe(search_path(), repository.git.repository.state_dir / "ground"),
        ("tracing", describe_tracing(repository, search_path(), rung)),
        *tools.list_missing(search_path()),
        ("state", str(repository.git.repository.state_dir)),
        ("built-in checks", ", ".join(CHECKS)),
    ]
