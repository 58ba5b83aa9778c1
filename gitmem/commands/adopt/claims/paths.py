"""Find claims that a file or folder exists. Pure."""

from __future__ import annotations

import itertools
import posixpath
import re
from urllib.parse import unquote

from gitmem.commands.adopt.claims.claim import PATH, Claim
from gitmem.commands.adopt.claims.commands import list_commands
from gitmem.commands.adopt.statements import CODE, SHELLS, TREE
from gitmem.frozen import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.statements import Span, Statement

_ENDINGS = (
    "py|pyi|tsx?|jsx?|mjs|cjs|mts|cts|rs|go|java|kts?|swift|zig|c|h|cc|cpp|hpp|cs|csproj|sln|rb|php|sh|bash|ps1|mdx?|mdc|rst|txt|"
    "jsonc?|json5|toml|ya?ml|ini|cfg|conf|lock|html|s?css|sql|proto|vue|svelte|astro|exs?|mod|sum|gradle|props|targets|xml|"
    "ipynb|tf|env|example|cmake|nix|lua|scala|dart|ex|erl|hs|ml|razor|slnx|bat|cmd|fsx?|fsproj|vbproj|cljc?|cljs|edn|h?eex|"
    "sbt|groovy|csv|tsv|graphql|tmpl|tpl"
)
_FILE = re.compile(rf"^[\w.@+\-\[\]()/~]*[\w\])]\.(?:{_ENDINGS})$", re.I)
# A name with dots as code writes it, whose last part happens to be an ending: `System.Text.Json`, `App.View.JS`.
# In Go, a name of a package: `embed.FS`.
_QUALIFIED = re.compile(
    r"^(?:[A-Z]\w*\.)+[A-Z][a-z]\w*$|^(?:[A-Z][a-z]\w*\.){2,9}[A-Z]\w*$|^[a-z][a-z0-9]*\.[A-Z][A-Z0-9]*$"
)
# Words that name a program even where a folder has the same name.
_PROGRAMS = frozenset({
    "ansible", "bazel", "bun", "cargo", "claude", "cmake", "codex", "composer", "conda", "cursor", "deno", "docker",
    "dotnet", "gh", "git", "go", "gradle", "helm", "just", "k6", "kubectl", "make", "mise", "mvn", "nginx", "nix",
    "node", "npm", "nx", "pip", "pnpm", "podman", "poetry", "postgres", "python", "redis", "ruby", "rust", "task",
    "terraform", "tox", "turbo", "uv", "vite", "yarn",
})  # fmt: skip
_NO_PATH = re.compile(r"[<>{}*$|\"'=,;!?#\\\s`]|\.\.\.|…|://|^[-@~]|^www\.")
_POSITION = re.compile(r"(:{1,2}[A-Za-z_]\w*(\(\))?|:\d+([-:,]\d+)?|#L?\d+(-L?\d+)?)$")
_HOST = re.compile(
    r"^(github|gitlab|gopkg|golang|pkg|docs?|www|crates|npmjs|localhost|k8s)\b[\w.]*\.(com|org|io|dev|in|net|rs|ai)\b"
)
# A page of a site, the tag of an image, a repository named like its site: `docs.app.io/python/`,
# `grafana/tempo:2.9.2`, `vendor/vendor.com`; a port with a path, and a name with a namespace: `:4000/api/docs`,
# `plugin:react/recommended`.
_ELSEWHERE = re.compile(
    r"^(?:[\w-]+\.)+(?:com|org|io|dev|net|app|ai|sh)/|^[\w-]+(?:/[\w-]+)*:v?\d+\.\d|"
    r"^[\w-]+/[\w-]+\.(?:com|org|io|dev|net|app)$|^[\w.-]*:\d{2,5}/|^[A-Za-z][\w.-]+:@?\w[\w.-]*/"
)
# A type of media. Source: IANA's registry, "Media Types".
_MEDIA = re.compile(
    r"(?:application|audio|font|image|message|model|multipart|text|video)/"
    r"(?:(?:x-|vnd\.)[\w.+-]+|[\w.-]+\+(?:json|xml|yaml|zip|gzip|cbor)|json|csv|html|plain|xml|css|javascript|markdown|yaml|"
    r"event-stream|calendar|pdf|zip|gzip|octet-stream|form-data|mixed|png|jpe?g|gif|webp|avif|svg|bmp|tiff|ogg|opus|mpeg|"
    r"mp4|webm|wav|aac|flac|ttf|otf|woff2?)"
)
# The name of a class with its namespace, as PHP writes it: `App\Services\Runner`.
_CLASS = re.compile(r"\\?(?:[A-Z]\w*\\){1,12}[A-Z]\w*")
# A note for the next release, which the release deletes: `CHANGES/1654.bugfix.rst`, `.changeset/brave-cats-jump.md`.
# Source: towncrier and changesets, "Adding a changeset" and "News fragments".
_NOTE = re.compile(r"(?:.*/)?(?:\d+|\+[\w-]+)\.[a-z]+(?:\.\d+)?\.(?:rst|md|txt)|(?:.*/)?\.changeset/[\w-]+\.md")
# A function with the number of its parameters, as Elixir and Erlang write it: `Store.open/2`.
_ARITY = re.compile(r"&?(?:[A-Z]\w{0,80}\.){0,9}[a-z_]\w{0,80}[!?]?/\d")
_WINDOWS = re.compile(r"[\w.-]+(?:\\[\w.-]+)+\\?")
# Two files that differ in their endings: `src/event.hpp/.cpp`.
_TWINS = re.compile(r"([\w./-]*\w)(\.\w{1,4})/(\.\w{1,4})")
# Programs that run a file of code.
_INTERPRETERS = frozenset({"python", "python3", "node", "tsx", "ts-node", "bash", "sh", "ruby", "php", "deno", "bun"})
# Commands of go whose arguments are packages.
_GO = frozenset({"run", "build", "test", "vet", "install", "generate"})
# Programs whose arguments are files and folders, also those of one word.
_TAKES_FILES = _INTERPRETERS | {
    "cd", "ls", "cat", "rm", "cp", "mv", "mkdir", "tree", "find", "grep", "rg", "pytest", "ruff", "black", "isort",
    "flake8", "mypy", "pyright", "pylint", "eslint", "prettier", "phpunit", "rspec", "pushd", "source", "vim", "code",
}  # fmt: skip
# What programs call their environment.
_OBJECTS = frozenset({"process.env", "meta.env", "import.meta.env", "Bun.env", "config.env", "options.env", "task.env"})
# What git keeps for itself: no commit has it.
_OF_GIT = re.compile(r"^/?(?:[\w.@/-]+/)?\.git(?:/|$)")
# The end of names of files, and no name: `.py`, `.test.ts`.
_TYPE = re.compile(r"^(?:\.(?:test|spec|stories|d|e2e|bench|module|server|client|config|types))?\.\w+$")
# Folders, and nothing else, in parentheses.
_FOLDER_LIST = re.compile(r"\(((?:[\w.-]+/,? ?(?:and )?)+)\)")
# A repository by its address: a link's label may be its name, `owner/name`.
_REPOSITORY = re.compile(r"https?://[^/\s]+/([\w.-]+/[\w.-]+?)(?:\.git)?(?=[/?#]|$)")
# A name in brackets that stands for others: `objects/[ObjectName]/`. Routes of web frameworks begin small: `[id]`.
_BRACKETED = re.compile(r"\[[A-Z]\w*\]")
_STAND_IN = re.compile(r"(?:^|[/_-])(?:my|your|some|example)[/_-]|path/to/")
# A name in code that labels a link to another site: if the address ends so, it is a file there.
_LABEL = re.compile(r"\[`{1,2}([^`\]]{1,200})`{1,2}\]\(https?://([^)\s]{1,300})\)")
# The mark of such a path: it is a claim only if the repository has it.
FOREIGN = "foreign"
# A file of the reader's own project: "your build.gradle", "your app's `package.json`".
_YOUR = re.compile(r"\byour (?:own )?(?:\w{1,20}['’]s )?$", re.I)
_YOURS = re.compile(
    r"\b[Yy]our (?:own )?(?:\w{1,20}['’]s )?`([^`/\s]{1,80})`"
    r"|`([^`/\s]{1,80})` (?:file )?(?:in|of|at) (?:the root of )?your (?:own )?(?:project|app(?:lication)?)\b"
)
# What stands for any name at the end of a path: `src/providers/<name>/`, `src/engine/**`.
_ANY = re.compile(r"^((?:[\w@.-]+/){2,})(?:<[\w -]+>|\{\w+\}|\*\*$)")
# The mark of a folder in which such a name is.
ABOVE = "above"
# The longest of such lists: written out, one of 60 KB would be 1 GB.
BRACES_CHARS = 500
# Several names at once, as a shell expands them: `src/{auth,core}/mod.rs`.
_BRACES = re.compile(r"(?<![\w.@/{$-])([\w.@-]+(?:/[\w.@-]+)*/|)\{([\w.@/\\-]+(?:, ?[\w.@/\\-]+)+)\}([\w.@/-]*)")
_WORD = re.compile(r"(?<![\w/.@`~$:-])(?:\.{1,2}/)*\.?[\w@-][\w.@-]*(?:/[\w.@\[\]-]+)*/?(?![\w`])")


