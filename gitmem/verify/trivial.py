"""Recognise checks that cannot fail and so prove nothing, and suggest a built-in check where one fits.

Only certain cases are reported: a command with more than simple commands (``if``, loops, functions) is assumed to be
able to fail. Others are found by running them in an empty folder (``judge.Judge.is_weak``).
"""

from __future__ import annotations

import operator
import re
import shlex

from gitmem.document.builtin_checks import parse_arguments, row_of
from gitmem.errors import RefusedError
from gitmem.model import BUILTIN, PROGRAM, SHELL, Check
from gitmem.verify.printers import how_to_fail

# Commands that succeed whatever the code is, and those that do so at the end of a pipeline, whose status is that of its
# last command (POSIX.1-2017, Shell and Utilities; Shell Command Language, 2.9.2).
HARMLESS = frozenset(
    {"true", ":", "echo", "printf", "pwd", "sleep", "date", "whoami", "hostname", "id", "env", "uname", "set"}
)
FILTERS = frozenset({"cat", "tee", "tail", "head", "uniq", "wc", "tr", "cut", "nl", "fold", "less", "more"})
SHELLS = frozenset({"sh", "bash", "dash"})
# Paths that exist wherever a check runs.
ALWAYS_THERE = frozenset({".", "./", "..", "../", "/", "/dev/null", "/tmp", "/etc", "/usr", "/bin"})  # noqa: S108
# Words that begin a compound command.
COMPOUND = frozenset({"if", "for", "while", "until", "case", "{", "[[", "function", "trap", "return", "break"})
# Contents without anything in common: a pattern found in all of them is found in every file.
UNLIKE = (b"", b"a", b"Z", b"7", b"_", b" ", b"\n", b"\0", b"\xff", b"\xc3\xa4.\n-")
COMPARED = {
    "-eq": operator.eq, "-ne": operator.ne, "-lt": operator.lt, "-le": operator.le, "-gt": operator.gt,
    "-ge": operator.ge,
}  # fmt: skip
_OPERATOR = re.compile(r"\|\||&&|[;|&\n]")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
# What may end a command early, or with another status than that of its last command.
_ENDS = re.compile(r"\b(?:exit|return|false|set|trap|kill|exec|eval)\b|\$\{\w+:?\?")
_NUMBER = re.compile(r"-?\d{1,9}")
_TO_NOWHERE = re.compile(r"[12&]?>>?\s*(?:/dev/null|&[12])(?=\s|$)")
_REDIRECTION = re.compile(r"\d?[<>]")
_HERE_DOCUMENT = re.compile(
    r"(?P<program>\w+) (?:- )?<<-? ?(?P<quote>['\"]?)(?P<end>\w+)(?P=quote)\n(?P<script>.*)\n[ \t]*(?P=end)", re.DOTALL
)
_SCRIPT_OPTION = {"python": "-c", "python3": "-c", "node": "-e", "ruby": "-e"}
# Unquoted, only characters that no shell expands; a line feed would separate two patterns of grep.
_TEXT = r"[\w./@:=,%+^][\w./@:=,%+^-]*|'[^'\n]*'|\"[^\"$`\\\n]*\""
_GREP = re.compile(rf"grep (?:-[qFs]+ )*-?[qF]*q[qFs]* (?:-- )?({_TEXT}) ([\w./*@+][\w./*@+-]*)")
_TEST = re.compile(r"(?:test|\[) -[fed] ([\w./@+][\w./@+-]*)(?: \])?")
# Patterns with the same meaning for grep (POSIX.1-2017, 9.3, Basic Regular Expressions) and re2.
_SAME_REGEX = re.compile(r"\^?(?:[^\\^$.*\[\]+?(){}|]\*?|\.\*?)*\$?")


