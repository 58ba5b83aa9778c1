"""The table of built-in checks: name, arguments, files and search of each. Pure.

Parsing, the options of the command line, the schema for MCP clients, the documentation, the inputs of a check and its
answer are made from these rows: a new check is one new row, and a module of ``document.sources`` if it reads a format
of its own. ``verify.builtin_answers`` evaluates them.
"""

from __future__ import annotations

from gitmem.document import file_checks, place_checks
from gitmem.document.answers import (
    BuiltinAnswer,
    FileFinding,
    FoundFiles,
    blocked_answer,
    comparison_answer,
    more,
    place,
    shorten_value,
)
from gitmem.document.check_values import (
    EXACTLY,
    FLAG,
    GLOB,
    IN,
    NAME,
    OR_IN,
    PATH,
    PLACE,
    PLACE_OR_REFERENCE,
    RANGE,
    REGEX,
    SHA256,
    TEXT,
    VALUE,
    VERSION,
    CheckArguments,
    Value,
)
from gitmem.document.elsewhere import parse_elsewhere
from gitmem.document.sources import manifests
from gitmem.frozen import frozen
from gitmem.model import FAILS, HOLDS
from gitmem.text.globs import escape, unescape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from gitmem.document.file_checks import Probe
    from gitmem.model import Check


@frozen
class Field:
    """A further argument of a check, after the first.

    Attributes:
        name: Its name in the frontmatter, and as an option.
        value: Its kind of value.
        about: One line of help.
        keyword: Its name in Python, if different.
        is_optional: Whether it may be left out.
        is_choice: Whether exactly one of the check's choices must be given.
    """

    name: str
    value: Value
    about: str
    keyword: str = ""
    is_optional: bool = False
    is_choice: bool = False


# How much a check's answer for one part of a split file says about the original.
NO_PART, SOME_PART, SURE_PART = 0, 1, 2


@frozen
class BuiltinCheck:
    """One row: a built-in check.

    Attributes:
        name: Its name, in the frontmatter and as an option.
        value: Its kind of value.
        about: What it proves, one line of help.
        globs: Returns the globs of the files that it reads, given its arguments.
        probe: Makes the function that searches one file; returns None for a text that cannot be searched. None for a
            check that only tests whether a file exists.
        conclude: Returns the answer, given the findings.
        more: Its other fields.
        count: The number of values in its list (two places), or 1.
        is_about_any: Whether the answer depends only on whether any file has something, each considered separately.
        is_denial: Whether it fails if something is found, and holds otherwise.
        denies: The check that can never hold together with this one for the same text.
        unusable: The error for a text that cannot be searched; ``{text}`` is filled in.
        proves: The field that has the value which it proves, for checks of other repositories; empty if it proves none.
        part: How much a match in one part of a split file says about the original: ``NO_PART``, ``SOME_PART`` or
            ``SURE_PART``, which has precedence over a rename.
    """

    name: str
    value: Value
    about: str
    globs: Callable[[CheckArguments], tuple[str, ...]]
    probe: Callable[[CheckArguments], Probe | None] | None
    conclude: Callable[[CheckArguments, FoundFiles], BuiltinAnswer]
    more: tuple[Field, ...] = ()
    count: int = 1
    is_about_any: bool = False
    is_denial: bool = False
    denies: str = ""
    unusable: str = ""
    proves: str = ""
    part: int = NO_PART

    @property
    def fields(self) -> tuple[str, ...]:
        """Return the fields of its mapping, its name first."""
        return (self.name, *(field.name for field in self.more))

    @property
    def required(self) -> tuple[str, ...]:
        """Return the fields that its mapping must have."""
        return (self.name, *(f.name for f in self.more if not f.is_optional and not f.is_choice))

    @property
    def choices(self) -> tuple[str, ...]:
        """Return the fields of which its mapping must have exactly one."""
        return tuple(field.name for field in self.more if field.is_choice)

    @property
    def shape(self) -> str:
        """Return its form."""
        takes = self.value.shown if self.count == 1 else f"[{', '.join([self.value.shown] * self.count)}]"
        parts = [f"{self.name}: {takes}"]
        parts += ["|".join(f"{f.name}: {f.value.shown}" for f in self.more if f.is_choice)] if self.choices else []
        parts += [f"{f.name}: {f.value.shown}{'?' * f.is_optional}" for f in self.more if not f.is_choice]
        return f"{{{', '.join(parts)}}}"

    def accepts(self, names: Iterable[str]) -> bool:
        """Return whether a mapping with these fields is one of this check."""
        given_names = set(names)
        chosen = given_names.intersection(self.choices)
        return (
            given_names >= set(self.required) and given_names <= set(self.fields) and len(chosen) == bool(self.choices)
        )

    def value_of(self, name: str) -> Value:
        """Return the kind of value of one of its fields."""
        return next((field.value for field in self.more if field.name == name), self.value)


