"""Check what a repository's own documents say about its code: AGENTS.md, CLAUDE.md, editor rules, README, ADRs.

Paths, commands, names, versions and default values are compared with the code at HEAD, and with the code of the commit
that last wrote the line. Each false statement is shown with the place that contradicts it and the commit that made it
false: at most 15 in full, best proof first (-v: all). Commands and files that never existed, and documents that
contradict each other, are listed separately and do not count as false.

It needs no memory, runs nothing of the repository, and writes only with --fix (to the documents) and --apply (to the
memory: a fact for each statement that can be checked, and memories for clear rules, warnings and decisions; applied
again, it follows the documents). A comment <!-- gitmem: ignore REASON --> in a statement, or on the line above it,
excludes the statement.

After about 5 seconds of CPU time (7 if single ones are slow), the other statements are only counted; --no-limit judges
all of them, as do --base, --fix, --suggest, --apply and --write-baseline.

Exit status: 0 no statement is false, or all are in the baseline; 1 at least one is. With --fix: 0 if every false
statement was corrected. With --apply: 0 once everything is written.
"""

from __future__ import annotations

import os
import posixpath
import shlex
from pathlib import Path

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import note_misplaced, open_memory, open_quietly
from gitmem.cli.output import Output, quantity
from gitmem.cli.paths import TOP, code_path
from gitmem.cli.reports import JSON_FORMS
from gitmem.errors import NoRepositoryError, NotFoundError, UsageError
from gitmem.frozen import replace
from gitmem.model import ADOPTED, FAILED, UNPROVEN, VERIFIED
from gitmem.statuses import SIGNS
from gitmem.system import read_regular
from gitmem.text import count_of, display, list_some
from gitmem.text.code.languages import is_prose
from gitmem.text.secrets import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.agents.instruction_files import LoadedDocument
    from gitmem.commands.adopt.apply import ApplyResult
    from gitmem.commands.adopt.baseline import Entry
    from gitmem.commands.adopt.findings import Adoption, Correction, JudgedClaim
    from gitmem.git import Git

