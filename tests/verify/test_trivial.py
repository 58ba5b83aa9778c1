"""Checks that cannot fail are recognised, those that can are let through, and what a built-in check would say."""

from __future__ import annotations

import shlex
import subprocess

from conftest import commit_files
from support.each import each
from support.facts import ask_builtin as ask

from gitmem.document.builtin_checks import CHECKS
from gitmem.model import BUILTIN, PROGRAM, SHELL, Check
from gitmem.system.process import run
from gitmem.verify.trivial import needs_code, suggest_builtin, why_trivial


@each(
    "command",
    [
        "true",
        ":",
        "  true  ",
        "/bin/true && true",
        "echo ok",
        "echo it holds # really",
        "printf done",
        "if rg -q TODO src; then echo bad; else echo ok; fi",
        "if make lint\nthen\n  echo ok\nfi",
        "exit 0",
        "exit",
        "true && true",
        "true; echo ok",
        "true | echo ok",
        "test 1",
        "[ x ]",
        "[ 1 = 1 ]",
        "test 1 -eq 1",
        "sleep 1",
        "# a comment",
        "# a comment\n:",
        "",
        "  ",
        "pwd",
        "date > /dev/null",
        "grep -q RS256 src/auth/jwt.py || true",
        "grep -q RS256 src/auth/jwt.py ; true",
        "grep -q RS256 src/auth/jwt.py\ntrue",
        "make test || echo failed",
        "make test; exit 0",
        "make test;:",
        "true # grep -q RS256 src/auth/jwt.py",
        "! false",
        "! test 1 = 2",
        "test 1 != 2",
        "[ 2 -gt 1 ]",
        "[ -e . ]",
        "test -d /",
        "[ -n text ]",
        "[ -z '' ]",
        "test 'a' = \"a\"",
        "cd . && ls -la",
        "command true",
        "CI=1 true",
        "sh -c 'exit 0'",
        "bash -c true",
        "grep -q '' Makefile || true",
        "grep -q '; false' x || :",
        "false || true",
        "make test &",
        "make test | tail -n 5",
        "make test 2>&1 | tee log",
        "! make test | false",
        "true > /dev/null 2>&1",
        "make test ||\n  true",
    ],
)
def test_command_that_cannot_fail_is_trivial(command):
    assert why_trivial(Check(SHELL, (command,)))


@each(
    "command",
    [
        "if rg -q TODO src; then echo bad; exit 1; fi",
        "if a; then echo ok; else false; fi",
        "if a; then echo ok; fi; grep -q x f",
        "if a; then if b; then echo ok; fi; fi; test -e x; if c; then echo d; fi",
        "grep -q RS256 src/auth/jwt.py",
        "test -f README.md",
        "[ -f README.md ]",
        "make test",
        "make test;",
        "make test\n# a comment",
        "make test; exit",
        "make test; exit $?",
        "make test || exit 1",
        "true && make test",
        "echo testing; make test",
        "test -f README.md && echo ok",
        "! grep -rq HS256 src",
        "grep -q '; true' README.md",
        'grep -q "; echo hi" README.md',
        "grep -q 'a\ntrue' README.md",
        "grep -q a b || false",
        "if grep -q a b; then exit 0; else exit 1; fi",
        "test $(ls | wc -l) -gt 3",
        "[ 1 = 2 ]",
        "truely",
        "env CI=1 make test",
        "[ $(cat count) ]",
        "[ $COUNT ]",
        "python -c 'import sys; sys.exit(1)'",
        "set -e\nmake test\necho ok",
        "set -eu; make test; true",
        "set -o pipefail; make test | tail -n 5",
        "make test || exit 1; true",
        "grep -rq HS256 src && exit 1 || exit 0",
        "grep -rq HS256 src && exit $? || true",
        "make test && make lint | tee log",
        "test -f a && cat a | head -n 1",
        ": < README.md",
        "echo ok > build/made",
        "cd src",
        "ls src",
        "! true",
        "false",
        "test 1 = 2",
        "[ -e README.md ]",
        "[ -d src ]",
        "test $A = $A",
        "[ ! -e . ]",
        "sh -c 'make test'",
        "sh -c 'exit 1'",
        "make test & wait $!",
        "for f in a b; do true; done",
        "f() { make test; }; f",
        "grep -q 'a' f | grep -q b",
        "cat <<E\ntrue\nE",
        "(make test); (make lint)",
        "echo $(make test | tail -n 1) | grep -q ok",
        "make test 2>&1 | grep -q passed",
        "A=$(make count)",
        "make test &&",
        "true && 'unclosed",
    ],
)
def test_command_that_may_fail_is_not(command):
    assert why_trivial(Check(SHELL, (command,))) == ""


@each("words", [("true",), ("/bin/true",), ("echo", "grep"), ("/usr/bin/env",), ("",)])
def test_program_that_cannot_fail_is_trivial(words):
    assert why_trivial(Check(PROGRAM, words))


@each("words", [("grep", "-q", "true", "f"), ("false",), ("./true-or-not",), ("make", "; true"), ("env", "make")])
def test_program_that_may_fail_is_not(words):
    assert why_trivial(Check(PROGRAM, words)) == ""


