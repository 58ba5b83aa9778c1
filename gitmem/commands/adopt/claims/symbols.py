"""Find claims that a name occurs in the code: a function, class, setting, option or environment variable. Pure.

A sentence may also say which file a name is in: "`load` is in `a.py`", "`a.py` defines `load`". A file and a name in
one sentence are not enough: "`cli.py` calls `load`" says nothing about where the name is defined.
"""

from __future__ import annotations

import re
from functools import lru_cache

from gitmem.commands.adopt.claims.claim import PATH, SYMBOL, Claim
from gitmem.commands.adopt.claims.paths import is_file_name
from gitmem.commands.adopt.documents import INSTRUCTIONS
from gitmem.commands.adopt.statements import CODE, DRAWING, TREE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.statements import Span, Statement

_SYMBOL = re.compile(r"^@?[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*)*(?:<[\w, .]+>)?(?:\(.*\))?[!?]?$")
# The number of parameters, as Elixir and Erlang write it: `Store.open/2`.
_ARITY = re.compile(r"(?<=[\w!?])/\d$")
# Names in bold or in a block of code, which count only if they are gone: how claims of them are marked.
LOOSE = "loose"
_DRAWN = frozenset({"", "text", "txt", "plaintext", "mermaid", DRAWING})
_FENCED = frozenset({
    "python", "py", "go", "golang", "rust", "rs", "ts", "tsx", "typescript", "js", "jsx", "javascript", "java",
    "kotlin", "kt", "csharp", "cs", "c#", "elixir", "ex", "exs", "php", "ruby", "rb", "swift", "scala", "dart", "cpp",
    "c++",
})  # fmt: skip
# What is no use of a name in code: text in quotes, a remark, a name that the line defines.
_NO_USE = re.compile(
    r"\"[^\"]*\"|'[^']*'|`[^`]*`|(?:^|\s)#(?!\[).*|//.*|"
    r"\b(?:def|defp|defmodule|class|struct|enum|trait|interface|record|object|type|func|function|fn|fun|const|let|var|val)"
    r"[ \t]+[\w.]+"
)
_USED = re.compile(r"(?<![\w.:>@$-])((?:[A-Za-z_]\w*(?:\.|::|->))*)([A-Za-z_]\w{4,})(?=(\()?)")
# Blocks that show what not to do, or what was.
_AVOIDED = re.compile(r"\b(?:anti-?patterns?|avoid|bad|wrong|don'?ts?|never|before|incorrect|legacy)\b|[❌🚫]", re.I)
# Names in plain text: with capitals inside, or underscores.
_PLAIN_NAME = re.compile(
    r"(?<![\w./@#:`$<-])(?:[A-Z][a-z0-9]+(?:[A-Z]+[a-z0-9]+)+|[a-z][a-z0-9]+(?:_[a-z0-9]+)+)(?![\w/`>-]|\.\w)"
)
_NO_PLAIN = re.compile(r"`[^`]*`|\]\([^)]{0,1000}\)|https?://\S+|\"[^\"]*\"")
# Products and languages that code may also have a class for.
_PRODUCTS = frozenset({
    "GitHub", "GitLab", "BitBucket", "TypeScript", "JavaScript", "CoffeeScript", "PowerShell", "OpenAI", "LangChain",
    "LangGraph", "LlamaIndex", "OpenRouter", "DeepSeek", "HuggingFace", "FastAPI", "GraphQL", "PostgreSQL", "MongoDB",
    "MySQL", "SQLite", "DynamoDB", "RabbitMQ", "WebSocket", "WebSockets", "WebAssembly", "YouTube", "LinkedIn",
    "WordPress", "MacOS", "OpenSSL", "OpenTelemetry", "CloudFlare", "CircleCI", "SwiftUI", "VSCode", "JetBrains",
    "DataDog", "PayPal", "WhatsApp", "NextAuth", "NextJS", "NodeJS",
})  # fmt: skip
_OPTION = re.compile(r"^--[a-z][\w-]+$")
# The usual names of type parameters: `T`, `K1`, `TModule`.
_PARAMETER = re.compile(r"[A-Z]\d?$|T[A-Z]\w*$|Args$|Key$|Value$|Type$|Item$")
_CODED = re.compile(r"[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]")
# A variable that is given to CMake, and no variable of its own; a variable with a value in code.
_DEFINED = re.compile(r"-D((?!CMAKE_|BUILD_)[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?::[A-Z]+)?=")
_ASSIGNED = re.compile(r"([a-z]\w{5,}) = (?:true|false|null|nil|None|True|False|-?[\d.]+)")
# Values and types that languages have themselves: that they are in the code says nothing about it.
_BUILT_IN = frozenset({
    "null", "nil", "none", "None", "undefined", "true", "false", "True", "False", "NaN", "string", "String", "str",
    "char", "number", "Number", "int", "integer", "Integer", "uint", "long", "short", "byte", "bytes", "float",
    "double", "bool", "boolean", "Boolean", "list", "List", "array", "Array", "map", "Map", "dict", "Dict", "set",
    "Set", "tuple", "object", "Object", "any", "Any", "void", "unit", "Unit", "date", "error", "Error", "Option",
    "Some", "Result", "Vec", "Ok", "Err", "self", "this", "super", "int8", "int16", "int32", "int64", "uint8",
    "uint16", "uint32", "uint64", "float32", "float64", "usize", "isize", "i32", "i64", "u32", "u64", "f32", "f64",
    "TRUE", "FALSE", "OFF", "YES", "NULL",
    # Kinds of processors, which settings of CI name.
    "x86_64", "x64", "x86", "i386", "i686", "amd64", "arm64", "aarch64", "armv7", "armv7l", "riscv64", "ppc64le",
    "s390x", "wasm32", "loongarch64",
})  # fmt: skip
# Styles of names, written in their own style: "functions are `snake_case`".
_STYLE_OF_NAMES = re.compile(
    r"(?:upper|lower|screaming|train)?_?(?:snake|camel|pascal|kebab|cobol|dot|title|upper|lower)_?case|camelback|"
    r"caps_?case|capitalized_?words",
    re.I,
)
# Keys of a keyboard.
_KEYBOARD = frozenset(
    form
    for key in ("esc", "tab", "enter", "return", "ctrl", "shift", "alt", "cmd", "space", "backspace", "del", "end")
    for form in (key.upper(), key.title())
)
# Words for the object itself.
_OWN = frozenset(("self", "this", "cls", "super", "Self"))
_WORDS = re.compile(r"(?<![\w./-])[A-Za-z_]\w*(?![\w/-])")
# More characters between the two are another thought.
_NEAR = 80
_SIGN = r"[:–—→|(-]"
_NOUN = (
    r"(?:the|a|an|its|this|new|function|method|class|constant|type|helper|hook|component|module|file|setting|and|or)"
)
_BE = r"(?:is|are|was|were|lives?|sits?|resides?|defined|implemented|declared|located|found|kept|exported|both|all)"
_HAS = r"(?:defines?|has|contains?|declares?|exports?|implements?|provides?|holds?|with)"
# What may be between a name and its file, and the other way round: words and signs, without other code and commas.
_NAME_FIRST = re.compile(rf"(?:(?:and|or) )?(?:{_BE} )*(?:in|inside|within|at|from|of)(?: {_NOUN})*|{_SIGN}")
_FILE_FIRST = re.compile(rf"(?:\) )?(?:(?:which|that) )?(?:{_HAS}|{_SIGN})(?: {_NOUN})*")
_WITHIN = re.compile(r"\b(?:in|inside|within|from|of)(?: the| file)*[\s`*\[(]*$", re.I)
_CODE_SPAN = re.compile(r"`[^`]*`")
_CONNECTIVE = re.compile(r"[\w'’]+|[:–—→|()-]")


