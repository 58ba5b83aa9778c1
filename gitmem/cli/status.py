"""Show the state of the memory: counts by kind and status, failures, commands waiting for approval, the last check."""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.causes import add_each, print_cases, with_ids
from gitmem.cli.command_memory import open_memory
from gitmem.cli.names import shown_names, with_short_ids
from gitmem.cli.options import add_at, add_json, add_scope, add_store, refuse_both, refuse_other_scopes
from gitmem.cli.output import Output, is_head, list_of, place_of, quantity
from gitmem.memory.sources import find_sources
from gitmem.policy.kinds import describe_kinds
from gitmem.statuses import MARKS, describe_claims
from gitmem.store.companion import companion_code, companion_notice
from gitmem.store.proposal import proposal_notice
from gitmem.text.durations import ago
from gitmem.verify.jobs.history import describe_end
from gitmem.verify.overview.cause import Case
from gitmem.write.archive import Rotation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from gitmem.memory import Memory
    from gitmem.results import StoreStatus

EXAMPLES = ("gitmem status", "gitmem status --each", "gitmem status --at v1.2", "gitmem status --store api")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``status``."""
    add_scope(parser, about="which memories (project)")
    add_store(parser, about="")
    add_at(parser)
    add_each(parser)
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Print the status; return 1 if a fact failed or is suspect."""
    with open_memory(out) as memory:
        document = (_at(memory, args) if args.at is not None else _now(memory, args)).document
        if args.at is None and not args.store and not args.scope:
            sources = find_sources(memory)
            document = {**document, "sources": list(sources.overdue()) if sources is not None else []}
            document = with_short_ids(memory, document) if args.json else document
        names = _names_of(memory, document, args, out)
        cases = _cases_of(document)
        if not (args.json or args.store or args.scope):
            cases = with_ids(memory, cases, out)
    bad = bool(document["failed"] or document["suspect"] or document.get("is_empty"))
    if args.json:
        out.json(document)
        return int(bad)
    _print_counts(document, out)
    _print_cases(cases, args, out)
    _print_stale(document, out)
    _print_scopes(document["scopes"], out)
    _print_what_waits(document, names, out)
    _print_places(document, out)
    for overdue in document.get("sources", ()):
        out.line((overdue, "yellow"))
    _print_ages(document, out)
    return int(bad)


def _names_of(memory: Memory, found: Mapping[str, Any], args: Arguments, out: Output) -> Mapping[str, str]:
    """Return how the memories that wait for a decision are named."""
    keys = [*found["waiting"], *found["to_settle"]]
    keys += [key for dispute in found.get("disputes", ()) for key in (dispute["key"], dispute["contradicts"])]
    if args.json or args.store or args.scope:  # of another store
        return {key: key for key in keys}
    return shown_names(memory, keys, out)


def _print_counts(found: Mapping[str, Any], out: Output) -> None:
    """Print how many memories there are: of each kind, with each status, and tasks in each state."""
    memories = quantity(found["memories"], "memory", "memories")
    code = f", as known at code commit {found['at']['code'][:12]}" if "at" in found else ""
    code += f" in {found['repository']}" if "repository" in found else ""
    out.line((memories, "bold"), f" on branch {found['branch']} at {found['commit'][:12] or 'no commit'}{code}")
    if found["kinds"]:
        out.line("  ", (describe_kinds(found["kinds"]), "dim"))
    statuses = [(f"{MARKS[s]} {n} {s}", s) for s, n in found["statuses"].items() if n]
    if statuses:
        out.line(*(part for status in statuses for part in ("  ", status)))
    if claims := describe_claims(found["claims"]):
        out.line("  ", claims)
    tasks = [f"{n} {state}" for state, n in found["tasks"].items() if n]
    if tasks:
        out.line(f"  tasks: {list_of(tasks)}")


