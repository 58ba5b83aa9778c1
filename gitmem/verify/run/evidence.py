"""Collect what a run shows besides its answer: what it read of the code, and which programs it ran."""

from __future__ import annotations

import json
import os
import shlex
from contextlib import suppress
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path

from gitmem import config
from gitmem.errors import GitmemError
from gitmem.frozen import frozen, replace
from gitmem.model import BUILTIN
from gitmem.store.verdicts.environment import HASH_DIGITS, format_environment
from gitmem.system import only_regular
from gitmem.system.environment import search_path
from gitmem.text import display
from gitmem.verify.ground.folders import DEPENDENCIES, dependencies_of
from gitmem.verify.inputs import digest, is_unknown
from gitmem.verify.run import missing
from gitmem.verify.sandbox import sandbox
from gitmem.verify.sandbox.account import check_user, give
from gitmem.verify.sandbox.temporary import temporary_folder
from gitmem.verify.trace.determinism import is_determined
from gitmem.verify.trace.observe import Scene, observe
from gitmem.verify.trace.outside import find_outside
from gitmem.verify.trace.programs import (
    describe_change,
    fingerprint,
    interpreter_of,
    stamp_folders,
    stamp_of,
    system,
    version_of,
)
from gitmem.verify.trace.reads import AT, LIST, Places
from gitmem.verify.trace.strace import PROGRAM
from gitmem.verify.trace.trace import OpaqueError, parse_trace
from gitmem.verify.trace.undeclared_reads import list_undeclared
from gitmem.verify.variables import contains_value, marks_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gitmem.git import Git
    from gitmem.model import Ran, Verdict
    from gitmem.verify.due import Due
    from gitmem.verify.ground.folders import LentFolder
    from gitmem.verify.ground.ground import Ground
    from gitmem.verify.inputs import CodeTree
    from gitmem.verify.trace.observe import Observation
    from gitmem.verify.trace.trace import Trace

PROBE_TIMEOUT_S = 10.0
PROBE = "cat seen; test -e unseen; ls folder"
# The largest script or link that is read for its target, in bytes.
CONTENT_BYTES = 1 << 20
# Files that package managers write beside the folder of dependencies, with the versions in it.
LOCKS = tuple(
    """
    package-lock.json pnpm-lock.yaml yarn.lock bun.lock poetry.lock uv.lock pdm.lock Pipfile.lock requirements.txt
    Cargo.lock composer.lock Gemfile.lock go.sum
    """.split()
)
# Bytes at the beginning and at the end of a large program that are hashed (different builds differ in both).
PART_BYTES = 1 << 20
# The most folders that are named to the user.
HIDDEN_SHOWN = 3
# The most folders of dependencies whose changes make a failure due again.
FOLDERS_STAMPED = 10


@frozen
class Evidence:
    """What a run showed.

    Attributes:
        reads: What it read of the code, as text (``reads``); empty if that is unknown or everything.
        tools: The programs outside the code that it ran, as text (``trace.programs``).
        undeclared: What it read outside the declared paths, as paths separated by line feeds.
        is_clear: Whether the trace shows everything that it read.
        hidden: Hidden folders that it looked for, and how to show them, on one line; or empty.
        missing: Something else that it looked for and that is not here, on one line; or empty.
        denied: What it was denied, on one line; or empty.
        outside: What it used outside the repository (``trace.outside``); empty if nothing was seen.
        environment: The environment it ran in (``store.verdicts.environment``).
        is_determined: Whether its answer follows from the files that it read (``trace.determinism``).
    """

    reads: str = ""
    tools: str = ""
    undeclared: str = ""
    is_clear: bool = False
    hidden: str = ""
    missing: str = ""
    denied: str = ""
    outside: str = ""
    environment: str = ""
    is_determined: bool = False


@lru_cache
def find_tracer(path: str, rung: str) -> str:
    """Return the path of strace if a probe shows that it traces checks on this rung; else an empty string."""
    strace = sandbox.find_program(PROGRAM, path)
    if strace is None or not rung:
        return ""
    try:
        with temporary_folder("gitmem-probe-") as ground:
            (ground / "folder").mkdir()
            (ground / "seen").write_text("x", encoding="ascii")
            give(ground, check_user() if rung in sandbox.ladder() else 0)
            ran = sandbox.run_check(
                ["sh", "-c", PROBE],
                ground=ground,
                rung=rung,
                network=False,
                timeout_s=PROBE_TIMEOUT_S,
                path=path,
                strace=strace,
            )
        entries = [("100644", "", "folder/x"), ("100644", "", "seen")]
        scene = Scene(str(ground), Places(entries, [e[2] for e in entries]), lambda _: b"")
        observed = observe([parse_trace(ran.trace or b"", str(ground))], scene)
    except (OSError, OpaqueError):
        return ""
    return strace if {AT + "seen", AT + "unseen", LIST + "folder"} <= observed.reads else ""


