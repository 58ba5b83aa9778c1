"""Options of the repository's own programs: where they are defined, in any common way. Pure but for reading code."""

from __future__ import annotations

import posixpath
import re
from functools import lru_cache

from gitmem.commands.adopt.claims.claim import Claim
from gitmem.commands.adopt.claims.commands import list_commands
from gitmem.commands.adopt.findings import Source
from gitmem.commands.adopt.kinds.words import find_word
from gitmem.commands.adopt.statements import CODE, TREE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.statements import Statement

OPTION = "option"
# The mark of an option that is passed to a file.
SCRIPT = "script"
_PYTHON = re.compile(r"^(?:.*/)?python[\d.]*$")
_PASSED = re.compile(r"^--([a-z][\w-]+)(?:=.*)?$")
_PARSER = re.compile(r"\b(?:argparse|optparse|click|typer)\b")
# Every parser has these, or their documents are about all programs.
_COMMON = frozenset({"help", "version"})
_LONE = re.compile(r"^(?:-\w,? )?--([a-z][\w-]+)(?:[ =].*)?$")
_IN_CELL = re.compile(r"^(?:-\w, ?)?--([a-z][\w-]+)")
# What may be before an option's name where it is defined. Calls of argparse, click, typer, optparse, commander,
# picocli, System.CommandLine and OptionParser: only literals are before the one with the name.
_CALL = re.compile(
    r"(?:add_argument|add_option|[oO]ption(?:<[^>()]*>)?|[fF]lag|\bopts?\.on)\s*\(\s*(?:names?\s*=\s*)?[\[{(]*\s*"
    r"(?:[rbu]?[\"'`][^\"'`\n]*[\"'`]\s*,\s*)*[rbu]?[\"'`](?:-\w\s*[,|/ ]\s*|--?[\w-]+/)?$"
)
_COMPARED = re.compile(r"(?:===?|\bcase|\.(?:includes|indexOf|startswith|startsWith)\()\s*[\"']$")
_IN = re.compile(r"[\"']\s+in\b")
_CASE = re.compile(r"^[ \t]*(?:-{1,2}[\w-]+(?:=\*)?[ \t]*\|[ \t]*)*$")
_CASE_END = re.compile(r"(?:=\*)?[ \t]{0,80}(?:\|[ \t]{0,80}-[\w-]{1,80}(?:=\*)?[ \t]{0,80}){0,20}\)")
# Names without dashes, in quotes: yargs, Symfony, clap, urfave/cli, flag and pflag.
_QUOTED = re.compile(
    r"(?:\.option\(|addOption\(|\.long\(|\blong\s*=|Flag\s*\{[^}]{0,80}\bName:"
    r"|\b(?:Bool|String|Int|Int64|Uint|Uint64|Float64|Duration|StringSlice|StringArray|StringToString|Count|Func|Text)"
    r"(?:Var)?P?\(\s*(?:&?[\w.\[\]()]+\s*,)?)\s*[\"']$"
)
# Names of variables: fields of clap, parameters of typer, keys of parseArgs and citty, symbols of Thor.
_CLAP = re.compile(
    r"#\[(?:arg|clap|structopt)\([^\]]*\blong\b(?!\s*=)[^\]]*\)\]\s*(?:(?:#\[[^\]]*\]|///?[^\n]*)\s*)*"
    r"(?:pub(?:\([^)]*\))?\s+)?(?:r#)?$"
)
_TYPER = re.compile(r"\s*:\s*(?:[^=\n()]{1,80}=\s*(?:typer\.)?Option\(|Annotated\[[^\n]{0,80}?(?:typer\.)?Option\()")
_TYPED_KEY = re.compile(r"[\"']?\s*:\s*\{\s*type:\s*[\"'](?:boolean|string)[\"']")
_SYMBOL = re.compile(r"\boption\s+:$")
_DASHES = re.compile(r"--(?:no-|\[no-\])?$")
_WORD = re.compile(r"\w|-\w")
# The most characters before a name that matter.
_CHARS_BEFORE = 300