def _cases_of(found: Mapping[str, Any]) -> list[Case]:
    """Return the facts that need attention."""
    lines = [(name, line) for name in ("failed", "suspect", "blocked", "flapping") for line in found.get(name, ())]
    return [
        Case(
            line["key"],
            name,
            name,
            line["because"],
            (line["culprit"], line["broken"]),
            tuple(line["chain"]),
            more=f"written by {line['by']}" if line["by"] else "",
            title=line["title"],
            short_id=line["short_id"],
        )
        for name, line in lines
    ]


def _print_cases(cases: Sequence[Case], args: Arguments, out: Output) -> None:
    """Print facts that need attention, by cause."""
    phrases = {case.culprit: case.culprit[1] for case in cases}
    options = [f"--scope {args.scope}"] if args.scope else [f"--store {args.store}"] if args.store else []
    options += [f"--at {args.at}"] if args.at is not None else []
    rest = " ".join(["gitmem status --each", *options])
    print_cases(cases, phrases, out, is_each=args.each, rest=rest, indent="  ")


def _print_stale(found: Mapping[str, Any], out: Output) -> None:
    """Print how many verdicts and references may be out of date, and why."""
    stale = found["stale"]
    reasons = [f"{stale['inputs']} of which inputs have changed"] if stale["inputs"] else []
    reasons += [f"{stale['ttl']} past the time to live"] if stale["ttl"] else []
    if reasons:
        out.line("  ", (MARKS["stale"], "stale"), f" stale: {', '.join(reasons)}", ("  gitmem verify --dry-run", "dim"))
    if number := stale["references"]:
        refer = "1 memory refers" if number == 1 else f"{number} memories refer"
        stale_line = f" stale: {refer} to lines of code that have moved or changed"
        out.line("  ", (MARKS["stale"], "stale"), stale_line, ("  gitmem curate refs", "dim"))
    elsewhere = list(found.get("elsewhere", {}).values())
    for reason in sorted(set(elsewhere)):
        facts = quantity(elsewhere.count(reason), "fact")
        out.line((f"  {facts} {reason}", "yellow"), ("  gitmem verify --dry-run", "dim"))
    failed = {line["key"] for line in found.get("failed", ())}
    if moved := [key for key in found.get("moved", ()) if key not in failed]:
        who = "1 fact is judged where what it checks"
        who = who if len(moved) == 1 else f"{len(moved)} facts are judged where what they check"
        out.line((f"  {who} moved: gitmem settle --moved", "yellow"))


def _print_what_waits(found: Mapping[str, Any], names: Mapping[str, str], out: Output) -> None:
    """Print pending decisions: commands, texts in two versions, problems, captured texts."""
    if found["waiting"]:
        out.line(
            ("waiting for approval: ", "yellow"),
            list_of(names[key] for key in found["waiting"][:10]),
            _more(len(found["waiting"]) - 10),
        )
        out.line("  ", ("gitmem trust --review", "dim"))
    if found["to_settle"]:
        some, more = list_of(names[key] for key in found["to_settle"][:10]), _more(len(found["to_settle"]) - 10)
        out.line(("two versions to settle: ", "yellow"), some, more, ("  gitmem settle", "dim"))
    if disputes := found.get("disputes", ()):
        some = list_of([f"{names[dispute['key']]} and {names[dispute['contradicts']]}" for dispute in disputes[:3]])
        out.line(("contradict each other: ", "yellow"), some, _more(len(disputes) - 3), ("  gitmem settle", "dim"))
    if found["problems"]:
        out.line((f"{quantity(found['problems'], 'problem')}: gitmem doctor", "yellow"))
    for near in found.get("rotation", ()):
        out.line((str(Rotation(**near)), "yellow"))
    if found["spool"]["refused"]:
        out.line((f"{quantity(found['spool']['refused'], 'captured text')} set aside: gitmem doctor", "yellow"))
    if found["spool"]["waiting"]:
        out.line((f"{quantity(found['spool']['waiting'], 'captured text')} not committed yet", "dim"))


