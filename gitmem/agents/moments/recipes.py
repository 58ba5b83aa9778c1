"""Find the commands that a command line runs as the repository defines them: `sqlc generate` for `make gen`.

Definitions are the targets of a Makefile or justfile, the scripts of a package.json, shell scripts, and the tasks of
other programs (``task_files``). Files are read only for a line that runs one of these.
"""

from __future__ import annotations

import os

from gitmem.agents.moments.programs import MOVES, SCRIPTS, commands_in, without_prefix
from gitmem.system import only_regular
from gitmem.text import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# The files with the targets of each program.
_FILES = {
    **dict.fromkeys(("make", "gmake"), ("GNUmakefile", "makefile", "Makefile")),
    "just": ("justfile", "Justfile", ".justfile"),
}
# The programs whose tasks are in other files (``task_files``), of which some are also run as `pdm run` and `hatch run`.
_TASKS = frozenset(
    "composer deno task mix rake nox invoke inv tox pre-commit mise cargo pixi pdm poe hatch rye".split()
)
_RUNS = (["pdm", "run"], ["hatch", "run"])
# The files of each program, of which the first one counts, and its TOML files, which all do.
_TASK_FILES = {
    "composer": ("composer.json",),
    "deno": ("deno.json", "deno.jsonc"),
    "task": ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "Taskfile.dist.yml"),
    "mix": ("mix.exs",),
    "rake": ("Rakefile", "rakefile", "Rakefile.rb"),
    "nox": ("noxfile.py",),
    **dict.fromkeys(("invoke", "inv"), ("tasks.py",)),
    "tox": ("tox.ini",),
    "pre-commit": (".pre-commit-config.yaml",),
}
_TOML_FILES = {
    "mise": ("mise.toml", ".mise.toml"),
    "cargo": (".cargo/config.toml", "../.cargo/config.toml"),
    "pixi": ("pixi.toml", "pyproject.toml"),
    **dict.fromkeys(("pdm", "poe", "hatch", "rye", "task"), ("pyproject.toml",)),
}
# Words before the name of a task, options that only list tasks, and the folders with tasks of mise.
_BEFORE_TASK = frozenset(("run", "run-script", "r", "task"))
_LISTS = frozenset(
    ("-l", "-T", "-P", "-a", "--list", "--list-all", "--tasks", "--all", "--list-sessions", "--listenvs")
)
_MISE_FOLDERS = ("mise-tasks", ".mise-tasks", ".mise/tasks", "mise/tasks", ".config/mise/tasks")
_SHELLS = ("sh", "bash", "zsh", "dash", "ksh")
_SCRIPT_ENDS = (".sh", ".bash")
# Options of `make` and `just` that take a value, and those that name the folder.
_VALUED, _FOLDER = ("-f", "-I", "-j", "-o", "-W"), ("-C", "-d", "--directory", "--working-directory")
# The most bytes of a file that are read, the most commands of one line, and how deep definitions may refer to others.
BYTES, COMMANDS_AT_MOST, DEPTH = 64 * 1024, 60, 3
# The most commands that are looked up for one line, and the most targets that one rule of a Makefile names.
LOOKED_UP_AT_MOST, TARGETS_AT_MOST = 200, 50
# The most tasks read for one command; and the task that a program runs without a name, if it is not `default`.
TASKS_AT_MOST, _DEFAULTS = 10, {"nox": "", "pre-commit": "", "tox": "testenv"}
# The most characters of a command; and how variables are written.
LINE_CHARS, _VARIABLES = 2000, (("$(", ")"), ("${", "}"), ("{{", "}}"))


def with_recipes(folder: str, line: str) -> str:
    """Return a command line and, below it, the commands that it runs as the repository defines them.

    Args:
        folder: The folder in which the command runs.
        line: The command line.
    """
    if "/" not in line and not any(map(line.__contains__, _RECIPE_FILES)):
        return line
    found: list[str] = []
    _add_runs(folder or os.curdir, line, found, set(), DEPTH)
    return "\n".join((line, *found)) if found else line


