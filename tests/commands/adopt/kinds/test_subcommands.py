"""Subcommands: which commands name them, and where parsers define them."""

from conftest import commit_files
from support.each import each

from gitmem.commands.adopt.documents import Document
from gitmem.commands.adopt.findings import HOLDS, NEVER
from gitmem.commands.adopt.kinds.subcommands import subcommand_claims, subcommands_in
from gitmem.commands.adopt.run import adopt
from gitmem.commands.adopt.statements import split
from gitmem.git import Git
from gitmem.git.repository import discover


@each(
    ("text", "tokens"),
    [
        ("```sh\n$ tool sync --all\nuv run tool show\ntool --quiet run\n./tool x1\n```", [
            "tool sync", "tool show", "./tool x1",
        ]),
        ("- `npx tool sync` and `python -m tool show`, `tool`, the tool syncs", ["tool sync", "python -m tool show"]),
        ("- `php artisan app:sync --all`, `sail artisan a:b-c`, `bin/console app:x`", [
            "php artisan app:sync", "sail artisan a:b-c", "bin/console app:x",
        ]),
    ],
)  # fmt: skip
def test_commands_of_two_words_are_claims(text, tokens):
    found = [one for statement in split(text) for one in subcommand_claims(statement, Document("x.md", "guide", ""))]

    assert [one.token for one in found] == tokens


@each(
    ("path", "text"),
    [
        ("a.py", 'sub.add_parser("make-it", help="x")'),
        ("a.py", '@cli.command(name="make-it")\ndef other(): ...'),
        ("a.py", "@cli.command()\n@click.option('--x')\ndef make_it(x): ..."),
        ("a.py", "@app.command(\n    help='x',\n)\nasync def make_it(): ..."),
        ("a.py", 'app.add_typer(other, name="make-it")'),
        ("a.ts", "program.command('make-it <what>')"),
        ("a.ts", 'export default { command: "make-it" }'),
        ("a.go", '&cobra.Command{\n\tUse:   "make-it [name]",\n\tAliases: []string{"mk"},\n}'),
        (
            "a.rs",
            "#[derive(Debug, Subcommand)]\nenum Commands {\n    /// Do.\n    Other { x: u8 },\n    MakeIt(Args),\n}",
        ),
        ("a.rs", 'Command::new("make-it")'),
        ("a.php", "protected $signature = 'make-it\n    {--all}';"),
        ("a.php", "#[AsCommand(name: 'make-it', description: 'x')]"),
        ("a.php", "Artisan::command('make-it', fn () => 1);"),
    ],
)
def test_definition_is_found(path, text):
    assert "make-it" in subcommands_in(path, text)


def test_command_of_a_framework_is_judged_only_in_a_space_of_names_of_the_project(repo):
    text = "- `php artisan app:sync`, `php artisan app:none`, `php artisan make:none`, `php artisan other:none`\n"
    code = {
        "app/Sync.php": "<?php\nprotected $signature = 'app:sync';\n",
        "app/Make.php": "<?php\n$signature = 'make:x';\n",
    }
    commit_files(repo, {"AGENTS.md": text, **code})
    handle = Git(discover(repo))
    adoption = adopt(handle, handle.resolve("HEAD"), kinds={"subcommand"})

    assert [(one.claim.name, one.verdict) for one in adoption.findings] == [("app:sync", HOLDS), ("app:none", NEVER)]


def test_decorator_of_many_lines_without_a_function_does_not_take_for_ever():
    text = "@app.command(\n" + "    help=1,\n\n" * 60 + "x = 1\n"

    assert dict(subcommands_in("cli.py", text)) == {}