def why_trivial(check: Check) -> str:
    """Return why a check cannot fail, or an empty string if it may."""
    if check.form == BUILTIN:
        return _why_builtin(check)
    if check.form == PROGRAM:
        command = " ".join(check.words)
        is_harmless = not command.strip() or _part_value(shlex.join(check.words))
        return _why_harmless(command, shlex.join(check.words)) if is_harmless else ""
    command = _with_argument(check.words[0].strip())
    if not command:
        return "the command is empty"
    if _is_only_said(command):
        return f"{command!r} succeeds whichever branch it takes: let a branch end with `exit 1`"
    statements = _parse(command)
    if statements and _goes_first(statements[0]):
        del statements[0][0]
    if statements is None or not _value(statements):
        return ""
    parts = [part for statement in statements for _, pipeline in statement for part in pipeline]
    if len(parts) != 1 and all(_part_value(part) for part in parts):
        return f"{command!r} succeeds whatever the code is"
    if command.rstrip().endswith("&"):
        return "it ends in '&', so the result does not depend on the background command"
    if len(parts) == 1 or how_to_fail(_words(parts[-1])):
        return _why_harmless(parts[-1], parts[-1])
    return f"it ends in {parts[-1]!r}, which succeeds whatever comes before it"


def _with_argument(command: str) -> str:
    """Return a command that is one interpreter with a here document as `python3 -c SCRIPT`; others as they are.

    Source: POSIX.1-2017, Shell Command Language, 2.7.4.
    """
    match = _HERE_DOCUMENT.fullmatch(command)
    option = match and _SCRIPT_OPTION.get(match["program"])
    return f"{match['program']} {option} {shlex.quote(match['script'])}" if match and option else command


def _goes_first(statement: _AndOr) -> bool:
    """Return whether a list is `cd FOLDER && PROGRAM …`, where the program only prints."""
    words = [_words(pipeline[-1]) for _, pipeline in statement]
    return len(words) > 1 and words[0] is not None and words[0][:1] == ["cd"] and bool(how_to_fail(words[-1]))


def _why_harmless(shown: str, part: str) -> str:
    """Return why a simple command that always succeeds proves nothing, with what would let it fail."""
    if repair := how_to_fail(_words(part)):
        return f"{shown!r} prints what it finds, and succeeds also when it finds nothing: {repair}"
    return f"{shown!r} succeeds whatever the code is"


def _is_only_said(command: str) -> bool:
    """Return whether a command is one `if` that only says something: `if a; then echo ok; else echo bad; fi`."""
    words = command.split()
    is_whole = words[:1] == ["if"] and words[-1:] == ["fi"] and len(COMPOUND.intersection(words)) == 1
    if not is_whole or words.count("if") > 1 or _ENDS.search(command) or "elif" in words:
        return False
    body, is_else, other = command.rstrip().removesuffix("fi").partition("then")[2].partition("else")
    branches = [_parse(branch.strip(" ;\n\t")) for branch in ([body, other] if is_else else [body])]
    return all(branch and _value(branch) for branch in branches)


def needs_code(check: Check) -> bool:
    """Return whether a check certainly fails in an empty folder: it greps or tests for a file below it.

    Only certain cases are found, so that they need no run: ``grep -q TEXT FILE``, ``test -f FILE``, and these among
    commands that are joined by ``&&``.
    """
    words = check.words
    command = words[0] if check.form == SHELL else shlex.join(words) if check.form == PROGRAM else ""
    statements = _parse(command) if command else None
    if statements is None or len(statements) != 1 or any(before not in ("", "&&") for before, _ in statements[0]):
        return False
    matches = (
        _GREP.fullmatch(part) or _TEST.fullmatch(part) for _, pipeline in statements[0] for part in pipeline[-1:]
    )
    paths = (each[each.re.groups] for each in matches if each)
    return any(not path.startswith("/") and not {".", ".."} & set(path.split("/")) for path in paths)


def refuse_trivial(key: str, check: Check) -> None:
    """Refuse the check of a memory if it cannot fail, with RefusedError."""
    if why := why_trivial(check):
        hint = 'it must fail while the fact is false, as grep -q, jq -e and test "$(…)" = VALUE do'
        raise RefusedError(f"{key}: a check that cannot fail proves nothing: {why}", hint=hint)


