"""Packages that a project uses or does without: "uses `moment`", "HTTP is done with `requests`", "no React"."""

from __future__ import annotations

import posixpath
import re
from functools import lru_cache

from gitmem.commands.adopt.claims.claim import DEPENDENCY, Claim
from gitmem.commands.adopt.claims.dependencies import STACK, dependency_claims
from gitmem.commands.adopt.corpus import is_aside
from gitmem.commands.adopt.documents import DECISION
from gitmem.commands.adopt.findings import FALSE, HOLDS, NEVER, JudgedClaim, Probe, Source
from gitmem.commands.adopt.judge.dependencies import dependencies_in, plain_name
from gitmem.commands.adopt.statements import BULLET, ROW, SENTENCE
from gitmem.document.sources.dependencies import is_manifest
from gitmem.frozen import replace
from gitmem.text.code.languages import is_code
from gitmem.text.globs import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.findings import Mention
    from gitmem.commands.adopt.kinds.kind import Basis
    from gitmem.commands.adopt.repository_history import Past
    from gitmem.commands.adopt.statements import Statement

ABSENCE = "absence"
# The mark of a claim that a package is used.
USED = "used"
# The mark of a claim that the project does without a package, as a sentence of its own: "We do not use Jest".
DECLINED = "declined"
_PACKAGE_NAME = r"(?:`@?[A-Za-z][\w./-]*`|\*\*@?[A-Za-z][\w./-]*\*\*|@?[A-Za-z][\w/-]*(?:\.js)?)"
_VERB = (
    r"(?:uses?|using|built (?:with|on|using)|written (?:in|with)|powered by|based on|rel(?:ies|y) on|depends? on|"
    r"(?:is|are) (?:done|made|handled|managed|implemented|parsed|written|rendered|formatted|tested|served|"
    r"bundled|built|validated|run|read|sent|cached|stored|styled|generated)(?: \w+)? (?:with|by|through|via|using)|"
    r"goes? through|implemented (?:with|using))"
)
_USES = re.compile(rf"\b(?i:{_VERB}) (?:the )?(?P<names>{_PACKAGE_NAME}(?:(?:,| and|, and| \+|/) {_PACKAGE_NAME})*)")
# What may follow a word in lower case that is a name, and no adjective.
_END = re.compile(r"\s{0,40}(?:$|[.,;:)(–—-]|\b(?:for|to|as|in|and|with|via|on|under)\b)")
_NOT = re.compile(
    r"\b(?:not|n't|never|no longer|avoid|instead of|without|cannot|stop|could|might|if|unless|once|formerly|previously|"
    r"used to|was|were|had|would|migrat\w+|replac\w+|rather than)\b[^.;:]{0,40}$",
    re.I,
)
# "no React", "There is no JavaScript", "without jQuery": with nothing behind it that narrows the name.
_WITHOUT = re.compile(
    r"(?:^|[\s(*_—–-])(?:(?P<there>[Tt]here is no)|[Nn]o|(?:does not|doesn't) (?:use|depend on)|[Zz]ero|"
    r"(?P<plain>[Ww]e (?:never|do not|don't) (?:use|depend on)|(?:has|have) no dependenc(?:y|ies) on)) "
    r"(?P<name>`@?[A-Za-z][\w./-]*`|[A-Z][\w]*(?:\.js)?|(?<=(?:use|.on) )[a-z][\w-]+)(?:\*\*)?"
    r"(?= (?P<here>here|anywhere|in this (?:repo\w*|project|code\w*)|code|files|is used)\b|"
    r" (?:and|or|but)\b|\s*(?:$|[.,;:)!—]|\s[–-]\s))"
)
_CONDITION = re.compile(
    r"\b(?:if|when|while|where|unless|until|ensure|make sure|verify|check|assume|should|must|prefer|want)\b", re.I
)
# Headings below which a part of the code is described.
_PART = re.compile(
    r"\b(?:back-?end|front-?end|servers?|clients?|apis?|cli|web|ui|worker|mobile|desktop|core|tests?|testing|examples?|docs?|"
    r"plugins?|options?|alternatives?|comparison|versus|vs)\b",
    re.I,
)
_LANGUAGES = {
    "JavaScript": (".js", ".jsx", ".mjs", ".cjs"),
    "TypeScript": (".ts", ".tsx", ".mts", ".cts"),
    "Python": (".py",),
    "Rust": (".rs",),
    "Java": (".java",),
    "Kotlin": (".kt",),
    "PHP": (".php",),
    "Ruby": (".rb",),
    "CSS": (".css",),
    "Sass": (".scss", ".sass"),
}
_SETTINGS = re.compile(
    r"(^|/)(\.[^/]*|[^/]*\.(?:config|setup|conf)\.\w+|[^/]*rc\.\w+|setup\.py|conf\.py|[^/]*\.d\.ts)$"
    r"|(^|/)(?:public|static|assets|scripts|tools)/"
)


