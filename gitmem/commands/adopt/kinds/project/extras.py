"""Optional parts of a package in commands: ``pip install .[test]``, ``uv sync --group docs``, ``--features x``."""

from __future__ import annotations

import posixpath
import re

from gitmem.commands.adopt.claims.claim import Claim
from gitmem.commands.adopt.claims.commands import list_commands, option_values
from gitmem.commands.adopt.findings import Source
from gitmem.document.sources.formats import read_source
from gitmem.errors import FormatError
from gitmem.text.globs import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from gitmem.commands.adopt.claims.commands import Command
    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.statements import Statement
    from gitmem.document.sources.node import Node

EXTRA = "extra"
# The options of each program that name an optional part. Sources: the manuals of uv 0.9, Poetry 2.2, PDM 2.26 and
# cargo 1.90.
_OPTIONS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "uv": {"extra": ("--extra",), "group": ("--group", "--only-group")},
    "poetry": {"extra": ("-E", "--extras"), "group": ("--with", "--only")},
    "pdm": {"part": ("-G", "--group")},
    "cargo": {"feature": ("-F", "--features")},
}
# Commands that may be about another package.
_FOREIGN = frozenset({"add", "install", "tool", "update", "remove", "new", "init", "publish", "info"})
_HERE = re.compile(r"^[\"']?(?:-e)?((?:\.{1,2}|[\w-]+/)[\w./-]*)\[([\w.,-]+)\][\"']?$")
_START = re.compile(r"[^=\[]+=\s*\[")
_NAME = re.compile(r"^[A-Za-z][\w.-]*$")
_EXAMPLE = re.compile(r"^(?:your|my|some|foo|bar|extra|extras|group|feature|features|name)\b", re.I)
_MANIFESTS: Mapping[str, tuple[str, ...]] = {"feature": ("Cargo.toml",)}
_PYTHON = ("pyproject.toml", "setup.cfg", "setup.py")
_EXTRAS = (("project", "optional-dependencies"), ("tool", "poetry", "extras"), ("options.extras_require",))
_GROUPS = (("dependency-groups",), ("tool", "poetry", "group"), ("tool", "pdm", "dev-dependencies"))
# Where a manifest lists the optional parts of each sort, as members.
_KEYS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "extra": _EXTRAS,
    "group": _GROUPS,
    "part": (*_EXTRAS, *_GROUPS),
    "feature": (("features",),),
}
_DEPENDENCIES = (("dependencies",), ("workspace", "dependencies"), ("build-dependencies",))


def extra_claims(statement: Statement, _document: Document) -> Iterator[Claim]:
    """Yield the extras, groups and features that a statement's commands name."""
    for command in list_commands(statement):
        for sort, name, folder in dict.fromkeys(_named_by(command)):
            if _NAME.match(name) and not _EXAMPLE.match(name):
                yield Claim(EXTRA, command.line, f"{sort} {name}", name, tool=sort, places=(folder,) if folder else ())


def _named_by(command: Command) -> Iterator[tuple[str, str, str]]:
    """Yield the sort and name of each optional part that a command names, and the folder if it names one."""
    for words in filter(None, (command.runner, command.words)):
        tool = words[0]
        if "install" in words[1:4] and (tool in ("pip", "pip3", "uv") or words[1:3] == ("-m", "pip")):
            yield from (
                ("extra", name, posixpath.normpath(match[1]).strip("./"))
                for word in words
                if (match := _HERE.match(word))
                for name in match[2].split(",")
            )
        is_foreign = not _FOREIGN.isdisjoint(words[1:2]) and (tool, *words[1:2]) not in (
            ("poetry", "install"),
            ("pdm", "install"),
        )
        for sort, options in _OPTIONS.get(tool, {}).items() if not is_foreign else ():
            for value in option_values(words, *options):
                names = re.split(r"[,\s]+", value.strip("\"'"))
                yield from ((sort, name.rpartition("/")[2], "") for name in names if name)


def is_readable(code: Code, claim: Claim) -> bool:
    """Return whether the code has a manifest that can define what is named, and the folder."""
    has_folder = all(any(f"/{folder}".endswith(f"/{place}") for folder in code.tree.folders) for place in claim.places)
    return has_folder and bool(_list_manifests(code, claim))


def find_extra(code: Code, claim: Claim, document: Document) -> Source | None:
    """Return where a manifest defines an extra, group or feature: the nearest one to the document first."""
    paths = sorted(
        _list_manifests(code, claim),
        key=lambda path: (not path.startswith(f"{document.folder}/"), path.count("/"), path),
    )
    for path, text in code.texts(paths).items():
        if (part := _parts_in(path, text, claim.tool).get(_plain(claim.name))) is not None:
            lines = text.split("\n")
            # `[tool.poetry.group.ci.dependencies]` also makes the group `ci`, which has no line of its own.
            numbers = (part.line, *(member.line for _, member in part.iter_members()))
            line = next((number for number in numbers if _plain(claim.name) in _plain(lines[number - 1])), 0)
            return Source(path, line, _start_of(lines[line - 1].strip(), text) if line else "")
    return None


def _start_of(written: str, text: str) -> str:
    """Return the start of a line that shows that a list is defined, whatever is in it; empty if other lines have it.

    That of an optional dependency has its version, which changes without making it another feature.
    """
    start = _START.match(written)
    starts = (start[0] if start else "", written) if "{" not in written else ()
    return next((start for start in starts if start and text.count(start) == 1), "")


def find_unread(code: Code, claim: Claim, _document: Document) -> Source | None:
    """Return a manifest that may define the name in a way that is not read: in code, or by a plug-in of the build."""
    for path, text in code.texts(_list_manifests(code, claim)).items():
        is_code = path.endswith("setup.py") and re.search(rf"[\"']{re.escape(claim.name)}[\"']", text)
        if is_code or (claim.tool != "feature" and re.search(r"dynamic\s*=\s*\[[^\]]*optional-dependencies", text)):
            return Source(path)
        if _read(path, text) is None:
            return Source(path)
    return None


def extra_check(_claim: Claim, source: Source) -> Mapping[str, Any] | None:
    """Return the check that the manifest still has the line that defines it; None if another line is the same."""
    return {"contains": source.actual, "in": escape(source.path)} if source.actual else None


def _list_manifests(code: Code, claim: Claim) -> list[str]:
    return code.tree.files_named(*_MANIFESTS.get(claim.tool, _PYTHON))


def _parts_in(path: str, text: str, sort: str) -> dict[str, Node]:
    """Return the optional parts of a sort that a manifest defines."""
    top = _read(path, text)
    if top is None:
        return {}
    found = {_plain(name): node for keys in _KEYS[sort] for name, node in top.at(*keys).iter_members()}
    if sort == "feature":  # an optional dependency is a feature
        for keys in _DEPENDENCIES:
            for name, node in top.at(*keys).iter_members():
                if node.at("optional").text == "true":
                    found.setdefault(_plain(name), node)
    if sort in ("group", "part") and (node := top.at("tool", "uv", "dev-dependencies")).line:
        found.setdefault("dev", node)
    return found


def _read(path: str, text: str) -> Node | None:
    try:
        return read_source(path, text.encode("utf-8", "surrogateescape"))
    except FormatError:
        return None


def _plain(name: str) -> str:
    """Return a name without what extras may differ in. Source: PEP 685."""
    return re.sub(r"[-_.]+", "-", name).lower()
