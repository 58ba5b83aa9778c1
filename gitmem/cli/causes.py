"""Print facts that need attention, grouped by cause, for ``verify``, ``check`` and ``status``."""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser
from gitmem.cli.columns import width_of
from gitmem.cli.names import short_names, titles_of, wordings
from gitmem.cli.output import Output, quantity, shorten
from gitmem.frozen import replace
from gitmem.statuses import MARKS
from gitmem.verify.overview.cause import LINES_AT_MOST, few, fit, group, title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitmem.memory import Memory
    from gitmem.verify.overview.cause import Case, Cause

    Phrases = Mapping[tuple[str, str], str]


def add_each(parser: ArgumentParser) -> None:
    """Add the option that lists every fact."""
    output = parser.add_argument_group("output")
    output.add_argument("--each", action="store_true", help="list every fact on a line of its own, not by cause")


def with_ids(memory: Memory, cases: Iterable[Case], out: Output) -> list[Case]:
    """Return cases with the short ids of their memories, with the titles that they lack, and with names in reasons."""
    every = list(cases)
    chained = wordings(memory, {key for case in every for key in case.chain}, out)
    every = [case.naming(chained) for case in every]
    names = short_names(memory, [case.key for case in every])
    titles = titles_of(memory, [case.key for case in every if not case.title])
    return [replace(case, short_id=names[case.key], title=case.title or titles.get(case.key, "")) for case in every]


def print_cases(
    cases: Iterable[Case], phrases: Phrases, out: Output, *, is_each: bool = False, rest: str, indent: str = ""
) -> None:
    """Print cases by cause: one line for a fact, two for several with one cause, with the memories that rest on them.

    Args:
        cases: The cases, most important first.
        phrases: Descriptions of the commits that broke facts.
        out: The output.
        is_each: Whether each case has its own line.
        rest: The command that lists them all.
        indent: The prefix of every line.
    """
    every = list(cases)
    if out.is_terminal:
        known = {case.key: case.wording for case in every if case.title}
        every = [case.naming(known) for case in every]
    if is_each:
        for case in every:
            _print_one(case, phrases, out, indent)
        return
    causes = group(every)
    shown = fit(causes)
    is_short = shown < len(causes)
    for cause in causes[:shown]:
        if cause.is_apart:
            for case in cause.cases:
                _print_one(case, phrases, out, indent)
        else:
            is_short = True
            _print_many(cause, phrases, out, indent)
        if len(cause.suspects) <= LINES_AT_MOST:
            for case in cause.suspects:
                _print_one(case, phrases, out, indent)
        else:
            is_short = True
            number = quantity(len(cause.suspects), "memory", "memories")
            them = "it" if len(cause.cases) == 1 else "them"
            keys = few(_names(cause.suspects, out))
            out.line(indent, "    ", (MARKS["suspect"], "suspect"), f" {number} that rest on {them}: ", (keys, "key"))
    if shown < len(causes):
        left = causes[shown:]
        facts = sum(len(cause.cases) for cause in left)
        out.line(indent, (f"… {quantity(facts, 'more fact')} of {quantity(len(left), 'other cause')}", "dim"))
    if is_short:
        out.line(indent, (f"to list each: {rest}", "dim"))


def _print_many(cause: Cause, phrases: Phrases, out: Output, indent: str) -> None:
    status, keys = cause.cases[0].status, (few(_names(cause.cases, out)), "key")
    line = (indent, (MARKS.get(status, MARKS[""]), status), " ", title(cause, phrases))
    if cause.is_move:
        out.line(*line, "  ", keys)
    else:
        out.line(*line)
        out.line(indent, "    ", keys)


def _names(cases: Sequence[Case], out: Output) -> list[str]:
    """Return the names of cases: their keys in a pipe, which programs read, else titles with short ids."""
    return [case.wording if out.is_terminal else case.key for case in cases]


def _print_one(case: Case, phrases: Phrases, out: Output, indent: str) -> None:
    why = ", ".join(filter(None, (case.because, phrases.get(case.culprit, "") if case.culprit[0] else "")))
    style = "dim" if case.status != "suspect" else ""
    mark = (MARKS.get(case.status, MARKS[""]), case.status)
    description = (case.label, (f" — {why}" if why else "", style), (f" ({case.more})" if case.more else "", "dim"))
    if case.title and out.is_terminal:  # a program reads the key first
        room = out.width - width_of(indent) - len(case.name) - 4  # the mark and the spaces
        out.line(indent, mark, " ", (shorten(case.title, room), "bold"), "  ", (case.name, "key"))
        out.line(indent, "  ", *description)
    else:
        out.line(indent, mark, " ", (case.key, "key"), "  ", *description)
