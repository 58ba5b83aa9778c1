"""Counts: "14 tests in `tests/test_a.py`", "`infra/` (22 modules)", "3 crates".

A count is judged only if one of the exact ways to count gave the stated number when the line was written. Approximate
numbers are not claims.
"""

from __future__ import annotations

import posixpath
import re

from gitmem.commands.adopt.claims.claim import Claim
from gitmem.commands.adopt.corpus import is_aside
from gitmem.commands.adopt.documents import DECISION
from gitmem.commands.adopt.findings import Source
from gitmem.commands.adopt.judge.targets import targets_in
from gitmem.commands.adopt.kinds.project.services import services_in
from gitmem.commands.adopt.statements import CODE, HEADING, ROW, SHELLS, TREE
from gitmem.document.sources.formats import read_value
from gitmem.errors import FormatError
from gitmem.text.code.languages import is_code, is_prose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.findings import JudgedClaim
    from gitmem.commands.adopt.repository_history import Past
    from gitmem.commands.adopt.statements import Statement

COUNT = "count"
# What a claim of the length of a list in the code is marked with.
OF_LIST = "list"
_SPELLED = ("three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_WORDS = {word: number for number, word in enumerate(_SPELLED, 3)}
# A smaller number is too easily right by chance.
LEAST = 3
LEAST_OF_ALL = 6
# What the files and folders of a folder may be called.
_ENTRIES = (
    "modules|packages|crates|files|scripts|workflows|migrations|components|hooks|skills|agents|commands|plugins|examples|"
    "providers|services|tools|templates|rules|pages|stores|apps|folders|directories|subfolders|subdirectories|documents|"
    "guides|benchmarks|integrations|connectors|adapters|models|schemas|routes|middlewares?|handlers|tasks|prompts|"
    "stories|libraries|projects|features|fixtures|extensions|subpackages|submodules|recipes|views|locales|backends|drivers"
)
# What a file or the whole code has a number of.
_PARTS = (
    "tests|test cases|test functions|tools|commands|subcommands|scripts|targets|recipes|services|jobs|crates|"
    "workflows|lines|tables|enums"
)
_NUMBER = rf"(?P<number>\d{{1,5}}|{'|'.join(_WORDS)})"
_FEW = re.compile(
    r"(?:[~≈<>]|\b(?:about|around|over|than|approx\w*|roughly|nearly|almost|some|up to|least|most|first|last|top|every|"
    r"per|only|max\w*|min\w*|limit of|or|to|of|other|another|remaining|additional|new|more|by|after|in|within|version|"
    r"step|phase|each|any|next|these|those)|\d\s*[-–/x×.])\s*$",
    re.I,
)
# What may follow the noun: with other words, the number is about something narrower, or about a moment.
_AFTER = re.compile(
    r"^(?:\*\*)?\s*(?:$|[).,;:|—–-]|\((?!.*\b(?:fail|skip)\w*)|(?:in|under|within|inside|below|at)\s|"
    r"(?:pass|exist|live)\b|are (?:in|at|on|registered|defined)\b)",
    re.I,
)
_ADJECTIVE = (
    r"(?:(?:MCP|npm|CLI|GitHub|Actions|CI|Rust|Python|Go|TypeScript|JavaScript|workspace|unit|slash|make) ){0,2}"
)
_PLACE = r"`(?P<place>[\w@.\-/\[\]]*[\w\]]/?)`"
_COUNTED = re.compile(
    rf"(?<![\w.,/`+-])(?:\*\*)?{_NUMBER} (?P<adjective>{_ADJECTIVE})(?P<noun>{_PARTS}|{_ENTRIES})\b(?!\+)", re.I
)
_BEFORE_COUNT = re.compile(
    rf"{_PLACE}\s?(?:\*\*)?\s?(?:[(:|—–-]|has|have|contains?|defines?|holds?|with|provides?|exposes?|registers?)\s*"
    r"(?:a total of|the)?\s*(?:\d[\d,]*\+? [a-z]+, ){0,4}(?:\*\*)?$"
)
# What a statement is about: the path at its start.
_SUBJECT = re.compile(rf"^\s*(?:(?:[-*+|]|\d+[.)])\s*)?(?:\*\*)?{_PLACE}")
# A folder below the one that the statement is about, as a plain word: "`tui/`: features (24 modules)".
_PLAIN_FOLDER = re.compile(r"(?<![\w/`])([a-z][\w-]{0,80})/? \($")
_BEHIND = re.compile(rf"^(?:\*\*)?,? (?:in|under|within|inside|below|at|live in|are in) (?:the )?{_PLACE}")
_OF_LIST = re.compile(
    r"(?<![\w.,/`+-])(?P<number>\d{1,3}) (?P<adjective>required|supported|allowed|default|reserved|built-?in|known|"
    r"core|forbidden|blocked|optional|valid|available) (?:[A-Z][A-Za-z]{1,30} )?(?P<noun>[a-z]{3,20}s)\b"
)
_START_OF_LIST = r"^[^\n#/]{0,60}\b", r"\b[^\n=]{0,60}=[^\n\[{(]{0,60}[\[{(]+\s*"
# The entries of a list between brackets, up to this many characters.
_LONGEST_LIST = 8000
_REMARK = re.compile(
    rf"(?:#|←|//|\s[—–-])\s{{0,20}}(?:[\w/, ]{{1,80}} )?\(?{_NUMBER} (?P<noun>{_PARTS}|{_ENTRIES})\b(?!\+)", re.I
)
_TEST = re.compile(
    r"^func Test[A-Z_]\w*\("  # Go
    r"|^[ \t]*(?:"
    r"(?:async )?def (?:test_\w+|test)\s*\("  # Python
    r"|(?:it|test|Deno\.test)(?:\.(?:only|skip|todo|fails|failing|concurrent|sequential))*\(\s*[\"'`]"  # Jest, Vitest
    r"|(?:it|test)(?:\.\w+)*\.each\b"  # the same, for each row of a table
    r"|#\[(?:\w+::)*(?:\w+_)?(?:rs)?test(?:_case)?(?:\([^\n]*\))?\]"  # Rust, rstest
    r"|(?:TYPED_)?TEST(?:_F|_P|_CASE|_CASE_METHOD|_CASE_TEMPLATE)?\s*\("  # GoogleTest, Catch2, doctest
    r"|BOOST_(?:AUTO|FIXTURE|DATA)_TEST_CASE(?:_F)?\s*\("  # Boost.Test
    r"|(?:@\w+(?:\([^\n()]*\))? ){0,3}@(?:(?:Parameterized|Repeated)?Test|Test(?:Factory|Template))\b"  # JUnit
    r"|\[(?:\w*Fact|\w*Theory|Test|(?:Data)?TestMethod|TestCase(?:Source)?)\b|#\[Test\]"  # .NET; PHPUnit
    r"|(?:public )?func(?:tion)? test\w*\("  # XCTest, PHPUnit
    r"|(?:it|test|specify) [\"'])",  # RSpec, Minitest, ExUnit
    re.M,
)
_TOOL = re.compile(
    r"^[ \t]*@\w+\.tool\b|\b(?:registerTool|addTool|\w+\.tool|AddTool|NewTool)\(\s*(?:\w+,\s*)?[\"'`{&]"
    r"|^[ \t]*name: [\"'`]\w+[\"'`],\s{0,40}\n\s{0,40}description:",
    re.M,
)
_COMMAND = re.compile(
    r"\.add_parser\(\s*[\"']|^[ \t]*@\w+\.(?:command|group)\b|\.command\(\s*[\"'`]|&cobra\.Command\{",
    re.M,
)
# What is counted by the texts of files.
_INSIDE = frozenset({
    "tests", "test cases", "test functions", "tools", "commands", "subcommands", "scripts", "targets", "recipes",
    "services", "jobs", "crates", "projects", "lines", "tables", "enums",
})  # fmt: skip
# What can be counted in one way only, so that another number was never right.
_EXACT = frozenset({"lines", "tables", "enums"})
_SQL = {
    "tables": re.compile(r"^[ \t]*CREATE (?:\w+ )?TABLE\b", re.M | re.I),
    "enums": re.compile(r"^[ \t]*CREATE TYPE \S+ AS ENUM\b", re.M | re.I),
}
_PROJECT = re.compile(r"^Project\(|^[ \t]*<Project\s", re.M)
_STRING = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'")
# Files that say something about a folder, and are none of its things.
_ASIDE = re.compile(
    r"^(?:__init__\.py|index\.\w+|mod\.rs|readme.*|\..*|__pycache__|conftest\.py|agents\.md|claude\.md|license.*)$",
    re.I,
)
# The most files that are read to count what is in them.
MOST_FILES = 1000
# The most changes of a folder that are searched for the one which made a count wrong.
MOST_CHANGES = 240


def _listed(statement: Statement) -> Iterator[Claim]:
    """Yield the numbers of things that a constant of the code may list: "15 required MCP tools" of `REQUIRED_TOOLS`."""
    for line, text in enumerate(statement.lines, statement.line):
        for match in _OF_LIST.finditer(text):
            if int(match["number"]) >= LEAST_OF_ALL and not _FEW.search(text[: match.start()]):
                adjective, noun = match["adjective"].lower(), match["noun"].lower()
                token = f"{match['number']} {adjective} {noun}"
                yield Claim(
                    COUNT, line, token, f"{adjective} {noun}", match["number"],
                    places=(f"{adjective}_{noun}".upper(),), tool=OF_LIST,
                )  # fmt: skip


def count_claims(statement: Statement, document: Document) -> Iterator[Claim]:
    """Yield the counts in a statement; the places are the files or folders that the sentence names.

    A decision record makes none: it says what was so when it was made.
    """
    if document.kind == DECISION:
        return
    if statement.kind == TREE:
        match = _REMARK.search(statement.lines[0])
        if match and not _FEW.search(statement.lines[0][: match.start("number")]):
            yield from _claim(statement.line, match, (statement.path, statement.path.partition("/")[2]))
    elif statement.kind == CODE:
        yield from _of_command(statement)
    else:
        if statement.kind == ROW:
            yield from _row(statement)
        yield from _counted(statement)
        yield from _listed(statement)


def _of_command(statement: Statement) -> Iterator[Claim]:
    """Yield the counts in the remark of a command: of what is in the file that it names, or of all the code."""
    for line, text in enumerate(statement.lines, statement.line) if statement.language in SHELLS else ():
        command, sign, remark = text.partition(" # ")
        paths = [word for word in command.split() if re.fullmatch(r"[\w./-]+\.\w{1,5}|(?:[\w.-]+/)+", word)]
        for match in _COUNTED.finditer(remark) if sign and len(paths) < 2 else ():
            is_whole = not _FEW.search(remark[: match.start()]) and _AFTER.match(remark[match.end() :])
            if is_whole and re.fullmatch(_PARTS, match["noun"], re.I):
                yield from _claim(line, match, tuple(path.strip("/") for path in paths))


def _counted(statement: Statement) -> Iterator[Claim]:
    is_bare = "`" not in statement.text and "](" not in statement.text and statement.kind != HEADING
    subject = _SUBJECT.match(statement.text)
    for line, text in enumerate(statement.lines, statement.line):
        for match in _COUNTED.finditer(text):
            before, after = text[: match.start()].rstrip("*"), text[match.end() :]
            if _FEW.search(before) or not _AFTER.match(after):
                continue
            near = _BEFORE_COUNT.search(before) or _BEHIND.match(after)
            is_part = re.fullmatch(_PARTS, match["noun"], re.I) is not None
            if near is not None:
                place = near["place"].strip("/")
                folder = subject["place"].strip("/") if subject and "." not in subject["place"] else place
                within = (f"{folder}/{place}",) if folder != place else ()
                yield from _claim(line, match, (*within, place))
            elif subject and "." not in subject["place"] and (plain := _PLAIN_FOLDER.search(before)):
                yield from _claim(line, match, (f"{subject['place'].strip('/')}/{plain[1]}",))
            elif subject and is_part and "." in subject["place"]:
                yield from _claim(line, match, (subject["place"],))
            elif is_bare and is_part:
                # Of all the code, a small number of tools or commands is right by chance more easily than of a file.
                is_sure = match["noun"].lower().startswith(("test", "crate", "workflow"))
                yield from (claim for claim in _claim(line, match, ()) if is_sure or int(claim.stated) >= LEAST_OF_ALL)


def _row(statement: Statement) -> Iterator[Claim]:
    """Yield the counts in columns that are headed by what is counted, if the first cell is a path."""
    named = re.match(rf"^(?:\*\*)?{_PLACE}", statement.cells[0])
    for head, cell in zip(statement.header[1:], statement.cells[1:], strict=False):
        match = re.match(rf"^{_NUMBER} (?P<noun>{_PARTS}|{_ENTRIES})$", f"{cell.strip('* ')} {head.strip('* ')}", re.I)
        if named and match:
            yield from _claim(statement.line, match, (named["place"].strip("/"),))


def _claim(line: int, match: re.Match[str], places: tuple[str, ...]) -> Iterator[Claim]:
    number = match["number"].lower()
    stated = _WORDS.get(number) or int(number if number.isdecimal() else 0)
    if stated >= LEAST:
        noun, where = match["noun"].lower(), tuple(place for place in places if place)
        token = f"{match['number']} {match['noun']}"
        is_exact = noun in _EXACT and bool(where)
        yield Claim(COUNT, line, token, noun, str(stated), is_certain=is_exact, places=where, tool=noun)


def find_count(code: Code, claim: Claim, document: Document) -> Source | None:
    """Return what has the stated number, by one of the ways to count it."""
    if claim.tool == OF_LIST:
        source = _list_in_code(code, claim, document)
        return source if source is not None and source.actual == f"{claim.stated} entries" else None
    for place, counted in _count(code, claim, document):
        for what, number in counted.items():
            if number == int(claim.stated):
                return Source(place, 0, f"{number} {what}")
    return None


def find_other_count(code: Code, claim: Claim, document: Document) -> Source | None:
    """Return what has another number than the stated one, with the numbers by each way to count."""
    if claim.tool == OF_LIST:
        return _list_in_code(code, claim, document)
    for place, counted in _count(code, claim, document):
        counts = [f"{number} {what}" for what, number in counted.items() if number]
        if counts:
            return Source(place, 0, ", ".join(counts))
    return None


def words_of(claim: Claim) -> tuple[str, ...]:
    """Return the names of the constants that may list what a claim counts."""
    return (claim.places[0], claim.places[0].replace("BUILT-IN", "BUILTIN")) if claim.tool == OF_LIST else ()


def _list_in_code(code: Code, claim: Claim, document: Document) -> Source | None:
    """Return the one list below the document's folder with the name that a claim counts; None of several."""
    sources = []
    for path, text in code.texts(code.files_naming(words_of(claim))).items():
        for name in words_of(claim):
            start = re.search(rf"{_START_OF_LIST[0]}{re.escape(name)}{_START_OF_LIST[1]}", text, re.M)
            if start and path.startswith(f"{document.folder}/" if document.folder else ""):
                inside = re.split(r"[\]})]", text[start.end() : start.end() + _LONGEST_LIST], maxsplit=1)[0]
                written = re.sub(r"(?m)(?:^|\s)(?:#|//).*", "", inside)
                if not _STRING.sub("", written).strip(", \t\r\n"):
                    number = len(_STRING.findall(written))
                    sources.append(Source(path, text.count("\n", 0, start.start()) + 1, f"{number} entries"))
    return sources[0] if len({source.path for source in sources}) == 1 else None


def _count(code: Code, claim: Claim, document: Document) -> Iterator[tuple[str, Mapping[str, int]]]:
    """Yield the file or folder that a count is about, with the number of its parts by each way to count them."""
    folders = dict.fromkeys((document.folder, posixpath.dirname(document.path), ""))
    near = [posixpath.normpath(posixpath.join(folder, place)) for place in claim.places for folder in folders]
    there = next((place for place in near if code.tree.has_folder(place) or place in code.files), None)
    for place in claim.places if there is None else ():
        paths = [path for path in code.list_ending_with(place) if not is_aside(path)]
        there = paths[0] if len(paths) == 1 else there
    if there is not None:
        noun = claim.tool
        yield (
            there,
            _in_folder(code, there, noun) if code.tree.has_folder(there) else _in_file(there, code.text(there), noun),
        )
    elif not claim.places:
        yield from _in_all(code, document.folder, claim.tool)


def _in_folder(code: Code, folder: str, noun: str) -> dict[str, int]:
    below = [path for path in code.files if path.startswith(f"{folder}/")] if folder else list(code.files)
    if noun.startswith("test"):
        return {"tests": _sum(code, below, _TEST)}
    start = len(folder) + bool(folder)
    entries = [(name, bool(rest)) for name, _, rest in (path[start:].partition("/") for path in below)]
    folders = {name for name, is_folder in entries if is_folder and not _ASIDE.match(name)}
    files = {name for name, is_folder in entries if not is_folder and not _ASIDE.match(name)}
    counted = {"folders": len(folders), "files": len(files)}
    if folders and files:
        counted["files and folders"] = len(folders) + len(files)
    # Several files may be one thing: `0001_init.up.sql` and `0001_init.down.sql`, `Cart.tsx` and `Cart.test.tsx`.
    names = {name.partition(".")[0] for name in files}
    if noun != "files" and len(names) < len(files):
        counted["files by name"] = len(names)
    if noun in ("files", "modules", "components", "scripts") and folders:
        counted["files at any depth"] = sum(is_code(path) for path in below)
    return counted


def _in_file(path: str, text: str, noun: str) -> dict[str, int]:
    if noun.startswith("test"):
        return {"tests": len(_TEST.findall(text))}
    if noun == "lines":
        return {"lines": len(text.splitlines())}
    if noun in ("tables", "enums"):
        return {noun: len(_SQL[noun].findall(text))} if path.endswith(".sql") else {}
    if noun == "tools":
        return {"tools": len(_TOOL.findall(text))}
    if noun in ("commands", "subcommands"):
        count = len(_COMMAND.findall(text))
        return {"commands": count or len(targets_in(path, text))}
    if noun in ("scripts", "targets", "recipes"):
        return {noun: len(targets_in(path, text))}
    if noun == "projects":
        return {"projects": len(_PROJECT.findall(text))}
    if noun == "services":
        return {"services": len(services_in(path, text))}
    if noun == "jobs":
        return {"jobs": _jobs(path, text)}
    return {}


def _jobs(path: str, text: str) -> int:
    try:
        node = read_value(path, text.encode("utf-8", "surrogateescape"), ("jobs",))
    except FormatError:
        return 0
    return len(list(node.iter_members())) if node is not None else 0


def _in_all(code: Code, folder: str, noun: str) -> Iterator[tuple[str, Mapping[str, int]]]:
    """Yield the number of such things in all of the code, or below a document's folder."""
    below = [path for path in code.files if not folder or path.startswith(f"{folder}/")]
    if noun in ("tests", "test cases", "test functions"):
        paths = [path for path in below if (is_code(path) and "test" in path.lower()) or path.endswith(".rs")]
        yield folder or ".", {"tests": _sum(code, paths, _TEST)}
    elif noun in ("tools", "subcommands"):
        paths = [path for path in below if is_code(path) and "test" not in path.lower()]
        yield folder or ".", {noun: _sum(code, paths, _TOOL if noun == "tools" else _COMMAND)}
    elif noun == "crates":
        paths = [path for path in below if path.endswith("Cargo.toml")]
        yield folder or ".", {"crates": _sum(code, paths, re.compile(r"^\[package\]", re.M))}
    elif noun == "workflows":
        yield ".github/workflows", {"workflows": sum(path.startswith(".github/workflows/") for path in code.files)}


def _sum(code: Code, paths: list[str], pattern: re.Pattern[str]) -> int:
    wanted = [path for path in paths if not is_prose(path)]
    if len(wanted) > MOST_FILES:
        return 0
    return sum(len(pattern.findall(text)) for text in code.texts(wanted).values())


def find_count_culprit(finding: JudgedClaim, past: Past) -> str:
    """Return the newest commit after which a count was wrong; empty if none is found."""

    def holds(code: Code) -> bool:
        return find_count(code, finding.claim, finding.document) is not None

    if finding.source is None:
        return ""
    # Only new and removed files change the number of a folder's entries.
    options = () if finding.claim.tool in {OF_LIST, *_INSIDE} else ("--no-renames", "--diff-filter=AD")
    return past.broke_below([finding.source.path], holds, *options, most=MOST_CHANGES)