def _why_builtin(check: Check) -> str:
    """Return why a built-in check always gives one answer, its pattern being in every text; or an empty string."""
    row = row_of(check)
    if not row.is_about_any:
        return ""
    probe = row.probe(parse_arguments(check.words)) if row.probe else None
    if probe is None or not all(probe("", content) for content in UNLIKE):
        return ""
    return f"{check.words[1]!r} matches every file" if check.words[1] else "every file contains an empty text"


# An and-or list: pipelines, each with the operator before it. A statement in the background has the operator "&".
_AndOr = list[tuple[str, list[str]]]


def _parse(command: str) -> list[_AndOr] | None:
    """Parse a command into statements; None if it has anything but simple commands.

    Source: POSIX.1-2017, Shell Command Language, 2.9.3, Lists.
    """
    split = _split(command)
    if split is None:
        return None
    statements: list[_AndOr] = [[]]
    before = ";"
    for text, behind in split:
        if not text:
            if before in ("&&", "||", "|") and behind != "\n":
                return None  # an operator without a right operand
            continue
        if before == "|":
            statements[-1][-1][1].append(text)
        elif before in ("&&", "||"):
            statements[-1].append((before, [text]))
        else:
            statements.append([("", [text])])
        if behind == "&":
            statements[-1][0] = ("&", statements[-1][0][1])
        before = behind
    return [statement for statement in statements if statement]


def _split(command: str) -> list[tuple[str, str]] | None:
    """Split a command into simple commands, each with the operator after it; None if it has anything else.

    Quotes, escapes and command substitutions stay in their words; comments are removed.
    """
    pieces: list[tuple[str, str]] = []
    text, quote, depth, at = "", "", 0, 0
    while at < len(command):
        char, size = command[at], 1
        stop = None if quote or depth else _OPERATOR.match(command, at)
        if char == "\\" and quote != "'":
            char, size = command[at : at + 2], 2
        elif quote:
            quote = "" if char == quote else quote
        elif char in "'\"`":
            quote = char
        elif depth or (char == "(" and text.endswith("$")):
            depth += {"(": 1, ")": -1}.get(char, 0)
        elif char in "()" or command.startswith("<<", at):
            return None
        elif char == "#" and (not text or text[-1].isspace()):
            char, size = "", (command + "\n").index("\n", at) - at
        elif stop and not (char == "&" and (text.endswith(">") or command.startswith("&>", at))):
            pieces.append((text.strip(), stop[0]))
            text, char, size = "", "", len(stop[0])
        text += char
        at += size
    return None if quote or depth else [*pieces, (text.strip(), "")]


def _value(statements: list[_AndOr]) -> bool | None:
    """Return the constant result of a command: True for success; None if it depends."""
    parts = [part for statement in statements for _, pipeline in statement for part in pipeline]
    if any(part.split()[0] in COMPOUND for part in parts):
        return None
    # An author who exits early, or uses `set -e`, has a reason.
    is_strict = any(re.match(r"set\s+-\w*[eo]", part) for part in parts)
    ends_early = any(part.split()[0] == "exit" for part in parts[:-1])
    value: bool | None = True
    for statement in statements:
        before = value
        if statement[0][1] != ["exit"]:  # `exit` alone keeps the status of the command before it
            value = _list_value(statement, is_strict=is_strict)
        if value is not True and ends_early:
            return None
        if is_strict and before is not True:
            return None
        if ends_early and any(pipeline[0].split()[0] == "exit" for _, pipeline in statement):
            return value
    return value


def _list_value(statement: _AndOr, *, is_strict: bool) -> bool | None:
    value: bool | None = True
    for joined, pipeline in statement:
        own = _pipeline_value(pipeline, is_strict=is_strict)
        may_leave = joined and own is not True and pipeline[0].split()[0] == "exit"
        if may_leave and value is not (joined == "||"):  # `grep -q … && exit 1 || exit 0`: what follows is not run
            return None
        if joined == "&&":
            value = False if value is False or own is False else (own if value else None)
        elif joined == "||":
            value = True if value or own else (own if value is False else None)
        else:
            value = own
    return True if statement[0][0] == "&" else value


