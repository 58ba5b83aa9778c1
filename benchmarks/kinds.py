"""Make claims of each kind false, one by one, in scratch repositories, and print what `gitmem adopt` makes of them.

    .venv/bin/python benchmarks/kinds.py

For each kind, how many of the claims that became false are alarms, and how many of their true siblings are.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from gitmem.commands.adopt.findings import FALSE
from gitmem.commands.adopt.run import adopt
from gitmem.git import Git
from gitmem.git.repository import discover

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TEST = "def test_a():\n    pass\n\n\ndef test_b():\n    pass\n\n\ndef test_c():\n    pass\n"
COMPOSE = "services:\n  db:\n    image: x\n  redis:\n    image: y\n"
CI = "on: push\njobs:\n  lint:\n    steps:\n      - run: make lint\n"
PARSER = (
    "import argparse, os\n\np = argparse.ArgumentParser()\np.add_argument('--dry-run')\np.add_argument('--keep')\n"
    "p.add_argument('-t', '--tries')\ntoken = os.environ.get('APP_TOKEN')\nlevel = os.environ['APP_LEVEL']\n"
    "home = os.getenv('APP_HOME')\n"
)
SIGNATURES = (
    "def load(path, strict=False): ...\n\n\ndef store(n, *, force=False): ...\n\n\ndef send(to, **more): ...\n\n\n"
    "class Store:\n    def save(\n        self,\n        path: str,\n        mode: str = 'w',\n    ) -> None: ...\n"
)
COMMANDS = (
    "import click\n\n\n@click.group()\ndef main(): ...\n\n\n@main.command('sync')\ndef sync_all(): ...\n\n\n"
    "@main.command()\n@click.option('--x')\ndef show(x): ...\n\n\n"
    "@main.command(\n    help='x',\n)\ndef make_it(): ...\n"
)
ROUTES = (
    'router = APIRouter(prefix="/users")\n\n\n@router.get("/{user}")\ndef a(): ...\n\n\n@router.post("")\n'
    'def b(): ...\n\n\n@router.delete("/{user}")\ndef c(): ...\n\n\n@app.get("/items/{item}")\ndef d(): ...\n'
)
MODULES = {f"src/app/infra/{name}.py": "x = 1\n" for name in ("a", "b", "c")}


def cargo(*names: str) -> dict[str, str]:
    """Return the manifests of some crates."""
    return {f"crates/{name}/Cargo.toml": f'[package]\nname = "{name}"\n' for name in names}


def package(name: str, scripts: Sequence[str] = (), dependencies: Sequence[str] = ()) -> str:
    """Return a package.json."""
    ran = ", ".join(f'"{one}": "x"' for one in scripts)
    listed = ", ".join(f'"{one}": "^1"' for one in dependencies)
    return f'{{\n  "name": "{name}",\n  "scripts": {{{ran}}},\n  "dependencies": {{{listed}}}\n}}\n'


# Of each kind: the document, the files, what changes (None: it is removed), the false tokens, and true siblings.
CASES = {
    "package of a cargo command": (
        "- Run `cargo test -p core` or `cargo run --package app`\n",
        cargo("core", "app"),
        {"crates/core/Cargo.toml": '[package]\nname = "kernel"\n'},
        ["core"],
    ),
    "package of a filter": (
        "- `pnpm --filter @x/web build`, `pnpm -F api build`, `turbo run build --filter=...ui^...`\n"
        "- `npm run build -w lib`\n",
        {f"packages/{name}/package.json": package(f"@x/{name}", ["build"]) for name in ("web", "api", "ui", "lib")},
        {"packages/web/package.json": package("@x/site", ["build"])},
        ["@x/web"],
    ),
    "package in a table": (
        "| Crate | Purpose |\n|---|---|\n| `core` | all |\n| `serde` | foreign |\n| `app` | more |\n",
        cargo("core", "app"),
        {"crates/core/Cargo.toml": None},
        ["core"],
    ),
    "module of Gradle": (
        "- `./gradlew :app:test :lib:core:build test`, `gradle :none:test`\n",
        {"settings.gradle.kts": 'include(":app", ":lib:core")\n', "gradlew": "#!/bin/sh\n"},
        {"settings.gradle.kts": 'include(":application", ":lib:core")\n'},
        [":app"],
    ),
    "target of Bazel": (
        "- `bazel test //pkg:unit //pkg/... //pkg:made`, `bazel build //pkg/sub`\n",
        {"pkg/BUILD": 'py_test(\n    name = "unit",\n)\n', "pkg/sub/BUILD.bazel": "x\n"},
        {"pkg/BUILD": 'py_test(\n    name = "units",\n)\n'},
        ["//pkg:unit"],
    ),
    "package of Go": (
        "- `go test ./pkg/a/...`, `go run ./cmd/b`, `go test ./...`\n",
        {"go.mod": "module x\n", "pkg/a/a.go": "package a\n", "cmd/b/main.go": "package main\n"},
        {"pkg/a/a.go": None},
        ["./pkg/a"],
    ),
    "compose service": (
        "```sh\ndocker compose up -d redis db\ndocker-compose exec db psql nothing\n```\n",
        {"docker-compose.yml": COMPOSE},
        {"docker-compose.yml": COMPOSE.replace("redis", "cache")},
        ["up redis"],
    ),
    "module": (
        "- `python -m app.cli`, `python -m pytest`, `uv run python -m app.other`\n",
        {"src/app/cli.py": "x = 1\n", "src/app/other/__main__.py": "x = 1\n"},
        {"src/app/cli.py": None},
        ["app.cli"],
    ),
    "test of a file": (
        "- `pytest tests/test_a.py::test_a` and `pytest tests/test_a.py::test_b`\n",
        {"tests/test_a.py": TEST},
        {"tests/test_a.py": TEST.replace("test_b", "test_x")},
        ["tests/test_a.py::test_b"],
    ),
    "test that an option selects": (
        "- `go test ./... -run TestLoadAll`, `go test -run '^TestKeep_One$'`, `go test -run TestYourName`\n"
        '- `gradle test --tests "org.app.StoreTest.loads_twice"`\n',
        {"a_test.go": "func TestLoadAll(t) {\n}\nfunc TestKeep_One(t) {\n}\n",
         "StoreTest.kt": "fun loads_twice() {\n}\n"},
        {"a_test.go": "func TestKeep_One(t) {\n}\n", "StoreTest.kt": "fun loads() {\n}\n"},
        ["-run TestLoadAll", '--tests "org.app.StoreTest.loads_twice"'],
    ),
    "count of tests": (
        "- `tests/test_a.py` has 3 tests, about 3 tests, 4 tests\n\nThe suite has 3 tests.\n",
        {"tests/test_a.py": TEST},
        {"tests/test_a.py": f"{TEST}\n\ndef test_d():\n    pass\n"},
        ["3 tests", "3 tests"],
    ),
    "count of modules": (
        "- `infra/` (3 modules), `infra/` (3+ modules)\n- four modules in `infra/`\n",
        MODULES,
        {"src/app/infra/d.py": "x = 1\n"},
        ["3 modules"],
    ),
    "count of commands": (
        "`src/cli.py` defines the app. All 3 commands are at the top level.\n",
        {"src/cli.py": "@app.command()\ndef a(): ...\n\n\n" * 3},
        {"src/cli.py": "@app.command()\ndef a(): ...\n\n\n" * 4},
        ["3 commands"],
    ),
    "used package": (
        "- Dates: uses moment\n- HTTP is done with `requests`\n- uses `axios`\n- uses `left-pad`\n- `chalk` colours\n",
        {
            "package.json": package("a", dependencies=["moment", "axios", "left-pad", "chalk"]),
            "requirements.txt": "requests\n",
            "a.js": "import x from 'axios'\n",
        },
        {"package.json": package("a"), "requirements.txt": "httpx\n"},
        ["moment", "requests", "left-pad"],
    ),
    "package that is not used": (
        "- There is no React here.\n- no Vue, no hooks\n- if there is no Express, stop\n- No JavaScript here.\n",
        {"package.json": package("a"), "a.ts": "x\n"},
        {"package.json": package("a", dependencies=["react", "express"]), "b.js": "console.log(1)\n"},
        ["no React", "no JavaScript"],
    ),
    "import rule": (
        "- `core` must not import `api` or `cli`\n- Nothing in `core/` imports `flask`\n"
        "- `api` must not import `core`\n",
        {"src/core/a.py": "import os\n", "src/api/b.py": "from core import a\n", "src/cli/c.py": "x = 1\n"},
        {"src/core/a.py": "import os\nfrom api import b\n\n\ndef late():\n    import cli\n"},
        ["core must not import api"],
    ),
    "one door": (
        "- All HTTP goes through `src/net.py`.\n",
        {"src/net.py": "import requests\n", "src/a.py": "import os\n", "tests/test_a.py": "import requests\n"},
        {"src/a.py": "import requests\n"},
        ["all HTTP goes through src/net.py"],
    ),
    "command in CI": (
        "- CI runs `make lint` and `make test all`\n- CI runs `make nothing`\n",
        {".github/workflows/ci.yml": f"{CI}      - run: make test all\n"},
        {".github/workflows/ci.yml": CI.replace("make lint", "ruff check")},
        ["make lint", "make test all"],
    ),
    "target of a pattern rule": (
        "- `make build-web`, `make other`\n- `make -C sub anything`\n",
        {"Makefile": "build-%:\n\techo $*\nother:\n", "sub/Makefile": "%:\n\techo $@\n"},
        {"Makefile": "other:\n"},
        ["make build-web"],
    ),
    "target in a folder": (
        "- `cd web && npm run lint`, `cd api && make test`\n- `cd api && make shared`, `npm run lint`\n",
        {"web/package.json": package("web", ["lint"]), "package.json": package("a", ["lint"]),
         "api/Makefile": "include ../common.mk\ntest:\n", "common.mk": "shared:\n", "Makefile": "test:\n"},
        {"web/package.json": package("web", ["check"]), "api/Makefile": "include ../common.mk\n"},
        ["npm run lint", "make test"],
    ),
    "script of a package": (
        "- `pnpm --filter @x/web lint`, `pnpm --filter @x/api lint`\n",
        {f"{name}/package.json": package(f"@x/{name}", ["lint"]) for name in ("web", "api")},
        {"web/package.json": package("@x/web", ["check"])},
        ["pnpm lint"],
    ),
    "task file": (
        "- `mise run lint`, `mise run db:reset`, `mise run test`, `mise run docs`\n",
        {
            **{"mise.toml": "[tasks.test]\nrun = 'x'\n", "mise-tasks/lint": "#!/bin/sh\n"},
            **{"mise-tasks/db/reset.sh": "x\n", "mise-tasks/docs/_default": "x\n"},
        },
        {"mise-tasks/lint": None},
        ["mise lint"],
    ),
    "task of an included file": (
        "- `task web:lint`, `task lint`\n",
        {"Taskfile.yml": "version: '3'\nincludes:\n  api: ./api\n  web:\n    taskfile: ./web\ntasks:\n  lint: {}\n",
         "web/Taskfile.yml": "version: '3'\ntasks:\n  lint: {}\n"},
        {"Taskfile.yml": "version: '3'\nincludes:\n  api: ./api\ntasks:\n  lint: {}\n"},
        ["task web:lint"],
    ),
    "module and recipe of just": (
        "- `just web build`, `just lint`, `just web::build`, `just web::ship`, `just far::any`\n",
        {"justfile": "mod web\nmod far 'lib'\n\nlint:\n  x\n", "web.just": "build:\n  x\nship:\n  x\n"},
        {"justfile": "mod web\nmod far 'lib'\n\ncheck:\n  x\n", "web.just": "build:\n  x\n"},
        ["just lint", "just web::ship"],
    ),
    "target of nx": (
        "- `nx run web:test`, `npx nx lint web`, `nx build api`\n",
        {
            "web/project.json": '{"name": "web", "targets": {"test": {}, "lint": {}}}\n',
            "api/package.json": package("api"),
        },
        {"web/project.json": '{"name": "web", "targets": {"check": {}, "lint": {}}}\n'},
        ["run web:test"],
    ),
    "import over several lines": (
        "```python\nfrom src.app import (\n    Load,  # one\n    Store,\n)\n```\n\n"
        "```ts\nimport {\n  open,\n  type Shut,\n} from './door'\n```\n\n"
        "```rust\nuse my_core::{net::{Client, Server}, Thing};\n```\n",
        {
            "src/app.py": "class Load: ...\n\n\nclass Store: ...\n",
            "web/door.ts": "export const open = 1\nexport type Shut = 2\n",
            "core/Cargo.toml": '[package]\nname = "my-core"\n',
            "core/src/net.rs": "pub struct Client;\npub struct Server;\npub struct Thing;\n",
        },
        {
            "src/app.py": "class Load: ...\n\n\nclass Shop: ...\n",
            "web/door.ts": "export const open = 1\nexport type Closed = 2\n",
            "core/src/net.rs": "pub struct Client;\npub struct Listener;\npub struct Thing;\n",
        },
        ["src.app.Store", "./door#Shut", "my_core::net::Server"],
    ),
    "import of Go, Kotlin, PHP and Elixir": (
        '```go\nimport (\n\t"fmt"\n\n\tc "example.org/app/core"\n\t"example.org/app/pkg/net"\n'
        '\t"github.com/x/y/core"\n)\n```\n\n'
        "```kotlin\nimport org.app.core.Store\nimport org.app.core.open\nimport org.other.Store\n```\n\n"
        "```php\nuse App\\Models\\User;\nuse App\\Models\\Post;\n```\n\n"
        "```elixir\nalias App.Core.{Store, Shop}\nalias App.Core.Moved\nalias Plug.Conn\n```\n",
        {
            "go.mod": "module example.org/app\n",
            "core/core.go": "package core\n",
            "pkg/net/net.go": "package net\n",
            "lib/core.ex": "defmodule App.Core.Store do\nend\n",
            "lib/shop.ex": "defmodule App.Core.Shop do\nend\n",
            "lib/moved.ex": "defmodule App.Core.Moved do\nend\n",
            "a/Store.kt": "package org.app.core\n\nclass Store\nfun open() {}\n",
            "app/User.php": "<?php\nnamespace App\\Models;\n\nclass User {}\nclass Post {}\n",
        },
        {
            "core/core.go": None,
            "lib/shop.ex": "defmodule App.Market do\nend\n",
            "lib/moved.ex": "defmodule App.Use do\n  use App.Core.Moved\nend\n",
            "a/Store.kt": "package org.app.core\n\nclass Shop\nfun open() {}\n",
            "app/User.php": "<?php\nnamespace App\\Models;\n\nclass Account {}\nclass Post {}\n",
        },
        ["example.org/app/core", "org.app.core.Store", "App\\Models\\User", "App.Core.Shop"],
    ),
    "name in bold, with its arity, and in a code block": (
        "- never a `printOrders()` helper\n- **OrderFormatter** formats, **OrderChecker** checks, **JavaScript** too\n"
        "- `App.Orders.run_hook/2`, `App.Orders.keep_it/1`\n\n"
        "```go\ncfg := config.UseMockOrders\nconfig.ResetOrders()\nother.MakeAny(cfg)\nfunc TestYourOrder(t) {}\n```\n",
        {
            "lib/a.ex": "defmodule App.Orders.OrderFormatter do\n  def run_hook(a, b), do: a\n"
            "  def keep_it(a), do: a\nend\n",
            "lib/b.ex": "defmodule App.Orders.OrderChecker do\nend\n",
            "config/a.go": "package config\n\nvar UseMockOrders = false\n\nfunc ResetOrders() {\n}\n",
        },
        {
            "lib/a.ex": "defmodule App.Orders.Printer do\n  def keep_it(a), do: a\nend\n",
            "config/a.go": "package config\n",
        },
        ["OrderFormatter", "App.Orders.run_hook", "config.UseMockOrders", "config.ResetOrders"],
    ),
    "own package that is installed": (
        "```sh\npip install 'app-kit[all]>=1' requests\ncargo add kit\nnpx @x/kit init\n```\n",
        {"pyproject.toml": '[project]\nname = "app-kit"\n', **cargo("kit"),
         "package.json": package("@x/kit")},
        {"pyproject.toml": '[project]\nname = "app-set"\n', "package.json": package("@x/set")},
        ["app-kit", "@x/kit"],
    ),
    "range in a remark, toolchain": (
        "- Rust 2024, toolchain 1.90\n\n```sh\nmake test-py   # pin a Python version (3.9 through 3.12)\n```\n",
        {"pyproject.toml": '[project]\nname = "a"\nrequires-python = ">=3.9,<3.13"\n',
         "rust-toolchain.toml": '[toolchain]\nchannel = "1.90"\n'},
        {"pyproject.toml": '[project]\nname = "a"\nrequires-python = ">=3.10,<3.13"\n',
         "rust-toolchain.toml": '[toolchain]\nchannel = "1.95"\n'},
        ["toolchain 1.90", "Python 3.9"],
    ),
    "package of mix and Paket": (
        "## Stack\n\n- Phoenix 1.7\n- FAKE 6\n",
        {"mix.exs": 'defp deps do\n  [{:phoenix, "~> 1.7"}]\nend\n',
         "paket.dependencies": "source x\nnuget FAKE ~> 6.0\n"},
        {"mix.exs": 'defp deps do\n  [{:phoenix, "~> 2.0"}]\nend\n'},
        ["Phoenix 1.7"],
    ),
    "length of a list in the code": (
        "- Checks 6 required MCP tools and 7 allowed hosts\n",
        {"src/a.ts": "const REQUIRED_TOOLS = [\n  'a', 'b',\n  'c', // one\n  'd', 'e', 'f',\n]\n",
         "src/b.py": "ALLOWED_HOSTS = frozenset({'1', '2', '3', '4', '5', '6', '7'})\n"},
        {"src/a.ts": "const REQUIRED_TOOLS = [\n  'a', 'b',\n  'c', // one\n]\n"},
        ["6 required tools"],
    ),
    "file of a label": (
        "- Config file: `.app.json` in the root. History file: `.app_history` beside it. Lock file: `x.lock`\n",
        {"app/constants.py": 'CONFIG_FILENAME = ".app.json"\nHISTORY_FILE = ".app_history"\n'},
        {"app/constants.py": 'CONFIG_FILENAME = ".app.json"\nHISTORY_FILE = ".kit_history"\n'},
        ["History file .app_history"],
    ),
    "tasks of rake, mix, cargo, composer and turbo": (
        "- `rake db:seed`, `rake db:drop`\n- `mix setup`, `mix test`\n- `cargo xtask x`, `cargo nextest run`\n"
        "- `composer lint`, `composer install`\n- `turbo run lint build`\n",
        {"Rakefile": "namespace :db do\n  task :seed do\n  end\n  task :drop\nend\n",
         "mix.exs": 'defp aliases do\n  [\n    setup: ["deps.get"]\n  ]\nend\n',
         ".cargo/config.toml": "[alias]\nxtask = 'run'\n", "composer.json": '{"scripts": {"lint": "x"}}\n',
         "turbo.json": '{"tasks": {"lint": {}, "web#build": {}}}\n'},
        {"Rakefile": "namespace :db do\n  task :fill do\n  end\n  task :drop\nend\n",
         "mix.exs": 'defp aliases do\n  [\n    init: ["deps.get"]\n  ]\nend\n',
         ".cargo/config.toml": "[alias]\nx = 'run'\n", "composer.json": '{"scripts": {"style": "x"}}\n',
         "turbo.json": '{"tasks": {"check": {}, "web#build": {}}}\n'},
        ["rake db:seed", "mix setup", "cargo xtask", "composer lint", "turbo lint"],
    ),
    "job of a workflow": (
        "- The `lint` job of the workflow fails fast, the `none` job does not\n",
        {".github/workflows/ci.yml": CI},
        {".github/workflows/ci.yml": CI.replace("lint:", "style:")},
        ["job lint"],
    ),
    "option": (
        "- Pass `--dry-run` to preview, `--keep` to keep.\n\n| Option | Does |\n|---|---|\n| --tries | more |\n",
        {"app.py": PARSER},
        {"app.py": PARSER.replace("dry-run", "preview").replace("tries", "attempts")},
        ["--dry-run", "--tries"],
    ),
    "environment variable": (
        "- Auth reads `APP_TOKEN`, `APP_LEVEL` is how much\n\n```sh\nexport APP_HOME=/x APP_LEVEL=2\n```\n",
        {"app.py": PARSER},
        {"app.py": PARSER.replace("APP_TOKEN", "SERVICE_TOKEN").replace("APP_HOME", "APP_ROOT")},
        ["APP_TOKEN", "APP_HOME"],
    ),
    "plain word in a file": (
        "- `load` is in `app.py`, and `store` is in `app.py`.\n- `app.py` calls `load`.\n",
        {"app.py": "def load(p):\n    return p\n\n\ndef store(p):\n    return load(p)\n"},
        {"app.py": "def read(p):\n    return p\n\n\ndef store(p):\n    return read(p)\n"},
        ["load"],
    ),
    "anchor of a link": (
        "See [fast](docs/setup.md#fast-path), [slow](docs/setup.md#the-slow-path-1), "
        "[own](#an-own-part), [id](#mark).\n"
        "\n## An own part\n\n<a id='mark'></a>\n",
        {"docs/setup.md": "# Fast path\n\n## The *slow* `path`\n\n## The slow path\n"},
        {"docs/setup.md": "# Quick path\n\n## The *slow* `path`\n\n## The slow path\n"},
        ["docs/setup.md#fast-path"],
    ),
    "pytest marker": (
        "- Run `pytest -m 'not slow and net'`; `@pytest.mark.parametrize` and `@pytest.mark.gpu` are used\n",
        {
            "pyproject.toml": '[tool.pytest.ini_options]\nmarkers = [\n    "slow: takes long",\n    "net",\n]\n',
            "tests/test_a.py": "import pytest\n\n\n@pytest.mark.slow\n@pytest.mark.gpu\ndef test_a(): ...\n",
        },
        {
            "pyproject.toml": '[tool.pytest.ini_options]\nmarkers = [\n    "heavy: takes long",\n    "net",\n]\n',
            "tests/test_a.py": "import pytest\n\n\n@pytest.mark.heavy\n@pytest.mark.gpu\ndef test_a(): ...\n",
        },
        ["slow"],
    ),
    "signature": (
        "- `load(path, strict=False)` reads, `Store.save(path, mode='w')` writes, `send(to, **more)` sends\n"
        "- call `load('a.json')` or `store(3, force=True)`\n",
        {"app.py": SIGNATURES},
        {"app.py": SIGNATURES.replace(", strict=False", "").replace("force", "hard")},
        ["load(path, strict=False)", "store(3, force=True)"],
    ),
    "import in a code block": (
        "```python\nfrom src.app import Load, Store\nfrom flask import Flask\n```\n\n"
        "```ts\nimport { open, type Shut as S } from './door'\nimport { useState } from 'react'\n```\n\n"
        "```rust\nuse my_core::net::{Client, Server};\nuse serde::Deserialize;\n```\n",
        {
            "src/app.py": "class Load: ...\n\n\nclass Store: ...\n",
            "web/door.ts": "export const open = 1\nexport type Shut = 2\n",
            "core/Cargo.toml": '[package]\nname = "my-core"\n',
            "core/src/net.rs": "pub struct Client;\npub struct Server;\n",
        },
        {
            "src/app.py": "class Read: ...\n\n\nclass Store: ...\n",
            "web/door.ts": "export const enter = 1\nexport type Shut = 2\n",
            "core/src/net.rs": "pub struct Client;\npub struct Listener;\n",
        },
        ["src.app.Load", "./door#open", "my_core::net::Server"],
    ),
    "own subcommand": (
        "```sh\nmytool sync --all\nmytool show x\nuv run mytool make-it\ngit sync\n```\n",
        {"pyproject.toml": '[project.scripts]\nmytool = "app:main"\n', "app.py": COMMANDS},
        {"app.py": COMMANDS.replace("sync", "push")},
        ["mytool sync"],
    ),
    "route": (
        "- `GET /api/users/{id}` and `POST /api/users`; `GET /items/:id`, `GET /elsewhere/{x}`\n\n"
        "| Method | Path |\n|---|---|\n| DELETE | `/api/users/{id}` |\n| GET | /api/health |\n",
        {"api.py": ROUTES, "web/app/api/health/route.ts": "export async function GET() {}\n"},
        {"api.py": ROUTES.replace('delete("/{user}")', 'put("/{user}")').replace("items", "things")},
        ["GET /items/:id", "DELETE /api/users/{id}"],
    ),
}  # fmt: skip


def alarms(folder: Path, document: str, files: Mapping[str, str], change: Mapping[str, str | None]) -> list[str]:
    """Return the false claims of a document, in a new repository whose files change after the document was written."""
    _git(folder, "init", "-q", "-b", "main")
    _commit(folder, {"AGENTS.md": document, **files})
    _commit(folder, change)
    git = Git(discover(folder))
    return [one.claim.token for one in adopt(git, git.resolve("HEAD")).of(FALSE)]


def _commit(folder: Path, files: Mapping[str, str | None]) -> None:
    for name, text in files.items():
        path = folder / name
        if text is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    _git(folder, "add", "-A")
    _git(folder, "commit", "-q", "-m", "change")


def _git(folder: Path, *words: str) -> None:
    own = {f"GIT_{role}_{what}": "ana@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    subprocess.run(["git", "-C", str(folder), *words], check=True, env={**os.environ, **own})


def main() -> None:
    """Print a line for each kind, and the sums."""
    sums = [0, 0, 0]
    for kind, (document, files, change, expected) in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            found = alarms(Path(folder), document, files, change)
        right = sum(min(found.count(token), expected.count(token)) for token in set(expected))
        print(f"{kind}: {right} of {len(expected)} found, {len(found) - right} true siblings accused")
        for at, number in enumerate((right == len(expected), right, len(found) - right)):
            sums[at] += number
    print(f"{sums[0]} of {len(CASES)} kinds found; {sums[2]} true siblings accused")


if __name__ == "__main__":
    main()