def _print_places(found: Mapping[str, Any], out: Output) -> None:
    """Print the branch that changes go to, if it is a proposal or a companion, and the view."""
    if found.get("proposal"):
        out.line((proposal_notice(found["proposal"]), "yellow"))
    if branch := found.get("companion"):
        number = quantity(len(branch["changed"]), "memory", "memories")
        notice = companion_notice(companion_code(branch["branch"]))
        out.line((f"{notice}: {number} changed", "yellow"))
    if found["view"]:
        _print_view(found["view"], found["commit"], out)


def _print_ages(found: Mapping[str, Any], out: Output) -> None:
    """Print the ages of the last job and verdict, and the index's commit; nothing for a past state."""
    if "at" in found:
        return
    if found["jobs"] is not None:
        _print_jobs(found["jobs"], out)
    verified = f"newest verdict {ago(found['verified_age_s'])} ago" if found["verified_at"] else "never verified"
    index = "" if found["index"]["is_current"] else f"; index at {found['index']['commit'][:12]}"
    out.line((f"{verified}{index}", "dim"))


def _at(memory: Memory, args: Arguments) -> StoreStatus:
    refuse_other_scopes(args)
    return memory.at(args.at).status()


def _now(memory: Memory, args: Arguments) -> StoreStatus:
    refuse_both(args)
    return memory.stores.status(args.store) if args.store else memory.status(scope=args.scope)


def _print_jobs(jobs: dict[str, Any], out: Output) -> None:
    """Print the last verify jobs here and for the branch, the schedules, and their problems.

    Of what is about HEAD and went well, the age of the newest verdict says enough.
    """
    last, branch, claimed = jobs["last"], jobs["branch"], jobs["claimed"]
    if last and (last["state"] != "ended" or not last["commit"] or not is_head(last)):
        code = _code(last["commit"], last) if last["commit"] else ""
        ok = "dim" if last["state"] == "ended" else "yellow"
        out.line((f"last verify job here {ago(last['age_s'])} ago{code}: {describe_end(last)}", ok))
    if branch and (branch["claimed"] or not branch["code"] or not is_head(branch)):
        by = " by other machines" if branch["claimed"] else ""
        out.line((f"verdicts recorded{by} {_recorded(branch)}", "dim"))
    if claimed and claimed != branch:
        out.line((f"verdicts recorded by other machines {_recorded(claimed)}", "dim"))
    for job in jobs["schedules"]:
        out.line((f"scheduled by {job['what']}, {job['often']}: {job['file']}", "dim"))
    for wrong in filter(None, (jobs["silent"], jobs["soon_off"])):
        out.line((wrong, "yellow"))


def _recorded(found: dict[str, Any]) -> str:
    code = _code(found["code"], found) if found["code"] else ""
    return f"{ago(found['age_s'])} ago as {found['commit'][:12]}{code}"


def _code(commit: str, found: Mapping[str, Any]) -> str:
    """Return the commit of the code that a result is about, and its position relative to HEAD."""
    return f" for the code at {commit[:12]}, {place_of(found)}"


def _print_view(view: dict[str, Any], tip: str, out: Output) -> None:
    """Print the view's folder, and the changes in it that are not saved; after a write, it follows the branch."""
    late = "" if view["commit"] == tip else f" at {view['commit'][:12]}, not updated yet"
    shows = {"whole": late, "gone": " is gone"}.get(view["state"], " is broken: gitmem doctor")
    unsaved = set(view["unsaved"]) | set(view["held"])
    parts = [f"{quantity(len(unsaved), 'file')} not saved"] if unsaved else []
    parts += ["a commit made in the view"] if view.get("committed") else []
    old = "; too large to update automatically: gitmem view" if view.get("outgrown") else ""
    saving = f"; {' and '.join(parts)}: gitmem save" if parts else ""
    out.line((f"view: {view['path']}{shows}{old}", "dim"), (saving, "yellow"))


def _print_scopes(counts: dict[str, int], out: Output) -> None:
    others = [f"{number} {scope}" for scope, number in counts.items() if number]
    if others:
        out.line("  ", (f"of other scopes: {', '.join(others)}", "dim"))


def _more(number: int) -> str:
    return f" and {number} more" if number > 0 else ""
