"""Explain a change to the memory to a reviewer: text, statuses, commands, and problems with it.

A..B compares two states of the memory branch directly; A...B shows what B changed since the two diverged; A alone is
compared with the memory branch; without an argument, it shows what is not synced yet (origin/memory..memory). Only git
objects are read: nothing runs, and nothing is written. Statuses are for the code at HEAD, or --code REV; on a checkout
of the memory branch, for the default branch.

Exit status: 0 no finding is severe enough to fail; 1 there is one (--fail-on, or review.fail_on in the policy as it was
before the change; error by default); 3 one of the two states is not in this clone.
"""

from __future__ import annotations

from gitmem.cli import reports
from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.names import with_short_ids
from gitmem.cli.options import add_approved
from gitmem.cli.output import Output, quantity
from gitmem.model import ADOPTED, VERIFIED
from gitmem.statuses import MARKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.commands.review.model import CheckCommand, FindingGroup, MemoryChange, Review, WordRun

EXAMPLES = (
    "gitmem review",
    "gitmem review origin/memory...HEAD",
    "gitmem review memory~5 --fail-on warning",
    "gitmem review origin/memory...gitmem/auth-notes --format markdown",
    "gitmem review origin/memory..HEAD --format github --report html=review.html --report markdown=review.md",
)
FORMS = ("markdown", "html", "github")
STYLES = {"error": "red", "warning": "yellow", "note": "dim"}
SIGNS = {
    "added": ("+", "green"),
    "changed": ("~", "yellow"),
    "superseded": ("»", "yellow"),
    "retired": ("-", "red"),
    "deleted": ("-", "red"),
    "restored": ("+", "green"),
    "renamed": ("→", "yellow"),
    "moved": ("→", "dim"),
    "unreadable": ("!", "red"),
}


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``review``."""
    parser.add_argument("range", nargs="?", default="", metavar="A..B", help="the states to compare")
    parser.add_argument("--code", default="", metavar="REV", help="show statuses for this code revision (HEAD)")
    parser.add_argument(
        "--fail-on",
        choices=("error", "warning", "note", "never"),
        metavar="SEVERITY",
        help="minimum severity that fails: error, warning, note, never",
    )
    add_approved(parser)
    reports.add_arguments(parser, FORMS)


def run(args: Arguments, out: Output) -> int:
    """Review a change and print the report."""
    from gitmem.commands.review import forms, markdown

    form = reports.form_of(args)
    with open_memory(out) as memory:
        review = memory.review(args.range, code=args.code, approved=args.approved)
        table = with_short_ids(memory, forms.as_table(review)) if form == "json" or reports.is_wanted(args) else {}
    if reports.is_wanted(args):
        reports.emit_forms(
            args,
            out,
            lambda form: reports.json_text(table) if form == "json" else forms.WRITERS[form](review),
            lambda limit: markdown.page(review, limit=limit),
        )
    if form == "json":
        out.json(table)
    elif form == "text":
        print_review(review, out)
        if not args.range and not review.base:
            out.note(
                "no remote memory to compare with, so everything is new; to see the last change: gitmem review memory~1"
            )
    for note in review.notes if form == "text" else ():
        out.note(note)
    return int(review.is_failed(args.fail_on or review.fail_on))


# One run may record hundreds of verdicts, all made by one machine.
PROOFS_SHOWN = 20
# The most claims that are shown in full where there is nothing to compare with: an adoption adds hundreds.
CLAIMS_SHOWN = 5


def print_review(review: Review, out: Output) -> None:
    """Print a review for people, most severe findings last."""
    from gitmem.commands.review.model import SEVERITIES, group_findings

    groups = group_findings(review.findings)
    keys = {change.key for change in review.changes}
    own: dict[str, list[FindingGroup]] = {}
    for group in groups:
        if not group.others and group.first.key in keys:
            own.setdefault(group.first.key, []).append(group)
    plain = [change.key for change in review.changes if change.key not in own and _is_plain_claim(change)]
    # What someone else proposes is shown in full.
    folded = set() if review.base else set(plain[CLAIMS_SHOWN:])
    # The most severe last, because the end of the output is read first on a terminal.
    worst = {key: SEVERITIES.index(mine[0].first.severity) for key, mine in own.items()}
    for change in sorted(review.changes, key=lambda change: -worst.get(change.key, len(SEVERITIES))):
        if change.key in folded:
            continue
        _print_change(change, out)
        for group in own.get(change.key, ()):
            _print_finding(group, out, indent="  ")
    for setting in review.settings:
        out.line(("~", "yellow"), f" setting {setting.name}: ", *_was(setting.before), setting.after or "default")
    if folded:
        out.line(
            f"… {quantity(len(folded), 'more added claim')}, built-in checks that hold: gitmem review --format markdown"
        )
    if review.changes or review.settings:
        out.line("")
    _print_statuses(review, folded, out)
    for group in reversed(groups):
        if group.others or group.first.key not in keys:
            _print_finding(group, out)
    out.line((review.summary, "bold"))


def _print_statuses(review: Review, folded: set[str], out: Output) -> None:
    """Print the statuses that differ and who proved what, without those of folded claims."""
    for shift in review.shifts:
        if shift.key in folded and shift.after == VERIFIED:
            continue
        why = f" — {shift.because}" if shift.because else ""
        was = f" (was {shift.before})" if shift.before else ""
        out.line(
            (MARKS[shift.after], shift.after), " ", (shift.key, "key"), f"  {shift.after or 'no status'}{was}{why}"
        )
    proofs = [proof for proof in review.proofs if proof.key not in folded][:PROOFS_SHOWN]
    for proof in proofs:
        out.line(("=", "dim"), " ", (proof.key, "key"), f"  {proof.sentence}")
    if (more := len(review.proofs) - len(proofs)) > 0:
        out.line(f"… {more} more verdicts: gitmem review --json")


def _is_plain_claim(change: MemoryChange) -> bool:
    """Return whether a change adds a claim of a document whose built-in check holds."""
    answer = change.command.answer if change.command else ""
    return change.what == "added" and change.kind == ADOPTED and answer.startswith("holds")


def _print_finding(group: FindingGroup, out: Output, *, indent: str = "") -> None:
    finding = group.first
    where = (
        f"{finding.path}:{finding.line}"
        if finding.line and not group.others
        else group.names
        if group.others
        else finding.path
    )
    message = f"  {where}" if where else ""
    out.line(indent, (f"{finding.severity}: {finding.code}", STYLES[finding.severity]), message, f": {finding.message}")
    if group.hint:
        out.line((f"{indent}    {group.hint}", "dim"))


def _print_change(change: MemoryChange, out: Output) -> None:
    sign, style = SIGNS[change.what]
    because = f" — {change.because}" if change.because else ""
    by = f"  by {change.by}" if change.by else ""
    title = _words(change.words) or [change.title]
    kind = f"{change.kind} " if change.kind else ""
    head = ((f"{sign} {change.what}", style), f" {kind}", (change.key, "key"), "  ")
    out.line(*head, *title, because, (by, "dim"))
    for field in change.fields:
        out.line(f"    {field.name}: ", *_was(field.before), (field.after or "–", "green"))
    for words in _lines(change.body):
        out.line("    ", *words)
    for line in change.raw.split("\n") if change.raw else ():
        out.line("  ! ", line)
    if change.command is not None:
        _print_command(change.command, out)


def _was(before: str) -> tuple[str | tuple[str, str], ...]:
    return ((before, "red"), " → ") if before else ()


def _print_command(command: CheckCommand, out: Output) -> None:
    state = f"approval {command.approval}" if command.form == "builtin" else f"{command.approval} here"
    style = "yellow" if command.approval in ("not approved", "denied") else "dim"
    known = command.answer or f"{state}; {command.history}"
    out.line(f"  check ({command.form}): ", (known, style))
    for line in command.text.split("\n"):
        out.line("  $ ", (line, "bold"))
    for line in "\n".join(command.asks).split("\n") if command.asks else ():
        out.line("    with ", line)
    for line in command.was.split("\n") if command.was else ():
        out.line(("  was ", "dim"), (line, "red"))


def _words(pieces: tuple[WordRun, ...]) -> list[str | tuple[str, str]]:
    """Return a word diff as git prints it: ``[-old-]{+new+}``."""
    words: list[str | tuple[str, str]] = []
    for piece in pieces:
        text = piece.text.rstrip()
        space = piece.text[len(text) :]
        if piece.op == "=":
            words.append(piece.text)
        else:
            shown = f"[-{text}-]" if piece.op == "-" else f"{{+{text}+}}"
            words += [(shown, "red" if piece.op == "-" else "green"), space]
    return words


def _lines(pieces: tuple[WordRun, ...]) -> list[list[str | tuple[str, str]]]:
    """Return a body's diff by line; if all of it is new, its lines alone."""
    if len(pieces) == 1 and pieces[0].op == "+":
        return [[(line, "green")] for line in pieces[0].text.split("\n")]
    lines: list[list[str | tuple[str, str]]] = [[]]
    for part in _words(pieces):
        text, style = part if isinstance(part, tuple) else (part, "")
        first, *rest = text.split("\n")
        lines[-1].append((first, style) if style else first)
        lines += [[(line, style) if style else line] for line in rest]
    return [line for line in lines if line != [""]] if pieces else []