_IN_FILES = "code files; * matches within one folder, ** across folders"
_FILES = Field(IN, GLOB, _IN_FILES, keyword="within")
_ONE_FILE = Field(IN, PATH, _IN_FILES, keyword="within")
_SOME_FILES = Field(IN, GLOB, _IN_FILES, keyword="within", is_optional=True)
_EXACTLY = Field(EXACTLY, FLAG, "do not follow renamed files: the path is part of the claim", is_optional=True)
_OR_FILES = Field(
    OR_IN,
    GLOB,
    "other code files that count once --in no longer has it; documents never do",
    keyword="or_within",
    is_optional=True,
)


def _defines(taken: CheckArguments) -> Probe:
    from gitmem.document.sources.symbols import find_symbol  # imports re2

    def probe(path: str, content: bytes) -> Sequence[FileFinding]:
        line = find_symbol(content, taken.text, path)
        return [FileFinding(line)] if line else ()

    return place_checks.guard(probe)


def _script(taken: CheckArguments) -> Probe:
    from gitmem.document.sources.scripts import read_scripts  # imports yaml
    from gitmem.document.sources.workspaces import read_links

    def probe(path: str, content: bytes) -> Sequence[FileFinding]:
        line = read_scripts(path, content).get(taken.text)
        links = read_links(path, content)
        return [*([FileFinding(line)] if line else []), *([FileFinding(links=links)] if links else [])]

    return place_checks.guard(probe)


def _has_script(taken: CheckArguments, files: FoundFiles) -> BuiltinAnswer:
    if not taken.where:
        files = files.with_included(manifests.SCRIPT_FILES)
    having, unread = files.list_findings(), files.unread()
    if having:
        where = place(*having[0])
        return BuiltinAnswer(HOLDS, f"{where} defines {taken.text}", where)
    if unread:
        return blocked_answer(unread)
    if not files.paths:
        return BuiltinAnswer(FAILS, f"no file matches {taken.where}" if taken.where else "no file defines any target")
    return BuiltinAnswer(FAILS, f"no target {taken.text} in {', '.join(files.paths[:3])}{more(files.paths[2:])}")


def _dependency(taken: CheckArguments) -> Probe:
    from gitmem.document.sources.dependencies import normal_name, read_dependencies  # imports yaml
    from gitmem.document.sources.workspaces import read_links

    def probe(path: str, content: bytes) -> Sequence[FileFinding]:
        dependencies = read_dependencies(path, content).get(normal_name(path, taken.text), ())
        links = read_links(path, content)
        mine = [FileFinding(dependency.line, dependency.requirement) for dependency in dependencies]
        return [*mine, *([FileFinding(links=links)] if links else [])]

    return place_checks.guard(probe)


def _depends(taken: CheckArguments, files: FoundFiles) -> BuiltinAnswer:
    from gitmem.document.sources import versions  # imports packaging

    if not taken.where:
        files = files.with_included(manifests.MANIFESTS)
    having, unread = files.list_findings(), files.unread()
    wanted = taken.more.get("at", "")
    if not having and unread:
        return blocked_answer(unread)
    if not having:
        where = taken.where or "the manifests"
        message = f"{where} lists no {taken.text}" if taken.where else f"no manifest lists {taken.text}"
        if not taken.where and (missing := files.list_missing(".txt", ".in")):
            return blocked_answer([f"{missing[0]} is included, but not read: name it with `in`"])
        return BuiltinAnswer(FAILS, f"no file matches {where}" if taken.where and not files.paths else message)
    answers = []
    for path, finding in having:
        where, stated = place(path, finding), f"{taken.text} {finding.value}".strip()
        if not wanted:
            return BuiltinAnswer(HOLDS, f"{where} lists {shorten_value(stated)}", where, finding.value)
        is_as_wanted = versions.is_same(finding.value, wanted) or versions.is_within(finding.value, wanted)
        answer = comparison_answer(
            where, finding.value or "any version", f"{taken.text} {wanted}", is_as_wanted=is_as_wanted
        )
        answers.append(answer)
    return next((a for outcome in (HOLDS, FAILS) for a in answers if a.outcome == outcome), answers[0])


