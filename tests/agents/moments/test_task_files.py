"""The lines that tasks run in the files of task runners."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
from support.each import each

from gitmem.agents.moments.recipes import with_recipes

TASKFILE = """\
version: '3'
tasks:
  lint: golangci-lint run
  all:
    - task: gen
    - "{{.BIN}} run x"
  gen: &gen
    deps: [fmt, {task: lint, vars: {A: 1}}]
    cmds: [go generate, "echo {{.A}}"]
    preconditions:
      - sh: test -f x
  docs:
    desc: "Build: all"
    deps: [diagrams]
    cmds:
      - hugo --minify
      - cmd: cp -r public out
        silent: true
      - task: "lint"
      - |
        for one in a b; do
          d2 $one
        done
  diagrams:
    deps:
      - lint
    env:
      A: x
    cmds: [d2 flow.d2]
"""
RAKEFILE = """\
namespace :docs do
  desc 'Publish'
  task :publish, [:to] => [:build] do |t, args|
    sh 'rclone', 'sync', 'site/'
  end
  task build: :clean do
    sh "mkdocs build"
  end
end
task(:clean) do
  `git clean -fd`
end
task default: ['docs:build']
"""
MIX = """\
  defp aliases do
    [
      docs: ["docs", &js/1],
      ci: [
        "dialyzer",
        "cmd npm run lint"
      ],
      "assets.watch": "esbuild x --watch"
    ]
  end
"""
NOX = """\
@nox.session(name="e2e", python="3.12")
def end_to_end(session):
    session.run(
        "docker", "compose", "up",
        external=True, env={"A": "1"},
    )
    session.run("pytest", str(path("x")))

def helper(session):
    session.run("rm")

@nox.session
def lint(session):
    session.run("ruff", "check")
