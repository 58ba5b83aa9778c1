"""Find the programs that a shell command runs, and which of them cannot be run here. No shell is started.

Quotes, comments, redirections and command substitutions are followed, also in double quotes, in the text of ``sh -c``
and after programs that run another one. Syntax that decides in other ways what is a program (a function, ``case``, a
here-document, another ``PATH``) makes the list unsure. Source: POSIX.1-2017, Shell Command Language, 2.2 to 2.10.
"""

from __future__ import annotations

import re

from gitmem.frozen import frozen
from gitmem.verify.sandbox.sandbox import find_program

# Words before a command, and words in its place that run none.
_BEFORE = frozenset("! if then elif else while until do { time exec".split())
_NO_COMMAND = frozenset("for select fi done esac } in".split())
_RUNNERS = frozenset("env sudo nice nohup timeout xargs stdbuf setsid".split())
_EXECUTES = frozenset("-exec -execdir -ok -okdir".split())
_SHELLS = frozenset("sh bash dash zsh ksh".split())
_BUILTINS = frozenset(
    """
    alias bg break builtin cd command continue declare dirs echo eval exit export false fc fg getopts hash help history
    jobs kill let local logout popd printf pushd pwd read readonly return set shift shopt source suspend test times trap
    true type typeset ulimit umask unalias unset wait
    """.split()
)
_NAME = re.compile(r"[A-Za-z][\w.+-]*")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
_UNSURE = re.compile(r"<<|\(\(|\(\)|\bcase\b|\bfunction\b|\beval\b|\balias\b|PATH|(?:^|[\n;&|(])[ \t]*(?:\.|source)\s")
# What makes the status of an earlier statement count, and what succeeds or ends by itself.
_COUNTS = re.compile(r"\bset\b|\btrap\b|\bexit\b|\breturn\b|[&|]{2}|\bpipefail\b")
_TRIVIAL = frozenset(("true", ":", "echo", "printf"))
_DEEPEST = 8
# How a check runs a script and a target of make; names of makefiles, in the order of make(1).
_OF_SHELL = re.compile(r"\b(?:ba|da|z|k)?sh(?: -[a-z]+)* ([\w./-]+)")
_OF_MAKE = re.compile(r"(?:^|[\s;&|(!])make((?: +[\w.=-]+)+)")
MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
# What ends a branch of a script that found something wrong, in its line or in the next ones.
_REFUSES = re.compile(r"\b(?:exit|return) [1-9]|\bfalse\b")
_BRANCH_LINES = 4
_VARIABLE_OF_MAKE = re.compile(r"\$(?:\(\w+\)|\{\w+\}|[@<^*?])")


@frozen
class ShellCommand:
    """One program that a shell command runs.

    Attributes:
        name: The program as written.
        statement: The number of its statement, from 0.
    """

    name: str
    statement: int


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
        """Return the programs that are not on PATH, in order; none if the list is unsure."""
        names = dict.fromkeys(one.name for one in self.commands) if self.is_sure else {}
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
    return ShellText(tuple(reader.found), reader.is_sure and not _UNSURE.search(text), is_list)


def list_scripts_run(text: str) -> list[str]:
    """Return the paths that a shell command runs as programs or as scripts of a shell, without ``./``."""
    named = [one.name for one in read_shell(text).commands if "/" in one.name]
    return [name.removeprefix("./") for name in (*named, *_OF_SHELL.findall(text))]


def list_targets(text: str) -> list[str]:
    """Return the targets that a shell command has make build; none if make reads the makefile of another folder."""
    words = (
        [word for found in _OF_MAKE.findall(text) for word in found.split()] if read_shell(text).runs("make") else []
    )
    is_here = not any(word.startswith(("-C", "-f", "--")) for word in words)
    return [word for word in words if is_here and word[0] != "-" and "=" not in word]


def recipe_of(makefile: str, target: str) -> str:
    """Return the lines of a target's recipe, as a shell gets them; empty if it has none."""
    found = re.search(rf"^{re.escape(target)}[ \t]*:(?!=)[^\n]*\n((?:(?:\t[^\n]*|[ \t]*|#[^\n]*)\n?)*)", makefile, re.M)
    return _VARIABLE_OF_MAKE.sub("./variable", found[1]).replace("$$", "$") if found else ""


