"""What the shims of git's hooks, pre-commit, and the hooks of coding agents' harnesses call.

Silent where there is no store, and never in the way. A harness tells on standard input what happened, and reads on
standard output what its agent should know.

Exit status: 0, but for `doctor`, which is 1 where a file of the store cannot be read.
"""

from __future__ import annotations

from gitmem.agents.entry import HARNESSES
from gitmem.cli import harness, shared
from gitmem.cli.table import GIT_EVENTS, is_harness

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitmem.app import Memory
    from gitmem.cli.output import Output

EXAMPLES = (
    "gitmem hook post-commit",
    "gitmem hook doctor",
    "gitmem hook claude-code < payload.json",
    "gitmem hook copilot postToolUse < payload.json",
)
AFTER_GIT = ("post-checkout", "post-merge", "post-rewrite")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what hook takes."""
    named = f"{', '.join(GIT_EVENTS)}; or a harness: {', '.join(HARNESSES)}"
    parser.add_argument("event", nargs="?", default="", help=f"what happened, or what is to be done: {named}")
    about = "what git says of it; for post-rewrite the new commits; of a harness the event, where its JSON has none"
    parser.add_argument("words", nargs="*", help=about)


def run(args: argparse.Namespace, out: Output) -> int:
    """Do what an event asks for."""
    if not args.event:  # of a setting that lost its words: 2 would stop an agent's turn
        out.note("hook does nothing without an event or the name of a harness: gitmem hook --help")
        return 0
    if is_harness(args.event):
        return harness.run([args.event, *args.words])
    with shared.open_memory(args, out) as memory:
        if memory.find_tip() is None:
            return 0
        if args.event == "doctor":
            return _doctor(memory, out)
        if args.event == "index":
            memory.ground()
        elif args.event == "post-commit":
            _learn(memory, [memory.git.read_head()[1] or ""], out)
        elif args.event == "post-rewrite":
            _learn(memory, args.words, out)
        if args.event in AFTER_GIT and args.words[2:] != ["0"]:  # not where only files were checked out
            memory.leave("checkout")
    return 0


def _learn(memory: Memory, commits: list[str], out: Output) -> None:
    learnt = memory.learn_from(commits)
    if learnt.kept:
        out.line(f"gitmem: {shared.counted(learnt.kept, 'learning')} kept: gitmem recall --recent {learnt.kept}")
    for why in learnt.refused:
        out.line(f"gitmem: not kept: {why}")


def _doctor(memory: Memory, out: Output) -> int:
    problems = [p for p in memory.doctor(fix=False).problems if p.severity == "error"]
    for p in problems:
        out.line((p.code, "red"), f"  {p.path or p.key}: ", p.message)
        out.line("    ", (p.hint or "gitmem doctor", "dim"))
    return int(bool(problems))
