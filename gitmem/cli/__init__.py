"""The command line: the table of commands, and ``main``, which loads the module of the typed command and no other.

Errors become messages here and nowhere else.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` makes enumerations: 1 ms
import errno
import os
import sys

from gitmem.cli.commands import REDACTED, all_commands, is_command, load_command, plugin_problems, verbs_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gitmem.cli.output import Output

# Commands whose output goes to the pager if it is longer than the terminal.
PAGED = (
    *(
        "recall",
        "similar",
        "pre-work",
        "decisions",
        "context",
        "show",
        "list",
        "log",
        "status",
        "review",
        "stores list",
    ),
    *("task list", "task tree", "task ready", "task show", "session log", "curate dedupe"),
)
# The longest command line that a hint repeats.
LONGEST_HINT = 200
# Words that users of other tools may type, and the corresponding commands.
SYNONYMS = {
    **dict.fromkeys(("search", "find", "grep", "query", "ask"), "recall"),
    **dict.fromkeys(("add", "new", "create", "note", "learn"), "remember"),
    **dict.fromkeys(("rm", "remove", "delete", "del", "archive", "retire"), "forget"),
    **dict.fromkeys(("push", "fetch"), "sync"),
    **dict.fromkeys(("ls", "all"), "list"),
    **dict.fromkeys(("get", "cat", "open"), "show"),
    **dict.fromkeys(("test", "prove", "run"), "verify"),
    **dict.fromkeys(("update", "change", "modify", "rename"), "edit"),
    **dict.fromkeys(("unarchive", "undelete"), "restore"),
    **dict.fromkeys(("blame", "bisect"), "why"),
    **dict.fromkeys(("resolve", "fix"), "settle"),
    **dict.fromkeys(("approve", "allow"), "trust"),
    **dict.fromkeys(("deny", "revoke"), "untrust"),
    **dict.fromkeys(("diff", "explain"), "review"),
    **dict.fromkeys(("history", "changes"), "log"),
    **dict.fromkeys(("setup", "start", "join"), "init"),
    **dict.fromkeys(("stat", "info"), "status"),
    **dict.fromkeys(("usage", "statistics"), "stats"),
    **dict.fromkeys(("duplicates", "dedupe"), "curate"),
    **dict.fromkeys(("replace",), "supersede"),
    **dict.fromkeys(("commit",), "save"),
    **dict.fromkeys(("hooks", "connect"), "install"),
    **dict.fromkeys(("fsck", "repair", "health"), "doctor"),
    **dict.fromkeys(("share", "publish"), "promote"),
    **dict.fromkeys(("tasks", "todo"), "task"),
    **dict.fromkeys(("config", "settings", "options", "kinds"), "policy"),
}
# The same for the verbs of nouns (`task`, `policy`).
VERB_SYNONYMS = {
    **dict.fromkeys(("new", "create"), "add"),
    **dict.fromkeys(("rm", "delete", "del"), "remove"),
    **dict.fromkeys(("ls", "all"), "list"),
    **dict.fromkeys(("get", "cat"), "show"),
    **dict.fromkeys(("done", "finish", "complete"), "close"),
    **dict.fromkeys(("start", "take"), "claim"),
}
# The options of gitmem itself.
OWN_OPTIONS = ("--help", "--version", "--color", "--no-pager")
# The events of git and pre-commit that `hook` accepts. Any other word is treated as the name of a client: a misspelled
# one must not exit with status 2, which would stop an agent's turn.
GIT_EVENTS = (
    "post-commit",
    "post-rewrite",
    "post-checkout",
    "post-merge",
    "pre-push",
    "doctor",
    "index",
    "check",
    "learned",
)

BUG = 70
INTERRUPTED = 130
# The exit status that a shell reports after SIGPIPE (128 + 13).
PIPE_CLOSED = 141
# Errors of the environment: no space, no permission, too many open files, something else where a file belongs. Any
# other OSError is a bug.
ENVIRONMENT = (
    *("ENOSPC", "EDQUOT", "EROFS", "EACCES", "EPERM", "EIO", "EFBIG", "EMFILE", "ENFILE"),
    *("EISDIR", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "ENXIO", "ESTALE"),
)
# What is there in place of a file of gitmem's own.
IN_THE_WAY = ("EISDIR", "ENOTDIR", "ELOOP", "ENXIO")
# Interruptions by the user that have not been reported yet.
_interruptions: list[str] = []


def main(argv: list[str] | None = None, *, outside: Callable[..., None] | None = None) -> int:
    """Run one command and return its exit status.

    Args:
        argv: Its words; None for those of the process.
        outside: The handler of SIGINT before and after the command, if this is the program; None leaves SIGINT alone.
    """
    # ``list`` must not be called here: after that command, the name refers to the module in this package.
    arguments = [*(sys.argv[1:] if argv is None else argv)]
    if arguments[:1] == ["hook"] and arguments[1:] and is_client(arguments[1]):
        return _answer(arguments[1:], outside)
    if arguments[:1] == ["textconv"] and len(arguments) == 2:
        from gitmem.cli import textconv

        return textconv.show(
            arguments[1]
        )  # git calls it for each file of a diff, so it parses no arguments and reads no settings
    from gitmem.cli.output import Output

    if arguments[:1] == ["complete"]:  # its arguments are a command line themselves
        from gitmem.cli import complete

        out = Output(is_agents=_is_agents())
        out.redacts = False
        complete.show(arguments[1:], out)
        out.flush()
        return 0
    out = Output(color=_color(), draws=not _is_dumb(), is_agents=_is_agents())
    status = _finish(arguments, out, outside, is_first=True)
    if out.is_agents:
        try:
            out.flush()
        except OSError:
            return status or PIPE_CLOSED
    return status


def _is_agents() -> bool:
    """Return whether an agent reads the output."""
    from gitmem.cli.terminal import agent_sign

    return bool(agent_sign())


def _finish(arguments: list[str], out: Output, outside: Callable[..., None] | None, *, is_first: bool) -> int:
    """Run one command, report its errors and return its exit status."""
    commits = _count_commits()
    try:
        if outside:
            _signal.signal(_signal.SIGINT, note_interruption)
        status = _run(arguments, out)
        out.flush()
        if outside:
            _signal.signal(_signal.SIGINT, outside)
    except BrokenPipeError:
        out.drop()  # the reader has closed the pipe (gitmem list | head): exit quietly
        return PIPE_CLOSED
    except KeyboardInterrupt:
        if outside:
            _signal.signal(_signal.SIGINT, outside)
        return _say_interrupted(out, _count_commits() - commits)
    except Exception as err:  # noqa: BLE001 - the one place that words errors
        if outside:
            _signal.signal(_signal.SIGINT, outside)
        if _was_interrupted():
            return _say_interrupted(out, _count_commits() - commits)
        from gitmem.cli.retry import heals, plain, reword

        err, rest, has_written = plain(err), _without_folder(arguments), _count_commits() > commits
        if is_first and heals(err, out, rest, has_written=has_written):
            return _finish(rest, out, outside, is_first=False)
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
    from gitmem.cli.output import quantity

    here = f" ({quantity(commits, 'commit')} of this command)" if commits else ""
    out.error(f"interrupted; acknowledged writes are kept{here}")
    return INTERRUPTED


def note_interruption(*_: object) -> None:
    """Handle SIGINT as Python does, and record it, because SQLite replaces the exception by its own error."""
    _interruptions.append("SIGINT")
    raise KeyboardInterrupt


def _was_interrupted() -> bool:
    """Return whether the user interrupted the command that is ending, and forget the interruption."""
    was_interrupted = bool(_interruptions)
    _interruptions.clear()
    return was_interrupted


def _count_commits() -> int:
    """Return how many commits this process has acknowledged."""
    writing = sys.modules.get("gitmem.store.commit")
    return 0 if writing is None else len(writing.MADE)


def _without_folder(arguments: list[str]) -> list[str]:
    """Return a command line without ``-C DIR``, which has already taken effect."""
    while arguments[:1] == ["-C"]:
        arguments = arguments[2:]
    return arguments


def _answer(words: Sequence[str], outside: Callable[..., None] | None) -> int:
    """Answer a coding agent's client; no failure in gitmem may stop the agent."""
    try:
        from gitmem.cli import client_hook

        if outside:
            _signal.signal(_signal.SIGINT, note_interruption)  # the client gets its form of silence
        return client_hook.run(words)
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
        from gitmem.text.own import own

        out.line(own("gitmem {}", __version__))
        return 0
    name, *arguments = map(_as_typed, arguments)
    if " " in name or not is_command(name):
        raise _misplaced([name, *arguments]) if name.startswith("-") else _unknown(name, arguments)
    if arguments and not arguments[0].startswith("-") and (verbs := verbs_of(name)):
        if arguments[0] not in verbs:
            raise _unknown_verb(name, arguments, verbs)
        name, *arguments = f"{name} {arguments[0]}", *arguments[1:]
    from gitmem.cli.arguments import read_plain

    module = load_command(name)
    args = read_plain(module, arguments)
    if args is None:
        from gitmem.cli.parser import HelpRequest, parser_of
        from gitmem.text.own import OwnWords

        try:
            args = parser_of(name, module, width=out.width).parse(arguments)
        except HelpRequest as request:
            from gitmem.cli.manual import page

            out.page(OwnWords(page(request.parser, out.width)))
            return 0
    out.name(name)
    out.redacts = name not in REDACTED
    if name in PAGED:
        out.hold()
    status: int = module.run(args, out)
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


