"""Record something you learned. Title, key and tags are made from the text unless you give them; the key is printed.

--from-run records a JSON list of memories of a finished run instead, in one commit. If one is refused, nothing is
written (exit status 2), or with --partial the others are (exit status 1).
"""

from __future__ import annotations

import sys

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.changes import (
    add_fields,
    add_force,
    add_links,
    add_place,
    describe_first_write,
    memory_fields,
    memory_options,
    print_change,
    print_written,
)
from gitmem.cli.command_memory import open_memory, open_to_write, print_notices
from gitmem.cli.input import read_file, read_text
from gitmem.cli.names import with_short_ids
from gitmem.cli.options import add_json
from gitmem.cli.output import Output
from gitmem.cli.paths import code_path
from gitmem.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.commands.from_run.from_run import RunResult
    from gitmem.memory import Memory

EXAMPLES = (
    'gitmem remember "The gateway drops requests without a trace id" --kind gotcha --path "src/gateway/**"',
    "git log -1 --format=%B | gitmem remember - --kind decision --tag auth",
    'gitmem remember "The staging gateway is slow today" --scope private',
    'gitmem remember "Tokens live an hour" --scope domain --domain auth',
    'gitmem remember "Retries need jitter" --collection conventions',
    "gitmem remember --from-run run.json",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``remember``."""
    parser.add_argument("text", nargs="?", help="the text, in quotes; - reads it from standard input")
    memory = memory_options(parser)
    memory.add_argument("--title", default="", help="the title, in one line (the first sentence of the text)")
    memory.add_argument("--kind", "--type", default="", help="learned, gotcha, pattern, decision, … (learned)")
    about = "the collection it must belong to; without --kind, it gets that collection's kind"
    memory.add_argument("--collection", default="", metavar="NAME", help=about)
    add_fields(parser)
    add_links(parser)
    add_place(parser)
    memory.add_argument("--confidence", type=float, metavar="0..1", help="how sure you are")
    memory.add_argument("--supersedes", action="append", default=[], metavar="KEY", help="a memory that it replaces")
    about = "the role or run that verified it, such as reviewer or run-7"
    memory.add_argument("--verified-by", default="", metavar="NAME", help=about)
    memory.add_argument("--task", default="", help="the task that produced it")
    about = "the folder it was learned in; recall prefers it there"
    memory.add_argument("--workspace", default="", type=code_path, metavar="FOLDER", help=about)
    add_force(parser)
    about = "record the memories of a finished run, as JSON (docs/workflow.md); - is standard input"
    finished = parser.add_argument_group("a finished run")
    finished.add_argument("--from-run", default="", metavar="FILE", help=about)
    finished.add_argument(
        "--partial", action="store_true", help="with --from-run: write the others even if one is refused"
    )
    about = "print the prompt for an agent that writes the FILE of --from-run"
    finished.add_argument("--reflector-prompt", action="store_true", help=about)
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Write one memory and print its key."""
    if args.reflector_prompt:
        _refuse_others(args, "reflector_prompt")
        from gitmem.commands.from_run.run_file import reflector_prompt

        with open_memory(out) as memory:
            for line in reflector_prompt(memory.repository.policy()).splitlines():
                out.line(line)
        return 0
    if args.from_run:
        _refuse_others(args, "from_run", "partial", "json", hint="set it in the file for each memory")
        with open_memory(out) as memory:
            return _distil(memory, args, out)
    if args.text is None or args.partial:
        message = "--partial requires --from-run" if args.partial else "remember needs a text or --from-run FILE"
        raise UsageError(message, hint='gitmem remember "what you learned"')
    text = read_text(args.text)
    with open_to_write(out, args.scope) as memory:
        more = describe_first_write(memory, args)
        change = memory.remember(
            text,
            title=args.title,
            kind=args.kind.replace("-", "_"),
            collection=args.collection,
            scope=args.scope,
            in_tree=args.in_tree,
            domains=args.domain,
            supersedes=args.supersedes,
            confidence=args.confidence,
            verified_by=args.verified_by,
            task=args.task,
            workspace=args.workspace,
            force=args.force,
            **memory_fields(args),
        )
        return print_change(change, memory, args, out, more=more)


def _refuse_others(args: Arguments, mode: str, *allowed: str, hint: str = "") -> None:
    """Raise an error for a text, and for options that have no effect beside the option *mode*.

    Raises:
        UsageError: Such an option, or a text, was given.
    """
    apart = (mode, *allowed, "command")
    option_names = [name for name, value in vars(args).items() if name not in apart and not callable(value)]
    wrong = [name for name in option_names if vars(args)[name]]
    if wrong:
        what = "a text" if "text" in wrong else f"--{wrong[0].replace('_', '-')}"
        raise UsageError(f"{what} cannot be combined with --{mode.replace('_', '-')}", hint=hint)


def _distil(memory: Memory, args: Arguments, out: Output) -> int:
    """Write the memories of a run, and print the keys."""
    raw, name = _read(args.from_run)
    result = memory.bulk.remember_run(raw, name=name, partial=args.partial)
    print_notices(memory, out)
    if args.json:
        out.json(with_short_ids(memory, _table(result)))
    else:
        for _, change in result.changes:
            print_written(change, memory, out, did="recorded")
            if not change.is_new:
                out.note(f"{change.key} already says this" + ("; it was updated" if change.is_written else ""))
        for where, reason in result.refused:
            out.note(f"refused: {where}: {reason}")
        if result.refused and not args.partial:
            out.error("nothing was written", hint="fix them, or write the others with --partial")
        elif not result.changes and not result.refused:
            out.note("the run contains no memories")
    return 0 if not result.refused else 1 if args.partial else 2


def _read(file: str) -> tuple[bytes, str]:
    """Return the content of a file, up to a limit, and a default name for the run."""
    from pathlib import Path

    from gitmem.commands.from_run.run_file import BYTES

    if file == "-":
        return (sys.stdin.buffer.read(BYTES + 1) if sys.stdin is not None else b""), ""
    raw = read_file(file, BYTES, hint="use gitmem remember --from-run FILE; - is standard input")
    return raw, Path(file).stem


def _table(result: RunResult) -> dict[str, object]:
    return {
        "run": result.run,
        "commit": result.commit,
        "memories": [
            {"item": where, "key": change.key, "path": change.path, "new": change.is_new, "written": change.is_written}
            for where, change in result.changes
        ],
        "refused": [{"item": where, "reason": reason} for where, reason in result.refused],
    }
