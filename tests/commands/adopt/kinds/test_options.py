"""Options: which statements name them, and where programs define them."""

from conftest import commit_files
from support.each import each

from gitmem.commands.adopt.documents import Document
from gitmem.commands.adopt.kinds.options import line_of_option, option_claims
from gitmem.commands.adopt.run import adopt
from gitmem.commands.adopt.statements import split
from gitmem.git import Git
from gitmem.git.repository import discover

DOCUMENT = Document("AGENTS.md", "instructions", "")


@each(
    ("text", "names"),
    [
        ("- Pass `--dry-run` to preview, `-q, --quiet` or `--level=3`", ["dry-run", "quiet", "level"]),
        ("| Option | Does |\n|---|---|\n| --keep | keeps |", ["keep"]),
        ("Run `git push --force`; `--help` and `--version` are common", []),
        ("```sh\ntool --dry-run\n```", []),
    ],
)
def test_options_that_are_named_alone_are_claims(text, names):
    found = [claim.name for statement in split(text) for claim in option_claims(statement, DOCUMENT)]

    assert found == names


@each(
    ("path", "text"),
    [
        ("a.py", 'p.add_argument(\n    "-n",\n    "--dry-run",\n    help="x"\n)'),
        ("a.py", '@click.option("--dry-run/--no-dry-run")'),
        ("a.py", "def main(dry_run: Annotated[bool, typer.Option(help='x')] = False): ..."),
        ("a.py", "def main(dry_run: bool = typer.Option(False)): ..."),
        ("a.py", 'if "--dry-run" in sys.argv: ...'),
        ("a.ts", "program.option('-n, --dry-run <how>', 'preview')"),
        ("a.ts", "if (args.includes('--dry-run')) {}"),
        ("a.ts", "parseArgs({ options: { 'dry-run': { type: 'boolean' } } })"),
        ("a.ts", "defineCommand({ args: { dryRun: { type: 'boolean' } } })"),
        ("a.ts", "yargs.option('dry-run', { type: 'boolean' })"),
        ("a.go", 'cmd.Flags().BoolVarP(&opts.dry, "dry-run", "n", false, "preview")'),
        ("a.go", 'flag.Bool("dry-run", false, "preview")'),
        ("a.go", '&cli.BoolFlag{\n\tName: "dry-run",\n}'),
        ("a.rs", "#[arg(short, long)]\n/// Preview.\npub dry_run: bool,"),
        ("a.rs", '#[arg(long = "dry-run")]\npub preview: bool,'),
        ("a.rs", 'Arg::new("dry").long("dry-run")'),
        ("a.sh", "case $1 in\n  -n|--dry-run) dry=1;;\nesac"),
        ("a.cs", 'new Option<bool>("--dry-run")'),
        ("A.java", '@Option(names = {"-n", "--dry-run"})'),
        ("a.rb", 'opts.on("-n", "--[no-]dry-run") {}'),
    ],
)
def test_definition_is_found(path, text):
    assert line_of_option(path, text, "dry-run") > 0


@each(
    ("path", "text"),
    [
        ("a.py", 'subprocess.run(["git", "push", "--dry-run"])'),
        ("a.py", 'p.add_argument("--dry-run-all")'),
        ("a.py", 'p.add_argument("--preview", help="like --dry-run")'),
        ("a.sh", "git push --dry-run"),
        ("a.ts", "exec('npm publish --dry-run')"),
    ],
)
def test_option_that_is_passed_to_another_program_is_not_defined(path, text):
    assert line_of_option(path, text, "dry-run") == 0


def test_option_that_a_script_never_had_is_found_in_the_script_and_not_in_others(repo):
    script = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--fast')\n"
    text = "```sh\npython tools/train.py --fast --save-results\npython tools/plain.py --any\n```\n"
    files = {"tools/train.py": script, "tools/plain.py": "import sys\n", "src/other.py": "x = 1\n"}
    commit_files(repo, {"AGENTS.md": text, **files})
    handle = Git(discover(repo))

    adoption = adopt(handle, handle.resolve("HEAD"), kinds={"option"})

    assert [(one.verdict, one.claim.token) for one in adoption.findings] == [
        ("holds", "--fast"),
        ("never-held", "--save-results"),
    ]
