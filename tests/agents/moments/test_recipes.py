"""The commands that a command line runs as the repository defines them."""

from __future__ import annotations

from pathlib import Path

import pytest

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