def _misplaced(words: list[str]) -> Exception:
    """Return the error for an option before the command, with the same command line in the right order."""
    import shlex
    from difflib import get_close_matches

    from gitmem.errors import UsageError

    # A value may have the name of a command: the first one that accepts the rest is meant.
    for is_exact in (True, False):
        for at, word in enumerate(words):
            length = 2 if words[at + 1 : at + 2] and words[at + 1] in (verbs_of(word) or ()) else 1
            name, rest = " ".join(words[at : at + length]), [*words[:at], *words[at + length :]]
            if not is_exact and not is_command(word):
                name = "" if word.startswith("-") else _nearest(word)
            if name and is_command(name.split(" ")[0]) and (accepted := _accepted(name, rest, is_exact=is_exact)):
                hint = shlex.join(["gitmem", *name.split(" "), *accepted])
                return UsageError(
                    f"{words[0]} is not allowed before the command", hint=hint if is_exact else f"did you mean: {hint}"
                )
    if near := get_close_matches(words[0], OWN_OPTIONS, n=1):
        return UsageError(f"unknown option: {words[0]}", hint=f"did you mean: gitmem {near[0]}")
    return UsageError(f"{words[0]} is not allowed before the command", hint="gitmem [-C DIR] COMMAND [OPTIONS]")


