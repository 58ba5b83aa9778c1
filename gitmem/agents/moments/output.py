"""Find what the output of a failed command says: its informative lines, and whether a memory speaks of them. Pure."""

from __future__ import annotations

from itertools import pairwise

from gitmem.agents.moments.programs import SEPARATE, commands_in, sentences_of, without_runner, words_of
from gitmem.text import display
from gitmem.text.marker_words import CIRCUMSTANCES, REPAIRED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# The most lines that make a question, and the most characters of one.
LINES_AT_MOST, LINE_CHARS = 8, 240
# The most letters of a linter's code: "PLW0603", "SC2086".
CODE_LETTERS = 4
# The last lines are read besides those with a word below: some programs end with the message alone.
LAST = 2
# The most lines of an output that is only a message.
SHORT = 3
_SAYS = (
    *("error", "fail", "exception", "panic", "fatal", "cannot", "can't", "couldn't", "could not", "not found"),
    *("no such", "no module", "undefined", "undeclared", "unresolved", "denied", "refused", "missing", "invalid"),
    *("unable", "unexpected", "unknown", "unsupported", "timed out", "timeout", "not ok", "conflict", "abort", "lock"),
    *(
        "unrecognized",
        "mismatch",
        "outdated",
        "not installed",
        "too many",
        "out of",
        "killed",
        "\u2715",
        "\u2717",
        "\u00d7",
        "\u274c",
    ),
)
# How programs begin the line of a failure.
_BEGINS = (
    *("error", "fatal:", "panic:", "traceback (most recent call last)", "npm err!", "npm error ", "failed ", "fail:"),
    "failure:",
    *("[error] ", "│ error: ", "✖ ", "(mix) ", "failed! "),
)
# How test runners and build tools end or mark one.
_MARKS = (
    *("test result: FAILED", "BUILD FAILED", "tests FAILED", "FAILURES!", " panicked at ", ": error TS"),
    *("ELIFECYCLE", "Command failed", "FATAL ERROR: ", ": Error: ", " exited with code 1", "Something went wrong"),
    *("did not complete successfully", " example, 1 failure", " examples, 1 failure"),
)
# Lines of counts and rulers say nothing about the cause: "1 failed in 0.1s", "FAIL", "exit status 1".
_COUNTED = frozenset(
    """
    passed failed error errors warning warnings skipped tests test suites suite total in exit code status fail
    failing passing ok short summary info found command process finished with of and ran time duration file files
    make
    """.split()
)
# Exceptions and words that programs raise for any cause; what distinguishes one failure from another is the rest.
_GENERIC = frozenset(
    """
    assertionerror typeerror valueerror keyerror indexerror attributeerror nameerror exception runtimeerror
    syntaxerror importerror modulenotfounderror filenotfounderror oserror error referenceerror rangeerror
    nullpointerexception illegalargumentexception illegalstateexception standarderror nomethoderror argumenterror
    zerodivisionerror stopiteration permissionerror nosuchfileordirectory notimplementederror traceback assert
    expected received actual
    """.split()
)
# How linkers report a library that is missing, without the beginning of its file's name.
_NO_LIBRARY = ("cannot find -l", "library not found for -l", "unable to find library -l")
# How programs report a module or a program that is missing: its name comes after the first ones, before the others.
_NO_MODULE = (
    *("no module named ", "cannot find module ", "can't find module ", "could not resolve ", "unable to resolve "),
    *("cannot find package ", "cannot load such file -- ", "unresolved import ", "can't find crate for "),
    *("command not found: ", "unknown command: ", *_NO_LIBRARY),
)
# How package managers report a package that they could not build, likewise.
_NOT_BUILT = (
    *("failed building wheel for ", "failed to build ", "could not build wheels for ", "could not compile "),
    *("failed to run custom build command for ", "an error occurred while installing ", "node_modules/"),
)
_NO_PROGRAM = (": command not found", ": not found")
# A memory with one of these words may be about what is missing.
_ABSENCE = frozenset(
    """
    missing installed install installs installing uninstalled import imports imported module modules package packages
    dependency dependencies submodule submodules library libraries found absent lacks needs need requires venv
    environment path pythonpath available optional extra extras find link links linker linking
    """.split()
)
# How programs report that they have no such command, and how a memory speaks of that.
_NO_COMMAND = (
    *("no rule to make target", "missing script", "no such command", "unknown command", "unrecognized subcommand"),
    *("is not a git command", "no_script", "unknown task", "no such task", "did you mean"),
)
_NO_SUCH = frozenset(("no", "not", "use", "instead", "renamed", "removed", "gone", "called"))
# How a command that took too long ends, and how a memory speaks of that.
_TOO_LONG = ("timed out after", "timeout after", "exit code 124", "exit code 143", "exceeded the timeout", "timeout of")
_SLOW = frozenset(("minutes", "hours", "minute", "hour", "slow", "long", "takes", "took", "forever", "timeout", "time"))
# A memory with one of these words may say what a command needs.
_CAVEATS = frozenset(
    """
    fail fails failed failing hang hangs hung need needs needed require requires required must without unless first
    before only instead flaky never always wants expects
    """.split()
)
# Folders that are in the messages of any program or machine, and files that are.
_COMMON_ROOTS = frozenset(("usr", "bin", "sbin", "lib", "lib64", "home", "Users", "root", "tmp", "app", "workspace"))
_COMMON_PATHS = frozenset(("/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty"))
_PORTS = frozenset(("port", "ports"))
# The machine itself, as addresses name it.
_HERE = ("localhost", "127.0.0.1", "//localhost", "//127.0.0.1", "host.docker.internal")
# The most commands of one line.
COMMANDS_AT_MOST = 5
# Programs at the end of a pipe that succeed whatever happened before them.
_FILTERS = frozenset(("tail", "head", "tee", "cat", "grep", "rg", "sed", "awk", "less", "sort", "uniq", "cut"))
_QUOTES = (('"', '"'), ("'", "'"), ("`", "`"), ("“", "”"), ("„", "“"), ("«", "»"), ("‘", "’"))
# How many words in a row make a quotation, and how many of these must not be of every message.
RUN, RARE = 5, 2
# Fewer words do if one of them is of errors ("exec format error", "couldn't find Booking").
SHORT_RUNS = (3, 4)
# The fewest words of a whole message ("Text file busy").
MESSAGE = 3
_OF_ERRORS = frozenset(("error", "failed", "cannot", "can", "couldn", "t", "unable", "invalid", "missing"))
# How many telling words of a message stand in a memory that names the command.
SHARED = 2
_EVERY = frozenset(
    """
    a an the of to in is was not no for with on at by be it and or found such file directory error failed line could
    cannot exit code from import module most recent call last status test tests expected assert but
    """.split()
)