_TABLE = (
    BuiltinCheck("exists", PATH, "this file or folder exists", file_checks.path_globs, None, file_checks.exists),
    BuiltinCheck(
        "absent",
        PATH,
        "this file or folder does not exist",
        file_checks.absent_globs,
        None,
        file_checks.absent,
        is_denial=True,
        denies="exists",
    ),
    BuiltinCheck(
        "contains",
        TEXT,
        "at least one file in --in contains this text",
        file_checks.file_globs,
        file_checks.contains,
        file_checks.some_file(
            "{first} contains {text!r}", "no file of {where} contains {text!r}", "{where} does not contain {text!r}"
        ),
        more=(_FILES, _OR_FILES, _EXACTLY),
        is_about_any=True,
        part=SOME_PART,
    ),
    BuiltinCheck(
        "matches",
        REGEX,
        "at least one file in --in matches this regular expression",
        file_checks.file_globs,
        file_checks.matches,
        file_checks.some_file(
            "{first} matches {text!r}", "no file of {where} matches {text!r}", "{where} does not match {text!r}"
        ),
        more=(_FILES, _EXACTLY),
        is_about_any=True,
        unusable="{text!r} is not a valid regular expression of RE2, which has no look-around and no back-references",
    ),
    BuiltinCheck(
        "lacks",
        TEXT,
        "no file in --in contains this text",
        file_checks.file_globs,
        file_checks.contains,
        file_checks.no_file,
        more=(_FILES, _EXACTLY),
        is_about_any=True,
        is_denial=True,
        denies="contains",
    ),
    BuiltinCheck(
        "same",
        SHA256,
        "the file given by --in has this SHA-256",
        file_checks.one_file,
        file_checks.is_same,
        file_checks.same,
        more=(_ONE_FILE, _EXACTLY),
        is_about_any=True,
        proves="same",
    ),
    BuiltinCheck(
        "value",
        PLACE,
        "this place of a file states the value of --is, --at-least or --within",
        place_checks.places,
        place_checks.stated,
        place_checks.value,
        more=(
            Field("is", VALUE, "the value, compared as text", keyword="equals", is_choice=True),
            Field("at-least", VERSION, "the lowest version or number it may be", keyword="at_least", is_choice=True),
            Field("within", RANGE, "the versions it may be, a range", keyword="in_range", is_choice=True),
            _EXACTLY,
        ),
        proves="is",
        part=SOME_PART,
    ),
    BuiltinCheck(
        "agree",
        PLACE_OR_REFERENCE,
        "these two places state the same value; one may be a fact of another repository, REPOSITORY:KEY",
        place_checks.places,
        place_checks.agrees,
        place_checks.agree,
        more=(_EXACTLY,),
        count=2,
    ),
    BuiltinCheck(
        "symbol",
        NAME,
        "a file in --in defines this name: a function, class, constant, Class.method",
        file_checks.file_globs,
        _defines,
        file_checks.some_file(
            "{first} defines {text}", "no file of {where} defines {text}", "{where} does not define {text}"
        ),
        more=(_FILES, _OR_FILES, _EXACTLY),
        is_about_any=True,
        part=SURE_PART,
    ),
    BuiltinCheck(
        "script",
        NAME,
        "a Makefile, package.json, justfile, … of --in or the root has this target",
        file_checks.files_or(manifests.SCRIPT_GLOBS),
        _script,
        _has_script,
        more=(_SOME_FILES,),
    ),
    BuiltinCheck(
        "depends",
        NAME,
        "a manifest of --in or the root lists this dependency",
        file_checks.files_or(manifests.MANIFEST_GLOBS),
        _dependency,
        _depends,
        more=(
            _SOME_FILES,
            Field("at", RANGE, "the version or range at which it is listed", is_optional=True),
        ),
        proves="at",
    ),
)
CHECKS = {check.name: check for check in _TABLE}