_RECIPE_FILES = (*_FILES, *SCRIPTS, *_SCRIPT_ENDS, *_TASKS)


def _add_runs(folder: str, line: str, found: list[str], seen: set[tuple[str, ...]], depth: int) -> None:
    """Append the commands that a line runs, each once, with what these run in turn.

    Args:
        folder: The folder in which the line runs.
        line: The line.
        found: The commands found so far.
        seen: The commands looked up so far, each with its folder before its words.
        depth: How many definitions may follow from each other.
    """
    for command in commands_in(line):
        parts = command.split()
        words = [word.strip("'\"") for word in without_prefix(parts)]
        before = parts[: len(parts) - len(words)][-2:]
        words = [*before, *words] if before in _RUNS else words
        if words[:1] and words[0] in MOVES:
            folder = os.path.join(folder, *words[1:2])
            continue
        if not words or (folder, *words) in seen or len(seen) >= LOOKED_UP_AT_MOST:
            continue
        seen.add((folder, *words))
        for one in (each[:LINE_CHARS] for each in _defined(folder, words)):
            if one not in found and len(found) < COMMANDS_AT_MOST:
                found.append(one)
                if depth > 1:
                    _add_runs(folder, one, found, seen, depth - 1)


def _defined(folder: str, words: Sequence[str]) -> list[str]:
    """Return the lines that a command stands for; none if the repository does not define it."""
    program = words[0].rpartition("/")[2]
    if program in _FILES:
        return _targets_of(folder, program, words[1:])
    if program in SCRIPTS:
        return _scripts_of(folder, [word for word in words[1:] if not word.startswith("-")])
    if program in _TASKS:
        return _tasks_of(folder, program, words[1:])
    path = words[1] if program in _SHELLS and len(words) > 1 else words[0]
    is_script = "/" in path or path.endswith(_SCRIPT_ENDS)
    return _lines_of_script(os.path.join(folder, path)) if is_script and not os.path.isabs(path) else []


def _read(path: str) -> str:
    """Return the beginning of a file; nothing if it cannot be read. What a line runs may be a large program."""
    try:
        with open(path, "rb", opener=only_regular) as file:
            return file.read(BYTES).decode("utf-8", "replace")
    except (OSError, ValueError):  # a name with a null byte
        return ""


def _lines_of_script(path: str) -> list[str]:
    """Return the lines of a shell script; none of another program."""
    text = _read(path)
    first = text.partition("\n")[0]
    is_shell = first.startswith("#!") and "sh" in first.rpartition("/")[2]
    if not is_shell and not path.endswith(_SCRIPT_ENDS):
        return []
    lines = text.replace("\\\n", " ").split("\n")
    return [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]


def _scripts_of(folder: str, arguments: Sequence[str]) -> list[str]:
    """Return what a script of package.json runs, with those that run before and after it."""
    names = arguments[1:2] if arguments[:1] in (["run"], ["run-script"]) else arguments[:1]
    text = _read(os.path.join(folder, "package.json")) if names else ""
    try:
        scripts = parse_json(text).get("scripts") if text else None
    except (ValueError, RecursionError, AttributeError):
        return []
    if not isinstance(scripts, dict):
        return []
    lines = (scripts.get(f"{when}{names[0]}") for when in ("pre", "", "post"))
    return [line for line in lines if isinstance(line, str)]