# Packages whose absence is stated with a name that means nothing else.
_KNOWN = frozenset({
    "react", "vue", "svelte", "angular", "preact", "jquery", "next", "nuxt", "express", "fastify", "koa", "redux",
    "mobx", "zustand", "lodash", "underscore", "axios", "moment", "webpack", "vite", "rollup", "esbuild", "babel",
    "tailwindcss", "bootstrap", "prisma", "typeorm", "sequelize", "mongoose", "graphql", "jest", "mocha", "vitest",
    "cypress", "playwright", "puppeteer", "eslint", "prettier", "typescript", "django", "flask", "fastapi",
    "sqlalchemy", "requests", "httpx", "numpy", "pandas", "pydantic", "celery", "pytest", "langchain", "tensorflow",
    "torch", "tokio", "serde", "anyhow", "clap", "axum", "actix", "rails", "sinatra", "rspec", "sidekiq", "electron",
    "tauri", "htmx", "alpinejs", "d3", "three", "rxjs", "nestjs", "hono", "drizzle-orm", "zod", "openai", "redis",
    "langgraph",
})  # fmt: skip
# Manifests that may be gone.
_USUAL = (
    *("package.json", "pyproject.toml", "requirements.txt", "setup.cfg", "Pipfile"),
    *("Cargo.toml", "go.mod", "Gemfile", "composer.json"),
)
_CODE_GLOBS = (
    "*.py", "*.pyi", "*.js", "*.jsx", "*.mjs", "*.cjs", "*.ts", "*.tsx", "*.mts", "*.vue", "*.svelte", "*.astro",
    "*.go", "*.rs", "*.rb", "*.java", "*.kt", "*.kts", "*.php", "*.cs", "*.scala", "*.swift", "*.ex", "*.exs",
)  # fmt: skip
# The most manifests that are read at one commit: the nearest ones.
MOST_MANIFESTS = 40


# Files that say how a project is built and tested: a package that they name may still be used, as a program or by
# another package.
_BUILD_GLOBS = (
    "*.toml", "*.cfg", "*.ini", "*.yml", "*.yaml", "*.mk", "*.cmake", "*.gradle", "*.gradle.kts", "*.csproj", "*.props",
    "*Makefile", "*justfile", "*Taskfile*", "*Dockerfile*", "*CMakeLists.txt", "*requirements*", "*noxfile.py",
    "*package.json", "*Gemfile", "*Rakefile", "*composer.json", "*mix.exs", "*go.mod", ":!*lock*",
)  # fmt: skip


def package_claims(statement: Statement, _document: Document) -> Iterator[Claim]:
    """Yield the possible packages in a statement: those that it says are used, or that a list of technologies names.

    The others are claims only if a manifest lists them.
    """
    used = set()
    if statement.kind in (BULLET, ROW, SENTENCE):
        used = {
            name.strip("`*")
            for line in statement.lines
            for match in _USES.finditer(line)
            # "using the ONNX Runtime" is another product than `onnx`.
            if not _NOT.search(line[: match.start()]) and not re.match(r" (?!CSS\b)[A-Z][a-z]", line[match.end() :])
            for name in re.findall(_PACKAGE_NAME, match["names"])
            if name != "and" and (not name.islower() or not name[0].isalpha() or _END.match(line[match.end() :]))
        }
    is_list = STACK.search(statement.section) is not None
    seen = set()
    for claim in dependency_claims(statement):
        seen.add(claim.name)
        yield replace(claim, tool=USED) if is_list or claim.name in used else claim
    for name in sorted(used - seen):  # a plain word, in a sentence elsewhere
        yield Claim(DEPENDENCY, statement.line, name, name, is_certain=False, tool=USED)


