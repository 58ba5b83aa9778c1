"""The command line: loads the module of the typed command and no other, and turns errors into messages in one place."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` makes enumerations: 1 ms
import errno
import gc
import io
import os
import sys

from gitmem.cli import table

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence
    from types import ModuleType

    from gitmem.cli.output import Output

INTERRUPTED = 130
BUG = 70
# The exit status that a shell reports after SIGPIPE (128 + 13).
PIPE_CLOSED = 141
# Errors of the environment: no space, no permission, too many open files. Any other OSError is a bug.
ENVIRONMENT = ("ENOSPC", "EDQUOT", "EROFS", "EACCES", "EPERM", "EIO", "EFBIG", "EMFILE", "ENFILE")
# Interruptions by the user that have not been reported yet.
_interruptions: list[str] = []


def script() -> None:
    """Run as a program: the entry point of ``gitmem`` and ``git-mem``.

    Python's shutdown takes 5 ms to free memory that the system frees at once (measured: half as long as starting
    Python), so the process exits as soon as the output is written, unless an exit handler is registered.
    """
    gc.disable()  # a command makes little garbage; collecting it takes 1.5 ms (measured)
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, note_interruption)
    status = main()
    if "gitmem.verify.sandbox.sandbox" in sys.modules or "concurrent.futures" in sys.modules:
        sys.exit(status)
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            status = status or PIPE_CLOSED
    os._exit(status)


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit status."""
    # ``list`` must not be called here: after that command, the name refers to the module in this package.
    arguments = [*(sys.argv[1:] if argv is None else argv)]
    if arguments[:1] == ["hook"] and arguments[1:] and table.is_harness(arguments[1]):
        return _answer(arguments[1:])
    if arguments[:1] == ["textconv"] and len(arguments) == 2:
        from gitmem.cli import textconv

        return textconv.show(
            arguments[1]
        )  # git calls it for each file of a diff, so it parses no arguments and reads no settings
    from gitmem.cli.output import Output

    if arguments[:1] == ["complete"]:  # its arguments are a command line themselves
        from gitmem.cli import complete

        return complete.show(arguments[1:], Output())
    return _finish(arguments, Output(color=_color(), draws=not _is_dumb()), is_first=True)


def _finish(arguments: list[str], out: Output, *, is_first: bool) -> int:
    """Run one command, report its errors and return its exit status."""
    commits = _count_commits()
    try:
        status = _run(arguments, out)
        out.flush()
    except BrokenPipeError:
        out.drop()  # the reader has closed the pipe (gitmem list | head): exit quietly
        return PIPE_CLOSED
    except KeyboardInterrupt:
        return _say_interrupted(out, _count_commits() - commits)
    except Exception as err:  # noqa: BLE001 - the one place that words errors
        if _was_interrupted():
            return _say_interrupted(out, _count_commits() - commits)
        from gitmem.cli.again import heals, reword

        rest, has_written = _without_folder(arguments), _count_commits() > commits
        if is_first and heals(err, out, rest, has_written=has_written):
            return _finish(rest, out, is_first=False)
        return _report_error(reword(err, is_first=is_first, has_written=has_written), out, arguments)
    if _count_commits() > commits:
        _sync_behind(_without_folder(arguments))
    return status


def _sync_behind(arguments: list[str]) -> None:
    """Sync in the background after a command that wrote, if ``gitmem.autoSync`` is set."""
    if arguments[:1] == ["sync"] or arguments[:2] == ["background", "sync"]:
        return
    from gitmem.errors import GitmemError
    from gitmem.memory import Memory

    try:
        with Memory() as memory:
            if memory.repository.config.auto_sync:
                memory.captures.start("sync")
    except GitmemError:
        return  # another folder's repository was changed (`gitmem init DIR`)


def _say_interrupted(out: Output, commits: int) -> int:
    from gitmem.cli.output import counted

    here = f" ({counted(commits, 'commit')} of this command)" if commits else ""
    out.error(f"interrupted; acknowledged writes are kept{here}")
    return INTERRUPTED


