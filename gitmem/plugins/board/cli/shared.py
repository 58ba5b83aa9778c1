"""Options, printing and JSON shared by the verbs of boards."""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.output import Output, list_of, quantity, shorten
from gitmem.document.times import format_time
from gitmem.plugins.board.board import WAIVED
from gitmem.plugins.board.entry import RELATIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from gitmem.plugins.board.board import Board, Signal
    from gitmem.plugins.board.entry import Entry
    from gitmem.plugins.board.log import PostedEntry
    from gitmem.plugins.board.survival import Missing

STYLES = {"open": "red", "waived": "yellow", "answered": "green"}


def add_run(parser: ArgumentParser) -> None:
    """Add the argument that names the run."""
    parser.add_argument("run", metavar="RUN", help="the run, such as audit-7")


def add_worker(parser: ArgumentParser) -> None:
    """Add the option that names the worker."""
    parser.add_argument("--worker", default="", metavar="NAME", help="who says it (the agent or person working here)")


def add_links(parser: ArgumentParser) -> None:
    """Add the options that relate an entry to others."""
    links = parser.add_argument_group("how it relates to other entries")
    for relation in RELATIONS:
        what = "a signal" if relation == "addresses" else "an entry"
        about = f"{what} that it {relation}: {'s3' if relation == 'addresses' else 'e17'}"
        links.add_argument(f"--{relation}", action="append", default=[], metavar="ENTRY", help=about)


def links_of(args: Arguments) -> Mapping[str, list[str]]:
    """Return the typed relations of an entry to others."""
    return {relation: getattr(args, relation) for relation in RELATIONS}


def print_posted(posted: PostedEntry, args: Arguments, out: Output) -> int:
    """Print the name of a posted entry, or JSON."""
    if args.json:
        table = {"name": posted.entry.name, "id": posted.entry.id, "run": args.run}
        out.json(table | {"commit": posted.commit, "new": posted.is_written})
        return 0
    if posted.is_written:
        text = shorten(posted.entry.text, max(20, out.width - 24))
        out.result(posted.entry.name, f"posted {posted.entry.name} on {args.run}", text)
    else:
        out.line(posted.entry.name)
        out.note(f"{posted.entry.name} already says this; nothing was written")
    return 0


def entry_table(board: Board, entry: Entry) -> dict[str, Any]:
    """Return an entry as documented JSON."""
    source = {"doc": entry.source.doc, "ref": entry.source.ref, "evidence": entry.source.evidence}
    return {
        "name": board.name_of(entry.id),
        "id": entry.id,
        "type": entry.type,
        "text": entry.text,
        "worker": entry.worker,
        "who": entry.who,
        "at": format_time(entry.at),
        "confidence": entry.confidence,
        "severity": entry.severity,
        "must_surface": entry.must_surface,
        "superseded": entry.id in board.superseded,
        "source": source,
        "links": {name: [board.name_of(id_) for id_ in ids] for name, ids in sorted(entry.links.items())},
    }


def signal_table(board: Board, signal: Signal) -> dict[str, Any]:
    """Return a signal as documented JSON."""
    return {
        "name": board.name_of(signal.entry.id),
        "severity": signal.entry.severity,
        "state": signal.state,
        "text": signal.entry.text,
        "answers": [board.name_of(answer.id) for answer in signal.answers],
        "waivers": [{"worker": waiver.worker, "who": waiver.who, "why": waiver.text} for waiver in signal.waivers],
    }


def missing_table(board: Board, missing: Missing) -> dict[str, Any]:
    """Return an entry that a report does not mention as documented JSON."""
    entry = missing.due.entry
    named = {"name": board.name_of(entry.id), "type": entry.type, "why": missing.due.why, "text": entry.text}
    return named | {"share": round(missing.share, 3), "numbers": list(missing.numbers)}


def print_entries(board: Board, entries: Iterable[Entry], out: Output) -> None:
    """Print entries: two lines each on a terminal, tab-separated cells in a pipe."""
    states = {signal.entry.id: signal.state for signal in board.signals}
    for entry in entries:
        links = [f"{relation} {list_of(board.name_of(id_) for id_ in ids)}" for relation, ids in entry.links.items()]
        gone = "superseded" if entry.id in board.superseded else states.get(entry.id, "")
        name = board.name_of(entry.id)
        if not out.is_terminal:
            out.row(name, entry.type, entry.worker, entry.severity, gone, entry.text, "; ".join(links))
            continue
        source = " ".join(part for part in (entry.source.doc, entry.source.ref) if part)
        surfaces = "must surface" if entry.must_surface else ""
        about = [entry.type, entry.severity, gone, entry.worker, *links, source, surfaces]
        style = STYLES.get(states.get(entry.id, ""), "dim")
        out.line((name, "key"), "  ", ("  ".join(" ".join(part.split()) for part in about if part), style))
        out.line("  ", shorten(entry.text, out.width - 2))


def print_signal(board: Board, signal: Signal, out: Output) -> None:
    """Print one signal on a line, with its waivers."""
    name = board.name_of(signal.entry.id)
    style = STYLES[signal.state]
    out.line(
        (name, "key"), "  ", (f"{signal.entry.severity}, {signal.state}", style), "  ", _line(signal.entry.text, out)
    )
    for waiver in signal.waivers if signal.state == WAIVED else ():
        out.line("  ", (f"waived by {waiver.worker} ({waiver.who}): {_line(waiver.text, out)}", "dim"))


def print_problems(board: Board, out: Output) -> None:
    """Print how many files on a board are not entries, and the first of them."""
    if board.problems:
        path, why = board.problems[0]
        out.note(f"{quantity(len(board.problems), 'file')} of {board.run} cannot be read; {path}: {why}")


def _line(text: str, out: Output) -> str:
    return shorten(text, max(20, out.width - 24))
