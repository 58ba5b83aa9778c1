"""The table of built-in checks: one row is enough for a check to be written, offered, described and answered."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import commit_files
from mcp import Client
from support.each import each
from support.facts import ask_builtin, tree_of
from support.mcp_client import with_client

from gitmem.cli.commands import load_command
from gitmem.cli.parser import parser_of
from gitmem.cli.proof import verify_of
from gitmem.commands.install.client_files import skill
from gitmem.document.answers import BuiltinAnswer, FileFinding
from gitmem.document.builtin_checks import (
    CHECKS,
    IN,
    BuiltinCheck,
    Field,
    find_row,
    globs_of,
    mapping_of,
    shapes,
    words_of,
)
from gitmem.document.check_values import GLOB, TEXT
from gitmem.document.fields import check_fields
from gitmem.document.parse import parse
from gitmem.document.spec import check_of
from gitmem.errors import FormatError
from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.model import BUILTIN, FAILS, HOLDS, Check
from gitmem.verify.builtin_answers import answer_all
from gitmem.verify.inputs import digest
from gitmem.verify.overview.derivation import answer_behind
from gitmem.write.contradictions import find_opposition

ROOT = Path(__file__).parents[2]
NEW = BuiltinCheck(
    *("opens", TEXT, "some file of --in opens with this text"),
    globs=lambda taken: (taken.where,),
    probe=lambda taken: lambda _, content: [FileFinding(1)] * content.startswith(taken.text.encode()),
    conclude=lambda taken, files: BuiltinAnswer(
        *((HOLDS, "", "") if files.list_findings() else (FAILS, f"no file of {taken.where} opens with {taken.text!r}"))
    ),
    more=(Field(IN, GLOB, "code files", keyword="within"),),
    is_about_any=True,
)
# What each kind of field takes in these tests.
SAMPLES = {
    "PATH": "src",
    "SHA256": "0" * 64,
    "PATH#KEY": "src#a.b",
    "GLOB": "src/**",
    "VERSION": "3.11",
    "RE": ">=3.11",
}


@pytest.fixture
def new(monkeypatch: pytest.MonkeyPatch) -> BuiltinCheck:
    """Return a check that is nowhere but in the table."""
    monkeypatch.setitem(CHECKS, NEW.name, NEW)
    return NEW


def test_a_mapping_is_compared_with_the_rows_that_it_names(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    accepts = BuiltinCheck.accepts
    monkeypatch.setattr(BuiltinCheck, "accepts", lambda row, names: asked.append(row.name) or accepts(row, names))

    assert find_row(["lacks", IN]) == CHECKS["lacks"]
    assert asked == ["lacks"]


def options_for(row: BuiltinCheck) -> list[str]:
    """Return one use of a check on the command line: with all that it needs and the first of its choices."""
    more = [f for f in row.more if f.name in row.required or f.name in row.choices[:1]]
    words = [f"--{row.name}", *[SAMPLES.get(row.value.shown, "x")] * row.count]
    return words + [word for f in more for word in (f"--{f.name}", SAMPLES.get(f.value.shown, "x"))]


@each("row", CHECKS.values())
def test_every_row_is_an_option_a_mapping_a_check_and_a_line_of_the_documents(row: BuiltinCheck) -> None:
    typed = verify_of(parser_of("fact", load_command("fact")).parse(["a", *options_for(row)]))
    words = words_of(typed)

    check_fields({"title": "a", "kind": "fact", "verify": typed})
    assert words[0] == row.name
    assert mapping_of(words) == typed
    assert globs_of(words)
    assert row.shape in shapes()
    named = " ".join([f"--{row.name}", *[row.value.shown] * row.count])
    assert f"- `{named}`: {row.about}" in (ROOT / "docs" / "cli.md").read_text("utf-8")
    assert f"`--{row.name}`" in skill()


def test_new_row_is_parsed_and_refused_like_the_others(new: BuiltinCheck) -> None:
    text = "---\ntitle: T\nkind: fact\nverify:\n  opens: '#!'\n  in: bin/*\n---\n"

    assert check_of(parse(text, path="facts/k.md")) == Check(BUILTIN, ("opens", "#!", "bin/*"))
    with pytest.raises(FormatError, match=r"\{opens: TEXT, in: GLOB\}"):
        check_fields({"title": "T", "kind": "fact", "verify": {"opened": "x"}})
    with pytest.raises(FormatError, match="not a path inside the repository"):
        check_fields({"title": "T", "kind": "fact", "verify": {"opens": "x", "in": "../x"}})


def test_new_row_is_an_option_with_its_help(new: BuiltinCheck) -> None:
    parser = parser_of("fact", load_command("fact"))
    message = next(action for action in parser._actions if action.option_strings == ["--opens"])

    assert (message.metavar, message.help) == ("TEXT", new.about)
    assert verify_of(parser.parse(["a", "--opens", "#!", "--in", "bin/*"])) == {"opens": "#!", "in": "bin/*"}


def test_new_row_is_in_what_clients_of_mcp_and_agents_are_shown(new: BuiltinCheck, repo: Path) -> None:
    async def use(client: Client) -> str:
        return repr([tool.input_schema for tool in (await client.list_tools()).tools if tool.name == "fact_propose"])

    assert new.shape in with_client(repo, use)
    assert "`--opens`" in skill()


def test_new_row_is_answered_and_its_inputs_are_known(new: BuiltinCheck, repo: Path) -> None:
    commit_files(repo, {"bin/run": "#!/bin/sh\n", "bin/data": "x"})
    check = Check(BUILTIN, ("opens", "#!", "bin/*"))
    before = tree_of(repo)

    assert ask_builtin(repo, *check.words).outcome == HOLDS
    assert ask_builtin(repo, "opens", "%", "bin/*").because == "no file of bin/* opens with '%'"
    commit_files(repo, {"bin/run": "echo\n"})
    after, git = tree_of(repo), Git(discover(repo))
    assert digest(before, ["builtin"], check) != digest(after, ["builtin"], check)
    assert answer_behind(git, before, after, answer_all(git, before, [check]))[check].outcome == FAILS


@each(("denial", "denied"), [(r.name, r.denies) for r in CHECKS.values() if r.denies])
def test_checks_that_deny_each_other_are_opposed(denial: str, denied: str) -> None:
    one, other = (Check(BUILTIN, (name, *["x", "a"][: len(CHECKS[name].fields)])) for name in (denial, denied))

    assert find_opposition(one, other) == find_opposition(other, one) != ""


def test_mapping_with_other_fields_is_no_row() -> None:
    assert find_row(["contains"]) is None
    assert find_row(["in", "contains"]) is CHECKS["contains"]


def test_no_other_module_lists_the_checks() -> None:
    listed = [f'"{name}"' for name in CHECKS]
    # These propose checks of some rows: they name them, and are no lists of them.
    proposing = {"adopt", "looser_check.py"}
    modules = [path for path in (ROOT / "gitmem").rglob("*.py") if proposing.isdisjoint(path.parts)]
    sources = {path: path.read_text("utf-8") for path in modules}

    holders = [path.name for path, source in sources.items() if sum(name in source for name in listed) > 1]
    assert holders == ["builtin_checks.py"]
