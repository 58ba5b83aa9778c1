"""Checks that cannot fail prove nothing: recognise the plain ones, and suggest a built-in check where one fits."""

from __future__ import annotations

import re

from gitmem.model import BUILTIN, PROGRAM, SHELL, Check

# Commands that succeed whatever the code says (POSIX.1-2017, Shell and Utilities).
HARMLESS = frozenset(
    {"true", ":", "echo", "printf", "pwd", "sleep", "date", "whoami", "hostname", "id", "env", "uname"}
)
_SEPARATORS = re.compile(r"\|\||&&|[;|&\n]")
# One after which the end of a command stands whatever came before it; `&&` is none.
_ENDS = re.compile(r"\|\||;|\n")
# Unquoted, only what no shell expands; a line feed would separate two patterns of grep's.
_TEXT = r"[\w./@:=,%+^][\w./@:=,%+^-]*|'[^'\n]*'|\"[^\"$`\\\n]*\""
_GREP = re.compile(rf"grep (?:-[qFs]+ )*-?[qF]*q[qFs]* (?:-- )?({_TEXT}) ([\w./*@+][\w./*@+-]*)")
_TEST = re.compile(r"(?:test|\[) -[fed] ([\w./@+][\w./@+-]*)(?: \])?")
# What means the same to grep (POSIX.1-2017, 9.3, Basic Regular Expressions) and to re2.
_SAME_REGEX = re.compile(r"\^?(?:[^\\^$.*\[\]+?(){}|]\*?|\.\*?)*\$?")


def why_trivial(check: Check) -> str:
    """Return why a check cannot fail, or an empty string where it may."""
    if check.form == BUILTIN:
        if check.words[0] in ("contains", "matches", "lacks") and not check.words[1]:
            return "an empty text is in every file"
        return ""
    if check.form == PROGRAM:
        command = " ".join(check.words)
        name = check.words[0].rsplit("/", 1)[-1] if check.words else ""
        is_harmless = name in HARMLESS and not (name == "env" and len(check.words) > 1)
        return f"{command!r} succeeds whatever the code says" if is_harmless or not command.strip() else ""
    command = check.words[0].strip()
    if not command:
        return "the command is empty"
    parts = [part.strip() for part in _SEPARATORS.split(command)]
    if all(_is_harmless(part) for part in parts):
        return f"{command!r} succeeds whatever the code says"
    tail = _tail(command)
    return f"it ends in {tail!r}, which succeeds whatever was before it" if tail else ""


def _tail(command: str) -> str:
    """Return what a command ends in where that succeeds whatever was before it, or an empty string."""
    ends = list(_ENDS.finditer(command))
    if not ends:
        return ""
    before, tail = command[: ends[-1].start()], command[ends[-1].end() :].strip()
    is_quoted = before.count("'") % 2 or before.count('"') % 2
    # `exit` alone has the status of what was before it, as a comment and nothing at all leave it.
    says_nothing = not tail or tail.startswith("#") or tail == "exit"
    return "" if is_quoted or says_nothing or not _is_harmless(tail) else tail


def _is_harmless(part: str) -> bool:
    words = part.split()
    if not words or part.startswith("#"):
        return True
    name = words[0].rsplit("/", 1)[-1] or words[0]
    if name == "exit":
        return words[1:] in ([], ["0"])
    if name in ("test", "["):
        operands = [w for w in words[1:] if w != "]"]
        if len(operands) == 1:
            return not any(sign in operands[0] for sign in "$`")
        return len(operands) == 3 and operands[0] == operands[2] and operands[1] in ("=", "-eq")
    return name in HARMLESS and not (name == "env" and len(words) > 1)


def suggest_builtin(check: Check) -> str:
    """Return the options that say the same as a plain ``grep -q`` or ``test -f``, or an empty string.

    A built-in check needs no approval, no process and no checkout, and its inputs are known exactly.
    """
    if check.form != SHELL:
        return ""
    command = check.words[0].strip()
    found = _TEST.fullmatch(command)
    if found:
        return f"--exists {found[1]}"
    found = _GREP.fullmatch(command)
    if not found or not re.search(r"-\w*q", command):
        return ""
    text = found[1].strip("'\"")
    plain = not re.search(r"[\\^$.*\[\]]", text) or re.search(r"-\w*F", command)
    if not text or text.startswith("-") or not (plain or _SAME_REGEX.fullmatch(text)):
        return ""
    shown = found[1] if found[1][0] in "'\"" else f"'{text}'"
    return f"--{'contains' if plain else 'matches'} {shown} --in {found[2]}"