def symbol_claims(statement: Statement, document: Document) -> Iterator[Claim]:
    """Yield the names that a statement says are in the code."""
    if statement.kind == TREE:
        return
    if statement.kind == CODE:
        if statement.language in _DRAWN and document.kind == INSTRUCTIONS:
            yield from _in_plain_text(statement, set())
        # The samples of a skill are of any project.
        if document.kind == INSTRUCTIONS and statement.language in _FENCED and "skills/" not in document.path:
            yield from _used(statement)
        for number, line in enumerate(statement.lines, statement.line):
            if (setting := re.match(r"^\s*(?:export\s+)?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)=", line)) is not None:
                yield Claim(SYMBOL, number, setting[1], setting[1], is_certain=False)
            for name in _DEFINED.findall(line) if re.match(r"^\s*(?:\$ )?cmake\b", line) else ():
                yield Claim(SYMBOL, number, name, name)
        return
    seen: set[str] = set()
    for span in statement.spans:
        if span.text not in seen:
            seen.add(span.text)
            text = _sampled(span.text, statement.text)
            yield from (
                _in_code(span, text, seen) if span.kind == "code" else _in_bold(span) if span.kind == "bold" else ()
            )
    if document.kind == INSTRUCTIONS:
        yield from _in_plain_text(statement, seen)


