"""Imports in code blocks and sentences: that a module of the repository has a name. Pure but for reading code.

An import of Python is looked up by the module's path, one of JavaScript by the path's end or by the package of the
workspace, one of Rust in the crate, one of Go in the module's folders, one of Java, Kotlin, Scala, PHP and Elixir by
the package or namespace. Modules that the repository does not have are those of others.
"""

from __future__ import annotations

import posixpath
import re
import sys

from gitmem.commands.adopt.claims.claim import Claim, is_refused
from gitmem.commands.adopt.corpus import is_aside
from gitmem.commands.adopt.findings import Source
from gitmem.commands.adopt.kinds.words import find_word
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
_PYTHON = re.compile(r"^\s*(?:>>> )?from ([A-Za-z_][\w.]*) import \(?\s*([A-Za-z_][\w, ]*)(?=\)|#|$)")
_SCRIPT = re.compile(r"^\s*(?:import|export)\s+(?:type\s+)?(?:\w+\s*,\s*)?\{([^}]*)\}\s*from\s*[\"']([^\"']+)[\"'];?")
_RUST = re.compile(r"^\s*(?:pub )?use ([a-z_]\w*(?:::\w+)*)::(?:\{(.*)\}|([A-Za-z_]\w*))(?: as \w+)?;")
_GO = re.compile(r"^\s*import\s+(?:\(|(?:[\w.]+\s+)?\")")
_GO_PATH = re.compile(r"\"([\w.-]+\.[a-z]+/[\w./-]+)\"")
# A package that a name is imported from, by its dots or backslashes: Java, Kotlin, Scala; PHP; Elixir.
_DOTTED = {
    "jvm": re.compile(r"^\s*import (?:static )?([a-z]\w*(?:\.\w+)+)\.([A-Za-z]\w*)(?: as \w+)?\s*;?\s*$"),
    "php": re.compile(r"^\s*use ([A-Z]\w*(?:\\\w+)*)\\([A-Z]\w*)(?: as \w+)?;"),
    "elixir": re.compile(r"^\s*(?:alias|import|use|require) ([A-Z]\w*(?:\.[A-Z]\w*)*)\.(?:\{([\w, ]+)\}|([A-Z]\w*))"),
}
_CLASSES = ("java", "kt", "kts", "scala", "groovy")
_ENDINGS = ("ts", "tsx", "js", "jsx", "mjs", "cjs", "mts", "d.ts", "vue", "svelte")
_LANGUAGES = {
    **dict.fromkeys(("python", "py", "pycon"), "python"),
    **dict.fromkeys(("ts", "tsx", "typescript", "js", "jsx", "javascript", "mjs", "vue", "svelte", "astro"), "script"),
    **dict.fromkeys(("rust", "rs"), "rust"),
    **dict.fromkeys(("go", "golang"), "go"),
    **dict.fromkeys(("java", "kotlin", "kt", "kts", "scala"), "jvm"),
    **{"php": "php", "elixir": "elixir", "ex": "elixir", "exs": "elixir"},
}
# What a module may be without saying the name: it passes on all of another one, or makes names when they are asked for.
_OPEN = re.compile(
    r"^[ \t]*(?:from \S+ import \*|def __getattr__|export \* from|pub use [\w:]+::\*)"
    r"|\bglobals\(\)|\bimport_module\(|lazy",
    re.M,
)
# A remark behind code.
_BEHIND = re.compile(r"(?<=[\s;])(?:#|//).*")
_COMMENT = re.compile(r"^\s*(?:#|//|\*|/\*)")


def import_claims(statement: Statement, _document: Document) -> Iterator[Claim]:
    """Yield the names that a statement imports."""
    if statement.kind == TREE or (statement.kind == CODE and statement.language not in _LANGUAGES):
        return
    if is_refused(statement.remark) or any(map(is_refused, _BEHIND.findall(statement.lines[-1]))):
        return
    if statement.kind == CODE:
        spoken = _LANGUAGES[statement.language]
        is_long = len(statement.lines) > 1
        lines = (re.sub(r"#.*|//.*", "", line) if is_long else line for line in statement.lines)
        texts = [(" ".join(line.strip() for line in lines), statement.line)]
    else:
        spoken = ""
        texts = [(span.text, span.line) for span in statement.spans if span.kind == "code" and " " in span.text]
    for text, first in texts:
        for tool, module, name in _imported(text, spoken):
            line = next((at for at, line in enumerate(statement.lines, first) if name in line), first)
            yield Claim(
                IMPORT, line, f"{module}{_JOINTS[tool]}{name}", name, places=(module,), tool=tool, is_certain=False
            )


