"""Find the programs that a shell command runs, and which of them cannot be run here. No shell is started.

Quotes, comments, redirections and command substitutions are followed, also in double quotes, in the text of ``sh -c``
and after programs that run another one. Syntax that decides in other ways what is a program (a function, ``case``, a
here-document, another ``PATH``) makes the list unsure. Source: POSIX.1-2017, Shell Command Language, 2.2 to 2.10.
"""

from __future__ import annotations

import re

from gitmem.frozen import frozen, replace
from gitmem.verify.sandbox.sandbox import find_program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Words before a command, and words in its place that run none.
_BEFORE_COMMAND = frozenset("! if then elif else while until do { time exec".split())
_NO_COMMAND = frozenset("for select fi done esac } in".split())
_RUNNERS = frozenset("command env sudo nice nohup timeout xargs stdbuf setsid".split())
# The options of these whose value is a word of its own.
_VALUED = {
    "env": "-u -C -S --unset --chdir",
    "sudo": "-u -g -h -p -C -D -R -T --user --group --host --chdir",
    "timeout": "-s -k --signal --kill-after",
    "xargs": "-I -a -d -E -L -n -P -s --arg-file --delimiter",
}
_EXECUTES = frozenset("-exec -execdir -ok -okdir".split())
_SHELLS = frozenset("sh bash dash zsh ksh".split())
_BUILTINS = frozenset(
    """
    alias bg break builtin caller cd command compgen complete continue coproc declare dirs disown echo enable eval exit
    export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray
    readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait
    """.split()
)
_NAME = re.compile(r"[A-Za-z][\w.+-]*")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
# Commands that give a word another meaning: other files and texts, an alias, a function; and another PATH.
_REDEFINE = frozenset("eval alias . source case function".split())
_OTHER_PATH = re.compile(r"(?<!\w)PATH\+?=")
# What makes the status of an earlier statement count, and what succeeds or ends by itself.
_COUNTS = re.compile(r"\bset\b|\btrap\b|\bexit\b|\breturn\b|\bpipefail\b")
_TRIVIAL = frozenset(("true", ":", "echo", "printf"))
_DEEPEST = 8
# Programs that run the script that they get, or another such program, each with its options whose value is a word of
# its own, and those after which no script comes.
_INTERPRETERS = {
    ".": ("", ""),
    "source": ("", ""),
    **dict.fromkeys(_SHELLS, ("-o +o -O --rcfile --init-file", "-c -s")),
    "python": ("-W -X --check-hash-based-pycs", "-c -m"),
    "pypy": ("-W -X", "-c -m"),
    "node": ("-r -C --require --import --loader --experimental-loader --env-file --conditions", "-e -p --eval --print"),
    "perl": ("-I", "-e -E"),
    "ruby": ("-I -r -C -E", "-e"),
    "php": ("-c -d -z", "-r -B -R"),
    "Rscript": ("", "-e"),
    "lua": ("-l", "-e"),
    "tsx": ("--tsconfig --import --require", "-e -p --eval --print"),
    "ts-node": ("-P -r -O --project --require", "-e -p --eval --print"),
}
_LAUNCHERS = {
    "uv": (
        "-p --python --with --with-requirements --with-editable --extra --group --env-file --project --directory",
        "-m",
    ),
    "poetry": ("-C -P --directory --project", ""),
    "pdm": ("-p --project", ""),
    "pipenv": ("", ""),
    "hatch": ("-e --env", ""),
    "bundle": ("", ""),
    "npx": ("-p --package", "-c --call"),
    "pnpm": ("-C -F --dir --filter", ""),
    "yarn": ("--cwd", ""),
    "npm": ("--prefix", ""),
    "bun": ("-r --preload --require --cwd --env-file", "-e -p --eval --print"),
    "bunx": ("", ""),
    "deno": ("-c --config --import-map --cert --lock", "eval"),
}
# Verbs of a launcher before the program to run; how the path of a script ends or looks.
_LAUNCHES = frozenset("run exec dlx x test".split())
_IS_FILE = re.compile(r"[^$]*(?:/[^$]*|\.(?:[cm]?[jt]sx?|py|rb|pl|sh))")
_IS_FUNCTION = re.compile(r"\([ \t]*\)")
# Characters that only add to a word.
_PLAIN_CHARS = re.compile(r"[^\\'\"`$#<>;&|()\s]+")


@frozen
class ShellCommand:
    """One program that a shell command runs.

    Attributes:
        name: The program as written.
        statement: The number of its statement, from 0.
        is_optional: Whether the command may succeed without running it: `test -d a && npm ci; grep b c`.
        script: The script that it runs as an interpreter, or has one run; empty if there is none.
        reads: The name of the interpreter that runs the script.
    """

    name: str
    statement: int
    is_optional: bool = False
    script: str = ""
    reads: str = ""


