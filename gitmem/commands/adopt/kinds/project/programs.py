"""Programs and tests of the repository in commands: ``python -m a.b``, ``pytest a.py::b``, ``cargo test --test c``."""

from __future__ import annotations

import itertools
import posixpath
import re

from gitmem.commands.adopt.claims.claim import Claim
from gitmem.commands.adopt.claims.commands import list_commands
from gitmem.commands.adopt.findings import Probe, Source
from gitmem.commands.adopt.judge.occurrence import SCOPE, is_defined_in
from gitmem.commands.adopt.kinds.words import list_with_line
from gitmem.document.check_values import OR_IN
from gitmem.frozen import replace
from gitmem.text.code.languages import is_code
from gitmem.text.globs import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.findings import JudgedClaim
    from gitmem.commands.adopt.repository_history import Past
    from gitmem.commands.adopt.statements import Statement

PROGRAM, TEST = "program", "test"
_MODULE = re.compile(r"^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$")
# The options that select tests by name: of gradle, go and node; and such a name, with its class before it.
_SELECTORS = frozenset({"--tests", "-run", "--test-name-pattern"})
_NAMED_TEST = re.compile(r"(?:[\w.]{1,200}\.)?(?=\w{0,200}(?:[a-z0-9][A-Z]|\w_\w))([A-Za-z]\w{7,200})")
# The package before a class of Java or Kotlin: `a.b.StoreTest`.
_PACKAGE = re.compile(r"((?:[a-z]\w*\.)+)[A-Z]")
_PACKAGE_LINE = re.compile(r"^[ \t]*package[ \t]+([\w.]+)", re.M)
_NODE = re.compile(r"^([\w./-]+\.py)::(?:\w+::)*(\w+)(?:\[.*)?$")
# Names that stand for others.
_EXAMPLE = re.compile(
    r"path/to|test_(?:file|name|function|something|foo|method_name)\b|test_function_name|\byour|my_test"
)
_APP = re.compile(r"^([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+):[A-Za-z_]\w*(?:\(\))?$")
_LABEL = re.compile(r"^//(?P<package>[\w.-]+(?:/[\w.-]+)*)(?:/\.\.\.|:(?P<target>[\w.-]+))?$")
_SERVERS = frozenset({"uvicorn", "gunicorn", "hypercorn", "granian", "daphne"})
# The folders that a package of Python may be in.
_TOPS = ("src", "lib", "python")
# The options of cargo that name a target, and where its file is.
_TARGETS: Mapping[str, tuple[str, ...]] = {
    "--test": ("tests/{}.rs", "tests/{}/main.rs"),
    "--example": ("examples/{}.rs", "examples/{}/main.rs"),
    "--bench": ("benches/{}.rs", "benches/{}/main.rs"),
    "--bin": ("src/bin/{}.rs", "src/bin/{}/main.rs"),
}


def program_claims(statement: Statement, _document: Document) -> Iterator[Claim]:
    """Yield the modules and targets that a statement's commands run; the places are the files that they may be."""
    for command in list_commands(statement):
        words = command.words
        if re.match(r"^(?:python[\d.]*|py)$", words[0]) and "-m" in words[:-1]:
            yield from _module(words[words.index("-m") + 1], command.line)
        elif words[0] in _SERVERS:
            for match in filter(None, map(_APP.match, words[1:])):
                yield from _module(match[1], command.line)
        elif words[0] in ("bazel", "bazelisk"):
            for match in filter(None, map(_LABEL.match, words[1:])):
                places = tuple(posixpath.join(match["package"], name) for name in ("BUILD.bazel", "BUILD"))
                name = match["target"] or ""
                yield Claim(PROGRAM, command.line, match[0], name, is_certain=False, places=places, tool="bazel")
        elif words[0] == "cargo":
            for option, name in itertools.pairwise(words):
                if option in _TARGETS and re.match(r"^[\w-]+$", name):
                    places = tuple(place.format(name) for place in _TARGETS[option])
                    yield Claim(PROGRAM, command.line, f"{option} {name}", name, places=places, tool=option)


def _module(name: str, line: int) -> Iterator[Claim]:
    if _MODULE.match(name):
        path = name.replace(".", "/")
        endings = (".py", "/__main__.py", "/__init__.py") if "." in name else ("/__main__.py", ".py")
        yield Claim(PROGRAM, line, name, name, places=tuple(f"{path}{end}" for end in endings), is_certain=False)


def find_program(code: Code, claim: Claim, document: Document) -> Source | None:
    """Return the file of a module or target: beside the document, at the root, or wherever there is one."""
    if claim.tool == "bazel":
        return _find_label(code, claim)
    folders = dict.fromkeys((document.folder, posixpath.dirname(document.path), ""))
    # `python -m venv` is a program of Python, wherever the code has a `venv.py`.
    is_plain = not claim.tool and "." not in claim.name
    for place in claim.places:
        near = [posixpath.join(folder, top, place) for folder in folders for top in ("", *_TOPS)]
        anywhere = () if is_plain else code.list_ending_with(place)
        there = [path for path in (*near, *anywhere) if path in code.files]
        if there:
            return Source(there[0])
    return _find_target(code, claim.name) if claim.tool else None


