"""Versions of real repositories: which file decides a sentence, and what no sentence of a document claims."""

import pytest
from conftest import commit_files

from gitmem.commands.adopt.findings import FALSE, HOLDS, NEVER
from gitmem.commands.adopt.run import adopt
from gitmem.git import Git
from gitmem.git.repository import discover

CI = (
    "jobs:\n  test:\n    strategy:\n      matrix:\n        python-version: ['3.10', '3.11']\n"
    "    services:\n      db:\n        image: redis:7\n"
)
PYPROJECT = (
    '[project]\nname = "x"\nrequires-python = ">=3.10"\nclassifiers = [\n'
    '    "Programming Language :: Python :: 3.10",\n    "Programming Language :: Python :: 3.13",\n]\n'
)
FILES = {
    ".github/workflows/ci.yml": CI,
    "pyproject.toml": PYPROJECT,
    "compose.yml": "services:\n  db:\n    image: postgres:16-alpine\n",
    "package.json": '{\n  "dependencies": {"react": "^19.0.0"},\n  "engines": {"node": ">=22"}\n}\n',
}


def judged(repo, verdict):
    handle = Git(discover(repo))
    adoption = adopt(handle, handle.resolve("HEAD"), ["AGENTS.md"], kinds=("version",))
    return [(one.claim.token, one.source.where) for one in adoption.of(verdict)]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("- CI tests Python 3.10 and 3.11", [".github/workflows/ci.yml:5"] * 2),
        ("- Python 3.10 to 3.13", ["pyproject.toml:3", "pyproject.toml:6"]),
        ("- Python 3.10 to 3.11", ["pyproject.toml:3"]),  # one workflow runs 3.11 last
        ("- Python 3.10 through 3.13", ["pyproject.toml:3", "pyproject.toml:6"]),
        ("- Redis 7 and PostgreSQL 16", [".github/workflows/ci.yml:8", "compose.yml:3"]),
        ("# Tech stack\n\n- React 19", ["package.json:2"]),
    ],
)
def test_each_statement_has_its_own_source(repo, text, places):
    commit_files(repo, FILES | {"AGENTS.md": f"{text}\n"})

    assert [where for _, where in judged(repo, HOLDS)] == places


@pytest.mark.parametrize(
    ("text", "path", "old", "new"),
    [
        ("- CI tests Python 3.10 and 3.11", ".github/workflows/ci.yml", "'3.11'", "'3.12'"),
        ("- Python 3.10 to 3.13", "pyproject.toml", "Python :: 3.13", "Python :: 3.14"),
        ("- Redis 7 and PostgreSQL 16", "compose.yml", "16", "17"),
        ("- Redis 7 and PostgreSQL 16", ".github/workflows/ci.yml", "redis:7", "redis:8"),
    ],
)
def test_statement_is_false_when_its_source_changes(repo, text, path, old, new):
    commit_files(repo, FILES | {"AGENTS.md": f"{text}\n"})
    commit_files(repo, {path: FILES[path].replace(old, new)})

    assert [where.partition(":")[0] for _, where in judged(repo, FALSE)] == [path]


@pytest.mark.parametrize(
    ("bounds", "alarms"), [((">=3.10,<3.14", ">=3.10, <3.14"), 1), ((">=3.10,<3.14", ">=3.10,<3.15"), 0)]
)
def test_range_that_is_too_wide_is_false_where_all_packages_of_a_workspace_agree(repo, bounds, alarms):
    commit_files(
        repo,
        {f"lib/{at}/pyproject.toml": f'[project]\nrequires-python = "{bound}"\n' for at, bound in enumerate(bounds)}
        | {"AGENTS.md": "- Python 3.10–3.14\n"},
    )

    assert len(judged(repo, FALSE)) == alarms


def test_remark_in_a_shell_block_states_what_is_required(repo):
    commit_files(repo, FILES | {"AGENTS.md": "```sh\n# Requires Python 3.9 or later\nmake\n```\n"})

    assert judged(repo, FALSE) == [("Python 3.9+", "pyproject.toml:3")]


