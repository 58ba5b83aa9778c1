"""Find claims of a version or a value: a requirement, a default, a limit, a port, a count. Pure."""

from __future__ import annotations

import re
from itertools import pairwise

from gitmem.commands.adopt.claims.claim import VALUE, VERSION, Claim
from gitmem.commands.adopt.statements import BULLET, CODE, ROW, SHELLS, TREE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitmem.commands.adopt.statements import Statement

# What a claim of a value is marked with that has a label of words instead of a name.
LABELLED = "labelled"
NUMBER = r"\d+(?:\.\d+){0,3}"
_VERSION = re.compile(
    r"(?<![\w/.@-])(?P<name>[A-Z.][A-Za-z]*(?:\.js|JS)?(?: (?:CSS|UI|Router|Query|Kit|SDK))?|C\+\+|C#|"
    r"pnpm|npm|yarn|nodejs|node|python|go|rustc|zig|deno|bun|redis|postgres|mysql|toolchain)"
    r"(?P<gap>\s*+(?:versions?(?: is| of|:)?\s*+\(?|edition\s|\(|v)?\s*+)"
    rf"(?P<sign>>=|≥|==|=|<=|>|\^|~)?\s*+v?(?P<low>{NUMBER})(?P<wild>(?:\.x)*)"
    r"(?P<more>\+|\.\*|\s*+(?:\(|,)?\s*+(?:or|and)\s+(?:later|higher|newer|above|greater|up)\b|\s*+以上)?"
    rf"(?P<upto>\s*+(?:,|and|&)\s*+<\s*+(?P<below>{NUMBER}))?"
    r"(?![\w%]|/(?!v?\d)|\.\d| (?:Preview|API|Alpha|Beta|RC)\b)"
)
# "3.10 to 3.14", "3.10–3.13": the last version belongs to the range.
_TO = re.compile(
    r"\s{0,20}(?:-|–|—|to|through|thru|up to|until)\s{0,20}v?(?P<high>\d+\.\d+)(?![\w.]|\s{0,20}(?:KB|MB|%))"
)
_SPAN = re.compile(r"[-–]\d{1,3}\b(?!\.\d)")
_AND = re.compile(
    rf"(?:/v?(?P<either>{NUMBER})(?![\w%]|\.\d)"
    r"|\s{0,20}(?:,\s{0,20}(?:and|or)?|and|&|or)\s{0,20}"
    rf"v?(?P<next>{NUMBER})(?![\w%]|\.\d|-\w| (?!and\b|or\b)[a-z]))"
)
# Statements about other machines, other programs and the future: not what this project needs.
_ELSEWHERE = re.compile(
    r"\b(?:deploy\w*|machine|servers? (?:you|that|where)|host(?:s|ed|ing)? (?:you|that|on)|"
    r"tsconfig|moduleResolution|generated with|bootstrapped with|created with|will (?:be|support|drop|require)|"
    r"plan(?:s|ned)? to|no (?:repo )?clone|end of life|EOL|at the time of|"
    # What a tool reads, and what another system comes with.
    r"for (?:code |static )?analysis|analy[sz](?:e|es|ing)|pars(?:e|es|ing)|(?:ships?|comes?|bundled|shipped) with|"
    r"too old|out of the box|pre-?installed|"
    # What an older release of the project supports.
    r"still (?:supported|works?|available|maintained)\b[^.]{0,20}? (?:via|by|in|with|on|through)|"
    r"(?:use|stay (?:on|with|at)|stick (?:to|with)|pin) (?:the )?(?:v|version |release )\d[\w.]*)\b|"
    r"\"module\"|`module`|"
    # The subject of a commit: of an example, or of a release's list.
    r"\(#\d+\)`?\s*$|`(?:build|chore|ci|docs|feat|fix|perf|refactor|style|test)(?:\([^)`]{1,60}\))?!?: ",
    re.I,
)
_IF = re.compile(r"\b(?:if|when|between|from)\b", re.I)
_BROWSER = re.compile(r"\b(?:Chrome|Chromium|Firefox|Safari|Edge|Opera|iOS|Android)\b")
# A number beside these words is no version of a package that happens to have the name.
_GENERIC = frozenset({
    "cli", "api", "sdk", "ui", "app", "version", "phase", "step", "table", "figure", "section", "chapter", "part",
    "level", "stage", "issue", "pr", "task", "rule", "option", "type", "example", "test", "note", "line", "release",
})  # fmt: skip
# A sentence about what CI runs: its versions are those of the matrix, not the ones that the package allows.
_TESTED = re.compile(
    r"\bCI\b|\bworkflows?\b|\bmatrix\b|GitHub Actions|"
    r"\btest(?:s|ed|ing)?\b[^.]{0,40}?\b(?:on|against|with|across|under)\b",
    re.I,
)
# A remark in shell code that says what is needed, or a range.
_NEEDED = re.compile(r"\b(?:[Rr]equires?|[Nn]eeds?)\b|\d\.\d+\s*(?:-|–|to|through|up to)\s*v?\d+\.\d")
# "Ruby 1.9 hash syntax", "Python 3.10+ union syntax": a feature that came with a version, not what the project needs.
_FEATURE = re.compile(r"\+?(?:'s\b[^.;:]{0,40}?)?(?: [a-z_]+)?(?: features?| (?:syntax|notation)\b)")
# The number of a language whose standards are years: `C++17`.
_STANDARDS = ("C++", "C#")
# The year of a Rust edition, which is not a compiler version.
_EDITION = re.compile(r"20[1-9]\d")
_DIGIT = re.compile(r"\d")
_LEAST = re.compile(r"\b(requires?|minimum|at least|newer than)\s*:?\s*$", re.I)
_SOME = re.compile(
    r"\b(since|introduced|dropped|deprecated|added in|as of|until|before|prior|upgrade from|"
    r"(?:introduced|added|dropped|deprecated|removed|new|available|shipped|landed|changed|fixed) (?:in|with|since|by)|"
    r"(?:downgrade|transpile|compile|transform|convert)(?:s|d|ed)? (?:[a-z]+ )?to(?: run on)?|"
    r"from|was|python2|e\.g\.|example)\b\s*$",
    re.I,
)
# A sentence about versions that are not the ones needed now: "Earlier versions (Python 3.7 to 3.9) may work".
_OTHERS = re.compile(
    r"\b(?:earlier|older|previous|prior|lower|former|newer|later|future|unsupported|legacy)"
    r" (?:[\w.]+ ){0,2}(?:versions?|releases?)\b[^.]{0,60}$"
    # What was needed once: "Before the switch we used Node 16".
    r"|\b(?:we|it|they) (?:used|ran|needed|required|targeted|supported)\b(?! to\b)[^.]{0,40}$"
    r"|\b(?:originally|initially|historically|in the past|back then|at first)\b[^.]{0,60}$"
    # What counts where nothing is stated: "If not specified, it is assumed to be Java 8".
    r"|\b(?:assumed|presumed|considered|treated)\b[^.]{0,30}$"
    r"|\b(?:if|when|where|unless) (?:[\w`-]+ ){0,3}(?:not |un)?"
    r"(?:specified|set|given|provided|defined|stated|present)\b[^.]{0,60}$"
    # "The latest released Pool 1 version supports": one series of several.
    r"|(?<![\d.])\b\d{1,9}(?:\.[\dx]{1,9}){0,4} (?:version|release|series|branch|line)\b[^.]{0,60}$",
    re.I,
)
# A footnote is about the item with its mark ("¹ Requires Node.js 15" for a feature), not about the project.
_FOOTNOTE = re.compile(r"^\s*(?:[¹²³⁴-⁹†‡§]|\[\^[^\]]+\]:|(?:\\\*)+\s)")
_UNIT = r"ms|milliseconds?|s|sec|seconds?|min|minutes?|h|hours?|days?|[KMG]i?B|bytes"
_DEFAULT = re.compile(
    r"(?:\b[Dd]efault(?:s|ing|ed)?(?: value)?(?P<link> is|:|=|s? to| of)?|默认(?:值|为|：)?)(?P<sign>[:：=]?)\**\s*"
    rf"(?P<value>`[^`]+`|\"[^\"]*\"|'[^']*'|-?[\d.,_]+ (?:{_UNIT})\b|[-\w./:]+)"
)
# "`USE_CUDA` is ON by default", "(off by default)", "defaults off".
_BY_DEFAULT = re.compile(
    r"(?:\b(?:is|are|stays?|remains?|turned|set to)\s|\(|=\s?|[:,–—-]\s)"
    r"`?(?P<value>on|off|true|false|enabled|disabled|-?\d[\d._]{0,20})`?"
    r" by default\b",
    re.I,
)
_DEFAULT_HEAD = re.compile(
    r"(?:the )?defaults?(?: values?| settings?)?|默认值?|既定値|デフォルト|varsayılan|"
    r"valor (?:por defecto|predeterminado)|standard(?:wert)?|par défaut|valeur par défaut",
    re.I,
)
# A name that a value can have: not a value itself, and not a file.
_NAME = re.compile(
    r"^(?!(?:true|false|none|null|undefined|default)$)(?:--)?[A-Za-z_$][\w.$-]*$(?<!\.(?:md|js|ts|py|rs|go|sh))"
    r"(?<!\.(?:yml|mjs|tsx|jsx|nix|txt|cfg|ini|env))(?<!\.(?:yaml|json|toml|lock))(?<!node_modules)"
)
_BARE_NAME = re.compile(r"\b([A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+|[a-z]+(?:_[a-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+)\b")
_LENGTH = re.compile(
    r"(?:max(?:imum)?[- ])?line[- ]?(?:length|limit|width)\W{0,8}(?:(?:of|is|to|limit|max|at most|at)\W+)*(\d{2,3})\b"
    r"|\b(\d{2,3})[- ](?:char(?:acter)?s?|columns?)[- ]line[- ](?:length|limit|width)\b",
    re.I,
)
# Lines that no formatter of code cuts.
_OTHER_LINES = re.compile(
    r"\b(?:commits?|subjects?|messages?|bod(?:y|ies)|titles?|markdown|docs|docstrings?|comments?|terminals?)\b", re.I
)
_PORT = re.compile(
    r"(?:localhost|127\.0\.0\.1|0\.0\.0\.0):(\d{2,5})\b|\bports?(?: is| number)?[ :`*]{1,4}(\d{2,5})\b", re.I
)
# "15 minutes (`TTL_MINUTES`)", "`TTL_MINUTES` (15 minutes)": a constant beside the one number that it stands for.
_CONSTANT = r"`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)`"
_GLOSSED = re.compile(
    rf"(?<![\w.,-])(?P<before>\d+(?:\.\d+)?)(?: [A-Za-z]+)? \({_CONSTANT}\)"
    rf"|{_CONSTANT} \((?P<after>\d+(?:\.\d+)?)(?: [A-Za-z]+)?\)"
)
# "History file: `.app_history`", "**State directory**: `.state`": what a constant of the code may be.
_LABELLED = re.compile(
    r"(?:^|[.;,(|]\s+|\*\*|[-*]\s+)(?P<label>[A-Z][a-z]{2,20}(?: [a-z]{2,20})? (?:file|directory|folder))"
    r"(?:\*\*)?:(?:\*\*)?\s+`(?P<value>[\w.-]*\.[\w-]+)`"
)
_COUNT = re.compile(
    r"(?<![~≈\w.])(\d[\d,]{0,11}) (Go|Python|TypeScript|JavaScript|Rust|Java|Ruby|C#|Kotlin|Swift) (?:source )?files\b"
)
_SETTING = re.compile(
    r"^\s*(?:export\s+|-\s+)?(?P<name>[A-Za-z_][\w.-]*)\s*[=:]\s*(?P<value>\"[^\"]*\"|'[^']*'|[^\s#]+)\s+(?:#|//|;|--)"
    r"(?P<remark>.*\bdefault.*)",
    re.I,
)

