"""Modules, targets and tests that commands run."""

import pytest
from conftest import commit_files
from support.each import each

from gitmem.commands.adopt.documents import Document
from gitmem.commands.adopt.findings import FALSE, HOLDS
from gitmem.commands.adopt.kinds.project.programs import PROGRAM, TEST, node_claims, program_claims
from gitmem.commands.adopt.run import adopt
from gitmem.commands.adopt.statements import split
from gitmem.git import Git
from gitmem.git.repository import discover

FILES = {
    "src/tool/venv.py": "x = 1\n",
    "src/app/cli.py": "x = 1\n",
    "crates/demo/Cargo.toml": '[package]\nname = "demo"\n\n[[example]]\nname = "2d"\npath = "2d.rs"\n',
    "Makefile": "fuzz:\n\tgo test -run TestFuzzAll ./...\n",
    "pkg/fuzz_test.go": "package pkg\n\nfunc TestFuzzAll(t *testing.T) {\n}\n",
    "t/StoreLoadTest.kt": "package a.b\n\nclass StoreLoadTest {\n}\n",
}
ROOT = Document("AGENTS.md", "instructions", "")


def found(find, text):
    return [claim for statement in split(text) for claim in find(statement, ROOT)]


@each(
    ("text", "places"),
    [
        ("- `python3 -m a.b --x`", ["a/b.py", "a/b/__main__.py", "a/b/__init__.py"]),
        ("- `uv run python -m tool`", ["tool/__main__.py", "tool.py"]),
        ("- `uvicorn a.b:app --reload`", ["a/b.py", "a/b/__main__.py", "a/b/__init__.py"]),
        ("- `cargo test --test smoke`", ["tests/smoke.rs", "tests/smoke/main.rs"]),
        ("- `python -m <module>`, `python a.py`, `cargo test smoke`", []),
    ],
)
def test_program_is_found_with_the_files_that_it_may_be(text, places):
    assert [place for one in found(program_claims, text) for place in one.places] == places


@each(
    ("text", "names"),
    [
        ("- `pytest tests/test_a.py::TestA::test_b[x-1] -v`", ["test_b"]),
        ("- `pytest tests/path/to/test_file.py::test_function_name`, `pytest tests/test_a.py`", []),
    ],
)
def test_test_is_found_by_its_node(text, names):
    assert [one.name for one in found(node_claims, text)] == names


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("- `python -m venv .venv`, `python -m build`", []),
        ("- `python -m app.cli`", ["src/app/cli.py"]),
        ("- `cargo run-wasm --example 2d`, `cargo test --test none`", ["crates/demo/Cargo.toml"]),
        ("- `go test ./... -run '^TestFuzzAll$'`", ["pkg/fuzz_test.go"]),
        ('- `./gradlew test --tests "a.b.StoreLoadTest"`', ["t/StoreLoadTest.kt"]),
        ('- `./gradlew test --tests "a.old.StoreLoadTest"`', []),
    ],
)
def test_program_and_test_hold_where_the_command_finds_them(repo, text, where):
    commit_files(repo, {**FILES, "AGENTS.md": f"{text}\n"})
    handle = Git(discover(repo))

    adoption = adopt(handle, handle.resolve("HEAD"), kinds={PROGRAM, TEST})

    assert [one.source.path for one in adoption.of(HOLDS)] == where


@pytest.mark.parametrize(("after", "count"), [('lock(name = "reqs")\n', 0), ('lock(name = "other")\n', 1)])
def test_target_that_a_macro_may_make_is_not_false(repo, after, count):
    rule = 'update(name = "reqs.update")\n'
    commit_files(repo, {"AGENTS.md": "- `bazel run //docs:reqs.update`\n", "docs/BUILD.bazel": rule})
    commit_files(repo, {"docs/BUILD.bazel": after})
    handle = Git(discover(repo))

    assert len(adopt(handle, handle.resolve("HEAD"), kinds={PROGRAM}).of(FALSE)) == count
