"""Approve commands. No command in the memory runs until a person on this machine has approved its exact bytes.

Each command is shown in full, with every hidden character visible. To approve it, type the first digits of its hash at
the terminal. A command that does not fit on the screen cannot be approved. `--review` groups simple commands of one
program with the same options: every line is shown, and one hash approves exactly these lines. Approvals are stored
outside the repository and apply to this clone only; a changed command needs a new approval. `--print` writes the lines
of a reviewed list for CI (gitmem verify --approved FILE).
"""

from __future__ import annotations

import os
from itertools import groupby
from unicodedata import east_asian_width

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.columns import fill
from gitmem.cli.command_memory import open_memory
from gitmem.cli.names import shown_names, with_short_ids
from gitmem.cli.options import add_json
from gitmem.cli.output import Output
from gitmem.cli.terminal import need_terminal, read_line
from gitmem.commands.trust import group, hash_of, name_of
from gitmem.document.spec import describe_variables, format_check, format_spec
from gitmem.errors import TrustError, UsageError
from gitmem.repository.approvals import accept_settings, approve_command, deny_command, trust_of
from gitmem.text import display
from gitmem.verify.approvals.clone import TYPED_DIGITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from gitmem.memory import Memory
    from gitmem.verify.due import Due

EXAMPLES = (
    "gitmem trust auth-tests-pass",
    "gitmem trust --review",
    "gitmem trust --settings",
    "gitmem trust --list",
    "gitmem trust --print > .github/gitmem-approved",
)

IN_CI = "run it in a terminal; in CI, use gitmem verify --approved FILE with a list reviewed on the default branch"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``trust``."""
    parser.add_argument("keys", nargs="*", metavar="KEY", help="the facts whose commands to approve")
    parser.add_argument("--review", action="store_true", help="go through all commands waiting for approval")
    parser.add_argument("--list", action="store_true", help="list commands approved or denied in this clone")
    parser.add_argument("--print", action="store_true", help="print the lines of a reviewed list; approves nothing")
    parser.add_argument(
        "--settings",
        action="store_true",
        help="accept the settings of this repository's own configuration that run a program or send text",
    )
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Approve commands, list them or print a reviewed list."""
    with open_memory(out) as memory:
        if args.list:
            return _list(memory, args, out)
        if args.print:
            return _print(memory, args, out)
        if args.settings and not args.keys:
            return _accept_settings(memory, out)
        if args.settings:
            raise UsageError("--settings and keys cannot be combined")
        if not args.keys and not args.review:
            raise UsageError("say which commands to approve", hint="gitmem trust --review goes through all that wait")
        return _approve(memory, args, out)


def _list(memory: Memory, args: Arguments, out: Output) -> int:
    approvals = trust_of(memory.repository).list_all()
    if args.json:
        tables = [
            {"verdict": a.verdict, "spec": a.spec, "key": a.key, "command": a.command, "at": a.at} for a in approvals
        ]
        out.json({"approvals": with_short_ids(memory, tables)})
        return 0
    names = shown_names(memory, [a.key for a in approvals], out)
    for a in approvals:
        style = "green" if a.verdict == "allow" else "red"
        out.line((a.verdict, style), f"  {a.spec[:12]}  ", (names[a.key], "key"), f"  {a.command}")
    if not approvals:
        out.note("nothing has been approved or denied in this clone")
    return 0


def _print(memory: Memory, args: Arguments, out: Output) -> int:
    dues = memory.repository.commands(memory.repository.need(args.keys))
    if args.json:
        table = [{"spec": d.row.spec, "key": d.row.key, "command": format_spec(d.spec)} for d in dues]
        out.json({"commands": with_short_ids(memory, table)})
        return 0
    out.exact("# Commands that gitmem verify may run in CI, by the hash of the whole specification. Review every line.")
    for due in dues:
        out.exact(due.approved_line, is_copy=True)
    return 0