def test_package_of_the_stack_is_false_though_its_version_was_never_true(repo):
    commit_files(repo, FILES | {"AGENTS.md": "# Tech stack\n\n- React 18\n"})

    assert judged(repo, FALSE) == [("React 18", "package.json:2")]


def test_package_is_proved_by_the_part_that_the_sentence_names(repo):
    files = {f"web/{part}/package.json": '{"dependencies": {"react": "^19"}}\n' for part in ("a", "new")}
    commit_files(repo, {"AGENTS.md": "# Stack\n\n- **Frontend (new)**: React 19\n", **files})

    assert judged(repo, HOLDS) == [("React 19", "web/new/package.json:1")]


@pytest.mark.parametrize(
    "text",
    [
        '- `"module": "Node16"` in `tsconfig.json`',
        "- Chrome 100+, Firefox 100+, Node 18",
        "- Needs Node 18 on the machine you deploy to",
        "- Works with React 17 components",
        "- We will support Python 3.9 until next year",
        "- PostgreSQL 14+",
        "# Stack\n\n| Release | Needs |\n| --- | --- |\n| v6.x | Node 18, React 17 |\n| 5.0+ | React 16 |",
    ],
)
def test_other_machines_browsers_plans_and_releases_are_no_claims(repo, text):
    commit_files(repo, FILES | {"AGENTS.md": f"{text}\n"})

    assert judged(repo, FALSE) == judged(repo, NEVER) == []


PROJECT = "<Project>\n  <PropertyGroup>\n    <TargetFrameworks>{}</TargetFrameworks>\n  </PropertyGroup>\n</Project>\n"


def test_dotnet_is_what_a_project_is_built_for_and_not_the_sdk_that_builds_it(repo):
    said = "- Target frameworks: .NET 8.0, .NET 10, and .NET Framework 4.8\n- Also .NET 9.0\n"
    files = {"src/A/A.csproj": PROJECT.format("net10.0;net8.0;net48"), "src/B.fsproj": PROJECT.format("net9.0")}
    commit_files(repo, {**files, "global.json": '{"sdk": {"version": "11.0.100"}}\n', "AGENTS.md": said})
    before = judged(repo, HOLDS)
    commit_files(repo, {"src/B.fsproj": PROJECT.format("net10.0")})

    assert before == [(".NET 8.0", "src/A/A.csproj:3"), (".NET 10", "src/A/A.csproj:3"), (".NET 9.0", "src/B.fsproj:3")]
    assert judged(repo, FALSE) == [(".NET 9.0", "src/B.fsproj:3")]


def test_ruby_of_a_package_is_that_of_the_nearest_gemspec(repo):
    specs = {"examples/plugin/plugin.gemspec": "3.4.0", "a.gemspec": "3.3.0", "api/api.gemspec": "3.2.0"}
    files = {path: f'spec.required_ruby_version = ">= {least}"\n' for path, least in specs.items()}
    commit_files(repo, files | {"AGENTS.md": "- Ruby 3.0+\n"})

    assert judged(repo, FALSE) == [("Ruby 3.0+", "a.gemspec:1")]


@pytest.mark.parametrize(
    ("manifest", "verdict"),
    [("tools/pyproject.toml", NEVER), ("pyproject.toml", FALSE), ("tools/parts/a/pyproject.toml", FALSE)],
)
def test_manifest_of_a_folder_above_accuses_no_part_that_never_agreed(repo, manifest, verdict):
    needs = '[project]\nname = "x"\nrequires-python = ">=3.13"\n'
    commit_files(repo, {"tools/parts/a/README.md": "- Python 3.8+\n", manifest: needs})
    handle = Git(discover(repo))

    found = adopt(handle, handle.resolve("HEAD"), kinds=("version",)).of(verdict)

    assert [one.source.where for one in found] == [f"{manifest}:3"]