def is_file_name(text: str) -> bool:
    """Return whether a word with a dot is the name of a file: `mix.exs`, `zig.exe`."""
    is_code = _FILE.match(text) is not None and not _QUALIFIED.match(text)
    return is_code or re.search(r"\w\.(?:exe|dll|zip|gz|tgz|log|db|bazel|bzl|pdf|svg|png)$", text) is not None


def looks_like_name(claim: Claim) -> bool:
    """Return whether a word with a slash may also be a name of something else: it has no ending and is not a link."""
    return not claim.tool and "/" in claim.name and not claim.token.endswith("/") and not _FILE.match(claim.name)


def path_claims(statement: Statement, document: Document) -> Iterator[Claim]:
    """Yield the files and folders that a statement names."""
    seen: set[tuple[str, int]] = set()
    for claim in _list_paths(statement, document):
        if (claim.name, claim.line) not in seen:
            seen.add((claim.name, claim.line))
            yield claim


def _list_paths(statement: Statement, document: Document) -> Iterator[Claim]:
    if statement.kind == TREE:
        entry = _entry(statement, document)
        yield entry
        yield from _inside(entry, statement)
        return
    if statement.kind == CODE and statement.language not in SHELLS | {"text", "txt", "json", "yaml", "yml", "toml"}:
        return
    yield from _scripts(statement, document)
    spans = statement.spans if statement.kind != CODE else ()
    linked = {match[1] for span in spans if span.kind == "link" and (match := _REPOSITORY.match(span.text))}
    foreign = {name for name, address in _LABEL.findall(statement.text) if address.endswith(f"/{name}")}
    yours = {name for names in _YOURS.findall(statement.text) for name in names if name}
    for span in spans:
        if span.kind != "code" or span.text not in yours:
            is_foreign = span.kind == "code" and span.text in foreign
            for claim in _marked(span, document):
                if claim.name not in linked:
                    yield replace(claim, is_certain=False, tool=FOREIGN) if is_foreign else claim
    for number, line in enumerate(statement.lines, statement.line):
        bare = (
            line if statement.kind == CODE else re.sub(r"`{1,2}[^`]*`{1,2}|\]\([^)]{0,1000}\)|https?://\S+", " ", line)
        )
        bare = _expand(bare)
        for match in _WORD.finditer(bare):
            word = match[0].rstrip(".:,")
            is_yours = "/" not in word and _YOUR.search(bare[max(0, match.start() - 40) : match.start()])
            if ("/" in word or _FILE.match(word)) and not is_yours:
                yield from _name(word, number, document, is_certain=False)


