"""Which programs a shell command runs, and what a check says on a machine that lacks some of them."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from gitmem.model import BLOCKED, HOLDS, SHELL, Check, Spec
from gitmem.system.environment import search_path
from gitmem.verify.run.outcome import outcome_of
from gitmem.verify.run.shell_words import list_scripts, read_shell
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
        ("test $((1+2)) -eq 3", "test", True),
        ("((n++)); grep x f", None, False),
        ("! rg -q 'print()' PATH eval case f 2>/dev/null", "rg", True),
        ("PYTHONPATH=src rg x; command -v jq; ! command fd y", "rg command command fd", True),
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
    ],
)
def test_check_on_a_machine_without_its_programs_is_blocked_and_others_hold(bare, command, missing):
    ground, path = bare
    spec = Spec(Check(SHELL, (command,)), interpreter="sh", timeout_s=20)

    ran = sandbox.run_check(["sh", "-c", command], ground=ground, rung="none", network=False, timeout_s=20.0, path=path)

    outcome, why = outcome_of(ran, spec, "none", "", path)
    assert (outcome, why.partition("it needs ")[2].partition(",")[0]) == (BLOCKED if missing else HOLDS, missing), ran


def test_long_texts_are_read_in_time_that_grows_with_their_length():
    for text in ("a" * 1_000_000, "if a && b; then c; fi; " * 10_000, "{ " * 100_000, "${" * 300_000):
        began = time.process_time()
        read_shell(text)
        assert time.process_time() - began < 3, text[:20]


@pytest.mark.parametrize(
    ("command", "scripts"),
    [
        ("./run.sh --fast", ["run.sh"]),
        ("cd web && CI=1 node tools/check.js a.js", ["tools/check.js"]),
        ("! python3.11 -B tools/a.py | grep -q x", ["tools/a.py"]),
        ("timeout 9 sh -e tools/check.sh docs/a.md", ["tools/check.sh"]),
        ("uv run --with rich -p 3.12 s.py; poetry run python -X dev t.py", ["s.py", "t.py"]),
        ("npx -y tsx s.ts --watch x.ts && bun run --cwd web s.js", ["s.ts", "s.js"]),
        ("deno run --allow-read -c deno.json s.ts; deno test a/b_test.ts", ["s.ts", "a/b_test.ts"]),
        ("ruby -I lib -rjson s.rb; perl -Ilib -MJSON -w t.pl; perl -I core u.pl", ["s.rb", "t.pl", "u.pl"]),
        ("bash -x s.sh; bash -o pipefail t.sh; sh +e u.sh", ["s.sh", "t.sh", "u.sh"]),
        ("node --import ./reg.js -r dotenv/config --env-file=.env s.mjs", ["s.mjs"]),
        ("uv run bash -e s.sh && bundle exec ruby t.rb; php -d a=b u.php", ["s.sh", "t.rb", "u.php"]),
        ("python3 -m pytest tests/a.py; python3 -c 'x' a.py; perl -lne 'print' f.txt; node -pe 1 f", []),
        ("uv run pytest tests/a.py; bun run build; npx eslint a.js; npm run x; uv pip install -r r.txt", []),
        ("sh -c 'ruby tools/a.rb' b.rb && . ./env.sh", ["tools/a.rb", "env.sh"]),
        ("test -f docs/a.md; python3 < docs/a.md; node", []),
        ("echo 'unclosed", []),
    ],
)
def test_scripts_are_what_a_check_runs_and_not_what_it_reads(command: str, scripts: list[str]) -> None:
    assert list_scripts(command) == scripts