def _approve(memory: Memory, args: Arguments, out: Output) -> int:
    with need_terminal(memory, IN_CI) as terminal:
        trust = trust_of(memory.repository)
        repository = memory.repository
        dues = repository.commands(repository.need(args.keys)) if args.keys else repository.list_waiting()
        dues = [due for due in dues if not trust.allows(due.row.spec)]
        if not dues:
            out.note("these are approved, or need no approval" if args.keys else "nothing is waiting for approval")
            return 0
        approved = 0
        groups = [[due] for due in dues] if args.keys else group(dues)
        for number, listed in enumerate(groups, 1):
            group_answer = ask_group(terminal, listed, number, len(groups)) if listed[1:] else ""
            answer = group_answer or ask(terminal, listed[0], number, len(groups))
            if answer == "quit":
                break
            if answer == "yes":
                approved += len(listed)
            for due in listed:
                if answer == "yes":
                    approve_command(memory.repository, due)
                elif answer == "deny":
                    deny_command(memory.repository, due)
    out.result(f"{approved} of {len(dues)} approved", is_change=bool(approved))
    return 0 if approved == len(dues) else 1


def _accept_settings(memory: Memory, out: Output) -> int:
    """Ask whether to accept the ignored settings, all of them or none."""
    from gitmem.repository.settings_approval import format_settings, spec_of

    if not memory.repository.ignored_settings:
        out.note("this repository's own configuration has no settings waiting for approval")
        return 0
    spec = spec_of(memory.repository.ignored_settings)
    lines = [
        "",
        "This repository's own configuration sets:",
        *(f"    {line}" for line in format_settings(memory.repository.ignored_settings)),
    ]
    warning = "  They name programs, or models that read your memories, questions and sessions, or ask agents to push."
    question = (
        f"  Type the first {TYPED_DIGITS} digits to accept these values in this clone, or press Enter to keep ignoring"
        " them: "
    )
    with need_terminal(memory, "run it in a terminal, or set it for all repositories: git config --global") as terminal:
        columns, height = _size(terminal)
        lines += [*fill(warning, columns, hang=2), f"  hash {spec[:TYPED_DIGITS]}…", *fill(question, columns, hang=2)]
        lines[-1] += " "
        if rows(lines, columns) > height:
            message = f"these settings need {rows(lines, columns)} lines, but your terminal shows {height}"
            raise TrustError(message, hint="make the window larger, so that all of them are visible")
        terminal.write("\n".join(lines).encode("utf-8", "backslashreplace"))
        is_accepted = read_line(terminal).strip().lower() == spec[:TYPED_DIGITS]
    if not is_accepted:
        out.note("still ignored")
        return 1
    accept_settings(memory.repository)
    out.announce("accepted in this clone")
    return 0


def ask(terminal: Any, due: Due, number: int, of: int) -> str:
    """Show one command on the terminal and return the answer: ``yes``, ``no``, ``deny`` or ``quit``."""
    first, *rest = describe_approval(due)
    columns, height = _size(terminal)
    head = ["", *fill(f"({number}/{of}) {first}", columns)]
    lines = [
        *head,
        *(part for line in rest for part in _fill(f"  {line}", columns)),
        *_question(f"First {TYPED_DIGITS} digits approve", columns),
    ]
    needed = rows(lines, columns)
    if needed > height:
        # Lines that scrolled away are not read.
        lines = [
            *head,
            *fill(f"  Skipped: this needs {needed} lines, but your terminal shows {height}.", columns, hang=2),
            *fill("  Make the window larger, or move the command into a script in the code.", columns, hang=2),
            "",
        ]
    terminal.write("\n".join(lines).encode("utf-8", "backslashreplace"))
    if needed > height:
        return "no"
    return _answer(terminal, due.row.spec)


