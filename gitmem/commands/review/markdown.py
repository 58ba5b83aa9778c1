"""A review as Markdown for a comment: inert text, below the size that a forge accepts.

Texts of several lines are code blocks whose fence is longer than any run of backticks in them, so that nothing inside
can end them; texts of one line are escaped (``verify.overview.stock.cell``).
"""

from __future__ import annotations

from gitmem.commands.review import model as f
from gitmem.text import count_of
from gitmem.verify.overview.stock import cell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from gitmem.commands.review.model import CheckCommand, FindingGroup, MemoryChange, Review, Shift, WordRun

# GitHub rejects a comment of more than 65,536 characters (its API's error says so); minus a marker and a footer.
SIZE_LIMIT = 65_536 - 1_536
MARKS = {f.ERROR: "🛑", f.WARNING: "⚠️", f.NOTE: "ℹ️"}
HEADINGS = {
    f.UNREADABLE: "Cannot be read",
    f.ADDED: "Added",
    f.CHANGED: "Changed",
    f.SUPERSEDED: "Superseded",
    f.RETIRED: "Retired",
    f.DELETED: "Deleted",
    f.RESTORED: "Restored",
    f.RENAMED: "Renamed",
    f.MOVED: "Moved",
}
# The largest share of the remaining room for one part of the page, except the last, so that later parts are shown as
# well.
_SHARE = 0.4


def page(review: Review, *, limit: int = SIZE_LIMIT) -> str:
    """Return the page, at most *limit* bytes: most important first, with a count of omissions."""
    blocks = ["## gitmem review\n\n", f"{cell(review.summary)}\n\n", _between(review)]
    left = limit - sum(len(block.encode()) for block in blocks)
    tail = "".join(f"> {cell(note)}\n>\n" for note in review.notes)
    left -= len(tail.encode())
    for part in (_findings, _commands, _statuses, _proofs, _settings, _changes):
        text = part(review, int(left * (1.0 if part is _changes else _SHARE)))
        left -= len(text.encode())
        blocks.append(text)
    return "".join(blocks) + tail


def _between(review: Review) -> str:
    base = f"`{review.base[:12]}`" if review.base else "nothing"
    lines = [f"{base} → `{review.head[:12]}`"]
    if review.commits > 0:
        names = [f"{cell(name.partition(' <')[0])} ({number})" for name, number in review.authors[:5]]
        more = [f"{len(review.authors) - 5} more"] if len(review.authors) > 5 else []
        lines.append(f"{count_of(review.commits, 'commit')} by {', '.join([*names, *more])}")
    if review.code:
        lines.append(f"statuses for the code at `{review.code[:12]}`")
    return f"{', '.join(lines)}\n\n"


def _fitting(rows: Iterable[str], total: int, room: int, rest: Callable[[int], str]) -> str:
    """Return as many rows as fit into *room* bytes, and the note on the omitted ones."""
    rows_shown, size = list[str](), 0
    for row in rows:
        size += len(row.encode())
        if size > room - 100:
            break
        rows_shown.append(row)
    return "".join(rows_shown) + (rest(total - len(rows_shown)) if len(rows_shown) < total else "")


def _table(heading: str, columns: str, rows: Sequence[str], room: int, rest: str) -> str:
    """Return a section with a table of the rows that fit; *rest* is the row that counts the omitted ones."""
    if not rows:
        return ""
    head = f"### {heading}\n\n{columns}\n{'|---' * (columns.count('|') - 1)}|\n"
    return f"{head}{_fitting(rows, len(rows), room - len(head), lambda left: rest.format(left=left))}\n"


def _findings(review: Review, room: int) -> str:
    heading, rows = f"Findings ({len(review.findings)})", [*map(_finding_row, f.group_findings(review.findings))]
    return _table(heading, "| | what | memory | where |", rows, room, "| … | and {left} more | | |\n")


def _finding_row(group: FindingGroup) -> str:
    finding = group.first
    where = cell(finding.path) + (f":{finding.line}" if finding.line else "") if not group.others else ""
    message = f"**{cell(finding.code)}**: {cell(finding.message)}" + (f"<br>{cell(group.hint)}" if group.hint else "")
    names = cell(group.names if group.others else finding.key)
    return f"| {MARKS[finding.severity]} {finding.severity} | {message} | {names} | {where} |\n"