def _in_plain_text(statement: Statement, seen: set[str]) -> Iterator[Claim]:
    """Yield the names in text without marks, which count only if they are gone."""
    for number, line in enumerate(statement.lines, statement.line):
        for name in _PLAIN_NAME.findall(_NO_PLAIN.sub(" ", line)):
            if len(name) > 5 and name not in seen | _PRODUCTS and not _STYLE_OF_NAMES.fullmatch(name):
                seen.add(name)
                yield Claim(SYMBOL, number, name, name, is_certain=False, tool=LOOSE)


def _in_bold(span: Span) -> Iterator[Claim]:
    name = span.text.rstrip(":").removesuffix("()")
    if _CODED.search(name) and re.fullmatch(r"[A-Za-z_]\w{5,}", name):
        yield Claim(SYMBOL, span.line, name, name, is_certain=False, tool=LOOSE)


def _sampled(code: str, text: str) -> str:
    """Return a text in code; empty if it is an example that defines its own name: "(e.g. `type Own int`)"."""
    is_sample = " " in code and "e.g." in text and re.search(rf"\be\.g\.,?\s*`{re.escape(code)}`", text)
    return "" if is_sample and _NO_USE.match(code) else code


def _in_code(span: Span, written: str, seen: set[str]) -> Iterator[Claim]:
    text = _ARITY.sub("", written.rstrip(":;,"))
    if _OPTION.match(text):
        yield Claim(SYMBOL, span.line, text, text[2:], is_certain=False)
    elif _SYMBOL.match(text) and len(text) > 2:
        bare = re.sub(r"<.{0,500}>|\(.{0,500}\)|[!?@$]", "", text)
        last = re.split(r"\.|::|#|->", bare)[-1]
        if (
            len(last) > 2
            and bare not in _BUILT_IN
            and bare not in _KEYBOARD
            and not _STYLE_OF_NAMES.fullmatch(bare)
            and ("(" in text or not is_file_name(bare))
        ):
            is_coded = _CODED.search(last) is not None and len(last) > 5
            # That the name is there says nothing about its parameters.
            yield Claim(SYMBOL, span.line, re.sub(r"\(.{1,500}\)!?$", "", text), last, is_certain=is_coded)
    elif (setting := _ASSIGNED.fullmatch(text)) and _CODED.search(setting[1]):
        yield Claim(SYMBOL, span.line, setting[1], setting[1])
    elif text.startswith("cmake "):
        yield from (Claim(SYMBOL, span.line, name, name) for name in _DEFINED.findall(text))
    elif " " in text or "(" in text or "=" in text:
        for word in _WORDS.findall(text):
            if _CODED.search(word) and len(word) > 5 and word not in seen:
                seen.add(word)
                yield Claim(SYMBOL, span.line, word, word, is_certain=False)


def _used(statement: Statement) -> Iterator[Claim]:
    """Yield the members that a line of code calls, and the types and constants that it names."""
    if _AVOIDED.search(f"{statement.section.rpartition(' › ')[2]} {statement.text}"):
        return
    for number, line in enumerate(statement.lines, statement.line):
        for match in _USED.finditer(_NO_USE.sub(" ", line)):
            for at, name in enumerate(words := re.findall(r"\w+", match[0])):
                # What has no owner may be any name of a sample.
                is_called = at == len(words) - 1 > 0 and match[3]
                if len(name) > 5 and _CODED.search(name) and (name[0].isupper() or is_called):
                    owner = match[1][: match[1].find(name)] if at < len(words) - 1 else match[1]
                    yield Claim(SYMBOL, number, f"{owner}{name}", name, is_certain=False, tool=LOOSE)


def is_plain_word(claim: Claim) -> bool:
    """Return whether a name is a plain word, written without any mark of code but that of a call or an option."""
    word = claim.token.removesuffix("()").removeprefix("--")
    return (not claim.is_certain or word != claim.token) and word.isalpha() and (word.islower() or word.istitle())


