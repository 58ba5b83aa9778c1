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
_BEFORE = frozenset("! if then elif else while until do { time exec".split())
_NO_COMMAND = frozenset("for select fi done esac } in".split())
_RUNNERS = frozenset("env sudo nice nohup timeout xargs stdbuf setsid".split())
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
# What gives a word another meaning from elsewhere: other files and texts, an alias, another PATH.
_ELSEWHERE = re.compile(r"<<|\beval\b|\balias\b|PATH|(?:^|[\n;&|(])[ \t]*(?:\.|source)\s")
_UNSURE = re.compile(rf"{_ELSEWHERE.pattern}|\(\(|\([ \t]*\)|=\(|[<>]\(|\bcase\b|\bfunction\b")
# What makes the status of an earlier statement count, and what succeeds or ends by itself.
_COUNTS = re.compile(r"\bset\b|\btrap\b|\bexit\b|\breturn\b|[&|]{2}|\bpipefail\b")
_TRIVIAL = frozenset(("true", ":", "echo", "printf"))
_DEEPEST = 8
# Programs whose first argument is a script.
_INTERPRETER = re.compile(r"\.|source|sh|bash|dash|zsh|ksh|node|perl|ruby|php|python[0-9.]*")
# How a check runs a target of make; names of makefiles, in the order of make(1).
_OF_MAKE = re.compile(r"(?:^|[\s;&|(!])make((?: +[\w.=-]+)+)")
MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
# What ends a branch of a script that found something wrong, in its line or in the next ones.
_REFUSES = re.compile(r"\b(?:exit|return) [1-9]|\bfalse\b")
_BRANCH_LINES = 4
_VARIABLE_OF_MAKE = re.compile(r"\$(?:\$|\((?:[^()\n]|\([^()\n]*\))*\)|\{[^{}\n]*\}|[@<^*?])")
# What makes the recipes of a makefile run in another way: one shell for all lines, another PATH.
_OTHER_MAKE = re.compile(r"(?m)^\.ONESHELL|PATH\b")
# Text over several lines and comments of a script; what ends a branch; commands that ask whether a program is there.
_PROSE = re.compile(r"\\.|(?<![^\s;])#[^\n]*|'[^']*'|\"(?:\\.|[^\"\\])*\"", re.S)
_BRANCH_ENDS = re.compile(r"(?:^|[;\s])(?:fi|else|elif)\b")
_ASKS = r"\b(?:command|which|type|hash|function|has|have|(?:require|need|ensure|check|assert)\w*|for \w+ in)\b[^\n;&|]*"
_IS_EMPTY = re.compile(r"(?:test|\[\[?) -z \"?(?:\$\(|`)")
_THEN_FAILS = re.compile(r"&& *(?:exit|return) [1-9]|&& *false\b")
# Characters that only add to a word.
_PLAIN = re.compile(r"[^\\'\"`$#<>;&|()\s]+")


@frozen
class ShellCommand:
    """One program that a shell command runs.

    Attributes:
        name: The program as written.
        statement: The number of its statement, from 0.
        is_optional: Whether the command may succeed without running it: `test -d a && npm ci; grep b c`.
        script: The first argument of an interpreter, which is a script for it; empty if there is none.
    """

    name: str
    statement: int
    is_optional: bool = False
    script: str = ""


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
        return any(one.name.removeprefix("./") == name for one in self.commands)

    def is_ignored(self, name: str) -> bool:
        """Return whether nothing depends on a program: `rg TODO src; grep -q v2 api.py`."""
        last = self.commands[-1].statement if self.commands else 0
        in_last = [one.name for one in self.commands if one.statement == last]
        return self.is_list and self.runs(name) and name not in in_last and not _TRIVIAL.issuperset(in_last)

    def find_absent(self, path: str) -> list[str]:
        """Return the programs that run if the command succeeds and are not on PATH; none if the list is unsure."""
        names = dict.fromkeys(one.name for one in self.commands if self.is_sure and not one.is_optional)
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
    return ShellText(reader.commands(), reader.is_sure and not _UNSURE.search(text), is_list)


