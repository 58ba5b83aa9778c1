"""Find the lines that a task runs in the files of task runners: composer.json, Taskfile.yml, mix.exs and others. Pure.

Each reader takes the text of a file and the name of a task, and returns lines that a shell could run. A task that
needs another one has a line that runs the other one. What a reader does not understand is left out.
"""

from __future__ import annotations

import re
from functools import lru_cache

from gitmem.text import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

# Text in quotation marks; arguments of a call with a name, and their strings.
_QUOTED = re.compile(r"'([^'\n]*)'|\"([^\"\n]*)\"")
_NAMED_ARGUMENT = re.compile(r"\b\w+ *= *(?:'[^'\n]*'|\"[^\"\n]*\"|\{[^}]*\}|[\w.]+)")
# Keys of a task of Taskfile.yml whose values are commands, and those whose values are tasks.
_COMMANDS, _TASKS = frozenset(("cmds", "cmd", "defer")), frozenset(("deps", "task"))
# What begins a text of several lines in YAML.
_BLOCK_SIGNS = frozenset(("|", ">", "|-", ">-", "|+", ">+"))
# Calls in which a Rakefile or a session has a command line; a line that begins a task or a namespace in a Rakefile.
_RUBY_RUNS, _RUBY_BEGINS = ("sh ", "sh(", "system ", "system(", "`"), ("task ", "namespace ")
_PYTHON_RUN = re.compile(r"\.(?:run|run_always|run_install|sudo)\(")
# Lines before the functions that are tasks; the most characters of one call.
_TASK_DECORATORS, CALL_CHARS = ("@nox.session", "@session", "@task", "@invoke.task"), 2000
# The tables of a TOML file that may have a task of each program, with the command that runs another task.
_TABLES = {
    "mise": ("mise run", ("tasks",)),
    "cargo": ("cargo", ("alias",)),
    "pdm": ("pdm run", ("tool.pdm.scripts",)),
    "poe": ("poe", ("tool.poe.tasks",)),
    "rye": ("rye run", ("tool.rye.scripts",)),
    "pixi": ("pixi run", ("tasks", "tool.pixi.tasks")),
    "task": ("task", ("tool.taskipy.tasks",)),
}
# The most dots of a line of TOML: time and memory grow with the square of a key's parts.
DOTS_AT_MOST = 200
# Keys of such a task, the ones with tasks that it needs, and the ones with command lines.
_NEEDS, _LINES = ("depends", "deps", "depends-on", "depends_on"), ("run", "cmd", "shell", "composite", "sequence")


def lines_of_composer(text: str, name: str) -> list[str]:
    """Return what a script of composer.json runs, with those that run before and after a command of composer."""
    scripts = _at(_json(text), "scripts")
    lines = [line for one in (f"pre-{name}-cmd", name, f"post-{name}-cmd") for line in _strings(scripts.get(one))]
    return [_of_composer(line) for line in lines]


def _of_composer(line: str) -> str:
    """Return a line of composer as one of a shell: `@php artisan x` is `artisan x`, and `@other` another script."""
    if not line.startswith("@"):
        return line
    first, _, rest = line[1:].partition(" ")
    if first in ("php", "putenv"):
        return rest
    return rest and f"composer {rest}" if first == "composer" else f"composer run-script {line[1:]}"


def lines_of_deno(text: str, name: str) -> list[str]:
    """Return what a task of deno.json runs."""
    task = _at(_json(text), "tasks").get(name)
    if not isinstance(task, dict):
        return _strings(task)
    return [*(f"deno task {other}" for other in _strings(task.get("dependencies"))), *_strings(task.get("command"))]


def lines_of_taskfile(text: str, name: str) -> list[str]:
    """Return what a task of a Taskfile.yml runs."""
    lines: list[str] = []
    key, key_indent = "", 0
    for indent, line in _block(text, name):
        plain = line.removeprefix("- ").strip()
        key = key or ("cmds" if line.startswith("- ") else "")  # a task may be a list of its commands
        before, colon, after = plain.partition(":")
        is_key = bool(colon) and after[:1] in ("", " ") and before.replace("_", "").isalnum()
        if is_key and not line.startswith("- ") and (not key_indent or indent <= key_indent):
            key, key_indent, plain = before, indent, after.strip()
        elif is_key and before in _COMMANDS | _TASKS and key in _COMMANDS | _TASKS:
            plain = after.strip().strip("'\"")
            lines.append(f"task {plain}" if before in _TASKS else plain)
            continue
        elif is_key and not line.startswith("- "):  # a detail of a command: `silent: true`
            continue
        if key in _TASKS:
            lines += [f"task {one}" for one in _flow(plain)]
        elif key in _COMMANDS:
            lines += _flow(plain)
    return [line.strip("'\"") for line in lines if line not in _BLOCK_SIGNS]


