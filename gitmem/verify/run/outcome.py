"""Determine the outcome of one run of a check, and its reason: it holds, it fails, or the cause is unclear."""

from __future__ import annotations

import os
import re

from gitmem.errors import ProcessError
from gitmem.frozen import replace
from gitmem.model import BLOCKED, FAILS, HOLDS, INTERRUPTED, SHELL, Ran, Spec
from gitmem.system import process
from gitmem.text import display
from gitmem.verify.run.missing import FOR_BASH, SCRIPT_FOR_BASH, find_needed, find_program
from gitmem.verify.run.reason import reason_of
from gitmem.verify.run.shell_words import read_shell
from gitmem.verify.sandbox import sandbox
from gitmem.verify.trace.determinism import TOOLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Characters of a check's output that are kept with its result.
OUTPUT_KEPT = 4000
SETUP_SHOWN = 60
# A failed run that is not conclusive by itself: the command could not be run, was killed, timed out, or was denied
# something. If the check held at an earlier commit, a run there shows whether the code is the cause.
UNCLEAR = "unclear"
# What programs print without a network, and when a sandbox of any kind denies something.
NO_NETWORK = (
    "network is unreachable",
    "could not resolve host",
    "temporary failure in name resolution",
    "name or service not known",
    "unknownhostexception",
    "getaddrinfo eai_again",
    "getaddrinfo enotfound",
    "dial tcp: lookup ",
)
DENIALS = (
    *NO_NETWORK,
    "read-only file system",
    "operation not permitted",
    "operation not supported",
    "permission denied",
)
# Messages of programs and shells that a limit of the machine or the container stopped (fork(2), ulimit -u, the cgroup's
# pids.max): EAGAIN, ENOMEM, ENOSPC, EMFILE.
SHORTAGES = (
    "resource temporarily unavailable",
    "can't start new thread",
    "cannot fork",
    "cannot allocate memory",
    "no space left on device",
    "too many open files",
)
# The exit status by which a check says that it cannot tell (git-bisect(1), "bisect run").
CANNOT_SAY = 125
# How the reason of a failure begins if the check itself chose its exit status.
CHOSEN = "exit "
# Exit statuses of a shell for a command that could not be run, and those for a signal (POSIX.1-2017, Shell Command
# Language, 2.8.2).
NOT_RUN = (126, 127)
SIGNALLED = range(129, 193)
# How dash and bash report a command that they cannot read. Not of a script: its name comes first.
_NO_SYNTAX = re.compile(r"^sh: (?:\d+: Syntax error: |-c: line \d+: syntax error)", re.M)
_READ_S = 5
# How the reasons begin for a run that timed out, and for one that was killed.
_TIMED_OUT, _KILLED = "timed out", "killed by a signal"
# What begins another command of a shell, and the words that only some shells have.
_SEPARATOR = re.compile(r"[;&|(){}`\n]|(?<= )-exec(?= )")
_SHELL_WORDS = frozenset("source shopt pushd popd declare".split())
# What succeeds without another program; how a check asks whether a program is there, and for the status of a shell that
# did not find one.
_NO_OTHER = re.compile(r"\|\|\s*(?:true|false|:|exit \d)(?![\w/.-])")
_QUOTED = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\])*\"", re.S)
_ASKING = re.compile(r"(?:^|\s)(?:command +-[vV]|which|type|hash)\s")
_OPTIONS_ASKING = frozenset("--version -V --help".split())
STATUS = re.compile(r"(?<![\w.:/-])127(?![\w.:/])")  # not of an address or a path
_REDIRECTION = re.compile(r"(?<![ \t])[ \t]*(?:\d|&)?>[>&|]?[ \t]*[^\s;&|()`]+")
# What hides the message of a shell, or has another program try to run one.
_HIDES = re.compile(r"2>|&>|>&|-exec|-ok")
_HIDDEN = re.compile(r"(?<![\w$&])2>>?[ \t]*(?:&[1-]|[\w./-]+)")
_ALL_HIDDEN, _ALL_PIPED = re.compile(r"&>>?|>&(?=[ \t]*[\w./]*[a-z])"), "|&"
# How interpreters report that a program ended because something was missing; the programs that say nothing like it.
CRASHES = re.compile(
    r"^(?:ModuleNotFoundError|ImportError): |^\S*python[\d.]*: (?:Error while finding|No module named )"
    r"|MODULE_NOT_FOUND|\(LoadError\)|^BEGIN failed--|error while loading shared libraries|^npm ERR! |^npx canceled",
    re.M,
)
NO_CRASH = TOOLS | frozenset("find xargs awk gawk mawk sort ls env timeout git rg jq touch mkdir rm cp mv".split())
_ELSE = re.compile(r"\b(?:else|elif)\b")
_NO_TARGET = re.compile(r"No rule to make target ['`\"]([^'`\"\s]+)['`\"]\.")
# What a negated check may run by name; such a package is a tool, and its absence is not what the check is about.
_TOOLS = ("the Python module ", "the Node.js package ", "the npm package ", "the Ruby library ", "the Perl module ")
_RUN_AS = r"(?:-m|npx(?: -\S+)*|bunx|uvx|npm exec(?: --)?|(?:pnpm|yarn) (?:dlx|exec)) +"


