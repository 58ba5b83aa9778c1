"""Run the checks that are due, mark facts that no longer hold and memories that rest on them, and commit the verdicts.

A fact is due if there is no verdict for its command and text, if its inputs have changed since, or if its time to live
has passed; nothing else runs. Commands without approval are skipped and counted (gitmem trust). Verdicts are committed
on the default branch or with --record; otherwise they stay in this clone.

A verdict that someone else pushed is only a claim: claims about built-in checks are recomputed, and a wrong one is an
error. Facts that fail are listed by their cause; --each lists every one.

Exit status: 0 all is well; 1 a fact fails or is suspect, or a claimed verdict is wrong; 3 something due could not be
checked or is not approved. With --fail-on news, a failure counts only in the run that finds it.
"""

from __future__ import annotations

from gitmem.cli import reports
from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.causes import add_each, print_cases, with_ids
from gitmem.cli.command_memory import open_memory, print_notices
from gitmem.cli.elsewhere import PATIENT_S, refresh
from gitmem.cli.names import shown_names, with_short_ids
from gitmem.cli.options import add_sandbox, output_options, positive, warn_of_no_sandbox
from gitmem.cli.output import Output, list_of, quantity, shorten
from gitmem.cli.why import WORDS as CULPRIT_WORDS
from gitmem.cli.why import progress_of
from gitmem.document.spec import format_check
from gitmem.errors import BusyError, UsageError
from gitmem.frozen import replace
from gitmem.model import BUILTIN
from gitmem.statuses import MARKS
from gitmem.text.natural_order import natural_order
from gitmem.text.own import OwnWords
from gitmem.verify.blame.culprit import describe_culprits
from gitmem.verify.moves import describe_moves
from gitmem.verify.options import Options, Watch
from gitmem.verify.overview.cause import LINES_AT_MOST, Case
from gitmem.verify.overview.finding import name_findings
from gitmem.verify.overview.path_move import parse_path_move
from gitmem.verify.overview.stock import culprits, describe_statuses
from gitmem.verify.trace import undeclared_reads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from gitmem.commands.why import Why
    from gitmem.memory import Memory
    from gitmem.verify.jobs.shards import Shard
    from gitmem.verify.options import VerifyRun
    from gitmem.verify.overview.stock import StockLine
    from gitmem.verify.run.judge import Result

