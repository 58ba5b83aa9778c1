"""What a check missed, by the messages of common tools and by its command; the trace is in test_never_held."""

from __future__ import annotations

from support.each import each

from gitmem.model import PROGRAM, SHELL, Check, Spec
from gitmem.verify.run.missing import SEARCHED, describe_unset, find_missing

OUTPUTS = {
    "python-module": ("ModuleNotFoundError: No module named 'yaml'", "the Python module yaml"),
    "python-m": ("/usr/bin/python3: No module named pytest", "the Python module pytest"),
    "node-require": ("Error: Cannot find module 'is-odd'\nRequire stack:\n- /x/check.js", "the Node.js package is-odd"),
    "node-import": ("Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@scope/a' imported from", "package @scope/a"),
    "ruby": ("cannot load such file -- rspec (LoadError)", "the Ruby library rspec"),
    "perl": ("Can't locate JSON/XS.pm in @INC (you may need to install", "the Perl module JSON/XS.pm"),
    "rust": ("error[E0463]: can't find crate for `serde`", "the crate serde"),
    "cargo-offline": ("error: no matching package named `rand` found\nlocation searched", "the crate rand"),
    "go-cache": ("main.go:3:8: no required module provides package rsc.io/quote; to add", "the Go module rsc.io/quote"),
    "npm-cache": ("npm error ENOTCACHED request failed: for https://registry/left-pad", "the npm package https://"),
    "pip": ("ERROR: No matching distribution found for requests==2", "the Python package requests"),
    "header": ("a.c:1:10: fatal error: zlib.h: No such file or directory", "the header zlib.h"),
    "linker": ("/usr/bin/ld: cannot find -lssl: No such file", "the library ssl"),
    "dash": ("./x.sh: 3: jq: not found", "the program jq"),
    "bash": ("x.sh: line 3: jq: command not found", "the program jq"),
    "env": ("/usr/bin/env: 'node': No such file or directory", "the program node"),
    "make": ("make: protoc: No such file or directory\nmake: *** [Makefile:2: all] Error 127", "the program protoc"),
    "node-spawn": ("Error: spawn docker ENOENT\n    at ChildProcess", "the program docker"),
    "go-exec": ('exec: "buf": executable file not found in $PATH', "the program buf"),
    "unbound": ("sh: 1: TOKEN: parameter not set", "the variable TOKEN"),
    "port": ("Error: connect ECONNREFUSED 127.0.0.1:5432", "a service at 127.0.0.1:5432"),
    "maven": (
        "in offline mode and the artifact org.x:parent:pom:4.1.0 has not been downloaded from it before.",
        "org.x",
    ),
    "only-bash": ("sh: 1: [[: not found", "only bash can read"),
    "only-bash-source": ("sh: 1: source: not found", "only bash can read"),
    "postgres": ('connection to server at "localhost" (::1), port 5432 failed: refused', "a service at localhost"),
    "locale": ("bash: warning: setlocale: LC_ALL: cannot change locale (de_DE.UTF-8)", "the locale de_DE.UTF-8"),
    "python-locale": ("locale.Error: unsupported locale setting", "a locale"),
}
# Failures of the code itself, in which nothing is missing on this machine.
OF_THE_CODE = (
    "AssertionError: assert 3 == 4",
    "Error: Cannot find module './util'\nRequire stack:",
    "Error: Cannot find module '/ground/check.js'",
    "FileNotFoundError: [Errno 2] No such file or directory: 'settings'",
    "grep: src/a.py: No such file or directory",
    "KeyError: 'HOME'",
    "",
)


@each("tool", OUTPUTS)
def test_message_of_a_tool_names_what_is_missing(tool):
    output, named = OUTPUTS[tool]

    assert named in find_missing(f"collecting things\n{output}\n")


@each(
    ("word", "text", "named"),
    [
        ("[[", "if [[ -f a ]]; then exit 1; fi", "put bash syntax in bash -c"),
        ("source", "source env; test -f a", "put bash syntax in bash -c"),
        ("[[", "npm test", "a script of the code"),
        ("source", "make resource", "a script of the code"),
    ],
)
def test_bash_syntax_is_that_of_the_check_only_if_its_text_has_it(word, text, named):
    assert named in find_missing(f"sh: 1: {word}: not found", text)


@each("output", OF_THE_CODE)
def test_failure_of_the_code_names_nothing(output):
    assert find_missing(output) == ""


def test_long_output_is_searched_at_both_ends():
    noise = "x" * (3 * SEARCHED)

    assert "yaml" in find_missing(f"No module named 'yaml'\n{noise}")
    assert "yaml" in find_missing(f"{noise}\nNo module named 'yaml'")


@each(
    ("command", "declared", "named"),
    [
        ('test -n "$DEPLOY"', ("DEPLOY",), "DEPLOY is not set"),
        ('test "$A$B"', ("A", "B"), "A, B are not set"),
        ('test -n "$GM_TOKEN"', (), "the variable GM_TOKEN unless the fact declares it"),
        ("test -n ${GM_TOKEN}", (), "the variable GM_TOKEN"),
        ("test -n ${GM_TOKEN:-x}", (), ""),
        ("GM_TOKEN=1; test $GM_TOKEN = 2", (), ""),
        ("awk '{ print $NF }' a | grep x", (), ""),
        ('for F in *; do test -s "$F"; done', (), ""),
        ('test -d "$HOME/x" && grep $1 a', (), ""),
    ],
)
def test_variable_that_a_check_needs_is_named(command, declared, named, monkeypatch):
    for name in ("DEPLOY", "A", "B"):
        monkeypatch.delenv(name, raising=False)

    found = describe_unset(Spec(Check(SHELL, (command,)), interpreter="sh", timeout_s=9, variables=declared))

    assert named in found if named else found == ""


def test_variable_that_is_set_is_not_missing(monkeypatch):
    monkeypatch.setenv("DEPLOY", "")

    assert describe_unset(Spec(Check(PROGRAM, ("deploy",)), timeout_s=9, variables=("DEPLOY",))) == ""
