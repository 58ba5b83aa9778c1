"""Dependencies that manifests list: names, requirements, lines."""

from __future__ import annotations

from support.each import each

from gitmem.document.sources.dependencies import normal_name, read_dependencies

PYPROJECT = """[project]
dependencies = [
  "requests[socks]>=2.31; python_version > '3'",
  "Typing_Extensions",
]
[project.optional-dependencies]
dev = ["pytest~=8.0"]
[dependency-groups]
lint = ["ruff==0.8.0"]
[tool.poetry.dependencies]
django = "^5.0"
celery = {version = "^5.3", extras = ["redis"]}
"""


@each(
    ("path", "text", "name", "requirement", "line"),
    [
        ("pyproject.toml", PYPROJECT, "requests", ">=2.31", 3),
        ("pyproject.toml", PYPROJECT, "typing-extensions", "", 4),
        ("pyproject.toml", PYPROJECT, "pytest", "~=8.0", 7),
        ("pyproject.toml", PYPROJECT, "ruff", "==0.8.0", 9),
        ("pyproject.toml", PYPROJECT, "django", "^5.0", 11),
        ("pyproject.toml", PYPROJECT, "celery", "^5.3", 12),
        ("requirements.txt", "-e git+https://x.org/a.git@v1#egg=a_b\n", "a-b", "", 1),
        ("requirements.txt", "git+ssh://git@x.org/a.git#subdirectory=s&egg=c\n", "c", "", 1),
        ("deps.edn", '{:aliases {:dev {:extra-deps\n{a.b/c {:mvn/version "1.2"}}}}}', "a.b/c", "1.2", 2),
        ("deps.edn", '{:deps {a.b/c {:git/tag "v3" :git/sha "12ab"}}}', "c", "v3", 1),
        ("project.clj", '(defproject x "1" :dependencies [[a.b/c "1.2"\n:exclusions [d/e]]])', "a.b/c", "1.2", 1),
        ("requirements-dev.txt", "-r base.txt\n# x\nflask==3.0 --hash=x  # why\n", "Flask", "==3.0", 3),
        ("setup.cfg", "[options]\ninstall_requires =\n  a>=1\n  b\n", "a", ">=1", 3),
        ("package.json", '{"dependencies": {"@a/b": "^1"},\n"peerDependencies": {"react": "*"}}', "react", "", 2),
        ("package.json", '{"dependencies": {"@a/b": "^1"}}', "@a/b", "^1", 1),
        ("mix.exs", 'deps: [\n  {:phoenix, "~> 1.7"},\n  {:plug, github: "a/b"}\n]', "phoenix", "~> 1.7", 2),
        ("mix.exs", 'deps: [\n  {:phoenix, "~> 1.7"},\n  {:plug, github: "a/b"}\n]', "plug", "", 3),
        ("paket.dependencies", "source https://x\nnuget FAKE.Core ~> 6.0\n", "FAKE.Core", "~> 6.0", 2),
        ("pnpm-workspace.yaml", "catalog:\n  react: ^18.2.0\n", "react", "^18.2.0", 2),
        ("Cargo.toml", '[dependencies]\nserde = { version = "1.0" }\ntokio = "1"\n', "serde", "1.0", 2),
        ("go.mod", "module x\nrequire example.com/a v1.2.3\n", "example.com/a", "v1.2.3", 2),
        ("Gemfile", "source 'x'\ngem 'rails', '~> 7.1', '>= 7.1.2', require: 'x'\n", "rails", "~> 7.1, >= 7.1.2", 2),
        ("composer.json", '{"require": {"Symfony/Console": "^6"}}', "symfony/console", "^6", 1),
        (
            "pom.xml",
            "<project><properties><v>1.2</v></properties><dependencies><dependency>\n<groupId>a.b</groupId>\n"
            "<artifactId>c</artifactId><version>${v}</version></dependency></dependencies></project>",
            "a.b:c",
            "1.2",
            3,
        ),
        ("build.gradle", 'args += ["-proc:full"]\nuse "a:full:2"\n', "full", "2", 2),
        ("app/build.gradle.kts", 'dependencies {\n  implementation("a.b:c:1.2")\n}\n', "a.b:c", "1.2", 2),
        (
            "gradle/libs.versions.toml",
            '[versions]\nk = "2.0"\n[libraries]\nktor = { module = "io.ktor:core", version.ref = "k" }\n',
            "io.ktor:core",
            "2.0",
            4,
        ),
        (
            "src/A.csproj",
            '<Project>\n<ItemGroup>\n<PackageReference Include="Serilog" Version="3.1.0" />\n</ItemGroup></Project>',
            "serilog",
            "3.1.0",
            3,
        ),
    ],
)
def test_dependency_has_its_requirement_and_line(path: str, text: str, name: str, requirement: str, line: int) -> None:
    found = read_dependencies(path, text.encode())[normal_name(path, name)]

    assert [(one.requirement, one.line) for one in found] == [(requirement, line)]


def test_file_that_is_no_manifest_lists_nothing() -> None:
    assert read_dependencies("src/a.py", b"import requests") == {}
