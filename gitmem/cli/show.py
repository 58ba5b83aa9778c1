"""Show one memory in full, with its verdict. The beginning of a key is enough if it is unambiguous."""

from __future__ import annotations

from types import MappingProxyType

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_to_read, print_notices
from gitmem.cli.names import wordings
from gitmem.cli.options import add_at, add_json, add_scope, add_store, refuse_both, refuse_other_scopes
from gitmem.cli.output import Output
from gitmem.config import variable
from gitmem.document import conflict
from gitmem.document.anchors import FIELD
from gitmem.document.elsewhere import SEPARATOR
from gitmem.document.times import format_time
from gitmem.errors import GitmemError, NotFoundError, UsageError
from gitmem.model import STALE
from gitmem.statuses import MARKS, name_chain
from gitmem.store.code_folder import is_home
from gitmem.store.scopes import HUB, PROJECT
from gitmem.system import command_of
from gitmem.verify.references import CHANGED, MOVED
from gitmem.verify.trace.outside import describe_outside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gitmem.memory import Memory
    from gitmem.results import MemoryDetails

EXAMPLES = (
    "gitmem show auth-uses-rs256",
    "gitmem show auth-u",
    "gitmem show auth-u --at HEAD~20",
    "gitmem show auth-u --output",
    "gitmem show api:retries-are-capped",
    "gitmem show payments/api:port --hub https://hub.example.org",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``show``."""
    parser.add_argument("key", help="the memory")
    add_scope(parser)
    add_store(parser, about="; or give the key as NAME:KEY")
    add_at(parser)
    parser.add_argument(
        "--output", action="store_true", help="print the end of the output of its check, which did not pass here"
    )
    about = "read REPOSITORY:KEY through this hub (gitmem.hub) if no listed store has the name; off: do not"
    parser.add_argument_group("an organisation's hub").add_argument("--hub", default="", metavar="URL", help=about)
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Print one memory."""
    refuse_both(args)
    if args.output:
        return _print_output(args, out)
    with open_to_read(out) as memory:
        memory_fields = _find(memory, args)
        print_notices(memory, out)
        if args.json:
            out.json(memory_fields)
        else:
            # The keys of a hub's memory are not those of memories here.
            print_memory(
                memory_fields,
                out,
                {} if memory_fields["scope"] == HUB else wordings(memory, memory_fields["because"], out),
            )
    return 0


def _print_output(args: Arguments, out: Output) -> int:
    if args.store or ":" in args.key or args.at is not None:
        raise UsageError("--output shows what was kept in this clone", hint="remove --at, --store and NAME:")
    with open_to_read(out) as memory:
        stored = memory.jobs.output(args.key, scope=args.scope)
    at = format_time(stored.at)
    if args.json:
        out.json({"key": stored.key, "commit": stored.code, "at": at, "output": stored.text})
    else:
        out.note(f"the output of {stored.key} at {stored.code[:12]}, {at}")
        for line in stored.text.rstrip("\n").split("\n"):
            out.line(line)
    return 0


def _find(memory: Memory, args: Arguments) -> Mapping[str, Any]:
    """Return the memory as documented JSON: one from here, as it was at a revision, or one of a hub."""
    if args.at is not None:
        return _at(memory, args).document
    site = args.hub or memory.repository.config.hub
    name, apart, key = args.key.partition(SEPARATOR)
    if not apart or args.store or site in ("", "off") or name in memory.repository.listing().entries:
        if args.hub not in ("", "off"):
            raise UsageError("--hub reads memories of other repositories", hint="gitmem show REPOSITORY:KEY --hub URL")
        return memory.show(args.key, scope=args.scope, store=args.store).document
    from gitmem.hub import client

    read = client.read(site, name, key, token=variable("GITMEM_HUB_TOKEN"))
    if read.problem:
        raise GitmemError(f"the hub cannot show {args.key}: {read.problem}", hint=f"gitmem show {args.key}")
    if read.found is None:
        message = f"neither a listed store nor the hub has a memory {args.key} that you may read"
        raise NotFoundError(message, hint="gitmem recall WORDS…")
    return client.details_of(read.found)


def _at(memory: Memory, args: Arguments) -> MemoryDetails:
    refuse_other_scopes(args)
    return memory.at(args.at).show(args.key)


def print_memory(found: Mapping[str, Any], out: Output, names: Mapping[str, str] = MappingProxyType({})) -> None:
    """Print a memory for people; *names* has those of the memories that make it suspect."""
    out.line((MARKS.get(found["status"], " "), found["status"]), " ", (found["title"], "bold"))
    about = [found["kind"], *([found["status"]] if found["status"] else [])]
    about += [found["scope"]] if found["scope"] != PROJECT else []
    about += [f"of {found['repository']}"] if found.get("repository") else []
    about += [f"in {found['path']}"] if is_home(found["path"]) else []
    about += [word for word in ("archived", "superseded", "expired") if found[word]]
    key = f"{found['store']}:{found['key']}" if "store" in found else found["key"]
    short_id = (found["short_id"], "key"), "  "
    out.line("  ", *(short_id if found["short_id"] else ()), (key, "key"), "  ", (", ".join(about), "dim"))
    fields = {k: v for k, v in found["frontmatter"].items() if k not in ("title", "kind", FIELD)}
    # Only --json has the fields that the writer fills in, and those that all memories of a project share.
    is_own = found["scope"] == PROJECT and "store" not in found and not found.get("repository")
    usual = {"importance": "medium"} | ({"project": fields.get("project")} if is_own else {})
    for name, value in fields.items():
        if name in usual and value == usual[name]:
            continue
        out.line("  ", (f"{name}:", "dim"), " ", _value(name, value))
    for reference in found.get("references", ()):
        _print_reference(reference, out)
    if found["because"]:
        out.line("  ", ("suspect:", "suspect"), f" {name_chain(found['suspicion'], tuple(found['because']), names)}")
    if found.get("claimed"):
        out.line("  ", ("claimed:", "yellow"), f" {found['claimed']}")
    if found["verdict"]:
        _print_verdict(found["verdict"], found, out)
    if found.get("at"):
        _print_past(found, out)
    if found["body"].strip():
        out.line()
        out.text(found["body"].strip("\n"))


def _print_reference(reference: Mapping[str, str], out: Output) -> None:
    """Print the current lines of references that moved or changed; nothing for unchanged ones."""
    if reference["state"] == MOVED:
        out.line("  ", ("moved:", "yellow"), f" {reference['ref']} is at {reference['place']} now")
    elif reference["state"] == CHANGED:
        what = f"is past the end: {reference['why']}" if reference["why"] else "says something else now"
        out.line(
            "  ", ("changed:", STALE) if not reference["why"] else ("wrong:", STALE), f" {reference['ref']} {what}"
        )
        for line in reference["diff"].split("\n") if reference["diff"] else ():
            out.line("    ", (line, "dim"))


def _print_verdict(verdict: dict[str, Any], found: Mapping[str, Any], out: Output) -> None:
    gitmem = command_of("gitmem", "-C", found["repository"]) if found.get("repository") else "gitmem"
    name = found["short_id"] or found["key"]
    if verdict["outcome"]:
        claimed = f"signed by {verdict['signer']}" if verdict["signer"] else "claimed by the memory branch"
        whose = ("there" if "repository" in found else "here") if verdict["own"] else claimed
        due = (
            "its inputs had already changed" if "at" in found else f"its inputs have changed since; run {gitmem} verify"
        )
        fresh = "" if verdict["fresh"] or found.get("stale") else f"; {due}"
        text = (
            f"{verdict['outcome']} at {verdict['commit'][:12]}, {verdict['at']} ({verdict['sandbox']}, {whose}){fresh}"
        )
        out.line("  ", ("verdict:", found["status"]), f" {text}")
    if found.get("stale"):
        out.line("  ", ("stale:", "stale"), f" {found['stale']}; to judge it: {gitmem} verify {name}")
    if verdict["because"]:
        out.line("  ", ("because:", "dim"), f" {verdict['because']}")
    if verdict.get("held_last"):
        last, judged = verdict["held_last"][:12], verdict["held_commit"][:12]
        where = last if last == judged else f"{last}; last judged at {judged}" if judged else last
        when = f", {verdict['held_at']}" if verdict["held_at"] else ""
        out.line("  ", ("held last:", "dim"), f" at {where}{when}")
        if not verdict["confirmed"]:
            out.line("  ", ("unconfirmed:", "dim"), " the commit where it last held could not be checked again")
    if verdict.get("culprit"):
        out.line("  ", ("why:", "dim"), f" {verdict['broken']}; what it changed: {gitmem} why {name}")
    _print_marks(verdict, found, gitmem, out)


def _print_marks(verdict: dict[str, Any], found: Mapping[str, Any], gitmem: str, out: Output) -> None:
    """Print the qualifications of a verdict: a weak check, moved files, flapping and so on."""
    name = found["short_id"] or found["key"]
    if verdict.get("elsewhere"):
        out.line("  ", ("environment:", "yellow"), f" {verdict['elsewhere']}")
    if verdict.get("weak"):
        is_builtin = isinstance(found["frontmatter"].get("verify"), dict)
        why = "also holds in an empty folder; --refute makes it strong"
        out.line("  ", ("weak:", "yellow"), f" the check {'cannot fail' if is_builtin else why}")
    if verdict.get("undeclared"):
        out.line("  ", ("undeclared:", "yellow"), f" it also reads {', '.join(verdict['undeclared'])}")
    if found.get("moved"):
        pairs = ", ".join(f"{move['from']} → {move['to']}" for move in verdict["moved"])
        out.line(
            "  ",
            ("moved:", "yellow"),
            f" {pairs}; to write that down: {gitmem} settle --moved {name}",
        )
    if verdict.get("outside"):
        out.line(
            "  ",
            ("outside:", "yellow"),
            f" it depends on {describe_outside(verdict['outside'])}, so it is checked often",
        )
    if found["flapping"]:
        more = f"it counts as steady after {found['flapping']} equal answers in a row"
        out.line("  ", ("flapping:", "yellow"), f" its check gives different answers; {more}")
    if verdict.get("attempt"):
        out.line("  ", ("last attempt:", "yellow"), f" {verdict['attempt_at']}: {verdict['attempt']}")


def _print_past(found: Mapping[str, Any], out: Output) -> None:
    """Print the current knowledge about the requested commit, and the history of the fact's truth."""
    now, where = found["now"], found["at"]
    out.line("  ", (f"at {where['rev']}:", "dim"), f" code {where['code'][:12]}, memory {where['commit'][:12]}")
    if now is None:
        return
    then = "" if now["status"] == found["status"] else f"{now['status']}: "
    out.line("  ", ("known now:", now["status"]), f" {then}{now['because']}")
    for entry in found["truth"]:
        word, style = {"holds": ("held", "verified"), "fails": ("failed", "failed")}[entry["outcome"]]
        broken = ", which broke it," if entry["culprit"] else ""
        until = f"{broken} to {entry['to'][:12]}" if entry["to"] != entry["from"] else broken.rstrip(",")
        because = f": {entry['because']}" if entry["because"] else ""
        out.line("    ", (word, style), f" {'at' if until == '' else 'from'} {entry['from'][:12]}{until}{because}")


def _value(name: str, value: Any) -> str:
    """Format a field for people; a field in an unusual form is shown unchanged."""
    if name == conflict.CONFLICT:
        return conflict.summary({name: value}) or str(value)
    if isinstance(value, list):
        return ("; " if any(isinstance(v, dict) for v in value) else ", ").join(_value("", v) for v in value)
    if not isinstance(value, dict):
        return str(value)
    if name == "by" and "who" in value:
        lines = [f"agent {value['agent']}" if value.get("agent") else "", str(value.get("role") or "")]
        return str(value["who"]) + (f" ({', '.join(filter(None, lines))})" if any(lines) else "")
    if name == "retired" and "when" in value:
        by, why = value.get("by"), value.get("why")
        return str(value["when"]) + (f" by {by}" if by else "") + (f": {why}" if why else "")
    return ", ".join(f"{k}: {v}" for k, v in value.items())
