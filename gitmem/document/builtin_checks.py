"""The table of built-in checks: name, arguments, files and search of each. Pure.

Parsing, the options of the command line, the schema for MCP clients, the documentation, the inputs of a check and its
answer are made from these rows: a new check is one new row, and a module of ``document.sources`` if it reads a format
of its own. ``verify.builtin`` evaluates them.
"""

from __future__ import annotations

from gitmem.document.answers import (
    BuiltinAnswer,
    FileFinding,
    FoundFiles,
    blocked_answer,
    comparison_answer,
    conceal,
    more,
    place,
    shorten_value,
)
from gitmem.document.check_values import GLOB, NAME, PATH, PLACE, RANGE, REGEX, SHA256, TEXT, VALUE, VERSION, Value
from gitmem.document.sources import manifests
from gitmem.document.sources.address import format_key, parse_address
from gitmem.errors import FormatError
from gitmem.frozen import frozen
from gitmem.model import BLOCKED, FAILS, HOLDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from gitmem.model import Check

    # Returns what a check looks for in one file, given its path and content; may be empty.
    Probe = Callable[[str, bytes], Sequence[FileFinding]]

# The field, and the option, for the files that a check searches.
IN = "in"
# The field for the files that count as well once those of ``in`` have lost what the check looks for.
OR_IN = "or-in"


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


@frozen
class CheckArguments:
    """The arguments of one check.

    Attributes:
        values: The value of its name: one text, or several if it takes a list.
        more: Its other fields.
    """

    values: tuple[str, ...]
    more: Mapping[str, str]

    @property
    def text(self) -> str:
        """Return the first value."""
        return self.values[0]

    @property
    def where(self) -> str:
        """Return the glob of the files that it searches; empty if it names none."""
        return self.more.get(IN, "")

    @property
    def is_everywhere(self) -> bool:
        """Return whether it is searched for in all of its ``or-in``, and not only where it was."""
        return bool(self.where) and self.where == self.more.get(OR_IN)


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
        given = set(names)
        chosen = given.intersection(self.choices)
        return given >= set(self.required) and given <= set(self.fields) and len(chosen) == bool(self.choices)

    def value_of(self, name: str) -> Value:
        """Return the kind of value of one of its fields."""
        return next((field.value for field in self.more if field.name == name), self.value)


_IN_FILES = "code files; * matches within one folder, ** across folders"
_FILES = Field(IN, GLOB, _IN_FILES, keyword="within")
_SOME_FILES = Field(IN, GLOB, _IN_FILES, keyword="within", is_optional=True)
_OR_FILES = Field(
    *(OR_IN, GLOB, "further code files that count once --in has lost it; documents never do"),
    keyword="or_within",
    is_optional=True,
)


# About files: presence, a text, a regular expression, a checksum.


def _path(taken: CheckArguments) -> tuple[str, ...]:
    return (taken.text,)


def _files(taken: CheckArguments) -> tuple[str, ...]:
    return (taken.where,)


def _files_or(default: tuple[str, ...]) -> Callable[[CheckArguments], tuple[str, ...]]:
    """Return a function for the globs of a check that need not name its files."""
    return lambda taken: (taken.where,) if taken.where else default


def _presence(if_there: str, if_absent: str) -> Callable[[CheckArguments, FoundFiles], BuiltinAnswer]:
    """Return the conclusion with one outcome if a file or folder exists, and the other if it does not."""

    def conclude(taken: CheckArguments, files: FoundFiles) -> BuiltinAnswer:
        if files.paths:
            return BuiltinAnswer(if_there, f"{taken.text} exists", taken.text)
        return BuiltinAnswer(if_absent, f"{taken.text} does not exist")

    return conclude


def _contains(taken: CheckArguments) -> Probe:
    # Text is searched as bytes.
    sought = taken.text.encode("utf-8", "surrogateescape")
    return lambda _, content: _at(content, content.find(sought))


def _matches(taken: CheckArguments) -> Probe | None:
    """Return a search for a regular expression; others wrote it, so it must run in linear time (threat T25)."""
    import re2  # 8.5 ms (measured), only for a regular expression

    options = re2.Options()
    options.log_errors = False
    options.encoding = re2.Options.Encoding.LATIN1  # text is bytes
    try:
        pattern = re2.compile(b"(?m)" + taken.text.encode("utf-8"), options)
    except (re2.error, UnicodeEncodeError):
        return None

    def probe(_: str, content: bytes) -> Sequence[FileFinding]:
        found = pattern.search(content)
        return _at(content, -1 if found is None else found.start())

    return probe


