"""Read a project's targets: of make, npm, just, task, mise, tox, nox, poe, pdm, hatch and others. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice

from gitmem.document.sources.comments import without_definitions
from gitmem.document.sources.formats import decode, iter_matches, read_source
from gitmem.document.sources.manifests import SCRIPT_FILES
from gitmem.document.sources.node import Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Targets = Iterator[tuple[str, int]]

_MAKE_RULE = re.compile(r"^([^\s#:=$.%][^#:=$%\n]{0,500}?)[ \t]{0,20}::?(?![:=])", re.MULTILINE)
# A rule whose targets are in variables, and the variables: `TOOLS := a b`, `$(TOOLS): ; …`, `build-$(OS):`.
_MAKE_VARIABLE_RULE = re.compile(r"^([^\t#:=\n][^#:=\n]{0,500}?)[ \t]{0,20}::?(?![:=])", re.MULTILINE)
_MAKE_VARIABLE = re.compile(r"^([A-Za-z_][\w.-]*)[ \t]*(?:::?:?|[?+])?=((?:[^\\\n]|\\\n|\\)*)", re.MULTILINE)
_MAKE_REFERENCE = re.compile(r"\$(?:\((\w[\w.-]*)\)|\{(\w[\w.-]*)\})")
_JUST_RECIPE = re.compile(r"^@?([A-Za-z_][\w-]*)(?:[ \t][^:=\n]{0,500}(?:=[^:\n]{0,500})?)?:(?!=)", re.MULTILINE)
_JUST_ALIAS = re.compile(r"^alias[ \t]+([\w-]+)[ \t]*:=", re.MULTILINE)
_NOX = re.compile(r"^@(?:nox\.)?session\b", re.MULTILINE)
_TASK = re.compile(r"^@(?:invoke\.)?task\b", re.MULTILINE)
_DEF = re.compile(r"^(?:async[ \t]+)?def[ \t]+(\w+)", re.MULTILINE)
_NOX_NAME = re.compile(r"name[ \t]*=[ \t]*[\"']([^\"'\n]+)[\"']")
_RAKE = re.compile(r"^[ \t]*task[ \t(]+(?::|[\"'])?(\w[\w-]*(?::\w[\w-]*)*)", re.MULTILINE)
_RAKE_SPACE = re.compile(r"^([ \t]*)namespace[ \t(]+(?::|[\"'])?(\w[\w-]*)")
_MIX_ALIAS = re.compile(r"^[ \t]+(?:\"([\w.]+)\"|([a-z_][\w.]*)):[ \t]*[\[\"&]", re.MULTILINE)
_MIX_ALIASES = re.compile(r"^[ \t]*defp?[ \t]+aliases\b.{0,20000}?^[ \t]*end\b", re.MULTILINE | re.DOTALL)
_PLATFORMIO = re.compile(r"\[env:([^\]\s]+)\]")
_BRACES = re.compile(r"\{([^{}]*)\}")
# The most characters between the decorator of a session and its function.
DECORATORS_LIMIT = 2000
# The most variables of make in one another.
DEPTH_LIMIT = 8
# More environments than any matrix of tox has.
EXPANSIONS_LIMIT = 500


@lru_cache(maxsize=8)
def read_scripts(path: str, content: bytes) -> dict[str, int]:
    """Return the targets of a file by name, each with its line; empty for a file that has none.

    Raises:
        FormatError: The file's content does not match its name.
    """
    reader = _reader_of(path)
    scripts: dict[str, int] = {}
    for name, line in reader(path, content) if reader is not None else ():
        scripts.setdefault(name, line)
    return scripts


def _reader_of(path: str) -> Callable[[str, bytes], Targets] | None:
    name = path.rpartition("/")[2]
    if name in ("Makefile", "GNUmakefile", "makefile") or name.endswith((".mk", ".make")):
        return _make
    if name.lower() in ("justfile", ".justfile") or name.endswith(".just"):
        return _just
    if name.endswith(".rake"):
        return _rake
    if path.endswith(".cargo/config.toml"):
        return _members("alias")
    if path.endswith("mise/config.toml"):
        return _mise
    return _READERS.get(name)


def _make(_path: str, content: bytes) -> Targets:
    text = without_definitions(decode(content))
    for match, line in iter_matches(_MAKE_RULE, text):
        for name in match[1].split():
            yield name, line
    variables: dict[str, list[str]] = {}
    for match in _MAKE_VARIABLE.finditer(text) if "$" in text else ():
        variables.setdefault(match[1], []).extend(match[2].split("#")[0].replace("\\\n", " ").split())
    for match, line in iter_matches(_MAKE_VARIABLE_RULE, text) if variables else ():
        for word in match[1].split() if "$" in match[1] else ():
            yield from ((name, line) for name in _replaced(word, variables))


def _replaced(word: str, variables: dict[str, list[str]]) -> list[str]:
    """Return the targets of a word with variables, each with every word of their values; none for other functions."""
    names = [word]
    for _ in range(DEPTH_LIMIT):
        replaced = (
            f"{name[: match.start()]}{value}{name[match.end() :]}" if match else name
            for name in names
            for match in [_MAKE_REFERENCE.search(name)]
            for value in (variables.get(match[1] or match[2], ()) if match else ("",))
        )
        names = list(islice(replaced, EXPANSIONS_LIMIT))  # none is made beyond: it would take a gigabyte
    return [name for name in names if not set("$%()").intersection(name)]


def _just(_path: str, content: bytes) -> Targets:
    text = decode(content)
    for pattern in (_JUST_RECIPE, _JUST_ALIAS):
        for match, line in iter_matches(pattern, text):
            yield match[1], line


def _decorated(pattern: re.Pattern[str], text: str) -> Iterator[tuple[str, str, int]]:
    """Yield the name of each function below a decorator, the text between the two, and the function's line."""
    for decorator, line in iter_matches(pattern, text):
        below = _DEF.search(text, decorator.end(), decorator.end() + DECORATORS_LIMIT)
        if below is not None:
            at = line + text.count("\n", decorator.start(), below.start())
            yield below[1], text[decorator.end() : below.start()], at