EXAMPLES = (
    "gitmem verify",
    "gitmem verify --dry-run",
    "gitmem verify --why",
    "gitmem verify auth-uses-rs256",
    "gitmem verify --dirty",
    "gitmem verify --all --approved .github/gitmem-approved --json",
    "gitmem verify --format github --report junit=gitmem.xml",
    "gitmem verify --shard 2/8 --results part-2.jsonl",
    "gitmem verify --record-results part-1.jsonl part-2.jsonl",
)
# How many facts are named for a folder that is hidden from their checks.
HIDDEN_SHOWN = 3
WORDS = {"holds": "verified", "fails": "failed", "blocked": "blocked", "unproven": "unproven", "skipped": "unproven"}
# The most facts that hold which are named without --each.
NAMES_SHOWN = 10
LABELS = {"fails": "failed", "blocked": "blocked", "unproven": "unproven", "holds": "holds, but flaps"}
# The labels of a result that an earlier run had as well, of one fact and of several.
STILL = {
    "failed": ("still fails", "still fail"),
    "blocked": ("still blocked", ""),
    "unproven": ("still unproven", ""),
}
# Why a fact is due, for people.
DUE = {
    "inputs": "its inputs changed",
    "blocked": "the last run was blocked",
    "tools": "another version of a tool",
    "environment": "another environment",
    "sandbox": "it failed in a weaker sandbox",
    "wrong": "its claimed verdict is wrong",
    "foundation": "a fact that it rests on was reworded",
    "ttl": "its time to live has passed",
    "asked": "requested",
}
# The results for which the exit status is 1.
FAIL_ON = ("failed", "news", "never")
# The command that lists every fact.
REST = "gitmem status --each"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``verify``."""
    parser.add_argument("keys", nargs="*", metavar="KEY", help="only these facts, due or not")
    _add_selection(parser)
    add_sandbox(parser)
    _add_recording(parser)
    parser.add_argument(
        "--why", action="store_true", help="find the commits that broke failed facts, unless they are known"
    )
    parser.add_argument(
        "--fail-on",
        choices=FAIL_ON,
        default=FAIL_ON[0],
        metavar="WHAT",
        help="when to fail: failed (while a fact fails or is suspect), news (if one does since this run), or never"
        " (failed)",
    )
    add_each(parser)
    output_options(parser).add_argument(
        "-v", "--verbose", action="store_true", help="report why nothing could be fetched"
    )
    reports.add_arguments(parser)


def _add_selection(parser: ArgumentParser) -> None:
    """Add the options that select what is judged."""
    which = parser.add_argument_group("which facts")
    which.add_argument("--all", action="store_true", help="judge all facts, due or not")
    which.add_argument("--facts", action="store_true", help="judge all facts, the same as --all")
    about = "judge the work tree with its uncommitted changes; records nothing"
    which.add_argument("--dirty", action="store_true", help=about)
    which.add_argument("--dry-run", action="store_true", help="list what is due, without running it")
    about = "with --dry-run: print how many of N machines a CI job needs, and whether it needs a sandbox"
    which.add_argument("--plan", type=positive, default=0, metavar="N", help=about)
    which.add_argument("--shard", type=_shard, metavar="I/N", help="judge only part I of N of what is due")
    which.add_argument("--if-idle", action="store_true", help="do nothing if another verify job is running here")


def _add_recording(parser: ArgumentParser) -> None:
    """Add the options that select where verdicts come from and go to."""
    recording = parser.add_argument_group("verdicts")
    about = "commit the verdicts even if this is not the default branch"
    recording.add_argument("--record", action="store_true", help=about)
    about = "write the verdicts to this file, not to the branch"
    recording.add_argument("--results", default="", metavar="FILE", help=about)
    about = "record result files produced on other machines; runs nothing"
    recording.add_argument("--record-results", nargs="+", action="extend", default=[], metavar="FILE", help=about)
    about = "do not first fetch what others recorded (which takes at most 2 seconds)"
    recording.add_argument("--offline", action="store_true", help=about)


def _shard(text: str) -> Shard:
    from argparse import ArgumentTypeError

    from gitmem.verify.jobs.shards import parse_shard

    try:
        return parse_shard(text)
    except ValueError as err:
        raise ArgumentTypeError(str(err)) from err


def run(args: Arguments, out: Output) -> int:
    """Verify facts and print the report."""
    _refuse_misused(args)
    if args.record_results:
        return _record_results(args, out)
    reports.form_of(args)  # refuses formats that cannot be combined before anything runs
    with open_memory(out) as memory:
        options = _options_of(args, memory)
        warn_of_no_sandbox(args, out)
        refresh(memory, out, limit_s=0 if args.offline else PATIENT_S)
        results = _verify(memory, options, args, out)
        if results is None:
            return 0
        explained: Sequence[Why] = ()
        if args.why and not args.dry_run:
            explained = memory.jobs.explain_failures(options, report=progress_of(out))
        print_notices(memory, out)
        for notice in results.notices:
            out.note(notice)
        if args.verbose and results.unfetched:
            out.note(f"the memory of others was not fetched: {results.unfetched}")
        _print(memory, _with_culprits(results, explained), explained, args, out)
    return 0 if args.plan else exit_status(results, args.fail_on)


def _options_of(args: Arguments, memory: Memory) -> Options:
    return Options(
        keys=tuple(memory.repository.need(args.keys)),
        everything=args.all or args.facts,
        approved=args.approved,
        no_sandbox=args.no_sandbox,
        record=args.record,
        dry_run=args.dry_run,
        dirty=args.dirty,
        jobs=args.jobs,
        shard=args.shard,
        results=args.results,
        if_idle=args.if_idle,
        offline=args.offline,
    )


def _print(memory: Memory, run: VerifyRun, explained: Sequence[Why], args: Arguments, out: Output) -> None:
    """Print the run in the requested form, and write the requested reports."""
    form = reports.form_of(args)
    if reports.is_wanted(args):
        from gitmem.verify.overview.report import findings_of

        report = findings_of(run, memory.repository.git, summary=summary(run), now=memory.repository.now)
        report = replace(report, memory=memory.repository.find_tip() or "")
        catalog = memory.repository.find_catalog()
        if catalog is not None:
            report = replace(report, findings=name_findings(report.findings, catalog))
        reports.emit(args, out, report, document(memory, run, explained))
    if form == "json":
        out.json(document(memory, run, explained))
    if form != "text":
        return
    if args.plan:
        out.exact(OwnWords(format_plan(run, args.plan)))
    elif args.dry_run:
        _print_due(run, memory, out)
    else:
        broken = describe_culprits(memory.repository.git, culprits(run.standing))
        _print_failures(run, broken, memory, out, is_each=args.each)
        _print_unexplained(explained, memory, out, is_each=args.each)
        _print_rest(run, memory, out, is_each=args.each)
    if args.keys and not (run.due or run.withdrawn):
        out.note("none of these memories has a check to run")


def format_plan(run: VerifyRun, machines: int) -> str:
    """Return the outputs from which a forge's job starts others, in its format: ``shards=[1, 2]``.

    Commands that are not approved need no machine, since they do not run.
    """
    due = [due for due in run.would_run if due.row.key in run.runnable]
    count = min(machines, len(due))
    sandbox = any(one.spec.check.form != BUILTIN for one in due)
    shards = ", ".join(str(number) for number in range(1, count + 1))
    return f"shards=[{shards}]\ncount={count}\nsandbox={'true' if sandbox else 'false'}\n"


def _verify(memory: Memory, options: Options, args: Arguments, out: Output) -> VerifyRun | None:
    """Verify and show running checks; None if another job runs. If interrupted, show the results so far."""
    from gitmem.cli.live import Live

    live = Live(out)
    results: list[Result] = []

    def show_result(result: Result, done: int, total: int) -> None:
        results.append(result)
        bad = LABELS[result.outcome] if result.outcome in ("fails", "blocked", "unproven") else ""
        live.end(result.due.row.key, done, total, bad=bad)

    watch = Watch(live.expect, live.begin, live.doubt, live.tick)
    try:
        return memory.verify(options=options, report=show_result, waiting=out.note, watch=watch)
    except BusyError as err:
        if not args.if_idle:
            raise
        out.note(f"{err.message}; nothing was done")
        return None
    except KeyboardInterrupt:
        out.note(f"{quantity(len(results), 'fact')} judged before the interruption; the verdicts are kept")
        if reports.form_of(args) == "text":  # results were recorded
            print_cases(_cases(results, {}), {}, out, is_each=args.each, rest=REST)
        raise


def _print_due(run: VerifyRun, memory: Memory, out: Output) -> None:
    names = shown_names(memory, [due.row.key for due in run.would_run], out)
    for due in run.would_run:
        changed = f" ({', '.join(due.changed)})" if due.changed else ""
        check = (format_check(due.spec.check), "dim")
        if out.is_terminal:
            name = names[due.row.key]
            out.line((shorten(due.document.title, out.width - len(name) - 2), "bold"), "  ", (name, "key"))
            out.line("    ", f"{DUE.get(due.why, due.why)}{changed}  ", check)
        else:
            out.line((due.row.key, "key"), f"  {due.why}{changed}  ", check)
    runnable = sum(due.row.key in run.runnable for due in run.would_run)
    facts = quantity(len(run.would_run), "due fact")
    some = "" if runnable == len(run.would_run) else f"{runnable} of "
    due_now = f"{some}{facts} would be checked" if run.would_run else "nothing would be checked"
    statuses = describe_statuses(run.standing)
    out.note(f"{due_now}. Now: {statuses}." if statuses else due_now)


def _refuse_misused(args: Arguments) -> None:
    """Raise an error for options that contradict each other.

    Raises:
        UsageError: The options cannot be used together.
    """
    if args.plan and not args.dry_run:
        raise UsageError("--plan requires --dry-run", hint=f"gitmem verify --dry-run --plan {args.plan}")
    if args.shard and args.keys:
        raise UsageError("--shard and KEY cannot be combined")
    if args.dirty and (args.record or args.shard or args.results or args.record_results):
        raise UsageError("--dirty records nothing", hint="commit your changes, or remove --dirty")
    if args.why and (args.dirty or args.record_results):
        raise UsageError(
            "--why checks commits, and cannot be combined with --dirty or --record-results",
            hint="use gitmem verify --why, or add --results FILE to record it on another machine",
        )
    others = (args.keys, args.all, args.facts, args.dry_run, args.shard, args.results, args.approved)
    if args.record_results and (any(others) or reports.is_wanted(args)):
        raise UsageError(
            "--record-results records results from other machines: it takes no facts and no other files",
            hint="gitmem verify --record-results FILE…",
        )


def _record_results(args: Arguments, out: Output) -> int:
    from gitmem.verify.jobs import import_results

    with open_memory(out) as memory:
        imported = memory.jobs.import_results(args.record_results, record=args.record)
        table = with_short_ids(memory, import_results.as_table(imported))
        names = shown_names(memory, [*(key for key, _ in imported.skipped), *imported.recorded.failed], out)
    for reason in imported.refused:
        out.error(reason)
    if reports.form_of(args) == "json":
        out.json(table)
    else:
        for key, why in imported.skipped:
            out.line((MARKS["unproven"], "dim"), " ", (names[key], "key"), f"  not recorded — {why}")
        for key in imported.recorded.failed:
            out.line((MARKS["failed"], "failed"), " ", (names[key], "key"), "  failed")
        if imported.missing:
            out.note(f"the result file of shard {list_of(imported.missing)} is missing: its facts stay due")
        out.line((import_results.summary(imported), "bold"))
    return import_results.exit_status(imported, fail_on=args.fail_on)


def exit_status(run: VerifyRun, fail_on: str = FAIL_ON[0]) -> int:
    """Return the command's exit status if these results (``FAIL_ON``) count as failures."""
    if fail_on == "never":
        return 3 if run.unrecorded else 0
    is_unchecked = run.unrecorded or any(r.outcome in ("blocked", "unproven", "skipped") for r in run.results)
    # A task's gate is in no count, but if it was verified by name and fails, the exit status is 1.
    failed = [r for r in run.results if r.outcome == "fails" and (r.is_news or fail_on == "failed")]
    if run.wrong or failed or (_has_news(run) if fail_on == "news" else _has_failure(run)):
        return 1
    return 3 if is_unchecked else 0


