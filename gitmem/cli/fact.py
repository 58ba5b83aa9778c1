"""Record a fact with a check that proves it. The check runs now and must hold.

Prefer a built-in check, which starts no process and needs no approval. A shell command (--verify) or a program (after
--) runs in a sandbox once you have approved it; typing the fact at a terminal approves its command. If the command
cannot be approved now, the fact is recorded as unproven.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.changes import (
    ChangeMessage,
    add_fields,
    add_force,
    add_links,
    add_place,
    describe_first_write,
    memory_fields,
    memory_options,
    print_change,
    print_memory,
)
from gitmem.cli.command_memory import open_memory
from gitmem.cli.elsewhere import HURRIED_S, refresh
from gitmem.cli.input import read_text
from gitmem.cli.names import short_names
from gitmem.cli.options import add_json
from gitmem.cli.output import Output
from gitmem.cli.proof import INDEPENDENT, OUTSIDE, add_check, add_judging, add_limits, judging_of, verify_of
from gitmem.cli.terminal import is_interactive
from gitmem.document.elsewhere import parse_elsewhere
from gitmem.errors import GitmemError
from gitmem.model import UNPROVEN, VERIFIED
from gitmem.store.scopes import PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.memory import Memory

EXAMPLES = (
    'gitmem fact "Tokens are signed with RS256" --contains RS256 --in src/auth/jwt.py',
    'gitmem fact "There is no setup.py any more" --absent setup.py',
    'gitmem fact "Retries are capped at 3" --contains "RETRIES = 3" --in src/retry.py --in-tree',
    'gitmem fact "All handlers are async" --lacks "def handle(" --in "src/handlers/*.py"',
    'gitmem fact "The unit tests need no network" --verify "make unit" --path src --timeout 5m',
    "gitmem fact 'Python 3.11 is enough' --refute 'sed -i s/3.11/3.12/ setup.cfg' -- grep -q '>=3.11' setup.cfg",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``fact``."""
    parser.add_argument("title", help="the fact, in one sentence")
    add_check(parser, "the check, one of")
    memory = memory_options(parser)
    memory.add_argument("--body", default="", help="more details; - reads them from standard input")
    add_fields(parser)
    add_links(parser)
    add_place(parser)
    memory.add_argument("--supersedes", action="append", default=[], metavar="KEY", help="a memory that it replaces")
    add_limits(parser, "check")
    limits = parser.add_argument_group("how the check runs")
    limits.add_argument("--outside", action="store_true", help=OUTSIDE)
    limits.add_argument("--independent", action="store_true", help=INDEPENDENT)
    memory.add_argument("--task", default="", help="the task that produced it")
    add_judging(parser)
    add_force(parser)
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Write one fact and print its key."""
    body = read_text(args.body)
    with open_memory(out) as memory:
        more = describe_first_write(memory, args)
        if references := [reference for reference in args.agree or () if parse_elsewhere(reference)]:
            refresh(memory, out, limit_s=HURRIED_S, more=references)
        change = memory.fact(
            args.title,
            verify=verify_of(args),
            body=body,
            scope=args.scope or PROJECT,
            in_tree=args.in_tree,
            domains=args.domain,
            approve=is_interactive(),
            **judging_of(args),
            **memory_fields(args),
            supersedes=args.supersedes,
            timeout=args.timeout,
            network=args.network or None,
            env=args.env,
            outside=args.outside or None,
            independent=args.independent or None,
            refute=args.refute,
            task=args.task,
            force=args.force,
        )
        if change.is_written and out.is_terminal and not args.json:
            return _print_fact(memory, change.key, args, out, more=more)
        return print_change(change, memory, args, out, more=more)


def _print_fact(memory: Memory, key: str, args: Arguments, out: Output, *, more: str) -> int:
    """Print on a terminal whether a new fact holds, or what it waits for."""
    try:
        status = str(memory.show(key).document["status"])
    except GitmemError:  # a file of the code tree that is not committed yet, or there is no other store
        status = UNPROVEN
    shown = VERIFIED if status == VERIFIED else UNPROVEN
    did = "holds" if shown == VERIFIED else "recorded, not proved yet"
    print_memory(key, memory, out, ChangeMessage(did, more, shown, args.title))
    if args.unproven and shown == UNPROVEN:
        waits = key in memory.repository.waiting_keys()
        name = short_names(memory, [key])[key]
        out.note(f"it waits for your approval: gitmem trust {name}" if waits else f"it waits for gitmem verify {name}")
    return 0
