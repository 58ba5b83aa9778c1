"""Recognise programs that print what they find and succeed also when they find nothing.

``jq .engines package.json`` prints ``null`` and exits with 0: as a check it proves no more than that the file is there.
Only certain cases count: a program that may fail by what it reads (``sed '/x/q1'``, ``awk '{exit 1}'``) does not.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from itertools import pairwise

_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
_SED_ADDRESS = re.compile(r"/(?:[^/\\\n]|\\.)*/")
_COMPARED = re.compile(
    r"[=!]=|[<>]|\b(?:in|not|is)\b|\.(?:includes|startsWith|endsWith|test|startswith|endswith)\("
    r"|\.(?:include|key|match|start_with|end_with|exist)\?|\b(?:str_contains|in_array|preg_match|isset|file_exists)\("
)
_JQ_NAME = re.compile(r"\.[A-Za-z_]\w*|\b(?:and|or|not|null|true|false|length|select)\b")
_ENDS = re.compile(r"\b(?:assert|exit|exitCode|raise|fail|throw|die|abort|SystemExit)\b")


def how_to_fail(words: list[str] | None) -> str:
    """Return how a simple command that only prints would fail; an empty string if it can fail, or may."""
    row = _PRINTERS.get(words[0]) if words else None
    return row[1] if words and row and row[0](words[1:]) else ""


def _options(operands: list[str]) -> list[str]:
    return [word for word in operands if word.startswith("-")]


def _has(operands: list[str], long: str, short: str = "") -> bool:
    """Return whether an option is given: in full, with a value, or as a letter among others."""
    return any(
        word.partition("=")[0] == long or (short and not word.startswith("--") and short in word[1:])
        for word in _options(operands)
    )


def _find(operands: list[str]) -> bool:
    """Whether find only lists: ``-exec … +`` has the status of its program (POSIX.1-2017, find)."""
    narrows = {"-name", "-iname", "-path", "-regex", "-type", "-size", "-empty", "-newer", "-mtime", "-perm", "-user"}
    return bool(narrows.intersection(operands)) and not (
        {"-exec", "-execdir", "-ok", "-okdir", "-files0-from"} & set(operands) and "+" in operands
    )


def _fd(operands: list[str]) -> bool:
    status = (("--quiet", "q"), ("--exec", "x"), ("--exec-batch", "X"), ("--has-results", ""))
    return not any(_has(operands, long, short) for long, short in status)


def _jq(operands: list[str]) -> bool:
    """Whether a filter follows names and compares: others fail on what they cannot read (jq 1.7, manual).

    What names nothing (``.``, ``empty``, ``length``) asks whether the file is JSON, and fails if it is not.
    """
    program = next((word for word in operands if not word.startswith("-")), ".")
    plain = _QUOTED.sub("", program)
    is_path = re.search(r"\.[A-Za-z_]", plain) and not re.search(r"[A-Za-z$\[\]{}@]", _JQ_NAME.sub("", plain))
    return bool(is_path) and not _has(operands, "--exit-status", "e") and not _has(operands, "--from-file", "f")


def _sed(operands: list[str]) -> bool:
    """Whether no command of a script is ``q`` or ``Q``, which can give the exit status (GNU sed, 4.6)."""
    given = [word for before, word in pairwise(operands) if before.startswith("-") and before.endswith("e")]
    scripts = given or [word for word in operands if not word.startswith("-")][:1]
    ends = ("q" in _SED_ADDRESS.sub("", script).lower() for script in scripts)
    is_known = bool(scripts) and not _has(operands, "--expression") and not _has(operands, "--file", "f")
    return is_known and not any(ends)


def _awk(operands: list[str]) -> bool:
    return bool(operands) and not _has(operands, "--file", "f") and not any("exit" in word for word in operands)


def _git(operands: list[str]) -> bool:
    match operands:
        case ["ls-files", *rest]:
            return not _has(rest, "--error-unmatch")
        case ["status", *_]:
            return True
        case ["diff", *rest]:
            return not any(_has(rest, long) for long in ("--exit-code", "--quiet", "--check", "--no-index"))
        case ["tag" | "branch", "-l" | "--list", *rest]:
            return not _has(rest, "--contains")
        case ["stash" | "worktree", "list"] | ["remote"] | ["remote", "-v"]:
            return True
        case ["log" | "shortlog", *rest]:
            return not _revisions(rest)
    return False


def _revisions(operands: list[str]) -> list[str]:
    """Return what an option of git log does not take as its value: a name that may be unknown."""
    before_paths = operands[: operands.index("--") if "--" in operands else None]
    values = ("--grep", "--author", "--committer", "--since", "--until", "--after", "--before", "-S", "-G", "-n", "-L")
    pairs = zip(["", *before_paths], before_paths, strict=False)
    return [word for before, word in pairs if not word.startswith("-") and before not in values]


def _python(operands: list[str]) -> bool:
    """Whether a script's last statement prints a comparison, or makes one whose answer nothing reads."""
    if operands[:1] != ["-c"] or len(operands) < 2 or _ENDS.search(operands[1]):
        return False
    try:
        last = ast.parse(operands[1]).body[-1]
    except (SyntaxError, ValueError, IndexError, RecursionError, MemoryError):
        return False
    match last:
        case ast.Expr(ast.Call(ast.Name("print"), values, _)):
            return bool(values) and all(map(_compares, values))
        case ast.Expr(value):
            return _compares(value)
    return False