def _nox(_path: str, content: bytes) -> Targets:
    for function, between, line in _decorated(_NOX, decode(content)):
        if named := _NOX_NAME.search(between):
            yield named[1], line
        yield function, line


def _rake(_path: str, content: bytes) -> Targets:
    above: list[tuple[int, str]] = []
    for line, written in enumerate(decode(content).split("\n"), start=1):
        if space := _RAKE_SPACE.match(written):
            above.append((len(space[1]), space[2]))
        elif above and re.match(rf"[ \t]{{{above[-1][0]}}}end\b", written):
            above.pop()
        elif task := _RAKE.match(written):
            yield ":".join([*(name for _, name in above), task[1]]), line


def _mix(_path: str, content: bytes) -> Targets:
    text = decode(content)
    for block, start in iter_matches(_MIX_ALIASES, text):
        for match, line in iter_matches(_MIX_ALIAS, block[0]):
            yield match[1] or match[2], start + line - 1


def _turbo(path: str, content: bytes) -> Targets:
    top = read_source(path, content)
    for key in ("tasks", "pipeline"):
        for name, node in top.at(key).iter_members():
            yield name.rpartition("#")[2], node.line


def _invoke(_path: str, content: bytes) -> Targets:
    for function, _, line in _decorated(_TASK, decode(content)):
        yield function, line
        yield function.replace("_", "-"), line


def _members(*keys: str) -> Callable[[str, bytes], Targets]:
    """Return a reader of the names in one mapping."""

    def read(path: str, content: bytes) -> Targets:
        yield from _names(read_source(path, content).at(*keys))

    return read


def _names(mapping: Node) -> Targets:
    for name, node in mapping.iter_members():
        yield name, node.line


def _mise(path: str, content: bytes) -> Targets:
    yield from _mise_tasks(read_source(path, content).at("tasks"))


def _mise_tasks(mapping: Node) -> Targets:
    """Yield tasks and their short names. Source: mise's manual, "TOML-based Tasks"."""
    for name, node in mapping.iter_members():
        yield name, node.line
        for alias in (*node.at("alias").texts(), *node.at("aliases").texts()):
            yield alias.text or "", alias.line


def _taskfile(path: str, content: bytes) -> Targets:
    for name, node in read_source(path, content).at("tasks").iter_members():
        yield name, node.line
        for alias in node.at("aliases").texts():
            yield alias.text or "", alias.line


def _tox_ini(path: str, content: bytes) -> Targets:
    top = read_source(path, content)
    for name, section in top.iter_members():
        if name.startswith("testenv:"):
            yield from ((part, section.line) for part in _expanded(name.removeprefix("testenv:")))
    for key in ("envlist", "env_list"):
        yield from _tox_list(top.at("tox", key))