def ask_group(terminal: Any, dues: Sequence[Due], number: int, of: int) -> str:
    """Show a group's commands, a screen at a time, and return the answer: ``yes``, ``no``, ``deny`` or ``quit``."""
    approved = hash_of(dues)
    head = ["", f"({number}/{of}) {display(name_of(dues))}"]
    columns, height = _size(terminal)
    foot = [
        f"  time limit {dues[0].spec.timeout_s} s, network no",
        *_fill(
            "  You approve only these commands; the files that they run belong to the code and may change.", columns
        ),
        f"  hash {approved[:TYPED_DIGITS]}…",
        *_question(f"First {TYPED_DIGITS} digits approve all {len(dues)}", columns),
    ]
    left = [f"    {display(format_check(due.spec.check))}  ({display(due.row.key)})" for due in dues]
    skipped = "  Skipped: this needs a larger window."
    while True:
        columns, height = _size(terminal)
        if rows([*head, *left, *foot], columns) <= height:
            break
        more = "  Press Enter for the rest, or q to quit: "
        fits = _count_fitting([*head, more], left, columns, height)
        if not fits:  # a single line, or the question itself, is larger than the screen
            terminal.write("\n".join([*head, skipped, ""]).encode("utf-8", "backslashreplace"))
            return "no"
        terminal.write("\n".join([*head, *left[:fits], more]).encode("utf-8", "backslashreplace"))
        line = read_line(terminal)
        if not line.endswith("\n") or line.strip().lower() == "q":
            return "quit"
        head, left = [], left[fits:]
    terminal.write("\n".join([*head, *left, *foot]).encode("utf-8", "backslashreplace"))
    return _answer(terminal, approved)


def _question(approves: str, columns: int) -> list[str]:
    """Return the question about the shown commands, in one line or, on a narrow terminal, two."""
    first, last = f"  {approves}, d denies, q quits;", "press Enter to decide later: "
    return [f"{first} {last}"] if len(first) + len(last) < columns else [first, f"  {last}"]


def _fill(line: str, columns: int) -> list[str]:
    """Wrap gitmem's own text; leave a command to the terminal, which continues it unchanged."""
    return fill(line, columns, hang=2) if line.startswith("  You approve only ") else [line]


def _count_fitting(around: Sequence[str], lines: Sequence[str], columns: int, height: int) -> int:
    """Return how many of the lines fit on the screen with those around them."""
    left = height - rows(around, columns)
    for number, line in enumerate(lines):
        left -= rows([line], columns)
        if left < 0:
            return number
    return len(lines)


def _answer(terminal: Any, hash_: str) -> str:
    """Read an answer: whether the first digits of a hash were typed."""
    line = read_line(terminal)
    if not line.endswith("\n"):
        return "quit"  # Ctrl-D, or the terminal was closed
    typed = line.strip().lower()
    if typed == hash_[:TYPED_DIGITS]:
        return "yes"
    return {"q": "quit", "d": "deny"}.get(typed, "no")


def describe_approval(due: Due) -> list[str]:
    """Return everything that a person approves with one command, and the beginning of its hash, as lines."""
    spec = due.spec
    return [
        f"{display(due.row.key)}: {display(due.document.title)}",
        *(f"  {line}" for line in format_command(due)),
        f"time limit {spec.timeout_s} s, network {'YES' if spec.network else 'no'}"
        + (f", setup first: {display(spec.setup)}" if spec.setup else ""),
        *([f"it sees your files in {', '.join(map(display, spec.folders))}"] if spec.folders else []),
        *([f"it sees the {describe_variables(spec)}"] if spec.variables else []),
        *([f"counterexample, also run: {display(spec.refute)}"] if spec.refute else []),
        "You approve only the command itself; the files that it runs belong to the code and may change.",
        f"hash {due.row.spec[:TYPED_DIGITS]}…",
    ]


def format_command(due: Due) -> list[str]:
    """Return a complete command line by line, with hidden characters visible; several blank lines become one."""
    check = due.spec.check
    if check.form == "program":
        return [f"{n}: {display(word)}" for n, word in enumerate(check.words)]
    shown: list[str] = []
    for is_blank, run in groupby(check.words[0].split("\n"), key=lambda line: not line.strip()):
        words = list(run)
        shown += [f"[{len(words)} blank lines]"] if is_blank and len(words) > 1 else map(display, words)
    return shown


def rows(lines: Iterable[str], columns: int) -> int:
    """Return how many rows of a terminal the lines take."""
    widths = (sum(2 if east_asian_width(char) in "WF" else 1 for char in line) for line in lines)
    return sum(max(1, -(-width // columns)) for width in widths)


def _size(terminal: Any) -> tuple[int, int]:
    """Return the columns and rows of a terminal; those of a VT100 if it does not report them."""
    try:
        columns, height = os.get_terminal_size(terminal.fileno())
    except OSError:
        columns = height = 0
    return columns or 80, height or 24
