"""Find the scripts and recipes that a check runs. Pure.

Sources: POSIX.1-2017, Shell Command Language; make(1), GNU make manual, 4.2 and 9; npm-run(1).
"""

from __future__ import annotations

import json
import posixpath
import re

from gitmem.verify.run.shell_words import list_scripts, read_shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Scripts that run scripts that run scripts, and prerequisites of prerequisites, are followed this far.
_DEEPEST = 4
# How a check runs make, and the names of makefiles, in the order of make(1).
_MAKE = re.compile(r"(?:^|[\s;&|(!])g?make((?:[ \t]+[\w./=-]+)*)")
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
# How a check runs a script of package.json, perhaps in another folder.
_NPM = re.compile(
    r"(?:\bcd +([\w./-]+) *&& *|(?:^|[\s;&|(!]))(?:npm|pnpm|yarn|bun)(?: +(?:-[\w-]+|run|run-script))* +([\w:.-]+)"
)
_RULE = re.compile(
    r"^([\w./][\w./ -]*)[ \t]*:(?![=:])([^\n;]*)(?:;([^\n]*))?\n?((?:(?:\t[^\n]*|[ \t]*|#[^\n]*)\n?)*)", re.M
)
_VARIABLE_OF_MAKE = re.compile(r"\$(?:\$|\((?:[^()\n]|\([^()\n]*\))*\)|\{[^{}\n]*\}|[@<^*?])")
# How programs of other languages start one, and how they ask for one: run(["rg", …]), execSync('rg TODO'), which("rg").
_STARTS = re.compile(
    r"\b(?:run|call|check_call|check_output|getoutput|Popen|system|popen|spawn|spawnSync|exec\w{0,12})"
    r"(?:\(|[ \t])[ \t]{0,4}\[?[ \t]{0,4}[rbf]?[\"'`]([A-Za-z][\w.+-]{0,60})"
    r"|(?:`|\bqx.|%x.)([a-z][\w.+-]{0,60})[ \t]"
)
_ASKS_FOR = re.compile(r"\bwhich(?:Sync)?\([ \t]{0,4}[\"'`]([A-Za-z][\w.+-]{0,60})")
_OF_MAKE_ITSELF = re.compile(r"(?m)^\w+[ \t]*[:?]?=[ \t]*\$\(shell[ \t]+([^()\n]*)\)")
_VALUE_OF_MAKE = re.compile(r"(?m)^[ \t]*(\w+)[ \t]*[:?]?=[ \t]*([\w./-]+)[ \t]*$")


def list_texts(command: str, read: Callable[[str], str]) -> dict[str, str]:
    """Return the shell scripts, recipes of make and scripts of package.json that a check runs, and those that they run.

    Of a script of another language, it is the programs that it starts. Each has the folder whose ``node_modules`` has
    further programs for it; empty if there is none.

    Args:
        command: The check.
        read: Returns the text of a file of the code; empty if there is none.
    """
    found: dict[str, str] = {}
    level = {command: ""}
    for _ in range(_DEEPEST):
        level = {text: bins or own for one, own in level.items() for text, bins in _texts_of(one, read) if text}
        level = {text: bins for text, bins in level.items() if text not in found}
        found |= level
    return found


def _texts_of(command: str, read: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    of_shells = list_scripts(command, of_shells=True)
    for path in list_scripts(command):
        text = read(path)
        is_foreign = text.startswith("#!") and "sh" not in text.partition("\n")[0]
        yield text if path in of_shells and not is_foreign else list_started(text), ""
    for words in _MAKE.findall(command) if read_shell(command).runs("make") else []:
        yield from ((recipe, "") for recipe in _recipes_of(words.split(), read))
    for folder, name in _NPM.findall(command):
        scripts = _read_scripts(read(posixpath.join(folder, "package.json")))
        yield from ((scripts.get(each, ""), folder or ".") for each in (f"pre{name}", name))


def list_started(program: str) -> str:
    """Return the programs that a program of another language starts, one a line, without those that it asks for."""
    started = [name for pair in _STARTS.findall(program) for name in pair if name]
    return "\n".join(name for name in dict.fromkeys(started) if name not in _ASKS_FOR.findall(program))


def _read_scripts(package: str) -> dict[str, str]:
    """Return the scripts of a package.json by name; empty if it has none."""
    try:
        scripts = json.loads(package)["scripts"]
        return {str(name): text for name, text in scripts.items() if isinstance(text, str)}
    except (ValueError, AttributeError, TypeError, KeyError, RecursionError):
        return {}


def _recipes_of(words: list[str], read: Callable[[str], str]) -> Iterator[str]:
    """Return the recipes that make with these words runs."""
    folder, names, targets = "", list(_MAKEFILES), []
    arguments = iter(words)
    for word in arguments:
        if word[:2] in ("-C", "-f"):
            value = word[2:] or next(arguments, "")
            folder, names = (value, names) if word[1] == "C" else (folder, [value])
        elif word.startswith("--") or (word[0] == "-" and "n" in word):
            return
        elif word[0] != "-" and "=" not in word and not word.isdigit():
            targets.append(word)
    makefile = next(filter(None, (read(posixpath.normpath(posixpath.join(folder, name))) for name in names)), "")
    if makefile:
        yield from recipes_of(makefile.replace("\r\n", "\n"), targets)


def recipes_of(makefile: str, targets: list[str]) -> list[str]:
    """Return the recipes that make runs for targets and their prerequisites, as a shell gets them.

    Without a target it is that of the first rule. If several rules of a target have a recipe, each is here: a condition
    decides.
    """
    makefile = makefile.replace("\\\n", " ")
    rules = list(_RULE.finditer(makefile))
    values = dict(_VALUE_OF_MAKE.findall(makefile))
    known: dict[str, list[re.Match[str]]] = {}
    for rule in rules:
        for name in rule[1].split():
            known.setdefault(name, []).append(rule)
    found, seen = [], set(targets := targets or [name for name in known if name[0] != "."][:1])
    for target in targets:  # grows
        of_target = known.get(target, [])
        needed = [name for rule in of_target for name in rule[2].split() if name in known and name not in seen]
        seen.update(needed)
        targets += needed
        found += [f"{rule[3] or ''}\n{rule[4]}" for rule in of_target if (rule[3] or rule[4]).strip()]

    def expand(match: re.Match[str]) -> str:
        return "$" if match[0] == "$$" else values.get(match[0].strip("$(){}"), "./variable")

    found = [_VARIABLE_OF_MAKE.sub(expand, recipe) for recipe in found]
    recipes = [re.sub(r"(?m)^[\t@+ ]+", "", recipe).strip("\n") for recipe in found]
    return [*recipes, *_OF_MAKE_ITSELF.findall(makefile)]
