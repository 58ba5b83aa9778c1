"""The outcome of running a check: it holds, it fails, or there is no result; with the reason."""

from __future__ import annotations

import re

from gitmem.model import ERROR, FAILS, HOLDS, SHELL, Ran, Spec
from gitmem.text.sanitize import display
from gitmem.text.secrets import safe_output
from gitmem.verify.sandbox import sandbox

# Characters of a check's output that are kept with its result.
OUTPUT_KEPT = 4000
# Characters of the line that says why: a verdict is a small file (``layout.VERDICT_LIMIT``).
LINE_KEPT = 200
SETUP_SHOWN = 60
# What programs say when a sandbox keeps them from something, whichever it is: such an exit says nothing about the fact.
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
# Exit statuses that a shell gives for a command it could not run, and above which it reports a signal
# (POSIX.1-2017, Shell Command Language, 2.8.2).
NOT_RUN = (126, 127)
SIGNALLED = range(129, 193)
# What make says of a command that failed, behind what the command said itself.
_MAKE = re.compile(r"\S*make(\[\d+\])?: \*\*\* \[.*\] Error \d+")


def argv_of(spec: Spec) -> tuple[str, ...]:
    """Return what is run: the program as it is, or the command as one argument of ``sh -c``, never interpolated."""
    return ("sh", "-c", spec.check.words[0]) if spec.check.form == SHELL else spec.check.words


def outcome_of(ran: Ran | None, spec: Spec, rung: str, problem: str) -> tuple[str, str]:
    """Return what a run shows: holds on 0; error where nothing was learned; fails on anything else; and why.

    Source: POSIX.1-2017, Shell Command Language, 2.8.2.
    """
    if problem or ran is None:
        return ERROR, problem
    if ran.problem:
        return ERROR, ran.problem
    if ran.timed_out:
        return ERROR, f"timed out after {spec.timeout_s} s"
    if ran.status == 0:
        return HOLDS, ""
    said = last_line(ran.output)
    if ran.status in NOT_RUN:
        return ERROR, said or f"the command could not be run (exit {ran.status})"
    if ran.status is None or ran.status < 0 or ran.status in SIGNALLED:
        return ERROR, f"killed by a signal (exit {ran.status})"
    if rung != sandbox.NONE and any(words in ran.output.lower() for words in DENIALS):
        hint = "" if spec.network else "; if it needs the network, set network: true"
        return ERROR, f"the sandbox blocked it: {said}{hint}"
    return FAILS, f"exit {ran.status}" + (f": {said}" if said else "")


def shown_setup(spec: Spec) -> str:
    """Return the policy's setup on one short line, to name it by."""
    return display(" ".join(spec.setup.split()))[:SETUP_SHOWN]


def end_of(ran: Ran, spec: Spec) -> str:
    """Return how a run ended that did not go well, on one line."""
    if ran.timed_out:
        return f"timed out after {spec.timeout_s} s"
    said = last_line(ran.output)
    return ran.problem or f"exit {ran.status}" + (f": {said}" if said else "")


def last_line(output: str) -> str:
    """Return the last line that says something, cleaned, secrets taken out, cut; that ``make`` gives up is nothing."""
    lines = [line.strip() for line in safe_output(output, OUTPUT_KEPT).split("\n") if line.strip()]
    telling = [line for line in lines if _MAKE.fullmatch(line) is None] or lines
    return telling[-1][:LINE_KEPT] if telling else ""