def argv_of(spec: Spec) -> tuple[str, ...]:
    """Return the arguments to run: the program, or the command as one argument of ``sh -c``, never interpolated."""
    return ("sh", "-c", spec.check.words[0]) if spec.check.form == SHELL else spec.check.words


def outcome_of(ran: Ran | None, spec: Spec, rung: str, problem: str) -> tuple[str, str]:
    """Return the outcome of a run, and the reason.

    It is ``holds`` for 0, ``fails`` for any other exit status that the check itself chose, ``UNCLEAR`` if the
    environment may be the cause, and ``blocked`` if there was no run, the check cannot say (exit 125), or it only holds
    because a program crashed. Whether it holds without an absent program is another question (``stand_ins``).

    Source: POSIX.1-2017, Shell Command Language, 2.8.2.
    """
    if problem or ran is None:
        return BLOCKED, problem
    if ran.problem:
        return BLOCKED if ran.problem == INTERRUPTED else UNCLEAR, ran.problem
    if ran.is_setup:
        setup = display(" ".join(spec.setup.split()))[:SETUP_SHOWN]
        return UNCLEAR, f"the policy's setup ({setup}) failed: {end_of(ran, spec)}"
    if ran.timed_out:
        return UNCLEAR, f"{_TIMED_OUT} after {spec.timeout_s} s"
    if ran.status == 0:
        what = _find_not_run(spec, ran.output)
        return (BLOCKED, describe_vain(what)) if what else (HOLDS, "")
    said = reason_of(ran.output)
    if ran.status == CANNOT_SAY:
        return BLOCKED, f"it cannot say (exit {CANNOT_SAY})" + (f": {said}" if said else "")
    if ran.status in NOT_RUN:
        return UNCLEAR, said or f"the command could not be run (exit {ran.status})"
    if ran.status is None or ran.status < 0 or ran.status in SIGNALLED:
        return UNCLEAR, f"{_KILLED} (exit {ran.status})"
    if spec.check.form == SHELL and _NO_SYNTAX.search(ran.output):
        return UNCLEAR, f"{said}; {SCRIPT_FOR_BASH if _can_be_read(spec.check.words[0]) else FOR_BASH}"
    if short := _line_with(SHORTAGES, ran.output):
        return UNCLEAR, f"this machine ran out of a resource: {short}"
    if rung != sandbox.NONE and (denied := _line_with(DENIALS, ran.output)):
        hint = "" if spec.network else "; if it needs the network, set network: true"
        return UNCLEAR, f"the sandbox blocked it: {denied}{hint}"
    return FAILS, f"{CHOSEN}{ran.status}" + (f": {said}" if said else "")


def _can_be_read(text: str) -> bool:
    """Return whether sh can read a text. Its message may come from another shell: npm also runs scripts with it."""
    try:
        result = process.run(["sh", "-n", "-c", text], env={"PATH": os.defpath}, timeout_s=_READ_S, check=False)
    except ProcessError:
        return False
    return result.status == 0


def describe_vain(what: str) -> str:
    """Describe a check that holds only because something is missing."""
    return f"it needs {what}, and holds whatever the code says without it"


def _find_not_run(spec: Spec, output: str) -> str:
    """Return what a program of a check did not find although the check holds: ``the Python module yaml``; or empty."""
    if spec.check.form != SHELL:
        return ""
    is_tool = spec.check.words[0].lstrip().startswith("!") and not find_program(output)
    return (_find_tool(spec, output) if is_tool else "") or find_crash(spec, output)


def show_errors(spec: Spec) -> Spec | None:
    """Return a check without what hides the messages of its programs; None if it hides none, or its programs have none.

    A check that holds does not show whether a program of it crashed: `! python3 tools/lint.py 2>/dev/null`.
    """
    words = spec.check.words[0] if spec.check.form == SHELL else ""
    shown = _HIDDEN.sub("", _ALL_HIDDEN.sub(">", words.replace(_ALL_PIPED, "|")))
    is_other = shown != words and bool(read_shell(words).programs() - NO_CRASH)
    return replace(spec, check=replace(spec.check, words=(shown,))) if is_other else None


