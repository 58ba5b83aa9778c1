"""Find where code defines a default: a parameter, field, constant, environment variable's fallback or key. Pure."""

from __future__ import annotations

import re

from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# How certain it is that a place defines the default: a declaration, a key of a mapping, a passed value.
DECLARED, KEYED, PASSED = 3, 2, 1
# The most characters of a line before a name: people write shorter lines, and each name reads all of them.
LONGEST = 400
_LITERAL = (
    r"(?P<value>[rbuf]?\"(?:[^\"\\\n]|\\.){0,200}\"|[rbuf]?'(?:[^'\\\n]|\\.){0,200}'|`[^`\n]{0,200}`|-?\d[\d_]*(?:\.\d+)*(?:[a-z]{1,2}\b)?|"
    r"(?:[Tt]rue|[Ff]alse|None|null|nil|undefined)\b|[A-Za-z_][\w.]*)(?P<after>\s*[*(\[.+]?)"
)
_FIELD = re.compile(rf"^\s*[?!]?\s*:\s*[^=\n]{{1,160}}?=\s*(?:\w+\.)?Field\(\s*(?:default\s*=\s*)?{_LITERAL}", re.S)
_TYPED = re.compile(
    rf"^\s*[?!]?\s*:\s*(?:[^=\n,;{{}}()]|\[[^\]\n]*\]|\([^)\n]*\)|\"[^\"]*\"){{1,160}}?=(?!=|>)\s*{_LITERAL}"
)
_GO_TYPED = re.compile(rf"^\s+[\w.\[\]*]+\s*=\s*{_LITERAL}")
_ASSIGNED = re.compile(rf"^[\"']?\s*(?::=|=)(?!=|>)\s*{_LITERAL}")
_MAPPED = re.compile(rf"^[\"'`]?\s*:\s*{_LITERAL}")
_FALLBACK = re.compile(rf"^[\"'`]\]?\s*(?:,|\)\s*(?:\?\?|\|\||or\b))\s*(?:default\s*=\s*)?{_LITERAL}")
_OR = re.compile(rf"^\]?\s*(?:\?\?|\|\|)\s*{_LITERAL}")
_SHELL = re.compile(r"^:[-=](?P<value>[^}\n]*)\}(?P<after>)")
_ENV_CALL = re.compile(
    r"(getenv|environ\.get|(?<![sS])get_?env\w*|\benv\w*|SetDefault|setdefault|\w*Var\w*|config\w*|pop|get|Flags?\(\)\.\w+|option)\(\s*(?:&?[\w.]+\s*,\s*)?[\"'`]$",
    re.I,
)
_CONSTANT = re.compile(
    r"^\s*(?:export\s+|pub\s+|static\s+|final\s+|const\s+|let\s+|var\s+|public\s+|private\s+|readonly\s+|self\.|this\.|ARG\s+|ENV\s+|[\w<>]+\s+)*$"
)


@frozen
class Definition:
    """A place that gives a name a value: its line, the value as written, and how certainly this is a default."""

    line: int
    value: str
    strength: int

    @property
    def is_opaque(self) -> bool:
        """Return whether the value is an expression, about which nothing is known."""
        return self.value == ""


