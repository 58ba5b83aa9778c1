"""Write down what was learnt. Title, key and tags are made from the text where you give none; the key is printed."""

from __future__ import annotations

from gitmem.cli import shared

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitmem.cli.output import Output

EXAMPLES = (
    'gitmem remember "The gateway drops requests without a trace id" --kind gotcha --path "src/gateway/**"',
    "git log -1 --format=%B | gitmem remember - --kind decision --tag auth",
    'gitmem remember "Deploys need VPN" --key deploy-needs-vpn',
    'gitmem remember "The staging gateway is slow today" --scope private',
    'gitmem remember "Tokens live an hour" --scope domain --domain auth',
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what remember takes."""
    parser.add_argument("text", help="what to remember, in quotes; - reads it from standard input")
    parser.add_argument("--title", default="", help="one line; the first sentence of the text where none is given")
    parser.add_argument("--kind", "--type", default="learned", help="learned, gotcha, pattern, decision, … (learned)")
    shared.add_memory_options(parser)
    parser.add_argument("--ref", action="append", default=[], help="path:line, path:line-line, a URL, a run id")
    shared.add_place(parser)
    parser.add_argument("--produces", action="append", default=[], metavar="LABEL", help="a label others may require")
    parser.add_argument("--importance", choices=("critical", "high", "medium", "low"), help="how much it matters")
    parser.add_argument("--confidence", type=float, metavar="0..1", help="how sure you are")
    parser.add_argument(
        "--supersedes", action="append", default=[], metavar="KEY", help="a memory it takes the place of"
    )
    parser.add_argument("--task", default="", help="the task that produced it")
    about = "the folder it was learnt in; recall prefers it there"
    parser.add_argument("--workspace", default="", metavar="FOLDER", help=about)
    shared.add_force(parser)
    shared.add_json(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Write one memory and print its key."""
    from gitmem.store.layout import MEMORY_LIMIT

    text = shared.read_standard_input(MEMORY_LIMIT) if args.text == "-" else args.text
    with shared.open_memory(args, out) as memory:
        is_first = args.scope == "project" and not args.in_tree and memory.find_tip() is None
        change = memory.remember(
            text,
            title=args.title,
            kind=args.kind.replace("-", "_"),
            key=args.key,
            scope=args.scope,
            in_tree=args.in_tree,
            tags=args.tag,
            domains=args.domain,
            paths=args.path,
            refs=args.ref,
            ttl=args.ttl,
            requires=args.requires,
            produces=args.produces,
            supersedes=args.supersedes,
            confidence=args.confidence,
            importance=args.importance,
            task=args.task,
            workspace=args.workspace,
            force=args.force,
        )
        if is_first:
            out.note(f"started the branch {memory.config.branch}; gitmem init adds its policy file")
        shared.tell_notices(memory, out)
        return shared.print_change(change, args, out)