def _tasks_of(folder: str, program: str, arguments: Sequence[str]) -> list[str]:
    """Return what the tasks run that a command names, or the default task of a program that has one."""
    if not _LISTS.isdisjoint(arguments):
        return []
    names: list[str] = []
    former = ""
    for word in arguments:
        if former in _FOLDER:
            folder = os.path.join(folder, word)
        elif word == "--":
            break
        elif not word.startswith("-") and "=" not in word and not (word in _BEFORE_TASK and not names):
            names += word.partition("[")[0].split(",") if program == "tox" else [word.partition("[")[0]]
        former = word
    names = names[:TASKS_AT_MOST] or [_DEFAULTS.get(program, "default")]
    lines: list[str] = []
    text = next((text for file in _TASK_FILES.get(program, ()) if (text := _read(os.path.join(folder, file)))), "")
    tables = [_read(os.path.join(folder, file)) for file in _TOML_FILES.get(program, ())]
    tables = [table for table in tables if any(name.rpartition(":")[2] in table for name in names)]
    if text or any(tables):
        from gitmem.agents.moments import task_files  # 4 ms, and few commands run a task

        lines += [line for name in names if text for line in task_files.READERS[program](text, name)]
        lines += [line for table in tables for name in names for line in task_files.lines_of_toml(table, name, program)]
    for name in names if program == "mise" else ():
        paths = [os.path.join(one, *name.split(":")) for one in _MISE_FOLDERS]
        for path in (path for one in paths for path in (one, os.path.join(one, "_default"))):
            lines += _lines_of_script(os.path.join(folder, path))
    return lines[:COMMANDS_AT_MOST]


def _targets_of(folder: str, program: str, arguments: Sequence[str]) -> list[str]:
    """Return the lines of the targets that a command names, of those that they need, or of the first one."""
    wanted: list[str] = []
    former, file = "", ""
    for word in arguments:
        if former in _FOLDER:
            folder = os.path.join(folder, word)
        elif former == "-f":
            file = word
        elif former not in _VALUED and not word.startswith("-") and "=" not in word:
            wanted.append(word)
        former = word
    names = (file,) if file else _FILES[program]
    text = next((text for name in names if (text := _read(os.path.join(folder, name)))), "")
    targets, values = _parsed(text.replace("\\\n", " "))
    wanted = wanted or [name for name in targets if not name.startswith(".")][:1]
    lines: list[str] = []
    for name in wanted:  # grows with what the targets need
        needs, own = targets.get(name, ((), ()))
        wanted += [need for need in needs if need in targets and need not in wanted]
        lines += own
        if len(wanted) > COMMANDS_AT_MOST:
            break
    return [_expanded(line, values) for line in lines[:COMMANDS_AT_MOST]]


_ASSIGNS = (["="], ["?="], ["+="])


def _parsed(text: str) -> tuple[dict[str, tuple[list[str], list[str]]], dict[str, str]]:
    """Return the targets of a Makefile or justfile, with what each needs and its lines, and its plain variables."""
    targets: dict[str, tuple[list[str], list[str]]] = {}
    values = {"MAKE": "make"}
    present: list[list[str]] = []
    for line in text.split("\n"):
        if line[:1].isspace():
            own = line.strip().lstrip("@-+")
            for lines in present if own and not own.startswith("#") else ():
                lines.append(own)
            continue
        before, colon, after = line.partition(":")
        if after[:1] == "=" or "=" in before.partition(" ")[0] or before.split()[1:2] in _ASSIGNS:
            name, _, value = line.partition("=")
            values[name.strip(" :?+")] = value.strip().strip("'\"")[:LINE_CHARS]
            present = []
        elif colon and before and not before.startswith("#"):
            needs = after.partition("#")[0].lstrip(":").split()
            names = before.split()[:TARGETS_AT_MOST]
            present = []
            for name in names:
                target = targets.setdefault(name, ([], []))
                target[0].extend(needs)
                present.append(target[1])
        elif line.strip() and not line.startswith("#"):
            present = []
    return targets, values


def _expanded(line: str, values: dict[str, str]) -> str:
    """Return a line with the values of the plain variables in it: `$(BIN)`, `${BIN}`, `{{bin}}`."""
    for _ in range(DEPTH):  # a value may have variables, too
        former = line
        for opens, closes in _VARIABLES:
            first, *others = line[:LINE_CHARS].split(opens)
            line = first + "".join(_with_value(other, values, opens, closes) for other in others)
        if line == former:
            break
    return " ".join(line[:LINE_CHARS].split())


def _with_value(text: str, values: dict[str, str], opens: str, closes: str) -> str:
    """Return what follows the beginning of a variable, with its value; as it was if the value is unknown."""
    name, end, rest = text.partition(closes)
    value = values.get(name.strip()) if end else None
    return f"{opens}{text}" if value is None else f"{value}{rest}"