def option_claims(statement: Statement, _document: Document) -> Iterator[Claim]:
    """Yield the options that a statement names alone, in code or as a cell of a table, and those of a run script."""
    yield from _of_scripts(statement)
    if statement.kind in (CODE, TREE):
        return
    seen: set[str] = set()
    cells = [(cell.strip("* "), statement.line) for cell in statement.cells[:2]] if statement.header else []
    spans = [(span.text, span.line) for span in statement.spans if span.kind == "code"]
    matches = [(_LONE.match(text), line) for text, line in spans] + [
        (_IN_CELL.match(text), line) for text, line in cells
    ]
    for option, line in matches:
        if option is not None and option[1] not in seen | _COMMON:
            seen.add(option[1])
            yield Claim(OPTION, line, f"--{option[1]}", option[1], is_certain=False)


def _of_scripts(statement: Statement) -> Iterator[Claim]:
    """Yield the options that a statement's commands pass to a file of Python."""
    for command in list_commands(statement):
        words = command.words
        if len(words) > 1 and _PYTHON.match(words[0]) and words[1].endswith(".py"):
            for match in filter(None, map(_PASSED.match, words[2:])):
                if match[1] not in _COMMON:
                    yield Claim(OPTION, command.line, f"--{match[1]}", match[1], places=(words[1],), tool=SCRIPT)


def is_readable(code: Code, claim: Claim) -> bool:
    """Return whether an option is not passed to a script, or to one whose options are read from its text."""
    if claim.tool != SCRIPT:
        return True
    text = code.text(_script_of(code, claim))
    return _PARSER.search(text) is not None and "parse_known_args" not in text


def _script_of(code: Code, claim: Claim) -> str:
    """Return the one file that a command may mean by the name of a script; empty if there are none or several."""
    paths = code.list_ending_with(posixpath.normpath(claim.places[0]))
    return paths[0] if len(paths) == 1 else ""


def find_option(code: Code, claim: Claim, _document: Document) -> Source | None:
    """Return where a program defines an option: where a command names the file, only that."""
    paths = [_script_of(code, claim)] if claim.tool == SCRIPT else code.files_naming(spellings(claim))
    for path, text in code.texts(paths).items():
        if line := line_of_option(path, text, claim.name):
            return Source(path, line, text.split("\n")[line - 1].strip())
    return None


def find_other_spelling(code: Code, claim: Claim, _document: Document) -> Source | None:
    """Return where the code has an option's name in any spelling: it may be derived from that of a variable."""
    return find_word(code, spellings(claim))


def spellings(claim: Claim) -> list[str]:
    """Return the spellings of an option's name that programs derive it from."""
    return spellings_of(claim.name)


def spellings_of(name: str) -> list[str]:
    """Return the spellings of a name that ``--name`` may be derived from, and of its positive form."""
    plain = name.removeprefix("no-")
    first, *rest = name.split("-")
    camel = first + "".join(part.capitalize() for part in rest)
    every = [name, plain, plain.replace("-", "_"), camel, camel[:1].upper() + camel[1:]]
    return list(dict.fromkeys(every))


@lru_cache(maxsize=20000)
def line_of_option(path: str, text: str, name: str) -> int:
    """Return the line where a file defines an option, given without dashes; 0 if it does not."""
    suffix = path.rpartition(".")[2]
    for spelled in spellings_of(name):
        at = text.find(spelled)
        while at >= 0:
            end = at + len(spelled)
            before, after = text[max(0, at - _CHARS_BEFORE) : at], text[end : end + _CHARS_BEFORE]
            bare = _DASHES.sub("", before)
            is_defined = _is_defined_name if bare == before else _is_defined_option
            if not _WORD.match(after) and not _WORD.match(before[-1:]) and is_defined(suffix, bare, after):
                return text.count("\n", 0, at) + 1
            at = text.find(spelled, end)
    return 0


def _is_defined_option(suffix: str, before: str, after: str) -> bool:
    if suffix in ("sh", "bash", "zsh"):
        return bool(_CASE.search(before.rpartition("\n")[2]) and _CASE_END.match(after))
    return bool(_CALL.search(before) or _COMPARED.search(before) or (before[-1:] in "\"'" and _IN.match(after)))


def _is_defined_name(suffix: str, before: str, after: str) -> bool:
    if before[-1:] in ("'", '"') and _QUOTED.search(before):
        return True
    match suffix:
        case "rs":
            return _CLAP.search(before) is not None
        case "py":
            return _TYPER.match(after) is not None
        case "rb":
            return _SYMBOL.search(before) is not None
        case "js" | "mjs" | "cjs" | "ts" | "mts":
            return _TYPED_KEY.match(after) is not None
        case _:
            return False