# The number of a release, or of all releases of a line: `6.x`, `v1.2`, `5.0+`, `1.x - 2.0.x`.
_RELEASE = re.compile(r"v?\d+(?:\.(?:\d+|x|X|\*))*(?:\.?[+xX*])?(?: ?[–-] ?v?\d[\d.xX*]*)?")


def number_claims(statement: Statement) -> Iterator[Claim]:
    """Yield the versions and values in a statement."""
    if statement.kind == TREE:
        return
    if statement.kind == CODE:
        yield from _settings(statement)
        yield from _remarks(statement)
        return
    seen: set[tuple[str, str, int]] = set()
    is_release = _is_of_release(statement)
    claims = [
        claim
        for number, (above, line) in enumerate(pairwise(("", *statement.lines)), statement.line)
        for claim in (*([] if is_release else _versions(line, number, above)), *_limits(line, number))
    ]
    for claim in (*claims, *_defaults(statement)):
        if (claim.name, claim.stated, claim.line) not in seen:
            seen.add((claim.name, claim.stated, claim.line))
            yield claim
    if statement.kind == ROW:
        yield from _row(statement)


def _is_of_release(statement: Statement) -> bool:
    """Return whether a row of a table is about one release of the project: `| 6.x | .NET 6, .NET 7 |`."""
    return statement.kind == ROW and _RELEASE.fullmatch(statement.cells[0].strip("`*[]^~>=<≥≤ ")) is not None


