"""The files of the code that a check's command runs: scripts, and the files that make, npm, pytest and others read.

The words of the command are analysed, nothing is run, so only plainly named files are found: `make ports`, `python
scripts/imports.py`, and what those name in turn. A command that hides what it runs must be reviewed (`gitmem trust`
shows it).
"""

from __future__ import annotations

import json
import posixpath
import re

from gitmem.model import SHELL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from gitmem.model import Check

# Programs, each with the files of the folder that control it; those of several that exist.
CONTROL_FILES = {
    **dict.fromkeys(("make", "gmake"), ("GNUmakefile", "makefile", "Makefile")),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), ("package.json",)),
    "just": ("justfile", "Justfile", ".justfile"),
    "task": ("Taskfile.yml", "Taskfile.yaml"),
    "tox": ("tox.ini",),
    "nox": ("noxfile.py",),
    "rake": ("Rakefile",),
    "invoke": ("tasks.py",),
    "pre-commit": (".pre-commit-config.yaml",),
    "pytest": ("pytest.ini",),
}
SHELLS = ("sh", "bash", "dash", "zsh", "ksh")
INTERPRETERS = (*SHELLS, "python", "node", "deno", "ruby", "perl", "php", "source", ".")
# Programs that run the command in their arguments.
WRAPPERS = ("sudo", "env", "time", "nice", "exec", "command", "timeout", "nohup", "xargs", "uv", "poetry", "pipenv",
            "pdm")  # fmt: skip
# Folders of the code itself, and their companions: a command may run either.
PRODUCT_FOLDERS = ("src", "lib", "app", "pkg", "packages", "internal")
COMPANION_FOLDERS = ("tests", "test", "scripts", "script", "tools", "ci", "bin", "hack", "checks", ".github", ".ci")
PACKAGE = "package.json"
CONFTEST = "conftest.py"
# How deep scripts that run other scripts are followed, and the largest file read.
DEPTH = 4
SIZE_LIMIT = 256 * 1024
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_RULE = re.compile(r"^([^\s#=:][^#=:]*):(?![=:])([^\n#]*)")
_INCLUDE = re.compile(r"(?m)^-?include\s+([^\n#]+)")


def list_programs(check: Check, paths: frozenset[str], read: Callable[[str], str]) -> frozenset[str]:
    """Return the files of the code that a command runs.

    Args:
        check: The check, a command.
        paths: All files of the code.
        read: Returns a file's text; empty if there is none, or it is too large.
    """
    programs = _Programs(paths, read)
    if check.form == SHELL:
        programs.add_command(check.words[0], "", 0)
    else:
        programs.add_words(check.words, "", 0)
    return frozenset(path for path in programs.files if not _is_product(path, paths))


def _is_product(path: str, paths: frozenset[str]) -> bool:
    """Return whether a file is part of the checked code, as opposed to the programs that check it."""
    top, _, rest = path.partition("/")
    if not rest or top in COMPANION_FOLDERS:
        return False
    return top in PRODUCT_FOLDERS or posixpath.join(posixpath.dirname(path), "__init__.py") in paths


def scripts_of(text: str) -> Any:
    """Return the scripts of a ``package.json``; other changes in it run nothing."""
    try:
        whole = json.loads(text)
    except ValueError:
        return text
    return whole.get("scripts") if isinstance(whole, dict) else text