"""
PYPROJECT = """\
[tool.pdm.scripts]
shots = {shell = "xvfb-run shots"}
all = {composite = ["shots", "pytest"]}
[tool.poe.tasks]
a = [{cmd = "alembic upgrade head"}, "b"]
b.sequence = ["c", {cmd = "mypy ."}]
c = "coverage run"
[tool.hatch.envs.docs.scripts]
ship = ["build", "aws s3 sync site s3://x"]
build = "mkdocs build"
"""
MISE = '[tasks]\nfmt = "gofmt -w ."\n[tasks."db:up"]\ndepends = ["fmt"]\nrun = """\nset -e\ngoose up\n"""\n'
FILES = {
    "composer.json": '{"scripts": {"a": ["@php bin/fix", "@composer install", "@b"], "b": "phpunit",'
    ' "post-install-cmd": "@php artisan x"}}',
    "deno.jsonc": '{\n// all\n"tasks": {"a": {"command": "vite", "dependencies": ["b"]}, "b": "deno lint"}}',
    "Taskfile.yml": TASKFILE,
    "Rakefile": RAKEFILE,
    "mix.exs": MIX,
    "noxfile.py": NOX,
    "pyproject.toml": PYPROJECT,
    "mise.toml": MISE,
    "mise-tasks/lint/_default": "#!/bin/bash\nshellcheck x\n",
    ".cargo/config.toml": '[alias]\ncov = ["llvm-cov", "--lcov"]\nx = "run -p xtask --"\n',
    "tox.ini": "[testenv]\ncommands = pytest\n"
    "[testenv:cov]\ncommands =\n    coverage \\\n      report\n"
    "[testenv:docs]\ndeps = a\ncommands =\n    -sphinx-build a b\n",
    ".pre-commit-config.yaml": "repos:\n- repo: local\n  hooks:\n  - id: types\n    entry: pnpm typecheck\n"
    "  - id: fmt\n    entry: 'gofmt -l .'\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tasks")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@each(
    ("line", "runs"),
    [
        ("composer a", ["bin/fix", "composer install", "artisan x", "composer run-script b", "phpunit"]),
        ("composer run-script b", ["phpunit"]),
        ("deno task a", ["deno task b", "deno lint", "vite"]),
        (
            "task docs -- x",
            [
                *("task diagrams", "task lint", "golangci-lint run", "d2 flow.d2", "hugo --minify", "cp -r public out"),
                *("for one in a b; do", "d2 $one", "done"),
            ],
        ),
        ("task all", [
            *("task gen", "task fmt", "task lint", "golangci-lint run", "go generate", "echo {{.A}}", "{{.BIN}} run x"),
        ]),
        ("bundle exec rake docs:publish[x]", [
            *("rake docs:build", "rake docs:clean", "rake clean", "git clean -fd", "mkdocs build", "rake build"),
            "rclone sync site/",
        ]),
        ("rake", ["rake docs:build", "rake docs:clean", "rake clean", "git clean -fd", "mkdocs build"]),
        ("mix ci", ["mix dialyzer", "npm run lint"]),
        ("MIX_ENV=dev mix assets.watch", ["mix esbuild x --watch"]),
        ("nox -s e2e", ["docker compose up", "pytest x"]),
        ("nox -s lint-3.12", ["ruff check"]),
        ("inv lint", []),
        ("pdm run all", ["pdm run shots", "xvfb-run shots", "pytest"]),
        ("uv run poe a", ["alembic upgrade head", "poe b", "poe c", "coverage run", "mypy ."]),
        ("hatch run docs:ship", ["hatch run docs:build", "mkdocs build", "aws s3 sync site s3://x"]),
        ("mise run db:up", ["mise run fmt", "gofmt -w .", "set -e", "goose up"]),
        ("mise lint", ["shellcheck x"]),
        ("cargo cov", ["cargo llvm-cov --lcov"]),
        ("cargo build", []),
        ("tox -e docs", ["sphinx-build a b"]),
        ("uvx tox -e cov,docs", ["coverage report", "sphinx-build a b"]),
        ("tox -e py312", ["pytest"]),
        ("pre-commit run types", ["pnpm typecheck"]),
        ("pre-commit run --from-ref main", []),
        ("rake -T; task --list; mise tasks; nox --list; composer show", []),
    ],
)  # fmt: skip
def test_a_task_runs_what_its_file_says(folder: Path, line: str, runs: list[str]) -> None:
    assert with_recipes(str(folder), line).split("\n")[1:] == runs


@each(
    ("line", "file", "text"),
    [
        ("mise run a", "mise.toml", "[tasks.a"),
        ("mise run a", "mise.toml", "a = " + "[" * 60_000),
        ("composer a", "composer.json", '{"scripts": ["a"]}'),
        ("deno task a", "deno.json", "[" * 60_000),
        ("task a", "Taskfile.yml", "tasks:\n  a:\n    cmds:\n" + "      - task: a\n" * 3000),
        ("mix a", "mix.exs", "aliases do\n a: [" + '"' * 60_000),
        ("nox -s a", "noxfile.py", "@nox.session\ndef a(session):\n" + "    session.run(" * 4000),
        ("rake a", "Rakefile", "namespace :x do\n" * 4000),
        ("hatch run a", "pyproject.toml", '[tool.hatch.envs.default.scripts]\na = [" ", "", "b"]'),
        ("poe a", "pyproject.toml", "[tool.poe.tasks]\na = " + "9" * 60_000),
        ("poe a", "pyproject.toml", "[tool.poe.tasks]\na" + ".cmd" * 15_000 + ' = "x"'),
        ("poe a", "pyproject.toml", "[tool.poe.tasks]\na" + ".cmd" * 190 + " = " + "{cmd" + ".cmd" * 5 + ' = "x"}'),
    ],
)
def test_files_that_are_broken_or_long_leave_a_line_short(tmp_path: Path, line: str, file: str, text: str) -> None:
    (tmp_path / file).write_text(text)

    assert len(with_recipes(str(tmp_path), line)) < 5000


def test_a_key_of_very_many_parts_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.poe.tasks]\na" + ".b" * 15_000 + ' = "x"')

    tracemalloc.start()
    with_recipes(str(tmp_path), "poe a")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert most < 4_000_000


def test_a_program_without_such_a_task_costs_no_import(tmp_path: Path) -> None:
    (tmp_path / ".cargo").mkdir()
    (tmp_path / ".cargo" / "config.toml").write_text("[build]\njobs = 2\n")
    code = (
        "import sys; from gitmem.agents.moments.recipes import with_recipes\n"
        "for line in ('cargo test', 'task build', 'tox'): with_recipes(sys.argv[1], line)\n"
        "print('gitmem.agents.moments.task_files' in sys.modules)"
    )

    printed = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    ).stdout

    assert printed == "False\n"