def gather(
    rans: Sequence[Ran],
    ground: Ground,
    tree: CodeTree,
    *,
    due: Due,
    ignored: Sequence[str],
    rung: str,
) -> Evidence:
    """Return what traced runs on one ground show together.

    Args:
        rans: The runs, in the order they ran.
        ground: The ground of the runs.
        tree: The code there.
        due: The fact whose check ran.
        ignored: The folders of the work tree that git ignores.
        rung: The rung of the sandbox.
    """
    if any(ran.trace is None for ran in rans):
        return Evidence()
    git = tree.git
    work_tree, lent = git.repository.work_tree, (*ground.folders, *ground.bound)
    scene = Scene(
        str(ground.path_in_check),
        tree.places,
        lambda oid: _read_start(git, oid),
        os.path.realpath(work_tree) if work_tree else "",
        _link_reader(lent, ground.path_in_check) if lent else None,
    )
    outside = ""
    try:
        traces = [parse_trace(ran.trace or b"", scene.ground) for ran in rans]
        outside = find_outside(traces, scene.ground, tree.places, git.repository.common)
        seen = observe(traces, scene)
    except (OpaqueError, GitmemError):
        return Evidence(outside=outside)
    variables = due.spec.variables
    undeclared = list_undeclared(seen.reads, tree.places, json.loads(due.row.inputs)[1:])
    has_passed = rans[-1].status == 0
    hidden = "" if has_passed else describe_hidden(seen.reads, ignored, [folder.name for folder in lent], rung)
    lacking = "" if has_passed else _describe_missing(traces, seen, tree, git, ignored)
    locks = list_locks(lent)
    if _reveals_value(seen.reads, undeclared, tree.places, config.variables(variables)):
        return Evidence(outside=outside)
    tools = fingerprint([*seen.programs, *map(str, locks.values())], variables)
    environment = environment_of(seen.programs, locks, variables)
    return Evidence(
        seen.text,
        tools,
        undeclared,
        is_clear=True,
        hidden=hidden,
        missing=lacking,
        denied="" if has_passed else missing.describe_denials(traces, scene.ground, search_path()),
        outside=outside,
        environment=environment,
        is_determined=is_determined(seen.programs, traces, due.spec.check.words),
    )


def attach(verdict: Verdict, evidence: Evidence, due: Due, tree: CodeTree) -> Verdict:
    """Return a verdict with the evidence of its run, and the digest of the inputs that follows from it."""
    spec, check, inputs = due.spec, due.spec.check, json.loads(due.row.inputs)
    environment = "" if check.form == BUILTIN else evidence.environment or environment_of((), {}, spec.variables)
    return replace(
        verdict,
        inputs=digest(tree, inputs, check, evidence.reads),
        reads=evidence.reads if check.form != BUILTIN and is_unknown(tree, inputs) else "",
        tools=evidence.tools or fingerprint((), spec.variables),
        undeclared=evidence.undeclared,
        environment=environment,
    )


def with_folders(evidence: Evidence, due: Due, git: Git, ignored: Sequence[str]) -> Evidence:
    """Return the evidence of a failure that is due again when the folders that its check sees change.

    Folders of dependencies that are not there count as well, since they may be installed later.
    """
    top = git.repository.work_tree
    if top is None:
        return evidence
    names = dict.fromkeys([*due.spec.folders, *dependencies_of(ignored)[:FOLDERS_STAMPED], *DEPENDENCIES])
    tools = evidence.tools or fingerprint((), due.spec.variables)
    return replace(evidence, tools=f"{tools} {stamp_folders(f'{top.resolve()}/{name}' for name in names)}".strip())


def _reveals_value(reads: Iterable[str], undeclared: str, places: Places, values: Mapping[str, str]) -> bool:
    """Return whether paths that a run read contain the value of a variable and are not files of the code.

    Since verdicts publish those paths on the branch, the reads are then not recorded.
    """
    paths = [read[1:] for read in reads] + undeclared.split("\n")
    wanted = [path for path in paths if contains_value(path, values)] if values else []
    return any(places.find(path) is None and not places.is_folder(path) for path in wanted)


def _describe_missing(
    traces: Sequence[Trace], seen: Observation, tree: CodeTree, git: Git, ignored: Sequence[str]
) -> str:
    """Describe what runs looked for that is not here and not part of the code's text; or empty."""
    if absent := find_absent(seen.reads, tree.places, ignored):
        return f"it looked for {absent}, which is not in this work tree: install the dependencies"
    looked = [read[1:] for read in seen.reads if read[0] == AT]
    return (
        missing.describe_submodule(looked, tree.places)
        or missing.describe_pointers(looked, tree, git)
        or missing.describe_services(traces)
        or missing.describe_programs(traces, search_path())
    )