def _has_failure(run: VerifyRun) -> bool:
    return any(line.status in ("failed", "suspect") for line in run.standing.lines)


def _has_news(run: VerifyRun) -> bool:
    """Return whether a failure was recorded on the branch for the first time, even if this clone knew of it."""
    return run.recorded is not None and bool(run.recorded.failed or run.recorded.suspect)


def _print_failures(
    run: VerifyRun, broken: Mapping[tuple[str, str], str], memory: Memory, out: Output, *, is_each: bool
) -> None:
    rest = "gitmem verify --dirty --each" if run.dirty else REST
    print_cases(with_ids(memory, list_cases(run), out), broken, out, is_each=is_each, rest=rest)


def _print_unexplained(explained: Sequence[Why], memory: Memory, out: Output, *, is_each: bool) -> None:
    """Print the facts whose culprit was looked for and not found."""
    unknown = [why for why in explained if why.found is None or not why.found.culprit]
    cases = (
        Case(why.key, "unproven", f"culprit not known ({CULPRIT_WORDS.get(why.outcome, why.outcome)})", why.reason)
        for why in unknown
    )
    print_cases(with_ids(memory, cases, out), {}, out, is_each=is_each, rest="gitmem why KEY")


def _print_rest(run: VerifyRun, memory: Memory, out: Output, *, is_each: bool) -> None:
    """Print what holds, wrong verdicts, followed moves, the sums and advice."""
    held = [r for r in run.results if r.outcome == "holds" and not r.is_marked]
    named = held if len(held) <= NAMES_SHOWN or is_each else ()
    names = _names_of(run, memory, out)
    for result in named:
        why = "its check cannot fail" if result.due.spec.check.form == BUILTIN else "it also holds in an empty folder"
        weak = f" (weak: {why})" if result.verdict and result.verdict.weak else ""
        flaps = " (it flaps)" if result.verdict and result.verdict.flapping else ""
        key, mark = result.due.row.key, (MARKS["verified"], "verified")
        if out.is_terminal:
            name = names[key]
            title = shorten(result.due.document.title, out.width - len(f"{weak}{flaps}{name}") - 11)
            out.line(mark, " holds  ", title, "  ", (name, "key"), (weak + flaps, "yellow"))
        else:
            out.line(mark, " ", (key, "key"), "  holds", (weak + flaps, "yellow"))
    if len(held) > NAMES_SHOWN and not is_each:
        out.line((MARKS["verified"], "verified"), f" {len(held)} hold")
    for wrong in run.wrong:
        name = names[wrong.key]
        hint = "" if run.recorded else f" (gitmem verify --record {name})"
        shown = (wrong.title or wrong.key, "bold") if out.is_terminal else (wrong.key, "key")
        out.line((MARKS["failed"], "failed"), " ", shown, f"  wrong verdict — {wrong.message}{hint}")
    followed = [r.verdict for r in run.results if r.verdict and r.is_moved and not parse_path_move(r.because)]
    moved = describe_moves([verdict.moved for verdict in followed])
    if moved:
        out.line((moved, "yellow"))
    out.line((summary(run), "bold"))
    for advice in _advice(run, names):
        out.note(advice)