def informative_lines(output: str) -> list[str]:
    """Return the lines that say what went wrong, in order, without colours; empty if there are none."""
    lines, informative, marked = _lines_with_errors(output)
    chosen = sorted({*marked[-LINES_AT_MOST + LAST :], *informative[-LAST:]})
    return list(dict.fromkeys(lines[at][:LINE_CHARS] for at in chosen))


def error_line(output: str) -> str:
    """Return the line that says best what went wrong: the last one that names an error, else the last; or empty."""
    lines, informative, marked = _lines_with_errors(output)
    return lines[(marked or informative)[-1]] if informative else ""


def _lines_with_errors(output: str) -> tuple[list[str], list[int], list[int]]:
    """Return the lines, and the places of those that are not counts, and of those that name an error."""
    lines = [line for line in map(_plain, output.splitlines()) if line]
    informative = [at for at, line in enumerate(lines) if not _is_count(line)]
    return (
        lines,
        informative,
        [at for at in informative if _has_code(lines[at]) or any(word in lines[at].lower() for word in _SAYS)],
    )


def may_have_failed(output: str, command: str = "") -> bool:
    """Return whether an output is that of a failure, for clients that do not report the status of a command.

    A short output in which the command speaks of itself (`go: -race requires cgo`) is one: programs begin messages
    about a failure with their names, and results without.
    """
    last = [line for line in map(_plain, output.splitlines()) if line][-30:]
    if any(line.lower().startswith(_BEGINS) or line.startswith(("E ", "FAIL ")) for line in last):
        return True
    if any(
        line.endswith("command not found")
        or _begins_with_exception(line)
        or "*** [" in line
        or ": error: " in line
        or line.endswith((" FAILED", "***Failed"))
        or any(mark in line for mark in _MARKS)
        for line in last
    ):
        return True
    named = {f"{word.rpartition('/')[2]}:" for word in command.translate(SEPARATE).split()}
    return 0 < len(last) <= SHORT and last[0].partition(" ")[0] in named


def _begins_with_exception(line: str) -> bool:
    """Return whether a line begins with an exception: `django.core.exceptions.ImproperlyConfigured: no key`."""
    first, colon, rest = line.partition(": ")
    *module, name = first.split(".")
    is_name = name[:1].isupper() and _is_identifier(name) and all(part.isidentifier() for part in module)
    return bool(colon and rest) and is_name and (len(module) > 0 or name.endswith(("Error", "Exception")))


