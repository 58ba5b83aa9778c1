"""Short ids: every command that takes a key takes one, and people read them where programs read keys."""

from __future__ import annotations

import contextlib
import io
import json
import re
from argparse import Action
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import NOW, commit_files, git
from support.each import each
from support.facts import make_fact, make_memory, put
from support.ids import id_of
from support.standing_folder import fill, standing_repo

from gitmem import cli
from gitmem.cli.parser import parser_of
from gitmem.memory import Memory

# A command line for each command and option that takes a key: names in capitals are the short ids of memories.
LINES = {
    "remember --requires": "remember A-thing --requires STAYS",
    "remember --supersedes": "remember Another-thing --supersedes NOTE",
    "fact --requires": "fact A-fact --exists README.md --requires STAYS",
    "fact --supersedes": "fact A-fact --exists README.md --supersedes NOTE",
    "edit key": "edit STAYS --title Reworded",
    "supersede old": "supersede NOTE OTHER",
    "supersede new": "supersede NOTE OTHER",
    "promote key": "promote NOTE --to domain --domain net",
    "forget keys": "forget NOTE OTHER",
    "restore keys": "restore GONE",
    "decide --supersedes": "decide Use-it --supersedes NOTE",
    "task add --parent": "task add Part --parent TASK",
    "task add --requires": "task add Part --requires TASK",
    "task claim key": "task claim TASK",
    "task close key": "task close TASK",
    "task release key": "task release HELD",
    "task list --parent": "task list --parent WHOLE",
    "task show key": "task show TASK",
    "task tree key": "task tree TASK",
    "similar key": "similar NOTE",
    "show key": "show NOTE",
    "log key": "log NOTE",
    "verify keys": "verify STAYS",
    "check keys": "check STAYS",
    "why key": "why STAYS",
    "settle key": "settle STAYS --retire",
    "settle --superseded-by": "settle STAYS --superseded-by NOTE",
    "settle --moved": "settle --moved STAYS",
    "trust keys": "trust --print COMMAND",
    "untrust keys": "untrust COMMAND",
    "purge keys": "purge NOTE --dry-run",
}
# Options whose value has this name and is a new key, a key in a file of the code, or no key of a memory that exists.
OTHERS = {"--key", "--value", "--agree", "--story", "--project", "--mine"}


repo = standing_repo("names")


@pytest.fixture
def stocked(repo: Path, run_cli) -> None:
    fill(repo.parent, "stocked", lambda: stock(repo, run_cli))


def stock(repo: Path, run_cli) -> None:
    put(
        repo,
        make_fact("stays", {"exists": "README.md"}),
        make_fact("command", "test -f README.md && true"),
        make_memory("note", "The pool is closed before a fork"),
        make_memory("other", "Gateways retry three times"),
        make_memory("gone", "An old thing"),
    )
    with Memory(repo, clock=lambda: float(NOW)) as memory:
        memory.forget("gone")
        for key in ("task", "held", "whole"):
            memory.tasks.add(f"Do the {key}", verify=None, key=key)
        memory.tasks.add("A part", verify=None, key="part", parent="whole")
        memory.tasks.claim("held")
    run_cli("verify", "stays")


class Screen(io.StringIO):
    """A terminal without a process of its own."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal_cli(repo: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Return what a command prints on a terminal."""

    def run(*words: str) -> str:
        screen = Screen()
        with contextlib.chdir(repo), contextlib.redirect_stdout(screen), contextlib.redirect_stderr(screen):
            cli.main(list(words))
        return screen.getvalue()

    return run


def takes_key(action: Action) -> bool:
    return action.dest in ("key", "keys", "old", "new") or "KEY" in str(action.metavar)


def taking_keys() -> set[str]:
    names = []
    for name in cli.all_commands():
        verbs = cli.verbs_of(name)
        names += [f"{name} {verb}" for verb in verbs] if verbs else [name]
    parsers = {name: parser_of(name, cli.load_command(name)) for name in names}
    return {
        f"{name} {action.option_strings[0] if action.option_strings else action.dest}"
        for name, parser in parsers.items()
        for action in parser._actions
        if takes_key(action) and not OTHERS & set(action.option_strings)
    }


def test_every_command_that_takes_a_key_is_tried() -> None:
    assert taking_keys() == set(LINES)


@pytest.mark.usefixtures("stocked")
@pytest.mark.parametrize("line", sorted(set(LINES.values())))
def test_every_command_takes_a_short_id(line: str, run_cli) -> None:
    words = [id_of(word.lower()) if re.fullmatch("[A-Z]{4,}", word) else word for word in line.split(" ")]

    done = run_cli(*words)

    assert done.status in (0, 1) and "error" not in done.err, done
    if "settle" not in line and "check" not in line and "similar" not in line:
        assert done.status == 0, done


