"""Environment variables: where the code reads them, or has their names as strings. Pure but for reading code."""

from __future__ import annotations

import re
from functools import lru_cache

from gitmem.commands.adopt.claims.claim import Claim
from gitmem.commands.adopt.findings import Source
from gitmem.commands.adopt.kinds.words import find_line, find_word
from gitmem.commands.adopt.statements import CODE, SHELLS, TREE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.statements import Statement

VARIABLE = "variable"
_NAME = r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+"
_SPAN = re.compile(rf"^\$?\{{?({_NAME})\}}?(?:=.*)?$")
_CELL = re.compile(rf"^({_NAME})$")
_SET = re.compile(rf"(?:^\s*(?:#\s*)?(?:export\s+|set\s+|\$env:)?|\s|^)({_NAME})\s*=(?!=)")
_READ = re.compile(
    rf"[\"'`]({_NAME})[\"'`]|\benv(?:iron)?\.({_NAME})\b|\bENV\.fetch\(:({_NAME})|\$\{{?({_NAME})\b"
    rf"|^[ \t]*({_NAME}):\s*z\.",
    re.M,
)
# What other programs and libraries read: a name stays right if the code no longer has it.
_FOREIGN = frozenset({
    "aws", "azure", "google", "gcp", "gcloud", "gemini", "openai", "anthropic", "claude", "cohere", "mistral",
    "groq", "hf", "huggingface", "huggingfacehub", "ollama", "openrouter", "deepseek", "xai", "together",
    "voyage", "langchain", "langsmith", "github", "gh", "gitlab", "bitbucket", "node", "npm", "pnpm", "yarn",
    "bun", "deno", "python", "pythonpath", "pip", "uv", "poetry", "conda", "cargo", "rust", "rustup", "go",
    "goproxy", "java", "maven", "gradle", "docker", "compose", "buildkit", "kube", "kubernetes", "k8s", "helm",
    "sentry", "otel", "datadog", "dd", "newrelic", "pg", "postgres", "postgresql", "mysql", "redis", "mongo",
    "mongodb", "rabbitmq", "supabase", "firebase", "stripe", "slack", "discord", "telegram", "twilio", "sendgrid",
    "vercel", "netlify", "cloudflare", "heroku", "render", "railway", "ssh", "http", "https", "no", "ci", "xdg",
    "lc", "lang", "cuda", "nvidia", "torch", "pytorch", "tf", "omp", "mkl", "wandb", "next", "nuxt", "expo",
    "turbo", "vscode", "electron", "android", "xcode", "apple", "msys", "git", "pre", "playwright", "puppeteer",
    "chrome",
})  # fmt: skip


def variable_claims(statement: Statement, _document: Document) -> Iterator[Claim]:
    """Yield the names in capitals that may be environment variables: in code, tables and shell commands."""
    if statement.kind == TREE:
        return
    seen = set()
    for name, line in _names(statement):
        if name not in seen and name.partition("_")[0].lower() not in _FOREIGN:
            seen.add(name)
            yield Claim(VARIABLE, line, name, name, is_certain=False)


def _names(statement: Statement) -> Iterator[tuple[str, int]]:
    if statement.kind == CODE:
        if statement.language in SHELLS | {"env", "dotenv", "ini", "properties"}:
            for number, line in enumerate(statement.lines, statement.line):
                yield from ((name, number) for name in _SET.findall(line))
        return
    for span in statement.spans:
        if span.kind == "code":
            match = _SPAN.match(span.text)
            yield from [(match[1], span.line)] if match else [(name, span.line) for name in _SET.findall(span.text)]
    for cell in statement.cells if statement.header else ():
        if match := _CELL.match(cell.strip("* ")):
            yield match[1], statement.line


def find_variable(code: Code, claim: Claim, _document: Document) -> Source | None:
    """Return where the code reads an environment variable, or has its name as a string."""
    for path, text in code.texts(code.files_naming([claim.name])).items():
        if line := variables_in(text).get(claim.name, 0):
            return Source(path, line, text.split("\n")[line - 1].strip())
    return None


def find_other_use(code: Code, claim: Claim, _document: Document) -> Source | None:
    """Return where the code may read a variable in another way: by a field's name, or with a prefix."""
    parts = claim.name.split("_")
    first, *rest = (part.lower() for part in parts)
    camel = first + "".join(part.capitalize() for part in rest)
    words = [claim.name, claim.name.lower(), claim.name.lower().replace("_", "-"), camel]
    return find_word(code, words) or _find_prefix(code, parts)


def _find_prefix(code: Code, parts: list[str]) -> Source | None:
    """Return where a string is a prefix of names, by which a library makes variables of fields."""
    either = "|".join("_".join(parts[:at]) for at in range(1, len(parts)))
    mark = (
        rf"([Pp]refix|envconfig\.Process).{{0,20}}[\"'`]({either}|{either.lower()})_?[\"'`]|[\"'`]({either})_[\"'`$%{{]"
    )
    return find_line(code, mark)


@lru_cache(maxsize=4000)
def variables_in(text: str) -> Mapping[str, int]:
    """Return the variables that a text reads, or names in strings, each with its line."""
    variables: dict[str, int] = {}
    for match in _READ.finditer(text):
        name = next(filter(None, match.groups()))
        if name not in variables:
            variables[name] = text.count("\n", 0, match.start(match.lastindex or 0)) + 1
    return variables