def _scripts(statement: Statement, document: Document) -> Iterator[Claim]:
    """Yield the files of code that a statement's commands run."""
    for command in list_commands(statement):
        if command.words[0] == "go" and _GO.intersection(command.words[1:2]) and not command.folder:
            for word in _go_packages(command.words[1:]):
                yield from _name(word, command.line, document, is_certain=True)
        if command.words[0] in _INTERPRETERS and not command.folder:
            script = next((word for word in command.words[1:] if not word.startswith("-")), "")
            if "/" in script and _FILE.match(script) and not _STAND_IN.search(script):
                yield from _name(script, command.line, document, is_certain=True)


def _go_packages(words: Sequence[str]) -> list[str]:
    """Return the folders that a command of go works on, without the arguments of the program that it runs."""
    own = list(itertools.takewhile(lambda word: word != "-args", words))
    plain = [(before, word) for before, word in itertools.pairwise(own) if not word.startswith("-")]
    plain = plain[:1] if own[0] == "run" else plain
    return [word for before, word in plain if word.startswith("./") and before[0] != "-" and not word.endswith("...")]


def _marked(span: Span, document: Document) -> Iterator[Claim]:
    if span.kind == "link":
        yield from _link(span.text, span.line, document)
    elif _BRACES.fullmatch(span.text):
        for word in _expand(span.text).split():
            yield from _name(word, span.line, document, is_certain=False)
    elif span.kind == "bold" or " " not in span.text:
        yield from _name(span.text, span.line, document, is_certain=span.kind == "code")
    else:
        program, *words = span.text.split()
        for word in (program, *words):
            bare = word.strip("()[],:\"'")
            # The `test` of `mix test` and the `docs` of `npm run docs` are no folders.
            if "/" in bare or "." in bare or program in _TAKES_FILES:
                yield from _name(bare, span.line, document, is_certain=False)


def _expand(text: str) -> str:
    """Write out the names that braces stand for, with blanks between them; longer lists than people write stay."""
    return _BRACES.sub(_names_of, text) if "{" in text else text


def _names_of(braces: re.Match[str]) -> str:
    before, names, after = braces.groups()
    if len(braces[0]) > BRACES_CHARS:
        return braces[0]
    return " ".join(f"{before}{name.strip()}{after}" for name in names.replace("\\", "").split(","))


