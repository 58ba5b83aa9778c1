"""Find the scripts and recipes that a check runs, and a program whose absence they take for success. Pure.

Sources: POSIX.1-2017, Shell Command Language; make(1), GNU make manual, 4.2 and 9; npm-run(1).
"""

from __future__ import annotations

import json
import posixpath
import re

from gitmem.verify.run.shell_words import list_scripts, read_shell
from gitmem.verify.sandbox.sandbox import find_program

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
# What makes the recipes of a makefile run in another way: one shell for all lines, another PATH.
_OTHER_MAKE = re.compile(r"(?m)^\.ONESHELL|(?<!\w)PATH\b")
# Constructs that change what a word of a script means: other files and texts, an alias, another PATH.
_ELSEWHERE = re.compile(r"<<|\beval\b|\balias\b|(?<!\w)PATH\+?=|(?:^|[\n;&|(])[ \t]*(?:\.|source)\s")
# Comments of a script, and quoted text, which may span lines.
_PROSE = re.compile(r"\\.|(?<![^\s;])#[^\n]*|'[^']*'|\"(?:\\.|[^\"\\])*\"", re.S)
# How a branch makes the script fail, in its first line or in the next ones, and where a branch ends.
_REFUSES = re.compile(r"\b(?:exit|return) [1-9]|\bfalse\b")
_TRIED = re.compile(r"\|\| *(?:(?:exit|return) \d|false\b)")
_EXITS = re.compile(r"\b(?:exit|return) \"?\$")
_NOTES = re.compile(r"(?:^|[\s;])(\w+)=(?:[1-9]|true|yes)\b")
_BRANCH_LINES = 4
_CASE_ENDS = re.compile(r"(?:^|[;\s])esac\b")
_BRANCH_ENDS = re.compile(r"(?:^|[;\s])(?:fi|else|elif)\b")
# How a script asks whether a program is installed, and how it then succeeds without it, which proves nothing.
_ASKS = (
    r"\b(?:command -[vV]|which|type|hash|function|has|have|(?:require|need|ensure|check|assert)\w*|for \w+ in)\b"
    r"[^\n;&|]*"
)
_LOOKS_UP = r"(?:command -v|which|type|hash)(?: -\w)? +([A-Za-z][\w.+-]*)[^\n;|]*"
_SKIPS = re.compile(
    rf"^{_LOOKS_UP}\|\| *(?:exit 0|{{[^\n}}]*\bexit 0)|^\[ -x \"?\$\({_LOOKS_UP}\|\| *(?:exit 0|{{[^\n}}]*\bexit 0)"
    rf"|^if ! {_LOOKS_UP};? *\n? *then\b[^\n]*(?:\n(?!fi\b|else\b|elif\b)[^\n]*){{0,3}}\bexit 0",
    re.M,
)
# Tests that nothing was printed, or no line; a variable with what a program printed, and a test of it.
_IS_EMPTY = re.compile(r"(?:test|\[\[?) (?:-z )?\"?(?:\$\(|`)")
_COUNTS_NONE = re.compile(r"\| *(?:wc -l *|grep -\w*c[^|]*)\| *grep -\w*x\w* [\"']?0")
_ASSIGNS = re.compile(r"(?:local |readonly |declare )?(\w+)=\"?(?:\$\(|`)")
_TESTS = re.compile(r"\b(?:exit|return|test) |\[ ")
_VARIABLE = re.compile(r"\$\{?(\w+)")
_THEN_FAILS = re.compile(r"&& *(?:exit|return) [1-9]|&& *false\b")
# Alternatives that run no other program: `|| true`, `|| exit 1`.
_NO_OTHER = re.compile(r"\|\| *(?:(?:true|:|false)(?![\w/.-])|(?:exit|return)\b|\{[^\n}]*\b(?:exit|return)\b)")


def list_texts(command: str, read: Callable[[str], str]) -> dict[str, str]:
    """Return the shell scripts, recipes of make and scripts of package.json that a check runs, and those that they run.

    Each has the folder whose ``node_modules`` has further programs for it; empty if there is none.

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
    for path in list_scripts(command, of_shells=True):
        yield read(path), ""
    for words in _MAKE.findall(command) if read_shell(command).runs("make") else []:
        yield from ((recipe, "") for recipe in _recipes_of(words.split(), read))
    for folder, name in _NPM.findall(command):
        scripts = _read_scripts(read(posixpath.join(folder, "package.json")))
        yield from ((scripts.get(each, ""), folder or ".") for each in (f"pre{name}", name))


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

    Without a target it is that of the first rule. A target of which several rules have a recipe has none here, since a
    condition decides.
    """
    makefile = makefile.replace("\\\n", " ")
    rules = list(_RULE.finditer(makefile))
    if _OTHER_MAKE.search(makefile) or not rules:
        return []
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
        recipes = [f"{rule[3] or ''}\n{rule[4]}" for rule in of_target if (rule[3] or rule[4]).strip()]
        if len(recipes) == 1:
            found.append(_VARIABLE_OF_MAKE.sub(lambda one: "$" if one[0] == "$$" else "./variable", recipes[0]))
    return [re.sub(r"(?m)^[\t@+ ]+", "", recipe).strip("\n") for recipe in found]