def row_of(check: Check) -> BuiltinCheck:
    """Return the row of a built-in check."""
    return CHECKS[check.words[0]]


def find_row(names: Iterable[str]) -> BuiltinCheck | None:
    """Return the row whose mapping has these fields, or None."""
    field_names = set(names)
    # Its name first: an index asks three times for each fact, and comparing with a row takes longer.
    return next((row for name, row in CHECKS.items() if name in field_names and row.accepts(field_names)), None)


def shapes() -> str:
    """Return the forms of all built-in checks, for help and errors."""
    return "; ".join(row.shape for row in CHECKS.values())


def iter_fields() -> Iterator[Field]:
    """Yield the further fields of checks, each name once, in table order."""
    yield from {field.name: field for row in CHECKS.values() for field in row.more}.values()


def is_followed(words: Sequence[str]) -> bool:
    """Return whether a check is judged where git renamed its files: it is about their content, and not about paths."""
    return CHECKS[words[0]].probe is not None and not parse_arguments(words).is_exact


def globs_of(words: Sequence[str]) -> tuple[str, ...]:
    """Return the globs of the files that a built-in check reads, given its words."""
    return CHECKS[words[0]].globs(parse_arguments(words))


def map_places(words: Sequence[str], place: Callable[[str], str]) -> tuple[str, ...]:
    """Return the words of a built-in check with each path or glob replaced by the result of *place*."""
    row = CHECKS[words[0]]
    values = (*[row.value] * row.count, *(field.value for field in row.more))
    renamed = (
        _placed(value, word, place) if word and value.placed is not None else word
        for value, word in zip(values, words[1:], strict=False)
    )
    return (words[0], *renamed)


def _placed(value: Value, word: str, place: Callable[[str], str]) -> str:
    assert value.placed is not None, "it names files"
    return value.placed(word, place if value.is_pattern else lambda path: unescape(place(escape(path))))


def list_globs(words: Sequence[str]) -> list[str]:
    """Return the paths and globs that a built-in check names itself; none if it uses the default files."""
    globs: list[str] = []

    def note(glob: str) -> str:
        globs.append(glob)
        return glob

    map_places(words, note)
    return globs


def with_other_files(words: Sequence[str], glob: str) -> tuple[str, ...]:
    """Return the words of a check with ``or-in``, with other files to search first."""
    return (*words[:2], glob, *words[3:])


def parse_arguments(words: Sequence[str]) -> CheckArguments:
    """Return the arguments of a built-in check, given its words."""
    row = CHECKS[words[0]]
    pairs = zip(row.more, words[1 + row.count :], strict=False)
    return CheckArguments(tuple(words[1 : 1 + row.count]), {field.name: word for field, word in pairs if word})


def words_of(mapping: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the words of a built-in check (``model.Check``) from its valid mapping.

    They are its name, its value, and its other fields in table order, empty if left out; trailing empty ones are
    omitted.
    """
    row = find_row(mapping)
    assert row is not None, "a parsed memory has valid checks only"
    first = mapping[row.name]
    others = (mapping.get(field.name, "") for field in row.more)
    words = [
        row.name,
        *([first] if row.count == 1 else first),
        *("true" if other is True else other for other in others),
    ]
    while not words[-1]:
        words.pop()
    return tuple(words)


def references_of(words: Sequence[str]) -> tuple[str, ...]:
    """Return the facts of other repositories that a built-in check compares with, given its words."""
    if CHECKS[words[0]].value is not PLACE_OR_REFERENCE:
        return ()
    return tuple(argument for argument in parse_arguments(words).values if parse_elsewhere(argument))


def value_of(verify: object) -> str:
    """Return the value that the check of a frontmatter proves, on one line; empty if it proves none."""
    row = find_row(verify) if isinstance(verify, dict) else None
    text = verify.get(row.proves) if row is not None and row.proves and isinstance(verify, dict) else None
    return " ".join(text.split()) if isinstance(text, str) else ""


def mapping_of(words: Sequence[str]) -> dict[str, Any]:
    """Return the mapping of a built-in check from its words."""
    row, arguments = CHECKS[words[0]], parse_arguments(words)
    flags = {field.name: True for field in row.more if field.value is FLAG and field.name in arguments.more}
    return {row.name: arguments.text if row.count == 1 else list(arguments.values), **arguments.more, **flags}
