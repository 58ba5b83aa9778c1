"""Find an absent program that a check needs although it holds, by running the check with stand-ins for it.

`! rg -q TODO src` succeeds without rg, whether the shell runs it, or a script, a recipe of make or a call of Python
that the check starts. So the check runs again with a folder at the end of its PATH that has a stand-in for each absent
program that it names: each notes that it was started, and ends as a shell does that finds no program (127). For those
that were started, it runs with one that succeeds, prints something or fails: a check whose answer changes depends on
the program. Each stand-in is a script of sh in the private home of the check; the check itself writes down which were
started.

Source: POSIX.1-2017, Shell Command Language, 2.8.2 and 2.9.1.1.
"""

from __future__ import annotations

import math
import re
import shlex

from gitmem.frozen import frozen, replace
from gitmem.model import SHELL, Check
from gitmem.verify.run import missing
from gitmem.verify.run.called_scripts import list_started
from gitmem.verify.run.outcome import CRASHES, NO_CRASH, STATUS, argv_of, is_run_as
from gitmem.verify.run.shell_words import read_shell
from gitmem.verify.sandbox.sandbox import find_program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from gitmem.model import Ran, Spec

# The most programs that get a stand-in, those that are tried, the texts that each prints, and the characters of one.
MOST_NAMES, MOST_TRIED, MOST_TEXTS, MOST_PRINTED = 100, 4, 6, 4_000
# Seconds that the runs with stand-ins of one check may take before the last ones are left out, and before all are.
LIMIT_S, LONGEST_S = 10.0, 60.0
# A run takes at most this many times as long as the first one, and some seconds: a loop may wait for a stand-in.
_SLOWER, _MORE_S = 3, 5
# What precedes the names of the programs that were started, in the output; the folder of stand-ins.
MARK = "\ngitmem: started:\n"
_CRASHED, _WORKED = "gitmem: failed: ", "gitmem: worked: "
_FOLDER = '"${TMPDIR:-$HOME}/.gitmem-absent"'
_NAME = re.compile(r"[A-Za-z][\w.+-]*|\[\[")
_HIDES = re.compile(r"2>|&>|>&|\|&")
_HEREDOC = re.compile(r"<<-?[ \t]*['\"\\]?(\w+)")
# How a text asks whether a program is there or works, and what it does otherwise.
_ASKS = r"(?:command +-[vV]|which|type|hash)(?: +-\w+)? +"
_OPTION_ASKS = re.compile(r"[ \t]+(?:--version|-V|--help)\b")
_TRIVIAL = frozenset("echo printf true test [ which command exit return".split())
# A program that a text asks for, and what it may run as a text: `eval "rg x"`, `git -c alias.f='!rg x' f`.
_ASKED = re.compile(rf"(?<![\w-]){_ASKS}([a-z][\w.+-]*)")
_EVALUATES = re.compile(r"\b(?:eval|alias)\b")
_FIRST_WORD = re.compile(r"['\"]!?[ \t]*([a-z][\w.+-]*)[ \t]")
# The program that `"$@"` runs. A variable that a text sets to a program, and one that it runs:
# `G=grep; command -v rg && G=rg; $G -q x`.
_SET_WORDS = re.compile(r"(?<![\w-])set[ \t]+--[ \t]+[\"']?([A-Za-z][\w.+-]*)")
_SETS = re.compile(r"(?<![\w-])([A-Za-z_]\w*)=[\"']?([A-Za-z][\w.+-]*)")
_RUNS_VARIABLE = re.compile(r"(?m)(?:^|[;&|(!{`]|\b(?:then|do|else|if|while))[ \t]{0,8}\"?\$\{?([A-Za-z_]\w*)")
# Programs that say something about the machine, not about the code.
_OF_MACHINE = frozenset(
    "nproc gnproc sysctl getconf hostname uname arch tput tty lsb_release sw_vers free vm_stat date gdate".split()
)
# How a text accepts one status or another, beside the number of one: `[ $? -eq 127 -o $? -eq 0 ]`, `0 | 127)`.
_OR = re.compile(r"\|\||[ \t]-o\b")
_OR_TEST = re.compile(r"\|\|[ \t]*(?:\[|test\b|\()|[ \t]-o[ \t]+[\"$\d]")
_LABEL_END = re.compile(r"[ \t\"'|\w*?]*\)")
_LIST_END = re.compile(r"[;\n]")
# How make says that a recipe needs no program.
_NOTHING_LOST = re.compile(r"Error 127 \(ignored\)")
# What a text compares something with, and the labels of `case`.
_LITERALS = re.compile(
    r"(?:!=|=|-(?:eq|ne|lt|le|gt|ge))[ \t]*[\"']?([^\s\"'$();|&\]]{1,60})|([\w.:/@+-]{1,60})[*\"']{0,3}\)"
)
_QUOTED = re.compile(r"'([^'\n]{1,200})'|\"([^\"\n]{1,200})\"")
_WORDS = re.compile(r"[\w.:/@+-]{1,60}")


