"""Help, messages and documents are plain idiomatic English: none of them has a warning sign of translated prose."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.syntax import parse

from gitmem.cli import manual
from gitmem.cli.commands import HIDDEN, all_commands, load_command
from gitmem.cli.parser import parser_of
from gitmem.config import Config

PROJECT = Path(__file__).resolve().parent.parent
PACKAGE = PROJECT / "gitmem"
DOCUMENTS = (
    PROJECT / ".pre-commit-hooks.yaml",
    PROJECT / "demo" / "demo.sh",
    *PROJECT.glob("*.md"),
    *(PROJECT / "docs").rglob("*.md"),
    *(PROJECT / "benchmarks").glob("*.md"),
)
TEMPLATES = (PACKAGE / "commands" / "install" / "templates", PACKAGE / "commands" / "report" / "page")
TEXTS = (".md", ".yaml", ".yml", ".csv", ".html", ".ts", ".sh")

# The warning signs of translated prose: a vague or old-fashioned word with a plainer one beside it, or a clause where
# English has a noun. Each pattern leaves alone what is idiomatic: "there is no store", "too many", "work tree".
START = r"(?:^|[.;:,(|–—] |\b(?:and|but) )"
SIGNS = {
    "a vague person": r"\b(?:somebody|nobody|whoever)\b",
    "an odd word": r"\b(?:anew|unasked|learnt|of ours|the like|hangs? together|mend(?:s|ed|ing)?)\b",
    "by itself": r"\bby (?:itself|themselves)\b",
    "take the place of": r"\b(?:take|takes|taken|took) (?:the|its|their) places?\b",
    "a work": r"\ba work\b(?! (?:tree|item|folder))",
    "a clause as the subject": rf"{START}[Ww]hat (?:is|was|are|were)\b(?![^.;|]*\?)",
    "is no": r"(?<![Tt]here )(?<!answer )\b(?:is|are|was|were) no (?!longer\b|different\b)",
    "stands, lies": r"\b(?:stands?|stood|lies|lie (?:in|at|on|there|here|outside))\b",
    "behind it": r"\bbehind (?:it|them|--|`--`)",
    "too at the end of a clause": r"\btoo(?=[.;:,)!?]|$)",
    "told, asked, said": r"\b(?:is|are|was|were|be|been|being|nothing|gets?) (?:told|asked|said)\b(?! (?:to|for)\b)",
    "a riddle about the state": (
        r"\bnever held(?=\b.)|(?<=. )never held\b|(?:,|\d) as before\b|showed here before|(?<!as )\bit was before\b"
    ),
    "what waits": r"\bwhat waits\b|\bwaits? for (?:a decision|you)\b",
    "a count of what is not done": r"\bstatements? cannot be checked\b|\bnothing new came in\b|\bon no remote\b",
    "a clause without its subject": r"\bthen could not run\b|\bare as the branch\b|\bis now read here\b",
    "a participle as a noun": r"\b(?:the|a|of) (?:asked|told|kept|taken|given|said)\b(?=[.;:]|$)",
}
ANY_SIGN = re.compile("|".join(f"(?:{pattern})" for pattern in SIGNS.values()))
QUERY = re.compile(r"\s*\(?(?:SELECT|INSERT|CREATE|UPDATE|DELETE|PRAGMA|WITH|FROM|ORDER BY|DROP)\b")
WORD_LISTS = ("stopwords.py", "abbreviations.py")
VERBS = (
    " accept add allow answer apply approve archive change check clean close commit compare connect create"
    " decide delete do download draw embed end explain export fetch find finish give go handle ignore import include"
    " install judge keep leave let list manage mark merge move name open overwrite post prefer print propose"
    " pull put queue read record release remove repair replace report require restore retire revoke run search send"
    " serve set share show start stop supersede switch synchronize treat undo update use verify waive write "
)


def signs(text: str) -> list[str]:
    """Return the warning signs in a text, each with the words around it."""
    plain = " ".join(text.split())
    if not ANY_SIGN.search(plain):
        return []  # nearly every text: one search instead of fifteen
    return [
        f"{name}: …{plain[max(0, found.start() - 40) : found.end() + 40]}…"
        for name, pattern in SIGNS.items()
        for found in re.finditer(pattern, plain)
    ]


def strings(tree: ast.AST) -> Iterator[str]:
    """Yield the texts of a module that are not docstrings; a value within a text is an X."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values)
        else:
            yield from strings(node)


def messages() -> Iterator[tuple[str, str]]:
    """Yield every text of two words or more in the package, with its place; neither SQL nor a regular expression."""
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = parse(path.read_text(encoding="utf-8"))
        for text in strings(tree):
            if " " in text.strip() and path.name not in WORD_LISTS and not (QUERY.match(text) or "(?:" in text):
                yield str(path.relative_to(PROJECT)), text
        if path.is_relative_to(PACKAGE / "mcp"):
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.decorator_list:
                    yield str(path.relative_to(PROJECT)), ast.get_docstring(node) or ""