def spellings(name: str) -> tuple[str, ...]:
    """Return the possible spellings of a name in code: its last part, other separators, lower case."""
    last = name.rpartition(".")[2]
    found = [name, last] if last != name and len(last) > 3 else [name]
    for one in list(found):
        found += [one.replace("-", "_"), one.replace("_", "-")]
        if one.isupper():
            found.append(one.lower())
        if "-" in one or ("_" in one and not one.isupper()):
            head, *rest = re.split(r"[-_]", one)
            found.append(head + "".join(part[:1].upper() + part[1:] for part in rest))
        if re.search(r"[a-z][A-Z]", one):
            found.append(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", one).lower())
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", last).replace("-", "_")
    pascal = "".join(part[:1].upper() + part[1:].lower() for part in snake.split("_"))
    if "_" in snake and not snake.upper().startswith("DEFAULT"):
        found += [f"DEFAULT_{snake.upper()}", f"Default{pascal}", f"default{pascal}"]
    return tuple(dict.fromkeys(one for one in found if one))


def find_definitions(text: str, names: Iterable[str]) -> list[Definition]:
    """Return the definitions of a name in a text, in order."""
    found = []
    line, counted = 1, 0
    for at, name in sorted(_occurrences(text, names)):
        start = text.rfind("\n", max(at - LONGEST, 0), at) + 1
        if start == 0 and at > LONGEST:  # minified code, or data
            continue
        line, counted = line + text.count("\n", counted, at), at
        before, after = text[start:at], text[at + len(name) : at + len(name) + 400]
        if re.match(r"^\s*(#(?!define)|//|\*|--|<!--)", before):
            continue
        one = _definition(before, after)
        if one is not None:
            found.append(Definition(line, *one))
    return found


def _occurrences(text: str, names: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the positions of whole names in a text; one string is found many times faster than any of several."""
    for name in dict.fromkeys(names):
        at = text.find(name)
        while at >= 0:
            before, after = text[at - 1 : at], text[at + len(name) : at + len(name) + 1]
            if not _is_in_name(before) and (not _is_in_name(after) or after == "$"):
                yield at, name
            at = text.find(name, at + len(name))


def _is_in_name(char: str) -> bool:
    return char.isalnum() or char in ("_", "$", "-") if char else False


def _definition(before: str, after: str) -> tuple[str, int] | None:
    line = after.partition("\n")[0]
    if before.endswith("${") and (shell := _SHELL.match(after)):
        return shell["value"], DECLARED
    if (field := _FIELD.match(after)) is not None:
        return _value(field), DECLARED
    if before.endswith((".", "->")) and not re.search(r"(self|this|process\.env|env|defaults?)\.$", before, re.I):
        return None
    if re.search(r"process\.env\.$|env\.$|process\.env\[[\"']$", before) and (
        fallback := _OR.match(line.lstrip("\"'`"))
    ):
        return _value(fallback), DECLARED
    if before.endswith(('"', "'", "`")):
        if _ENV_CALL.search(before) and (fallback := _FALLBACK.match(line)):
            return _value(fallback), DECLARED
        mapped = _MAPPED.match(line)
        return (_value(mapped), KEYED) if mapped else None
    if (typed := _TYPED.match(line)) is not None:
        return _value(typed), DECLARED
    if _CONSTANT.match(before) and (go := _GO_TYPED.match(line)):
        return _value(go), DECLARED
    if (assigned := _ASSIGNED.match(line)) is not None:
        is_spaced = re.match(r"^\s+(:=|=)\s", line) is not None
        is_local = (before[:1].isspace() and re.match(r"^\s+(const|let|var|auto)\s", before)) or (
            before[:1].isspace() and ":=" in assigned[0]
        )
        is_declared = (
            not is_local and _CONSTANT.match(before) and (is_spaced or re.search(r"(ARG|ENV|const|export)\s+$", before))
        )
        is_parameter = re.search(r"\b(def|function|func|fn)\b", before) is not None
        return _value(assigned), DECLARED if is_declared or is_parameter else PASSED
    if (mapped := _MAPPED.match(line)) is not None:
        return _value(mapped), KEYED
    return None


def _value(found: re.Match[str]) -> str:
    """Return a literal without quotes; empty for an expression."""
    value = found["value"]
    after = found["after"].strip()
    if "${" in value or (value[:1] == "f" and "{" in value):
        return ""
    if value[-1:] in "\"'`" and value:
        inner = re.sub(r"^[rbuf]?[\"'`]|[\"'`]$", "", value)
        return "" if after in ("+", ".", "(", "[") else inner or "''"
    if re.match(r"^[A-Za-z_]", value) and value.lower() not in ("true", "false", "none", "null", "nil", "undefined"):
        return ""
    return "" if after in ("*", "(", "[", "+") else value


def is_same(stated: str, actual: str) -> bool:
    """Return whether two values are the same in meaning."""
    return _plain(stated) == _plain(actual)


def _plain(value: str) -> str:
    text = value.strip().strip("\"'`").lower()
    text = {"nil": "none", "null": "none", "undefined": "none", "on": "true", "off": "false", "''": ""}.get(text, text)
    number = text.replace("_", "").replace(",", "")
    if re.match(r"^-?\d+(\.\d+)?$", number):
        return f"{float(number):g}" if len(number) < 15 else number
    return text.rstrip("/")


def is_nothing(value: str) -> bool:
    """Return whether a value means that there is none."""
    return _plain(value) in ("none", "")