def test_later_jdk_accuses_no_version_of_java_that_was_never_the_one_to_build_with(repo):
    commit_files(
        repo, {"AGENTS.md": "- The agent is written in Java 8\n- Built with Java 17\n", ".java-version": "17\n"}
    )
    commit_files(repo, {".java-version": "21\n"}, "a later one")

    assert judged(repo, FALSE) == [("Java 17", ".java-version:1")]
    assert judged(repo, NEVER) == []


def test_types_of_a_package_are_not_its_version(repo):
    listed = '{"devDependencies": {"@types/node": "^18.0.0"}}\n'
    commit_files(repo, {"package.json": listed, "AGENTS.md": "- Node.js >= 18\n"})

    assert judged(repo, HOLDS) == []


def test_version_that_code_is_downgraded_to_is_not_the_one_it_needs(repo):
    said = "Code requires PHP 8.4. The builder downgrades code to PHP 7.4+.\n"
    commit_files(repo, {"composer.json": '{"require": {"php": "^8.4"}}\n', "AGENTS.md": said})

    assert judged(repo, HOLDS) == [("PHP 8.4+", "composer.json:1")]
    assert judged(repo, FALSE) == []


MANIFESTS = {
    "mix.exs": 'def project do\n  [elixir: "~> 1.15"]\n',
    "CMakeLists.txt": "cmake_minimum_required(VERSION 3.20)\n",
    "Package.swift": "// swift-tools-version:5.9\n",
    "versions.tf": 'terraform {\n  required_version = ">= 1.5"\n}\n',
    "gradle/wrapper/gradle-wrapper.properties": "distributionUrl=https\\://example.org/gradle-8.5-bin.zip\n",
}
TOOLS = """- Requires Elixir 1.15+
- Requires CMake 3.20 or later
- Requires Swift 5.9+
- Requires Terraform >= 1.5
- Uses Gradle 8.5
"""
QUIET = """- Requires Swift 5
- Where the Terraform 0.13+ `for_each` feature is no help
- The Pool 1 version supports Swift 5.0

#### Swift 5.4 and newer

text
"""


def test_each_manifest_decides_the_version_of_its_tool(repo):
    commit_files(repo, MANIFESTS | {"AGENTS.md": TOOLS})
    assert [where.partition(":")[0] for _, where in judged(repo, HOLDS)] == list(MANIFESTS)

    stale = TOOLS.replace("1.15", "1.9").replace("3.20", "3.5").replace("5.9", "5.1").replace("8.5", "7.2")
    commit_files(repo, {"AGENTS.md": stale.replace(">= 1.5", ">= 0.12") + QUIET})

    assert [where.partition(":")[0] for _, where in judged(repo, FALSE)] == list(MANIFESTS)


@pytest.mark.parametrize(("was", "found"), [(">=3.12", [("Python 3.12+", "pyproject.toml:3")]), (">=3.11", [])])
def test_version_above_the_required_one_is_false_only_if_it_was_that(repo, was, found):
    old = PYPROJECT.replace(">=3.10", was)
    commit_files(repo, {"AGENTS.md": "- Requires Python 3.12+\n", "pyproject.toml": old})
    commit_files(repo, {"pyproject.toml": PYPROJECT})

    assert judged(repo, FALSE) == found


def test_version_beside_the_right_one_is_of_something_else_unless_it_was_right(repo):
    said = "- Requires OCaml 4.14 to build itself, and can build projects using OCaml 4.02.3 \n- Requires OCaml 4.13\n"
    commit_files(repo, {"AGENTS.md": said, "dune-project": "(package (depends (ocaml (>= 4.14))))\n"})

    assert [token for token, _ in judged(repo, FALSE)] == ["OCaml 4.13+"]