def _statuses(review: Review, room: int) -> str:
    # A new memory without a proof is left out: its command says that it was never run.
    heading, rows = f"Statuses that differ ({len(review.shifts)})", [*map(_shift_row, review.shifts)]
    return _table(heading, "| memory | was | is | why |", rows, room, "| … | | | and {left} more |\n")


def _shift_row(shift: Shift) -> str:
    subject = f"{cell(shift.key)}: {cell(shift.title)}"
    return f"| {subject} | {shift.before or '–'} | {shift.after or '–'} | {cell(shift.because)} |\n"


def _proofs(review: Review, room: int) -> str:
    rows = [f"| {cell(proof.key)} | {cell(proof.sentence)} |\n" for proof in review.proofs]
    return _table(f"Verdicts ({len(rows)})", "| fact | who made it |", rows, room, "| … | and {left} more |\n")


def _commands(review: Review, room: int) -> str:
    """Return every command run by a shell or as a program, in full: each must be read."""
    those = [(c, c.command) for c in review.changes if c.command is not None and c.command.form != "builtin"]
    if not those:
        return ""
    head = f"### Commands to read ({len(those)})\n\n"
    blocks = (_command(change, command) for change, command in those)
    return head + _fitting(
        blocks, len(those), room - len(head), lambda left: f"**And {left} more: `gitmem review` shows them.**\n\n"
    )


def _command(change: MemoryChange, command: CheckCommand) -> str:
    asks = f"; asks for {'; '.join(map(cell, command.asks))}" if command.asks else ""
    message = (
        f"**{cell(change.key)}** ({command.form}, {cell(command.approval)} here; {cell(command.history)}{asks})\n\n"
    )
    was = f"before:\n\n{fence_code(command.was)}" if command.was else ""
    return f"{message}{fence_code(command.text)}{was}"


def fence_code(text: str, language: str = "") -> str:
    """Return text as a code block that nothing in it can end. Source: CommonMark 0.31.2, section 4.5."""
    longest = run = 0
    for char in text:
        run = run + 1 if char == "`" else 0
        longest = max(longest, run)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}\n\n"


def _settings(review: Review, room: int) -> str:
    rows = [f"| {cell(s.name)} | {cell(s.before) or '–'} | {cell(s.after) or '–'} |\n" for s in review.settings]
    return _table(f"Policy ({len(rows)})", "| setting | was | is |", rows, room, "| … | | and {left} more |\n")


def _changes(review: Review, room: int) -> str:
    blocks = list(_sections(review))
    count = len(review.changes)
    return _fitting(blocks, count, room, lambda left: f"**And {left} more memories: `gitmem review` shows them.**\n\n")


def _sections(review: Review) -> Iterator[str]:
    last = ""
    for change in review.changes:
        heading = "" if change.what == last else f"### {HEADINGS[change.what]} ({len(review.of(change.what))})\n\n"
        last = change.what
        yield heading + _change(change)


def _change(change: MemoryChange) -> str:
    kind = f"{cell(change.kind)} " if change.kind else ""
    because = f" — {cell(change.because)}" if change.because else ""
    by = f" (by {cell(change.by)})" if change.by else ""
    head = f"**{kind}{cell(change.key)}**: {_words(change.words) or cell(change.title)}{because}{by}\n\n"
    fields = "".join(
        f"- {cell(field.name)}: {_old_value(field.before)}{cell(field.after) or '–'}\n" for field in change.fields
    )
    parts = [f"{fields}\n" if fields else ""]
    if change.command is not None and change.command.form == "builtin":
        was = f" (was {cell(change.command.was)})" if change.command.was else ""
        answer = f" — {cell(change.command.answer)}" if change.command.answer else ""
        parts.append(f"built-in check, no approval needed: {cell(change.command.text)}{was}{answer}\n\n")
    parts += [_body(change)] if change.body else []
    parts += [fence_code(change.raw)] if change.raw else []
    return head + "".join(parts)


def _old_value(before: str) -> str:
    return f"<del>{cell(before)}</del> → " if before else ""


def _words(pieces: tuple[WordRun, ...]) -> str:
    """Return a title with its words marked."""
    marks = {f.SAME: "{}", f.GONE: "<del>{}</del>", f.NEW: "<ins>{}</ins>"}
    return " ".join(marks[piece.op].format(cell(piece.text)) for piece in pieces)


def _body(change: MemoryChange) -> str:
    """Return the body, folded if it is long: word by word if it changed."""
    if all(piece.op == f.NEW for piece in change.body):
        return fence_code("".join(piece.text for piece in change.body))
    return f"> {_words(change.body)}\n\n"