@frozen
class ShellText:
    """The programs of a shell command.

    Attributes:
        commands: In the order in which they are written; a program may occur more than once.
        is_sure: Whether each of them is looked up on PATH as it stands.
        is_list: Whether the statements run one after another, and only the status of the last one counts.
    """

    commands: tuple[ShellCommand, ...]
    is_sure: bool
    is_list: bool

    def runs(self, name: str) -> bool:
        """Return whether a program is among them, by its name or as ``./name``."""
        return any(command.name.removeprefix("./") == name for command in self.commands)

    def programs(self) -> set[str]:
        """Return the names of those that are not part of the shell."""
        return {command.name for command in self.commands if command.name not in _BUILTINS}

    def is_ignored(self, name: str) -> bool:
        """Return whether nothing depends on a program: `rg TODO src; grep -q v2 api.py`."""
        last = self.commands[-1].statement if self.commands else 0
        in_last = [command.name for command in self.commands if command.statement == last]
        return self.is_list and self.runs(name) and name not in in_last and not _TRIVIAL.issuperset(in_last)

    def find_absent(self, path: str) -> list[str]:
        """Return the programs that run if the command succeeds and are not on PATH; none if the list is unsure."""
        names = dict.fromkeys(command.name for command in self.commands if self.is_sure and not command.is_optional)
        return [
            name
            for name in names
            if _NAME.fullmatch(name) and name not in _BUILTINS and find_program(name, path) is None
        ]


def read_shell(text: str) -> ShellText:
    """Return the programs that a shell command runs."""
    reader = _Reader(0)
    reader.read(text)
    is_list = not reader.has_effects and not _COUNTS.search(text)
    return ShellText(reader.commands(), reader.is_sure and not _OTHER_PATH.search(text), is_list)


def list_scripts(text: str, *, of_shells: bool = False) -> list[str]:
    """Return the paths that a shell command runs as programs or as scripts of an interpreter, without ``./``.

    Args:
        text: The command.
        of_shells: Whether to leave out scripts of interpreters that are not a shell.
    """
    found = []
    for command in read_shell(text).commands:
        found += [command.name] if "/" in command.name else []
        found += [command.script] if command.script and not (of_shells and command.reads not in _SHELLS) else []
    return [path.removeprefix("./") for path in found]


class _Level:
    """A compound command that is open: a group, a condition, a loop, or the whole text.

    `if a; then b; fi` runs what `a && b` does: `b` runs if the command succeeds and no other one follows, or `else`.
    """

    def __init__(self, start: int, opened_by: str = "") -> None:
        self.start, self.opened_by = start, opened_by
        self.is_later = False  # after `&&` or `||`
        self.is_body = False
        self.is_else = False