def _block(text: str, name: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a task below `tasks:`, each with its indent; a task on one line as its commands."""
    in_tasks, task_indent, is_wanted = False, 0, False
    for row in text.split("\n"):
        line = row.strip()
        if not line or line.startswith("#"):
            continue
        indent = len(row) - len(row.lstrip())
        if indent == 0:
            in_tasks, task_indent, is_wanted = line == "tasks:", 0, False
        elif in_tasks:
            task_indent = task_indent or indent
            if indent == task_indent and not line.startswith("- "):
                own, _, value = line.rpartition(":") if line.endswith(":") else line.partition(": ")
                is_wanted = own.strip("'\"") == name
                value = "" if value.lstrip().startswith("&") else value.strip()  # the name of an anchor
                line = f"cmds: {value}"
                if is_wanted and not value:
                    continue
            if is_wanted:
                yield indent, line


def _flow(text: str) -> list[str]:
    """Return the items of a list on one line, or a text as the only item; of a map in it, the task that it names."""
    if text.startswith("[") and text.endswith("]"):
        parts = [part.strip() for part in text[1:-1].split(",")]
        names = [part[len("{task:") :].rstrip("}") if part.startswith("{task:") else part for part in parts]
        return [name.strip(" '\"") for name in names if ": " not in name]
    return [text] if text and (text[0] != "{" or text.startswith("{{")) else []


def lines_of_mix(text: str, name: str) -> list[str]:
    """Return what an alias of mix.exs runs."""
    begin = text.find("aliases do")
    end = text.find("\n  end", begin)
    rows = text[begin : end if end >= 0 else None].split("\n") if begin >= 0 else []
    found = ""
    for row in rows:
        plain = row.strip()
        if found:
            found += plain
        elif plain.startswith((f"{name}: ", f'"{name}": ')):
            found = plain.partition(": ")[2]
        if found and found.count("[") <= found.count("]"):
            break
    tasks = [task for task in _quoted(found) if task]
    return [task.removeprefix("cmd ") if task.startswith("cmd ") else f"mix {task}" for task in tasks if task != name]


def lines_of_rakefile(text: str, name: str) -> list[str]:
    """Return what a task of a Rakefile runs."""
    lines: list[str] = []
    spaces: list[tuple[int, str]] = []  # the namespaces around a line
    wanted = -1  # the indent of the task
    for row in text.split("\n"):
        line, indent = row.strip().replace("task(", "task ", 1), len(row) - len(row.lstrip())
        if line == "end":
            spaces = [space for space in spaces if space[0] < indent]
            wanted = -1 if indent <= wanted else wanted
        elif wanted >= 0 and line.startswith(_RUBY_RUNS):
            called = " ".join(_quoted(line))
            lines.append(called or line.strip("`"))
        elif line.startswith(_RUBY_BEGINS):
            head, arrow, needs = line.partition("=>")
            own, *_ = head.partition(" ")[2].removesuffix(" do").replace(")", " ").split(",")[0].split() or [""]
            if own.endswith(":"):  # task build: [:assets]
                arrow, needs = ":", head.partition(f"{own} ")[2]
            own = own.strip(":'\"")
            if line.startswith("namespace "):
                spaces.append((indent, own))
            elif ":".join((*(space for _, space in spaces), own)) == name:
                wanted = indent if line.endswith((" do", "|")) else -1
                prefix = "".join(f"{space}:" for _, space in spaces)
                others = needs.partition(" do")[0].replace("[", " ").replace("]", " ").replace(",", " ").split()
                for other in (other.strip(":'\"") for other in others if arrow):
                    lines += [f"rake {prefix}{other}"] if not prefix else [f"rake {prefix}{other}", f"rake {other}"]
    return lines


def lines_of_functions(text: str, name: str) -> list[str]:
    """Return what a session of noxfile.py or a task of tasks.py runs; every one of them for an empty name."""
    lines: list[str] = []
    decorator, is_wanted = "", False
    for row in text.split("\n"):
        if row.startswith("@"):
            decorator = decorator or (row if row.startswith(_TASK_DECORATORS) else "")
        elif row.startswith(("def ", "async def ")):
            own = row.partition("def ")[2].partition("(")[0]
            given = decorator.partition("name=")[2][1:].partition(decorator.partition("name=")[2][:1] or " ")[0]
            is_wanted = bool(decorator) and name.partition("-3")[0] in ("", own, own.replace("_", "-"), given)
            decorator = ""
        elif row[:1].strip() and not row.startswith(")"):
            is_wanted = False
        lines.append(row if is_wanted else "")
    calls = _PYTHON_RUN.split("\n".join(lines))[1:]
    return [line for call in calls if (line := " ".join(_quoted(_NAMED_ARGUMENT.sub("", _arguments(call)))))]


def _arguments(text: str) -> str:
    """Return the arguments of a call, up to its closing parenthesis."""
    depth = 1
    for at, char in enumerate(text[:CALL_CHARS]):
        depth += (char in "([") - (char in ")]")
        if not depth:
            return text[:at]
    return ""


def lines_of_tox(text: str, name: str) -> list[str]:
    """Return the commands of an environment of tox.ini; those of `[testenv]` if it has none of its own."""
    found: dict[str, list[str]] = {}
    section, key = "", ""
    for row in text.replace("\\\n", " ").split("\n"):
        line = row.strip()
        if row.startswith("["):
            section, key = line.strip("[]"), ""
        elif row[:1].strip() and "=" in row:
            key, _, line = (part.strip() for part in row.partition("="))
        if key in ("commands", "commands_pre") and line and not line.startswith(("#", "[")):
            found.setdefault(section, []).append(" ".join(line.lstrip("-").split()))
    return found.get(f"testenv:{name}") or found.get("testenv", [])


def lines_of_hooks(text: str, name: str) -> list[str]:
    """Return what a hook of .pre-commit-config.yaml runs; every one of them for an empty name."""
    own, lines = "", []
    for row in text.split("\n"):
        key, _, value = row.strip().removeprefix("- ").partition(": ")
        own = value.strip("'\"") if key == "id" else own
        if key == "entry" and name in ("", own):
            lines.append(value.strip("'\""))
    return lines


def lines_of_toml(text: str, name: str, program: str) -> list[str]:
    """Return what a task of a TOML file runs: mise.toml, .cargo/config.toml, pyproject.toml or pixi.toml."""
    data = _toml(text)
    if program == "hatch":
        environment, _, script = name.rpartition(":")
        tasks = _at(data, f"tool.hatch.envs.{environment or 'default'}.scripts")
        lines = _strings(tasks.get(script))
        return [
            f"hatch run {environment}:{line}" if line.split()[0] in tasks else line for line in lines if line.strip()
        ]
    runs, tables = _TABLES[program]
    for table in tables:
        tasks = _at(data, table)
        if name in tasks:
            return _lines_of_task(tasks[name], runs, {*map(str, tasks)})
    return []


def _lines_of_task(task: object, runs: str, others: set[str]) -> list[str]:
    """Return the lines of a task.

    Args:
        task: Its value: a line, lines, or a table.
        runs: The command that runs another task.
        others: The names of all tasks.
    """
    if runs == "cargo":
        line = task if isinstance(task, str) else " ".join(_strings(task))
        return [f"cargo {line}"]
    if not isinstance(task, dict):
        lines = [line for text in _strings(task) for line in text.split("\n")]
        is_list = isinstance(task, list)  # of poe: the names of tasks
        return [f"{runs} {line}" if is_list and line in others else line for line in lines if line.strip()]
    lines = [f"{runs} {other}" for key in _NEEDS for other in _strings(task.get(key))]
    for value in map(task.get, _LINES):
        lines += [] if isinstance(value, dict) else _lines_of_task(value, runs, others)
    return lines


def _json(text: str) -> dict[str, object]:
    """Return the object of a JSON text without its whole-line comments; an empty one for other texts."""
    rows = (row for row in text.split("\n") if not row.lstrip().startswith("//"))
    try:
        data = parse_json("\n".join(rows))
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


@lru_cache(maxsize=2)
def _toml(text: str) -> dict[str, object]:
    """Return the tables of a TOML text; none of a text that is not TOML, or that has a key of very many parts."""
    import tomllib  # 8 ms, only where a repository has such a file that names the task

    if any(line.count(".") > DOTS_AT_MOST for line in text.split("\n")):
        return {}
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):  # a number may have more digits than Python reads
        return {}


def _at(data: dict[str, object], path: str) -> dict[str, object]:
    """Return the table at a dotted path; an empty one if there is none."""
    for name in path.split("."):
        inner = data.get(name)
        if not isinstance(inner, dict):
            return {}
        data = inner
    return data


def _strings(value: object) -> list[str]:
    """Return a text, or the texts of a list, also those of its tables that name a command or a task."""
    if isinstance(value, str):
        return [value]
    items: Sequence[object] = value if isinstance(value, list) else ()
    keys = ("cmd", "task", "ref")
    texts = (
        next((item[key] for key in keys if key in item), None) if isinstance(item, dict) else item for item in items
    )
    return [text for text in texts if isinstance(text, str)]


def _quoted(text: str) -> list[str]:
    """Return the texts in quotation marks."""
    return [one or other for one, other in _QUOTED.findall(text)]


# What reads the file of each program.
READERS: dict[str, Callable[[str, str], list[str]]] = {
    "composer": lines_of_composer,
    "deno": lines_of_deno,
    "task": lines_of_taskfile,
    "mix": lines_of_mix,
    "rake": lines_of_rakefile,
    "nox": lines_of_functions,
    "invoke": lines_of_functions,
    "inv": lines_of_functions,
    "tox": lines_of_tox,
    "pre-commit": lines_of_hooks,
}
