"""Find claims of a version or a value: a requirement, a default, a limit, a port, a count. Pure."""

from __future__ import annotations

import re

from gitmem.commands.adopt.claims.claim import VALUE, VERSION, Claim
from gitmem.commands.adopt.statements import CODE, ROW, SHELLS, TREE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitmem.commands.adopt.statements import Statement

NUMBER = r"\d+(?:\.\d+){0,3}"
_VERSION = re.compile(
    r"(?<![\w/.@-])(?P<name>[A-Z.][A-Za-z]*(?:\.js|JS)?(?: (?:CSS|UI|Router|Query|Kit))?|"
    r"pnpm|npm|yarn|node|python|go|rustc|zig|deno|bun)"
    r"(?P<gap>\s*(?:\(|version|versions|v)?\s*)"
    rf"(?P<sign>>=|≥|==|=|<=|>|\^|~)?\s*v?(?P<low>{NUMBER})(?P<wild>(?:\.x)*)"
    r"(?P<more>\+|\.\*|\s*(?:\(|,)?\s*(?:or|and)\s+(?:later|higher|newer|above|greater|up)\b|\s*以上)?"
    rf"(?P<upto>\s*(?:,|and|&)\s*<\s*(?P<below>{NUMBER}))?"
    r"(?![\w%/]|\.\d| (?:Preview|API|Alpha|Beta|RC)\b)"
)
_DIGIT = re.compile(r"\d")
_LEAST = re.compile(r"\b(requires?|minimum|at least|newer than)\s*:?\s*$", re.I)
_SOME = re.compile(
    r"\b(since|introduced|dropped|deprecated|added in|as of|until|before|prior|upgrade from|"
    r"from|was|python2|e\.g\.|example)\b\s*$",
    re.I,
)
# A footnote is about the item with its mark ("¹ Requires Node.js 15" for a feature), not about the project.
_FOOTNOTE = re.compile(r"^\s*(?:[¹²³⁴-⁹†‡§]|\[\^[^\]]+\]:|(?:\\\*)+\s)")
_DEFAULT = re.compile(
    r"(?:\b[Dd]efault(?:s|ing|ed)?(?: value)?(?: is|:|=|s? to| of)?|默认(?:值|为|：)?)[:：=]?\s*"
    r"(?P<value>`[^`]+`|\"[^\"]*\"|'[^']*'|[-\w./:]+)"
)
_NAME = re.compile(r"^(?:--)?[A-Za-z_$][\w.$-]*$")
_BARE_NAME = re.compile(r"\b([A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+|[a-z]+(?:_[a-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+)\b")
_LENGTH = re.compile(
    r"(?:max(?:imum)?[- ])?line[- ]?length\W{0,8}(?:(?:of|is|to|limit|max|at most|at)\W+)*(\d{2,3})\b", re.I
)
_PORT = re.compile(r"(?:localhost|127\.0\.0\.1|0\.0\.0\.0):(\d{2,5})\b|\bports?[ :`*]{1,4}(\d{2,5})\b", re.I)
# "15 minutes (`TTL_MINUTES`)", "`TTL_MINUTES` (15 minutes)": a constant beside the one number that it stands for.
_CONSTANT = r"`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)`"
_GLOSSED = re.compile(
    rf"(?<![\w.,-])(?P<before>\d+(?:\.\d+)?)(?: [A-Za-z]+)? \({_CONSTANT}\)"
    rf"|{_CONSTANT} \((?P<after>\d+(?:\.\d+)?)(?: [A-Za-z]+)?\)"
)
_COUNT = re.compile(
    r"(?<![~≈\w.])(\d[\d,]{0,11}) (Go|Python|TypeScript|JavaScript|Rust|Java|Ruby|C#|Kotlin|Swift) (?:source )?files\b"
)
_SETTING = re.compile(
    r"^\s*(?:export\s+|-\s+)?(?P<name>[A-Za-z_][\w.-]*)\s*[=:]\s*(?P<value>\"[^\"]*\"|'[^']*'|[^\s#]+)\s+(?:#|//|;|--).*\bdefault",
    re.I,
)


def number_claims(statement: Statement) -> Iterator[Claim]:
    """Yield the versions and values in a statement."""
    if statement.kind == TREE:
        return
    if statement.kind == CODE:
        yield from _settings(statement)
        return
    seen: set[tuple[str, str, int]] = set()
    for number, line in enumerate(statement.lines, statement.line):
        for claim in (*_versions(line, number), *_defaults(line, number), *_limits(line, number)):
            if (claim.name, claim.stated, claim.line) not in seen:
                seen.add((claim.name, claim.stated, claim.line))
                yield claim
    if statement.kind == ROW:
        yield from _row(statement)


