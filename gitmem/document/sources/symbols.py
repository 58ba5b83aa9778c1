"""Find definitions of names in source code by the form of their lines, in linear time and for any common language.

A name is defined on a line such as ``def name``, ``class Name``, ``const name =``, ``func (c *C) name``, ``name() {``,
``int name(int a) {``, ``name = …``. ``Class.method`` is defined after the line of the class and before the next line
with the same or less indentation, or on a line that names both (``func (c *Class) method``, ``Class::method``).

Grammars are not used, although they exist: a claimed verdict is recomputed on other machines, so the answer must not
depend on what is installed there.
"""

from __future__ import annotations

from functools import lru_cache

from gitmem.document.sources.comments import LISP, without_comments
from gitmem.document.sources.formats import SIZE_LIMIT
from gitmem.document.sources.node import unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_S = r"[ \t]"
_MODIFIER = "|".join(
    (
        "export|default|declare|async|abstract|public|private|protected|internal|static|final|sealed|open|override",
        r"virtual|inline|extern|unsafe|pub|pub\([a-z: ]+\)|const|readonly|partial|suspend",
        r"data|inner|companion|case",
        r"implicit|lazy|constexpr|typedef|local|template[ \t]*<[^>\n]*>|@[\w.]+(?:\([^)\n]*\))?|synchronized",
        r"native|fileprivate|mutating",
    )
)
_DEFINING = "|".join(
    (
        "def|defp|defmacro|defmodule|class|function|func|fun|fn|sub|proc|struct|enum|union|trait|interface|protocol",
        r"record|object|extension|contract|actor|type|typealias|newtype|impl|module|mod|namespace|package",
        r"macro_rules!|macro|#[ \t]*define|const|let|var|val|static|final|global|message|service|rpc",
        r"(?i:create[ \t]+(?:or[ \t]+replace[ \t]+)?(?:table|view|function|procedure|type|index)"
        r"(?:[ \t]+if[ \t]+not[ \t]+exists)?)",
    )
)
_SIGN = r"(?:[^=\n]|$)"  # an assignment, not a comparison
# `func (c *C) name`, `fn<T> name`, `def self.name`, `function* name`, `let mut name`, `enum class Name`.
_BETWEEN = (
    rf"(?:\*?{_S}+|\*)(?:\([^)\n]*\){_S}*)?(?:<[^>\n]*>{_S}*)?"
    rf"(?:(?:async|function|mut|class|struct){_S}+)*(?:self\.)?[*&\"`]?"
)
_TYPE_WORDS = r"(?:[A-Za-z_][\w:.<>\[\],?]*[ \t*&]+)"
# How a function's line ends: with its body, before a body on the next line, or within its parameters.
_BODY = rf"{_S}*(?:<[^>\n]*>)?{_S}*\([^;\n]*(?:\{{|=>|[(,]|\)[^;\n{{}}]*\n{_S}*\{{)"
# Words at the start of a line that calls, imports or controls.
_NO_TYPES = frozenset(
    b"return if else elif while for switch catch await yield new throw case in not and or assert raise print delete"
    b" import from use using require go defer select match when unless until do try with goto".split()
)
# Lines that continue a definition, or are not code: they end no block.
_NEXT_LINE = r"(?m)^([ \t]*)(?:[^\s){:#/*\\<]|\*[^/\s])[^\n]*"
# Words before the name of a function, and before a name whose parameters are its members.
_FUNCTIONS = frozenset(b"function def defp fn func fun sub proc rpc".split())
_WITH_PARAMETERS = frozenset(b"record class struct".split())
# The longest line on which members are looked for.
LINE_LIMIT = 2000
_LABELS = (b"public", b"private", b"protected", b"signals", b"slots", b"Q_")


def find_symbol(content: bytes, name: str, path: str = "") -> int:
    """Return the line where a name is defined, from 1; 0 if it is not, or only in a comment or a long string.

    Args:
        content: The file.
        name: The name.
        path: The file's path, by whose extension comments are known.

    Raises:
        FormatError: The file is too large.
    """
    if len(content) > SIZE_LIMIT:
        raise unreadable(f"it is larger than {SIZE_LIMIT // 1024 // 1024} MiB")
    extension = path.rpartition(".")[2].lower()
    # A dot is an ordinary letter in the names of Lisp.
    parts = [name] if extension in LISP else name.replace("::", ".").split(".")
    *owners, last = (part.encode("utf-8", "surrogateescape") for part in parts)
    if last not in content:
        return 0
    content = without_comments(content.decode("latin-1"), extension).encode("latin-1")
    start, end = 0, len(content)
    for number, owner in enumerate(owners, 1):
        place = _search(_definition(owner, is_member=False), content, start, end)
        if place is None:
            return _line(content, _search(_joined(owners[-1], last), content, 0, len(content)))
        start = _end_of_line(content, place[1])
        if number == len(owners) and _is_beside(content, place[1], owner, last):
            return _line(content, place)
        end = _end_of_block(content, start, place[0], end)
    here = _search(_definition(last, is_member=bool(owners)), content, start, end)
    if here is None and owners:
        here = _search(_joined(owners[-1], last), content, 0, len(content))
    return _line(content, here)


