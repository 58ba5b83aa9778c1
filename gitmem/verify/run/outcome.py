"""The outcome of running a check once: it holds, it fails, it is unclear why it does not pass; with the reason."""

from __future__ import annotations

import re

from gitmem.model import BLOCKED, FAILS, HOLDS, INTERRUPTED, SHELL, Check, Ran, Spec
from gitmem.text.sanitize import display
from gitmem.verify.run.reason import reason_of
from gitmem.verify.sandbox import sandbox

# Characters of a check's output that are kept with its result.
OUTPUT_KEPT = 4000
SETUP_SHOWN = 60
# A run that did not pass in a way that says nothing on its own: the command could not be run, was killed, ran too long,
# or something was denied. Where the check held before, the same run there says whether the code is the cause.
UNCLEAR = "unclear"
# What programs say when a sandbox keeps them from something, whichever it is.
DENIALS = (
    "network is unreachable",
    "could not resolve host",
    "temporary failure in name resolution",
    "name or service not known",
    "read-only file system",
    "operation not permitted",
    "operation not supported",
    "permission denied",
)
# How the reason of a failure begins whose exit status the check chose itself.
CHOSEN = "exit "
# Exit statuses that a shell gives for a command it could not run, and above which it reports a signal
# (POSIX.1-2017, Shell Command Language, 2.8.2).
NOT_RUN = (126, 127)
SIGNALLED = range(129, 193)
# How the reasons begin of a run that took too long, and of one that was killed.
_TIMED_OUT, _KILLED = "timed out", "killed by a signal"
# Programs whose first argument is a script; a variable that is set for one command.
_INTERPRETER = re.compile(r"(?:.*/)?(?:\.|source|env|exec|sh|bash|dash|zsh|node|perl|ruby|php|python[0-9.]*|!)")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")


def argv_of(spec: Spec) -> tuple[str, ...]:
    """Return what is run: the program as it is, or the command as one argument of ``sh -c``, never interpolated."""
    return ("sh", "-c", spec.check.words[0]) if spec.check.form == SHELL else spec.check.words


def outcome_of(ran: Ran | None, spec: Spec, rung: str, problem: str) -> tuple[str, str]:
    """Return what a run shows, and why.

    It is ``holds`` on 0, ``fails`` on any other exit status that the check chose itself, ``UNCLEAR`` where the
    environment may be the cause as well, and ``blocked`` where there was no run.

    Source: POSIX.1-2017, Shell Command Language, 2.8.2.
    """
    if problem or ran is None:
        return BLOCKED, problem
    if ran.problem:
        return BLOCKED if ran.problem == INTERRUPTED else UNCLEAR, ran.problem
    if ran.is_setup:
        return UNCLEAR, f"the policy's setup ({shown_setup(spec)}) failed: {end_of(ran, spec)}"
    if ran.timed_out:
        return UNCLEAR, f"{_TIMED_OUT} after {spec.timeout_s} s"
    if ran.status == 0:
        return HOLDS, ""
    said = reason_of(ran.output)
    if ran.status in NOT_RUN:
        return UNCLEAR, said or f"the command could not be run (exit {ran.status})"
    if ran.status is None or ran.status < 0 or ran.status in SIGNALLED:
        return UNCLEAR, f"{_KILLED} (exit {ran.status})"
    if rung != sandbox.NONE and (denied := _denial(ran.output)):
        hint = "" if spec.network else "; if it needs the network, set network: true"
        return UNCLEAR, f"the sandbox blocked it: {denied}{hint}"
    return FAILS, f"{CHOSEN}{ran.status}" + (f": {said}" if said else "")


def list_scripts(check: Check) -> list[str]:
    """Return what a check runs, as far as its words show: programs, and the scripts of interpreters, by their paths."""
    import shlex  # 5 ms, and only where a check stopped passing

    try:
        lexer = shlex.shlex(check.words[0], posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        words = list(lexer) if check.form == SHELL else list(check.words)
    except ValueError:
        return []
    found, is_first = [], True
    for word in words:
        if set(word) <= set("();<>|&"):
            is_first = True
        elif is_first and not _ASSIGNMENT.match(word) and not word.startswith("-"):
            found.append(word.removeprefix("./"))
            is_first = _INTERPRETER.fullmatch(word) is not None
    return found


def explain_change(because: str, gone: str) -> str:
    """Return why a check fails that a change made crash, hang or impossible to run.

    Args:
        because: How it ended.
        gone: The script that it runs and that the change removed; or empty.
    """
    if gone:
        return f"its script is gone: {display(gone)} ({because})"
    if because.startswith(_TIMED_OUT):
        return f"it hangs: {because}"
    return f"it crashes: {because}" if because.startswith(_KILLED) else because


def is_chosen(because: str) -> bool:
    """Return whether a failure is an exit status that the check chose itself, by what its verdict says."""
    return because.startswith(CHOSEN)


def shown_setup(spec: Spec) -> str:
    """Return the policy's setup on one short line, to name it by."""
    return display(" ".join(spec.setup.split()))[:SETUP_SHOWN]


def end_of(ran: Ran, spec: Spec) -> str:
    """Return how a run ended that did not go well, on one line."""
    if ran.timed_out:
        return f"timed out after {spec.timeout_s} s"
    said = reason_of(ran.output)
    return ran.problem or f"exit {ran.status}" + (f": {said}" if said else "")


def _denial(output: str) -> str:
    """Return the first line by which a program says that something was denied, or an empty string."""
    lines = (line for line in output.split("\n") if any(words in line.lower() for words in DENIALS))
    return reason_of(next(lines, ""))