def test_version_of_each_language_is_read_where_its_tools_read_it(repo):
    said = "- Needs R 4.1, Julia 1.10, Dart 3.5, OCaml 4.14, Scala 3.3\n- Bazel 7.4\n- Built with Laravel 12\n"
    places = {
        "DESCRIPTION": ("Depends:\n    R (>= 4.1.0)\n", "4.1.0", "4.4.0"),
        "Project.toml": ('[compat]\njulia = "1.10"\n', "1.10", "1.12"),
        "pubspec.yaml": ('environment:\n  sdk: ">=3.5.0 <4.0.0"\n', "3.5.0", "3.9.0"),
        "dune-project": ("(package (depends (ocaml (>= 4.14))))\n", "4.14", "5.1"),
        "build.sbt": ('ThisBuild / scalaVersion := "3.3.1"\n', "3.3.1", "3.7.1"),
        ".bazelversion": ("7.4.1\n", "7.4.1", "8.0.0"),
        "composer.json": ('{"require": {"laravel/framework": "^12.1"}}\n', "12.1", "13.0"),
    }
    commit_files(repo, {"AGENTS.md": said, **{path: text for path, (text, _, _) in places.items()}})
    held = judged(repo, HOLDS)
    commit_files(repo, {path: text.replace(old, new) for path, (text, old, new) in places.items()}, "raise all")

    assert sorted(where.partition(":")[0] for _, where in held) == sorted(places)
    assert sorted(where.partition(":")[0] for _, where in judged(repo, FALSE)) == sorted(places)


def test_any_of_several_versions_that_a_language_is_built_for_is_right(repo):
    said = "- Requires Julia 1.6 or later\n- Built with Scala 2.13\n- Built with Scala 2.12\n"
    scala = 'scalaVersion := "3.3.1"\ncrossScalaVersions := Seq("2.13.12", "3.3.1")\n'
    commit_files(repo, {"AGENTS.md": said, "Project.toml": '[compat]\njulia = "1.6, 1.9"\n', "build.sbt": scala})

    assert [token for token, _ in judged(repo, HOLDS)] == ["Julia 1.6+", "Scala 2.13"]
    assert [token for token, _ in judged(repo, FALSE)] == ["Scala 2.12"]


def test_version_of_a_part_is_none_of_the_project_that_states_its_own(repo):
    part = {"tools/box/Dockerfile": "FROM python:3.9-slim\n", "tools/box/a.py": "x = 1\n"}
    commit_files(repo, {**FILES, **part, "AGENTS.md": "- Python 3.9 is required\n"})

    assert judged(repo, HOLDS) == []
    assert judged(repo, FALSE) == [("Python 3.9", "pyproject.toml:3")]


def test_file_that_a_sentence_names_decides_its_version(repo):
    pins = "- `.tool-versions` pins Erlang 27.2 and Elixir 1.19.4\n"
    said = f"- Node 22.14.0, as `.nvmrc` says\n{pins}- CI builds with Java 21\n"
    files = {
        ".nvmrc": "24.14.0\n",
        ".tool-versions": "elixir 1.19.4-otp-28\nerlang 28.3\n",
        ".github/actions/set-up/action.yml": "    - with:\n        java-version: '21'\n",
    }
    commit_files(repo, {"AGENTS.md": said, **files})

    assert judged(repo, FALSE) == [("Erlang 27.2", ".tool-versions:2")]
    assert judged(repo, NEVER) == [("Node 22.14.0", ".nvmrc:1")]
    assert [token for token, _ in judged(repo, HOLDS)] == ["Elixir 1.19.4", "Java 21"]


def test_version_managers_and_a_plain_sentence_state_versions(repo):
    mise = '[tools]\njava = "temurin-21"\npython = "3.14"\n'
    cargo = '[workspace.package]\nrust-version = "1.90"\n'
    said = "- Java 21 and Python 3.14\n- The minimum supported Rust version is 1.90.\n"
    commit_files(repo, {"AGENTS.md": said, "mise.toml": mise, "Cargo.toml": cargo})

    assert [where for _, where in judged(repo, HOLDS)] == ["mise.toml:2", "mise.toml:3", "Cargo.toml:2"]


def test_required_version_is_an_alarm_also_where_its_file_is_named(repo):
    commit_files(repo, {"AGENTS.md": "- Requires Go 1.22 (`go.mod`)\n", "go.mod": "module x\n\ngo 1.25.1\n"})

    assert judged(repo, FALSE) == [("Go 1.22+", "go.mod:3")]