def _versions(line: str, number: int, above: str = "") -> Iterator[Claim]:
    """Yield the versions on a line; *above* is the line before it, where its sentence may begin."""
    if _DIGIT.search(line) is None or _FOOTNOTE.match(line):  # most lines; the pattern below is slow
        return
    plain = re.sub(r"\]\([^)]{0,1000}\)|https?://\S+", " ", line)
    plain = re.sub(r"[`*\[\]]", "", plain)
    if _ELSEWHERE.search(line) or len(_BROWSER.findall(plain)) > 1:
        return
    is_of_ci = is_tested(plain)
    for match in _VERSION.finditer(plain):
        before = plain[: match.start()]
        name, stated = match["name"], match["low"]
        is_glued = (  # `Node16`, `ES2022`
            not match["gap"] and not match["sign"] and "." not in stated and name not in _STANDARDS
        )
        is_feature = _FEATURE.match(plain[match.end() :]) is not None
        if _SOME.search(before) or is_glued or name.lower() in _GENERIC or is_feature:
            continue
        if "." not in stated and _SPAN.match(plain, match.end()):  # "on Java 8-16": some of the versions
            continue
        if _OTHERS.search(f"{above} {before}"):
            continue
        yield from _stated(match, before, plain[match.end() :], number, is_of_ci=is_of_ci)


