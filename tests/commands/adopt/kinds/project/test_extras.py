"""Extras, groups and features that commands name."""

from __future__ import annotations

from conftest import commit_files
from support.each import each

from gitmem.commands.adopt.documents import Document
from gitmem.commands.adopt.findings import HOLDS, NEVER
from gitmem.commands.adopt.kinds.project.extras import extra_claims
from gitmem.commands.adopt.run import adopt
from gitmem.commands.adopt.statements import split
from gitmem.git import Git
from gitmem.git.repository import discover


@each(
    ("text", "tokens"),
    [
        ("`pip install -e '.[test,docs]'`, `python -m pip install .[dev]`", ["extra test", "extra docs", "extra dev"]),
        (
            "`uv sync --extra gpu --group=lint`, `uv run --only-group docs mkdocs`",
            ["extra gpu", "group lint", "group docs"],
        ),
        (
            "`poetry install --with dev,docs -E s3`, `pdm install -G test`",
            ["extra s3", "group dev", "group docs", "part test"],
        ),
        ("`cargo test -p app --features tls,app/json`", ["feature tls", "feature json"]),
        ("`pip install 'python/[test]'`, `pip install ../kit[gpu]`", ["extra test", "extra gpu"]),
        ("`pip install requests[socks]`, `uv add httpx --extra http2`, `cargo add serde --features derive`", []),
        ("`uv sync --extra <name>`, `uv sync --extra your-extra`", []),
    ],
)
def test_command_names_optional_parts_of_the_own_package(text: str, tokens: list[str]) -> None:
    root = Document("AGENTS.md", "instructions", "")

    assert [one.token for statement in split(f"- {text}\n") for one in extra_claims(statement, root)] == tokens


def test_optional_part_is_looked_for_in_the_manifests(repo):
    said = "`pip install .[Dev_Tools]`, `pip install .[gpu]`, `uv sync --group lint`, `uv sync --group docs`"
    rust = "`cargo build --features tls`, `cargo build --features json`, `cargo build --features none`"
    python = '[project.optional-dependencies]\ndev-tools = ["x"]\n[dependency-groups]\nlint = ["y"]\n'
    cargo = '[features]\ntls = []\n[dependencies]\njson = { version = "1", optional = true }\n'
    commit_files(repo, {"AGENTS.md": f"- {said}\n- {rust}\n", "pyproject.toml": python, "core/Cargo.toml": cargo})
    handle = Git(discover(repo))

    adoption = adopt(handle, handle.resolve("HEAD"), kinds={"extra"})

    assert [one.source.where for one in adoption.of(HOLDS)] == [
        "pyproject.toml:2",
        "pyproject.toml:4",
        "core/Cargo.toml:2",
        "core/Cargo.toml:4",
    ]
    assert [one.claim.token for one in adoption.of(NEVER)] == ["extra gpu", "group docs", "feature none"]
    assert adoption.of(HOLDS)[1].check == {"contains": "lint = [", "in": "pyproject.toml"}


def test_extra_that_code_defines_or_no_manifest_can_is_not_judged(repo):
    code = {"setup.py": 'setup(extras_require={"test": ["x"]})\n'}
    commit_files(repo, {"AGENTS.md": "- `pip install .[test]`, `cargo build --features none`\n", **code})
    handle = Git(discover(repo))

    assert adopt(handle, handle.resolve("HEAD"), kinds={"extra"}).findings == []


def test_group_without_a_line_of_its_own_is_proven_by_its_table(repo):
    code = {"pyproject.toml": '[project]\nname = "app"\n[tool.poetry.group.ci.dependencies]\ntox = "*"\n'}
    commit_files(repo, {"AGENTS.md": "- `poetry install --with ci`, `pip install ./vendor/tool[gpu]`\n", **code})
    handle = Git(discover(repo))

    (found,) = adopt(handle, handle.resolve("HEAD"), kinds={"extra"}).findings
    assert found.check == {"contains": "[tool.poetry.group.ci.dependencies]", "in": "pyproject.toml"}
