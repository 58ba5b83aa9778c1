"""Start a memory in this repository, or join the one of its remote: the branch `memory`, with a policy and status page.

Nothing else of the repository is touched: no hook, no setting, no file of the work tree.
"""

from __future__ import annotations

from gitmem.cli import shared

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitmem.cli.output import Output

EXAMPLES = ("gitmem init", "gitmem init --offline")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what init takes."""
    parser.add_argument("--offline", action="store_true", help="do not ask the remote whether it has a memory")
    shared.add_json(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Start or join the store."""
    with shared.open_memory(args, out) as memory:
        done = memory.init(offline=args.offline)
        shared.tell_notices(memory, out)
    if args.json:
        out.json({"branch": done.branch, "commit": done.commit, "how": done.how})
        return 0
    said = {
        "started": f"started the branch {done.branch}",
        "joined": f"joined the memory of the remote as the branch {done.branch}",
        "there": f"the branch {done.branch} is there already",
        "completed": f"added what was missing on the branch {done.branch}",
    }
    out.line(said[done.how], (f"  {done.commit[:12]}", "dim"))
    out.line()
    out.line("Next:")
    out.line('  gitmem remember "what you learnt"')
    out.line('  gitmem fact "what is true" --contains TEXT --in FILE')
    out.line("  gitmem verify && gitmem context")
    if done.how != "joined":
        out.line(("Share it with: gitmem sync", "dim"))
    return 0