def _is_same(taken: CheckArguments) -> Probe:
    from hashlib import sha256  # 3 ms (measured), only for such a check

    return lambda _, content: [FileFinding()] if sha256(content).hexdigest() == taken.text.lower() else ()


def _at(content: bytes, offset: int) -> Sequence[FileFinding]:
    return () if offset < 0 else [FileFinding(content.count(b"\n", 0, offset) + 1)]


def _some_file(holds: str, fails: str) -> Callable[[CheckArguments, FoundFiles], BuiltinAnswer]:
    """Return the conclusion that a file has something; ``{text}``, ``{where}`` and ``{first}`` are filled in."""

    def conclude(taken: CheckArguments, files: FoundFiles) -> BuiltinAnswer:
        having, unread = files.list_findings(), files.unread()
        if not files.paths:
            return BuiltinAnswer(FAILS, f"no file matches {taken.where}")
        if having:
            first = place(*having[0])
            return BuiltinAnswer(HOLDS, holds.format(text=taken.text, first=first), first)
        if unread and not taken.is_everywhere:  # what is too large to be read is data, and defines nothing
            return blocked_answer(unread)
        where = "the code" if taken.is_everywhere and taken.where == "**" else taken.where
        return BuiltinAnswer(FAILS, fails.format(text=taken.text, where=where))

    return conclude


def _no_file(taken: CheckArguments, files: FoundFiles) -> BuiltinAnswer:
    """Conclude that no file contains a text."""
    having, unread = files.list_findings(), files.unread()
    if not files.paths:
        return BuiltinAnswer(BLOCKED, f"no file matches {taken.where}")
    if having:
        first = place(*having[0])
        return BuiltinAnswer(FAILS, f"{first} contains {taken.text!r}{more(having)}", first)
    return (
        blocked_answer(unread) if unread else BuiltinAnswer(HOLDS, f"no file of {taken.where} contains {taken.text!r}")
    )


# About values in structured files. Their readers are loaded on use: they import parsers.


def _places(taken: CheckArguments) -> tuple[str, ...]:
    return tuple(parse_address(one).path for one in taken.values)


def _stated(taken: CheckArguments) -> Probe:
    """Return a search for the values at a check's addresses."""
    from gitmem.document.sources.formats import read_value  # imports yaml

    addresses = [(one, parse_address(one)) for one in taken.values]

    def probe(path: str, content: bytes) -> Sequence[FileFinding]:
        found = []
        for key, address in addresses:
            node = read_value(path, content, address.keys) if address.path == path else None
            if node is not None:
                found.append(FileFinding(node.line, node.value(), key=key))
        return found

    return _guard(probe)


def _guard(probe: Probe) -> Probe:
    """Return a probe that reports an unreadable file as a finding."""

    def read(path: str, content: bytes) -> Sequence[FileFinding]:
        try:
            return probe(path, content)
        except FormatError as err:
            return [FileFinding(err.line, problem=str(err))]

    return read


def _missing(written: str, files: FoundFiles) -> BuiltinAnswer:
    """Return the answer if there is no value at an address."""
    address = parse_address(written)
    mine = FoundFiles([path for path in files.paths if path == address.path], files.findings, files.matcher)
    if mine.unread():
        return blocked_answer(mine.unread())
    if not mine.paths:
        return BuiltinAnswer(FAILS, f"{address.path} does not exist")
    return BuiltinAnswer(FAILS, f"{address.path} states no {format_key(address.keys) or 'value'}", address.path)


def _value(taken: CheckArguments, files: FoundFiles) -> BuiltinAnswer:
    having = files.list_findings()
    if not having:
        return _missing(taken.text, files)
    where, stated = place(*having[0]), having[0][1].value
    repeated = conceal(_last_key(taken.text), stated)
    name, wanted = next(iter(taken.more.items()), ("", ""))
    if not name:  # only the presence of a value was required
        return comparison_answer(where, repeated, "", is_as_wanted=True)
    from gitmem.document.sources import versions  # imports packaging

    if name == "at-least":
        return comparison_answer(
            where, repeated, f"at least {wanted}", is_as_wanted=versions.is_at_least(stated, wanted)
        )
    if name == "within":
        return comparison_answer(where, repeated, f"within {wanted}", is_as_wanted=versions.is_within(stated, wanted))
    return comparison_answer(where, repeated, wanted, is_as_wanted=versions.is_same(stated, wanted))


