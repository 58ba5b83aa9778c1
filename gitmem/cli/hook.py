"""Handle a hook of git, pre-commit or a coding agent; called by the shims that `gitmem install` writes.

It prints nothing if there is no store, and never stops the caller's work. An agent's client sends its event on
standard input and reads context for the agent from standard output.

`pre-push` reads what git tells such a hook, and pushes the memory of the branches that are pushed, to the same remote.
`check` judges the staged changes or, under pre-commit's pre-push, the pushed commits.
`learned` captures the `Learned:` lines of HEAD's message. Given the file of a message that is not committed yet, it
captures nothing, because the commit may still be abandoned; it only refuses text that must not enter any history.

Exit status: always 0, with three exceptions: `doctor` exits with 1 if a file in the store cannot be read, `check` with
1 if a fact becomes false, `learned` with 1 if a message contains a secret. If the last two cannot check, they say so.
"""

from __future__ import annotations

import sys

from gitmem.agents.clients import CLIENTS
from gitmem.cli import GIT_EVENTS, is_client
from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_quietly
from gitmem.cli.output import Output, quantity
from gitmem.config import variable
from gitmem.errors import GitmemError, RefusedError
from gitmem.store.proposal import PROPOSAL_PREFIX
from gitmem.system import only_regular
from gitmem.verify.overview.finding import BROKEN, SILENCED, SUSPECT, UNCHECKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.memory import Memory