def note_interruption(*_: object) -> None:
    """Handle SIGINT as Python does, and record it, because SQLite replaces the exception by its own error."""
    _interruptions.append("SIGINT")
    raise KeyboardInterrupt


def _was_interrupted() -> bool:
    """Return whether the user interrupted the command that is ending, and forget the interruption."""
    found = bool(_interruptions)
    _interruptions.clear()
    return found


def _count_commits() -> int:
    """Return how many commits this process has acknowledged."""
    writing = sys.modules.get("gitmem.store.commit")
    return 0 if writing is None else len(writing.MADE)


def _without_folder(arguments: list[str]) -> list[str]:
    """Return a command line without ``-C DIR``, which has already taken effect."""
    while arguments[:1] == ["-C"]:
        arguments = arguments[2:]
    return arguments


def _answer(words: Sequence[str]) -> int:
    """Answer a coding agent's harness; no failure in gitmem may stop the agent."""
    try:
        from gitmem.cli import harness

        return harness.run(words)
    except BaseException:  # noqa: BLE001 - even where gitmem cannot be imported, or the person interrupts
        return 0


def _color() -> str:
    """Return when to use colour: never with NO_COLOR, always with FORCE_COLOR, else on a terminal (no-color.org)."""
    from gitmem.config import variable

    if variable("NO_COLOR"):
        return "never"
    if variable("FORCE_COLOR"):
        return "never" if variable("FORCE_COLOR") == "0" else "always"
    return "never" if _is_dumb() else "auto"


def _is_dumb() -> bool:
    """Return whether the terminal has no control sequences."""
    from gitmem.config import variable

    return variable("TERM") == "dumb"


def _run(arguments: list[str], out: Output) -> int:
    arguments = _without_global(arguments, out)
    if not arguments or arguments[0] in ("-h", "--help"):
        arguments = ["help", *map(_as_typed, arguments[1:])]
    if arguments[0] == "--version":
        from gitmem import __version__

        out.line(f"gitmem {__version__}")
        return 0
    name, *arguments = map(_as_typed, arguments)
    if name not in table.top() and name not in table.HIDDEN:
        raise _unknown(name)
    if arguments and not arguments[0].startswith("-") and (verbs := table.verbs_of(name)):
        if arguments[0] not in verbs:
            raise _unknown_verb(name, arguments[0], verbs)
        name, *arguments = f"{name} {arguments[0]}", *arguments[1:]
    from gitmem.cli.arguments import read_plain
    from gitmem.config import agent_client

    module = table.load(name)
    args = read_plain(module, arguments)
    if args is None:
        from gitmem.cli.parser import HelpRequest, parser_of

        try:
            args = parser_of(name, module, width=out.width).parse(arguments)
        except HelpRequest as request:
            out.page(request.text)
            return 0
    if name in table.FENCED and not out.is_terminal and not args.json and agent_client():
        return _run_fenced(module, args, out)
    if name in table.PAGED:
        out.hold()
    status: int = module.run(args, out)
    return status


def _run_fenced(module: ModuleType, args: argparse.Namespace, out: Output) -> int:
    """Run a command in the shell of an agent, fencing its output as data, as hooks and MCP do."""
    from gitmem.cli.output import Output
    from gitmem.text.fence import fence_text

    text = io.StringIO()
    status: int = module.run(args, Output(color="never", stdout=text))
    if shown := fence_text(text.getvalue().rstrip("\n"), source="the memory of this repository"):
        out.text(shown)
    return status


def _as_typed(word: str) -> str:
    """Return an argument as it was typed, as UTF-8 if the locale could not decode it (LC_ALL=C)."""
    if word.isascii() or not any("\udc80" <= char <= "\udcff" for char in word):
        return word
    try:
        return os.fsencode(word).decode("utf-8")
    except UnicodeError as err:
        from gitmem.errors import UsageError

        raise UsageError("an argument is not valid UTF-8") from err