def _names_of(run: VerifyRun, memory: Memory, out: Output) -> dict[str, str]:
    """Return how the memories of a run are named."""
    keys = [result.due.row.key for result in run.results]
    keys += [*(wrong.key for wrong in run.wrong), *(line.key for line in run.standing.lines)]
    return shown_names(memory, keys, out)


def list_cases(found: VerifyRun) -> list[Case]:
    """Return facts that need attention: from this run, earlier failures, and memories that rest on either."""
    lines = {line.key: line for line in found.standing.lines}
    cases = list(_cases(found.results, lines))
    fresh = {result.due.row.key for result in found.results}
    for line in found.standing.lines:
        if line.status == "failed" and line.key not in fresh:
            is_told_now = found.recorded and line.key in found.recorded.failed
            label, many = ("failed here earlier", "") if is_told_now else STILL["failed"]
            culprit = (line.culprit, line.culprit_after)
            cases.append(Case(line.key, "failed", label, line.because, culprit, many=many, title=line.title))
        elif line.status == "suspect":
            cases.append(Case(line.key, "suspect", "suspect", line.because, chain=line.chain, title=line.title))
    return cases


def _cases(results: Sequence[Result], lines: Mapping[str, StockLine]) -> Iterator[Case]:
    """Yield the results that need attention, new ones first, with the culprits from *lines*."""
    telling = [result for result in results if result.outcome in ("fails", "blocked", "unproven") or result.is_marked]
    for result in sorted(telling, key=lambda r: (not r.is_news, natural_order(r.due.row.key))):
        line = lines.get(result.due.row.key)
        why = result.because or result.reason
        label, many = LABELS[result.outcome], ""
        if result.is_marked:
            why = why or (result.verdict.attempt if result.verdict else "")
        elif not result.is_news:
            label, many = STILL[label]
        status, culprit = WORDS[result.outcome], ("", "")
        if line and line.status == "failed":  # including earlier failures that cannot be checked now
            culprit = (line.culprit, line.culprit_after)
            if result.outcome != "fails":
                label, many = "failed earlier, and cannot be checked now", ""
            status = line.status
        yield Case(result.due.row.key, status, label, why, culprit, many=many, title=result.due.document.title)