EXAMPLES = (
    "gitmem hook post-commit",
    "gitmem hook doctor",
    "gitmem hook check",
    "gitmem hook learned .git/COMMIT_EDITMSG",
    "gitmem hook claude-code < payload.json",
    "gitmem hook copilot postToolUse < payload.json",
)
# The most characters of a message that are read: more is the diff that `git commit -v` appends.
MESSAGE_LIMIT = 1024 * 1024
# The most characters of the list of pushed branches that are read.
LINES_LIMIT = 1024 * 1024
HEADS = "refs/heads/"
ADVICE = "fix the code, or commit anyway and settle the failed facts later (gitmem settle {}): "
AFTER_GIT = ("post-checkout", "post-merge", "post-rewrite")
# Events whose failure stops git or a manager of hooks: only the problems that they look for may do that.
GATES = ("check", "learned")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``hook``."""
    named = f"{', '.join(GIT_EVENTS)}; or a client: {', '.join(CLIENTS)}"
    parser.add_argument("event", nargs="?", default="", help=f"the event or action: {named}")
    about = (
        "arguments from git; for post-rewrite, the new commits; for a client, the event if its JSON does not name it"
    )
    parser.add_argument("words", nargs="*", help=about)


def run(args: Arguments, out: Output) -> int:
    """Handle an event."""
    if not args.event:  # from a setting that lost its arguments: status 2 would stop an agent's turn
        out.note("hook needs an event or the name of a client: gitmem hook --help")
        return 0
    if is_client(args.event):
        from gitmem.cli import client_hook

        return client_hook.run([args.event, *args.words])
    try:
        return _run(args, out)
    except GitmemError as err:
        if args.event not in GATES:
            raise
        for line in filter(None, (f"nothing was checked: {err.message}", err.hint)):
            out.note(line)
        return 0


def _run(args: Arguments, out: Output) -> int:
    with open_quietly(out) as memory:
        if args.event == "check":
            return _check(memory, out)  # the staged changes may contain the first memories
        if memory.repository.find_tip() is None:
            return 0
        if args.event == "doctor":
            return _doctor(memory, out)
        if args.event == "pre-push":
            _send(memory, args.words[0] if args.words else "")
        if args.event == "learned" and args.words:
            return _refuse(memory, args.words[0], out)
        if args.event == "index":
            memory.index.follow(is_ahead=True)
        elif args.event in ("post-commit", "learned"):
            _learn(memory, [memory.repository.git.read_head()[1] or ""], out)
        elif args.event == "post-rewrite":
            _learn(memory, args.words, out)
        if args.event in AFTER_GIT and args.words[2:] != ["0"]:  # not if only files were checked out
            memory.captures.start("checkout")
    return 0


def _send(memory: Memory, remote: str) -> None:
    """Push the companions of the pushed branches, which standard input lists as in githooks(5)."""
    from gitmem.commands.sync.quiet import send_companions

    rows = [line.split(" ") for line in sys.stdin.read(LINES_LIMIT).splitlines()]
    pushed = {row[0].removeprefix(HEADS): row[1] for row in rows if len(row) == 4 and row[0] == row[2]}
    send_companions(memory.repository, remote, pushed)


def _learn(memory: Memory, commits: list[str], out: Output) -> None:
    learnt = memory.captures.add_commits(commits)
    if learnt.kept:
        out.line(f"gitmem: {quantity(learnt.kept, 'learning')} captured: gitmem recall --recent {learnt.kept}")
    for why in learnt.refused:
        out.line(f"gitmem: not captured: {why}")


def _refuse(memory: Memory, file: str, out: Output) -> int:
    """Refuse a commit whose message contains text that must not enter a history; nothing is captured yet."""
    try:
        with open(file, encoding="utf-8", errors="replace", opener=only_regular) as message:
            text = message.read(MESSAGE_LIMIT)
    except OSError as err:
        raise GitmemError(f"{file} cannot be read: {err.strerror}") from err
    refused = memory.captures.problems_of(text)
    for why in refused:
        out.line((f"gitmem: {why}", "red"))
    if refused:
        out.line(f"change it and commit again: git commit -e -F '{file}'")
    return int(bool(refused))


def _check(memory: Memory, out: Output) -> int:
    from gitmem.verify.options import Options

    pushed, before = variable("PRE_COMMIT_TO_REF"), variable("PRE_COMMIT_FROM_REF")
    if variable("PRE_COMMIT_REMOTE_NAME") and not (pushed and before and memory.repository.has_store()):
        return 0  # the whole history is pushed, so there is nothing to compare it with
    if pushed and _is_memory(memory, variable("PRE_COMMIT_LOCAL_BRANCH"), pushed):
        return _refuse_secrets(memory, pushed, before, out)  # a memory branch, not code
    checked = memory.check(options=Options(), base=before, head=pushed, staged=not pushed)
    broken, unchecked = checked.of(BROKEN), checked.of(UNCHECKED)
    # A commit may change the facts that it breaks; a pull request is judged by the facts of its base instead.
    settled = set() if pushed else {finding.key for finding in checked.of(SILENCED)}
    stopping = [finding for finding in broken if finding.is_new or finding.key not in settled]
    if broken or unchecked:
        from gitmem.cli.check import name_of, print_findings

        rest = f"gitmem check --base {before} --head {pushed}" if pushed else "gitmem check --staged"
        print_findings(checked.of(BROKEN, SILENCED, SUSPECT), out, rest=f"{rest} --each")
        if stopping:
            out.line(ADVICE.format(name_of(stopping[0], out)), (_bypass(pushed), "key"))
        elif broken:
            out.note(
                "the commit goes on, because it changes these facts itself; gitmem check fails a pull request with both"
            )
        skipped = [f for f in unchecked if f.because == "not approved"]
        if skipped:
            out.note(f"{quantity(len(skipped), 'fact')} not checked: not approved here (gitmem trust --review)")
        for finding in unchecked:
            if finding not in skipped:
                out.note(f"{finding.key} could not be checked: {finding.because}")
    return int(bool(stopping))


def _refuse_secrets(memory: Memory, pushed: str, before: str, out: Output) -> int:
    """Refuse a push of the memory that contains a secret."""
    from gitmem.store.pushed_secrets import Push, refuse_secrets  # 8 ms, and only if a memory branch is pushed by hand

    push = Push(variable("PRE_COMMIT_LOCAL_BRANCH"), pushed, variable("PRE_COMMIT_REMOTE_NAME"), before)
    try:
        refuse_secrets(memory.repository.git, push, memory.repository.config.secrets_allow)
    except RefusedError as err:
        out.error(err.message, err.hint)
        return 1
    return 0


def _is_memory(memory: Memory, ref: str, commit: str) -> bool:
    """Return whether a pushed branch is the memory branch or a proposal, even if another one is current."""
    base = f"refs/heads/{memory.repository.config.branch}"
    if ref in (base, memory.repository.ref):
        return True
    tip = memory.repository.git.read_ref(base) if ref.startswith(f"refs/heads/{PROPOSAL_PREFIX}") else None
    return tip is not None and bool(memory.repository.git.merge_bases(tip, commit))


def _bypass(pushed: str) -> str:
    verb = "push" if pushed else "commit"
    return f"SKIP=gitmem-check git {verb}" if variable("PRE_COMMIT") else f"git {verb} --no-verify"


def _doctor(memory: Memory, out: Output) -> int:
    problems = [p for p in memory.doctor(fix=False).problems if p.severity == "error"]
    for p in problems:
        out.line((p.code, "red"), f"  {p.path or p.key}: ", p.message)
        out.line("    ", (p.hint or "gitmem doctor", "dim"))
    return int(bool(problems))