def describe_hidden(reads: Iterable[str], ignored: Sequence[str], shown: Sequence[str], rung: str) -> str:
    """Describe which folders that git ignores a check looked for but could not see, and how to show them.

    Args:
        reads: What the run was seen to read, each with its mark.
        ignored: The folders of the work tree that git ignores.
        shown: The ignored folders that the check saw.
        rung: The rung of the sandbox.
    """
    looked = [read[1:] for read in reads if read[0] == AT]
    missed = [
        name
        for name in ignored
        if name not in shown and any(path == name or path.startswith(f"{name}/") for path in looked)
    ]
    if unshown := dependencies_of(missed):
        return describe_unshown(unshown[0], rung)
    missed = missed[:HIDDEN_SHOWN]
    if not missed:
        return ""
    return (
        f"it looked for {', '.join(missed)}, which git ignores; to show it to checks: "
        f"gitmem policy set --add verify.folders {shlex.quote(','.join(missed))}"
    )


def describe_unshown(name: str, rung: str) -> str:
    """Describe a folder of dependencies that this sandbox cannot show; the how-tos have the same sentence."""
    mend = "" if rung == sandbox.BUBBLEWRAP else ": apt install bubblewrap"
    return f"`{display(name)}` exists here but git ignores it; this sandbox ({rung}) cannot show it{mend}"


def find_absent(reads: Iterable[str], places: Places, ignored: Sequence[str]) -> str:
    """Return the outermost missing folder of dependencies that a check looked for, or an empty string.

    Args:
        reads: What the run was seen to read, each with its mark.
        places: The files of the code.
        ignored: The folders of the work tree that git ignores.
    """
    absent = set()
    for path in (read[1:] for read in reads if read[0] == AT):
        parts = path.split("/")
        depth = next((n for n, part in enumerate(parts, 1) if part in DEPENDENCIES), 0)
        # Node.js looks in the same folder of each parent.
        on_the_way = ["/".join([*parts[:above], parts[depth - 1]]) for above in range(depth)]
        if depth and not any(name in ignored or places.is_folder(name) for name in on_the_way):
            absent.add(on_the_way[-1])
    return min(absent, key=lambda name: (name.count("/"), name), default="")


def with_tools(reason: str, old: Verdict | None) -> str:
    """Add to a reason that the environment changed which program did."""
    if old is None or not old.own or not reason.endswith("the environment changed"):
        return reason
    message = describe_change(old.tools)
    return f"{reason}: {message}" if message else reason


def list_locks(folders: Iterable[LentFolder]) -> dict[str, Path]:
    """Return the lock files beside folders of dependencies, by their path in the code."""
    locks = {}
    for lent in folders:
        beside = lent.name.rpartition("/")[0]
        for name in LOCKS:
            place = lent.place.parent / name
            if place.is_file() and not place.is_symlink():
                locks[f"{beside}/{name}" if beside else name] = place
    return locks


def environment_of(programs: Iterable[str], locks: Mapping[str, Path], variables: Iterable[str] = ()) -> str:
    """Return the environment of a run as text without paths of this machine (``store.verdicts.environment``).

    Args:
        programs: Absolute paths as they were run.
        locks: The lock files of the folders of dependencies, by their path in the code.
        variables: Names of the environment variables that the fact declares.
    """
    found: dict[str, tuple[str, str]] = {}
    for program in programs:
        for place in (program, interpreter_of(program)):
            real = os.path.realpath(place) if place else ""
            if real and Path(place).name not in found and (mark := _mark_of(real, stamp_of(real))):
                found[Path(place).name] = (version_of(real), mark)
    marks = {name: mark for name, place in locks.items() if (mark := _mark_of(str(place), stamp_of(str(place))))}
    return format_environment(system(), found, marks, marks_of(variables))


@lru_cache(maxsize=500)
def _mark_of(place: str, _: str) -> str:
    """Return a hash of a file's size, beginning and end; empty if it cannot be read.

    Args:
        place: The file.
        _: Its stamp, so that the cache does not return the hash of a changed file.
    """
    try:
        with open(place, "rb", opener=only_regular) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(0)
            first = file.read(PART_BYTES)
            file.seek(max(0, size - PART_BYTES))
            return sha256(b"%d\0" % size + first + file.read(PART_BYTES)).hexdigest()[:HASH_DIGITS]
    except OSError:
        return ""


def _link_reader(folders: Sequence[LentFolder], ground: Path) -> Callable[[str], str]:
    """Return a function that reads links in the user's folders; those in node_modules lead to packages of the code.

    Args:
        folders: The folders that the check saw.
        ground: The path at which the check saw the code: links to the work tree lead there (``ground.mirror``).
    """

    @cache
    def read(inner: str) -> str:
        for lent in folders:
            if inner.startswith(f"{lent.name}/"):
                with suppress(OSError):
                    target = os.readlink(lent.place / inner.removeprefix(f"{lent.name}/"))  # noqa: PTH115 - a string
                    top = f"{lent.top}/"
                    return f"{ground}/{target.removeprefix(top)}" if target.startswith(top) else target
        return ""

    return read


def _read_start(git: Git, oid: str) -> bytes:
    content = next(git.read_blobs([oid], limit=CONTENT_BYTES))[1]
    if content is None:
        raise OpaqueError("a program in the code is missing, or too large to follow its first line")
    return content