def _tox_list(node: Node) -> Targets:
    for text in node.texts():
        for name in re.split(r"[,\s]+(?![^{]{0,200}\})", text.text or ""):
            yield from ((found, text.line) for found in _expanded(name) if found)


def _expanded(name: str) -> list[str]:
    """Return the environments for a name with braces: ``py{311,312}-lint``."""
    names = [name]
    while any("{" in name for name in names):
        matches = [_BRACES.search(name) for name in names]
        more = [
            name[: braces.start()] + choice.strip() + name[braces.end() :]
            for name, braces in zip(names, matches, strict=True)
            if braces
            for choice in braces[1].split(",")
        ]
        names = [name for name, braces in zip(names, matches, strict=True) if not braces and "{" not in name] + more
        if len(names) > EXPANSIONS_LIMIT or not any(matches):
            return names[:EXPANSIONS_LIMIT]
    return names


def _tox(top: Node) -> Targets:
    yield from _names(top.at("env"))
    yield from _tox_list(top.at("env_list"))


# Where pyproject.toml has scripts and tasks, by the tool that runs them.
_PYPROJECT = (
    *(("project", "scripts"), ("project", "gui-scripts"), ("tool", "poetry", "scripts"), ("tool", "poe", "tasks")),
    *(("tool", "pdm", "scripts"), ("tool", "rye", "scripts"), ("tool", "taskipy", "tasks")),
    ("tool", "hatch", "scripts"),
)


def _pyproject(path: str, content: bytes) -> Targets:
    top = read_source(path, content)
    for keys in _PYPROJECT:
        yield from _names(top.at(*keys))
    for env, settings in top.at("tool", "hatch", "envs").iter_members():
        for name, node in settings.at("scripts").iter_members():
            yield name, node.line
            yield f"{env}:{name}", node.line
    yield from _pixi_tasks(top.at("tool", "pixi"))
    yield from _tox(top.at("tool", "tox"))


def _entry_points(path: str, content: bytes) -> Targets:
    node = read_source(path, content).at("options.entry_points", "console_scripts")
    for number, written in enumerate((node.text or "").split("\n")):
        name, sign, _ = written.partition("=")
        if sign:
            yield name.strip(), node.line + number


def _pixi(path: str, content: bytes) -> Targets:
    yield from _pixi_tasks(read_source(path, content))


def _pixi_tasks(top: Node) -> Targets:
    """Yield the tasks of a workspace, its features and its environments, each for all platforms or for one.

    Source: pixi's manual, "Pixi Manifest".
    """
    groups = (top.at(*keys).iter_members() for keys in (("feature",), ("environments",), ("environment",)))
    for part in (top, *(node for group in groups for _, node in group)):
        yield from _names(part.at("tasks"))
        for _, platform in part.at("target").iter_members():
            yield from _names(platform.at("tasks"))


def _platformio(_: str, content: bytes) -> Targets:
    """Yield the environments. Source: PlatformIO's manual, "Section [env]"."""
    for number, line in enumerate(decode(content).split("\n"), 1):
        if match := _PLATFORMIO.match(line):
            yield match[1], number


_READERS: dict[str, Callable[[str, bytes], Targets]] = {
    "package.json": _members("scripts"),
    "composer.json": _members("scripts"),
    "project.json": _members("targets"),
    **dict.fromkeys(("deps.edn", "project.clj"), _members("aliases")),
    "bb.edn": _members("tasks"),
    "deno.json": _members("tasks"),
    "deno.jsonc": _members("tasks"),
    "mise.toml": _mise,
    ".mise.toml": _mise,
    "tasks.toml": lambda path, content: _mise_tasks(read_source(path, content)),
    "noxfile.py": _nox,
    "Rakefile": _rake,
    "mix.exs": _mix,
    "turbo.json": _turbo,
    "tasks.py": _invoke,
    "tox.ini": _tox_ini,
    "platformio.ini": _platformio,
    "tox.toml": lambda path, content: _tox(read_source(path, content)),
    "pyproject.toml": _pyproject,
    "setup.cfg": _entry_points,
    "pixi.toml": _pixi,
    **dict.fromkeys((name for name in SCRIPT_FILES if name.lower().startswith("taskfile")), _taskfile),
}
