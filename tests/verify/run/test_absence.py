"""Which scripts and recipes of a check take the absence of a program for success."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from gitmem.system.environment import search_path
from gitmem.verify.run.absence import find_skipped, find_swallowed, list_texts, recipes_of
from gitmem.verify.sandbox import sandbox
from tests.support.each import each

# The programs of the bare machine.
PROGRAMS = tuple("sh cat env find grep head ls make sed sort test timeout true wc xargs".split())


@pytest.fixture(scope="module")
def path(tmp_path_factory) -> str:
    """Return a PATH with few programs."""
    programs: Path = tmp_path_factory.mktemp("bin")
    for name in PROGRAMS:
        if place := sandbox.find_program(name, search_path()):
            (programs / name).symlink_to(place)
    return str(programs.resolve())


@each(
    ("script", "absent"),
    [
        ("#!/bin/sh\n! rg -q TODO src 2>/dev/null\n", "rg"),
        ("set -e\nif rg -q TODO src; then\n  echo found\n  exit 1\nfi\n", "rg"),
        ("if rg -q TODO src; then exit 1; fi\ngrep x f\n", "rg"),
        ("find_all() { grep -r x; }\n! find_all TODO\n", ""),
        (". ./lib.sh\n! find_all TODO\n", ""),
        ("if tput colors; then\n  red=1\nfi\ngrep -q x f\n", ""),
        ("! rg -q TODO src || ! grep -rq TODO src\n", ""),
        ("! grep -q TODO src\n", ""),
        ("rg --version\ngrep -q x f\n", ""),
        ("! rg -q x\r\n", "rg"),
        ('test -z "$(rg x)" || exit 1\n', "rg"),
        ("rg -q x && exit 1\nexit 0\n", "rg"),
        ("if ! rg -q x; then exit 1; fi\n", ""),
        ("if paint; then\n  red=1\nfi\ngrep x f || exit 1\n", ""),
        ('if [ -n "$MORE" ]; then\n  ! rg x\nfi\ngrep x f\n', ""),
        ("awk '\n! seen[$0]++\nif found { exit 1 }' f # don't\n", ""),
        ("find_all (  ) { grep -r x; }\n! find_all TODO\n", ""),
        ("for t in rg jq; do command -v $t || exit 1; done\n! rg x\n", ""),
        ("[ -x /usr/bin/rg ] || exit 0\n! rg x\n", ""),
        ("case $1 in\n  a) ! grep x f;;\nesac\n", ""),
        # A variable that says whether something was found.
        ("if rg x; then fail=1; fi\nexit $fail\n", "rg"),
        ('bad=0\nif rg x; then\n  bad=1\nfi\n[ "$bad" -eq 0 ]\n', "rg"),
        ('hits=$(rg x 2>/dev/null || true)\nif [ -n "$hits" ]; then\n  echo "$hits"\n  exit 1\nfi\n', "rg"),
        ('n=$(rg -c x | wc -l); test "$n" -eq 0\n', "rg"),
        ('out=`rg x`\n[ -n "$out" ] && exit 1\nexit 0\n', "rg"),
        ('wide=$(tput cols)\nif [ "$wide" -gt 80 ]; then\n  long=1\nfi\ngrep x f\n', ""),
        ('wide=$(tput cols)\n[ "$wide" -gt 80 ] && long=1\ngrep x f\n', ""),
        ('x=$(rg x || grep -r x .)\n[ -z "$x" ]\n', ""),
        ("c=$(tput colors)\nif [ $c -ge 8 ]; then\n  red=1\nfi\n[ -n $red ] && echo hi\ngrep x f\n", ""),
        ("if docker ps; then\n  docker run a || exit 1\nelse\n  echo none\nfi\ngrep x f\n", ""),
        ("if rg x; then fail=1; fi; exit $fail\n", "rg"),
        ("bad=0\nif rg x; then bad=1; fi\nif [ $bad = 1 ]; then\n  exit 1\nfi\n", "rg"),
        # Nothing is printed, or no line.
        ('[ "$(rg x | wc -l)" -eq 0 ]\n', "rg"),
        ("rg x 2>/dev/null | wc -l | grep -qx 0\n", "rg"),
        ("export PYTHONPATH=src\n! rg x\n", "rg"),
        ("PATH=bin:$PATH\n! rg x\n", ""),
        ("! command rg x\n", "rg"),
        ('test -z "`rg x`"\ngrep -q x f\n', "rg"),
        # A default where a program prints nothing; a branch for another word.
        ('wide=$(tput cols)\n[ -n "$wide" ] || wide=80\ngrep -q x f\n', ""),
        ('wide=$(tput cols)\nif [ -z "$wide" ]; then wide=80; fi\nif [ $wide -lt 9 ]; then exit 2; fi\n', ""),
        ("case $1 in\n  a)\n    if rg x; then\n      exit 1\n    fi\n    ;;\nesac\ngrep -q x f\n", ""),
        ("case $1 in a) x=1;; esac\n! rg x\n", "rg"),
    ],
)
def test_script_that_takes_the_absence_of_a_program_for_success_is_found(path, script, absent):
    assert find_swallowed(script, path) == absent


@each(
    ("script", "absent"),
    [
        ("if ! command -v rg; then exit 0; fi\n! rg -q TODO src\n", "rg"),
        ("which rg >/dev/null || exit 0\n! rg x\n", "rg"),
        ("command -v rg >/dev/null 2>&1 || { echo skipped; exit 0; }\n! rg x\n", "rg"),
        ("if ! which rg >/dev/null\nthen\n  echo skipped\n  exit 0\nfi\n! rg x\n", "rg"),
        ('[ -x "$(command -v rg)" ] || exit 0\n! rg x\n', "rg"),
        ("which grep >/dev/null || exit 0\n! grep x f\n", ""),
        ("command -v rg || exit 125\n! rg x\n", ""),
        ("command -v rg || exit 1\n! rg x\n", ""),
        ("if ! command -v rg; then\n  grep -r x .\nelse\n  rg x\n  exit 0\nfi\n", ""),
        ("paint() {\n  command -v tput || return 0\n}\ngrep x f\n", ""),
        ("if command -v rg; then ! rg x; else ! grep -r x .; fi\n", ""),
    ],
)
def test_script_that_ends_with_success_without_its_program_shows_nothing(path, script, absent):
    assert find_skipped(script, path) == absent


@each(
    ("makefile", "targets", "absent"),
    [
        ("lint:\n\t+@! rg x\n", "lint", "rg"),
        ("lint:\r\n\t! rg x\r\n", "lint", "rg"),
        ("lint:\n\t-@! rg x\n", "lint", ""),
        ("lint:\n\t! $(call tool,rg) x\n\t! $(shell which $(RG) || echo grep) x\n", "lint", ""),
        ('lint:\n\ttest -z "$$(rg x)"\n', "lint", "rg"),
        ("ifdef CI\nlint:\n\t! rg x\nelse\nlint:\n\t! grep x f\nendif\n", "lint", ""),
        (".ONESHELL:\nlint:\n\t! rg x\n\tgrep y f\n", "lint", ""),
        ("export PATH := bin:$(PATH)\nlint:\n\t! rg x\n", "lint", ""),
        ("RG = rg\nlint: src\n\t@! rg -q TODO src\n\n\t$(RG) x\nfix:\n\t! $(RG) y\n", "lint", "rg"),
        ("RG = rg\nlint: src\n\t@! rg -q TODO src\n\n\t$(RG) x\nfix:\n\t! $(RG) y\n", "fix", ""),
        ("check: lint | dirs\n\ttrue\nlint: style\nstyle:\n\t! rg x\n", "check", "rg"),
        ("a: b\nb: a\n\t! rg x\n", "a", "rg"),
        ("all: lint\nlint: ; ! rg x\n", "", "rg"),
        (".PHONY: lint\nfmt lint:\n\t! rg x\n", "lint", "rg"),
        ('vet:\n\t@out=$$(rg x 2>/dev/null); test -z "$$out"\n', "vet", "rg"),
        ("lint:\n\t! grep x f\nother:\n\t! rg x\n", "lint", ""),
    ],
)
def test_recipes_of_targets_and_of_what_they_need_are_read(path, makefile, targets, absent):
    recipes = recipes_of(makefile.replace("\r\n", "\n"), targets.split())

    assert next(filter(None, (find_swallowed(recipe, path) for recipe in recipes)), "") == absent


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
        find_swallowed(text, "/none")
        find_skipped(text, "/none")
        assert time.process_time() - began < 3, text[:20]
