"""Commands and jobs of CI that a sentence names."""

from conftest import commit_files
from support.each import each

from gitmem.commands.adopt.documents import Document
from gitmem.commands.adopt.findings import HOLDS, NEVER
from gitmem.commands.adopt.kinds.project.pipelines import RUN, job_claims, run_claims
from gitmem.commands.adopt.run import adopt
from gitmem.commands.adopt.statements import split
from gitmem.git import Git
from gitmem.git.repository import discover

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


@each(
    ("runs", "verdict"),
    [
        ("make lint-all", NEVER),
        ("make other-${{ matrix.target }}", NEVER),
        ("make lint", HOLDS),
        ("make -j2 docs lint", None),
        ("make ${{ matrix.target }}", None),
    ],
)
def test_command_is_run_by_ci_or_never_was_unless_a_pipeline_may_run_it(repo, runs, verdict):
    workflow = f"jobs:\n  a:\n    steps:\n      - run: {runs}\n"
    commit_files(repo, {".github/workflows/ci.yml": workflow, "AGENTS.md": "- CI runs `make lint`.\n"})
    handle = Git(discover(repo))

    found = adopt(handle, handle.resolve("HEAD"), kinds={RUN}).findings

    assert [one.verdict for one in found] == ([verdict] if verdict else [])


def test_command_is_not_judged_where_no_pipeline_is(repo):
    commit_files(repo, {"AGENTS.md": "- CI runs `make lint`.\n"})
    handle = Git(discover(repo))

    assert adopt(handle, handle.resolve("HEAD"), kinds={RUN}).findings == []


def test_target_that_another_one_needs_may_be_run_by_ci(repo):
    commit_files(repo, {"Makefile": ".PHONY: lint\nlint:\n\techo\nall: test lint\n"})
    commit_files(repo, {".github/workflows/ci.yml": "jobs: {a: {steps: [{run: make all}]}}\n"})
    commit_files(repo, {"AGENTS.md": "- CI runs `make lint`.\n"})
    handle = Git(discover(repo))

    assert adopt(handle, handle.resolve("HEAD"), kinds={RUN}).findings == []