def _compares(value: ast.expr) -> bool:
    """Return whether an expression is true or false, and fails for neither."""
    match value:
        case ast.BoolOp(_, parts):
            return all(map(_compares, parts))
        case ast.Call(ast.Attribute(_, "startswith" | "endswith")):
            return True
    return isinstance(value, ast.Compare) or (isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not))


def _node(operands: list[str]) -> bool:
    """Whether a script prints a comparison: with -p its value, with -e as its last call.

    What searches with a function may find nothing, and fails as it reads that.
    """
    if len(operands) < 2 or _ENDS.search(operands[1]) or "=>" in operands[1]:
        return False
    last = _last_statement(operands[1])
    is_value = operands[0] in ("-p", "-pe", "--print")
    is_logged = operands[0] in ("-e", "--eval") and last.startswith("console.log(")
    return (is_value or is_logged) and bool(_COMPARED.search(last))


def _ruby(operands: list[str]) -> bool:
    """Whether a script's last statement prints a comparison, or makes one whose answer nothing reads."""
    return _says(operands, "-e", "puts", "print", "p", "pp")


def _php(operands: list[str]) -> bool:
    return _says(operands, "-r", "echo", "print", "var_dump(", "print_r(")


def _says(operands: list[str], option: str, *words: str) -> bool:
    if option not in operands[:-1]:
        return False
    script = operands[operands.index(option) + 1]
    last = _last_statement(script)
    return last.startswith(words) and not _ENDS.search(script) and bool(_COMPARED.search(last.replace("=>", "")))


def _if_present(operands: list[str]) -> bool:
    return "--if-present" in operands and (
        "--" not in operands or operands.index("--") > operands.index("--if-present")
    )


def _last_statement(script: str) -> str:
    return re.split(r"[;\n]", _QUOTED.sub("''", script).rstrip(" ;\n"))[-1].strip()


def _perl(operands: list[str]) -> bool:
    letters = "".join(word[1:] for word in _options(operands) if word[1:2] not in ("-", "M", "m", "I"))
    return "n" in letters and "e" in letters and not any(_ENDS.search(word) for word in operands)


def _sort(operands: list[str]) -> bool:
    return not any(_has(operands, long, short) for long, short in (("--check", "c"), ("--check", "C")))


_EMPTY = 'compare the output, test -n "$(…)"'
_JQ = "-e makes null and false fail"
_SCRIPT = "let it exit with 1 (assert, abort, process.exit)"

# Each program: whether a call with these operands only prints, and what makes it fail instead.
_PRINTERS: dict[str, tuple[Callable[[list[str]], bool], str]] = {
    "find": (_find, _EMPTY),
    "fd": (_fd, "-q fails where nothing is found"),
    "fdfind": (_fd, "-q fails where nothing is found"),
    "jq": (_jq, _JQ),
    "yq": (_jq, _JQ),
    "sed": (_sed, "grep -q fails where nothing is found"),
    "awk": (_awk, "exit 1 in an END block"),
    "gawk": (_awk, "exit 1 in an END block"),
    "mawk": (_awk, "exit 1 in an END block"),
    "git": (_git, "git ls-files --error-unmatch, git diff --exit-code, or " + _EMPTY),
    "python": (_python, _SCRIPT),
    "python3": (_python, _SCRIPT),
    "node": (_node, _SCRIPT),
    "perl": (_perl, "exit 1 in an END block"),
    "ruby": (_ruby, _SCRIPT),
    "php": (_php, _SCRIPT),
    "sort": (_sort, _EMPTY),
    **dict.fromkeys(("cut", "paste", "column", "comm", "tree", "uniq"), (bool, _EMPTY)),
    **dict.fromkeys(("npm", "pnpm", "yarn"), (_if_present, "leave out --if-present")),
}
