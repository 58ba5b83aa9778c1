"""Imports in code blocks and sentences: that a module of the repository has a name. Pure but for reading code.

An import of Python is looked up by the module's path, one of JavaScript by the path's end or by the package of the
workspace, one of Rust in the crate. Modules that the repository does not have are those of others.
"""

from __future__ import annotations

import re
import sys

from gitmem.commands.adopt.claims.claim import Claim
from gitmem.commands.adopt.findings import Source
from gitmem.commands.adopt.statements import CODE, TREE
from gitmem.document.sources.symbols import find_symbol
from gitmem.text.code.languages import is_code
from gitmem.text.globs import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.statements import Statement

IMPORT = "import"
_PYTHON = re.compile(r"^\s*(?:>>> )?from ([A-Za-z_][\w.]*) import \(?\s*([A-Za-z_][\w, ]*?)\)?,?\s*(?:#.*)?$")
_SCRIPT = re.compile(r"^\s*(?:import|export)\s+(?:type\s+)?(?:\w+\s*,\s*)?\{([^}]*)\}\s*from\s*[\"']([^\"']+)[\"'];?")
_RUST = re.compile(r"^\s*(?:pub )?use ([a-z_]\w*(?:::\w+)*)::(?:\{([^{}]*)\}|([A-Za-z_]\w*))(?: as \w+)?;")
_ENDINGS = ("ts", "tsx", "js", "jsx", "mjs", "cjs", "mts", "d.ts", "vue", "svelte")
_LANGUAGES = {
    **dict.fromkeys(("python", "py", "pycon"), "python"),
    **dict.fromkeys(("ts", "tsx", "typescript", "js", "jsx", "javascript", "mjs", "vue", "svelte", "astro"), "script"),
    **dict.fromkeys(("rust", "rs"), "rust"),
}
# What a module may be without saying the name: it passes on all of another one, or makes names when they are asked for.
_OPEN = re.compile(
    r"^[ \t]*(?:from \S+ import \*|def __getattr__|export \* from|pub use [\w:]+::\*)"
    r"|\bglobals\(\)|\bimport_module\(|lazy",
    re.M,
)
_COMMENT = re.compile(r"^\s*(?:#|//|\*|/\*)")


def import_claims(statement: Statement, _document: Document) -> Iterator[Claim]:
    """Yield the names that a statement imports."""
    if statement.kind == TREE or (statement.kind == CODE and statement.language not in _LANGUAGES):
        return
    if statement.kind == CODE:
        lines = [(line, number) for number, line in enumerate(statement.lines, statement.line)]
    else:
        lines = [(span.text, span.line) for span in statement.spans if span.kind == "code" and " " in span.text]
    for line, number in lines:
        for tool, module, name in _imported(line):
            yield Claim(
                IMPORT, number, f"{module}{_JOINTS[tool]}{name}", name, places=(module,), tool=tool, is_certain=False
            )


_JOINTS = {"python": ".", "script": "#", "rust": "::"}


def _imported(line: str) -> Iterator[tuple[str, str, str]]:
    """Yield the language, module and name of each name that a line imports."""
    if found := _PYTHON.match(line):
        yield from (("python", found[1], name) for name in _names(found[2]))
    elif found := _SCRIPT.match(line):
        yield from (("script", found[2], name) for name in _names(found[1]))
    elif found := _RUST.match(line):
        yield from (("rust", found[1], name) for name in _names(found[2] or found[3]))


def _names(text: str) -> list[str]:
    """Return the names of a list, as the module has them: before ``as``, without ``type``."""
    words = (part.strip().removeprefix("type ").split(" ")[0] for part in text.split(","))
    return [word for word in words if len(word) > 2 and word.isidentifier() and word not in ("default", "self")]


def find_import(code: Code, claim: Claim, _document: Document) -> Source | None:
    """Return where the module defines, imports or lists the name."""
    modules = _modules(code, claim)
    texts = code.texts(modules)
    for path, text in texts.items():
        if line := find_symbol(text.encode("utf-8", "surrogateescape"), claim.name):
            return Source(path, line, text.split("\n")[line - 1].strip())
    word = re.compile(rf"(?<!\w){re.escape(claim.name)}(?!\w)")
    for path, text in texts.items():
        if claim.name in text:
            for number, written in enumerate(text.split("\n"), 1):
                if word.search(written) and not _COMMENT.match(written):
                    return Source(path, number, written.strip())
    return None if claim.tool != "python" else _find_submodule(code, claim)


def _find_submodule(code: Code, claim: Claim) -> Source | None:
    tail = f"{claim.places[0].replace('.', '/')}/{claim.name}"
    found = code.list_ending_with(f"{tail}.py") or code.list_ending_with(tail)
    return Source(found[0]) if found else None


def find_open_module(code: Code, claim: Claim, _document: Document) -> Source | None:
    """Return a module that may have the name without saying so."""
    return next((Source(path) for path, text in code.texts(_modules(code, claim)).items() if _OPEN.search(text)), None)


def import_check(claim: Claim, source: Source) -> Mapping[str, str] | None:
    """Return the check that the module has the name; None for a module of that name."""
    return {"contains": claim.name, "in": escape(source.path)} if claim.name in source.actual else None


def _modules(code: Code, claim: Claim) -> list[str]:
    """Return the files that an import may mean; empty for a module of others."""
    module = claim.places[0]
    if claim.tool == "python":
        tail = module.replace(".", "/")
        if tail.partition("/")[0] in sys.stdlib_module_names:
            return []
        found = [path for end in (".py", "/__init__.py", ".pyi") for path in code.list_ending_with(f"{tail}{end}")]
        return [path for path in found if is_code(path)]
    if claim.tool == "rust":
        crate, _, _ = module.partition("::")
        return _below_manifest(code, claim, "Cargo.toml", rf"^name\s*=\s*\"{crate.replace('_', '[-_]')}\"")
    if module.startswith((".", "@/", "~/")):
        tail = re.sub(r"^(?:\.{1,2}/|[@~]/)+", "", module)
        tail = re.sub(r"\.(?:[cm]?[jt]sx?)$", "", tail)
        ends = [f"{tail}.{end}" for end in _ENDINGS] + [f"{tail}/index.{end}" for end in _ENDINGS]
        return [path for end in ends for path in code.list_ending_with(end) if is_code(path)] if tail else []
    name = "/".join(module.split("/")[: 2 if module.startswith("@") else 1])
    return _below_manifest(code, claim, "package.json", rf"^\s*\"name\"\s*:\s*\"{re.escape(name)}\"")


def _below_manifest(code: Code, claim: Claim, manifest: str, pattern: str) -> list[str]:
    """Return the own files with the name in the folder of the manifest that a pattern matches."""
    paths = [path for path in code.by_name.get(manifest, ()) if path in code.files]
    named = re.compile(pattern, re.M)
    folders = [path.rpartition("/")[0] for path, text in code.texts(paths).items() if named.search(text)]
    return [
        path
        for path in (code.files_naming([claim.name]) if folders else ())
        if any(not folder or path.startswith(f"{folder}/") for folder in folders)
    ]