@frozen
class StandIn:
    """How a stand-in ends.

    Attributes:
        prints: What it prints.
        status: Its exit status.
        is_once: Whether only the first call succeeds.
        is_late: Whether it is left out if the runs take long.
    """

    prints: str = ""
    status: int = 127
    is_once: bool = False
    is_late: bool = False


def find_needed(
    spec: Spec, texts: Mapping[str, str], output: str, path: str, run: Callable[[Spec], Ran | None], *, is_safe: bool
) -> str:
    """Return an absent program on which a check depends that holds; empty if it depends on none.

    Args:
        spec: The check.
        texts: The check, and the scripts that it runs, each with the folders besides *path* that have programs for it.
        output: What the check printed.
        path: Where programs are looked up.
        run: Runs a check in the place of this one.
        is_safe: Whether programs that follow a stand-in may be run although it did nothing; else each program that was
            started, that has no alternative and whose status is not ignored is needed.
    """
    names, runs = list_absent(texts, output, path), _Runs(run)
    ran = runs(with_stand_ins(spec, names, StandIn())) if names else None
    started = read_started(ran.output, names) if ran is not None else {}
    if not is_safe or ran is None:
        return next((name for name in started if not _is_ignored(texts, name)), "")
    tried = [
        ([name], stand_in) for name in list(started)[:MOST_TRIED] for stand_in in list_stand_ins(texts, started[name])
    ]
    tried.sort(key=lambda pair: pair[1].is_late)
    if len(names) > 1 and started:  # one may decide whether another is started: `which rg || exit 0`
        tried.append((names, StandIn(status=0)))
    quick = replace(spec, timeout_s=min(spec.timeout_s, math.ceil(_SLOWER * ran.seconds) + _MORE_S))
    firsts: dict[str, Ran | None] = {}
    for together, stand_in in tried:
        if runs.seconds >= (LIMIT_S if stand_in.is_late else LONGEST_S):
            continue
        name = together[0]
        if ran.status != 0 and len(names) > 1 == len(together) and name not in firsts:  # perhaps for another one
            firsts[name] = runs(with_stand_ins(quick, together, StandIn()))
        first = firsts.get(name, ran) if len(together) == 1 else ran
        changed = with_stand_ins(quick, together, stand_in)
        if _is_other(runs(changed), first) and _is_other(runs(changed), first):  # twice: a check may fail at random
            return name if len(together) == 1 else next(iter(started))
    return ""


class _Runs:
    """Runs checks, and adds up the seconds that they take."""

    def __init__(self, run: Callable[[Spec], Ran | None]) -> None:
        """Begin without a run."""
        self._run, self.seconds = run, 0.0

    def __call__(self, spec: Spec) -> Ran | None:
        """Run a check."""
        ran = self._run(spec)
        self.seconds += ran.seconds if ran is not None else 0.0
        return ran


def _is_other(again: Ran | None, first: Ran | None) -> bool:
    """Return whether two runs with stand-ins were completed, and their answers differ."""
    answers = {ran.status == 0 if ran and MARK in ran.output else None for ran in (again, first)}
    return answers == {True, False}


def _is_ignored(texts: Iterable[str], name: str) -> bool:
    """Return whether no text depends on a program that it runs: `tput bold; grep -q v2 api.py`."""
    runs = [read for read in map(read_shell, texts) if read.runs(name)]
    return bool(runs) and all(read.is_ignored(name) for read in runs)


def list_absent(texts: Mapping[str, str], output: str, path: str) -> list[str]:
    """Return the programs that texts may start and that are not on PATH, without those that they can do without."""
    absent: dict[str, None] = {}
    for text, more in texts.items():
        plain = _without_heredocs(text.replace("\r\n", "\n"))
        read = read_shell(plain)
        names = [command.name for command in read.commands if command.name in read.programs() - {"[["}]
        names += [*list_started(text).split(), *_ASKED.findall(plain)]
        names += _FIRST_WORD.findall(plain) if _EVALUATES.search(plain) else []
        names += _SET_WORDS.findall(plain)
        variables = set(_RUNS_VARIABLE.findall(plain))
        names += [value for variable, value in _SETS.findall(plain) if variable in variables]
        own = {name for name in set(names) if re.search(rf"(?<![\w.-]){re.escape(name)}[ \t]*\([ \t]*\)", plain)}
        for name in dict.fromkeys(names):
            is_absent = _NAME.fullmatch(name) and find_program(name, f"{more}:{path}" if more else path) is None
            if is_absent and name not in own and not does_without(plain, name, path):
                absent[name] = None
    reported = "" if _NOTHING_LOST.search(output) else missing.find_program(output)
    if reported and not any(does_without(text, reported, path) for text in texts):
        absent[reported] = None
    return list(absent)[:MOST_NAMES]