def _pipeline_value(pipeline: list[str], *, is_strict: bool) -> bool | None:
    is_negated = pipeline[0].startswith("! ")
    if len(pipeline) == 1:
        value = _part_value(pipeline[0].removeprefix("! "))
    else:
        value = None if is_strict else _part_value(pipeline[-1], ends_pipeline=True)
    return value if value is None or not is_negated else not value


def _part_value(part: str, *, ends_pipeline: bool = False) -> bool | None:
    """Return the constant result of a simple command; None if it depends."""
    words = _words(part)
    if words is None or any(_REDIRECTION.match(word) for word in words):
        return None
    if not words:
        return None if "`" in part or "$(" in part else True
    name, operands = words[0], words[1:]
    if name in SHELLS and operands[:1] == ["-c"] and len(operands) > 1:
        inner = _parse(operands[1])
        return _value(inner) if inner else None
    return True if how_to_fail(words) else _find_value(name, operands, ends_pipeline=ends_pipeline)


def _words(part: str) -> list[str] | None:
    """Return a simple command's program, without its folder, and operands; None if they cannot be told."""
    try:
        words = shlex.split(_TO_NOWHERE.sub("", part))
    except ValueError:
        return None
    while words and (_ASSIGNMENT.match(words[0]) or words[0] in ("command", "builtin")):
        del words[0]
    return [words[0].rsplit("/", 1)[-1] or words[0], *words[1:]] if words else words


def _find_value(name: str, operands: list[str], *, ends_pipeline: bool) -> bool | None:
    if name == "false":
        return False
    if name == "exit":
        return {(): True, ("0",): True, ("1",): False}.get(tuple(operands))
    if name in ("test", "["):
        return _test_value([word for word in operands if word != "]"])
    if name == "cd":
        return True if operands and operands[0] in ALWAYS_THERE else None
    if name == "ls":
        return True if all(word.startswith("-") for word in operands) else None
    if name == "env":
        return None if operands else True
    return True if name in HARMLESS or (ends_pipeline and name in FILTERS) else None


def _test_value(operands: list[str]) -> bool | None:
    """Return the result of ``test`` for constant words. Source: POSIX.1-2017, test."""
    if any(sign in word for word in operands for sign in "$`*?"):
        return None
    match operands:
        case []:
            return False
        case ["!", *others]:
            value = _test_value(others)
            return None if value is None else not value
        case [word]:
            return bool(word)
        case ["-n" | "-z" as sign, word]:
            return bool(word) == (sign == "-n")
        case ["-e" | "-d" | "-r" | "-x" | "-s", place] if place in ALWAYS_THERE - {"/dev/null"}:
            return True
        case ["-e" | "-r", "/dev/null"]:
            return True
        case [left, "=" | "==", right]:
            return left == right
        case [left, "!=", right]:
            return left != right
        case [left, sign, right] if sign in COMPARED and _NUMBER.fullmatch(left) and _NUMBER.fullmatch(right):
            return bool(COMPARED[sign](int(left), int(right)))
    return None


def suggest_builtin(check: Check) -> str:
    """Return the options of a built-in check equivalent to a plain ``grep -q`` or ``test -f``, or an empty string.

    A built-in check needs no approval, no process and no checkout, and its inputs are known exactly.
    """
    if check.form != SHELL:
        return ""
    command = check.words[0].strip()
    match = _TEST.fullmatch(command)
    if match:
        return f"--exists {match[1]}"
    match = _GREP.fullmatch(command)
    if not match or not re.search(r"-\w*q", command):
        return ""
    text = match[1].strip("'\"")
    plain = not re.search(r"[\\^$.*\[\]]", text) or re.search(r"-\w*F", command)
    if not text or text.startswith("-") or not (plain or _SAME_REGEX.fullmatch(text)):
        return ""
    shown = match[1] if match[1][0] in "'\"" else f"'{text}'"
    return f"--{'contains' if plain else 'matches'} {shown} --in {match[2]}"
