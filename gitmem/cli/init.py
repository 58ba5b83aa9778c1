"""Start a memory in this repository, or join the one of its remote: the branch `memory`, with a policy and status page.

A branch of that name that is not a memory store is left alone (exit status 3). --branch keeps the memory on another
one: git config gitmem.branch names it in this clone, and the next sync names it at the remote, where init in other
clones finds it.

Its files are shown in the folder `.memory/`, which git status leaves out by a line in `.git/info/exclude`; --no-view or
`git config gitmem.view false` keeps that away, `gitmem view --remove` takes it back. Nothing else of the repository is
touched: no hook, no setting, no file that it tracks.
"""

from __future__ import annotations

from gitmem.cli import shared
from gitmem.errors import GitmemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitmem.cli.output import Output
    from gitmem.memory.memory import Memory

EXAMPLES = ("gitmem init", "gitmem init --branch memory-store", "gitmem init --offline", "gitmem init --no-view")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what init takes."""
    parser.add_argument("--branch", default="", metavar="NAME", help="keep the memory on this branch (memory)")
    parser.add_argument("--offline", action="store_true", help="do not ask the remote whether it has a memory")
    parser.add_argument("--no-view", action="store_true", help="do not show its files in the folder .memory/")
    shared.add_json(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Start or join the store."""
    with shared.open_memory(args, out) as memory:
        done = memory.init(branch=args.branch, offline=args.offline)
        view = "" if args.no_view or not memory.repository.config.view else _view(memory)
        shared.tell_notices(memory, out)
    if args.json:
        out.json({"branch": done.branch, "commit": done.commit, "how": done.how, "view": view})
        return 0
    said = {
        "started": f"started the branch {done.branch}",
        "joined": f"joined the memory of the remote as the branch {done.branch}",
        "there": f"the branch {done.branch} is there already",
        "completed": f"added what was missing on the branch {done.branch}",
    }
    out.line(said[done.how], (f"  {done.commit[:12]}", "dim"))
    if view:
        out.line(f"its files are shown in {view}", ("  (left out of git status by .git/info/exclude)", "dim"))
    out.line()
    out.line("Next:")
    out.line('  gitmem remember "what you learnt"')
    out.line('  gitmem fact "what is true" --contains TEXT --in FILE')
    out.line("  gitmem verify && gitmem context")
    if done.how != "joined":
        out.line(("Share it with: gitmem sync", "dim"))
    return 0


def _view(memory: Memory) -> str:
    """Return the folder of the view, made where it can be; a view is never needed, so nothing fails without it."""
    if memory.repository.git.repository.top is None:
        return ""
    try:
        return memory.view.make(unasked=True).path
    except (GitmemError, OSError) as err:
        memory.notices.append(f"no view was made: {err}")
        return ""
