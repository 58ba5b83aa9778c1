"""Which scripts and recipes a check runs."""

from __future__ import annotations

import time

from support.each import each

from gitmem.verify.run.called_scripts import list_started, list_texts, recipes_of


@each(
    ("makefile", "targets", "recipes"),
    [
        ("lint:\n\t+@! rg x\n", "lint", "! rg x"),
        ("lint:\r\n\t! rg x\r\n", "lint", "! rg x"),
        (
            "lint:\n\t! $(call tool,rg) x\n\t! $(shell which $(RG) || echo grep) x\n",
            "lint",
            "! ./variable x|! ./variable x",
        ),
        ('lint:\n\ttest -z "$$(rg x)"\n', "lint", 'test -z "$(rg x)"'),
        ("ifdef CI\nlint:\n\t! rg x\nelse\nlint:\n\t! grep x f\nendif\n", "lint", "! rg x|! grep x f"),
        (
            "RG ?= rg\nlint: src\n\t@! rg -q TODO src\n\n\t$(RG) x\nfix:\n\t! $(RG) y\n",
            "lint",
            "! rg -q TODO src||rg x",
        ),
        ("RG = rg\nlint: src\n\t@! rg -q TODO src\nfix:\n\t! ${RG} y\n", "fix", "! rg y"),
        ("check: lint | dirs\n\ttrue\nlint: style\nstyle:\n\t! rg x\n", "check", "true|! rg x"),
        ("a: b\nb: a\n\t! rg x\n", "a", "! rg x"),
        ("all: lint\nlint: ; ! rg x\n", "", "! rg x"),
        (".PHONY: lint\nfmt lint:\n\t! rg x\n", "lint", "! rg x"),
        ("lint:\n\t! grep x f\nother:\n\t! rg x\n", "lint", "! grep x f"),
    ],
)
def test_recipes_of_targets_and_of_what_they_need_are_read(makefile, targets, recipes):
    found = recipes_of(makefile.replace("\r\n", "\n"), targets.split())

    assert "|".join(line.strip() for recipe in found for line in recipe.split("\n")) == recipes


def test_dollar_of_a_recipe_is_the_shells():
    assert recipes_of("fix:\n\t! $(RG) y $$HOME\n", ["fix"]) == ["! ./variable y $HOME"]


@each(
    ("command", "found"),
    [
        ("./ci/lint.sh && make -s lint JOBS=2", "inner lint style"),
        ("! bash -euo pipefail ci/lint.sh -o out", "inner style"),
        ("grep -q make ci/lint.sh", ""),
        ("make -C sub", "sub"),
        ("make -f own.mk", "own"),
        ("make -n lint", ""),
        ("make", "first"),
        ("npx tsx ci/a.ts; python3 ci/lint.sh", ""),
        ("cd ui && npm run -s lint", "npm style"),
        ("npm test && yarn --silent build:all", "all top"),
        ("npm ci; npm run absent", ""),
    ],
)
def test_texts_of_a_check_are_the_scripts_and_recipes_that_it_runs(command, found):
    files = {
        "ci/lint.sh": "sh ci/inner.sh\nmake style\n",
        "ci/inner.sh": "echo inner\n",
        "Makefile": "first:\n\techo first\nlint:\n\techo lint\nstyle:\n\techo style\n",
        "sub/Makefile": "a:\n\techo sub\n",
        "own.mk": "a:\n\techo own\n",
        "ci/a.ts": "echo ts\n",
        "ui/package.json": '{"scripts": {"prelint": "make style", "lint": "echo npm"}}',
        "package.json": '{"scripts": {"test": "echo top", "build:all": "echo all"}}',
    }

    texts = list_texts(command, lambda path: files.get(path, ""))

    assert " ".join(sorted(text.removeprefix("echo ").strip() for text in texts if text.startswith("echo"))) == found


def test_long_scripts_and_makefiles_are_read_in_time_that_grows_with_their_length():
    for text in (
        "a: a\n" * 10_000,
        "x=$(rg x)\n" * 300,
        "if ! which rg\n" * 5_000,
        "which a " * 8_000,
        "a\\\n" * 20_000,
    ):
        began = time.process_time()
        recipes_of(text, ["a"])
        list_started(text)
        assert time.process_time() - began < 3, text[:20]
