"""Find the commit that broke a fact, by bisecting the code with the fact's own check, and record it with the verdict.

Only commits that changed what the check reads are tested. The check runs in a temporary copy of each commit, in the
same sandbox and with the same approvals as gitmem verify. Commits that cannot be checked are skipped, and the remaining
candidates are listed.

Exit status: 0 the culprit was found, or the fact does not fail; 1 it has no check or failed from the start; 3 no
answer: commits cannot be checked, or the check contradicts itself or is not approved.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.names import short_names, shown_names, titles_of, with_short_ids, wordings
from gitmem.cli.options import add_json, add_sandbox, add_scope, warn_of_no_sandbox
from gitmem.cli.output import Output, quantity, shorten
from gitmem.model import SUSPECT
from gitmem.statuses import MARKS, RewordedChain, describe_chain, name_chain
from gitmem.verify.options import Options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gitmem.commands.why import SearchStep, Why
    from gitmem.git.history import CommitSummary
    from gitmem.memory import Memory
    from gitmem.verify.blame.bisect import BisectResult

EXAMPLES = (
    "gitmem why auth-uses-rs256",
    "gitmem why auth-uses-rs256 --no-diff",
    "gitmem why auth-uses-rs256 --approved .github/gitmem-approved --record",
)
# The colours of a diff's lines, by prefix.
DIFF_STYLES = (("+++", "bold"), ("---", "bold"), ("diff ", "bold"), ("@@", "key"), ("+", "green"), ("-", "red"))
# The outcomes that are not words for people, as they are printed.
WORDS = {"never held": "failed from the start", "outside": "outside the code"}
STATUS = {"found": 0, "holds": 0, "no check": 1, "never held": 1, "outside": 1}


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``why``."""
    parser.add_argument("key", help="the failed fact")
    parser.add_argument("--no-diff", action="store_true", help="leave out the culprit's diff of what the check reads")
    add_sandbox(parser, is_parallel=False)
    parser.add_argument(
        "--record", action="store_true", help="commit the culprit even if this is not the default branch"
    )
    add_scope(parser)
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Explain one failure."""
    warn_of_no_sandbox(args, out)
    options = Options(approved=args.approved, no_sandbox=args.no_sandbox, record=args.record)
    with open_memory(out) as memory:
        answer = memory.why(
            args.key, options=options, scope=args.scope, with_diff=not args.no_diff, report=progress_of(out)
        )
        if args.json:
            out.json(with_short_ids(memory, answer.as_table()))
        else:
            print_why(answer, out, _named(memory, answer.key) if out.is_terminal else None)
            _print_suspicion(memory, answer, out)
    return STATUS.get(answer.outcome, 3)


def progress_of(out: Output) -> Callable[[SearchStep], None]:
    """Return a function that shows each run of a search on a terminal."""

    def show_step(step: SearchStep) -> None:
        out.progress(f"{step.key}: {step.outcome} at {step.commit[:12]}", step.number, step.about)

    return show_step


def _named(memory: Memory, key: str) -> tuple[str, str]:
    """Return the title of a fact and its short id; those of another store are its key."""
    return titles_of(memory, [key]).get(key, key), short_names(memory, [key])[key]


def _print_suspicion(memory: Memory, why: Why, out: Output) -> None:
    """Print what makes a memory suspect that does not fail itself, and the command that explains that."""
    if why.chain:
        names = wordings(memory, why.chain, out)
        out.line("  ", ("suspect: ", SUSPECT), name_chain(describe_chain(why.chain), why.chain, names))
        cause = shown_names(memory, why.chain[-1:], out)[why.chain[-1]]
        is_reworded = isinstance(why.chain, RewordedChain)
        out.note(f"what changed: gitmem log {cause}" if is_reworded else f"what broke that: gitmem why {cause}")


def print_why(why: Why, out: Output, named: tuple[str, str] | None = None) -> None:
    """Print the commit that broke a fact with its change, or why it is unknown.

    Args:
        why: The explanation.
        out: The output.
        named: The fact's title and short id, if a person reads it; None prints its key.
    """
    result, name = why.found, named[1] if named else why.key
    if named:
        status = _status_of(why)
        title = shorten(named[0], out.width - len(name) - 4)
        out.line((MARKS[status], status), " ", (title, "bold"), "  ", (name, "key"))
    if result is None or not result.culprit:
        style = "verified" if why.outcome == "holds" else "yellow"
        indent, key = ("  ", ()) if named else ("", ((why.key, "key"), "  "))
        out.line(indent, (f"{WORDS.get(why.outcome, why.outcome)}: ", style), *key, why.reason)
        _advise(why, name, out)
        return
    _print_culprit(why, result, out, is_named=named is not None)
    summary = (why.made or {}).get(result.culprit)
    if summary is not None:
        out.line("  ", ("author: ", "dim"), summary.author)
        out.line("  ", ("date:   ", "dim"), summary.date)
    out.line("  ", ("before: ", "dim"), f"{result.after[:12]}, where it holds{_evidence(result.asked[1], why)}")
    fails = "fails now and then" if why.is_unsteady else "fails"
    out.line("  ", ("after:  ", "dim"), f"{result.culprit[:12]}, where it {fails}{_evidence(result.asked[0], why)}")
    if why.reason:
        out.line("  ", ("note:   ", "dim"), why.reason)
    if why.outcome == "range":
        out.line(f"  caused by one of these {len(result.among)} commits:")
        for commit in result.among[: len(why.made or {})]:
            out.line("    ", (commit[:12], "key"), f"  {_whose((why.made or {}).get(commit))}")
    looked = quantity(result.candidates, "commit")
    ran = f"the check ran {quantity(why.runs, 'time')}" if why.runs else "the check did not have to run"
    out.line("  ", (f"{looked} changed what the check reads; {ran}", "dim"))
    _print_diff(why, out)


def _status_of(why: Why) -> str:
    """Return the status whose mark a fact has."""
    if why.found is not None and why.found.culprit:
        return SUSPECT if why.is_unsteady else "failed"
    if why.chain:
        return SUSPECT
    return {"holds": "verified", "never held": "failed"}.get(why.outcome, "unproven")


def _print_culprit(why: Why, result: BisectResult, out: Output, *, is_named: bool) -> None:
    """Print the commit that broke a fact on one line; *is_named*: the line before names the fact."""
    what = "unsteady since" if why.is_unsteady else "broken by"
    word = what if why.outcome == "found" else f"{what} one of {len(result.among)} commits, at the latest"
    whose = _whose((why.made or {}).get(result.culprit))
    status = _status_of(why)
    fact = ("  ",) if is_named else ((MARKS[status], status), " ", (why.key, "key"), "  ")
    out.line(*fact, f"{word} ", (result.culprit[:12], "bold"), f"  {whose}")


def _whose(summary: CommitSummary | None) -> str:
    return f"{summary.subject} ({summary.author.rpartition(' <')[0]})" if summary else ""


def _evidence(runs: int, why: Why) -> str:
    """Describe how the culprit is known."""
    return f" (ran {quantity(runs, 'time')})" if runs else " (by an earlier run)" if why.runs else ""


def _print_diff(why: Why, out: Output) -> None:
    if why.diff:
        out.line()
    for line in why.diff.split("\n") if why.diff else ():
        style = next((style for begin, style in DIFF_STYLES if line.startswith(begin)), "")
        out.line((line.expandtabs(8), style))  # `line` spells a tab out
    if not why.is_whole and why.found:
        out.note(f"the diff is truncated; for all of it: git diff {why.found.after[:12]} {why.found.culprit[:12]}")


def _advise(why: Why, name: str, out: Output) -> None:
    if why.reason == "not approved":
        out.note(f"approve its command first: gitmem trust {name}")
    elif why.outcome == "flapping":
        out.note("a check that gives different answers proves nothing: find out what else it depends on, and settle it")