def helps() -> Iterator[tuple[str, str]]:
    """Yield every text of ``--help``, with its command."""
    yield "gitmem", manual.overview(100, []) + manual.format_all(100)
    for name in (*all_commands(), *HIDDEN):
        parser = parser_of(name, load_command(name))
        yield name, parser.description or ""
        for action in parser._actions:
            yield f"{name} {action.metavar or action.dest}", action.help or ""
    yield "settings", inspect.getdoc(Config) or ""


def prose(text: str) -> str:
    """Return a document without its code: what is in fences, indented as code, or between backticks."""
    text = re.sub(r"(?ms)^ *(`{3,}|~{3,}).*?^ *\1", "", text)
    text = re.sub(r"(?m)^(?: {4}|\t)(?! *[-*\d]).*$", "", text)
    return re.sub(r"``[^`].*?``|`[^`\n]+`", "`x`", text, flags=re.DOTALL)


def documents() -> Iterator[tuple[str, str]]:
    """Yield the paragraphs of the documents and templates, with their file."""
    templates = (path for folder in TEMPLATES for path in sorted(folder.rglob("*")) if path.suffix in TEXTS)
    for path in (*DOCUMENTS, *templates):
        for paragraph in re.split(
            r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )|\n(?=\|)", prose(path.read_text(encoding="utf-8"))
        ):
            yield str(path.relative_to(PROJECT)), paragraph


def first_words() -> Iterator[tuple[str, str]]:
    """Yield the first word of each one-liner: of commands, their descriptions, and options that take no value."""
    for name, (_, about) in all_commands().items():
        yield name, about
    for name in (*all_commands(), *HIDDEN):
        parser = parser_of(name, load_command(name))
        yield f"{name} --help", parser.description or ""
        for action in parser._actions:
            if action.option_strings and action.nargs == 0:
                yield f"{name} {action.option_strings[0]}", re.sub(r"^(?:with --)?[a-z-]+: ", "", action.help or "")


@pytest.mark.parametrize("source", [helps, messages, documents])
def test_no_text_has_a_warning_sign(source: Callable[[], Iterator[tuple[str, str]]]) -> None:
    found = [f"{place}: {sign}" for place, text in source() for sign in signs(text)]

    assert found == [], f"{len(found)} warning signs"


def test_every_one_liner_of_the_help_begins_with_a_verb() -> None:
    plain = ((place, re.sub(r"^(?:also|no longer) ", "", text)) for place, text in first_words())

    assert [f"{place}: {text}" for place, text in plain if f" {re.split('[ ,:]', text)[0].lower()} " not in VERBS] == []


def test_one_liners_have_no_full_stop_and_descriptions_do() -> None:
    one_liners = {name: about for name, (_, about) in all_commands().items()}
    for name in list(one_liners):
        parser = parser_of(name, load_command(name))
        one_liners |= {f"{name} {action.dest}": action.help or "" for action in parser._actions}
        assert re.search(r"[.:]$", (parser.description or "").split("\n\n")[0].strip()), name

    assert [name for name, about in one_liners.items() if about.endswith(".")] == []


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("no open pull request has X as its head: nobody is told", "a vague person"),
        ("write down what was learnt", "an odd word"),
        ("the index is made anew", "an odd word"),
        ("it follows every write by itself", "by itself"),
        ("let one memory take the place of another", "take the place of"),
        ("what matters before a work begins", "a work"),
        ("what is pushed of memory is code", "a clause as the subject"),
        ("what the editor left is no text in UTF-8", "is no"),
        ("the program stands after the border", "stands, lies"),
        ("a program goes behind --", "behind it"),
        ("a commit that makes a fact false is stopped, too", "too at the end of a clause"),
        ("which facts are told", "told, asked, said"),
        ("the age of the kept", "a participle as a noun"),
        ("3 never held, 2 hold", "a riddle about the state"),
        ("2 failed (1 as before)", "a riddle about the state"),
        ("failed, as it showed here before", "a riddle about the state"),
        ("show first what waits for a decision", "what waits"),
        ("3 statements cannot be checked", "a count of what is not done"),
        ("nothing new came in from origin", "a count of what is not done"),
        ("it failed, then could not run: exit 127", "a clause without its subject"),
        ("memories are as the branch tidy has them", "a clause without its subject"),
    ],
)
def test_translated_prose_is_found(text: str, sign: str) -> None:
    assert sign in [found.split(":")[0] for found in signs(text)]


@pytest.mark.parametrize(
    "text",
    [
        "there is no memory branch; the remote is no longer reachable",
        "say what is wrong, and what changed since",
        "too many files in the work tree are kept",
        "a sub-agent is asked to push its branch",
        "the index is behind the tip of the branch",
        "What is due? See `gitmem verify --dry-run`.",
        "the rest is as it was before; a search that finds nothing is as fast as before",
        "a write waits for another one, a command for a person's approval",
    ],
)
def test_idiomatic_english_is_left_alone(text: str) -> None:
    assert signs(text) == []


def test_code_of_a_document_is_no_prose() -> None:
    text = "Run `what is it`:\n\n```sh\ngit log  # what is told\n```\n\n    gitmem said\n\nDone."

    assert prose(text).split() == ["Run", "`x`:", "Done."]
