"""Values that files state: every format, with the line of each, and files that were made to do harm."""

from __future__ import annotations

import pytest
from support.each import each

from gitmem.document.sources.address import parse_address
from gitmem.document.sources.formats import SIZE_LIMIT, read_value, spell_key
from gitmem.errors import FormatError

FILES = {
    "pyproject.toml": '[project]\nname = "x"\nrequires-python = ">=3.11"\n[tool.ruff]\nline-length = 100\n',
    "package.json": '{\n  // pinned\n  "engines": {"node": ">=20"},\n  "private": true,\n}\n',
    "ci.yml": "on: [push]\njobs:\n  test:\n    strategy:\n      matrix:\n        python: [3.10, '3.11']\n",
    "deploy.yaml": "kind: Service\nname: a\n---\nkind: Deployment\nreplicas: 3\n---\n",
    "setup.cfg": "[metadata]\nname = x\n\n[tool:pytest]\naddopts =\n    -q\n    -x\n",
    ".env": "# comment\nexport PORT=8000\nNAME='a b' # why\n",
    "go.mod": "module x\n\ngo 1.22\n\nrequire (\n\texample.com/a v1.2.3 // why\n)\n\nrequire example.com/b v2.0.0\n",
    ".nvmrc": "# why\nv20.11.1\n",
    ".tool-versions": "nodejs 20.11.1\npython 3.12.1 3.11.7\n",
    "Dockerfile": "ARG V=3.12\nFROM node:20-slim AS b\nFROM --platform=x python:${V}-slim\nENV PORT=80 A=b\nUSER a\n",
    "pom.xml": "<project>\n <properties>\n  <java.version>21</java.version>\n </properties>\n</project>\n",
    "Directory.Build.props": (
        "<Project>\n<PropertyGroup><Nullable>enable</Nullable>\n<A>1</A></PropertyGroup>\n"
        "<PropertyGroup Condition='x'>\n<LangVersion>13</LangVersion><A>2</A></PropertyGroup></Project>\n"
    ),
    "deps.edn": (
        '{:deps {org.clojure/clojure {:mvn/version "1.12.0"} #_#_old/lib {:mvn/version "1"}}\n :paths ["src" "a,b"]\n'
        ' ;; :port 1\n :http {:port #shadow/env "HTTP" :ids #{1 2}} ^{:doc "x"} :mode :esm}\n'
    ),
    "project.clj": '(defproject app "0.1.0"\n  :min-lein-version "2.9.1"\n  :re #"a{2}")\n',
    "src/a.py": 'X = 1\nRETRIES: int = 3\nclass C:\n    timeout = 2.5\n    NAME = "x"\n',
    "src/a.ts": "export const PORT: number = 3_000;\nconst o = {\n  retries: 5,\n};\n",
    "src/a.go": 'const MaxRetries = 4\nvar name string = "n"\n',
    "src/a.rs": 'pub const LIMIT: usize = 10;\nstatic NAME: &\'static str = "n";\n',
    "src/a.clj": '; (def A 1)\n(def ^:const MAX-TRIES 18)\n(defonce a.b "x") ; why\n(defn f [] (def A 2))\n',
    "run.sh": 'export A=1\nB="two words"\n',
    "Makefile": "PY ?= python3.12\nall:\n",
    "app.properties": "# port\nserver.port=9966\n",
    ".vscode/settings.json": '{"editor": {"tabSize": 8, "a": 1},\n"editor.tabSize": 2,\n"editor.a.b": 3}',
    "app.yml": "server.port: 8080\nspring:\n  datasource.url: x\n",
    "black.toml": "[tool.black]\n'a.b' = 3\n",
}


@each(
    ("address", "value", "line"),
    [
        ("pyproject.toml#project.requires-python", ">=3.11", 3),
        ("pyproject.toml#tool.ruff.line-length", "100", 5),
        ("package.json#engines.node", ">=20", 3),
        ("package.json#private", "true", 4),
        ("ci.yml#jobs.test.strategy.matrix.python[0]", "3.10", 6),
        ("ci.yml#jobs.test.strategy.matrix.python", "[3.10, 3.11]", 6),
        ("ci.yml#on", "[push]", 1),
        ("deploy.yaml#kind", "Service", 1),
        ("deploy.yaml#replicas", "3", 5),
        ("deploy.yaml#[1].kind", "Deployment", 4),
        ('setup.cfg#"tool:pytest".addopts', "-q -x", 5),
        (".env#PORT", "8000", 2),
        (".env#NAME", "a b", 3),
        ("go.mod#go", "1.22", 3),
        ("go.mod#require.'example.com/a'", "v1.2.3", 6),
        ("go.mod#require.'example.com/b'", "v2.0.0", 9),
        (".nvmrc", "v20.11.1", 2),
        (".tool-versions#python", "3.12.1", 2),
        ("Dockerfile#FROM", "python:3.12-slim", 3),
        ("Dockerfile#FROM.node", "20-slim", 2),
        ("Dockerfile#ENV.A", "b", 4),
        ("Dockerfile#V", "3.12", 1),
        ("Dockerfile#USER", "a", 5),
        ('pom.xml#project.properties."java.version"', "21", 3),
        ("Directory.Build.props#Project.PropertyGroup.Nullable", "enable", 2),
        ("Directory.Build.props#Project.PropertyGroup.LangVersion", "13", 5),
        ("Directory.Build.props#Project.PropertyGroup[1].A", "2", 5),
        ("Directory.Build.props#Project.PropertyGroup.A", "[1, 2]", 3),
        ("deps.edn#deps.'org.clojure/clojure'.mvn/version", "1.12.0", 1),
        ("deps.edn#paths", "[src, a,b]", 2),
        ("deps.edn#http.port", "HTTP", 4),
        ("deps.edn#mode", "esm", 4),
        ("project.clj#min-lein-version", "2.9.1", 2),
        ("src/a.py#RETRIES", "3", 2),
        ("src/a.py#C.timeout", "2.5", 4),
        ("src/a.py#NAME", "x", 5),
        ("src/a.ts#PORT", "3000", 1),
        ("src/a.ts#o.retries", "5", 3),
        ("src/a.go#MaxRetries", "4", 1),
        ("src/a.go#name", "n", 2),
        ("src/a.rs#LIMIT", "10", 1),
        ("src/a.rs#NAME", "n", 2),
        ("src/a.clj#MAX-TRIES", "18", 2),
        ("run.sh#B", "two words", 2),
        ("Makefile#PY", "python3.12", 1),
    ],
)
def test_value_is_what_the_file_states_and_where(address: str, value: str, line: int) -> None:
    place = parse_address(address)

    found = read_value(place.path, FILES[place.path].encode(), place.keys)

    assert found is not None
    assert (found.value(), found.line) == (value, line)