def dotted(claim: Claim) -> str:
    """Return a dotted name in lower case whose last part is a plain word: `parts.load`; empty for other names."""
    word = claim.token.removesuffix("()")
    is_plain = claim.name.isalpha() and (claim.name.islower() or claim.name.istitle())
    is_dotted = re.fullmatch(r"[a-z_]\w*(?:\.[a-z_]\w*)+", word) is not None and not word.startswith("self.")
    return word if is_plain and is_dotted else ""


def owner_of(token: str) -> str:
    """Return the class, module or package of a qualified name (`Store.open`, `config.Service`); else an empty string.

    The head of `client.close` may be a variable of any name, so it is none.
    """
    *heads, last = re.split(r"\.|::|#|->", re.sub(r"<.{0,500}>|\(.{0,500}\)|[!@$]", "", token))
    owner = heads[-1] if heads else ""
    is_named = len(owner) > 1 and owner not in _OWN and (owner[:1].isupper() or last[:1].isupper())
    return owner if is_named else ""


def qualified(owner: str, name: str) -> tuple[str, ...]:
    """Return the ways in which code writes a qualified name."""
    return f"{owner}.{name}", f"{owner}::{name}", f"{owner}->{name}"


def whole_forms(token: str) -> tuple[str, ...]:
    """Return the ways in which code writes the whole of a token that says more than a name; empty for a plain name.

    That is a type with arguments (`OnceLock<Runtime>`), unless these are only parameters (`Module<T>`), or a call
    (`close()`).
    """
    written = re.sub(r"^.*(?:\.|::|#|->)(?=[\w$]+(?:<|\())", "", token.removeprefix("@"))
    arguments = re.search(r"<([\w, .]+)>", written)
    if arguments and any(len(word) > 2 and not _PARAMETER.match(word) for word in re.findall(r"\w+", arguments[1])):
        plain = written.partition("(")[0]
        return tuple(dict.fromkeys((plain, plain.replace(" ", ""), re.sub(r",(?! )", ", ", plain))))
    name = re.match(r"[\w$]+(?=(?:<[\w, .]+>)?\(\)$)", written)
    return tuple(f"{name[0]}{sign}" for sign in ("(", "<", "::<", " (")) if name else ()


def tied_paths(statement: Statement, claims: Iterable[Claim]) -> Iterator[tuple[Claim, Claim]]:
    """Yield the names of a statement, each with a file that the statement says it is in."""
    if statement.kind in (CODE, TREE):
        return
    claims = list(claims)
    names, paths = ([claim for claim in claims if claim.kind == kind] for kind in (SYMBOL, PATH))
    text = statement.text
    for name in names:
        for path in paths:
            if "." in path.name and _is_tied(text, name.token, path.token):
                yield name, path


_WORD = re.compile(r"\w")


def _is_tied(text: str, name: str, path: str) -> bool:
    places = _places(text, name)
    return bool(places) and any(_are_joined(text, place, other) for place in places for other in _files(text, path))


def _places(text: str, name: str) -> list[tuple[int, int]]:
    """Return where a name is between two backticks, with these."""
    places: list[tuple[int, int]] = []
    start, at = 0, text.find(name)
    while at >= 0:
        end = at + len(name)
        is_whole = not _WORD.match(text[at - 1 : at]) and not _WORD.match(text, end)
        before = text.rfind("`", start, at) if is_whole else -1
        after = text.find("`", end) if before >= 0 else -1
        if after >= 0:
            places.append((before, after + 1))
            start = after + 1
        at = text.find(name, max(start, at + 1))
    return places


@lru_cache(maxsize=256)
def _files(text: str, path: str) -> list[tuple[int, int]]:
    """Return where a text links to a path, or names it."""
    link, plain = rf"\[[^\]]*\]\([^)\s]*{re.escape(path)}[^)]*\)", rf"`?(?<![\w/.-]){re.escape(path)}(?![\w/-])`?"
    return [match.span() for match in re.finditer(rf"{link}|{plain}", text)]


def _are_joined(text: str, name: tuple[int, int], path: tuple[int, int]) -> bool:
    is_name_first = name[1] <= path[0]
    start, end = (name[1], path[0]) if is_name_first else (path[1], name[0])
    if not 0 <= end - start <= _NEAR:
        return False
    between = " ".join(_CONNECTIVE.findall(_CODE_SPAN.sub("", text[start:end])))
    if is_name_first:
        return _NAME_FIRST.fullmatch(between) is not None
    is_within = not between and "," in text[start:end] and _WITHIN.search(text[: path[0]]) is not None
    return is_within or _FILE_FIRST.fullmatch(between) is not None