def _without_global(arguments: list[str], out: Output) -> list[str]:
    """Apply the options before the command (``-C DIR``, as in git), and ``--color``, which may also follow it."""
    while arguments[:1] in (["-C"], ["--no-pager"]):
        if arguments[0] == "--no-pager":
            out.pages, arguments = False, arguments[1:]
        else:
            arguments = _go_where_asked(arguments)
    for at, word in enumerate(arguments):
        if word == "--":
            break
        if word == "--color" or word.startswith("--color="):
            return _without_global(_colored(arguments, at, out), out)
    return arguments


def _colored(arguments: list[str], at: int, out: Output) -> list[str]:
    """Apply ``--color WHEN`` and remove it from a command line."""
    _, equals, when = arguments[at].partition("=")
    if not equals:
        when = (arguments[at + 1 :] or [""])[0]
    if when not in ("auto", "always", "never"):
        from gitmem.errors import UsageError

        raise UsageError(f"--color needs auto, always or never, not {when!r}", hint="gitmem --color never list")
    out.set_color(when, is_typed=True)
    return arguments[:at] + arguments[at + (1 if equals else 2) :]


def _go_where_asked(arguments: list[str]) -> list[str]:
    """Apply ``-C DIR`` at the beginning of a command line, and remove it."""
    from gitmem.errors import NoRepositoryError, UsageError
    from gitmem.git.repository import name_folder

    if len(arguments) < 2:
        raise UsageError("-C needs a folder", hint="gitmem -C DIR COMMAND")
    try:
        os.chdir(arguments[1])
    except OSError as err:
        raise NoRepositoryError(f"{arguments[1]}: {err.strerror}") from err
    name_folder(os.curdir)
    return arguments[2:]


def _unknown(name: str) -> Exception:
    from difflib import get_close_matches

    from gitmem.errors import UsageError

    if name.startswith("-"):
        return UsageError(f"{name} is not allowed before the command", hint="gitmem [-C DIR] COMMAND [OPTIONS]")
    if name in table.SYNONYMS:
        return UsageError(f"unknown command: {name}", hint=f"gitmem {table.SYNONYMS[name]}")
    near = get_close_matches(name, table.COMMANDS, n=1)
    hint = f"did you mean: gitmem {near[0]}?" if near else "gitmem help -a lists the commands"
    return UsageError(f"unknown command: {name}", hint=hint)


def _unknown_verb(noun: str, verb: str, verbs: Iterable[str]) -> Exception:
    from difflib import get_close_matches

    from gitmem.errors import UsageError

    near = get_close_matches(verb, verbs, n=1)
    hint = f"did you mean: gitmem {noun} {near[0]}?" if near else f"choose one of {', '.join(verbs)}"
    return UsageError(f"gitmem {noun}: unknown verb: {verb}", hint=hint)


def _report_error(err: Exception, out: Output, arguments: list[str]) -> int:
    """Print one error and return its exit status; secrets that were typed are redacted."""
    from gitmem.errors import GitmemError
    from gitmem.text.secrets import redact

    if isinstance(err, GitmemError):
        out.error(redact(err.message), redact(err.hint))
        return err.exit_status
    if isinstance(err, FileNotFoundError) and not _here_exists():
        out.error("the current folder no longer exists", "change to an existing folder")
        return 3
    if isinstance(err, OSError) and _is_environment(err):
        if not err.filename:
            out.drop()
        what = os.fsdecode(err.filename) if err.filename else "cannot write the output"
        out.error(f"{what}: {err.strerror}", "acknowledged writes are kept")
        return 3
    from gitmem.cli.bug import write_report

    out.error(redact(f"this is a bug in gitmem: {type(err).__name__}: {err}"), write_report(err, arguments))
    return BUG


def _is_environment(err: OSError) -> bool:
    return errno.errorcode.get(err.errno or 0) in ENVIRONMENT


def _here_exists() -> bool:
    try:
        os.getcwd()  # noqa: PTH109 - only whether it answers
    except OSError:
        return False
    return True
