"""The forms of a review for forges and other programs: Markdown, HTML, annotations of GitHub Actions, and JSON."""

from __future__ import annotations

from importlib.resources import files

from gitmem.commands.review import markdown
from gitmem.commands.review import model as f
from gitmem.commands.review.markdown import HEADINGS
from gitmem.frozen import fields_of
from gitmem.text import unlike_command, web_page, workflow_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from gitmem.commands.review.model import MemoryChange, Review, ReviewFinding, WordRun

# GitHub shows this many annotations per level and step, and drops the others silently.
ANNOTATED = 10
LEVELS = {f.ERROR: "error", f.WARNING: "warning", f.NOTE: "notice"}
# The most memories that a page shows unfolded; a page with 20,000 cannot be read.
CHANGES_SHOWN = 5_000
FINDINGS_SHOWN = 2_000
TAGS = {f.GONE: "del", f.NEW: "ins", f.SAME: ""}


def workflow_commands(review: Review) -> str:
    """Return annotations of GitHub Actions: a workflow command per shown finding, and the summary as a plain line."""
    lines = [f"gitmem review: {unlike_command(review.summary)}"]
    for severity, level in LEVELS.items():
        those = [finding for finding in review.findings if finding.severity == severity]
        lines += [_command(level, finding) for finding in those[:ANNOTATED]]
        if len(those) > ANNOTATED:
            lines.append(f"gitmem review: {len(those) - ANNOTATED} more of level {severity}: see the step's summary")
    lines += [f"gitmem review: {unlike_command(note)}" for note in review.notes]
    return "\n".join(lines) + "\n"


def _command(level: str, finding: ReviewFinding) -> str:
    title = " ".join(filter(None, (finding.key, finding.code)))
    message = f"{finding.message} ({finding.hint})" if finding.hint else finding.message
    return workflow_command(level, message, title=title, path=finding.path, line=finding.line)


def html(review: Review) -> str:
    """Return one self-contained HTML page: no script, nothing loaded, light and dark, readable on a phone.

    The template ``page.html`` escapes every text, and the page's content security policy blocks scripts and loading in
    case something slips through.
    """
    style = (files(__package__) / "page.css").read_text("utf-8")
    commands = [
        (change.key, change.command)
        for change in review.changes
        if change.command is not None and change.command.form != "builtin"
    ]
    return (
        web_page.templates(__package__)
        .get_template("page.html")
        .render(
            review=review,
            groups=f.group_findings(review.findings),
            policy=web_page.policy(style),
            style=style,
            commands=commands,
            changes=[(what, HEADINGS[what], review.of(what)) for what in f.KINDS],
            tags=TAGS,
            limit=CHANGES_SHOWN,
            findings_limit=FINDINGS_SHOWN,
        )
    )


def as_table(review: Review) -> dict[str, Any]:
    """Return the JSON values (docs/json.md documents the fields)."""
    return {
        "base": review.base,
        "head": review.head,
        "from": review.asked[0],
        "to": review.asked[1],
        "code": review.code,
        "commits": review.commits,
        "authors": [{"author": author, "commits": number} for author, number in review.authors],
        "summary": review.summary,
        "findings": [fields_of(finding) for finding in review.findings],
        "statuses": [fields_of(shift) | {"chain": list(shift.chain)} for shift in review.shifts],
        "changes": [_change(change) for change in review.changes],
        "settings": [fields_of(setting) for setting in review.settings],
        "proofs": [fields_of(proof) for proof in review.proofs],
        "verdicts": dict(zip(("added", "changed", "removed"), review.verdicts, strict=True)),
        "notes": list(review.notes),
        "fail_on": review.fail_on,
    }


def _change(change: MemoryChange) -> dict[str, Any]:
    table = fields_of(change)
    table["words"], table["body"] = _pieces(change.words), _pieces(change.body)
    table["fields"] = [fields_of(field) for field in change.fields]
    if change.command is not None:
        table["command"] = fields_of(change.command) | {"asks": list(change.command.asks)}
    return table


def _pieces(pieces: tuple[WordRun, ...]) -> list[list[str]]:
    return [[piece.op, piece.text] for piece in pieces]


WRITERS: dict[str, Callable[[Review], str]] = {"markdown": markdown.page, "html": html, "github": workflow_commands}