def _stated(found: re.Match[str], before: str, after: str, number: int, *, is_of_ci: bool) -> Iterator[Claim]:
    """Yield the versions that a name with a number states, and those after it: the end of a range, a list."""
    name, stated, below = found["name"], found["low"], found["below"]
    if name.lower() == "rust" and _EDITION.fullmatch(stated):
        yield Claim(VERSION, number, f"{name} {stated}", "edition", stated)
        return
    sign, more = found["sign"] or "", (found["more"] or "").strip()
    is_least = more or sign in (">=", "≥", ">", "^", "~") or _LEAST.search(before)
    relation = "at-least" if is_least else "below" if sign.startswith("<") else "tested" if is_of_ci else "is"
    high = _TO.match(after) if "." in stated and not more and not _IF.search(before) else None
    if high:
        yield Claim(VERSION, number, f"{name} {stated}", name, stated, "tested" if is_of_ci else "at-least")
        yield Claim(VERSION, number, f"{name} up to {high['high']}", name, high["high"], "up-to")
        return
    others = _others(after) if relation in ("is", "tested") else []
    if others and relation == "is" and "." not in stated:  # "Zod v3/v4", "Node 18, 20 and 22": any of them may do
        return
    yield Claim(VERSION, number, f"{name} {stated}{'+' if is_least else ''}", name, stated, relation)
    for other in others:
        yield Claim(VERSION, number, f"{name} {other}", name, other, relation)
    if below:
        yield Claim(VERSION, number, f"{name} < {below}", name, below, "below")


def is_tested(text: str) -> bool:
    """Return whether a text is about what CI runs."""
    return _TESTED.search(text) is not None


def _remarks(statement: Statement) -> Iterator[Claim]:
    """Yield the versions that remarks in shell code require, and ranges: `# Requires Python 3.11 or later`."""
    for number, line in enumerate(statement.lines, statement.line) if statement.language in SHELLS else ():
        _, sign, remark = line.partition("# ")
        if sign and _NEEDED.search(remark):
            yield from _versions(remark, number)


def _others(after: str) -> list[str]:
    """Return the further versions of a list: of ", 3.11 and 3.12" 3.11 and 3.12."""
    others, at = [], 0
    while match := _AND.match(after, at):
        others.append(match["either"] or match["next"])
        at = match.end()
    return others


def _defaults(statement: Statement) -> Iterator[Claim]:
    """Yield the defaults in a statement, whose name may be on a line above."""
    text = "\n".join(statement.lines).replace("\n", " ")
    spans = [match.span() for match in re.finditer(r"`[^`]*`", text)]
    matches = [*_DEFAULT.finditer(text), *_BY_DEFAULT.finditer(text)]
    every = [match for match in matches if not any(start <= match.start() < end for start, end in spans)]
    for match in every:
        stated = match["value"] if match.re is _BY_DEFAULT else _said(match)
        if stated and (name := _named(statement, text[: match.start()], is_only=len(every) == 1)):
            line = statement.line + "\n".join(statement.lines)[: match.start()].count("\n")
            yield Claim(VALUE, line, f"{name} = {stated}", name.strip("-"), stated)


def _said(match: re.Match[str]) -> str:
    """Return the value that a text says is the default; empty for a word that may mean anything."""
    value = match["value"]
    is_quoted = value[:1] in "`\"'"
    stated = value.strip("`").strip("\"'") if is_quoted else value.rstrip(".,:;")
    is_number = re.match(r"^-?[\d.,_]+ ?\w{0,12}$|^(?:true|false)$", stated, re.I)
    is_joined = match["link"] or match["sign"] or match.string[: match.start()].endswith("(")
    is_word = is_joined and re.match(r"^(?:none|null|on|off)$", stated, re.I)
    is_value = bool(stated and ": " not in stated and (is_quoted or is_number or is_word))
    return stated if is_value else ""