def _without_heredocs(text: str) -> str:
    """Return a text without its here-documents, except those that a shell reads."""
    if "<<" not in text:
        return text
    lines, end = [], ""
    for line in text.split("\n"):
        if end:
            end = "" if line.strip() == end else end
            continue
        lines.append(line)
        opened = _HEREDOC.search(line)
        end = opened[1] if opened and not re.search(r"(?<![\w.-])(?:ba|da|z|k)?sh\b", line) else ""
    return "\n".join(line.replace("<<", "< ") for line in lines)


def does_without(text: str, name: str, path: str) -> bool:
    """Return whether a text tries another program instead of this one, or is about its absence.

    It may ask for the program first, or whether it works: `if docker info; then docker run a; fi; grep -q b c`.
    """
    if (status := STATUS.search(text)) and not _tolerates(text, status, name):
        return True
    word = rf"(?<![\w./-]){re.escape(name)}(?![\w./-])"
    rests = [text[match.end() :] for match in re.finditer(word, text)]
    if rests and all(_OPTION_ASKS.match(rest) for rest in rests):
        return True
    for rest in rests:
        before, is_tried, after = rest.partition("||")
        if is_tried and not re.search(r"[;\n]", before):
            first = _first_of(after.lstrip())
            if _runs_other(first, name) or (name in _OF_MACHINE and first.split()[:1] in (["echo"], ["printf"])):
                return True
    values = _SETS.findall(text)
    of_name = {variable for variable, value in values if value == name}
    others = {value for variable, value in values if variable in of_name} - _TRIVIAL - {name}
    if any(find_program(other, path) for other in others):
        return True
    if _has_default(text, name, word) or _has_case(text, name, word):
        return True
    asked = re.search(rf"\bif[ \t]+(![ \t]*)?({_ASKS})?{word}", text)
    return asked is not None and _has_alternative(text[asked.end() :], name, *asked.groups(""))


def _tolerates(text: str, status: re.Match[str], name: str) -> bool:
    """Return whether a text only accepts that a program is absent: `tool || [ $? -eq 127 ]`."""
    before, after = text[: status.start()], text[status.end() :]
    _, is_case, labels = before.rpartition("case ")
    is_label = is_case and "esac" not in labels and _LABEL_END.match(after)
    is_choice = is_label or _OR.search(_list_before(before)) or _OR_TEST.search(_LIST_END.split(after, maxsplit=1)[0])
    return bool(is_choice) and not _runs_other(after, name)


def _list_before(text: str) -> str:
    """Return the end of a text that is of the same list as what follows it, and what precedes the groups around it."""
    own, depth, is_own = [], 0, True
    for sign in reversed(text):
        depth += (sign in "})") - (sign in "{(")
        if depth < 0:
            depth, is_own = 0, True
        elif depth == 0 and sign in ";\n":
            is_own = False
        own += [sign] if is_own else []
    return "".join(reversed(own))


def _has_default(text: str, name: str, word: str) -> bool:
    """Return whether a variable has what another program prints if this one prints nothing: `${n:-$(grep -c x f)}`."""
    for match in re.finditer(rf"(?<![\w-])([A-Za-z_]\w*)=[\"']?\$\([^()]{{0,200}}{word}", text):
        default = re.search(rf"\$\{{{match[1]}:-\$\(([^()]*)\)", text[match.end() :])
        if default and _runs_other(default[1], name):
            return True
    return False


def _has_case(text: str, name: str, word: str) -> bool:
    """Return whether `case $(command -v rg) in` has a branch that runs another program, and not this one."""
    asked = re.search(rf"\bcase[ \t]+[\"']?\$\([ \t]*{_ASKS}{word}[^()]{{0,100}}\)[\"']?[ \t\n]+in\b", text)
    branches = _split_at(text[asked.end() :], r"\besac\b")[0].split(";;") if asked else []
    bodies = [branch.partition(")")[2] for branch in branches]
    return any(_runs_other(body, name) and not re.search(word, body) for body in bodies)


