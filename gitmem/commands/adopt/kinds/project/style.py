"""How code is formatted: "use tabs", "2 spaces", "single quotes", "no semicolons", by the formatter's settings."""

from __future__ import annotations

import posixpath
import re

from gitmem.commands.adopt.claims.claim import Claim
from gitmem.commands.adopt.findings import Source
from gitmem.commands.adopt.statements import CODE, HEADING, TREE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.statements import Statement

STYLE = "style"
INDENTATION, WIDTH, QUOTES, SEMICOLONS = "indentation", "the width of the indentation", "quotes", "semicolons"
_SAID = (
    (INDENTATION, re.compile(r"\b(?:use|with|indentation:|indent:)\s+\**(tabs|spaces)\b(?!\s*(?:width|size))", re.I)),
    (
        INDENTATION,
        re.compile(r"\b(tabs|spaces)\**\s+for indentation\b|\b(tabs),? not spaces\b|\b(spaces),? not tabs\b", re.I),
    ),
    (
        WIDTH,
        re.compile(
            r"\b([248])[- ]spaces?\s+(?:of )?indent\w*|\bindent\w*\W{1,4}(?:\w+\s+){0,2}([248])[- ]spaces?\b", re.I
        ),
    ),
    (QUOTES, re.compile(r"\b(single|double)[- ]quotes?\b", re.I)),
    (SEMICOLONS, re.compile(r"\b(no|without|omit|avoid|always use|use|with) semicolons\b", re.I)),
)
# What is said of one kind of file only.
_PART = re.compile(
    r"\b(?:Python|Go|Golang|Rust|Java|Kotlin|Swift|Ruby|PHP|C\+\+|C#|JavaScript|TypeScript|JSX?|TSX?|JSON|YAML|TOML|HTML|"
    r"CSS|SCSS|SQL|Markdown|Makefiles?|shell|bash|Dockerfile|docstrings?|strings? (?:with|that)|except|unless)\b",
    re.I,
)
_FILES = frozenset({
    ".editorconfig", ".prettierrc", ".prettierrc.json", ".prettierrc.yaml", ".prettierrc.yml", ".prettierrc.js",
    ".prettierrc.cjs", ".prettierrc.mjs", "prettier.config.js", "prettier.config.mjs", "biome.json", "biome.jsonc",
    "rustfmt.toml", ".rustfmt.toml", "pyproject.toml", "ruff.toml", ".ruff.toml", "dprint.json",
})  # fmt: skip
# The settings of EditorConfig, Prettier 3, Biome 2, Ruff and rustfmt.
_SET = {
    INDENTATION: re.compile(
        r"^[ \t]*indent_style\s*=\s*(\w+)|[\"']?useTabs[\"']?\s*:\s*(\w+)|indentStyle[\"']?\s*:\s*[\"'](\w+)"
        r"|^[ \t]*indent-style\s*=\s*[\"'](\w+)|^[ \t]*hard_tabs\s*=\s*(\w+)",
        re.M,
    ),
    WIDTH: re.compile(r"^[ \t]*indent_size\s*=\s*(\d+)|(?:tabWidth|indentWidth)[\"']?\s*:\s*(\d+)", re.M),
    QUOTES: re.compile(
        r"[\"']?singleQuote[\"']?\s*:\s*(\w+)|quoteStyle[\"']?\s*:\s*[\"'](\w+)|^[ \t]*quote-style\s*=\s*[\"'](\w+)",
        re.M,
    ),
    SEMICOLONS: re.compile(r"[\"']?\bsemi[\"']?\s*:\s*(\w+)|semicolons[\"']?\s*:\s*[\"'](\w+)", re.M),
}
_VALUES = {
    INDENTATION: {"tab": "tabs", "true": "tabs", "space": "spaces", "false": "spaces"},
    QUOTES: {"true": "single", "false": "double"},
    SEMICOLONS: {"true": "semicolons", "false": "no semicolons", "always": "semicolons", "asneeded": "no semicolons"},
}
_REFUSALS = frozenset({"no", "without", "omit", "avoid"})


def style_claims(statement: Statement, _: Document) -> Iterator[Claim]:
    """Yield what a rule says about the format of all code."""
    text = statement.text
    if statement.kind in (CODE, HEADING, TREE) or _PART.search(f"{statement.section} {text}"):
        return
    for name, pattern in _SAID:
        match = list(pattern.finditer(text))
        if len(match) == 1 and not re.search(
            r"\b(?:not|never|don['’]t|avoid|instead of)\s[^.;]{0,20}$", text[: match[0].start()]
        ):
            word = next(filter(None, match[0].groups())).lower()
            value = ("no semicolons" if word in _REFUSALS else "semicolons") if name == SEMICOLONS else word
            yield Claim(STYLE, statement.line, match[0][0], name, value)


def find_style(code: Code, claim: Claim, document: Document) -> Source | None:
    """Return the setting that says what a rule says, if no other setting says otherwise."""
    settings = _settings(code, claim, document)
    return settings[0] if settings and all(setting.actual == claim.stated for setting in settings) else None


def find_other_style(code: Code, claim: Claim, document: Document) -> Source | None:
    """Return the setting that contradicts a rule, if all settings say the same."""
    settings = _settings(code, claim, document)
    return (
        settings[0]
        if settings and len({setting.actual for setting in settings}) == 1 and settings[0].actual != claim.stated
        else None
    )


def _settings(code: Code, claim: Claim, document: Document) -> list[Source]:
    """Return what the formatters' settings for a document's folder say, sorted by file and line."""
    folders = [document.folder]
    while folders[-1]:
        folders.append(posixpath.dirname(folders[-1]))
    paths = sorted(
        path for folder in folders for name in _FILES if (path := posixpath.join(folder, name)) in code.files
    )
    values = _VALUES.get(claim.name, {})
    settings = []
    for path, text in code.texts(paths).items():
        for match in _SET[claim.name].finditer(text):
            word = next(filter(None, match.groups())).lower()
            settings.append(Source(path, text.count("\n", 0, match.end()) + 1, values.get(word, word)))
    return settings