_JOINTS = {"python": ".", "script": "#", "rust": "::", "go": "/", "jvm": ".", "php": "\\", "elixir": "."}


def _imported(text: str, spoken: str) -> Iterator[tuple[str, str, str]]:
    """Yield the language, module and name of each name that a text imports; in a code block, of its language."""
    if spoken in ("", "python") and (match := _PYTHON.match(text)):
        yield from (("python", match[1], name) for name in _names(match[2]))
    elif spoken in ("", "script") and (match := _SCRIPT.match(text)):
        yield from (("script", match[2], name) for name in _names(match[1]))
    elif spoken in ("", "rust") and (match := _RUST.match(text)):
        yield from _used(match[1], match[2] or match[3])
    elif spoken == "go" and _GO.match(text):
        yield from (("go", *path.rsplit("/", 1)) for path in _GO_PATH.findall(text))
    elif spoken in _DOTTED and (match := _DOTTED[spoken].match(text)):
        yield from ((spoken, match[1], name) for name in _names(next(filter(None, match.groups()[1:]))))


def _used(module: str, tree: str) -> Iterator[tuple[str, str, str]]:
    """Yield the names of a tree of Rust: of `a::b` with `c::{D, E}, F` the names D and E of `a::b::c`, and F."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(tree):
        depth += (char == "{") - (char == "}")
        if char == "," and not depth:
            parts.append(tree[start:at])
            start = at + 1
    for part in (*parts, tree[start:]):
        inside, opening, rest = part.strip().partition("{")
        above, _, name = inside.rpartition("::")
        if opening:
            yield from _used(f"{module}::{inside.strip(': ')}", rest.rstrip("} "))
        else:
            path = f"{module}::{above}" if above else module
            yield from (("rust", path, one) for one in _names(name))


def _names(text: str) -> list[str]:
    """Return the names of a list, as the module has them: before ``as``, without ``type``."""
    words = (part.strip().removeprefix("type ").split(" ")[0] for part in text.split(","))
    return [word for word in words if len(word) > 2 and word.isidentifier() and word not in ("default", "self")]


def find_import(code: Code, claim: Claim, document: Document) -> Source | None:
    """Return where the module defines, imports or lists the name."""
    if claim.tool == "go":
        return _find_folder(code, claim)
    if claim.tool in _DOTTED:
        return _find_class(code, claim)
    texts = code.texts(_modules(code, claim, document))
    for path, text in texts.items():
        if line := _line_of(text, claim.name):
            return Source(path, line, text.split("\n")[line - 1].strip())
    word = re.compile(rf"(?<!\w){re.escape(claim.name)}(?!\w)")
    for path, text in texts.items():
        if claim.name in text:
            for number, written in enumerate(text.split("\n"), 1):
                if word.search(written) and not _COMMENT.match(written):
                    return Source(path, number, written.strip())
    return None if claim.tool != "python" else _find_submodule(code, claim)


def _line_of(text: str, name: str) -> int:
    return find_symbol(text.encode("utf-8", "surrogateescape"), name)


def _find_folder(code: Code, claim: Claim) -> Source | None:
    """Return a file of the package of Go that an import names, if it is below a module of the code."""
    wanted = f"{claim.places[0]}/{claim.name}"
    near = (
        (module, place) for module, place in _go_modules(code) if wanted == module or wanted.startswith(f"{module}/")
    )
    module, folder = next(near, ("", ""))
    place = posixpath.join(folder, wanted[len(module) + 1 :]).strip("/")
    if not module or not code.tree.has_folder(place):
        return None
    inside = (file for file in code.files if file.endswith(".go") and posixpath.dirname(file) == place)
    there = next((path for path in sorted(inside) if code.text(path)), None)
    return Source(there) if there else None


def _go_modules(code: Code) -> list[tuple[str, str]]:
    """Return the modules of Go, each with its folder, those with the longest name first."""
    texts = code.texts(code.tree.files_named("go.mod"))
    named = ((re.search(r"^module\s+(\S+)", text, re.M), path.rpartition("/")[0]) for path, text in texts.items())
    return sorted(((match[1], folder) for match, folder in named if match), key=lambda pair: -len(pair[0]))


def _find_class(code: Code, claim: Claim) -> Source | None:
    """Return the file that defines a name in a package or namespace."""
    module, name = claim.places[0], claim.name
    if claim.tool == "elixir":
        pattern = re.compile(rf"^\s*def(?:module|protocol|impl) {re.escape(f'{module}.{name}')} do\b", re.M)
        endings: tuple[str, ...] = ("ex", "exs")
    else:
        pattern = re.compile(rf"^\s*(?:package|namespace) {re.escape(module)}\s*[;{{]?\s*$", re.M)
        endings = ("php",) if claim.tool == "php" else _CLASSES
    for path, text in code.texts(path for path in code.files_naming([name]) if path.endswith(endings)).items():
        match = pattern.search(text)
        line = 0 if match is None else _line_of(text, name)
        if line:
            return Source(path, line, text.split("\n")[line - 1].strip())
    return None


def _find_submodule(code: Code, claim: Claim) -> Source | None:
    tail = f"{claim.places[0].replace('.', '/')}/{claim.name}"
    paths = code.list_ending_with(f"{tail}.py") or code.list_ending_with(tail)
    return Source(paths[0]) if paths else None


def find_open_module(code: Code, claim: Claim, document: Document) -> Source | None:
    """Return a module that may have the name without saying so."""
    texts = code.texts(_modules(code, claim, document))
    return next((Source(path) for path, text in texts.items() if _OPEN.search(text)), None)


def find_same_import(code: Code, claim: Claim, _document: Document) -> Source | None:
    """Return where the code still imports a name that it does not define: a package of others may have it now."""
    return find_word(code, [claim.token]) if claim.tool == "go" or claim.tool in _DOTTED else None


def import_check(claim: Claim, source: Source) -> Mapping[str, str] | None:
    """Return the check that the module has the name; None for a module of that name."""
    if claim.tool == "go":
        folder = posixpath.dirname(source.path)
        return {"exists": folder} if folder else {"contains": f"module {claim.places[0]}/{claim.name}", "in": "go.mod"}
    return {"contains": claim.name, "in": escape(source.path)} if claim.name in source.actual else None


def _modules(code: Code, claim: Claim, document: Document) -> list[str]:
    """Return the files that an import may mean; empty for a module of others.

    A sample in a document may import from any project: one of the examples that has a module of this name is not meant,
    unless the module says so (`tests.support`) or the document is beside it.
    """
    top = document.path.partition("/")[0]
    named = f"{re.sub(r'[.:]+', '/', claim.places[0]).strip('/')}/"
    return [
        path
        for path in _list_modules(code, claim)
        if not is_aside(path) or is_aside(named) or path.partition("/")[0] == top
    ]


def _list_modules(code: Code, claim: Claim) -> list[str]:
    """Return the files with the name of an imported module, of the repository as a whole."""
    module = claim.places[0]
    if claim.tool == "go" or claim.tool in _DOTTED:
        return []
    if claim.tool == "python":
        tail = module.replace(".", "/")
        if tail.partition("/")[0] in sys.stdlib_module_names:
            return []
        ends = [f"{tail}{end}" for end in (".py", "/__init__.py", ".pyi")]
        modules = [(path, path.removesuffix(end)) for end in ends for path in code.list_ending_with(end)]
        # A module in a package has a longer name: `app/utils/pydantic.py` is not what `import pydantic` means.
        return [path for path, above in modules if is_code(path) and f"{above}__init__.py" not in code.files]
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
    paths = code.tree.files_named(manifest)
    named = re.compile(pattern, re.M)
    folders = [path.rpartition("/")[0] for path, text in code.texts(paths).items() if named.search(text)]
    return [
        path
        for path in (code.files_naming([claim.name]) if folders else ())
        if any(not folder or path.startswith(f"{folder}/") for folder in folders)
    ]