def find_crash(spec: Spec, output: str) -> str:
    """Return what a crashed program lacks if the check holds for that reason: ``the Python module yaml``; or empty."""
    if spec.check.form != SHELL or "||" in _NO_OTHER.sub("", words := spec.check.words[0]) or _ELSE.search(words):
        return ""
    text = read_shell(words)
    if all(text.is_ignored(name) or _is_optional(words, name) for name in text.programs() - NO_CRASH):
        return ""
    if (target := _NO_TARGET.search(output)) and re.search(rf"make .*\s{re.escape(target[1])}(?!\S)", words):
        is_one = re.search(rf"make\s+(?:-\S+\s+)*{re.escape(target[1])}\s*(?:$|[;&|)\d>])", words)
        return "" if is_one else f"the target {target[1]} of make"
    name, what = find_needed(output) if CRASHES.search(output) else ("", "")
    is_run = name and is_run_as(words, name)
    return what if what.startswith((*_TOOLS, "the library ")) and (is_run or name not in words) else ""


def is_run_as(words: str, name: str) -> bool:
    """Return whether a command runs a package by its name: `python3 -m flake8`, `npx eslint`."""
    return re.search(rf"{_RUN_AS}{re.escape(name)}(?![\w/.-])", words) is not None


def find_absent(spec: Spec, path: str) -> str:
    """Return a program that a check runs and that is not on *path*, where it hides what the shell says; or empty."""
    words = spec.check.words[0] if spec.check.form == SHELL else ""
    if spec.setup or not path or not _HIDES.search(words):
        return ""
    return next((name for name in read_shell(words).find_absent(path) if _needs(words, name)), "")


def _needs(words: str, name: str) -> bool:
    """Return whether the status of a command depends on a program that it runs."""
    return name not in _SHELL_WORDS and not read_shell(words).is_ignored(name) and not _expects_absence(words, name)


def _find_tool(spec: Spec, output: str) -> str:
    """Return what made a negated check hold: a package that it runs or that its program imports, or the network."""
    words = spec.check.words[0]
    name, what = find_needed(output)
    is_run = name and is_run_as(words, name)
    if what.startswith(_TOOLS) and (is_run or name not in words):
        return what
    return "the network" if not spec.network and _line_with(NO_NETWORK, output) else ""


def _expects_absence(words: str, name: str) -> bool:
    """Return whether a command tries another one instead of a program, asks whether it is there, or does without it."""
    if _has_other(words, name) or STATUS.search(words) or _is_optional(words, name):
        return True
    for part in _SEPARATOR.split(words):
        before, found, after = part.partition(name)
        if found and (_ASKING.search(before) or _OPTIONS_ASKING.intersection(after.split())):
            return True
    return False


def _has_other(words: str, name: str) -> bool:
    """Return whether a command tries another one if a program fails: `rg x || grep -r x`."""
    plain = _NO_OTHER.sub("", _QUOTED.sub("''", words))
    runs = re.findall(rf"(?<![\w./-]){re.escape(name)}(?![\w./-])([^;\n]*)", plain)
    return any("||" in rest for rest in runs) if runs else "||" in _NO_OTHER.sub("", words)


def _is_optional(words: str, name: str) -> bool:
    """Return whether what a program prints and answers is not used: `prettier --write . || true`."""
    plain = _REDIRECTION.sub("", words)
    runs = re.search(rf"(?<![\w./-]){re.escape(name)}(?: [^;&|()`>\n]{{0,300}})?\|\| *(?:true|:)(?![\w/.-])", plain)
    return runs is not None and "$(" not in words and "`" not in words


def explain_change(because: str, gone: str) -> str:
    """Explain why a check fails if a change made it crash, hang or impossible to run.

    Args:
        because: The reason from the run.
        gone: The script of the check that the change removed; or empty.
    """
    if gone:
        return f"its script is gone: {display(gone)} ({because})"
    if because.startswith(_TIMED_OUT):
        return f"it hangs: {because}"
    return f"it crashes: {because}" if because.startswith(_KILLED) else because


def is_chosen(because: str) -> bool:
    """Return whether the reason of a failure is an exit status that the check itself chose."""
    return because.startswith(CHOSEN)


def end_of(ran: Ran, spec: Spec) -> str:
    """Describe on one line how an unsuccessful run ended."""
    if ran.timed_out:
        return f"timed out after {spec.timeout_s} s"
    said = reason_of(ran.output)
    return ran.problem or f"exit {ran.status}" + (f": {said}" if said else "")


def _line_with(messages: Sequence[str], output: str) -> str:
    """Return the first line of output that contains one of the messages, or an empty string."""
    lines = (line for line in output.split("\n") if any(words in line.lower() for words in messages))
    return reason_of(next(lines, ""))