def _last_key(written: str) -> str:
    return (parse_address(written).keys or ("",))[-1]


def _agree(taken: CheckArguments, files: FoundFiles) -> BuiltinAnswer:
    found = {finding.key: (path, finding) for path, finding in files.list_findings()}
    for written in taken.values:
        if written not in found:
            return _missing(written, files)
    from gitmem.document.sources import versions  # imports packaging

    (one, first), (other, second) = (found[written] for written in taken.values)
    where, actual = place(one, first), conceal(_last_key(taken.values[0]), first.value)
    others = conceal(_last_key(taken.values[1]), second.value)
    if versions.is_same(first.value, second.value):
        message = f"{where} and {place(other, second)} state {shorten_value(actual)}"
        return BuiltinAnswer(HOLDS, message, where, actual)
    message = f"{where} states {shorten_value(actual)}, and {place(other, second)} {shorten_value(others)}"
    return BuiltinAnswer(FAILS, message, where, actual)


def _defines(taken: CheckArguments) -> Probe:
    from gitmem.document.sources.symbols import find_symbol  # imports re2

    def probe(_: str, content: bytes) -> Sequence[FileFinding]:
        line = find_symbol(content, taken.text)
        return [FileFinding(line)] if line else ()

    return _guard(probe)


def _script(taken: CheckArguments) -> Probe:
    from gitmem.document.sources.scripts import read_scripts  # imports yaml
    from gitmem.document.sources.workspaces import read_links

    def probe(path: str, content: bytes) -> Sequence[FileFinding]:
        line = read_scripts(path, content).get(taken.text)
        links = read_links(path, content)
        return [*([FileFinding(line)] if line else []), *([FileFinding(links=links)] if links else [])]

    return _guard(probe)


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
        found = read_dependencies(path, content).get(normal_name(path, taken.text), ())
        links = read_links(path, content)
        mine = [FileFinding(one.line, one.requirement) for one in found]
        return [*mine, *([FileFinding(links=links)] if links else [])]

    return _guard(probe)


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
        return BuiltinAnswer(FAILS, f"no file matches {where}" if taken.where and not files.paths else message)
    answers = []
    for path, one in having:
        where, stated = place(path, one), f"{taken.text} {one.value}".strip()
        if not wanted:
            return BuiltinAnswer(HOLDS, f"{where} lists {shorten_value(stated)}", where, one.value)
        is_as_wanted = versions.is_same(one.value, wanted) or versions.is_within(one.value, wanted)
        answer = comparison_answer(
            where, one.value or "any version", f"{taken.text} {wanted}", is_as_wanted=is_as_wanted
        )
        answers.append(answer)
    return next((a for outcome in (HOLDS, FAILS) for a in answers if a.outcome == outcome), answers[0])


_TABLE = (
    BuiltinCheck("exists", PATH, "this file or folder exists", _path, None, _presence(HOLDS, FAILS)),
    BuiltinCheck(
        *("absent", PATH, "this file or folder does not exist", _path, None, _presence(FAILS, HOLDS)),
        is_denial=True,
        denies="exists",
    ),
    BuiltinCheck(
        *("contains", TEXT, "at least one file in --in contains this text", _files, _contains),
        _some_file("{first} contains {text!r}", "no file of {where} contains {text!r}"),
        more=(_FILES, _OR_FILES),
        is_about_any=True,
        part=SOME_PART,
    ),
    BuiltinCheck(
        *("matches", REGEX, "at least one file in --in matches this regular expression", _files, _matches),
        _some_file("{first} matches {text!r}", "no file of {where} matches {text!r}"),
        more=(_FILES,),
        is_about_any=True,
        unusable="{text!r} is not a regular expression that can be run in linear time",
    ),
    BuiltinCheck(
        *("lacks", TEXT, "no file in --in contains this text", _files, _contains, _no_file),
        more=(_FILES,),
        is_about_any=True,
        is_denial=True,
        denies="contains",
    ),
    BuiltinCheck(
        *("same", SHA256, "the file given by --in has this SHA-256", _files, _is_same),
        _some_file("{first} has this SHA-256", "{where} has another SHA-256"),
        more=(_FILES,),
        is_about_any=True,
    ),
    BuiltinCheck(
        *("value", PLACE, "this place of a file states the value of --is, --at-least or --within"),
        *(_places, _stated, _value),
        more=(
            Field("is", VALUE, "the value, compared as text", keyword="equals", is_choice=True),
            Field("at-least", VERSION, "the lowest version or number it may be", keyword="at_least", is_choice=True),
            Field("within", RANGE, "the versions it may be, a range", keyword="in_range", is_choice=True),
        ),
        part=SOME_PART,
    ),
    BuiltinCheck(
        *("agree", PLACE, "these two places state the same value", _places, _stated, _agree),
        count=2,
    ),
    BuiltinCheck(
        *("symbol", NAME, "a file in --in defines this name: a function, class, constant, Class.method"),
        *(_files, _defines),
        _some_file("{first} defines {text}", "no file of {where} defines {text}"),
        more=(_FILES, _OR_FILES),
        is_about_any=True,
        part=SURE_PART,
    ),
    BuiltinCheck(
        *("script", NAME, "a Makefile, package.json, justfile, … of --in or the root has this target"),
        *(_files_or(manifests.SCRIPT_GLOBS), _script, _has_script),
        more=(_SOME_FILES,),
    ),
    BuiltinCheck(
        *("depends", NAME, "a manifest of --in or the root lists this dependency"),
        *(_files_or(manifests.MANIFEST_GLOBS), _dependency, _depends),
        more=(
            _SOME_FILES,
            Field("at", RANGE, "the version or range at which it is listed", is_optional=True),
        ),
    ),
)
CHECKS = {check.name: check for check in _TABLE}


