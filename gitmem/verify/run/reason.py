"""Find the line of a check's output that says why it failed, without paths of this machine. Pure.

The first helpful line counts, never the last: an output ends with a summary, a stack or the name of a log file. Where a
tool begins with a header, the line that says what failed is recognised by its form, the most helpful forms first.
``tests/verify/run/test_reason.py`` contains the outputs that the forms are based on.
"""

from __future__ import annotations

import re

from gitmem.text.secrets import safe_output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Characters of the reason: a verdict is a small file (``layout.VERDICT_LIMIT``).
LINE_KEPT = 200
# Characters of an output that are searched: as much as is kept while it is streamed.
LOOKED_AT = 256 * 1024

# Forms of a line that says what failed, the most helpful first; of one form, the first line counts.
_HELPFUL = (
    # A test by its name, as written by pytest, unittest, go, cargo, TAP and the test runners of JavaScript.
    r"(FAILED|ERROR) \S+::\S+|FAIL: |ERROR: \w+ \(|--- FAIL: |test \S.* \.\.\. FAILED"
    r"|not ok \d+(?! - \S+\.[cm]?[jt]s$)"  # a file that cannot be loaded gives its own reason
    r"|[\u2716\u2715\u2717×] \S|● \S.* › ",
    # pytest's report of an assertion; an exception of Python, Node.js, Java and others; a panic.
    r"E {3,}\S|(# )?([\w.$]*\w)?(Error|Exception|Failure)(?: \[\w+\])?(: .|$)|thread '.*' panicked at|panic: ",
    # Messages of compilers, linters and other programs, with or without a position.
    r"(.*[:\s(])?((fatal )?error|ERROR|fatal|FATAL|FAIL|FAILED|FAILURE)(\[\w+\]| \w+)?(: |\b(?=.*\S))",
    # npm's messages besides the script that it ran; then words that indicate a failure.
    r"npm ERR! \S",
    r"(?i).*\b(expected|missing|mismatch|invalid|cannot|can't|could not|unknown|undefined|unexpected|differs?|wrong"
    r"|not found|no such|denied|refused|must|should|fail(ed|s|ure)?|no rule to make)\b",
)
_FORMS = tuple(re.compile(form) for form in _HELPFUL)
# Lines without a reason: headers, counts, echoed commands, stack frames, and messages that a program gives up.
_NOISE = re.compile(
    "|".join(
        (
            r"[=_\-~*.^|+!#>\s]+$|[.FEsxX]+(\s+\[ *\d+%\])?$|[=_!]{3,} .* [=_!]{3,}$",  # rules and progress
            # pytest, Python and unittest
            r"(platform|rootdir|plugins|configfile|testpaths|cachedir|collected|collecting) ?\S*|Hint: make sure",
            r"Traceback \(most recent call last\)|Traceback:|File \"|During handling of|The above exception",
            r"FAILED \(\w+=\d+|Ran \d+ tests? in|\d+ (failed|passed|errors?)\b",
            # Node.js and npm
            r"at .*:\d+(:\d+)?\)?[ {]*$|at .+ \(.+\)|node:\S+:\d+$",
            r"\S+\.[cm]?[jt]sx?:\d+$|Node\.js v|Require stack:|- /|> \S|TAP version|# Subtest|throw \w+",
            r"npm (notice|warn|WARN)|npm (ERR!|error)\s*$",
            r"npm (ERR!|error) (A complete log|(code|errno|path|command|workspace|location|signal) )",
            r"npm (ERR!|error) (Test failed|syscall |Lifecycle script|To see a list|  |This is probably not)",
            # cargo and go
            r"(Compiling|Checking|Finished|Running|Downloaded|Updating|Blocking|running \d+ test|test result:) ?",
            r"failures:|note: |warning: |stack backtrace:|error: (test failed, to rerun|could not compile|aborting)",
            r"FAIL$|FAIL\s+\S+\s+([\d.]+s|\[\w+ failed\])$|ok\s+\S+\s|# \S+$|exit status \d+$|=== (RUN|PAUSE|CONT) ",
            # make, tox and the trace of a shell
            r"\S*make(\[\d+\])?: (\*\*\* \[.*\] (Error|Killed|Terminated)|Entering|Leaving)",
            r"[\w.-]+: (commands(_pre|_post)?\[|exit \d|install_|freeze|skip|OK|FAIL (✖|code))|evaluation failed",
            r"\+ ",
        )
    )
)
_MAKE_GAVE_UP = re.compile(r"\S*make(\[\d+\])?: \*\*\* \[.*\] Error \d+")
_BARE = re.compile(r"(E +)?[\w.]*(Error|Exception)$")
_GO_TEST = re.compile(r"--- FAIL: (\S+)")


def reason_of(output: str) -> str:
    """Return the line of an output that says why a check failed, cleaned, redacted and cut; or an empty string."""
    text = safe_output(output, LOOKED_AT)
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    telling = [line for line in lines if _NOISE.match(line) is None]
    for form in _FORMS:
        for line in telling:
            if form.match(line):
                return _with_more(line, lines)[:LINE_KEPT]
    if len(telling) > 1 and any(map(_MAKE_GAVE_UP.match, lines)):
        telling = telling[1:]  # make prints the command first
    return (telling or lines or [""])[0][:LINE_KEPT]


def _with_more(line: str, lines: list[str]) -> str:
    """Complete a line with another one that it needs: the line it announces, or the source of a bare exception."""
    at = lines.index(line)
    if line.endswith(":") and at + 1 < len(lines):
        return f"{line} {lines[at + 1]}"
    if _BARE.fullmatch(line):
        source = [
            before for before in lines[max(0, at - 2) : at] if before.strip("^~ ") and not before.startswith("File ")
        ]
        return f"{line}: {source[0]}" if source and "Traceback" not in source[0] else line
    if (match := _GO_TEST.match(line)) and at + 1 < len(lines) and not lines[at + 1].startswith(("FAIL", "---")):
        return f"{match.group(1)}: {lines[at + 1]}"
    return re.sub(r"^(E {3,}|# )| \(\d+(\.\d+)? ?m?s\)$", "", line)


def without_places(text: str, places: Iterable[str], home: str) -> str:
    """Replace the paths of code files by those in the repository, and the user's home by ``~``.

    Args:
        text: What a check wrote.
        places: The folders in which the check saw the code, absolute, without a slash at the end.
        home: The user's home folder, or empty.
    """
    for place in sorted(filter(None, places), key=len, reverse=True):
        if place in text and place != "/":
            text = re.sub(rf"(?:file://)?{re.escape(place)}(?:/+|(?=[^\w./-]|\.?(?:\s|$)))", _relative, text)
    if home not in ("", "/") and home in text:
        text = re.sub(rf"(?<![\w.]){re.escape(home)}(?=/)", "~", text)
    return text


def _relative(match: re.Match[str]) -> str:
    return "" if match.group().endswith("/") else "."