class _Programs:
    """Collects files.

    Attributes:
        files: The files found.
    """

    def __init__(self, paths: frozenset[str], read: Callable[[str], str]) -> None:
        self.files: set[str] = set()
        self._paths = paths
        self._read = read
        self._seen: set[tuple[str, str]] = set()

    def add_command(self, command: str, folder: str, depth: int) -> None:
        """Add what a shell's command runs in a folder."""
        for words in _simple_commands(command):
            self.add_words(words, folder, depth)

    def add_words(self, words: Sequence[str], folder: str, depth: int) -> None:
        """Add what one program runs in a folder, given its words."""
        rest = list(words)
        while rest and (_ASSIGNMENT.match(rest[0]) or posixpath.basename(rest[0]) in WRAPPERS):
            del rest[0]
            while rest and (rest[0].startswith("-") or rest[0] == "run" or rest[0].isdecimal()):
                del rest[0]
        if not rest or depth > DEPTH:
            return
        name, operands = posixpath.basename(rest[0]), rest[1:]
        if place := self._file(folder, rest[0]):
            self._add_file(place, depth)
        elif name in CONTROL_FILES:
            self._add_controlled(name, operands, folder, depth)
        elif name.rstrip("0123456789.") in INTERPRETERS or "$" in rest[0]:
            self._add_interpreted(name, operands, folder, depth)

    def _add_interpreted(self, name: str, operands: Sequence[str], folder: str, depth: int) -> None:
        if name in SHELLS and operands[:1] == ["-c"]:
            self.add_command(operands[1] if len(operands) > 1 else "", folder, depth + 1)
        elif operands[:1] == ["-m"]:
            if operands[1:2] == ["pytest"]:  # other modules belong to the code, or are not in it
                self._add_controlled("pytest", operands[2:], folder, depth)
        else:
            first = next((word for word in operands if not word.startswith("-")), "")
            self._add_file(self._file(folder, first), depth)

    def _add_controlled(self, name: str, operands: Sequence[str], folder: str, depth: int) -> None:
        below, named, targets = _operands(name, operands)
        where = posixpath.join(folder, below)
        for place in [named] if named else CONTROL_FILES[name]:
            path = self._file(where, place)
            if path and (path, " ".join(targets)) not in self._seen:
                self._seen.add((path, " ".join(targets)))
                self.files.add(path)
                text = self._read(path)
                is_make = name in ("make", "gmake")
                for line in _recipes(text, targets) if is_make else _scripts(text, targets):
                    self.add_command(line.replace("$(MAKE)", "make"), where, depth + 1)
                for match in _INCLUDE.findall(text) if is_make else ():
                    self.files.update(filter(None, (self._file(where, word) for word in match.split())))
        if name == "pytest":
            self.files.update(path for path in self._paths if posixpath.basename(path) == CONFTEST)

    def _add_file(self, path: str, depth: int) -> None:
        """Add a script, and the files that a shell script runs."""
        if not path or path in self.files:
            return
        self.files.add(path)
        text = self._read(path)
        first = text.partition("\n")[0]
        if path.endswith(".sh") or (first.startswith("#!") and first.rstrip().endswith("sh")):
            self.add_command(text, "", depth + 1)

    def _file(self, folder: str, word: str) -> str:
        path = posixpath.normpath(posixpath.join(folder, word)) if word else ""
        return path if path in self._paths else ""


def _simple_commands(command: str) -> Iterator[list[str]]:
    """Yield the words of each simple command in a shell's; if it cannot be parsed, those of each line."""
    import shlex  # 0.3 ms, only for commands

    for line in command.replace("\\\n", " ").split("\n"):
        try:
            lexer = shlex.shlex(line, posix=True, punctuation_chars="();<>|&")
            lexer.whitespace_split = True
            words = list(lexer)
        except ValueError:
            words = line.split()
        command_words: list[str] = []
        for word in words:
            if set(word) <= set("();|&") or word in ("then", "do", "else", "if", "!", "{", "}"):
                yield command_words
                command_words = []
            else:
                command_words.append(word.lstrip("@") if not command_words else word)
        yield command_words


def _operands(name: str, operands: Sequence[str]) -> tuple[str, str, list[str]]:
    """Return the folder and file that a program's options name, and its targets."""
    folder, named, targets = "", "", list[str]()
    words = iter(operands)
    for word in words:
        if word in ("-C", "--directory", "--prefix", "--cwd"):
            folder = next(words, "")
        elif word in ("-f", "--file", "--makefile", "-c") and name not in ("pytest", "npm"):
            named = next(words, "")
        elif not word.startswith("-") and "=" not in word and word != "run":
            targets.append(word)
    return folder, named, targets


def _recipes(text: str, targets: Iterable[str]) -> Iterator[str]:
    """Yield the recipe lines of a Makefile's targets (by default the first one), and of their prerequisites."""
    rules: dict[str, tuple[list[str], list[str]]] = {}
    current: list[tuple[list[str], list[str]]] = []
    for line in text.replace("\\\n", " ").split("\n"):
        if line.startswith("\t"):
            for _, recipe in current:
                recipe.append(line.strip().lstrip("@-+"))
        elif match := _RULE.match(line):
            needed, _, inline = match[2].partition(";")
            current = [rules.setdefault(name, ([], [])) for name in match[1].split()]
            for needs, recipe in current:
                needs.extend(needed.split())
                recipe.extend([inline] if inline.strip() else [])
    wanted = list(targets) or [name for name in rules if not name.startswith(".")][:1]
    seen: set[str] = set()
    while wanted:
        name = wanted.pop()
        if name in seen or name not in rules:
            continue
        seen.add(name)
        wanted += rules[name][0]
        yield from rules[name][1]


def _scripts(text: str, targets: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a ``package.json``'s scripts with these names; nothing of another file."""
    scripts = scripts_of(text)
    for name in targets[:1] if isinstance(scripts, dict) else ():
        for each in (f"pre{name}", name, f"post{name}"):
            if isinstance(scripts.get(each), str):
                yield scripts[each]