def row_of(check: Check) -> BuiltinCheck:
    """Return the row of a built-in check."""
    return CHECKS[check.words[0]]


def find_row(names: Iterable[str]) -> BuiltinCheck | None:
    """Return the row whose mapping has these fields, or None."""
    given = set(names)
    return next((row for row in CHECKS.values() if row.accepts(given)), None)


def shapes() -> str:
    """Return the forms of all built-in checks, for help and errors."""
    return "; ".join(row.shape for row in CHECKS.values())


def iter_fields() -> Iterator[Field]:
    """Yield the further fields of checks, each name once, in table order."""
    yield from {field.name: field for row in CHECKS.values() for field in row.more}.values()


def globs_of(words: Sequence[str]) -> tuple[str, ...]:
    """Return the globs of the files that a built-in check reads, given its words."""
    return CHECKS[words[0]].globs(parse_arguments(words))


def map_places(words: Sequence[str], place: Callable[[str], str]) -> tuple[str, ...]:
    """Return the words of a built-in check with each path or glob replaced by the result of *place*."""
    row = CHECKS[words[0]]
    values = (*[row.value] * row.count, *(field.value for field in row.more))
    taken = (
        value.placed(word, place) if word and value.placed is not None else word
        for value, word in zip(values, words[1:], strict=False)
    )
    return (words[0], *taken)


def list_globs(words: Sequence[str]) -> list[str]:
    """Return the paths and globs that a built-in check names itself; none if it uses the default files."""
    found: list[str] = []

    def note(glob: str) -> str:
        found.append(glob)
        return glob

    map_places(words, note)
    return found


def with_other_files(words: Sequence[str], glob: str) -> tuple[str, ...]:
    """Return the words of a check with ``or-in``, with other files to search first."""
    return (*words[:2], glob, *words[3:])


def parse_arguments(words: Sequence[str]) -> CheckArguments:
    """Return the arguments of a built-in check, given its words."""
    row = CHECKS[words[0]]
    given = zip(row.more, words[1 + row.count :], strict=False)
    return CheckArguments(tuple(words[1 : 1 + row.count]), {field.name: word for field, word in given if word})


def words_of(mapping: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the words of a built-in check (``model.Check``) from its valid mapping.

    They are its name, its value, and its other fields in table order, empty if left out; trailing empty ones are
    omitted.
    """
    row = find_row(mapping)
    assert row is not None, "a parsed memory has valid checks only"
    first = mapping[row.name]
    words = [row.name, *([first] if row.count == 1 else first), *(mapping.get(field.name, "") for field in row.more)]
    while not words[-1]:
        words.pop()
    return tuple(words)


def mapping_of(words: Sequence[str]) -> dict[str, Any]:
    """Return the mapping of a built-in check from its words."""
    row, taken = CHECKS[words[0]], parse_arguments(words)
    return {row.name: taken.text if row.count == 1 else list(taken.values), **taken.more}
