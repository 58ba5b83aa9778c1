"""The table of commands is whole: every module of a command is in it, and the overview shows all of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from support.each import each

from gitmem import cli
from gitmem.cli.commands import COMMANDS, FIRST_WEEK, GROUPS, HIDDEN, all_commands, load_command, verbs_of

FOLDER = Path(cli.__file__).parent
# Modules of the room that are no commands.
SHARED = {
    "",
    "plugins",
    "curate rows",
    "retry",
    "arguments",
    "bug",
    "causes",
    "changes",
    "commands",
    "curate shared",
    "columns",
    "command_memory",
    "editor",
    "names",
    "client_hook",
    "elsewhere",
    "hits",
    "input",
    "live",
    "manual",
    "memory_rows",
    "options",
    "fenced",
    "filters",
    "hub options",
    "output",
    "pager",
    "paths",
    "parser",
    "pending_decisions",
    "proof",
    "reports",
    "table",
    "task printing",
    "terminal",
    "topics",
}


def test_every_module_of_a_command_is_in_the_table_and_nothing_else() -> None:
    paths = [path.relative_to(FOLDER).with_suffix("") for path in FOLDER.rglob("*.py")]
    names = {" ".join(part for part in path.parts if part != "__init__") for path in paths}

    typed = {"import_": "import"} | {name: name.replace("_", "-") for name in names if not name.endswith("_")}
    # The screens of `browse` are no verbs of it.
    shared = SHARED | {name for name in names if name.startswith("browse ")}
    assert {typed[name] for name in names - shared} == {*COMMANDS, *HIDDEN}


def test_synonyms_and_lists_of_commands_name_commands() -> None:
    named = {*cli.SYNONYMS.values(), *cli.PAGED, *FIRST_WEEK}

    assert named - {*all_commands()} == set()
    assert set(cli.SYNONYMS) & set(COMMANDS) == set()
    assert len(FIRST_WEEK) == 12


def test_help_of_a_noun_shows_its_verbs(run_cli) -> None:
    shown = run_cli("help", "task").out

    assert [verb for verb, about in verbs_of("task").items() if f"  {verb:<7}  {about}\n" not in shown] == []
    assert len(verbs_of("task")) == 8


@each(
    ("words", "message", "hint"),
    [
        (("task", "lst"), "gitmem task: unknown verb: lst", "did you mean: gitmem task list"),
        (("task", "zzz"), "gitmem task: unknown verb: zzz", "one of add, claim,"),
        (("task", "--zzz"), "unknown option: --zzz", "gitmem task --help"),
    ],
)
def test_unknown_verb_is_reported(run_cli, words: tuple[str, ...], message: str, hint: str) -> None:
    done = run_cli(*words)

    assert (done.status, done.out) == (2, "")
    assert message in done.err
    assert hint in done.err


def test_every_command_is_in_a_group_that_has_a_heading() -> None:
    assert {group for group, _ in COMMANDS.values()} == set(GROUPS)


@each("name", COMMANDS)
def test_command_has_a_description_examples_arguments_and_a_run(name: str) -> None:
    module = load_command(name)

    assert module.__doc__
    assert all(f"gitmem {name}" in line for line in module.EXAMPLES)
    assert callable(module.add_arguments)
    assert callable(module.run)


def test_only_the_module_of_the_command_that_was_typed_is_loaded() -> None:
    code = (
        "import sys; from gitmem import cli; cli.main(['index', '--help']);"
        "print(sorted(m for m in sys.modules if m.startswith('gitmem.cli.')))"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    loaded = done.stdout.strip().split("\n")[-1]
    names = {name for name in COMMANDS if f"'gitmem.cli.{name}'" in loaded}
    assert names == {"index"}