EXAMPLES = (
    "gitmem adopt",
    "gitmem adopt AGENTS.md docs/ -v",
    "gitmem adopt --base origin/main",
    "gitmem adopt --write-baseline adopt-baseline.jsonl",
    "gitmem adopt --baseline adopt-baseline.jsonl",
    "gitmem adopt --since v1.4",
    "gitmem adopt --fix",
    "gitmem adopt --apply --dry-run",
    "gitmem adopt --format sarif",
    "gitmem adopt --suggest rdjson | reviewdog -f=rdjson",
)
FORMS = ("text", "json", "github", "markdown", "sarif")
SUGGESTED = ("rdjson", "github")
# How many skipped statements are printed with the reason; the JSON has all of them.
SKIPPED = 20
# How many commands and files that never were there, and contradictions, are printed without -v; and how many of the
# documents that were read are named.
UNFOUNDED, READ = 10, 4
# How many false statements are printed in full without -v, and how many places of further ones of the same cause.
ALARMS, PLACES = 15, 5


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``adopt``."""
    parser.add_argument("files", nargs="*", metavar="FILE", help="documents, or folders with documents (all)")
    parser.add_argument(
        "--base", default="", metavar="REV", help="show only what became false since HEAD left this commit or branch"
    )
    parser.add_argument(
        "--since", default="", metavar="REV", help="check only statements whose lines were written after this commit"
    )
    parser.add_argument(
        "--baseline", default="", metavar="FILE", help="do not count the false statements that this file lists"
    )
    parser.add_argument("--no-limit", action="store_true", help="judge all statements, however much time it takes")
    write = parser.add_argument_group("what it writes")
    write.add_argument(
        "--write-baseline", default="", metavar="FILE", help="write the false statements to a file for --baseline"
    )
    write.add_argument("--fix", action="store_true", help="write the right value or path into the documents")
    write.add_argument("--apply", action="store_true", help="write facts and memories, in one commit")
    write.add_argument("--dry-run", action="store_true", help="with --apply: print what would be written")
    output = parser.add_argument_group("output")
    output.add_argument(
        "--suggest", choices=SUGGESTED, default="", metavar="FORM", help="print corrections: rdjson, github"
    )
    output.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="also list what was checked and holds, names that never existed, and which client loads which file",
    )
    output.add_argument("--json", action="store_true", help="print one JSON document: the same as --format json")
    output.add_argument("--format", choices=FORMS, default="text", metavar="FORM", help=f"print {', '.join(FORMS)}")


def run(args: Arguments, out: Output) -> int:
    """Check the documents and print the report."""
    from gitmem.commands.adopt.findings import FALSE
    from gitmem.git import Git
    from gitmem.git.repository import discover

    _refuse_options(args, out)
    known = _read_baseline(args.baseline) if args.baseline else []
    repository = discover(Path.cwd())
    git, top = Git(repository), repository.work_tree
    if args.fix and top is None:
        raise UsageError("--fix needs a work tree", hint="gitmem adopt --suggest rdjson")
    adoption = _judge(git, top, args, out)
    applied = _apply(adoption, args, out) if args.apply else None
    if args.write_baseline:
        known = _write_baseline(adoption, args.write_baseline, top, out)
    if args.baseline or args.write_baseline:
        adoption = _without_known(adoption, known, args)
    corrected = _corrections(top, adoption) if (args.fix or args.suggest) and top is not None else []
    _print_report(adoption, applied, corrected, args, out, git=git)
    if applied is None:
        note_misplaced(repository, out)
    if args.fix and top is not None:
        _write(corrected, top)
        left = _left_false(adoption.of(FALSE), corrected)
        rest = f"; {quantity(len(left), 'statement')} left to correct by hand" if left else ""
        lines = f"{quantity(len(corrected), 'line')} corrected; see git diff{rest}"
        out.note(lines if corrected else f"no line was corrected{rest}" if left else "there is nothing to correct")
        return int(bool(left))
    return 1 if adoption.of(FALSE) and not args.apply else 0


def _judge(git: Git, top: Path | None, args: Arguments, out: Output) -> Adoption:
    """Return the judged statements of the named documents, or of all."""
    from gitmem.commands.adopt.budget import LIMIT_S, UNLIMITED, Budget, used_s
    from gitmem.commands.adopt.change import find_base
    from gitmem.commands.adopt.run import adopt

    wanted = [_inside(name, top) for name in args.files]
    head = git.read_head()[1]
    if head is None:
        raise NoRepositoryError("this repository has no commit yet", hint="git add and commit the documents first")
    base = find_base(git, args.base, head) if args.base else ""
    since = git.resolve(args.since) if args.since else ""
    needs_all = args.no_limit or args.fix or args.suggest or args.apply or args.write_baseline or args.base
    budget = UNLIMITED if needs_all else Budget(LIMIT_S, used_s())
    adoption = adopt(git, head, wanted, base=base, since=since, budget=budget, progress=out.progress)
    out.clear_progress()
    _refuse_unread(args.files, wanted, [document.path for document in adoption.documents])
    return adoption


def _read_baseline(file: str) -> list[Entry]:
    """Return the entries of a baseline file."""
    from gitmem.commands.adopt.baseline import parse_baseline

    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeError) as err:
        problem = err.strerror if isinstance(err, OSError) else "it is not valid UTF-8"
        message = f"cannot read the baseline {file}: {problem}"
        raise UsageError(message, hint="gitmem adopt --write-baseline adopt-baseline.jsonl") from err
    return parse_baseline(text, file)


def _write_baseline(adoption: Adoption, file: str, top: Path | None, out: Output) -> list[Entry]:
    """Write the false statements to a baseline file and return its entries."""
    from gitmem.cli.reports import write_whole
    from gitmem.commands.adopt.baseline import format_baseline, list_entries

    entries = list_entries(adoption)
    write_whole(file, format_baseline(entries), what="baseline")
    out.note(f"{count_of(len(entries), 'entry', 'entries')} written to {file}")
    is_inside = top is not None and Path(os.path.realpath(file)).is_relative_to(os.path.realpath(top))
    if is_inside and not is_prose(file):
        out.note(f"once {file} is committed, its words count as code; those of adopt-baseline.jsonl would not")
    return entries


def _without_known(adoption: Adoption, known: Sequence[Entry], args: Arguments) -> Adoption:
    """Return the findings without the known ones among the false, and with a note on entries that are gone."""
    from gitmem.commands.adopt.baseline import list_gone, mark_known

    marked = mark_known(adoption, frozenset(known))
    # A part of the statements cannot tell which entries are gone.
    gone = [] if args.base or args.since or adoption.unjudged else list_gone(marked, known, is_complete=not args.files)
    if not gone:
        return marked
    count = count_of(len(gone), "entry", "entries")
    note = f"no longer false, remove {count} from {args.baseline}:"
    lines = (f"  {document}  {display(token)}" for document, _, token, _ in gone)
    return replace(marked, notes=[*marked.notes, note, *lines])


def _refuse_unread(names: Sequence[str], wanted: Sequence[str], read: Sequence[str]) -> None:
    """Raise NotFoundError for arguments without a document at HEAD."""
    missing = [
        name
        for name, inside in zip(names, wanted, strict=True)
        if not any(inside in (path, ".") or path.startswith(f"{inside}/") for path in read)
    ]
    if missing or (names and not read):
        for name in missing:
            code_path(name)  # names the path in question
        listed = ", ".join(missing or names)
        raise NotFoundError(f"no document at HEAD in {listed}", hint="git add and commit it first")


def _corrections(top: Path, adoption: Adoption) -> list[Correction]:
    """Return the corrected lines of the documents in the work tree."""
    from gitmem.commands.adopt.correct import applicable

    paths = {correction.path for correction in adoption.corrections}
    return applicable(adoption.corrections, {path: _lines(top, path) for path in paths})


def _left_false(false: Sequence[JudgedClaim], corrected: Sequence[Correction]) -> list[JudgedClaim]:
    """Return the false statements that the corrections leave as they are."""
    done = {(correction.path, correction.line) for correction in corrected}
    return [
        judged
        for judged in false
        if not (judged.fix or judged.cut or judged.is_surplus)
        or any((judged.document.path, line) not in done for line in (judged.claim.line, *judged.more))
    ]


def _print_report(
    adoption: Adoption,
    applied: ApplyResult | None,
    corrected: Sequence[Correction],
    args: Arguments,
    out: Output,
    *,
    git: Git,
) -> None:
    """Print the judged statements in the requested form, and what was applied."""
    from gitmem.commands.adopt import formats

    if args.suggest:
        is_json = args.suggest == "rdjson"
        out.exact(formats.rdjson(corrected) if is_json else formats.suggestions(corrected), is_json=is_json)
    elif args.json or args.format == "json":
        table = formats.as_table(adoption) | {"loaded": _loaded_table(_list_loaded(git, adoption))}
        out.json(table | ({"applied": _apply_table(applied)} if applied else {}))
    elif args.format != "text":
        out.exact(formats.WRITERS[args.format](adoption), is_json=args.format in JSON_FORMS)
    else:
        _print(adoption, out, args)
        _print_loaded(_list_loaded(git, adoption), out, args)
    if applied is not None:
        _print_applied(applied, args, out)


def _refuse_options(args: Arguments, out: Output) -> None:
    """Raise UsageError for contradictory options, and for --apply without a store, before the documents are checked."""
    if args.json and args.format not in ("text", "json"):
        raise UsageError("--json and --format cannot be combined", hint="gitmem adopt --json")
    if args.dry_run and not args.apply:
        raise UsageError("--dry-run needs --apply", hint="gitmem adopt --apply --dry-run")
    narrowed = "--base" if args.base else "--since" if args.since else ""
    if args.apply and narrowed:
        raise UsageError(f"--apply and {narrowed} cannot be combined", hint="gitmem adopt --apply")
    if args.write_baseline and (other := "--baseline" if args.baseline else narrowed):
        message = f"--write-baseline and {other} cannot be combined"
        raise UsageError(message, hint="gitmem adopt --write-baseline adopt-baseline.jsonl")
    if args.apply:
        with open_quietly(out) as memory:
            memory.repository.need_store()


def _apply(adoption: Adoption, args: Arguments, out: Output) -> ApplyResult:
    from gitmem.commands.adopt.apply import apply

    with open_memory(out) as memory:
        return apply(memory.repository, adoption, dry_run=args.dry_run, is_complete=not args.files)


def _apply_table(applied: ApplyResult) -> dict[str, object]:
    ids = applied.short_ids
    return {
        "commit": applied.commit,
        "added": [
            {"key": key, **({"short_id": ids[key]} if key in ids else {}), "kind": kind, "title": title}
            for kind, of in applied.added.items()
            for key, title in of
        ],
        "updated": list(applied.updated),
        "retired": list(applied.retired),
        "ignored": applied.ignored,
        "unchanged": applied.unchanged,
        "without_check": applied.unproved,
        "withheld": applied.withheld,
        "repeated": applied.repeated,
        "skipped": [{"source": where, "reason": reason} for where, reason in applied.skipped.kept],
    }


def _print_applied(applied: ApplyResult, args: Arguments, out: Output) -> None:
    from gitmem.commands.adopt.apply import counts

    if args.json or args.format != "text" or args.suggest:
        out.note(counts(applied, is_dry=args.dry_run))
        return
    if args.dry_run:
        for kind, of in applied.added.items():
            for key, title in of:
                out.line(("+", "green"), " ", (key, "key"), f"  {kind}: {display(title)}")
        for mark, style, keys in (("~", "yellow", applied.updated), ("-", "red", applied.retired)):
            for key in keys:
                out.line((mark, style), " ", (key, "key"))
    for where, reason in applied.skipped.kept[:SKIPPED]:
        out.line(("skipped:", "dim"), " ", display(where), ": ", reason)
    out.result(counts(applied, is_dry=args.dry_run), is_change=bool(applied.commit))
    if applied.commit and applied.added and out.is_terminal:
        out.line("Next: ", ("gitmem verify", "key"))


def _inside(name: str, top: Path | None) -> str:
    """Return a typed path relative to the repository; a link is followed, also one that refers to itself."""
    if top is None or name.startswith(TOP):
        return posixpath.normpath(name.removeprefix(TOP))
    try:
        return Path(os.path.realpath(name)).relative_to(os.path.realpath(top)).as_posix()
    except ValueError as err:
        raise UsageError(f"{name} is outside of the repository") from err


def _lines(top: Path, name: str) -> list[str]:
    """Return the lines of a file in the work tree with their line ends.

    Empty for anything but a regular file, and for a file reached through a link.
    """
    path = top / name
    if Path(os.path.realpath(path)) != Path(os.path.realpath(top), name) or not path.is_file():
        return []
    try:
        return read_regular(path).decode("utf-8", "surrogateescape").split("\n")
    except OSError:
        return []


def _write(corrected: list[Correction], top: Path) -> None:
    from gitmem.system import atomic_write

    for name in dict.fromkeys(correction.path for correction in corrected):
        new = {correction.line: correction.after for correction in corrected if correction.path == name}
        path = top / name
        lines = (new.get(number, line) for number, line in enumerate(_lines(top, name), 1))
        text = "\n".join(line for line in lines if line is not None).encode("utf-8", "surrogateescape")
        atomic_write.write(path, text, mode=path.stat().st_mode & 0o777)


def _print(adoption: Adoption, out: Output, args: Arguments) -> None:
    from gitmem.commands.adopt.findings import FALSE

    if args.verbose:
        _print_each(adoption, out)
    else:
        _print_causes(adoption, out, args)
        _print_unfounded(adoption, out, args)
    _print_contradictions(adoption, out, args)
    if adoption.of(FALSE) or adoption.list_unfounded() or adoption.contradictions:
        out.line()
    _print_counts(adoption, out, args)
    for note in adoption.notes:
        out.note(note)
    if adoption.unjudged:
        out.note(f"to judge all: {_command_for_all(args)} --no-limit")


def _print_each(adoption: Adoption, out: Output) -> None:
    """Print every statement that was judged or ignored."""
    from gitmem.commands.adopt import formats
    from gitmem.commands.adopt.findings import FALSE, HOLDS, KNOWN, NEVER

    for finding in adoption.of(FALSE):
        _print_false(finding, out)
    for verdict, status in ((NEVER, UNPROVEN), (HOLDS, VERIFIED)):
        for finding in adoption.of(verdict):
            if verdict == NEVER:
                statement, why = (
                    finding.claim.token,
                    formats.blame(finding) if finding.culprit else formats.describe_never(finding),
                )
            else:
                statement, why = formats.checked(finding), finding.source.where if finding.source else ""
            what = f"  {why}" if why else ""
            where = f"{finding.document.path}:{finding.claim.line}"
            out.line((SIGNS[status].mark, SIGNS[status].style), f" {where}  {statement}", (what, "dim"))
    for finding in adoption.of(KNOWN):
        out.line(("-", "dim"), f" {finding.document.path}:{finding.claim.line}  known: {formats.sentence(finding)}")
    for document, ignored in adoption.ignored:
        reason = display(ignored.reason) or _shorten(display(ignored.statement.text))
        out.line(("-", "dim"), f" {document.path}:{ignored.statement.line}  ignored: {reason}")


def _print_counts(adoption: Adoption, out: Output, args: Arguments) -> None:
    """Print the counts; where nothing is false and nothing else was to be done, what was read and the next command."""
    from gitmem.commands.adopt import formats
    from gitmem.commands.adopt.findings import FALSE

    is_narrowed = args.base or args.since or args.baseline or args.write_baseline
    is_lead = not (is_narrowed or args.fix or args.apply or adoption.of(FALSE))
    if is_lead and adoption.documents:
        out.line(f"Read {list_some([document.path for document in adoption.documents], READ)}.")
    elif is_lead:
        out.line("No AGENTS.md, CLAUDE.md, README, CONTRIBUTING or other document of this kind was found.")
    out.line((formats.summary(adoption), "bold"))
    if is_lead:
        out.line("Next: ", (_next_command(adoption, out), "key"))


def _command_for_all(args: Arguments) -> str:
    """Return the command that lists all that this one found."""
    options = {"--base": args.base, "--since": args.since, "--baseline": args.baseline}
    words = [word for option, value in options.items() if value for word in (option, value)]
    return shlex.join(["gitmem", "adopt", *args.files, *words, "-v"])


def _print_causes(adoption: Adoption, out: Output, args: Arguments) -> None:
    """Print the false statements with the best proof: of several with one cause the first, and where the others are."""
    from gitmem.commands.adopt import formats
    from gitmem.commands.adopt.causes import group_by_cause
    from gitmem.commands.adopt.findings import FALSE

    groups = group_by_cause(adoption.of(FALSE))
    for first, *others in groups[:ALARMS]:
        _print_false(first, out)
        if others:
            out.line("    ", (formats.same_cause(others, PLACES), "dim"))
    if more := sum(map(len, groups[ALARMS:])):
        out.line((f"  {more} more: {_command_for_all(args)}", "dim"))


def _next_command(adoption: Adoption, out: Output) -> str:
    """Return the command after a report without a false statement."""
    from gitmem.commands.adopt.findings import HOLDS

    if not adoption.documents:
        return "gitmem adopt FILE"
    if adoption.of(HOLDS):
        with open_quietly(out) as memory:
            if not memory.repository.has_store():
                return "gitmem init && gitmem adopt --apply"
            from gitmem.index.catalog.state import count_live

            catalog, now = memory.repository.catalog(), memory.repository.now
            adopted = count_live(catalog, without=(), now=now) - count_live(catalog, without=(ADOPTED,), now=now)
        return "gitmem verify" if adopted >= len(adoption.of(HOLDS)) else "gitmem adopt --apply"
    from gitmem.document.file_checks import first_fact_command

    # The first fact makes the branch.
    return first_fact_command([document.path for document in adoption.documents])


def _print_unfounded(adoption: Adoption, out: Output, args: Arguments) -> None:
    """Print the commands and files that documents name and that never were there: no alarms."""
    from gitmem.commands.adopt import formats
    from gitmem.commands.adopt.findings import FALSE, NEVER

    unfounded = adoption.list_unfounded()
    if not unfounded:
        return
    if adoption.of(FALSE):
        out.line()
    out.line("Never existed here (a typo, an example, or another project's):")
    for findings in unfounded[:UNFOUNDED]:
        out.line((SIGNS[UNPROVEN].mark, SIGNS[UNPROVEN].style), f" {formats.unfounded(findings)}")
    if more := len(adoption.of(NEVER)) - sum(map(len, unfounded[:UNFOUNDED])):
        out.line((f"  {more} more: {_command_for_all(args)}", "dim"))


def _list_loaded(git: Git, adoption: Adoption) -> list[LoadedDocument]:
    """Return the instruction files that clients load, among the documents."""
    from gitmem.agents.clients import all_tables
    from gitmem.agents.instruction_files import list_loaded
    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.documents import INSTRUCTIONS

    settings = {table.instructions_setting[0] for table in all_tables().values() if table.instructions_setting}
    paths = [document.path for document in adoption.documents if document.kind == INSTRUCTIONS]
    texts = Code(git, adoption.commit).texts([*paths, *settings])
    documents = {path: text for path, text in texts.items() if path not in settings}
    return list_loaded(documents, {path: text for path, text in texts.items() if path in settings})


def _loaded_table(loaded: Sequence[LoadedDocument]) -> list[dict[str, object]]:
    return [
        {
            "path": loaded_document.path,
            "folder": loaded_document.folder,
            "tokens": loaded_document.tokens,
            "clients": list(loaded_document.clients),
            "excess": list(loaded_document.excess),
        }
        for loaded_document in loaded
    ]


def _print_loaded(loaded: Sequence[LoadedDocument], out: Output, args: Arguments) -> None:
    """Print with -v which clients load which file, and always which file exceeds a client's limit."""
    if args.verbose and loaded:
        out.line()
        out.line("What clients load:")
        for loaded_document in loaded:
            place = f", for {display(loaded_document.folder)}/" if loaded_document.folder else ""
            out.line(
                f"  {display(loaded_document.path)}",
                (f"  about {loaded_document.tokens:,} tokens{place}: {', '.join(loaded_document.clients)}", "dim"),
            )
    for loaded_document in loaded:
        for excess in loaded_document.excess:
            out.note(f"{display(loaded_document.path)} is too long: {excess}")


