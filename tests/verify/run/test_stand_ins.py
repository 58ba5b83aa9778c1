"""What a check says on a machine that lacks programs: it is blocked if it needs one, however it is written."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from support.each import each

from gitmem.model import BLOCKED, HOLDS, SHELL, Check, Ran, Spec
from gitmem.system.environment import search_path
from gitmem.verify.run.called_scripts import list_texts
from gitmem.verify.run.outcome import argv_of, describe_vain, outcome_of
from gitmem.verify.run.stand_ins import MARK, find_crashed, find_needed, list_absent, read_started
from gitmem.verify.sandbox import sandbox

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# The programs of the bare machine, besides Python.
PROGRAMS = tuple(
    "sh bash mkdir chmod ln diff cat env false find grep head ls make sed sort test timeout true wc xargs".split()
)
FILES = {
    "api.py": "VERSION = 2\n",
    "lint.py": "import absent_yaml\n",
    "names.txt": "a;rg\n",
    "Makefile": "all:\n\ttrue\n",
    "tool.mk": "lint:\n\t! grep -q TODO api.py\n",
    "ignored.mk": "all:\n\t-rg VERSION .\n\tgrep -q VERSION api.py\n",
    "find.mk": "RG ?= rg\nfind:\n\t$(RG) VERSION .\n",
    "shell.mk": "HITS := $(shell rg VERSION . 2>/dev/null)\nfind:\n\ttest -z '$(HITS)'\n",
    "crash.sh": "python3 lint.py 2>/dev/null && exit 1\nexit 0\n",
    "module.sh": "if python3 -m absent_tool . 2>/dev/null | grep -q E501; then exit 1; fi\n",
    "vain.sh": "python3 lint.py 2>/dev/null\ngrep -q VERSION api.py\n",
    "find.sh": "rg -q VERSION . 2>/dev/null\n",
    "lib.sh": 'find_all() { rg -q "$1" .; }\n',
    "case.sh": "case $1 in\nlint)\n  if rg VERSION . 2>/dev/null; then\n    exit 1\n  fi\n  ;;\nesac\n",
    "start.py": "import subprocess as s\ntry:\n    exit(not s.call(['rg', 'VERSION']))\nexcept OSError:\n    pass\n",
    "ask.py": "import shutil, subprocess\nif shutil.which('rg'):\n    exit(subprocess.call(['rg', 'VERSION']))\n",
}


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


@each(
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
        ("! command rg -q VERSION . 2>/dev/null", "the program rg"),
        ("if rg -q VERSION . 2>/dev/null; then fail=1; fi; exit $fail", "the program rg"),
        ("! rg -q eval . 2>/dev/null", "the program rg"),
        ("! rg -q 'print()' . 2>/dev/null", "the program rg"),
        ("PYTHONPATH=src; ! rg -q x . 2>/dev/null", "the program rg"),
        ("grep -q 2 api.py || exit 1; ! rg -q VERSION . 2>/dev/null", "the program rg"),
        ('hits=$(rg -l VERSION . 2>/dev/null || true); [ -z "$hits" ]', "the program rg"),
        ("if python3 lint.py; then exit 1; fi", "the Python module absent_yaml"),
        ('test -z "$(python3 lint.py)"', "the Python module absent_yaml"),
        ("python3 lint.py | wc -l | grep -q 0", "the Python module absent_yaml"),
        ("! make all absent", "the target absent of make"),
        ("! rg -q VERSION . 2>/dev/null && # none\n  grep -q 2 api.py", "the program rg"),
        ("grep -q 2 api.py &&\n\n  ! rg -q VERSION . 2>/dev/null", "the program rg"),
        ("grep -q 2 api.py; rg -l VERSION . 2>/dev/null |\n  wc -l | grep -q 0", "the program rg"),
        # True whatever is missing.
        ("rg VERSION . 2>/dev/null; grep -q 2 api.py && grep -q VERSION api.py", ""),
        ("rg VERSION . >/dev/null 2>&1 && true; grep -q 2 api.py || false", ""),
        ("python3 lint.py; grep -q 2 api.py && grep -q VERSION api.py", ""),
        ("! make absent", ""),
        ("python3 lint.py || grep -q VERSION api.py", ""),
        ("python3 lint.py; grep -q VERSION api.py", ""),
        ("python3 lint.py || true; grep -q VERSION api.py", ""),
        ("if python3 lint.py; then true; else grep -q VERSION api.py; fi", ""),
        ("if python3 -c 'import absent_yaml'; then exit 1; fi", ""),
        ("rg -q 'a;b' . 2>/dev/null || grep -q VERSION api.py", ""),
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
        # Absent in a subshell, a loop, a function, a script, a recipe, another language; its output is compared.
        ("set -e\nif rg -q TODO .; then\n  echo found\n  exit 1\nfi\n", "the program rg"),
        ("( cd . && ! rg -q VERSION . )", "the program rg"),
        ('rg -l VERSION . | while read -r f; do echo "$f"; exit 1; done', "the program rg"),
        ("n=0; rg -q VERSION . && n=$((n+1)); test $n -eq 0", "the program rg"),
        ("bash -c 'mapfile -t hits < <(rg -l VERSION .); test ${#hits[@]} -eq 0'", "the program rg"),
        ("! sh find.sh 2>/dev/null", "the program rg"),
        ('test -z "$(make -s -f find.mk 2>/dev/null)"', "the program rg"),
        ("if false || rg -q VERSION .; then exit 1; fi", "the program rg"),
        ("sh case.sh lint", "the program rg"),
        ("bash -c 'diff <(jq -S . a.json) <(jq -S . b.json)'", "the program jq"),
        ('case "$(jq -r .type a.json 2>/dev/null)" in commonjs) exit 1;; esac', "the program jq"),
        ('test "$(jq -r .type a.json 2>/dev/null)" != module', "the program jq"),
        ("! (rg VERSION . || true) | grep -q .", "the program rg"),
        ("find_all() { rg VERSION .; }\n! find_all\n", "the program rg"),
        (". ./lib.sh\n! find_all VERSION\n", "the program rg"),
        ('[ "$(rg -c VERSION . | wc -l)" -eq 0 ]', "the program rg"),
        ("go vet . 2>&1 | grep -q 'wrong type' && exit 1 || exit 0", "the program go"),
        ("python3 start.py", "the program rg"),
        ("if command -v rg >/dev/null; then ! rg -q VERSION .; fi", "the program rg"),
        ("if command -v rg; then ! rg -q VERSION .; else echo skipped; fi", "the program rg"),
        ("which rg >/dev/null || exit 0\n! rg -q VERSION .\n", "the program which"),
        ("command -v rg >/dev/null || exit 0\n! rg -q VERSION .\n", "the program rg"),
        ("if ! psql -c x >/dev/null 2>&1; then echo skipped; exit 0; fi; psql -f a.sql", "the program psql"),
        ("make -s -f shell.mk find", "the program rg"),
        ("c='rg -q VERSION .'; ! eval \"$c\"", "the program rg"),
        ("git -c alias.f='!rg -q VERSION .' f 2>/dev/null && exit 1; exit 0", "the program git"),
        ('R=$(command -v rg); [ -z "$R" ] || ! "$R" -q VERSION .', "the program rg"),
        ("bash -c 'read -r v < <(jq -r .a a.json 2>/dev/null); [[ $v != \">=18\" ]]'", "the program jq"),
        ("sh crash.sh", "the Python module absent_yaml"),
        ("sh module.sh", "the Python module absent_tool"),
        ('x=$(rg VERSION . 2>/dev/null | head -1); case "$x" in *VERSION*) exit 1;; esac', "the program rg"),
        ("R=rg; ! $R -q VERSION . 2>/dev/null", "the program rg"),
        ("G=rg; command -v ag && G=ag; ! $G -q VERSION . 2>/dev/null", "the program ag"),
        ("command -v rg || { echo none; env; exit 0; }; ! rg -q VERSION .", "the program rg"),
        ("command -v rg || exit 0; rg -q NONE .", "the program rg"),
        ('if [[ "$(cat api.py)" == b ]]; then exit 1; fi', "the program [["),
        ("! timeout 5 rg TODO .", "the program rg"),
        ("for f in *; do ! rg -q TODO $f; done", "the program rg"),
        ("! rg -q NONE . 2>/dev/null || [ $? -eq 127 ]", "the program rg"),
        ("golint . || [ $? -eq 127 ]", "the program golint"),
        ("golint .; s=$?; [ $s -eq 0 -o $s -eq 127 ]", "the program golint"),
        ("golint .; s=$?; [ $s -eq 127 ] || [ $s -eq 0 ]", "the program golint"),
        ("golint .; case $? in 0 | 127) ;; *) exit 1 ;; esac", "the program golint"),
        ("golint . || { s=$?; [ $s -eq 127 ]; }", "the program golint"),
        ("golint .; case $? in 0) ;; 127) ;; *) exit 1 ;; esac", "the program golint"),
        ("! rg -q 127.0.0.1 api.py", "the program rg"),
        ("! rg -q VERSION api.py:127", "the program rg"),
        ('set -- rg -q VERSION . 2>/dev/null; ! "$@" 2>/dev/null', "the program rg"),
        ('[ "$(rg -c NONE . || echo 0)" -eq 0 ]', "the program rg"),
        ('case $(command -v rg) in "") exit 0 ;; *) rg -q NONE . ;; esac', "the program rg"),
        ('n=$(rg -c NONE .); [ "${n:-0}" -eq 0 ]', "the program rg"),
        # True, with another program or without any.
        ("[ $(gnproc || echo 4) -ge 1 ] && grep -q VERSION api.py", ""),
        ('n=$(rg -c VERSION api.py); n=${n:-$(grep -c VERSION api.py)}; [ "$n" -eq 1 ]', ""),
        ('case $(command -v rg) in "") grep -q VERSION api.py ;; *) rg -q VERSION . ;; esac', ""),
        ('case "$(command -v rg 2>/dev/null)" in */rg) rg -q VERSION . ;; *) grep -q VERSION api.py ;; esac', ""),
        ("rg -q VERSION .; s=$?; [ $s = 127 ] && grep -q VERSION api.py", ""),
        ("rg -q VERSION . || [ $? = 127 ] && grep -q VERSION api.py", ""),
        ("sh vain.sh", ""),
        ("if docker info >/dev/null 2>&1; then docker run a || exit 1; fi; grep -q VERSION api.py", ""),
        ("if docker ps; then\n  docker run a || exit 1\nelse\n  echo none\nfi\ngrep -q VERSION api.py\n", ""),
        ('wide=$(tput cols 2>/dev/null)\n[ -n "$wide" ] || wide=80\ngrep -q VERSION api.py\n', ""),
        ('wide=$(tput cols)\nif [ "$wide" -gt 80 ]; then long=1; fi\ngrep -q VERSION api.py\n', ""),
        ('red=$(tput setaf 1); echo "$red"; grep -q VERSION api.py', ""),
        ('find_all() { grep -rq "$1" .; }\n! find_all NOTHING_$$\n', ""),
        ("if ! command -v rg; then grep -q VERSION api.py; exit; fi; ! rg -q VERSION .", ""),
        ("if command -v rg; then ! rg -q NONE; else ! grep -q NONE api.py; fi", ""),
        ('[ -z "$(rg -l NO api.py || grep -l NO api.py)" ]', ""),
        ("command -v rg && G=rg || G=grep; $G -q VERSION api.py", ""),
        ("G=grep; command -v rg && G=rg; $G -q VERSION api.py", ""),
        ('G=$(command -v rg || command -v grep); "$G" -q VERSION api.py', ""),
        ("command -v rg || {\n  echo none\n  grep -q VERSION api.py\n  exit\n}\nrg -q VERSION .\n", ""),
        ("! command -v yarn; rg VERSION .; grep -q VERSION api.py && ! command -v yarn", ""),
        ('rg VERSION . 2>&1; test "${PATH%:*}" = "$PATH"', ""),
        ("[[ -f none ]]; shopt -s nullglob; source env; test -f api.py", ""),
        ("make -f ignored.mk", ""),
        ("yarn; test $? -eq 127", ""),
        ("yarn; test $? -eq 127 || exit 1", ""),
        ("cd . || exit 1; yarn install; test $? -eq 127", ""),
        ("grep -o VERSION api.py; yarn install; test $? -eq 127", ""),
        ("case $HOME in x) exit 1 ;; esac; yarn; [ $? = 127 ]", ""),
        ("{ cd . || exit 1; }; yarn; [ $? = 127 ]; s=$?; cd . || [ $s = 1 ]; exit $s", ""),
        ("! yarn --version", ""),
        ("python3 ask.py", ""),
        ("cat <<E >/dev/null\nrg VERSION\nE\ngrep -q VERSION api.py", ""),
    ],
)
def test_check_on_a_machine_without_its_programs_is_blocked_and_others_hold(bare, command, missing):
    ground, path = bare

    def read(name: str) -> str:
        return (ground / name).read_text("ascii") if (ground / name).is_file() else ""

    run = runner(ground, path)
    spec = Spec(Check(SHELL, (command,)), interpreter="sh", timeout_s=20)
    ran = run(spec)
    outcome, why = outcome_of(ran, spec, "none", "")
    texts = {command: ""} | list_texts(command, read)
    if outcome == HOLDS and (crash := find_crashed(spec, texts, path, run)):
        outcome, why = BLOCKED, describe_vain(crash)
    elif outcome == HOLDS and (absent := find_needed(spec, texts, ran.output, path, run, is_safe=True)):
        outcome, why = BLOCKED, describe_vain(f"the program {absent}")

    assert (outcome, why.partition("it needs ")[2].partition(",")[0]) == (BLOCKED if missing else HOLDS, missing), ran


def runner(ground: Path, path: str) -> Callable[[Spec], Ran]:
    """Return what runs a check in a folder, without a sandbox."""

    def run(spec: Spec) -> Ran:
        argv = list(argv_of(spec))
        return sandbox.run_check(argv, ground=ground, rung="none", network=False, timeout_s=spec.timeout_s, path=path)

    return run


@each(
    ("command", "absent"),
    [
        ("rg VERSION .; grep -q VERSION api.py", ""),
        ("rg VERSION . || true; grep -q VERSION api.py", ""),
        ("! rg -q VERSION .", "rg"),
        ("if rg -q VERSION .; then exit 1; fi", "rg"),
    ],
)
def test_without_a_sandbox_a_program_that_was_started_is_needed_unless_its_status_is_ignored(bare, command, absent):
    ground, path = bare
    spec = Spec(Check(SHELL, (command,)), interpreter="sh", timeout_s=20)

    assert find_needed(spec, {command: ""}, "", path, runner(ground, path), is_safe=False) == absent


@each(
    ("answers", "absent"),
    [
        ("0" + "1" * 2, "rg"),  # it fails with the first stand-in, and again
        ("0" + "10" + "0" * 9, ""),  # it fails at random
        ("0" + "s" * 9, ""),  # the setup fails
        ("0" + "t" * 9, ""),  # it does not end
        ("t", ""),
    ],
)
def test_program_is_needed_if_a_stand_in_changes_the_answer_twice(answers, absent):
    spec, left, limits = Spec(Check(SHELL, ("rg x; grep y f",)), interpreter="sh", timeout_s=600), list(answers), []

    def run(other: Spec) -> Ran:
        answer = left.pop(0)
        limits.append(other.timeout_s)
        output = "" if answer in "st" else f"{MARK}rg\n"
        return Ran(int(answer != "0"), answer == "t", output, False, 8.0)

    assert find_needed(spec, {"rg x; grep y f": ""}, "", "/none", run, is_safe=True) == absent
    assert limits[0] == 600 and set(limits[1:]) <= {29}


@each(
    ("text", "names"),
    [
        ("grep -q 'type Config struct' api.go", ""),  # not the question of a shell
        ("command -v absent || exit 0; lost . a.json", "lost absent"),
        ("lost x || absent x; G=lost; $G y", "absent"),
        ("mode=fast; test $mode = fast", ""),
    ],
)
def test_absent_programs_are_those_that_a_text_may_start(text, names):
    assert " ".join(list_absent({text: ""}, "", "/usr/bin")) == names


def test_output_of_a_check_names_no_program_without_a_stand_in():
    assert read_started(f"{MARK}rg\n\x1b[31mjq\n../x read\n", ["rg"]) == {"rg": False}
