"""The memory that comes with a change: the companion of its branch, on top of the memory branch.

It affects what is judged like the change itself, with one difference from memories in the code tree: a fact that it
makes true at the head is resolved. The fix for a failed required check can only be written there, because the memory
branch is about the default branch; and it is reviewed together with the change.
"""

from __future__ import annotations

from gitmem.repository.branch_memory import SettledFact
from gitmem.store.code_folder import is_home
from gitmem.store.companion import companion_branch
from gitmem.text import count_of
from gitmem.verify.overview.finding import BROKEN, ERROR, HOLDS, NOTE, WARNING, FindingRow, FindingSection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from typing import Any

    from gitmem.commands.check.facts import HeadFact
    from gitmem.commands.check.silence import SilencedFact
    from gitmem.index.catalog import Catalog
    from gitmem.repository.branch_memory import BranchMemory
    from gitmem.verify.overview.finding import FactFinding

FORK = (
    "it comes from a fork, and is merged by hand after the pull request: fetch {branch} from there, then gitmem "
    "propose --merge"
)
# The open ways to withdraw a claim; removing its check and keeping the text is not one.
RETIRES = ("archives it", "supersedes it")


def find_changed(before: Catalog, facts: Iterable[HeadFact]) -> frozenset[int]:
    """Return the numbers of a branch's facts that are new or say something else than before."""
    known = {key: (spec, claim) for key, spec, claim in before.rows(
        "SELECT m.key, f.spec, f.claim FROM fact f JOIN memory m ON m.id = f.id WHERE m.shadowed = 0"
    )}  # fmt: skip
    return frozenset(
        fact.row.id
        for fact in facts
        if not is_home(fact.path) and known.get(fact.row.key) != (fact.row.spec, fact.row.claim)
    )


def find_settled(silenced: Iterable[SilencedFact], findings: Iterable[FactFinding]) -> dict[str, SilencedFact]:
    """Return the facts of the base that a branch's memory resolves: changed and true at the head, or withdrawn."""
    holds = {finding.key for finding in findings if finding.kind == HOLDS}
    return {
        silenced_fact.key: silenced_fact
        for silenced_fact in silenced
        if is_by_branch(silenced_fact) and (silenced_fact.how.startswith(RETIRES) or silenced_fact.key in holds)
    }


def is_by_branch(silenced: SilencedFact) -> bool:
    """Return whether a fact is silenced by the branch's memory, as opposed to a file of the code tree."""
    return not is_home(silenced.spot.path) and not is_home(silenced.fact.path)


def list_settled(settled: Mapping[str, SilencedFact], judged: Sequence[FactFinding]) -> tuple[SettledFact, ...]:
    """Return the resolved facts that the change makes false in their version on the memory branch, by key."""
    broken = {finding.key: finding for finding in judged if finding.kind == BROKEN}
    return tuple(
        SettledFact(key, silenced.fact.title, silenced.how, broken[key].because)
        for key, silenced in sorted(settled.items())
        if key in broken
    )


def conflicts_of(catalog: Catalog, keys: Collection[str]) -> tuple[str, ...]:
    """Return which of these memories contain two conflicting versions, sorted."""
    from gitmem.index.catalog import state

    source = "FROM memory m JOIN text t ON t.id = m.id"
    rows = catalog.rows(f"SELECT m.key {source} WHERE m.shadowed = 0 AND {state.TO_SETTLE} ORDER BY m.key")
    return tuple(key for (key,) in rows if key in keys)


def section_of(branch: BranchMemory) -> FindingSection:
    """Return the section for reviewers: resolved facts, how each memory changes, and the findings of its review."""
    review = branch.review or {}
    findings = review.get("findings", [])
    rows = [FindingRow(f"two versions to settle: {key}", key) for key in branch.to_settle]
    rows += [
        FindingRow(f"{finding['severity']}: {finding['message']}", finding["key"], finding["path"], finding["line"])
        for finding in findings
        if finding["severity"] != NOTE
    ]
    rows += [FindingRow(f"{settled.how}: {settled.because}", settled.key) for settled in branch.settled]
    for change in review.get("changes", []):
        command = change.get("command") or {}
        because = f" {change['because']}" if change["because"] else ""
        rows.append(
            FindingRow(
                f"{change['what']}{because}: {_words(change)}",
                change["key"],
                change["path"],
                code=command.get("text", ""),
            )
        )
    if branch.is_fork:
        rows.append(FindingRow(FORK.format(branch=companion_branch(branch.code))))
    severities = {finding["severity"] for finding in findings}
    level = ERROR if branch.is_refused else WARNING if WARNING in severities or branch.to_settle else NOTE
    return FindingSection(f"Memory that comes with {branch.code}", level, tuple(rows), memory=branch.commit)


def _words(change: Mapping[str, Any]) -> str:
    """Return how a title changes: the old one and the new one."""
    runs = change["words"]
    old = "".join(text for sign, text in runs if sign != "+").strip()
    new = "".join(text for sign, text in runs if sign != "-").strip()
    return f"{old} → {new}" if runs and old != new else change["title"]


def note_of(branch: BranchMemory) -> str:
    """Return a one-line note about the memory that comes with a change."""
    memories = count_of(len(branch.changed), "memory", "memories")
    settled = f", of which {len(branch.settled)} would become false" if branch.settled else ""
    return f"{companion_branch(branch.code)} changes {memories} with this branch{settled}; it is merged with it"


def table_of(branch: BranchMemory) -> dict[str, Any]:
    """Return the documented JSON."""
    return {
        "branch": branch.code,
        "commit": branch.commit,
        "memory": branch.memory,
        "top": branch.top,
        "fork": branch.is_fork,
        "changed": list(branch.changed),
        "settled": [
            {"key": settled.key, "title": settled.title, "what": settled.how, "because": settled.because}
            for settled in branch.settled
        ],
        "to_settle": list(branch.to_settle),
        "refused": branch.is_refused,
        "review": branch.review,
    }