def hides_status(command: str) -> bool:
    """Return whether a command's status is not that of what it runs: `make 2>&1 | tail -5`, `make || true`."""
    words = command.replace("||", " \0 ").replace("|&", "|").replace("|", " | ").split()
    if "pipefail" in command:
        return False
    after = {sign: words[len(words) - words[::-1].index(sign) :][:1] for sign in ("|", "\0") if sign in words}
    return after.get("|", [""])[0] in _FILTERS or after.get("\0", [""])[0] in ("true", ":", "echo")


def _plain(line: str) -> str:
    """Return a line without colours and rulers."""
    while "\x1b[" in line:
        before, _, rest = line.partition("\x1b[")
        at = 0
        while at < len(rest) and not rest[at].isalpha():
            at += 1
        line = before + rest[at + 1 :]
    return display(" ".join(line.split())).strip("=-_─━*# ")


def _is_count(line: str) -> bool:
    """Return whether a line only counts or frames: nothing in it tells one failure from another."""
    words = [word for word in words_of(line) if not word.isdigit()]
    return all(word in _COUNTED or word.rstrip("sm").replace(".", "").isdigit() for word in words)


def _has_code(line: str) -> bool:
    """Return whether a line begins with the code of a finding, as linters print it: "E501", "src/a.py:3:1: F401"."""
    first, _, rest = line.partition(" ")
    word = rest.partition(" ")[0] if first.endswith(":") and first.count(":") > 1 else first
    letters = word.rstrip(":*[]").rstrip("0123456789")
    return (
        1 <= len(letters) <= CODE_LETTERS and letters.isupper() and letters.isalpha() and len(word) - len(letters) > 1
    )


class Failure:
    """What a failed command said, compared with memories."""

    def __init__(self, output: str, lines: Sequence[str], commands: Sequence[str] = (), typed: str = "") -> None:
        """Take the whole output, its informative lines, what the command ran (``command_runs``), and its line."""
        self._said = f" {' '.join(words_of(_without_folders(output)))} "
        plain = [_without_folders(line) for line in lines]
        runs = [run for line in plain for run in (*_runs(words_of(line)), *_messages(line))]
        self._runs = [f" {run} " for run in dict.fromkeys(runs)]
        self._names = set(_identifiers(lines))
        self._typed = set(_identifiers([typed]))
        self._missing = list(_missing(lines))
        self._not_built = list(_not_built(lines))
        self._paths = {path for line in lines for path in _system_paths(line)}
        self._commands = [f" {run} " for run in commands]
        self._targets = [f" {run} " for run in _targets(typed)]
        self._cause = {word for line in lines for word in words_of(_without_folders(line)) if _is_telling(word)}
        self._caveats = _CAVEATS | _caveats_of(output)
        self._ports = {port for line in (*lines, typed) for port in _ports(line)}

    def is_in(self, text: str) -> bool:
        """Return whether the text of a memory speaks of this failure.

        It does if the output contains what the memory quotes, if several words of a line, or a whole message in it,
        stand in the memory in a row, or if both have an identifier that is not of every failure: an error's code, a
        test, a module, an exception. An identifier in the command line counts if the memory says what it needs.
        So it does if the error is about a path of the system that the memory names, or if the memory says what the
        command itself needs.
        """
        if self._paths and any(_is_at_or_below(path, own) for own in _system_paths(text) for path in self._paths):
            return True
        if self._ports and not self._ports.isdisjoint({*_ports(text), *_numbers_of_ports(text)}):
            return True
        text = _without_folders(text)
        if any(f" {quoted} " in self._said for quoted in _quotations(text)):
            return True
        words = words_of(text)
        joined = f" {' '.join(words)} "
        if any(run in joined for run in self._runs) or not self._names.isdisjoint(words):
            return True
        if any(name in joined for name in self._missing) and not _ABSENCE.isdisjoint(words):
            return True
        if not self._typed.isdisjoint(words) and not self._caveats.isdisjoint(words):
            return True
        needs = _ABSENCE | self._caveats
        if any(name in joined for name in self._not_built) and not needs.isdisjoint(words):
            return True
        if self._commands and self._is_command_in(text, self._commands):
            return True
        is_same_cause = len(self._cause.intersection(words)) >= SHARED
        return is_same_cause and self._is_command_in(text, self._targets)

    def _is_command_in(self, text: str, commands: Sequence[str]) -> bool:
        """Return whether a sentence about a command, or the next one, says what it needs; a cure only names it."""
        own = text.partition(CIRCUMSTANCES)[0] if REPAIRED not in text else ""
        if any(word in quoted for quoted in _quotations(own) for word in _SAYS):
            return False  # it is about another error of the command
        sentences = [words_of(sentence) for sentence in sentences_of(own) if sentence]
        for sentence, following in pairwise([*sentences, []]):
            joined = f" {' '.join(sentence)} "
            if any(run in joined for run in commands) and not self._caveats.isdisjoint((*sentence, *following)):
                return True
        return False