def judge_package(mention: Mention, basis: Basis) -> JudgedClaim | None:
    """Judge that a package is used: false if a manifest listed it, and now none does and no code imports it.

    One that is only mentioned is a claim if a manifest lists it, and nothing else.
    """
    head, past, name, document = basis.head, basis.past, mention.claim.name, mention.document
    if (listed := basis.numbers.judge_package(mention)) is not None:
        return listed if _is_spelled(head, listed) else None
    is_elsewhere = name in basis.corpus.present or plain_name(name) in basis.numbers.dependencies
    # A decision record says what was so when it was made.
    # An item below another one may be what that one needs.
    is_nested = mention.statement.kind == BULLET and mention.statement.lines[0][:1].isspace()
    if not mention.claim.tool or is_elsewhere or is_nested or mention.is_past or document.kind == DECISION:
        return None
    wrote, _ = past.writer(mention)
    was = _find_listed(_read_manifests(past, wrote, head, document.folder), name) if wrote else None
    if was is None or _is_imported(head, name) or _is_named_by_build(head, name):
        return None
    probe = Probe(was.path, lambda text: _line_in(was.path, text, plain_name(name)) is not None)
    check = {"depends": name, "in": escape(was.path)}
    return JudgedClaim(mention, FALSE, was, held=True, wrote=wrote, probe=probe, check=check)


def _is_spelled(head: Code, finding: JudgedClaim) -> bool:
    """Return whether a package is meant by a name in code: the manifest has these capitals, or the package is known.

    The `None` of a language and the file `BUILD` are not the packages `none` and `build`.
    """
    name, source = finding.claim.name, finding.source
    is_marked = not finding.claim.tool and f"`{name}`" in finding.statement.text
    if source is None or not is_marked or name == name.lower() or plain_name(name) in _KNOWN:
        return True
    return name in head.text(source.path).split("\n")[source.line - 1]


def absence_claims(statement: Statement, _document: Document) -> Iterator[Claim]:
    """Yield the packages and languages that a statement says the project does without."""
    if statement.kind not in (BULLET, ROW, SENTENCE) or _PART.search(statement.section.rpartition(" › ")[2]):
        return
    for number, line in enumerate(statement.lines, statement.line):
        for match in _WITHOUT.finditer(line):
            if not _CONDITION.search(line[: match.start()]) and "/" not in line[: match.start()]:
                name = match["name"].strip("`")
                # "No Python, no JSON" is more often about what people need than about the code.
                if name in _LANGUAGES and not (match["there"] or match["here"]):
                    continue
                tool = DECLINED if match["plain"] else ""
                yield Claim(ABSENCE, number, f"no {name}", name, is_certain=False, tool=tool)


def judge_absence(mention: Mention, basis: Basis) -> JudgedClaim | None:
    """Judge that the project does without something: false if it did, and a manifest lists it now.

    That it does holds only for what has a known name in manifests: of anything else, it would prove nothing.
    """
    head, name, document = basis.head, mention.claim.name, mention.document
    against = _find_present(head, name, document)
    if against is None:
        own = _own_manifests(head, document)
        is_known = name in _LANGUAGES or plain_name(name) in _KNOWN
        return (
            JudgedClaim(mention, HOLDS, Source(own[0]), check=_absence_check(own, name)) if is_known and own else None
        )
    wrote, _ = basis.past.writer(mention)
    then = basis.past.code(wrote)
    is_listed = is_manifest(against.path)
    if then is None or _find_present(then, name, document) is not None:
        is_wrong = is_listed and then is not None and mention.claim.tool == DECLINED
        return JudgedClaim(mention, NEVER, against, held=False, wrote=wrote, is_contradicted=True) if is_wrong else None
    if is_listed and not _own_manifests(then, document):
        return None

    def holds(text: str) -> bool:
        if name in _LANGUAGES:
            return not text
        return (
            _line_in(against.path, text, plain_name(name)) is None if is_listed else not _import_of(name).search(text)
        )

    probe = Probe(against.path, holds)
    return JudgedClaim(mention, FALSE, against, held=True, wrote=wrote, probe=probe, is_contradicted=True)


def _absence_check(manifests: Sequence[str], name: str) -> Mapping[str, Any] | None:
    path, plain = manifests[0], plain_name(name)
    is_exact = len(manifests) == 1 and path.endswith("package.json") and name not in _LANGUAGES
    return {"lacks": f'"{plain}"', "in": escape(path)} if is_exact else None