def _find_label(code: Code, claim: Claim) -> Source | None:
    """Return where a build file names a target of Bazel; the file itself for all targets of a package."""
    named = re.compile(rf"\bname\s*=\s*\"{re.escape(claim.name)}\"") if claim.name not in ("", "all") else None
    for path, text in code.texts(path for path in claim.places if path in code.files).items():
        match = named.search(text) if named else None
        if named is None or match:
            return Source(path, text.count("\n", 0, match.start()) + 1 if match else 0)
    return None


def find_macro(code: Code, claim: Claim, _document: Document) -> Source | None:
    """Return where a build file may make a target of Bazel by a macro: `lock(name = "a")` makes `a.update`."""
    parts = [match.start() for match in re.finditer(r"[._-]", claim.name)] if claim.tool == "bazel" else []
    sources = (_find_label(code, replace(claim, name=claim.name[:at])) for at in parts if at)
    return next(filter(None, sources), None)


def _find_target(code: Code, name: str) -> Source | None:
    """Return the manifest that names a target of cargo, or a package with this name."""
    pattern = re.compile(rf"^\s*name\s*=\s*[\"']{re.escape(name)}[\"']", re.M)
    for path, text in code.texts(code.tree.files_named("Cargo.toml")).items():
        if match := pattern.search(text):
            return Source(path, text.count("\n", 0, match.start() + len(match[0])) + 1)
    return None


def program_check(claim: Claim, source: Source) -> Mapping[str, Any]:
    """Return the check that the file exists, or names the target."""
    if not source.line:
        return {"exists": source.path}
    return {"matches": rf"\bname\s*=\s*[\"']{re.escape(claim.name)}[\"']", "in": escape(source.path)}


def node_claims(statement: Statement, _document: Document) -> Iterator[Claim]:
    """Yield the tests that a statement's commands run by name."""
    for command in list_commands(statement):
        for match in filter(None, map(_NODE.match, command.words)):
            if not _EXAMPLE.search(match[0]):
                yield Claim(TEST, command.line, match[0], match[2], places=(posixpath.normpath(match[1]),))
        for option, value in itertools.pairwise(command.words):
            named = _NAMED_TEST.fullmatch(value.strip("\"'^$*")) if option in _SELECTORS else None
            if named and not _EXAMPLE.search(value):
                yield Claim(TEST, command.line, f"{option} {value}", named[1], is_certain=False)


def find_node(code: Code, claim: Claim, document: Document) -> Source | None:
    """Return where a file defines a test; if the command names no file, where the code defines it or has that word."""
    if not claim.places:
        return _find_named(code, claim)
    folders = dict.fromkeys((document.folder, posixpath.dirname(document.path), ""))
    paths = [posixpath.join(folder, claim.places[0]) for folder in folders]
    defined = re.compile(rf"^\s*(?:async\s+def|def|class)\s+{re.escape(claim.name)}\b", re.M)
    for path, text in code.texts(path for path in paths if path in code.files).items():
        if match := defined.search(text):
            return Source(path, text.count("\n", 0, match.end()) + 1)
    return None


def _find_named(code: Code, claim: Claim) -> Source | None:
    """Return where the code has a test that a command selects by name: in its package, and at its definition if any."""
    package = _PACKAGE.match(claim.token.partition(" ")[2].lstrip("\"'^"))
    paths = list_with_line(code, rf"\b{re.escape(claim.name)}\b")
    texts = code.texts(path for path in paths if is_code(path))
    if package:  # a file of another package has another test
        package_lines = {path: _PACKAGE_LINE.search(text) for path, text in texts.items()}
        texts = {
            path: text
            for path, text in texts.items()
            if not (match := package_lines[path]) or f"{match[1]}." == package[1]
        }
    defining = (path for path, text in texts.items() if is_defined_in(text, claim.name))
    found = next(defining, None) or next(iter(texts), None)
    return Source(found) if found else None


def node_check(claim: Claim, source: Source) -> Mapping[str, Any]:
    """Return the check that the file defines the test, or has its name."""
    if not claim.places:
        return {"contains": claim.name, "in": escape(source.path), OR_IN: SCOPE}
    return {"symbol": claim.name, "in": escape(source.path)}


def find_removal(finding: JudgedClaim, past: Past) -> str:
    """Return the commit that removed the file of a program, or took its name out of it; empty if none is found."""
    source, name = finding.source, finding.claim.name
    if source is None:
        return ""
    is_test = finding.claim.kind == TEST
    held = f'"{name}"' if not is_test else name
    return past.broke(Probe(source.path, lambda text: held in text if source.line or is_test else bool(text)))