def summary(run: VerifyRun) -> str:
    """Summarize the run in one line."""
    if not run.due:
        message = "no fact reads the changed files" if run.dirty else "nothing was due"
    else:
        counts = {
            word: sum(r.outcome == word for r in run.results)
            for word in ("holds", "fails", "blocked", "unproven", "skipped")
        }
        holds = "holds" if counts["holds"] == 1 else "hold"
        names = {"holds": holds, "fails": "failed", "blocked": "blocked", "unproven": "unproven", "skipped": "skipped"}
        failed = [r.is_news for r in run.results if r.outcome == "fails"]
        before = {"fails": "" if all(failed) else f" ({sum(failed) or 'none'} new)"}
        parts = [f"{n} {names[word]}{before.get(word, '')}" for word, n in counts.items() if n]
        message = f"{run.due} due: {', '.join(parts)}"
    if run.dirty:
        return f"The current work tree: {message}; nothing was recorded."
    what = "recorded as" if run.due else "verdicts of earlier runs committed as"
    where = f"; {what} {run.recorded.commit[:12]}" if run.recorded and run.recorded.commit else ""
    why = f"the proposal {run.proposal} is current" if run.proposal else "not the default branch"
    local = f"; kept in this clone ({why})" if run.is_local and not run.written else ""
    local += f"; written to {run.written}" if run.written else ""
    flapping = f"; {len(run.standing.flapping)} flapping" if run.standing.flapping else ""
    moved = f"; {len(run.standing.moved)} moved" if run.standing.moved else ""
    return f"{message}{where}{local}. Now: {describe_statuses(run.standing) or 'no facts'}{flapping}{moved}."