def _entry(statement: Statement, document: Document) -> Claim:
    path = statement.path
    written = path.rpartition("/")[2]
    under = posixpath.normpath(posixpath.join(document.folder, path)) if document.folder else path
    root, _, rest = path.partition("/")
    own = [posixpath.join(document.folder, rest).rstrip("/")] if root == posixpath.basename(document.folder) else []
    shorter = [rest] if rest else []
    places = [*own, under, path, *shorter]
    if document.folder and shorter:
        places.append(posixpath.join(document.folder, shorter[0]))
    is_certain = not _NO_PATH.search(path)
    return Claim(
        PATH, statement.line, written, path, is_certain=is_certain, places=tuple(dict.fromkeys(places)), tool="tree"
    )


def _inside(entry: Claim, statement: Statement) -> Iterator[Claim]:
    """Yield the folders that the remark of a tree's entry says are in it: `workflows/  # Engine (core/, hooks/)`."""
    remark = statement.lines[0].partition(entry.token)[2]
    for match in _FOLDER_LIST.finditer(remark):
        for word in re.findall(r"(?<![\w.-])[\w.-]{1,255}(?=/)", match[1]):
            places = tuple(f"{place}/{word}" for place in entry.places)
            yield Claim(PATH, entry.line, f"{word}/", f"{entry.name}/{word}", is_certain=False, places=places)


def _link(target: str, line: int, document: Document) -> Iterator[Claim]:
    token = target.partition("#")[0]
    word = unquote(token.partition("?")[0])
    if not word or re.match(r"^(?:[a-z][\w+.-]*:|//)", word, re.I) or _NO_PATH.search(token):
        return
    beside = posixpath.dirname(document.path)
    if posixpath.normpath(posixpath.join(beside, word)).startswith("../../"):
        return  # a page of the forge: `../../actions/workflows/ci.yml`
    spots = [word.lstrip("/")] if word.startswith("/") else [posixpath.join(beside, word), word]
    if word.endswith(".html"):  # a page that a site makes of a document
        source = f"{word.removesuffix('.html').lstrip('/')}.md"
        spots += [posixpath.join(folder, source) for folder in ("", beside, document.folder, "docs")]
    yield _claim(token, word, line, spots, is_certain=bool(_FILE.match(word)) or word.endswith("/"), tool="link")


def _name(text: str, line: int, document: Document, *, is_certain: bool) -> Iterator[Claim]:
    if _ARITY.fullmatch(text) or _MEDIA.fullmatch(text) or _CLASS.fullmatch(text) or text in _PROGRAMS:
        return
    if twins := _TWINS.fullmatch(text):
        for ending in twins[2], twins[3]:
            yield from _name(f"{twins[1]}{ending}", line, document, is_certain=is_certain)
        return
    text = text.replace("\\", "/") if _WINDOWS.fullmatch(text) else text
    word = _POSITION.sub("", text.strip().rstrip(",;")).removesuffix("/...")  # `./pkg/...` of Go: all below it
    if is_certain and (above := _ANY.match(word)):
        yield from _above(above[1], line, document)
        return
    fixed = re.split(r"[<{*$]", word)[0]
    if fixed != word and "/" in fixed:  # the part before a pattern
        word, is_certain = fixed[: fixed.rindex("/") + 1], False
    if is_certain and _BRACKETED.search(word):
        is_certain = False
    if not re.search(r"[A-Za-z]", word) or _NO_PATH.search(word) or _HOST.match(word) or word.startswith("//"):
        return
    if word in _OBJECTS or _NOTE.fullmatch(word) or _OF_GIT.match(word) or _ELSEWHERE.search(word):
        return
    token, is_rooted = word, word.startswith("/")
    word = word.lstrip("/")
    folders = [] if is_rooted else [document.folder, posixpath.dirname(document.path)]
    spots = [posixpath.join(folder, word) for folder in folders if folder] + [word]
    is_file = _FILE.match(word) and not _QUALIFIED.match(word)
    looks = bool(is_file) or word.endswith("/") or ("/" in word and not is_rooted)
    if is_rooted and not looks:  # a place of the machine, or an address: `/data`
        return
    is_type = _TYPE.match(word) and _FILE.match(f"x{word}")
    yield _claim(token, word, line, spots, is_certain=is_certain and looks and not is_type and not is_rooted)


def _above(folder: str, line: int, document: Document) -> Iterator[Claim]:
    spots = [posixpath.join(document.folder, folder), folder] if document.folder else [folder]
    yield _claim(folder, folder, line, spots, is_certain=True, tool=ABOVE)


def _claim(token: str, word: str, line: int, spots: list[str], *, is_certain: bool, tool: str = "") -> Claim:
    places = (posixpath.normpath(spot) for spot in spots)
    inside = dict.fromkeys(place for place in places if not place.startswith("../") and place not in (".", ".."))
    return Claim(PATH, line, token, posixpath.normpath(word), is_certain=is_certain, places=tuple(inside), tool=tool)