@each(
    ("address", "spelt"),
    [
        ("app.properties#server.port", ("server.port",)),
        ('app.properties#"server.port"', ()),
        (".vscode/settings.json#editor.tabSize", ()),  # it nests so
        (".vscode/settings.json#editor.a.b", ("editor.a.b",)),
        ("app.yml#server.port", ("server.port",)),
        ("app.yml#spring.datasource.url", ("spring", "datasource.url")),
        ("pom.xml#project.properties.java.version", ("project", "properties", "java.version")),
        ("black.toml#tool.black.a.b", ("tool", "black", "a.b")),
        ("go.mod#require.example.com/a", ("require", "example.com/a")),
        ("ci.yml#jobs.test.strategy.matrix.python[0]", ()),
        ("app.properties#server.address", ()),
        ("src/a.py#C.timeout", ()),
    ],
)
def test_key_is_spelt_as_the_file_has_it(address: str, spelt: tuple[str, ...]) -> None:
    place = parse_address(address)

    assert spell_key(place.path, FILES[place.path].encode(), place.keys) == spelt


@each(
    "address",
    ["pyproject.toml#project.version", "package.json#a.b.c", "src/a.py#TRIES", ".env#X", "Dockerfile#FROM.go"],
)
def test_value_that_is_not_stated_is_none(address: str) -> None:
    place = parse_address(address)

    assert read_value(place.path, FILES[place.path].encode(), place.keys) is None


def test_least_indented_assignment_counts() -> None:
    content = b"def f():\n    RETRIES = 9\nRETRIES = 3\n"

    found = read_value("a.py", content, ("RETRIES",))

    assert found is not None
    assert (found.text, found.line) == ("3", 3)


@each(
    ("path", "content"),
    [
        ("a.json", b"{"),
        ("a.json", b"[" * 100_000),
        ("a.json", b'{"a": 1} x'),
        ("a.json", b'{"a" 1}'),
        ("a.json", b"\xff\xfe"),
        ("a.toml", b"a = "),
        ("a.toml", b"a = " + b"[" * 100_000),
        ("a.toml", b".".join([b"a"] * 10_000) + b" = 1"),
        ("a.yaml", b"a: [b"),
        ("a.yaml", b"- " * 10_000 + b"a"),
        ("a.yaml", b"[" * 100_000),
        ("a.yaml", b"a: *b"),
        ("a.xml", b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'),
        ("a.xml", b"<a>" * 10_000),
        ("a.json", b" " * (SIZE_LIMIT + 1)),
    ],
)
def test_file_that_cannot_be_read_is_an_error_with_a_reason(path: str, content: bytes) -> None:
    with pytest.raises(FormatError):
        read_value(path, content, ("a",))


def test_aliases_of_aliases_are_not_expanded() -> None:
    lines = ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 40))]

    found = read_value("a.yaml", "\n".join(lines).encode(), ("a0", "0"))

    assert found is not None
    assert found.text == "x"


def test_merge_key_of_yaml_brings_what_the_mapping_does_not_have() -> None:
    text = b"a: &a {image: x, port: 1}\nb:\n  <<: *a\n  port: 2\nc: {<<: [*a, {z: 3}]}\nd: {'<<': y}\n"
    places = {("b", "image"): "x", ("b", "port"): "2", ("c", "z"): "3", ("d", "<<"): "y", ("d", "image"): None}

    found = {keys: read_value("a.yaml", text, keys) for keys in places}

    assert {keys: node and node.text for keys, node in found.items()} == places


def test_mappings_of_yaml_that_merge_each_other_are_refused_at_a_limit() -> None:
    lines = ["m0: &m0 {k0: 1}", *(f"m{n}: &m{n} {{<<: *m{n - 1}, k{n}: 1}}" for n in range(1, 1000))]

    with pytest.raises(FormatError, match="it merges more than 100000 values"):
        read_value("a.yaml", "\n".join(lines).encode(), ("m0", "k0"))


def test_tag_of_yaml_makes_no_object() -> None:
    found = read_value("a.yaml", b"a: !!python/object/apply:os.system [exit 1]", ("a", "0"))

    assert found is not None
    assert found.text == "exit 1"