def _advice(run: VerifyRun, names: Mapping[str, str]) -> list[str]:
    lines = [f"the verdicts could not be recorded: {run.unrecorded}"] if run.unrecorded else []
    skipped = [r for r in run.results if r.outcome == "skipped"]
    waiting = [r for r in skipped if r.reason == "not approved"]
    if waiting:
        lines.append(f"{len(waiting)} not approved: gitmem trust --review")
    denied = [r.due.row.key for r in skipped if r.reason == "denied here"]
    if denied:
        lines.append(f"{len(denied)} denied here; to decide what to do: gitmem settle {names[denied[0]]}")
    if any(r.reason == "no sandbox works here" for r in run.results):
        lines.append("no sandbox works here: install bubblewrap, or use --no-sandbox; see gitmem doctor")
    hidden = [r for r in run.results if r.hidden and r.outcome != "holds" and r.hidden not in r.reason]
    lines += [f"{names[r.due.row.key]}: {r.hidden}" for r in hidden][:HIDDEN_SHOWN]
    lines += [undeclared_reads.advice(names[r.due.row.key], r.verdict.undeclared) for r in run.results if r.verdict]
    failed = [line for line in run.standing.lines if line.status == "failed"]
    if failed:
        by = f" (written by {failed[0].by})" if failed[0].by else ""
        lines.append(f"to decide what to do: gitmem settle {names[failed[0].key]}{by}")
    if sum(not line.culprit for line in failed) > LINES_AT_MOST and not run.dirty:
        lines.append("to find the commits that broke them: gitmem verify --why")
    return [line for line in lines if line]


def document(memory: Memory, run: VerifyRun, explained: Sequence[Why]) -> dict[str, Any]:
    """Return the run as documented JSON, with the short ids of memories."""
    named: dict[str, Any] = with_short_ids(memory, as_table(run, explained))
    return named


def as_table(run: VerifyRun, explained: Sequence[Why]) -> dict[str, Any]:
    """Return the run as documented JSON, with the culprits that were looked for after it."""
    statuses = {line.key: line.status for line in run.standing.lines}
    skipped = [r for r in run.results if r.outcome == "skipped"]
    return {
        "commit": run.commit,
        "dirty": run.dirty,
        "ran": len(run.results) - len(skipped),
        "skipped": len(skipped),
        "due": run.due,
        "results": [_result_table(result, statuses) for result in run.results],
        "wrong_verdicts": [
            {"key": w.key, "path": w.path, "claimed": w.claimed, "answer": w.answer, "because": w.because}
            for w in run.wrong
        ],
        "withdrawn": [{"key": key, "because": because} for key, because in run.withdrawn],
        "would_run": [
            {"key": d.row.key, "why": d.why, "check": format_check(d.spec.check), "inputs": list(d.changed)}
            for d in run.would_run
        ],
        "unrecorded": run.unrecorded,
        "recorded": run.recorded.commit if run.recorded else "",
        "sandbox": run.rung,
        "statuses": dict(run.standing.statuses),
        "claims": dict(run.standing.claims),
        "flapping": [{"key": line.key, "because": line.because} for line in run.standing.flapping],
        "moved": list(run.standing.moved),
        "suspect": [
            {"key": line.key, "because": list(line.chain)} for line in run.standing.lines if line.status == "suspect"
        ],
        "explained": [why.as_table() for why in explained],
    }


def _result_table(result: Result, statuses: Mapping[str, str]) -> dict[str, Any]:
    """Return a result as JSON; *statuses* are the present ones of facts that need attention, by key."""
    names = {"holds": "verified", "fails": "failed", "blocked": "blocked", "unproven": "unproven"}
    verdict = result.verdict
    return {
        "key": result.due.row.key,
        "outcome": result.outcome,
        "status": statuses.get(result.due.row.key, names.get(result.outcome, "")),
        "because": result.because,
        "reason": result.reason,
        "why": result.due.why,
        "weak": bool(verdict and verdict.weak),
        "undeclared": undeclared_reads.parse_paths(verdict.undeclared) if verdict else [],
        "news": result.is_news,
        "flapping": verdict.flapping if verdict else 0,
        "moved": bool(verdict and verdict.moved),
        "outside": verdict.outside if verdict else "",
        "seconds": round(result.seconds, 3),
    }


def _with_culprits(run: VerifyRun, explained: Sequence[Why]) -> VerifyRun:
    """Return a verify run completed with the culprits that were found after it."""
    if not explained:
        return run
    from gitmem.commands.why import with_culprits  # imports the search for culprits, which only failures need

    return with_culprits(run, explained)