def _is_beside(content: bytes, at: int, owner: bytes, member: bytes) -> bool:
    """Return whether a member is on the line of its owner: `interface A { b: string }`, `record P(int x, int y)`.

    Only what is directly between the first braces, or the parentheses after the name, is one; nothing of a function.
    """
    begin, after = content.rfind(b"\n", 0, at) + 1, at + len(owner)
    before, line = content[begin:at].split(), content[after : _end_of_line(content, after)].rstrip()[:LINE_LIMIT]
    if member not in line or not _FUNCTIONS.isdisjoint(before):
        return False
    form = _compiled(rf"{_S}*(?:[A-Za-z_][\w.<>\[\],?]*[ \t*&]+){{0,6}}{_escaped(member)}{_S}*[?!]?{_S}*(?:$|[:=({{<])")
    between = line.partition(b"(")[0].strip()
    has_parameters = not _WITH_PARAMETERS.isdisjoint(before) and between[:1] in (b"", b"<")
    depth = start = 0
    for place, sign in enumerate(line.decode("latin-1")):
        if sign == "(" and not depth and not has_parameters:
            return False  # of a function
        if depth == 1 and sign in "{([})],;" and form.match(line[start : place + (sign in "({[")]):
            return True
        depth = max(depth + (sign in "{([") - (sign in "})]"), 0)
        start = place + 1 if depth == 1 and sign in "{(})],;" else start
    return depth == 1 and bool(form.match(line[start:]))


def _line(content: bytes, found: tuple[int, int] | None) -> int:
    return 0 if found is None else content.count(b"\n", 0, found[1]) + 1


def _search(pattern: Any, content: bytes, start: int, end: int) -> tuple[int, int] | None:
    """Return the indentation of the first definition and the position of its name; None without one."""
    for match in pattern.finditer(content[start:end]):
        number = next(at for at in range(2, len(match.groups()) + 1) if match.start(at) >= 0)
        indent = match[1] or b""
        words = content[start + match.start() : start + match.start(number)].split()
        if not words or words[0] not in _NO_TYPES or words[:2] in ([b"case", b"class"], [b"case", b"object"]):
            return len(indent.expandtabs(4)), start + match.start(number)
    return None


def _end_of_line(content: bytes, at: int) -> int:
    end = content.find(b"\n", at)
    return len(content) if end < 0 else end + 1


def _end_of_block(content: bytes, start: int, indent: int, end: int) -> int:
    """Return where the next line is that is indented no more than *indent* and is not a continuation."""
    for match in _compiled(_NEXT_LINE).finditer(content[start:end]):
        text = match[0].lstrip()
        if len(match[1].expandtabs(4)) <= indent and not text.startswith(_LABELS):
            return start + int(match.start())
    return end


@lru_cache(maxsize=256)
def _definition(name: bytes, *, is_member: bool) -> Any:
    """Return a pattern for a definition of a name: the indentation is its first group, the name one of the others.

    Args:
        name: The name.
        is_member: Whether fields count, whose form is less strict: only inside another definition.
    """
    word = _escaped(name)
    before = rf"(?:(?:{_MODIFIER}){_S}+)*"
    shapes = [
        rf"{before}(?:{_DEFINING}){_BETWEEN}({word})(?:[^\w]|$)",
        rf"(?:defmodule|defprotocol|module|class){_S}+(?:\w+(?:\.|::))+({word})(?:[^\w]|$)",
        rf"{before}(?:(?:this|self|exports|module\.exports)\.)?[\"'$]?({word})[\"']?{_S}*(?::[^=\n]{{1,200}})?{_S}[:?+]?={_SIGN}",
        rf"[\"']?({word})[\"']?{_S}*:{_S}*(?:async\b{_S}*)?(?:function\b|\([^)\n]*\)[^=\n]{{0,100}}=>|\w+{_S}*=>)",
        rf"(?:{before}{_TYPE_WORDS}{{1,6}}[*&]*)(?:\w+::)?~?({word}){_BODY}",
        rf"{before}[*#]?({word}){_S}*(?:<[^>\n]*>)?{_S}*\([^;\n]*\)[^;\n]*\{{",
    ]
    shapes.append(
        rf"\([\w.*+!?-]*/?(?:ns|def(?:[b-zA-Z*!-][\w*!-]*)?|defalias|defadvice){_S}+(?:\^(?:\{{[^}}\n]*\}}|[^\s{{]+){_S}+)*"
        rf"[(']?(?:::?)?({word})(?:[\s()\[\]{{}}\"]|$)"
    )
    if is_member:
        shapes.append(rf"(?:{before}|{_TYPE_WORDS}{{1,6}})({word})[?!]?{_S}*(?:[:,;=(]|$|{_S}[\w*\[])")
    either = "|".join(f"(?:{shape})" for shape in shapes)
    # Without spaces only at the margin: indented, `name=value` is an argument.
    return _compiled(rf"(?m)^(?:({_S}*)(?:{either})|({word})[:+?]?={_SIGN})")


@lru_cache(maxsize=256)
def _joined(owner: bytes, name: bytes) -> Any:
    """Return a pattern for a definition that names its owner itself: Go, C++, Ruby, JavaScript."""
    one, other = _escaped(owner), _escaped(name)
    receiver = rf"func{_S}*\({_S}*(?:\w+{_S}+)?\*?{one}(?:\[[^\]\n]*\])?{_S}*\){_S}*({other})\b"
    scoped = rf"(?:[^\n;=#]*[ \t*&])?{one}(?:<[^>\n]*>)?::~?({other}){_S}*\([^;\n]*"
    assigned = rf"{one}\.(?:prototype\.)?({other}){_S}*={_SIGN}"
    return _compiled(rf"(?m)^({_S}*)(?:(?:{receiver})|(?:{scoped})|(?:def{_S}+{one}\.({other})\b)|(?:{assigned}))")


def _escaped(name: bytes) -> str:
    return "".join(
        char if (char.isalnum() and char.isascii()) or char == "_" else f"\\x{ord(char):02x}"
        for char in name.decode("latin-1")
    )


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> Any:
    import re2  # 8.5 ms (measured), only if a definition is needed

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1  # source code is bytes
    return re2.compile(pattern.encode("latin-1"), options)
