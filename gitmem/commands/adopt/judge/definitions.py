"""Find where code defines a default: a parameter, field, constant, option, fallback or key. Pure.

A declaration is what the code would use as the default. An argument of a call, a local variable and the field of a
request pass a value; a mapping from one spelling of a name to another gives it none.
"""

from __future__ import annotations

import re
from bisect import bisect
from functools import lru_cache

from gitmem.commands.adopt.judge.scopes import BODY, CLASS, MAPPING, PARAMETERS, TOP, Scope, scope_of
from gitmem.commands.adopt.judge.values import plain_word
from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# How certain it is that a place defines the default: a declaration, a key of a configuration, a passed value.
DECLARED, KEYED, PASSED = 3, 2, 1
# The most characters of a line before a name: people write shorter lines, and each name reads all of them.
LONGEST = 400
_STRING = r"[rbuf]?\"(?:[^\"\\\n]|\\.){0,200}\"|[rbuf]?'(?:[^'\\\n]|\\.){0,200}'|`[^`\n]{0,200}`"
_NUMBER = r"-?(?:\d[\d_]*(?:\.\d+)*|\.\d+)(?:[a-z]{1,2}\d{0,3}\b|[fFLuUdD]\b)?"
_LITERAL = (
    rf"(?P<value>{_STRING}|{_NUMBER}|(?:[Tt]rue|[Ff]alse|None|null|nil|undefined)\b|\[\]|\{{\}}|[A-Za-z_$][\w$.:]*)"
)
# Spellings of one literal: `Some(5)`, `String::from("x")`, `5 * time.Second`, `timedelta(minutes=5)`.
_WRAPPED = re.compile(
    rf"(?:Some|String::from|Path|Decimal|int|float|str|bool|Number|Boolean|String|aws\.\w+|ptr\.\w+|Box::from)\(\s*{_LITERAL}\s*\)"
)
_TIMES = re.compile(r"(?P<number>\d[\d_]{0,30})\s{0,20}\*\s{0,20}time\.(?P<unit>Millisecond|Second|Minute|Hour)\b")
_DURATION = re.compile(
    r"(?:Duration::from_|(?:datetime\.)?timedelta\(\s*|Duration\.of|TimeSpan\.From)(?P<unit>millis|secs|mins|hours|days|minutes|seconds|milliseconds|Seconds|Minutes|Hours|Millis|Days|Milliseconds)"
    r"\s*[(=]\s*(?P<number>\d[\d_]*)\s*\)"
)
_PRODUCT = re.compile(r"\d[\d_]*(?:\s*\*\s*\d[\d_]*)+")
# What may follow a whole value. Anything else makes it a part of an expression.
_END = re.compile(
    r"(?:\.(?:to_string|into|to_owned)\(\)|\s+as\s+const|!)?\s*(?:[,;)\]}#\n]|//|/\*|--|\\\s*$|$|\s(?:#|//|as\b|satisfies\b|`json|`yaml))"
)
_FIELD = re.compile(
    r"^\s*(?:[?!]\s*)?:\s*(?P<type>[^=\n]{1,160}?)=\s*(?:\w+\.)?[fF]ield\(\s*(?:[^()\n]*?\bdefault\s*=\s*)?", re.S
)
_TYPED = re.compile(
    r"^\s*(?:[?!]\s*)?:\s*(?P<type>(?:[^=\n,;{}()]|\[[^\]\n]*\]|\([^)\n]*\)|\"[^\"]*\"){1,160}?)=(?!=|>)\s*"
)
_GO_TYPED = re.compile(r"^\s+[\w.\[\]*]+\s*=\s*")
_ASSIGNED = re.compile(r"^[\"']?\s*(?:\{\s*get;[^}\n]*\}\s*)?(?::=|\?=|=)(?!=|>)\s*")
_MAPPED = re.compile(r"^[\"'`]?\]?\s*:\s*")
_FALLBACK = re.compile(r"^[\"'`]\]?\s*(?:,|\)\s*(?:\?\?|\|\||or\b))\s*(?:default\s*=\s*)?")
_OR = re.compile(r"^[\"'`]?\]?\)?\s*(?:\?\?|\|\|)\s*")
_SHELL = re.compile(r"^:?[-=](?P<value>[^}\n]*)\}")
_ENV_CALL = re.compile(
    r"(getenv|getattr|environ\.get|(?<![sS])get_?env\w*|\benv\w*|SetDefault|setdefault|Var[P]?|config\w*|pop|get\w*|"
    r"Flags?\(\)\.\w+|flag\.\w+|option)\(\s*(?:&?[\w.]+\s*,\s*)?[\"'`]$",
    re.I,
)
# `add_argument("--size", type=int, default=5)`, `option("--size <n>", "text", 5)`: up to the end of the call.
_OPTION = re.compile(r"(?:^|[(,\s])[\"'`](?:-\w,?\s*[\"'`]?,?\s*[\"'`]?)?--?$")
_OPTION_DEFAULT = re.compile(r"[,(\s.]default(?:_value|Value)?(?:_t)?\s*[=:(]\s*")
_OPTION_LAST = re.compile(rf"^[^\"'`]*[\"'`]\s*,\s*(?:{_STRING})\s*,\s*")
_CHAINED = re.compile(r"^[\"'`]?\s*:\s*(?:z|v|t|Joi|yup|s)\.[^;\n]*?\.(?:default|catch)\(\s*")
_SCHEMA = re.compile(r"^[\"'`]?\s*:\s*\{[^{}]{0,700}?[\s{,][\"']?default[\"']?\s*:\s*")
_CONSTANT = re.compile(
    # Words (`export const`, `private static int`), of which any number may follow each other, before the name.
    r"^\s*(?:pub\([a-z]+\)\s+|self\.|this\.|[\w<>?\[\]]+\s+)*$"
)
_CONSTANT_START = re.compile(
    r"[ \t]*(?:[a-z]+[ \t]+)*(?:const|static|final|readonly)[ \t]+(?:\w+[ \t]+)?|(?:[a-z]+[ \t]+)*"
)
_CONSTANT_END = re.compile(rf"\b[^=\n(]{{0,60}}:?=[ \t]*{_LITERAL}[ \t]*(?:[;,#\n]|//|$)", re.M)
_LOCAL = re.compile(r"^\s+(?:const|let|var|auto|val)\s")
_OWNED = re.compile(r"(?:self|this|process\.env|env|defaults?)\.$", re.I)
_ACCESS = re.compile(r"(?:[\w)\]]\??\.|\[[\"'])$")
_SETTINGS = re.compile(r"default|config|setting|option|param|schema|preset|initial|env|pref", re.I)
_MAKES_DEFAULT = re.compile(r"^(?:new|default|with_?defaults?|get_?defaults?|create_?default)", re.I)
# Options of a build: `option(USE_CUDA "Build with CUDA" ON)` of CMake, `option('cuda', type: 'boolean', value: true)`
# of Meson. Source: cmake-commands(7), Meson's "Build options".
_BUILD_OPTION = re.compile(r"^[ \t]*(?:cmake_dependent_)?option[ \t]*\([ \t]*'?$", re.I)
_OF_CMAKE = re.compile(r"\s{1,80}\"[^\"]{0,400}\"(?:\s{1,80}(?P<value>[^\s)\"]{1,80}))?[\s)\"]")
_OF_MESON = re.compile(r"'[^)]{0,400}?\bvalue\s*:\s*(?P<value>'[^'\n]*'|[\w.-]+)\s*[,)]")
# What follows a name that gets a value; most names are only used.
_LEADS_ON = re.compile(r"[\"'`)\]]{0,3}[ \t]*(?:[:=?|,!}-]|\{ *get;|[\w.\[\]*]+[ \t]*=)")
_REMARK = re.compile(r"^\s*(?:#(?!define|\[)|//|\*|/\*|--|<!--|;)")