def _versions(line: str, number: int) -> Iterator[Claim]:
    if _DIGIT.search(line) is None or _FOOTNOTE.match(line):  # most lines; the pattern below is slow
        return
    plain = re.sub(r"\]\([^)]*\)|https?://\S+", " ", line)
    plain = re.sub(r"[`*\[\]]", "", plain)
    for found in _VERSION.finditer(plain):
        before = plain[: found.start()]
        if _SOME.search(before):
            continue
        sign, more = found["sign"] or "", (found["more"] or "").strip()
        is_least = more or sign in (">=", "≥", ">", "^", "~") or _LEAST.search(before)
        relation = "at-least" if is_least else "below" if sign.startswith("<") else "is"
        name, stated, below = found["name"], found["low"], found["below"]
        yield Claim(VERSION, number, f"{name} {stated}{'+' if is_least else ''}", name, stated, relation)
        if below:
            yield Claim(VERSION, number, f"{name} < {below}", name, below, "below")


def _defaults(line: str, number: int) -> Iterator[Claim]:
    for found in _DEFAULT.finditer(line):
        before = line[: found.start()]
        names = [name for name in re.findall(r"`([^`\s]+)`", before) if _NAME.match(name)]
        if not names:
            names = _BARE_NAME.findall(re.sub(r"`[^`]*`", " ", before))[-1:]
        value = found["value"]
        is_quoted = value[:1] in "`\"'"
        stated = value.strip("`").strip("\"'") if is_quoted else value.rstrip(".,:;")
        if not names or (
            not is_quoted and not re.match(r"^(-?[\d.]+\w{0,3}|true|false|none|null|on|off)$", stated, re.I)
        ):
            continue
        # `a` (default `1`), `b` (default `2`): each default belongs to the nearest name before it.
        name = names[0] if len(_DEFAULT.findall(line)) == 1 and re.match(r"^\s*(?:[-*+|]|\d+\.)\s", line) else names[-1]
        yield Claim(VALUE, number, f"{name} = {stated}", name.strip("-"), stated)


def _row(statement: Statement) -> Iterator[Claim]:
    heads = [head.strip("`* ").lower() for head in statement.header]
    column = next((at for at, head in enumerate(heads) if at and re.search(r"\bdefaults?\b|默认", head)), 0)
    cells = statement.cells
    if not column or column >= len(cells):
        return
    value = cells[column]
    code = re.match(r"^`([^`]+)`$", value)
    stated = code[1].strip("\"'") if code else value.strip("\"' *")
    named = next(
        (name for cell in cells[:column] for name in re.findall(r"`([^`\s]+)`", cell) if _NAME.match(name)), ""
    )
    is_value = bool(code) or bool(re.match(r"^-?[\d.,_]+\w{0,3}$|^(true|false|none|null|on|off)$", stated, re.I))
    if named and stated and is_value and " " not in stated and stated not in ("-", "—"):
        yield Claim(VALUE, statement.line, f"{named} = {stated}", named.strip("-"), stated)


def _settings(statement: Statement) -> Iterator[Claim]:
    if statement.language not in SHELLS | {"env", "dotenv", "ini", "yaml", "toml"}:
        return
    for number, line in enumerate(statement.lines, statement.line):
        if found := _SETTING.match(line):
            stated = found["value"].strip("\"'")
            if not re.search(r"your|<|\.\.\.|example|xxx", stated, re.I):
                yield Claim(VALUE, number, f"{found['name']} = {stated}", found["name"], stated)


def _limits(line: str, number: int) -> Iterator[Claim]:
    for found in _LENGTH.finditer(line):
        yield Claim(VALUE, number, f"line length {found[1]}", "line-length", found[1], tool="line-length")
    for found in _PORT.finditer(line):
        stated = found[1] or found[2]
        yield Claim(VALUE, number, f"port {stated}", "port", stated, is_certain=False, tool="port")
    for found in _GLOSSED.finditer(line):
        name, stated = found[2] or found[3], found["before"] or found["after"]
        yield Claim(VALUE, number, f"{name} = {stated}", name, stated, is_certain=False)
    for found in _COUNT.finditer(line):
        yield Claim(VALUE, number, found[0], f"{found[2]} files", found[1].replace(",", ""), tool="count")