def _find_present(code: Code, name: str, document: Document) -> Source | None:
    """Return what contradicts that a project does without a package or language."""
    if name in _LANGUAGES:
        return _find_file(code, document, _LANGUAGES[name])
    listed = _find_listed(code.texts(_own_manifests(code, document)), name)
    # A module may be called like a plain word: "We do not use globals".
    return listed or (
        None if name.isalpha() and name.islower() and name not in _KNOWN else _find_import(code, name, document)
    )


def _find_import(code: Code, name: str, document: Document) -> Source | None:
    """Return where a file below a document's folder imports a module of this name, written so."""
    below = (
        path for path in code.files_naming([name]) if path.startswith(f"{document.folder}/" * bool(document.folder))
    )
    for path, text in code.texts(below).items():
        if match := _import_of(name).search(text):
            return Source(path, text.count("\n", 0, match.start()) + 1, match[0].strip())
    return None


@lru_cache(maxsize=100)
def _import_of(name: str) -> re.Pattern[str]:
    word = re.escape(name)
    return re.compile(rf"^[ \t]*(?:@testable )?(?:import|from|using|use|require)\b[ \t(\"']*{word}\b[^\n]*", re.M)


def _find_file(code: Code, document: Document, endings: tuple[str, ...]) -> Source | None:
    """Return a file of a language that is neither a test nor a setting, below a document's folder."""
    paths = (
        path
        for path in sorted(code.files)
        if path.endswith(endings) and path.startswith(f"{document.folder}/" if document.folder else "")
        if is_code(path) and not is_aside(path) and not _SETTINGS.search(path)
    )
    return next(map(Source, paths), None)


def _own_manifests(code: Code, document: Document) -> list[str]:
    """Return the manifests in a document's own folder, or in the root."""
    return sorted(path for path in _every_manifest(code) if path.rpartition("/")[0] == document.folder)


@lru_cache(maxsize=500)  # many lines of a document were written by one commit
def _read_manifests(past: Past, commit: str, head: Code, folder: str) -> Mapping[str, str]:
    """Return the manifests at a commit that a document of a folder may be about, its own ones first."""
    paths = sorted(_every_manifest(head), key=lambda path: not path.startswith(f"{folder}/"))
    usual = [posixpath.join(place, name) for place in dict.fromkeys((folder, "")) for name in _USUAL]
    return past.texts_of(commit, dict.fromkeys([*paths[:MOST_MANIFESTS], *usual]))


@lru_cache(maxsize=4)
def _every_manifest(code: Code) -> list[str]:
    """Return all manifests, those of tests and examples last, nearest to the root first."""
    manifests = [path for path in code.files if is_manifest(path) and "node_modules/" not in path]
    return sorted(manifests, key=lambda path: (is_aside(path), path.count("/"), path))


def _find_listed(texts: Mapping[str, str], name: str) -> Source | None:
    plain = plain_name(name)
    for path, text in texts.items():
        if (line := _line_in(path, text, plain)) is not None:
            return Source(path, line)
    return None


@lru_cache(maxsize=4000)
def _line_in(path: str, text: str, plain: str) -> int | None:
    """Return the line where a manifest lists a package; None if it does not."""
    listed = dependencies_in(path, text).get(plain) if _may_list(text, plain) else None
    return listed[2] if listed is not None else None


def _may_list(text: str, plain: str) -> bool:
    return plain.startswith("@") or plain in _squeeze(text)


@lru_cache(maxsize=1000)
def _squeeze(text: str) -> str:
    """Return a text without what names of packages may differ in."""
    return re.sub(r"[\s._-]", "", text.lower())


def _is_named_by_build(code: Code, name: str) -> bool:
    """Return whether a build file has a package's name as a word, also as a part of a longer name."""
    word = rf"(^|[^a-zA-Z0-9]){re.escape(name)}([^a-zA-Z0-9]|$)"
    argv = ("grep", "-q", "-I", "-i", "-E", "-e", word, code.commit, "--", *_BUILD_GLOBS)
    return code.git.run(*argv, check=False).status == 0


def _is_imported(code: Code, name: str) -> bool:
    """Return whether some file imports a package, or seems to."""
    word = re.escape(name.lower().lstrip("@").replace("-", "_"))
    argv = (
        "grep",
        "-q",
        "-I",
        "-i",
        "-w",
        "-E",
        rf"(import|from|require|include|use|using|extern|package)\b.*{word.replace('_', '[-_]')}",
    )
    return code.git.run(*argv, code.commit, "--", *_CODE_GLOBS, check=False).status == 0
