"""Which programs a shell command runs, and what a check says on a machine that lacks some of them."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from gitmem.model import BLOCKED, HOLDS, SHELL, Check, Spec
from gitmem.system.environment import search_path
from gitmem.verify.run.outcome import outcome_of
from gitmem.verify.run.shell_words import find_swallowed, list_scripts, list_targets, read_shell, recipe_of
from gitmem.verify.sandbox import sandbox

# The programs of the bare machine, besides Python.
PROGRAMS = tuple("sh cat env false find grep head ls make sed sort test timeout true wc xargs".split())
FILES = {
    "api.py": "VERSION = 2\n",
    "lint.py": "import absent_yaml\n",
    "names.txt": "a;rg\n",
    "Makefile": "all:\n\ttrue\n",
    "tool.mk": "lint:\n\t! grep -q TODO api.py\n",
}


@pytest.mark.parametrize(
    ("text", "names", "is_sure"),
    [
        ("! rg -q TODO src 2>/dev/null", "rg", True),
        ('test -z "$(rg TODO src)" && cat `ls a`', "test rg cat ls", True),
        ("for f in src/*; do ! rg -q TODO $f; done", "rg", True),
        ("ls src | xargs -n 1 rg TODO; LANG=C sort", "ls xargs rg sort", True),
        ("find . -name '*.py' -exec rg TODO {} \\; 2>out", "find rg", True),
        ("! timeout -k 1 5s node x.js &>/dev/null", "timeout node", True),
        ("sh -c 'rg x | jq .'; bash -ec \"node y\"", "sh rg jq bash node", True),
        ("grep -q 'a; rg b' f # ; rg c", "grep", True),
        ('test "$(grep -c "a)b" f)" = 1 >&2', "test grep", True),
        ("(cd a && { make; }) & wait", "cd make wait", True),
        ("case $x in a) foo;; esac", None, False),
        ("f() { rg x; }; f", None, False),
        ("cat <<E\nfoo\nE", None, False),
        ("PATH=$PATH:bin tool", None, False),
        (". venv/bin/activate && tool", None, False),
        ("test $((1+2)) -eq 3", None, False),
        ("grep -q 'open f", None, False),
        ("chk(  ) { a; }; chk", None, False),
        ("bash -c 'a=(rg jq); b <(c)'", None, False),
        ('x=${FOO:-(jq)}; test "${y:-a; b}"', "test", True),
        ("[[ -f a && foo == (b|c) ]] && grep d e", "[[ grep", True),
        ("env -u FOO timeout -s KILL 5 xargs -I FILE grep x FILE", "env timeout xargs grep", True),
        ("$(" * 50 + "a", None, False),
    ],
)
def test_programs_of_a_shell_command_are_found_or_the_list_is_unsure(text, names, is_sure):
    found = read_shell(text)

    assert found.is_sure == is_sure
    assert names is None or " ".join(one.name for one in found.commands) == names


@pytest.fixture(scope="module")
def bare(tmp_path_factory) -> tuple[Path, str]:
    """Return a folder of code, and a PATH with few programs."""
    ground, programs = tmp_path_factory.mktemp("ground"), tmp_path_factory.mktemp("bin")
    for name, text in FILES.items():
        (ground / name).write_text(text, encoding="ascii")
    for name in PROGRAMS:
        if place := sandbox.find_program(name, search_path()):
            (programs / name).symlink_to(place)
    (programs / "python3").symlink_to(sys.executable)
    return ground.resolve(), str(programs.resolve())


@pytest.mark.parametrize(
    ("command", "missing"),
    [
        # True only because something is missing.
        ("! rg -q VERSION . 2>/dev/null", "the program rg"),
        ("! rg -q VERSION . >/dev/null 2>&1", "the program rg"),
        ('test -z "$(rg VERSION . 2>/dev/null)"', "the program rg"),
        ("! find . -name '*.py' -exec rg -q VERSION {} +", "the program rg"),
        ("find . -name '*.py' -exec rg -l VERSION {} \\; | wc -l | grep -q 0", "the program rg"),
        ("! node lint.js 2>/dev/null", "the program node"),
        ("! npx eslint . 2>/dev/null", "the program npx"),
        ("sh -c '! rg -q VERSION . 2>/dev/null'", "the program rg"),
        ("if jq . a.json 2>/dev/null; then exit 1; fi", "the program jq"),
        ("grep -q 2 api.py && ! ruff check . 2>/dev/null", "the program ruff"),
        ("! python3 -m absent_tool .", "the Python module absent_tool"),
        ("! python3 lint.py", "the Python module absent_yaml"),
        ("rg -q VERSION . 2>/dev/null; true", "the program rg"),
        # True whatever is missing.
        ("rg VERSION .; grep -q VERSION api.py", ""),
        ("rg VERSION . 2>/dev/null; grep -q VERSION api.py", ""),
        ("rg -q VERSION . 2>/dev/null || grep -q VERSION api.py", ""),
        ("if command -v rg >/dev/null 2>&1; then rg VERSION .; else grep -q VERSION api.py; fi", ""),
        ("! command -v yarn 2>/dev/null", ""),
        ("grep -q VERSION api.py && { tput bold 2>/dev/null || true; }", ""),
        ("! python3 -c 'import absent_yaml'", ""),
        ("! grep -q TODO api.py 2>/dev/null", ""),
        ("grep -q 'a;rg' names.txt 2>/dev/null", ""),
        ("! make lint 2>/dev/null", ""),
        ("make -f tool.mk lint >/dev/null 2>&1", ""),
        ("test ! -e node.js && ! ls node 2>/dev/null", ""),
        ("for f in *.py; do grep -q . $f 2>/dev/null || exit 1; done", ""),
        # True, and the program was not run.
        ('[ -n "$NO" ] && npm ci >/dev/null 2>&1; grep -q VERSION api.py', ""),
        ('[ -n "$NO" ] && npm ci 2>/dev/null; if true; then grep -q VERSION api.py; fi', ""),
        ("test -x /usr/zzz && { zzz 2>/dev/null; exit; }; grep -q VERSION api.py", ""),
        ("if [ -f package.json ]; then npm test 2>/dev/null; else grep -q VERSION api.py; fi", ""),
        ("until grep -q VERSION api.py 2>/dev/null; do snooze 1; done; grep -q 2 api.py", ""),
        ("test -f api.py &&\n{ true; ! rg -q VERSION . 2>/dev/null; }", "the program rg"),
        ("if test -f api.py; then ! rg -q VERSION . 2>/dev/null; fi", "the program rg"),
    ],
)
def test_check_on_a_machine_without_its_programs_is_blocked_and_others_hold(bare, command, missing):
    ground, path = bare
    spec = Spec(Check(SHELL, (command,)), interpreter="sh", timeout_s=20)

    ran = sandbox.run_check(["sh", "-c", command], ground=ground, rung="none", network=False, timeout_s=20.0, path=path)

    outcome, why = outcome_of(ran, spec, "none", "", path)
    assert (outcome, why.partition("it needs ")[2].partition(",")[0]) == (BLOCKED if missing else HOLDS, missing), ran


@pytest.mark.parametrize(
    ("script", "absent"),
    [
        ("#!/bin/sh\n! rg -q TODO src 2>/dev/null\n", "rg"),
        ("set -e\nif rg -q TODO src; then\n  echo found\n  exit 1\nfi\n", "rg"),
        ("if rg -q TODO src; then exit 1; fi\ngrep x f\n", "rg"),
        ("if ! command -v rg; then exit 0; fi\n! rg -q TODO src\n", ""),
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
    ],
)
def test_script_that_takes_the_absence_of_a_program_for_success_is_found(bare, script, absent):
    assert find_swallowed(script, bare[1]) == absent


def test_recipe_of_a_target_is_read_without_variables_of_make(bare):
    makefile = "RG = rg\nlint: src\n\t@! rg -q TODO src\n\n\t$(RG) x\nfix:\n\t! $(RG) y $$HOME\n"

    recipes = {target: recipe_of(makefile, target) for target in ("lint", "fix", "RG", "absent")}

    assert [find_swallowed(recipe, bare[1]) for recipe in recipes.values()] == ["rg", "", "", ""]
    assert "$HOME" in recipes["fix"] and not recipes["RG"] + recipes["absent"]


@pytest.mark.parametrize(
    ("makefile", "absent"),
    [
        ("lint:\n\t+@! rg x\n", "rg"),
        ("lint:\r\n\t! rg x\r\n", "rg"),
        ("lint:\n\t-@! rg x\n", ""),
        ("lint:\n\t! $(call tool,rg) x\n\t! $(shell which $(RG) || echo grep) x\n", ""),
        ('lint:\n\ttest -z "$$(rg x)"\n', "rg"),
        ("ifdef CI\nlint:\n\t! rg x\nelse\nlint:\n\t! grep x f\nendif\n", ""),
        (".ONESHELL:\nlint:\n\t! rg x\n\tgrep y f\n", ""),
        ("export PATH := bin:$(PATH)\nlint:\n\t! rg x\n", ""),
    ],
)
def test_recipe_that_make_may_run_otherwise_is_not_doubted(bare, makefile, absent):
    assert find_swallowed(recipe_of(makefile, "lint"), bare[1]) == absent


def test_long_texts_are_read_in_time_that_grows_with_their_length():
    for text in ("a" * 1_000_000, "if a && b; then c; fi; " * 10_000, "{ " * 100_000, "${" * 300_000):
        began = time.process_time()
        read_shell(text)
        assert time.process_time() - began < 3, text[:20]


@pytest.mark.parametrize(
    ("command", "scripts", "targets"),
    [
        ("./ci/lint.sh && make -s lint JOBS=2", ["ci/lint.sh"], ["lint"]),
        ("! bash -e ci/lint.sh src", ["ci/lint.sh"], []),
        ("bash -euo pipefail ci/lint.sh -o out", ["ci/lint.sh"], []),
        ("grep -q make ci/lint.sh", [], []),
        ("make -C sub lint", [], []),
    ],
)
def test_scripts_and_targets_of_a_check_are_those_that_it_runs(command, scripts, targets):
    assert (list_scripts(command, of_shells=True), list_targets(command)) == (scripts, targets)


@pytest.mark.parametrize(
    ("command", "scripts"),
    [
        ("./run.sh --fast", ["run.sh"]),
        ("cd web && CI=1 node tools/check.js a.js", ["tools/check.js"]),
        ("! python3.11 -B tools/a.py | grep -q x", ["tools/a.py"]),
        ("timeout 9 sh -e tools/check.sh docs/a.md", ["tools/check.sh"]),
        ("sh -c 'ruby tools/a.rb' b.rb && . ./env.sh", ["tools/a.rb", "env.sh"]),
        ("test -f docs/a.md; python3 < docs/a.md; node", []),
        ("echo 'unclosed", []),
    ],
)
def test_scripts_are_what_a_check_runs_and_not_what_it_reads(command: str, scripts: list[str]) -> None:
    assert list_scripts(command) == scripts
