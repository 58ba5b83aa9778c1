"""Commands and jobs of CI that a sentence names."""

from support.each import each

from gitmem.commands.adopt.documents import Document
from gitmem.commands.adopt.kinds.project.pipelines import job_claims, run_claims
from gitmem.commands.adopt.statements import split

ROOT = Document("AGENTS.md", "instructions", "")


def found(find, text):
    return [claim for statement in split(text) for claim in find(statement, ROOT)]


@each(
    ("text", "commands"),
    [
        ("- CI runs `make lint` and `make test`", ["make lint", "make test"]),
        ("- `npm run check` is enforced by CI", ["npm run check"]),
        ("- GitHub Actions (`ci.yml`) runs `go test ./...`", []),
        ("- run `make lint` before CI", []),
    ],
)
def test_command_that_ci_runs_is_found(text, commands):
    assert [one.name for one in found(run_claims, text)] == commands


@each(
    ("text", "names"),
    [
        ("- The `lint` job of the workflow", ["lint"]),
        ("- In CI, the job `test-all` runs everything", ["test-all"]),
        ("- A `cleanup` job is queued for each upload", []),
    ],
)
def test_job_is_found_where_ci_is_the_subject(text, names):
    assert [one.name for one in found(job_claims, text)] == names