def find_skipped(script: str, path: str) -> str:
    """Return a program without which a script ends with success and has shown nothing; empty if it has none.

    A check that cannot tell exits with 125.
    """
    names = (name for found in _SKIPS.finditer(script) for name in found.groups() if name)
    return next((name for name in names if find_program(name, path) is None), "")


def find_swallowed(script: str, path: str) -> str:
    """Return a program whose absence a script takes for success, as `! rg TODO src` in it does; empty if it has none.

    So does a line that ends the script with an error if a program succeeds. A script that reads another one or changes
    PATH is not judged. The script has succeeded: a line that does not accept absence would have ended it.
    """
    script = _PROSE.sub(lambda one: "" if one[0][0] == "#" else "''" if "\n" in one[0][2:] else one[0], script)
    lines = [line.strip().lstrip("@+ ") for line in script.replace("\r\n", "\n").replace("\\\n", " ").split("\n")]
    if _ELSEWHERE.search(script):
        return ""
    lines = _without_cases(lines)
    certain = {one.name for one in read_shell("\n".join(lines)).commands if not one.is_optional}
    tests = _list_tests(lines)
    for nth, line in enumerate(lines):
        for name in read_shell(line).find_absent(path) if _takes_absence(nth, lines, tests) else []:
            word = rf"(?<![\w./-]){re.escape(name)}(?![\w./-])"
            is_asked = re.search(rf"{_ASKS}{word}|{word} *(?:\([ \t]*\)|--version|-V\b|--help)", script)
            if name in certain and not is_asked and not re.search(rf"-x \S*/{re.escape(name)}(?![\w./-])", script):
                return name
    return ""


def _without_cases(lines: list[str]) -> list[str]:
    """Return the lines of a script, empty where only some value of a word leads to them."""
    depth, kept = 0, []
    for line in lines:
        depth += line.startswith("case ")
        kept.append("" if depth else line)
        depth -= depth > 0 and _CASE_ENDS.search(line) is not None
    return kept


def _list_tests(lines: list[str]) -> dict[str, list[int]]:
    """Return the numbers of the lines that test a variable or end with it, by its name."""
    found: dict[str, list[int]] = {}
    for nth, line in enumerate(lines):
        if tested := _TESTS.search(line):
            for name in dict.fromkeys(_VARIABLE.findall(line, tested.start())):
                found.setdefault(name, []).append(nth)
    return found


def _takes_absence(nth: int, lines: list[str], tests: dict[str, list[int]]) -> bool:
    """Return whether this line of a script goes on if its program fails."""
    line = lines[nth]
    if "||" in _NO_OTHER.sub("", line):
        return False
    if line.startswith("if "):
        return not line.startswith("if !") and _decides(nth, lines, tests)
    if assigned := _ASSIGNS.match(line):
        other = re.compile(rf"(?<![\w$]){assigned[1]}=")  # a default, if the program printed nothing
        end = next((at for at in range(nth + 1, len(lines)) if other.search(lines[at])), len(lines))
        after = [at for at in tests.get(assigned[1], []) if nth <= at < end][:_BRANCH_LINES]
        return any(_decides(at, lines, tests) for at in after)
    empty = _IS_EMPTY.match(line) or _COUNTS_NONE.search(line)
    return empty is not None or line.startswith("! ") or _THEN_FAILS.search(line) is not None


def _decides(nth: int, lines: list[str], tests: dict[str, list[int]]) -> bool:
    """Return whether the status of a script depends on a line that tests something, or on what its branch notes."""
    branch = _branch(nth, lines)
    noted = [tests[name][-1] for name in _NOTES.findall(branch) if name in tests] if branch.startswith("if ") else []
    return _refuses(branch) or any(
        at >= nth and (_EXITS.search(lines[at]) or _refuses(_branch(at, lines))) for at in noted
    )


def _refuses(branch: str) -> bool:
    """Return whether a test, with the branch of its condition, fails the script."""
    if branch.startswith("if "):
        return _REFUSES.search(branch) is not None
    return "&&" not in branch or _THEN_FAILS.search(branch) is not None


def _branch(nth: int, lines: list[str]) -> str:
    """Return a line, with the branch of a condition that begins in it, without the failures of its commands."""
    branch = "\n".join(lines[nth : nth + _BRANCH_LINES]) if lines[nth].startswith("if ") else lines[nth]
    end = _BRANCH_ENDS.search(branch) if branch.startswith("if ") else None
    return _TRIED.sub("", branch[: end.start()] if end else branch)
