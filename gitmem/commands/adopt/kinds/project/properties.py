"""Properties of MSBuild: ``TreatWarningsAsErrors=true``, "`LangVersion` is `latest`"."""

from __future__ import annotations

import re

from gitmem.commands.adopt.claims.claim import Claim
from gitmem.commands.adopt.findings import Source
from gitmem.commands.adopt.statements import CODE, TREE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.statements import Statement

PROPERTY = "property"
_VALUE = r"[^\s<>`=]{1,80}"
_SAID = re.compile(
    rf"`(?P<set>[A-Z]\w{{3,60}})=(?P<to>{_VALUE})`|`<(?P<tag>[A-Z]\w{{3,60}})>(?P<text>{_VALUE})</(?P=tag)>`"
    rf"|`(?P<name>[A-Z]\w{{3,60}})` (?:is|is set to|set to|=) `(?P<value>{_VALUE})`"
)
_FILES = (".props", ".targets", ".csproj", ".fsproj", ".vbproj")


def property_claims(statement: Statement, _document: Document) -> Iterator[Claim]:
    """Yield the properties that a statement gives a value."""
    for number, line in enumerate(() if statement.kind in (CODE, TREE) else statement.lines, statement.line):
        for match in _SAID.finditer(line):
            name = match["set"] or match["tag"] or match["name"]
            value = match["to"] or match["text"] or match["value"]
            yield Claim(PROPERTY, number, name, f"{name}={value}", stated=value)


def find_property(code: Code, claim: Claim, document: Document) -> Source | None:
    """Return where a project file gives a property its stated value."""
    source = _find_value(code, claim, document)
    return source if source and source.actual.casefold() == claim.stated.casefold() else None


def find_other_value(code: Code, claim: Claim, document: Document) -> Source | None:
    """Return where a property has another value."""
    source = _find_value(code, claim, document)
    return source if source and source.actual.casefold() != claim.stated.casefold() else None


def property_check(claim: Claim, source: Source) -> Mapping[str, Any]:
    """Return the check that the file gives the property this value."""
    return {"value": f"{source.path}#Project.PropertyGroup.{claim.token}", "is": source.actual}


def _find_value(code: Code, claim: Claim, document: Document) -> Source | None:
    """Return the value of a property in the top folder that sets it; None if it has several there, or computes it.

    A document in a folder is about the project files below it, if these set the property.
    """
    name, values = claim.token, list[Source]()
    folder = f"{document.folder}/" if document.folder else ""
    paths = sorted(
        (path for path in code.files if path.endswith(_FILES)),
        key=lambda path: (not path.startswith(folder), path.count("/"), path),
    )
    for path, text in code.texts(paths).items() if paths else ():
        if values and (values[0].path.count("/"), values[0].path.startswith(folder)) != (
            path.count("/"),
            path.startswith(folder),
        ):
            break
        if f"</{name}>" in text:
            for match in re.finditer(rf"<{name}(?: [^<>]{{0,500}})?>([^<>\n]{{0,200}})</{name}>", text):
                values.append(Source(path, text.count("\n", 0, match.start()) + 1, match[1].strip()))
    is_clear = (
        len({source.actual for source in values}) == 1 and [source.path for source in values].count(values[0].path) == 1
    )
    return values[0] if is_clear and "$(" not in values[0].actual else None