def _print_contradictions(adoption: Adoption, out: Output, args: Arguments) -> None:
    """Print what documents say differently where the code does not decide: no alarms."""
    from gitmem.commands.adopt import formats
    from gitmem.commands.adopt.findings import FALSE

    contradictions = adoption.contradictions
    if not contradictions:
        return
    if adoption.of(FALSE) or adoption.list_unfounded():
        out.line()
    out.line("Documents that contradict each other:")
    shown = contradictions if args.verbose else contradictions[:UNFOUNDED]
    for contradiction in shown:
        out.line((SIGNS[UNPROVEN].mark, SIGNS[UNPROVEN].style), f" {formats.contradiction(contradiction)}")
    if len(contradictions) > len(shown):
        out.line((f"  {len(contradictions) - len(shown)} more: {_command_for_all(args)}", "dim"))


def _print_false(finding: JudgedClaim, out: Output) -> None:
    from gitmem.commands.adopt import formats

    out.line(
        (SIGNS[FAILED].mark, SIGNS[FAILED].style),
        " ",
        (f"{finding.document.path}:{finding.claim.line}", "key"),
        f"  {formats.sentence(finding)}",
    )
    out.line("    ", (_shorten(finding.statement.text), "dim"))
    if others := formats.also(finding):
        out.line("    ", (others, "dim"))
    if since := formats.blame(finding):
        out.line("    ", since)
    if finding.fix:
        out.line("    ", "should say: ", (finding.fix, "green"))
    elif advice := formats.advice(finding):
        out.line("    ", advice)
    if right := formats.elsewhere(finding):
        out.line("    ", (right, "dim"))


def _shorten(text: str) -> str:
    text = redact(text)  # a cut could hide the form of a secret
    return text if len(text) <= 100 else f"{text[:99]}…"
