"""Programs that documents say a script or target runs."""

import pytest
from conftest import commit_files
from support.each import each

from gitmem.commands.adopt.documents import Document
from gitmem.commands.adopt.findings import FALSE, HOLDS
from gitmem.commands.adopt.formats import sentence
from gitmem.commands.adopt.kinds.recipes import recipe_claims
from gitmem.commands.adopt.run import adopt
from gitmem.commands.adopt.statements import split
from gitmem.git import Git
from gitmem.git.repository import discover


@each(
    ("text", "tokens"),
    [
        ("- run `npm test` (tsc) after changes", ["npm test runs tsc"]),
        ("```sh\nmake lint  # ruff + mypy\n```", ["make lint runs ruff", "make lint runs mypy"]),
        (
            "| Command | Does |\n|---|---|\n| `make fix` | Run isort and ruff |",
            ["make fix runs isort", "make fix runs ruff"],
        ),
        ("- `npm test` passes; eslint is separate", []),
        ("- `npm test` and `npm run lint` (eslint)", []),
        ("```sh\nnpm run eslint  # eslint\n```", []),
    ],
)
def test_program_beside_one_command_is_what_it_runs(text, tokens):
    document = Document("AGENTS.md", "instructions", "")

    assert [one.token for part in split(text) for one in recipe_claims(part, document)] == tokens


def test_script_that_runs_another_program_now_is_false_unless_it_runs_other_scripts(repo):
    text = "- `npm test` (tsc)\n- `npm run all` (eslint)\n- `make lint` (ruff)\n"
    scripts = '{\n  "scripts": {\n    "test": "%s",\n    "all": "%s"\n  }\n}\n'
    make = {"Makefile": "lint:\n\truff check .\n"}
    commit_files(repo, {"AGENTS.md": text, "package.json": scripts % ("tsc --noEmit", "eslint ."), **make})
    culprit = commit_files(repo, {"package.json": scripts % ("vitest run", "npm run lint")}, "use vitest")
    handle = Git(discover(repo))

    adoption = adopt(handle, handle.resolve("HEAD"), kinds={"recipe"})

    (finding,) = adoption.of(FALSE)
    assert finding.culprit.commit == culprit
    assert sentence(finding) == 'says npm test runs tsc: package.json:3 says "test": "vitest run"'
    assert [one.claim.token for one in adoption.of(HOLDS)] == ["make lint runs ruff"]


@pytest.mark.parametrize(
    ("remark", "before", "after"),
    [
        ("tsx", "tsx src/server.ts", "nodemon"),
        ("jest", "jest", "react-scripts test"),
        ("isort", "isort . && ruff check", "ruff check --select I"),
        ("esbuild", "esbuild src/a", "vite build"),
    ],
)
def test_program_that_another_one_may_run_is_not_judged(repo, remark, before, after):
    script = '{\n  "scripts": {\n    "go": "%s"\n  }\n}\n'
    commit_files(repo, {"AGENTS.md": f"- `npm run go` ({remark})\n", "package.json": script % before})
    commit_files(repo, {"package.json": script % after})
    handle = Git(discover(repo))

    assert adopt(handle, handle.resolve("HEAD"), kinds={"recipe"}).of(FALSE) == []