class _Reader:
    """Reads a shell command once, from left to right."""

    def __init__(self, depth: int) -> None:
        self.found: list[ShellCommand] = []
        self.is_sure, self.has_effects = depth < _DEEPEST, False
        self._depth, self._statement = depth, 0
        self._is_command, self._is_runner, self._is_target, self._is_text = True, False, False, False
        self._is_condition, self._is_value = False, False
        self._is_joined = False  # after `&&`, `||` or `|`: the next line goes on
        self._interpreter: int | None = None  # whose script may come next
        self._reads = ""  # its name, or that of the program that it runs
        self._word: str | None = None
        self._last = ""
        self._levels = [_Level(0)]
        self._optional: set[int] = set()
        # Commands that run if no other one follows at one of these levels.
        self._later: dict[int, set[int]] = {}

    def commands(self) -> tuple[ShellCommand, ...]:
        """Return the programs found."""
        return tuple(
            replace(command, is_optional=True) if nth in self._optional else command
            for nth, command in enumerate(self.found)
        )

    def read(self, text: str) -> None:
        """Read a text; a quote or parenthesis that does not end makes the list unsure."""
        at = 0
        while at < len(text) and self._depth < _DEEPEST:
            char = text[at]
            if char == "\\":
                self._add(text[at + 1 : at + 2])
                at += 2
            elif char in "'\"`":
                at = self._quoted(text, at)
            elif text.startswith(("$(", "${"), at):
                at = (self._inner if text[at + 1] == "(" else self._expanded)(text, at + 2)
            elif (char.isspace() and char != "\n") or (self._is_condition and char in "<>;&|()\n"):
                self._end()
                at += 1
            elif char == "#" and self._word is None:
                at = (text.find("\n", at) + 1 or len(text) + 1) - 1
            elif char in "<>":
                self.is_sure = self.is_sure and not text.startswith(("<<", "<(", ">("), at)
                self._end(is_number=True)
                self._is_target = text[at + 1 : at + 2] != "("  # a process substitution runs commands
                self.has_effects = self.has_effects or (char == ">" and not _goes_nowhere(text[at:]))
                at += 2 if text[at + 1 : at + 2] in ("&", ">", "|") else 1
            elif text.startswith("&>", at):
                self._end()
                at += 1
            elif char in ";&|()\n":
                self._separate(text, at)
                at += 1
            else:
                plain = _PLAIN_CHARS.match(text, at)
                self._add(plain[0] if plain else char)
                at += len(plain[0]) if plain else 1
        self._end()

    def _separate(self, text: str, at: int) -> None:
        """Read an operator or a line's end: another command follows."""
        char = text[at]
        if char == "(":  # arithmetic, an array, a function
            self.is_sure = self.is_sure and text[at - 1 : at] not in ("=", "(") and not _IS_FUNCTION.match(text, at)
        self._end()
        self._is_command, self._is_runner, self._is_text, self._is_value = True, False, False, False
        self._interpreter = None
        self._levels[-1].is_later |= char in "&|" and text[at - 1 : at] == char
        self.has_effects = self.has_effects or char in "()"
        if char in "()":
            self._group(char)
        is_background = char == "&" and "&" not in (text[at - 1 : at], text[at + 1 : at + 2])
        is_end = char == ";" or is_background or (char == "\n" and not self._is_joined)
        self._is_joined = (self._is_joined and char == "\n") or (char in "&|" and not is_background)
        self._statement += is_end
        self._levels[-1].is_later &= not is_end

    def _add(self, text: str) -> None:
        self._word = (self._word or "") + text

    def _quoted(self, text: str, at: int) -> int:
        """Read a quoted part; return where the rest begins."""
        quote, start = text[at], at + 1
        end = start
        while end < len(text) and text[end] != quote:
            if quote == '"' and text.startswith(("$(", "${"), end):
                end = (self._inner if text[end + 1] == "(" else self._expanded)(text, end + 2)
                continue
            if quote == '"' and text[end] == "`":
                end = self._quoted(text, end)
                continue
            end += 2 if text[end] == "\\" and quote != "'" else 1
        self.is_sure = self.is_sure and end < len(text)
        if quote == "`":
            self._nest(text[start:end])
            self._add("$")
        else:
            self._add(text[start:end])
        return end + 1

    def _inner(self, text: str, at: int) -> int:
        """Read a command substitution or an arithmetic expansion that begins here; return where the rest begins."""
        depth, end, quote = 1, at, ""
        while end < len(text) and depth:
            char = text[end]
            if char == "\\":
                end += 1
            elif quote:
                quote = "" if char == quote else quote
            elif char in "'\"":
                quote = char
            else:
                depth += (char == "(") - (char == ")")
            end += 1
        self.is_sure = self.is_sure and not depth
        self._nest(text[at : end - 1] if text[at : at + 1] != "(" else "")
        self._add("$")
        return end

    def _expanded(self, text: str, at: int) -> int:
        """Read the expansion of a variable that begins here; return where the rest begins."""
        depth, end = 1, at
        while end < len(text) and depth:
            depth += (text[end] == "{") - (text[end] == "}")
            end += 2 if text[end] == "\\" else 1
        self.is_sure = self.is_sure and not depth and not re.search(r"[$]\(|[`'\"]", text[at:end])
        self._add("$")
        return end

    def _group(self, word: str) -> None:
        """Open a compound command, or end one; the parenthesis of a pattern of `case` ends none."""
        if word in ("(", "{", "if", "while", "until", "for"):
            self._follow()
            self._levels.append(_Level(len(self.found), word))
        elif (word == ")") == (self._levels[-1].opened_by == "(") and len(self._levels) > 1:
            self._levels.pop()

    def _branch(self, word: str) -> None:
        """Note a reserved word that opens, divides or ends a compound command."""
        level = self._levels[-1]
        if word in ("{", "if", "while", "until", "for"):
            self._group(word)
            self._levels[-1].is_else = word == "until"
        elif word in ("}", "fi", "done"):
            self._group(word)
        elif word in ("then", "do"):
            level.is_body = level.opened_by != "for"
        elif word in ("else", "elif"):
            level.is_else = True
            self._optional.update(nth for nth in range(level.start, len(self.found)) if nth in self._later)

    def _follow(self) -> None:
        """Note that a command follows, so that the success of an earlier one at this level is not needed."""
        level = len(self._levels) - 1
        if not self._levels[-1].is_later:
            skipped = [nth for nth, levels in self._later.items() if level in levels]
            self._optional.update(nth for nth in skipped if self._later.pop(nth))

    def _append(self, commands: Iterable[ShellCommand]) -> None:
        """Note programs that run where the text is now."""
        self._follow()
        later = {nth for nth, level in enumerate(self._levels) if level.is_later}
        later.update(nth - 1 for nth, level in enumerate(self._levels) if level.is_body)
        for command in commands:
            if command.is_optional or any(each.is_else and each.is_body for each in self._levels):
                self._optional.add(len(self.found))
            elif later:
                self._later[len(self.found)] = later
            self.found.append(command)

    def _nest(self, text: str) -> None:
        inner = _Reader(self._depth + 1)
        inner.read(text)
        self._append(replace(command, statement=self._statement) for command in inner.commands())
        self.is_sure = self.is_sure and inner.is_sure
        self.has_effects = True

    def _argument(self, word: str) -> None:
        """Read a word behind a program: a script of it, a text for a shell, or another program."""
        if self._is_value:
            self._is_value = False
        elif self._interpreter is not None:
            self._script(word, self._interpreter)
        self._is_command = self._is_runner = self._last == "find" and word in _EXECUTES
        self._is_text = self._last in _SHELLS and word.startswith("-") and word.endswith("c")

    def _script(self, word: str, nth: int) -> None:
        """Read a word behind the interpreter with this number: an option, the program that it runs, or its script."""
        valued, last = (_INTERPRETERS | _LAUNCHERS)[self._reads]
        if word[0:1] in ("-", "+") and word[1:]:
            is_whole = word.startswith("--") or word[:2] in valued.split()
            option = word if is_whole else f"{word[0]}{word[-1]}"  # `bash -euo pipefail`, `perl -lne`
            self._is_value = option in valued.split()
            self._interpreter = None if option in last.split() else nth
        elif _interpreter_of(word):
            self._reads = _interpreter_of(word)
        elif self._reads not in _LAUNCHERS or word not in _LAUNCHES:
            is_script = self._reads not in _LAUNCHERS or _IS_FILE.fullmatch(word)
            self.found[nth] = replace(self.found[nth], script=word, reads=self._reads) if is_script else self.found[nth]
            self._interpreter = None

    def _end(self, *, is_number: bool = False) -> None:
        """End a word, and note it if it is a program."""
        word, self._word = self._word, None
        if word is None or (is_number and word.isdigit()):
            return
        self._is_joined = False
        if self._is_condition:
            self._is_condition = word != "]]"
        elif self._is_target:
            self._is_target = False
        elif self._is_text and not word.startswith("-"):
            self._is_text, self._interpreter = False, None
            self._nest(word)
        elif not self._is_command:
            self._argument(word)
        elif self._is_runner and self._last == "command" and word in ("-v", "-V"):
            self._is_command = self._is_runner = False
        elif self._is_runner and (self._is_value or not _NAME.fullmatch(word.rpartition("/")[2])):
            self._is_value = word in _VALUED.get(self._last, "").split()  # an option, its value, a time
        elif word == "[[":
            self._is_condition, self._is_command = True, False
            self._append([ShellCommand(word, self._statement)])
        elif _ASSIGNMENT.match(word) or word in _BEFORE_COMMAND:
            self.has_effects = self.has_effects or word not in ("!", "time", "exec")
            self._branch(word)
        elif word in _NO_COMMAND:
            self._branch(word)
            self._is_command, self.has_effects = False, True
        else:
            self.is_sure = self.is_sure and word not in _REDEFINE
            self._append([ShellCommand(word, self._statement)])
            self._last = word.rpartition("/")[2]
            self._reads = _interpreter_of(self._last)
            self._interpreter = len(self.found) - 1 if self._reads else None
            self._is_command = self._is_runner = self._last in _RUNNERS


def _interpreter_of(word: str) -> str:
    """Return the name in the tables of the program that a word runs, without its version; empty if it is in none."""
    name = word.rpartition("/")[2]
    name = name if name in _LAUNCHERS or name in _INTERPRETERS else name.rstrip("0123456789.")
    return name if name in _LAUNCHERS or name in _INTERPRETERS else ""


def _goes_nowhere(rest: str) -> bool:
    """Return whether a redirection writes no file: `>/dev/null`, `>&2`."""
    target = rest.lstrip(">|").lstrip()
    return target.startswith(("/dev/null", "&"))