def _first_of(text: str) -> str:
    """Return the first command of a text, or its first group; nothing if the group succeeds whatever it runs."""
    if text[:1] not in ("{", "("):
        return re.split(r"[;&|)}\n]", text, maxsplit=1)[0]
    group = text[1:].partition("}" if text[0] == "{" else ")")[0]
    last = re.split(r"[;\n]", group.rstrip("; \t\n"))[-1].split()
    return "" if last in (["exit", "0"], ["return", "0"]) else group


def _has_alternative(rest: str, name: str, negation: str, asks: str) -> bool:
    """Return whether a text runs another program if a condition that asks for one is false.

    Args:
        rest: The text that follows the name in the condition.
        name: The program.
        negation: `!`, if the condition is negated.
        asks: How it asks whether the program is there; empty if it runs it.
    """
    branches, _, after = _split_at(rest.partition("then")[2], r"\bfi\b")
    body, _, other = _split_at(branches, r"\b(?:else|elif)\b")
    if negation:
        return _runs_other(body, name)
    is_guard = asks or re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w./-])", body)
    return bool(is_guard) and _runs_other(f"{other}\n{after}", name)


def _split_at(text: str, pattern: str) -> tuple[str, str, str]:
    at = re.search(pattern, text)
    return (text[: at.start()], at[0], text[at.end() :]) if at else (text, "", "")


def _runs_other(text: str, name: str) -> bool:
    """Return whether a text runs a program besides one, and those that say or end something."""
    programs = read_shell(text).programs() | {*_ASKED.findall(text)}
    return any(re.search(r"\w", program) for program in programs - _TRIVIAL - {name})


def with_stand_ins(spec: Spec, names: Iterable[str], stand_in: StandIn, *, is_first: bool = False) -> Spec:
    """Return a check that runs this one with stand-ins for programs, and prints which of them were started.

    They are the last on its PATH, or the first.
    """
    lines = [
        "#!/bin/sh",
        "d=${0%/*}/..",
        "p=; [ -p /dev/stdout ] && p=read",
        'echo "${0##*/} $p" >>"$d/started"',
        *(['[ ! -e "$d/once" ] || exit 1', ': >"$d/once"'] if stand_in.is_once else []),
        *([f"printf '%s\\n' {shlex.quote(stand_in.prints)}"] if stand_in.prints else []),
        f"exit {stand_in.status}\n",
    ]
    prepare = [
        f'printf %s {shlex.quote(chr(10).join(lines))} >"$d/bin/.one" && chmod 755 "$d/bin/.one" || exit 0',
        f'for n in {shlex.join(names)}; do ln -s .one "$d/bin/$n" || exit 0; done',
        'PATH="$d/bin:$p"' if is_first else 'PATH="$p:$d/bin"',
    ]
    return _wrapped(spec, prepare)


def find_crashed(spec: Spec, texts: Mapping[str, str], path: str, run: Callable[[Spec], Ran | None]) -> str:
    """Return what a program of a called script lacks that crashed, if the script hides that and the check needs it.

    A check that holds runs once more with programs in front of its PATH that run the real ones and note their messages.
    """
    called = "\n".join(list(texts)[1:])
    names = sorted(read_shell(called).programs() - NO_CRASH) if _HIDES.search(called) else []
    names = [name for name in names if _NAME.fullmatch(name) and find_program(name, path)]
    ran = run(with_watchers(spec, names)) if names else None
    messages = ran.output.rpartition(MARK)[2] if ran is not None and MARK in ran.output else ""
    name, what = missing.find_needed(messages) if CRASHES.search(messages) else ("", "")
    if not name or (name in called and not is_run_as(called, name)):
        return ""  # the script is about what is missing
    stand_ins = list_stand_ins(texts, is_read=False)[:2]
    crashed = sorted(read_failed(ran.output).keys() & {*names}) if ran is not None else []
    return what if find_dependency(spec, crashed, stand_ins, ran, run) else ""


def read_failed(output: str, *, is_lasting: bool = False) -> dict[str, tuple[int, str]]:
    """Return the programs that watchers saw fail, each with its last exit status and all its messages.

    Args:
        output: The output of a check with watchers.
        is_lasting: Whether calls are left out if one with the same first argument succeeded.
    """
    worked = _read_worked(output) if is_lasting else set()
    failed: dict[str, tuple[int, str]] = {}
    for part in f"\n{output.rpartition(MARK)[2]}".split(f"\n{_CRASHED}")[1:]:
        first, _, messages = part.partition("\n")
        name, status, argument = (*first.split(" ", 2), "", "")[:3]
        if status.isdecimal() and (name, argument) not in worked:
            failed[name] = int(status), failed.get(name, (0, ""))[1] + messages
    return failed