def _named(statement: Statement, before: str, *, is_only: bool) -> str:
    """Return the name that a default belongs to: what an item begins with, the last one before it, or the heading."""
    item = re.match(r"^\s*(?:[-*+|]|\d+[.)])\s+\W{0,4}`([^`\s]+)`(\W*)", before)
    first = item[1] if item and is_only and _NAME.match(item[1]) else ""
    if item and first and item[2].strip():
        return first
    # `a` (default `1`), `b` (default `2`): each default belongs to the nearest name before it, in its sentence.
    here = re.split(r"[.!?。]\s", before)[-1]
    if names := _names_in(here) or _BARE_NAME.findall(re.sub(r"`[^`]*`", " ", here)):
        return names[-1]
    every = set(_names_in(before))
    if first or len(every) == 1:
        return first or every.pop()
    if statement.kind == BULLET and statement.lines[0][:1].isspace():  # it is about the item above it
        return ""
    heading = statement.section.rpartition(" › ")[2].strip("`* ")
    is_name = _NAME.match(heading) and (_BARE_NAME.fullmatch(heading) or f"`{heading}`" in statement.section)
    return heading if is_name and not re.search(r"`[^`\s]+`", before) else ""


def _names_in(text: str) -> list[str]:
    """Return the names in code: `NAME`, and of `NAME="value"` the name."""
    return [name for name in re.findall(r"`([^`\s=]+)(?:=[^`]*)?`", text) if _NAME.match(name)]


def _row(statement: Statement) -> Iterator[Claim]:
    heads = [head.strip("`* ") for head in statement.header]
    column = next((at for at, head in enumerate(heads) if at and _DEFAULT_HEAD.fullmatch(head)), 0)
    cells = statement.cells
    if not column or column >= len(cells):
        return
    value = cells[column]
    code = re.match(r"^`([^`]+)`(?: (\w+))?$", value)
    stated = f"{code[1]} {code[2] or ''}".strip().strip("\"'") if code else value.strip("\"' *")
    named = next(
        (name for cell in cells[:column] for name in re.findall(r"`([^`\s]+)`", cell) if _NAME.match(name)), ""
    ) or next((cell for cell in cells[:1] if _BARE_NAME.fullmatch(cell)), "")
    is_number = re.match(r"^-?[\d.,_]+ ?\w{0,7}$", stated)
    is_value = is_number or (code and not code[2]) or re.match(r"^(?:true|false|none|null|on|off)$", stated, re.I)
    if named and stated and is_value and (" " not in stated or is_number) and stated not in ("-", "—"):
        yield Claim(VALUE, statement.line, f"{named} = {stated}", named.strip("-"), stated)


def _settings(statement: Statement) -> Iterator[Claim]:
    if statement.language not in SHELLS | {"env", "dotenv", "ini", "yaml", "toml"}:
        return
    for number, line in enumerate(statement.lines, statement.line):
        if match := _SETTING.match(line):
            # "# off by default", "# default false": the remark may state another value than the line.
            default = _DEFAULT.search(match["remark"])
            stated = ((_said(default) if default else "") or match["value"]).strip("\"'")
            if not re.search(r"your|<|\.\.\.|example|xxx", stated, re.I):
                yield Claim(VALUE, number, f"{match['name']} = {stated}", match["name"], stated)


def _limits(line: str, number: int) -> Iterator[Claim]:
    for match in _LABELLED.finditer(line):
        name = match["label"].replace(" ", "_").upper()
        yield Claim(VALUE, number, f"{match['label']} {match['value']}", name, match["value"], tool=LABELLED)
    for match in () if _OTHER_LINES.search(line) else _LENGTH.finditer(line):
        stated = match[1] or match[2]
        yield Claim(VALUE, number, f"line length {stated}", "line-length", stated, tool="line-length")
    for match in _PORT.finditer(line):
        stated = match[1] or match[2]
        yield Claim(VALUE, number, f"port {stated}", "port", stated, is_certain=False, tool="port")
    for match in _GLOSSED.finditer(line):
        name, stated = match[2] or match[3], match["before"] or match["after"]
        yield Claim(VALUE, number, f"{name} = {stated}", name, stated, is_certain=False)
    for match in _COUNT.finditer(line):
        yield Claim(VALUE, number, match[0], f"{match[2]} files", match[1].replace(",", ""), tool="count")