def _nearest(word: str) -> str:
    """Return the command that a word is meant to be, or an empty string."""
    from difflib import get_close_matches

    known = (*all_commands(), *SYNONYMS)
    swapped = [one for one in known if sorted(one) == sorted(word)]  # a slip of the fingers: statsu
    near = [word] if word in SYNONYMS else swapped[:1] or get_close_matches(word, known, n=1)
    return SYNONYMS.get(near[0], near[0]) if near else ""


def _accepted(name: str, rest: list[str], *, is_exact: bool) -> list[str]:
    """Return the words with which a command can run, options that are nearly right corrected; empty if there are none.

    Args:
        name: The command.
        rest: The words, at least one.
        is_exact: Whether they must be right as they are.
    """
    from difflib import get_close_matches

    from gitmem.cli.parser import HelpRequest, parser_of
    from gitmem.errors import GitmemError

    parser, words = parser_of(name, load_command(name)), rest
    if not is_exact:
        known = tuple(parser._option_string_actions)
        near = {word: get_close_matches(word, known, n=1) for word in rest if word.startswith("--") and len(word) > 2}
        words = [near[word][0] if near.get(word) else word for word in rest]
    try:
        parser.parse(words)
    except (GitmemError, HelpRequest):
        return []
    return words


def _unknown(name: str, rest: list[str]) -> Exception:
    from gitmem.errors import UsageError

    if name in SYNONYMS:
        return UsageError(f"unknown command: {name}", hint=_retyped(SYNONYMS[name], rest))
    hint = "gitmem help -a lists the commands"
    if near := _nearest(name):
        hint = f"did you mean: {_retyped(near, rest)}"
    return UsageError(f"unknown command: {name}", hint="; ".join((hint, *plugin_problems())))