def command_runs(line: str, output: str = "") -> list[str]:
    """Return the beginnings of the commands of a line, as words: the program and its first two arguments.

    Those of two words are left out (`make test`, `git push`), unless one is a name of code (`gradle integrationTest`):
    too many memories name them. They count if the output says that there is no such command, or that it took too long.
    """
    is_short = bool(_caveats_of(output))
    runs = []
    for command in commands_in(line):
        words = without_runner([word for word in command.split() if "=" not in word])
        words = [word for word in words if not word.startswith("-")]
        run = words_of(_without_folders(" ".join(words[:3])))
        if len(run) > 2 or any(map(_is_identifier, words[1:3])) or (is_short and len(run) > 1):
            runs.append(" ".join(run))
    return list(dict.fromkeys(runs))[:COMMANDS_AT_MOST]


def _targets(line: str) -> list[str]:
    """Return the programs of a line with their first arguments, as words: `make seed`."""
    pairs = ([word for word in command.split() if "=" not in word][:2] for command in commands_in(line))
    return [" ".join(words_of(_without_folders(" ".join(pair)))) for pair in pairs if len(pair) > 1][:COMMANDS_AT_MOST]


def _is_telling(word: str) -> bool:
    """Return whether a word of a message is not of every message."""
    return len(word) > 2 and not word.isdigit() and not any(word in words for words in (_EVERY, _COUNTED, _GENERIC))


def _caveats_of(output: str) -> frozenset[str]:
    """Return the words of memories about a command that does not exist or took too long; empty if neither is said."""
    end = output[-4000:].lower()
    is_absent, is_slow = any(map(end.__contains__, _NO_COMMAND)), any(map(end.__contains__, _TOO_LONG))
    return (_NO_SUCH if is_absent else frozenset()) | (_SLOW if is_slow else frozenset())


def _ports(text: str) -> Iterator[str]:
    """Yield the ports of this machine that a text names: `localhost:8080`, `port 8080`, "listens on 8080"."""
    if ":" not in text and "port" not in text and " on " not in text:
        return
    words = text.lower().translate(_SIGNS_AS_SPACES).replace(":", " : ").split()
    for before, sign, word in zip(["", "", *words], ["", *words], words, strict=False):
        plain = word.partition("/")[0].rstrip(".")
        is_port = sign in ("port", "ports", "on") or (sign == ":" and before in _HERE)
        if is_port and plain.isdigit() and len(plain) > 3:
            yield plain


def _numbers_of_ports(text: str) -> Iterator[str]:
    """Yield the numbers of a memory about ports that may be some: "port 5433, because 5432 is taken"."""
    words = words_of(text)
    if not _PORTS.isdisjoint(words):
        yield from (
            word for word in words if word.isdigit() and 4 <= len(word) <= 5 and not word.startswith(("19", "20"))
        )


def _system_paths(text: str) -> Iterator[str]:
    """Yield the absolute paths in a text that are not of every message: `/dev/shm`, `/var/run/docker.sock`."""
    if "/" not in text:
        return
    for word in text.translate(_SIGNS_AS_SPACES).split():
        scheme, colon, rest = word.rstrip(".:!?/").rpartition(":/")
        is_url = bool(colon) and rest.startswith("/") and not scheme.endswith("unix")
        path = "" if is_url else f"/{rest.lstrip('/')}" if colon else rest
        first = path.split("/")[1] if path.startswith("/") and path.count("/") > 1 else ""
        if first and first not in _COMMON_ROOTS and path not in _COMMON_PATHS:
            yield path


def _is_at_or_below(path: str, other: str) -> bool:
    return path == other or path.startswith(f"{other}/")