def list_scripts(text: str, *, of_shells: bool = False) -> list[str]:
    """Return the paths that a shell command runs as programs or as scripts of an interpreter, without ``./``.

    Args:
        text: The command.
        of_shells: Whether to leave out scripts of interpreters that are not a shell.
    """
    found = []
    for one in read_shell(text).commands:
        found += [one.name] if "/" in one.name else []
        found += [one.script] if one.script and not (of_shells and one.name.rpartition("/")[2] not in _SHELLS) else []
    return [path.removeprefix("./") for path in found]


def list_targets(text: str) -> list[str]:
    """Return the targets that a shell command has make build; none if make reads the makefile of another folder."""
    words = (
        [word for found in _OF_MAKE.findall(text) for word in found.split()] if read_shell(text).runs("make") else []
    )
    is_here = not any(word.startswith(("-C", "-f", "--")) for word in words)
    return [word for word in words if is_here and word[0] != "-" and "=" not in word]


def recipe_of(makefile: str, target: str) -> str:
    """Return the lines of a target's recipe, as a shell gets them; empty if it has none."""
    found = re.findall(
        rf"^{re.escape(target)}[ \t]*:(?!=)[^\n]*\n((?:(?:\t[^\n]*|[ \t]*|#[^\n]*)\n?)*)", makefile, re.M
    )
    recipes = [recipe for recipe in found if recipe.strip()]
    if len(recipes) != 1 or _OTHER_MAKE.search(makefile):
        return ""  # of several, a condition decides
    return _VARIABLE_OF_MAKE.sub(lambda one: "$" if one[0] == "$$" else "./variable", recipes[0])


def find_swallowed(script: str, path: str) -> str:
    """Return a program whose absence a script takes for success, as `! rg TODO src` in it does; empty if it has none.

    A line that ends the script with an error if a program succeeds also does so. Nothing is said of a script that reads
    another one or changes PATH.
    """
    script = _PROSE.sub(lambda one: "" if one[0][0] == "#" else "''" if "\n" in one[0][2:] else one[0], script)
    lines = [line.strip().lstrip("@+ ") for line in script.replace("\r\n", "\n").replace("\\\n", " ").split("\n")]
    if _ELSEWHERE.search(script):
        return ""
    certain = {one.name for one in read_shell("\n".join(lines)).commands if not one.is_optional}
    for nth, line in enumerate(lines):
        if not _takes_absence(line, lines[nth : nth + _BRANCH_LINES]):
            continue
        for name in read_shell(line).find_absent(path):
            word = rf"(?<![\w./-]){re.escape(name)}(?![\w./-])"
            is_asked = re.search(rf"{_ASKS}{word}|{word} *(?:\([ \t]*\)|--version|-V\b|--help)", script)
            if name in certain and not is_asked and not re.search(rf"-x \S*/{re.escape(name)}(?![\w./-])", script):
                return name
    return ""