def _retyped(command: str, rest: list[str]) -> str:
    """Return the command line with the right command and the typed words; without words that it does not accept."""
    import shlex

    from gitmem.cli.parser import HelpRequest, parser_of
    from gitmem.errors import GitmemError
    from gitmem.text import display

    name, words = command, rest
    if rest[:1] and rest[0] in (verbs_of(command) or ()):
        name, words = f"{command} {rest[0]}", rest[1:]
    line = shlex.join(["gitmem", *command.split(" "), *rest])
    try:
        parser_of(name, load_command(name)).parse(words)
    except (GitmemError, HelpRequest):
        return f"gitmem {command}"
    # A line that is not typed as it is shown would do something else.
    return line if len(line) <= LONGEST_HINT and display(line) == line else f"gitmem {command}"


def _unknown_verb(noun: str, words: list[str], verbs: Iterable[str]) -> Exception:
    from difflib import get_close_matches

    from gitmem.errors import UsageError

    verb, *rest = words
    if (meant := VERB_SYNONYMS.get(verb, "")) in verbs:
        return UsageError(f"gitmem {noun}: unknown verb: {verb}", hint=_retyped(f"{noun} {meant}", rest))
    if noun == "task" and is_command(command := SYNONYMS.get(verb, verb)):  # a task is a memory
        return UsageError(f"gitmem {noun}: unknown verb: {verb}", hint=_retyped(command, rest))
    near = get_close_matches(verb, verbs, n=1)
    hint = f"did you mean: {_retyped(f'{noun} {near[0]}', rest)}" if near else f"choose one of {', '.join(verbs)}"
    return UsageError(f"gitmem {noun}: unknown verb: {verb}", hint=hint)


def _report_error(err: Exception, out: Output, arguments: list[str]) -> int:
    """Print one error and return its exit status."""
    from gitmem.errors import GitmemError

    if isinstance(err, GitmemError):
        out.error(err.message, err.hint)
        return err.exit_status
    if isinstance(err, FileNotFoundError) and not _here_exists():
        out.error("the current folder no longer exists", "change to an existing folder")
        return 3
    if isinstance(err, OSError) and _is_environment(err):
        if not err.filename:
            out.drop()
        # Where a rename fails, what is in the way has the second name.
        named = err.filename2 or err.filename
        what = os.fsdecode(named) if named else "cannot write the output"
        hint = "acknowledged writes are kept"
        if errno.errorcode[err.errno or 0] in IN_THE_WAY:
            from gitmem.system import command_to_move

            hint = f"move it away, and run the command again: {command_to_move(what)}"
        out.error(f"{what}: {err.strerror}", hint)
        return 3
    from gitmem.cli.bug import write_report

    out.error(f"this is a bug in gitmem: {type(err).__name__}: {err}", write_report(err, arguments))
    return BUG


def _is_environment(err: OSError) -> bool:
    return errno.errorcode.get(err.errno or 0) in ENVIRONMENT


def _here_exists() -> bool:
    try:
        os.getcwd()  # noqa: PTH109 - only whether it answers
    except OSError:
        return False
    return True


def is_client(word: str) -> bool:
    """Return whether the word after ``hook`` names a client, possibly misspelled."""
    return word not in GIT_EVENTS and not word.startswith("-")
