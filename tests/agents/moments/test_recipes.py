"""The commands that a command line runs as the repository defines them."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from support.each import each

from gitmem.agents.moments import recipes
from gitmem.agents.moments.recipes import with_recipes

MAKEFILE = """\
BIN := parcels
URL = http://x:1
.PHONY: gen all
all: gen lint
gen:
\t@sqlc generate
lint: gen
\t-golangci-lint run \\
\t  --fix
run:
\tgo run ./cmd/$(BIN)
sub:
\t$(MAKE) gen
\tcd web && npm run build
loop: loop
\tmake loop
"""
FILES = {
    "Makefile": MAKEFILE,
    "justfile": "port := '8080'\nserve mode='x': build\n    uvicorn app --port {{port}}\nbuild:\n    tsc -b\n",
    "web/package.json": '{"scripts": {"prebuild": "i18n pull", "build": "vite build", "x": 3}}',
    "web/other.json": "[]",
    "bin/ci": "#!/usr/bin/env bash\nset -e\n# all\nbin/rails zeitwerk:check\n",
    "bin/tool": "#!/usr/bin/env python3\nprint('make gen')\n",
    "scripts/load.sh": "k6 run load.js\n",
}


@pytest.mark.parametrize(
    ("line", "runs"),
    [
        ("make gen", ["sqlc generate"]),
        ("make", ["sqlc generate", "golangci-lint run --fix"]),
        ("make -j 4 lint V=1 | tail", ["golangci-lint run --fix", "sqlc generate"]),
        ("make run", ["go run ./cmd/parcels"]),
        ("make sub", ["make gen", "sqlc generate", "cd web && npm run build", "i18n pull", "vite build"]),
        ("make loop", ["make loop"]),
        ("just serve", ["uvicorn app --port 8080", "tsc -b"]),
        ("cd web && yarn build", ["i18n pull", "vite build"]),
        ("npm --prefix x run build", []),
        ("pnpm install", []),
        ("A=1 bin/ci", ["set -e", "bin/rails zeitwerk:check"]),
        ("bash scripts/load.sh && ls", ["k6 run load.js"]),
        ("bin/tool", []),
        ("go test ./...", []),
        ("make no-such-target", []),
        ("cat Makefile; git commit -m 'make gen'", []),
        ("sh /etc/passwd.sh", []),
    ],
)
def test_a_line_runs_what_the_repository_defines(tmp_path: Path, line: str, runs: list[str]) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)

    assert with_recipes(str(tmp_path), line).split("\n")[1:] == runs


@pytest.mark.parametrize("line", ["make all", "yarn build", "bin/ci", "make -C nowhere x"])
def test_a_line_stays_as_it_is_where_nothing_is_defined(tmp_path: Path, line: str) -> None:
    (tmp_path / "package.json").write_text('["no object"]')
    (tmp_path / "Makefile").write_text("all")

    assert with_recipes(str(tmp_path), line) == line


def test_values_that_double_each_other_are_cut(tmp_path: Path) -> None:
    doubled = "".join(f"A{number} = $(A{number + 1}) $(A{number + 1})\n" for number in range(40))
    (tmp_path / "Makefile").write_text(f"{doubled}A40 = {'x' * 1500}\nall:\n\techo $(A38)\n")

    line, ran = with_recipes(str(tmp_path), "make").split("\n")

    assert (line, ran[:6]) == ("make", "echo x")
    assert len(ran) <= 2000


TARGETS = " ".join(f"t{number}" for number in range(8000))


@each(
    ("line", "name", "text"),
    [
        ("make t1", "Makefile", f"{TARGETS}:\n" + "\techo\n" * 4000),
        ("make", "Makefile", "V = " + "x" * 40_000 + "\nall:\n" + "\techo " + "$(V)" * 600 + "\n"),
        ("npm run a", "package.json", '{"scripts": {"a": "' + "npm run b; " * 5000 + '"}}'),
        ("npm run a", "package.json", "[" * 60_000),
        ("./a.sh", "a.sh", "./b.sh; " * 8000),
        ("./a", "a", "#!/bin/sh\n" + "x" * 12_000_000),
        ("./a\0", "a", ""),
    ],
)
def test_files_that_keep_a_reader_busy_are_read_in_little_memory(
    tmp_path: Path, line: str, name: str, text: str
) -> None:
    (tmp_path / name).write_text(text)

    tracemalloc.start()
    try:
        read = with_recipes(str(tmp_path), line)
        size = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert len(read) < 5000
    assert size < 10_000_000


def test_a_command_is_looked_up_once_and_only_so_many_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.sh").write_text("./b.sh; " * 3000 + "".join(f"./c{number}; " for number in range(3000)))
    read: list[str] = []
    really = recipes._read
    monkeypatch.setattr(recipes, "_read", lambda path: read.append(path) or really(path))

    with_recipes(str(tmp_path), "./a.sh; " * 3000 + "".join(f"./d{number}; " for number in range(3000)))

    assert [read.count(f"{tmp_path}/./{name}.sh") for name in "ab"] == [1, 1]
    assert len(read) == recipes.LOOKED_UP_AT_MOST
