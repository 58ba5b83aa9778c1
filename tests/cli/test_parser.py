"""Help with examples that parse, errors in words of ours, and a program behind ``--`` exactly as it was typed."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from support.each import each

from gitmem.cli.commands import HIDDEN, all_commands, load_command
from gitmem.cli.manual import page
from gitmem.cli.parser import HelpRequest, Parser, parser_of
from gitmem.errors import UsageError

PROJECT = Path(__file__).resolve().parent.parent.parent
DOCUMENTS = [PROJECT / "README.md", *sorted(PROJECT.glob("docs/*.md"))]


def parser(name: str) -> Parser:
    return parser_of(name, load_command(name))


def words_of(line: str, name: str) -> list[str]:
    """Return the arguments of the gitmem command in a line of shell: behind a pipe, before a redirection."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|<>")
    lexer.whitespace_split = True
    lexer.commenters = ""  # the addresses of values have a # inside
    words = list(lexer)
    command = ["gitmem", *name.split(" ")]
    start = next(i for i in range(len(words)) if words[i : i + len(command)] == command)
    end = next((i for i in range(start, len(words)) if words[i] in ("|", "<", ">")), len(words))
    return words[start + len(command) : end]


@each("name", all_commands())
def test_help_of_a_command_shows_its_examples(name: str) -> None:
    with pytest.raises(HelpRequest) as asked:
        parser(name).parse(["--help"])

    text = page(asked.value.parser, Parser.width)
    assert load_command(name).EXAMPLES
    whole = text.replace(" \\\n      ", " ")
    assert [line for line in load_command(name).EXAMPLES if f"\n  {line}\n" not in whole] == []
    assert text.startswith(f"usage: gitmem {name}")


@each("name", all_commands())
def test_examples_of_a_command_parse(name: str) -> None:
    for line in load_command(name).EXAMPLES:
        parser(name).parse(words_of(line, name))


def test_every_argument_says_what_it_is() -> None:
    found = [(name, action.dest) for name in all_commands() for action in parser(name)._actions if not action.help]

    assert found == []


@each(
    ("name", "words", "message", "hint"),
    [
        ("recall", ["--kin", "x"], "unknown option: --kin", "did you mean --kind?"),
        ("recall", ["how", "--tga=x"], "unknown option: --tga", "did you mean --tag?"),
        ("recall", ["--zzzz"], "unknown option: --zzzz", "gitmem recall --help lists the options"),
        ("remember", ["two", "words"], "unexpected argument: words", "quote arguments that contain spaces"),
        ("fact", ["Tokens", "are", "signed"], "unexpected argument: are", "a program goes after --"),
        ("show", [], "the following arguments are required: key", "gitmem show --help has examples"),
        ("fact", ["x", "--is", "-q"], "--is: expected one argument", "begins with - goes after =, as in --is=-q"),
        ("list", ["--limit", "0"], "--limit: must be a whole number from 1 to 1000000, not '0'", "--help"),
        ("list", ["--limit", "9" * 5000], "--limit: must be a whole number", "--help"),
        ("list", ["--limit", "-1"], "--limit: ", "--help"),
        ("list", ["--limit", "١"], "--limit: must be a whole number", "--help"),
        ("completion", ["elvish"], "SHELL: invalid choice: 'elvish'", "--help"),
        ("recall", ["--lim", "3"], "unknown option: --lim", "did you mean --limit?"),
        ("fact", ["t", "--grep", "x", "f"], "unknown option: --grep", "did you mean --contains?"),
        ("fact", ["t", "--shell", "true"], "unknown option: --shell", "did you mean --verify?"),
        ("fact", ["t", "--file", "f"], "unknown option: --file", "did you mean --in?"),
        ("remember", ["t", "--file", "f"], "unknown option: --file", "did you mean --path?"),
        ("install", ["codex", "--dry-run"], "unknown option: --dry-run", "did you mean --print?"),
        ("export", ["--json"], "unknown option: --json", "gitmem export --help lists the options"),
        ("install", ["codex", "--json"], "unknown option: --json", "gitmem install --help lists the options"),
        ("fact", ["t", "-m", "why"], "unknown option: -m", "did you mean --body?"),
        ("fact", ["t", "--contains", "x", "f"], "unexpected argument: f", "with --in FILE"),
    ],
)
def test_wrong_use_is_worded_with_a_hint(name: str, words: list[str], message: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        parser(name).parse(words)

    assert caught.value.message.startswith(message)
    assert hint in caught.value.hint


@each(
    ("words", "program"),
    [
        (["t", "--", "grep", "-q", "x", "f"], ["grep", "-q", "x", "f"]),
        (["t", "--", "grep", "-q", "--", "-x", "f"], ["grep", "-q", "--", "-x", "f"]),
        (["t", "--path", "src", "--", "grep", "--json", "--path", "p"], ["grep", "--json", "--path", "p"]),
        (["--tag", "a", "t", "--", "--", "x"], ["--", "x"]),
        (["t", "--"], []),
        (["t", "--exists", "p"], []),
    ],
)
def test_program_is_everything_after_the_first_double_dash(words: list[str], program: list[str]) -> None:
    args = parser("fact").parse(words)

    assert (args.title, args.program) == ("t", program)


@each("name", ["fact", "edit", "settle"])
def test_program_keeps_its_own_double_dash(name: str) -> None:
    args = parser(name).parse(["x", "--", "grep", "--", "y"])

    assert args.program == ["grep", "--", "y"]


@each(
    ("words", "query"),
    [
        (["how", "--kind", "gotcha", "are", "tokens", "--limit", "3", "signed"], ["how", "are", "tokens", "signed"]),
        (["--", "--force", "-x"], ["--force", "-x"]),
        (["git push --force"], ["git push --force"]),
        (["-5"], ["-5"]),
    ],
)
def test_words_of_a_question_may_stand_between_options_or_after_a_double_dash(
    words: list[str], query: list[str]
) -> None:
    assert parser("recall").parse(words).query == query


def test_key_that_looks_like_an_option_is_typed_after_a_double_dash() -> None:
    args = parser("show").parse(["--", "--json"])

    assert (args.key, args.json) == ("--json", False)


def commands_of(document: str) -> list[str]:
    """Return the lines of a document's blocks of shell that begin with gitmem, without their comments."""
    blocks = re.findall(r"(?ms)^```(?:sh|console)$(.*?)^```$", document)
    lines = [line.removeprefix("$ ") for block in blocks for line in block.replace("\\\n", " ").split("\n")]
    return [re.sub(r"\s+# .*", "", line) for line in lines if re.match("gitmem [a-z]", line)]


@each("path", DOCUMENTS, ids=[path.name for path in DOCUMENTS])
def test_every_command_of_a_document_is_one(path: Path) -> None:
    wrong = []
    for line in commands_of(path.read_text(encoding="utf-8")):
        words = line.split()[1:]
        name = next((name for name in (" ".join(words[:2]), words[0]) if name in (*all_commands(), *HIDDEN)), "")
        try:
            parser(name).parse(words_of(line, name))
        except (UsageError, LookupError) as err:
            wrong.append(f"{line}: {err}")

    assert wrong == []