def _takes_absence(line: str, following: list[str]) -> bool:
    """Return whether a line of a script goes on if its program fails; the lines following it begin with itself."""
    if _IS_EMPTY.match(line):
        return "||" not in line.rpartition(")")[0]
    if line.startswith("if "):
        branch = "\n".join(following)
        end = _BRANCH_ENDS.search(branch)
        refuses = _REFUSES.search(branch[: end.start()] if end else branch)
        return "||" not in line and not line.startswith("if !") and refuses is not None
    return "||" not in line and (line.startswith("! ") or _THEN_FAILS.search(line) is not None)


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
        self._interpreter: int | None = None  # whose script may come next
        self._word: str | None = None
        self._last = ""
        self._levels = [_Level(0)]
        self._optional: set[int] = set()
        # Commands that run if no other one follows at one of these levels.
        self._later: dict[int, set[int]] = {}

    def commands(self) -> tuple[ShellCommand, ...]:
        """Return the programs found."""
        return tuple(
            replace(one, is_optional=True) if nth in self._optional else one for nth, one in enumerate(self.found)
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
                self._end(is_number=True)
                self._is_target = True
                self.has_effects = self.has_effects or (char == ">" and not _goes_nowhere(text[at:]))
                at += 2 if text[at + 1 : at + 2] in ("&", ">", "|") else 1
            elif text.startswith("&>", at):
                self._end()
                at += 1
            elif char in ";&|()\n":
                self._separate(text, at)
                at += 1
            else:
                plain = _PLAIN.match(text, at)
                self._add(plain[0] if plain else char)
                at += len(plain[0]) if plain else 1
        self._end()

    def _separate(self, text: str, at: int) -> None:
        """Read an operator or a line's end: another command follows."""
        char = text[at]
        self._end()
        self._is_command, self._is_runner, self._is_text, self._is_value = True, False, False, False
        self._interpreter = None
        self._levels[-1].is_later |= char in "&|" and text[at - 1 : at] == char
        self.has_effects = self.has_effects or char in "()"
        if char in "()":
            self._group(char)
        is_end = char in ";\n" or (char == "&" and "&" not in (text[at - 1 : at], text[at + 1 : at + 2]))
        self._statement += is_end
        if is_end and not (char == "\n" and text[max(0, at - 80) : at].rstrip().endswith(("&&", "||"))):
            self._levels[-1].is_later = False

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
            end += 2 if text[end] == "\\" and quote != "'" else 1
        self.is_sure = self.is_sure and end < len(text)
        if quote == "`":
            self._nest(text[start:end])
            self._add("$")
        else:
            self._add(text[start:end])
        return end + 1

    def _inner(self, text: str, at: int) -> int:
        """Read a command substitution that begins here; return where the rest begins."""
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
        self._nest(text[at : end - 1])
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
        later = {nth for nth, one in enumerate(self._levels) if one.is_later}
        later.update(nth - 1 for nth, one in enumerate(self._levels) if one.is_body)
        for one in commands:
            if one.is_optional or any(each.is_else and each.is_body for each in self._levels):
                self._optional.add(len(self.found))
            elif later:
                self._later[len(self.found)] = later
            self.found.append(one)

    def _nest(self, text: str) -> None:
        inner = _Reader(self._depth + 1)
        inner.read(text)
        self._append(replace(one, statement=self._statement) for one in inner.commands())
        self.is_sure = self.is_sure and inner.is_sure
        self.has_effects = True

    def _argument(self, word: str) -> None:
        """Read a word behind a program: a script of it, a text for a shell, or another program."""
        if self._is_value:
            self._is_value = False
        elif self._interpreter is not None and word.startswith("-"):
            self._is_value = self._last in _SHELLS and word.endswith("o")  # `bash -euo pipefail`
        elif self._interpreter is not None:
            self.found[self._interpreter] = replace(self.found[self._interpreter], script=word)
            self._interpreter = None
        self._is_command = self._is_runner = self._last == "find" and word in _EXECUTES
        self._is_text = self._last in _SHELLS and word.startswith("-") and word.endswith("c")

    def _end(self, *, is_number: bool = False) -> None:
        """End a word, and note it if it is a program."""
        word, self._word = self._word, None
        if word is None or (is_number and word.isdigit()):
            return
        if self._is_condition:
            self._is_condition = word != "]]"
        elif self._is_target:
            self._is_target = False
        elif self._is_text and not word.startswith("-"):
            self._is_text, self._interpreter = False, None
            self._nest(word)
        elif not self._is_command:
            self._argument(word)
        elif self._is_runner and (self._is_value or not _NAME.fullmatch(word.rpartition("/")[2])):
            self._is_value = word in _VALUED.get(self._last, "").split()  # an option, its value, a time
        elif word == "[[":
            self._is_condition, self._is_command = True, False
            self._append([ShellCommand(word, self._statement)])
        elif _ASSIGNMENT.match(word) or word in _BEFORE:
            self.has_effects = self.has_effects or word not in ("!", "time", "exec")
            self._branch(word)
        elif word in _NO_COMMAND:
            self._branch(word)
            self._is_command, self.has_effects = False, True
        else:
            self._append([ShellCommand(word, self._statement)])
            self._last = word.rpartition("/")[2]
            self._interpreter = len(self.found) - 1 if _INTERPRETER.fullmatch(self._last) else None
            self._is_command = self._is_runner = self._last in _RUNNERS


def _goes_nowhere(rest: str) -> bool:
    """Return whether a redirection writes no file: `>/dev/null`, `>&2`."""
    target = rest.lstrip(">|").lstrip()
    return target.startswith(("/dev/null", "&"))