def find_swallowed(script: str, path: str) -> str:
    """Return a program whose absence a script takes for success, as `! rg TODO src` in it does; empty if it has none.

    A line that ends the script with an error if a program succeeds does so too. Nothing is said of a script that reads
    another one or changes PATH.
    """
    lines = [line.strip().lstrip("@ ") for line in script.replace("\\\n", " ").split("\n")]
    if re.search(r"(?:^|[\n;&|(])[ \t]*(?:\.|source)\s|PATH|\balias\b|\beval\b|<<", script):
        return ""
    for nth, line in enumerate(lines):
        is_branch = line.startswith("if ") and any(map(_REFUSES.search, lines[nth : nth + _BRANCH_LINES]))
        if "||" in line or not (line.startswith("! ") or is_branch):
            continue
        for name in read_shell(line).find_absent(path):
            asked = rf"(?:command -v|which|type|hash|function) +{re.escape(name)}\b"
            if not re.search(rf"{asked}|\b{re.escape(name)} *\(\)", script):
                return name
    return ""


class _Reader:
    """Reads a shell command once, from left to right."""

    def __init__(self, depth: int) -> None:
        self.found: list[ShellCommand] = []
        self.is_sure, self.has_effects = depth < _DEEPEST, False
        self._depth, self._statement = depth, 0
        self._is_command, self._is_runner, self._is_target, self._is_text = True, False, False, False
        self._word: str | None = None
        self._last = ""

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
            elif text.startswith("$(", at):
                at = self._inner(text, at + 2)
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
                self._end()
                self._is_command, self._is_runner, self._is_text = True, False, False
                self.has_effects = self.has_effects or char in "()"
                self._statement += char in ";\n" or (
                    char == "&" and "&" not in (text[at - 1 : at], text[at + 1 : at + 2])
                )
                at += 1
            elif char.isspace():
                self._end()
                at += 1
            else:
                self._add(char)
                at += 1
        self._end()

    def _add(self, text: str) -> None:
        self._word = (self._word or "") + text

    def _quoted(self, text: str, at: int) -> int:
        """Read a quoted part; return where the rest begins."""
        quote, start = text[at], at + 1
        end = start
        while end < len(text) and text[end] != quote:
            if quote == '"' and text.startswith("$(", end):
                end = self._inner(text, end + 2)
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

    def _nest(self, text: str) -> None:
        inner = _Reader(self._depth + 1)
        inner.read(text)
        self.found += [ShellCommand(one.name, self._statement) for one in inner.found]
        self.is_sure = self.is_sure and inner.is_sure
        self.has_effects = True

    def _end(self, *, is_number: bool = False) -> None:
        """End a word, and note it if it is a program."""
        word, self._word = self._word, None
        if word is None or (is_number and word.isdigit()):
            return
        if self._is_target:
            self._is_target = False
        elif self._is_text and not word.startswith("-"):
            self._is_text = False
            self._nest(word)
        elif not self._is_command:
            self._is_command = self._is_runner = self._last == "find" and word in _EXECUTES
            self._is_text = self._last in _SHELLS and word.startswith("-") and word.endswith("c")
        elif self._is_runner and not _NAME.fullmatch(word.rpartition("/")[2]):
            return  # an option, its value, a time
        elif _ASSIGNMENT.match(word) or word in _BEFORE:
            self.has_effects = self.has_effects or word not in ("!", "time", "exec")
        elif word in _NO_COMMAND:
            self._is_command, self.has_effects = False, True
        else:
            self.found.append(ShellCommand(word, self._statement))
            self._last = word.rpartition("/")[2]
            self._is_command = self._is_runner = self._last in _RUNNERS


def _goes_nowhere(rest: str) -> bool:
    """Return whether a redirection writes no file: `>/dev/null`, `>&2`."""
    target = rest.lstrip(">|").lstrip()
    return target.startswith(("/dev/null", "&"))