def _missing(lines: Iterable[str]) -> Iterator[str]:
    """Yield the names of modules and programs that lines report as missing, as words between spaces."""
    for line in lines:
        lower = line.lower()
        after = [lower[lower.find(begin) + len(begin) :].split()[:1] for begin in _NO_MODULE if begin in lower]
        before = [lower.rpartition(": ")[0].replace(":", " ").split()[-1:]] if lower.endswith(_NO_PROGRAM) else []
        for named in (*after, *before):
            if words := words_of(" ".join(named)):
                yield f" {' '.join(words)} "
                if any(begin in lower for begin in _NO_LIBRARY):
                    yield f" lib{' '.join(words)} "


def _not_built(lines: Iterable[str]) -> Iterator[str]:
    """Yield the names of packages that lines report as not built, as words between spaces."""
    for line in lines:
        lower = line.lower()
        for begin in _NOT_BUILT:
            named = lower.rpartition(begin)[2].split()[:1] if begin in lower else []
            plain = " ".join(named).strip("`'\",.:;()")
            # A file in the folder of a package is in any stack; a scope is a part of the name.
            if plain.count("/") <= plain.startswith("@") and (words := words_of(plain)):
                yield f" {' '.join(words)} "


def _without_folders(text: str) -> str:
    """Return a text in which absolute paths are names of files: their folders are in every message of a machine."""
    text = text.replace("127.0.0.1", "localhost")  # one word, as its port is another
    if "/" not in text:
        return text
    return "\n".join(" ".join(map(_without_folder, line.split(" "))) for line in text.split("\n"))


def _without_folder(word: str) -> str:
    plain = word.lstrip("'\"`(<[")
    if not plain.startswith(("/", "~/")) or plain.count("/") < 2:
        return word
    return word[: len(word) - len(plain)] + plain.rstrip("/").rpartition("/")[2]


def _quotations(text: str) -> Iterator[str]:
    """Yield what a memory quotes, as words: several of them, or one that is an identifier."""
    for begin, end in _QUOTES:
        at = text.find(begin)
        while at >= 0:
            stop = text.find(end, at + 1)
            if stop < 0:
                break
            is_opening = at == 0 or not text[at - 1].isalnum()  # no apostrophe
            if is_opening and stop - at < LINE_CHARS:
                words = words_of(text[at + 1 : stop])
                rare = [word for word in words if word not in _EVERY and word not in _GENERIC]
                if rare and (len(words) > 1 or _is_identifier(text[at + 1 : stop])):
                    yield " ".join(words)
            at = text.find(begin, stop + 1 if is_opening else at + 1)


def _runs(words: Sequence[str]) -> Iterator[str]:
    """Yield what counts as a quotation: five words in a row, or three or four with one of an error and two others."""
    for length in (RUN, *SHORT_RUNS):
        common = _EVERY if length == RUN else _EVERY | _OF_ERRORS
        for at in range(len(words) - length + 1):
            run = words[at : at + length]
            is_quoted = length == RUN or not _OF_ERRORS.isdisjoint(run)
            if is_quoted and sum(word not in common and not word.isdigit() for word in run) >= RARE:
                yield " ".join(run)


def _messages(line: str) -> Iterator[str]:
    """Yield the parts of a line between its signs that are messages of three words or more: "Text file busy"."""
    for part in line.replace(": ", "\n").replace(", ", "\n").translate(_PARTED).split("\n"):
        words = words_of(part)
        if len(words) >= MESSAGE and sum(word not in _EVERY and not word.isdigit() for word in words) >= RARE:
            yield " ".join(words)


def _identifiers(lines: Iterable[str]) -> Iterator[str]:
    """Yield the identifiers in informative lines, in lower case, without paths of files."""
    for line in lines:
        for word in line.translate(_SIGNS_AS_SPACES).split():
            plain = word.strip(".:")
            if "/" in plain:
                plain = plain.partition("::")[2]  # `tests/test_fx.py::test_rates`
            for part in plain.split("::"):
                last = part.rpartition(".")[2] if part.count(".") > 1 else part
                if _is_identifier(last) and last.lower() not in _GENERIC:
                    yield last.lower()


_SIGNS_AS_SPACES = str.maketrans("()[]{}<>'\"`,;=", "              ")
_PARTED = str.maketrans(dict.fromkeys(";()[]{}<>'\"`", "\n"))


def _is_identifier(word: str) -> bool:
    """Return whether a word is one of code: of several parts, or of capitals and digits."""
    if not all(char.isalnum() or char in "_-" for char in word) or len(word) < 4:
        return False
    has_hump = any(a.islower() and b.isupper() for a, b in pairwise(word))
    is_code = word[0].isupper() and any(char.isdigit() for char in word) and word.isupper()
    return has_hump or "_" in word.strip("_") or is_code