@each("regex", [".*", "a*", "^", "$", "^.*", "()", "x|", "(?s).{0}", r"\z", "[0-9]?", ".*foo.*|.*"])
def test_regular_expression_that_matches_every_file_is_trivial(regex):
    assert why_trivial(Check(BUILTIN, ("matches", regex, "**"))) == f"{regex!r} matches every file"


@each("regex", [".", "a+", "^$", "^#", r"\s", "a*b", "(unclosed"])
def test_regular_expression_that_some_file_does_not_match_is_not(regex):
    assert why_trivial(Check(BUILTIN, ("matches", regex, "**"))) == ""


@each("name", ["contains", "lacks", "matches"])
def test_builtin_check_for_an_empty_text_is_trivial(name):
    assert why_trivial(Check(BUILTIN, (name, "", "**")))


@each("name", CHECKS)
def test_builtin_check_says_itself_what_would_refute_it(name):
    assert why_trivial(Check(BUILTIN, (name, "x", "**")[: 1 + len(CHECKS[name].required)])) == ""


@each(
    ("command", "suggested"),
    [
        ("test -f README.md", "--exists README.md"),
        ("test -e src", "--exists src"),
        ("[ -d src/auth ]", "--exists src/auth"),
        ("grep -q RS256 src/auth/jwt.py", "--contains 'RS256' --in src/auth/jwt.py"),
        ("grep -q 'two words' README.md", "--contains 'two words' --in README.md"),
        ("grep -qF 'a.b*c' README.md", "--contains 'a.b*c' --in README.md"),
        ('grep -q "RETRIES = 3" src/gateway/retry.py', '--contains "RETRIES = 3" --in src/gateway/retry.py'),
        ("grep -q '^RETRIES' src/gateway/retry.py", "--matches '^RETRIES' --in src/gateway/retry.py"),
        ("grep -q 'foo()' a.py", "--contains 'foo()' --in a.py"),
    ],
)
def test_plain_grep_or_test_has_a_builtin_check(command, suggested):
    assert suggest_builtin(Check(SHELL, (command,))) == suggested


@each(
    "command",
    [
        "grep RS256 src/auth/jwt.py",
        "grep -qi rs256 src/auth/jwt.py",
        "grep -qv RS256 src/auth/jwt.py",
        "grep -q RS256 src/auth/jwt.py README.md",
        "grep -q RS256 src/auth/jwt.py | cat",
        "grep -q $WORD README.md",
        'grep -q "$WORD" README.md',
        "grep -q a* README.md",
        "grep -q 'f(.*)' a.py",
        r"grep -q 'a\|b' a.py",
        r"grep -q '\(a\)' a.py",
        "grep -q 'a+.' a.py",
        "grep -q -- -x README.md",
        "grep -q '*a' README.md",
        "grep -q 'a^b' README.md",
        "grep -q 'a\nb' README.md",
        "! grep -q x README.md",
        "test -x run.sh",
        "test -f a -a -f b",
        "make",
    ],
)
def test_no_builtin_check_is_suggested_for_what_it_would_not_mean(command):
    assert suggest_builtin(Check(SHELL, (command,))) == ""


def test_nothing_is_suggested_for_a_program_or_a_builtin_check():
    assert suggest_builtin(Check(PROGRAM, ("grep", "-q", "a", "b"))) == ""
    assert suggest_builtin(Check(BUILTIN, ("exists", "a"))) == ""


@each("text", ["RS256", "a.c", "^RS", "f(x)", "a+b", "a|b", "x{2}", "[R]S2", "6$", "-x", "a?"])
@each("flag", ["-q", "-qF"])
def test_suggested_check_answers_as_the_command_does(repo, text, flag):
    contents = {"f": "RS256\n", "g": "abc f(x) a+b\n", "h": "a|b x{2} -x\n", "i": "xx aab fx\n"}
    commit_files(repo, contents)
    for name in contents:
        command = f"grep {flag} -- {shlex.quote(text)} {name}"
        suggested = suggest_builtin(Check(SHELL, (command,)))
        if not suggested:
            continue
        option, wanted, _, where = shlex.split(suggested)

        held = run(["sh", "-c", command], cwd=repo, env=None, check=False).status == 0

        assert (ask(repo, option.removeprefix("--"), wanted, where).outcome == "holds") == held, command


@each(
    ("command", "is_sure"),
    [
        ("grep -q RS256 src/jwt.py", True),
        ("grep -qF 'a b' *.md", True),
        ("test -f src/a.py", True),
        ("[ -d src ]", True),
        ("true && grep -q x a.py && echo ok", True),
        ("! grep -q x a.py", False),
        ("grep -q x a.py || true", False),
        ("grep -q x a.py; true", False),
        ("grep -q root /etc/passwd", False),
        ("test -d .", False),
        ("test -d ../x", False),
        ("grep -qs x a.py", True),
        ('grep -q "$X" a.py', False),
        ("test ! -e a.py", False),
        ("cat a.py | grep -q x", False),
        ("node a.js", False),
        ("grep -q x a.py &", False),
    ],
)
def test_commands_that_certainly_fail_in_an_empty_folder_fail_there(command, is_sure, tmp_path):
    assert needs_code(Check(SHELL, (command,))) is is_sure
    if is_sure:
        assert subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, check=False).returncode != 0
