"""Scripts of the package that a document is about, and those of others."""

import json

import pytest
from conftest import commit_files

from gitmem.commands.adopt.findings import FALSE, HOLDS, NEVER
from gitmem.commands.adopt.formats import unfounded
from gitmem.commands.adopt.run import adopt
from gitmem.git import Git
from gitmem.git.repository import discover


def package(**scripts):
    return json.dumps({"scripts": scripts}, indent=2)


@pytest.mark.parametrize(
    ("document", "command", "file", "is_proof"),
    [
        ("packages/kit/README.md", "npm run dev", "packages/web/package.json", False),
        ("packages/kit/docs/a/README.md", "npm run dev", "packages/web/package.json", False),
        ("packages/kit/README.md", "npm run dev", "packages/kit/package.json", True),
        ("packages/kit/README.md", "npm run dev", "packages/kit/demo/package.json", True),
        ("packages/kit/README.md", "npm run dev", "package.json", True),
        ("packages/kit/README.md", "cd packages/web && npm run dev", "packages/web/package.json", True),
        ("README.md", "npm run dev", "packages/web/package.json", True),
        ("docs/README.md", "npm run dev", "packages/web/package.json", True),
    ],
)
def test_script_of_another_package_neither_proves_nor_accuses(repo, document, command, file, is_proof):
    others = {"packages/kit/package.json": package(), "packages/web/package.json": package()}
    commit_files(repo, {**others, document: f"- `{command}` starts it\n", file: package(dev="vite")})
    handle = Git(discover(repo))

    (held,) = adopt(handle, handle.resolve("HEAD"), kinds={"command"}).of(HOLDS)
    commit_files(repo, {file: package(start="vite")})
    false = adopt(handle, handle.resolve("HEAD"), kinds={"command"}).of(FALSE)

    assert (held.source.path, held.check is not None, bool(false)) == (file, is_proof, is_proof)


def test_script_of_the_own_package_comes_first(repo):
    both = dict.fromkeys(("package.json", "a/package.json", "packages/kit/package.json"), package(dev="vite"))
    commit_files(repo, {**both, "packages/kit/README.md": "- `npm run dev` starts it\n"})
    handle = Git(discover(repo))

    (held,) = adopt(handle, handle.resolve("HEAD"), kinds={"command"}).of(HOLDS)

    assert held.source.path == "packages/kit/package.json"


def test_each_environment_in_a_list_is_a_target(repo):
    sentences = "```bash\ntox run -e lint,docs,py312\npio run -e esp01 -e esp32dev\n```\n"
    tox, board = "[testenv:lint]\n[testenv:docs]\n", "[platformio]\n[env:esp01]\n[env:esp32dev]\n"
    commit_files(repo, {"AGENTS.md": sentences, "tox.ini": tox, "platformio.ini": board})
    commit_files(repo, {"tox.ini": tox.replace("docs", "site"), "platformio.ini": board.replace("32dev", "32_dev")})
    handle = Git(discover(repo))
    adoption = adopt(handle, handle.resolve("HEAD"), kinds={"command"})

    assert [one.claim.token for one in adoption.of(FALSE)] == ["tox docs", "pio esp32dev"]
    assert [one.claim.token for one in adoption.of(HOLDS)] == ["tox lint", "pio esp01"]


def test_target_is_not_false_while_its_file_cannot_be_read(repo):
    commit_files(repo, {"AGENTS.md": "- `pixi run lint`, `pixi run gone`\n", "pixi.toml": '[tasks]\nlint = "x"\n'})
    # Since TOML 1.1, an inline table may have several lines.
    commit_files(repo, {"pixi.toml": '[tasks]\nlint = {\n  cmd = "x",\n}\n'})
    handle = Git(discover(repo))

    findings = adopt(handle, handle.resolve("HEAD"), kinds={"command"}).findings

    assert findings == []


def test_task_of_an_included_file_or_folder_is_defined(repo):
    sentences = (
        "```bash\nmise run test:e2e\nmise run b\nmise run lint\nmise run other\ntask docs:sync\ntask docs:other\n```\n"
    )
    includes = '[task_config]\nincludes = ["tasks.toml", "extra"{}]\n'
    files = {"mise.toml": includes.format(""), "tasks.toml": '[build]\nalias = "b"\n', "extra/test/e2e": "x\n"}
    task = {"Taskfile.yml": "includes:\n  docs: parts/docs.yml\n", "parts/docs.yml": "tasks:\n  sync:\n    cmds: [x]\n"}
    commit_files(
        repo, {"AGENTS.md": sentences, **files, **task, "extra/lint.sh": "x\n", "tools/mise.toml": "[tasks]\n"}
    )
    handle = Git(discover(repo))
    adoption = adopt(handle, handle.resolve("HEAD"), kinds={"command"})

    assert [one.source.where for one in adoption.of(HOLDS)] == [
        "extra/test/e2e", "tasks.toml:2", "extra/lint.sh", "parts/docs.yml:2"
    ]  # fmt: skip
    assert [one.claim.name for one in adoption.of(NEVER)] == ["other", "docs:other"]

    # What is of another repository may define any task.
    commit_files(repo, {"mise.toml": includes.format(', "git::https://forge.example/tasks"')})
    adoption = adopt(handle, handle.resolve("HEAD"), kinds={"command"})
    assert [one.claim.name for one in adoption.of(NEVER)] == ["docs:other"]


def test_target_that_a_template_makes_is_not_missing(repo):
    make = "define APP\ntest_$(1): $(1)\n\techo\nendef\n$(eval $(call APP,web))\n"
    commit_files(repo, {"AGENTS.md": "- Run `make test_web`, `make lint`\n", "Makefile": make})
    handle = Git(discover(repo))
    adoption = adopt(handle, handle.resolve("HEAD"), kinds={"command"})

    assert [(one.claim.name, one.verdict) for one in adoption.findings] == [("lint", NEVER)]


def test_script_that_was_removed_before_its_line_was_written_has_the_commit_that_removed_it(repo):
    commit_files(repo, {"package.json": package(play="tsx play.ts")})
    commit_files(repo, {"package.json": package(dev="tsx play.ts")})
    commit_files(repo, {"CONTRIBUTING.md": "- `npm run play` starts it\n- `npm run plays` starts it\n"})
    handle = Git(discover(repo))

    gone, never = adopt(handle, handle.resolve("HEAD"), kinds={"command"}).of(NEVER)

    assert (gone.culprit and gone.culprit.commit, never.culprit) == (handle.resolve("HEAD~1"), None)
    assert unfounded([gone]) == "CONTRIBUTING.md:1  `npm run play` was defined only before the line was written"
    assert unfounded([never]) == "CONTRIBUTING.md:2  `npm run plays` was never defined"