def _read_worked(output: str) -> set[tuple[str, str]]:
    """Return the programs that watchers saw succeed, with the first arguments."""
    lines = output.rpartition(MARK)[2].split("\n")
    calls = (line.removeprefix(_WORKED).partition(" ") for line in lines if line.startswith(_WORKED))
    return {(name, argument) for name, _, argument in calls}


def find_dependency(
    spec: Spec, programs: Iterable[str], stand_ins: list[StandIn], ran: Ran | None, run: Callable[[Spec], Ran | None]
) -> str:
    """Return a program that is here and for which a stand-in changes the answer of a check, twice; or empty."""
    first_s = ran.seconds if ran is not None else 0.0
    quick = replace(spec, timeout_s=min(spec.timeout_s, math.ceil(_SLOWER * first_s) + _MORE_S))
    runs = _Runs(run)
    for program in programs:
        for stand_in in stand_ins:
            if runs.seconds >= LIMIT_S:
                return ""
            changed = with_stand_ins(quick, [program], stand_in, is_first=True)
            if _is_other(runs(changed), ran) and _is_other(runs(changed), ran):
                return program
    return ""


def with_watchers(spec: Spec, names: Iterable[str]) -> Spec:
    """Return a check that runs this one, and prints which of these programs worked or failed, with their messages."""
    watcher = (
        "a=; case ${1-} in *[!A-Za-z0-9._:/=-]*) ;; *) a=${1-} ;; esac\n"
        'd=$0.d; "$(cat "$d/real")" "$@" 2>"$d/said.$$"; s=$?; PATH=$PATH:/usr/bin:/bin; cat "$d/said.$$" >&2\n'
        f'[ $s = 0 ] || {{ echo "{_CRASHED}${{0##*/}} $s $a"; cat "$d/said.$$"; }} >>"${{0%/*}}/../started"\n'
        f'[ $s != 0 ] || echo "{_WORKED}${{0##*/}} $a" >>"${{0%/*}}/../started"\nexit $s\n'
    )
    stand_in = (
        'mkdir "$d/bin/$n.d" && command -v "$n" >"$d/bin/$n.d/real" || exit 0; '
        f'printf %s {shlex.quote(f"#!/bin/sh{chr(10)}{watcher}")} >"$d/bin/$n" && chmod 755 "$d/bin/$n" || exit 0'
    )
    return _wrapped(spec, [f"for n in {shlex.join(names)}; do {stand_in}; done", 'PATH="$d/bin:$p"'])


def _wrapped(spec: Spec, prepare: Iterable[str]) -> Spec:
    """Return a check that makes a folder, runs this one and prints what its stand-ins noted."""
    lines = (
        f"d={_FOLDER} p=$PATH",
        "PATH=$PATH:/usr/bin:/bin",  # for these programs, if the check's PATH lacks them
        'mkdir -p "$d/bin" && : >"$d/started" || exit 0',
        *prepare,
        f"{shlex.join(argv_of(spec))} >/dev/null",
        "s=$?",
        f"printf %s {shlex.quote(MARK)}",
        'while IFS= read -r n; do printf "%s\\n" "$n"; done <"$d/started"',
        "exit $s",
    )
    return replace(spec, check=Check(SHELL, ("\n".join(lines),)))


def read_started(output: str, names: Iterable[str]) -> dict[str, bool]:
    """Return which of the stand-ins were started, in order, each with whether another program read its output."""
    started: dict[str, bool] = {}
    for line in output.rpartition(MARK)[2].split("\n") if MARK in output else []:
        name, _, is_read = line.partition(" ")
        if name in names:
            started[name] = started.get(name, False) or is_read == "read"
    return started


def list_stand_ins(texts: Iterable[str], is_read: bool) -> list[StandIn]:
    """Return the stand-ins to try; further ones if another program reads what they print."""
    whole = "\n".join(texts)[:MOST_PRINTED]
    quoted = (text for pair in _QUOTED.findall(whole) for text in pair)
    words = "\n".join(dict.fromkeys([*filter(None, quoted), *_WORDS.findall(whole)]))
    first = [StandIn(words, 0), StandIn(words, 0, is_once=True)]
    literals = dict.fromkeys(text for pair in _LITERALS.findall(whole) for text in pair if text)
    compared = [*list(literals)[:MOST_TEXTS], "0", "999999"] if is_read else []
    late = [StandIn("", 0, is_late=True), StandIn("", 1, is_late=True)]
    return [*first, *late, *(StandIn(text, 0, is_late=True) for text in dict.fromkeys(compared))]
