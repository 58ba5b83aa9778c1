"""Explain why a fact is due: which of its inputs or tools changed since its verdict."""

from __future__ import annotations

import json
from functools import cache

from gitmem.document.builtin_checks import globs_of
from gitmem.frozen import replace
from gitmem.index.catalog import fact_state
from gitmem.model import BUILTIN
from gitmem.text import display
from gitmem.text.globs import matcher
from gitmem.verify.due import describe_elsewhere
from gitmem.verify.inputs import CodeTree
from gitmem.verify.trace.programs import list_changed_programs
from gitmem.verify.trace.reads import LIST, parse_reads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitmem.git import Git
    from gitmem.model import Verdict
    from gitmem.verify.due import Due

# How many changes are named: the first by name.
INPUTS_NAMED = 5


def explain(git: Git, tree: CodeTree, dues: Sequence[Due]) -> tuple[Due, ...]:
    """Return the due facts, each with what changed; nothing if the commit of its verdict is not in this clone."""

    @cache
    def tree_at(commit: str) -> CodeTree | None:
        return CodeTree(git, commit) if git.has(commit, "commit") else None

    @cache
    def list_paths(before: str) -> list[str]:
        return [change.path for change in git.diff_trees(before, tree.tree)]

    def list_inputs(due: Due, verdict: Verdict) -> list[str]:
        before = tree_at(verdict.commit)
        return _list_changed_inputs(due, verdict.reads, before, tree, list_paths(before.tree)) if before else []

    return tuple(replace(due, changed=_list_changes(due, list_inputs)) for due in dues)


def _list_changes(due: Due, list_inputs: Callable[[Due, Verdict], list[str]]) -> tuple[str, ...]:
    if due.verdict is not None and due.why == "environment":
        tools, _ = fact_state.split_rung(fact_state.tools_of(due.verdict))
        return (describe_elsewhere(tools, due.verdict.outcome),)
    if due.verdict is not None and due.why == "sandbox":
        return (f"it failed in the sandbox {display(due.verdict.sandbox)}",)
    if due.verdict is None or due.why not in ("inputs", "tools"):
        return ()
    changed_programs = list_changed_programs(due.verdict.tools) if due.why == "tools" else list_inputs(due, due.verdict)
    return tuple(display(path) for path in sorted(changed_programs)[:INPUTS_NAMED])


def _list_changed_inputs(due: Due, reads: str, before: CodeTree, behind: CodeTree, paths: list[str]) -> list[str]:
    kind, *globs = json.loads(due.row.inputs)
    if due.spec.check.form == BUILTIN:
        globs = list(globs_of(due.spec.check.words))
    elif kind == "tree" or reads:
        return list_changed_reads(reads, before, behind, paths)
    matchers = [matcher(glob) for glob in globs]
    return [p for p in paths if p.endswith(".gitattributes") or any(matches(p) for matches in matchers)] or paths


def list_changed_reads(text: str, before: CodeTree, behind: CodeTree, paths: list[str]) -> list[str]:
    """Return the paths by which a verdict's ``reads`` differ between two trees; all of *paths* if unknown.

    *paths* are the files that differ between the trees. Where the state of a place that was looked up changed but no
    file of that name did, the place is returned.
    """
    reads = parse_reads(text) if text else None
    if not reads:
        return paths
    changed_reads = [path for path in paths if path.rpartition("/")[2] == ".gitattributes"]
    for read in reads:
        if before.places.state_of(read) != behind.places.state_of(read):
            mark, place = read[0], read[1:]
            below = [path for path in paths if path == place or not place or path.startswith(f"{place}/")]
            changed_reads += (_names_in(place, below, before, behind) if mark == LIST else below) or [place]
    return sorted(set(changed_reads))


def _names_in(folder: str, paths: list[str], before: CodeTree, behind: CodeTree) -> list[str]:
    """Return those of the changed files below a folder that change its list of names."""
    was, now = before.places.children(folder), behind.places.children(folder)
    start = len(folder) + 1 if folder else 0
    return [path for path in paths if was.get(name := path[start:].split("/")[0]) != now.get(name)]
