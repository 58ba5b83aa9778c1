"""Show which facts a branch or pull request makes false, before it is merged.

Only facts whose inputs the change touches are judged, at the commit where the change left the default branch (or
--base) and at HEAD. A new failure is checked again on both sides. A change to .memory/ cannot hide, remove or weaken
the facts of the base. Nothing is written to any branch, and commands run only if they are approved (gitmem trust,
--approved). With --staged, the change is the index compared with HEAD; if HEAD has no commits of its own, it is the
work tree compared with HEAD.

The change is reviewed as well: edits of the approved list and gitmem's workflows, of what checks run (a Makefile, a
script), and what gitmem review finds in the change's own .memory/. With a hub (gitmem.hub), memories of other
repositories that rest on what becomes false are listed; they do not change the exit status.

Exit status: 0 nothing becomes false; 1 something does, a verdict on the memory branch is wrong, or the review finds an
error; 3 something that the change touches could not be checked, with --fail-on unchecked.
"""

from __future__ import annotations

from gitmem.cli import reports
from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.causes import add_each, print_cases
from gitmem.cli.command_memory import open_memory
from gitmem.cli.elsewhere import HURRIED_S, refresh
from gitmem.cli.names import with_short_ids
from gitmem.cli.options import add_sandbox, warn_of_no_sandbox
from gitmem.cli.output import Output
from gitmem.config import variable
from gitmem.errors import UsageError
from gitmem.frozen import fields_of, replace
from gitmem.policy.settings import FAIL_ON
from gitmem.statuses import DEPTH, describe_chain
from gitmem.verify.blame.culprit import phrase
from gitmem.verify.options import Options
from gitmem.verify.overview.cause import LINES_AT_MOST, Case, few
from gitmem.verify.overview.finding import (
    BROKEN,
    LISTED,
    MENDED,
    OUTDATED,
    OUTSIDE,
    RETIRED,
    SILENCED,
    STILL,
    SUSPECT,
    UNCHECKED,
    WARNING,
    WRONG,
    FindingRow,
    FindingSection,
    case_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gitmem.commands.check.run import CheckResult
    from gitmem.hub.client import HubDependents
    from gitmem.memory import Memory
    from gitmem.verify.overview.finding import FactFinding, Findings

LEVEL_STYLES = {"error": "red", "warning": "yellow", "note": "dim"}
EXAMPLES = (
    "gitmem check",
    "gitmem check --base origin/main --approved .github/gitmem-approved",
    "gitmem check --base HEAD~1 auth-uses-rs256",
    "gitmem check --head feature/login --json",
    "gitmem check --staged",
    "gitmem check --format github --report sarif=gitmem.sarif --report junit=gitmem.xml",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``check``."""
    parser.add_argument("keys", nargs="*", metavar="KEY", help="only these facts, if the change touches them")
    change = parser.add_argument_group("which change")
    change.add_argument(
        "--base",
        default="",
        metavar="REV",
        help="compare with the commit where HEAD left this revision (the default branch)",
    )
    change.add_argument("--head", default="", metavar="REV", help="the other end of the change (HEAD)")
    change.add_argument("--staged", action="store_true", help="compare staged changes with HEAD")
    add_sandbox(parser)
    parser.add_argument(
        "--fail-on",
        choices=FAIL_ON,
        default="",
        metavar="WHAT",
        help="when to fail: newly_false, unchecked (newly_false and unchecked), or never (the policy's)",
    )
    add_each(parser)
    reports.add_arguments(parser)


def run(args: Arguments, out: Output) -> int:
    """Check a change and print the report."""
    from gitmem.commands.check.summary import findings_of

    form = reports.form_of(args)
    if args.staged and (args.base or args.head):
        raise UsageError("--staged compares the index with HEAD", hint="remove --base and --head")
    with open_memory(out) as memory:
        options = Options(
            keys=tuple(args.keys),
            approved=args.approved,
            no_sandbox=args.no_sandbox,
            jobs=args.jobs,
        )
        warn_of_no_sandbox(args, out)
        refresh(memory, out, limit_s=HURRIED_S)
        checked = memory.check(
            options=options, base=args.base, head=args.head, staged=args.staged, progress=out.progress
        )
        names = {finding.key: name_of(finding, out) for finding in checked.findings}
        tip = memory.repository.find_tip() or ""
        findings = findings_of(checked, now=memory.repository.now, memory_commit=tip, names=names)
        fail_on = args.fail_on or memory.repository.policy().check.fail_on
        others = _ask_hub(memory, checked)
        findings = with_dependents(findings, others) if others else findings
        is_table = form == "json" or reports.is_wanted(args)
        table = with_short_ids(memory, as_table(checked, findings)) if is_table else {}
        table |= {"elsewhere": _elsewhere_table(others)} if is_table and others else {}
    if reports.is_wanted(args):
        reports.emit(args, out, findings, table)
    if form == "json":
        out.json(table)
    elif form == "text":
        print_sections(findings.sections, out)
        listed = [finding for finding in findings.of(*LISTED) if args.each or not finding.is_waiting]
        print_findings(listed, out, is_each=args.each, rest=" ".join(["gitmem check --each", *_span_of(args)]))
        out.line((findings.summary, "bold"))
    for note in (*findings.notes, *_advice(checked, out)) if form == "text" else ():
        out.note(note)
    return exit_status(checked, fail_on)


def _ask_hub(memory: Memory, checked: CheckResult) -> HubDependents | None:
    """Return what in other repositories rests on what becomes false or suspect; None without a hub or any of these."""
    site, chains = memory.repository.config.hub, {finding.key: finding.chain for finding in checked.of(BROKEN, SUSPECT)}
    if site in ("", "off") or not chains:
        return None
    from gitmem.git.remotes import address_of
    from gitmem.hub import client

    address = address_of(memory.repository.git.remote_url(memory.repository.config.remote))
    dependents = client.find_dependents(site, address, sorted(chains), token=variable("GITMEM_HUB_TOKEN"))
    # Suspicion does not travel further over repositories than within one.
    near = [
        dependent
        for dependent in dependents.dependents
        if len(dependent.chain) + len(chains.get(dependent.chain[-1], ())) <= DEPTH
    ]
    return replace(dependents, dependents=tuple(near))


def with_dependents(findings: Findings, others: HubDependents) -> Findings:
    """Return the findings with the memories of other repositories that a hub named; notes say what it did not name."""
    rows = [
        FindingRow(f"{dependent.repository_name}:{dependent.key} {describe_chain(dependent.chain)}: {dependent.title}")
        for dependent in others.dependents
    ]
    notes = []
    if others.problem:
        notes = [f"the hub does not say what rests on this in other repositories: {others.problem}"]
    elif not others.name:
        notes = ["the hub does not know this repository, so facts of other repositories that rest on it are unknown"]
    if others.more:
        notes.append(f"{others.more} more memories of other repositories rest on what becomes false")
    if others.unasked:
        notes.append(f"the hub was not asked what rests on {others.unasked} more facts in other repositories")
    heading = "Makes suspect in other repositories"
    sections = (FindingSection(heading, WARNING, tuple(rows)),) if rows else ()
    return replace(findings, sections=(*findings.sections, *sections), notes=(*findings.notes, *notes))


def _elsewhere_table(others: HubDependents) -> dict[str, Any]:
    """Return a hub's answer as documented JSON."""
    names = ("key", "kind", "title", "status")
    rows = [
        {"repository": dependent.repository_name}
        | {name: getattr(dependent, name) for name in names}
        | {"because": list(dependent.chain)}
        for dependent in others.dependents
    ]
    return {"dependents": rows, "more": others.more, "repository": others.name, "problem": others.problem}


def exit_status(checked: CheckResult, fail_on: str) -> int:
    """Return the command's exit status if these findings (``settings.FAIL_ON``) count as failures."""
    if fail_on == "never":
        return 0
    is_refused = checked.review.is_refused or (checked.branch is not None and checked.branch.is_refused)
    if checked.of(BROKEN, WRONG) or is_refused:
        return 1
    return 3 if checked.of(UNCHECKED) and fail_on == "unchecked" else 0


def print_sections(sections: Sequence[FindingSection], out: Output) -> None:
    """Print additional findings, one section for each kind."""
    for section in sections:
        out.line((f"{section.heading}:", LEVEL_STYLES[section.level]))
        for row in section.rows:
            where = f"{row.path}:{row.line}" if row.line else row.path
            out.line("  ", (where, "key"), "  " if where else "", row.text)
        out.line("")


def print_findings(findings: Sequence[FactFinding], out: Output, *, is_each: bool = False, rest: str) -> None:
    """Print the findings on facts and suspects by cause; *rest* is the command that lists each."""
    cases = [_case(finding, out) for finding in findings]
    print_cases(cases, {case.culprit: phrase(*case.culprit) for case in cases}, out, is_each=is_each, rest=rest)


def _case(finding: FactFinding, out: Output) -> Case:
    from gitmem.commands.report.sentences import place_sentence

    name = name_of(finding, out)
    where = [f"{spot.path}:{spot.line}" if spot.line else spot.path for spot in finding.places]
    more = [place_sentence(line).rstrip(".") for line in finding.stated]
    more += [*where, *([f"written by {finding.by}"] if finding.by else [])]
    more += ["already suspect"] if finding.kind == SUSPECT and not finding.is_new else []
    more += [f"gitmem settle {name}"] if finding.kind == BROKEN else []
    more += [f"gitmem verify --record {name}"] if finding.kind == WRONG else []
    return case_of(finding, more="; ".join(more))


def name_of(finding: FactFinding, out: Output) -> str:
    """Return by what a finding is named: its short id on a terminal, its key in a pipe."""
    return finding.name if out.is_terminal else finding.key


def _span_of(args: Arguments) -> list[str]:
    """Return the options that selected the change, as typed."""
    options = [f"--base {args.base}"] if args.base else []
    options += [f"--head {args.head}"] if args.head else []
    return [*options, *(["--staged"] if args.staged else [])]


def _advice(checked: CheckResult, out: Output) -> list[str]:
    reasons = [finding.because for finding in checked.of(UNCHECKED)]
    broken = checked.of(BROKEN)
    lines = [f"to decide what to do: gitmem settle {name_of(broken[0], out)}"] if len(broken) > LINES_AT_MOST else []
    if waiting := [name_of(f, out) for f in checked.findings if f.is_waiting]:
        count = "1 fact waits" if len(waiting) == 1 else f"{len(waiting)} facts wait"
        how = "gitmem trust --review; in CI, a reviewed list on the default branch: --approved FILE"
        lines.append(f"{count} for approval: {few(waiting)} ({how})")
    if "no sandbox works here" in reasons:
        lines.append("no sandbox works here: install bubblewrap, or use --no-sandbox; see gitmem doctor")
    return lines


def as_table(checked: CheckResult, findings: Findings) -> dict[str, Any]:
    """Return the check as documented JSON, with the texts of reports."""
    from gitmem.commands.check.branch_memory import table_of
    from gitmem.verify.overview.notice.document import section_table

    span = checked.span
    return {
        "summary": findings.summary,
        "notes": list(findings.notes),
        "memory": findings.memory,
        "sections": [section_table(section) for section in findings.sections],
        "base": span.base,
        "head": span.head,
        "against": span.against,
        "files": checked.files,
        "facts": checked.facts,
        "newly_false": [_row(f) | {"new": f.is_new} for f in checked.of(BROKEN)],
        "wrong_verdicts": [_row(f) for f in checked.of(WRONG)],
        "silenced": [_row(f) for f in checked.of(SILENCED)],
        "newly_true": [
            {"key": f.key, "short_id": f.short_id, "title": f.title, "path": f.path} for f in checked.of(MENDED)
        ],
        "retired": [_row(f) for f in checked.of(RETIRED)],
        "still_false": [_row(f) | {"culprit": f.culprit, "culprit_after": f.culprit_after} for f in checked.of(STILL)],
        "outside": [_row(f) for f in checked.of(OUTSIDE)],
        "unchecked": [_row(f) | {"reason": f.because} for f in checked.of(UNCHECKED)],
        "outdated": [_row(f) for f in checked.of(OUTDATED)],
        "suspect": [_row(f) | {"because": list(f.chain), "new": f.is_new} for f in checked.of(SUSPECT)],
        "holds": len(checked.of("holds")),
        "moved": [f.key for f in checked.of("holds", OUTDATED) if f.moved],
        "whole_tree": list(checked.whole),
        "brought": list(checked.brought),
        "removed": list(checked.removed),
        "hidden": list(checked.hidden),
        "untouched": [{"key": key, "because": because} for key, because in checked.untouched],
        "waiting": [f.key for f in checked.findings if f.is_waiting],
        "review": {
            "edits": [fields_of(edit) for edit in checked.review.edits],
            "programs": [fields_of(program) for program in checked.review.programs],
            "memory": [fields_of(finding) for finding in checked.review.memory],
        },
        "branch_memory": table_of(checked.branch) if checked.branch is not None else None,
        "sandbox": checked.rung,
        "note": span.note,
    }


def _row(finding: FactFinding) -> dict[str, Any]:
    return {
        "key": finding.key,
        "short_id": finding.short_id,
        "title": finding.title,
        "because": finding.because,
        "by": finding.by,
        "path": finding.fact.path if finding.fact is not None else finding.path,
        "line": finding.fact.line if finding.fact is not None else 0,
        "changed": [{"path": spot.path, "line": spot.line} for spot in finding.places],
        "stated": [
            {
                "path": line.spot.path,
                "line": line.spot.line,
                "text": line.text,
                "contradicted_by": line.where,
                "corrected": line.corrected,
                "in_diff": line.is_in_diff,
                "remove": [line.cut[0], line.cut[-1]] if line.cut else [],
            }
            for line in finding.stated
        ],
    }