@frozen
class Definition:
    """A place that gives a name a value.

    Attributes:
        line: Its line.
        value: The value as written, without quotes; empty for an expression, about which nothing is known.
        strength: How certainly this is a default.
        scope: The names of what encloses it, outermost first.
        type: Its declared type, as written; empty if there is none.
        is_option: Whether it is an option of a command.
    """

    line: int
    value: str
    strength: int
    scope: tuple[str, ...] = ()
    type: str = ""
    is_option: bool = False

    @property
    def is_opaque(self) -> bool:
        """Return whether the value is an expression, about which nothing is known."""
        return self.value == ""


def spellings(name: str) -> tuple[str, ...]:
    """Return the possible spellings of a name in code: its last part, other separators, lower case."""
    last = name.rpartition(".")[2]
    found = [name, last] if last != name and len(last) > 3 else [name]
    for definition in list(found):
        found += [definition.replace("-", "_"), definition.replace("_", "-")]
        if definition.isupper():
            found.append(definition.lower())
        if "-" in definition or ("_" in definition and not definition.isupper()):
            head, *rest = re.split(r"[-_]", definition)
            found.append(head + "".join(part[:1].upper() + part[1:] for part in rest))
        if re.search(r"[a-z][A-Z]", definition):
            found.append(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", definition).lower())
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", last).replace("-", "_")
    pascal = "".join(part[:1].upper() + part[1:].lower() for part in snake.split("_"))
    if "_" in snake and not snake.upper().startswith("DEFAULT"):
        found += [pascal, f"DEFAULT_{snake.upper()}", f"Default{pascal}", f"default{pascal}"]
    return tuple(dict.fromkeys(path for path in found if path))


def find_definitions(text: str, names: Iterable[str]) -> Sequence[Definition]:
    """Return the definitions of a name in a text, in order."""
    return _find_definitions(text, tuple(names))


@lru_cache(maxsize=4000)  # of a place that agrees, and for each claim in its section
def _find_definitions(text: str, names: tuple[str, ...]) -> Sequence[Definition]:
    definitions = []
    line, counted = 1, 0
    for at, name in sorted(_occurrences(text, names)):
        start = text.rfind("\n", max(at - LONGEST, 0), at) + 1
        if start == 0 and at > LONGEST:  # minified code, or data
            continue
        line, counted = line + text.count("\n", counted, at), at
        if _REMARK.match(text[start:at]) or bisect(_docstrings(text), at) % 2:
            continue
        definition = _Place(text, start, at, name).definition(line)
        if definition is not None:
            definitions.append(definition)
    return definitions


@lru_cache(maxsize=64)
def _docstrings(text: str) -> list[int]:
    """Return where the docstrings of a text begin and end, in order."""
    return [match.start() for match in re.finditer(r"\"{3}", text)]


def _occurrences(text: str, names: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the positions of whole names in a text; one string is found many times faster than any of several."""
    for name in dict.fromkeys(names):
        at = text.find(name)
        while at >= 0:
            before, after = text[at - 1 : at], text[at + len(name) : at + len(name) + 1]
            is_option = text[at - 2 : at] == "--"
            is_whole = (is_option or not _is_in_name(before)) and (after == "$" or not _is_in_name(after))
            is_built = before in ("(", " ", "'") and "option" in text[max(0, at - 9) : at].lower()
            if is_whole and (is_option or is_built or _LEADS_ON.match(text, at + len(name))):
                yield at, name
            at = text.find(name, at + len(name))


def _is_in_name(char: str) -> bool:
    return char.isalnum() or char in ("_", "$", "-") if char else False


def _unit(word: str) -> str:
    """Return the usual letters of a unit of time."""
    return "ms" if word.startswith("milli") else word[0]


class _Place:
    """One occurrence of a name, with the code around it."""

    def __init__(self, text: str, start: int, at: int, name: str) -> None:
        self._text, self._start, self._name = text, start, name
        self._before, self._after = text[start:at], text[at + len(name) : at + len(name) + 900]
        self._rest = self._after.partition("\n")[0]

    def definition(self, line: int) -> Definition | None:
        """Return what the occurrence defines; None if it defines nothing."""
        if itself := self._itself():
            value, kind = itself
            is_option = _OPTION.search(self._before) is not None
            return None if value is None else Definition(line, value, DECLARED, self._scope.names, kind, is_option)
        if self._before.endswith((".", "->")) and not _OWNED.search(self._before):
            return None
        return self._by_place(line)

    @property
    def _scope(self) -> Scope:
        """Return what encloses it, with what it is read from on its line: `options.pool?.size`, `"pool.size"`."""
        scope = scope_of(self._text, self._start)
        chain = re.search(r"(?<![\w$.])[\w$]+(?:\??\.[\w$]+)*(?=\??\.$)", self._before)
        parts = re.findall(r"[\w$]+", chain[0]) if chain else self._name.split(".")[:-1]
        return Scope(scope.kind, (*scope.names, *parts))

    def _itself(self) -> tuple[str | None, str] | None:
        """Return the value and type of what is a default wherever it is written; None if this is not."""
        before, after, rest = self._before, self._after, self._rest
        if before.endswith("${") and (shell := _SHELL.match(after)):
            return shell["value"] or "''", ""
        if _BUILD_OPTION.match(before):
            built = (_OF_MESON if before.endswith("'") else _OF_CMAKE).match(after)
            value = built["value"] or "OFF" if built else ""
            return "" if "$" in value else value.strip("'"), ""
        if (field := _FIELD.match(after)) is not None:
            return self._value(after[field.end() :]), field["type"]
        if before.endswith(('"', "'", "`")) and _ENV_CALL.search(before) and (fallback := _FALLBACK.match(rest)):
            return self._value(after[fallback.end() :]), ""
        if _ACCESS.search(before) and (fallback := _OR.match(rest)):
            return self._value(after[fallback.end() :]), ""
        if _OPTION.search(before):
            return self._option(after)
        for chain in (_CHAINED, _SCHEMA):
            if (match := chain.match(after)) is not None:
                return self._value(after[match.end() :]), ""
        return None

    def _option(self, after: str) -> tuple[str | None, str] | None:
        """Return the default of a command's option."""
        depth, end = 1, len(after)
        for at, char in enumerate(after):
            depth += (char in "([{") - (char in ")]}")
            if depth <= 0:
                end = at
                break
        call = after[: end + 1]
        named = _OPTION_DEFAULT.search(call)
        last = named or _OPTION_LAST.match(call)
        return (self._value(call[last.end() :]), "") if last else None

    def _by_place(self, line: int) -> Definition | None:
        """Return what an assignment or a key defines, by what encloses it."""
        before, rest, is_quoted = self._before, self._rest, self._before.endswith(('"', "'", "`"))
        typed = None if is_quoted else _TYPED.match(rest)
        go = None if typed or is_quoted or not _CONSTANT.match(before) else _GO_TYPED.match(rest)
        assigned = None if typed or go or is_quoted else _ASSIGNED.match(rest)
        match = typed or go or assigned or _MAPPED.match(rest)
        if match is None:
            return None
        value, scope = self._value(self._after[match.end() :]), self._scope
        if not value and not (typed or go or assigned) and scope.kind in (CLASS, PARAMETERS):
            value = self._attribute()  # a type without a value
            return None if value is None else Definition(line, value, DECLARED, scope.names)
        if value == "" and not (typed or go or assigned) and self._is_data:
            value = self._scalar(self._after[match.end() :])
        if value is None:
            return None
        strength = self._assigned(scope.kind) if typed or go or assigned else self._mapped(scope.kind, scope.names)
        return Definition(line, value, strength, scope.names, typed["type"].strip() if typed else "")

    @staticmethod
    def _scalar(text: str) -> str:
        """Return an unquoted text of YAML; empty for anything else."""
        match = re.match(r"[A-Za-z0-9/.][^#\n{}\[\]]*", text)
        return match[0].strip() if match else ""

    def _attribute(self) -> str | None:
        """Return the default in a Rust attribute above a field; None if there is none."""
        above = self._text[max(0, self._start - 400) : self._start].rpartition("\n\n")[2]
        attributes = "\n".join(line for line in above.split("\n")[-6:] if line.lstrip().startswith("#["))
        match = re.search(r"\bdefault(?:_value)?(?:_t)?\s*=\s*", attributes)
        return self._value(attributes[match.end() :]) if match else None

    def _assigned(self, kind: str) -> int:
        before, rest = self._before, self._rest
        if re.search(r"\b(?:def|fn|func|function|constructor)\b|\(\s*\{[^}]*$", before) and "(" in before:
            return DECLARED if "(" in before else PASSED
        if re.search(r"(?:ARG|ENV|export)\s+$", before) or (not before and re.match(r"^\s*\?=", rest)):
            return DECLARED
        if not _CONSTANT.match(before):
            return PASSED
        if kind in (CLASS, PARAMETERS, TOP):
            return PASSED if kind == TOP and _LOCAL.match(before) else DECLARED
        if kind == MAPPING:
            return DECLARED if before.strip() == "" else PASSED
        return DECLARED if kind == BODY and before.strip() in ("self.", "this.") else PASSED

    def _mapped(self, kind: str, names: tuple[str, ...]) -> int:
        if inline := self._before.strip(" \t\"'`-"):  # `{ size: 5 }` on one line
            return KEYED if re.search(r"=\s*\{", inline) and _SETTINGS.search(inline) else PASSED
        if any(name.lower().endswith("dependencies") for name in names):
            return PASSED
        if kind == TOP:
            return KEYED
        if any(_MAKES_DEFAULT.match(name) for name in names):
            return DECLARED
        if kind == MAPPING and (any(_SETTINGS.search(name) for name in names) or self._is_data):
            return KEYED
        return KEYED if kind == CLASS else PASSED

    @property
    def _is_data(self) -> bool:
        """Return whether the text is data, not code: it begins with a brace or has no statement."""
        return self._text.lstrip()[:1] == "{" or not re.search(r"(?m)^[^#\n]*[;({]\s*$", self._text)

    def _value(self, text: str) -> str | None:
        """Return the value that a text begins with, without quotes; empty for an expression.

        None if it gives the name none: another spelling of the name itself, or what was passed for it.
        """
        for pattern in (_TIMES, _DURATION):
            if (match := pattern.match(text)) and _END.match(text[match.end() :]):
                return match["number"].replace("_", "") + _unit(match["unit"].lower())
        if (product := _PRODUCT.match(text)) and _END.match(text[product.end() :]):
            number = 1
            for part in product[0].split("*"):
                number *= int(part.strip().replace("_", "")[:20])
            return str(number)
        wrapped = _WRAPPED.match(text)
        match = wrapped or re.match(_LITERAL, text)
        if match is None or not _END.match(text[match.end() :]):
            is_copy = match is not None and plain_word(match["value"].rpartition(".")[2]) == plain_word(self._name)
            return None if is_copy else ""
        return self._literal(match["value"])

    def _literal(self, value: str) -> str | None:
        is_quoted = value[-1:] in "\"'`"
        if "${" in value or (value[:1] == "f" and is_quoted and "{" in value):
            return ""
        inner = re.sub(r"^[rbuf]?[\"'`]|[\"'`]$", "", value) if is_quoted else value
        if re.match(r"[A-Za-z_$]", inner):
            if plain_word(re.split(r"[.:/]", inner)[-1]) == plain_word(self._name):
                return None
            if not is_quoted and inner.lower() not in ("true", "false", "none", "null", "nil", "undefined"):
                return self._constant(inner)
        return inner or "''"

    def _constant(self, name: str) -> str:
        """Return the value of a constant of the same text; empty if there is none."""
        constant = _find_constant(self._text, name.rpartition(".")[2])
        value = constant["value"] if constant else ""
        is_name = re.match(r"[A-Za-z_$]", value) and value.lower() not in ("true", "false")
        return "" if not value or is_name else re.sub(r"^[rbuf]?[\"'`]|[\"'`]$", "", value) or "''"


def _find_constant(text: str, name: str) -> re.Match[str] | None:
    """Return what follows the name of the first constant that is so called, with its value; None if there is none."""
    at = text.find(name) if len(name) > 3 else -1
    while at >= 0:
        start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
        last = text.rfind(name, start, end if end >= 0 else len(text))
        while last >= 0 and last - start <= LONGEST:
            if _CONSTANT_START.fullmatch(text, start, last) and (match := _CONSTANT_END.match(text, last + len(name))):
                return match
            last = text.rfind(name, start, last + len(name) - 1)
        at = text.find(name, end) if end >= 0 else -1
    return None