@pytest.mark.usefixtures("stocked")
def test_links_name_keys_and_not_the_short_ids_that_were_typed(run_cli) -> None:
    run_cli("remember", "A thing", "--key", "thing", "--requires", id_of("stays"), "--requires", "label")
    run_cli("task", "add", "Part", "--key", "piece", "--parent", id_of("task"), "--requires", id_of("held"))

    thing, piece = (json.loads(run_cli("show", key, "--json").out)["frontmatter"] for key in ("thing", "piece"))

    assert thing["requires"] == ["stays", "label"]
    assert (piece["parent"], piece["requires"]) == ("task", ["held"])


@pytest.mark.usefixtures("stocked")
def test_people_read_short_ids_and_programs_keys(run_cli, repo: Path, terminal_cli) -> None:
    git(repo, "rm", "-q", "README.md")
    commit_files(repo, {})
    words = (["verify"], ["why", "stays", "--no-diff"], ["status", "--each"], ["check", "--base", "HEAD~1"])
    words = (*words, ["settle", "stays", "--recheck"], ["forget", "note", "other"], ["restore", "note"])

    piped = [run_cli(*line) for line in words]
    run_cli("forget", "note")
    run_cli("restore", "note", "other")
    shown = [terminal_cli(*line) for line in words]

    for line, one in zip(words, shown, strict=True):
        names = [id_of("note"), id_of("other")] if "note" in line else [id_of("stays")]
        assert any(name in one for name in names), (line, one)
        assert not re.search(r"gitmem [^\n]*\b(stays|note|other)\b", one), (line, one)
    for one in piped:
        assert re.search(r"\b(stays|note|other)\b", one.out), one


@pytest.fixture
def chained(stocked: None, repo: Path, run_cli) -> None:
    """A fact that failed, a fact that rests on it and still holds, and a memory that rests on that one."""
    fill(repo.parent, "chained", lambda: chain(repo, run_cli))


def chain(repo: Path, run_cli) -> None:
    put(
        repo,
        make_fact("stays", {"exists": "README.md"}),
        make_fact("near", {"exists": "pyproject.toml"}, title="The project has a name", requires=["stays"]),
        make_memory("far", "Build it by its name", requires=["near"]),
    )
    run_cli("verify")
    git(repo, "rm", "-q", "README.md")
    commit_files(repo, {})
    run_cli("verify")


@pytest.mark.usefixtures("chained")
@each(
    "line",
    [
        "why far",
        "check --base HEAD~1",
        "check --base HEAD~1 --each",
        "verify",
        "status",
        "status --each",
        "show far",
        "settle far",
    ],
)
def test_reason_of_a_suspect_names_titles_and_short_ids_to_people_and_keys_to_programs(
    line: str, run_cli, terminal_cli
) -> None:
    chain = f"rests on The project has a name ({id_of('near')}) → Fact stays ({id_of('stays')})"

    shown, piped = terminal_cli(*line.split()), run_cli(*line.split())

    assert chain in " ".join(re.sub("\x1b\\[[0-9;]*m", "", shown).split())
    assert "rests on near → stays" in piped.out


@pytest.mark.usefixtures("chained")
def test_why_of_a_suspect_that_holds_names_the_command_that_explains_it(run_cli, terminal_cli) -> None:
    shown, piped = terminal_cli("why", "near"), run_cli("why", "near", "--json")

    assert shown.lstrip("\x1b[0123456789;m").startswith("?")
    assert f"gitmem why {id_of('stays')}" in shown
    assert (json.loads(piped.out)["chain"], piped.status) == (["stays"], 0)


@pytest.mark.usefixtures("chained")
def test_verify_counts_the_suspects_that_it_lists(run_cli) -> None:
    done = run_cli("verify", "--all")

    found = json.loads(run_cli("verify", "--all", "--json").out)
    listed = sum(line.startswith("? ") for line in done.out.splitlines())
    assert listed == len(found["suspect"]) == found["statuses"]["suspect"] == 2
    assert ", 2 suspect" in done.out


@pytest.mark.usefixtures("chained")
def test_documents_of_review_and_adopt_have_short_ids(run_cli, repo: Path) -> None:
    commit_files(repo, {"AGENTS.md": "`src/auth/jwt.py` signs with `RS256`.\n"})

    review = json.loads(run_cli("review", "memory~2..memory", "--json").out)
    adopted = json.loads(run_cli("adopt", "--apply", "--json").out)["applied"]["added"]

    named = [one for part in ("statuses", "changes", "proofs") for one in review[part]]
    assert named and all(one["short_id"] == id_of(one["key"]) for one in named)
    assert adopted and all(one["short_id"] == id_of(one["key"]) for one in adopted)
