"""Built-in checks: what each answers, on real commits, and what none of them can be made to do."""

from __future__ import annotations

import os
import time
from hashlib import sha256

import pytest
from conftest import CODE, commit_files, git
from support.each import each
from support.facts import ask_builtin as ask
from support.facts import commit_raw, tree_of

from gitmem.document.answers import BuiltinAnswer
from gitmem.document.builtin_checks import CHECKS, parse_arguments, words_of
from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.model import BLOCKED, BUILTIN, FAILS, HOLDS, Check
from gitmem.verify import builtin_answers
from gitmem.verify.builtin_answers import answer_all

README_SHA = sha256(CODE["README.md"].encode()).hexdigest()


@each(
    ("words", "outcome"),
    [
        (("exists", "src/auth/jwt.py"), HOLDS),
        (("exists", "src/auth"), HOLDS),
        (("exists", "src/*/jwt.py"), FAILS),
        (("absent", "src/*/jwt.py"), BLOCKED),
        (("absent", "src/*/jwt.go"), HOLDS),
        (("exists", "src/auth/jwt"), FAILS),
        (("exists", "jwt.py"), FAILS),
        (("absent", "setup.py"), HOLDS),
        (("absent", "src/auth"), FAILS),
        (("contains", "RS256", "src/auth/jwt.py"), HOLDS),
        (("contains", "RS256", "src/**"), HOLDS),
        (("contains", "RS256", "src/*"), FAILS),
        (("contains", "rs256", "src/**"), FAILS),
        (("contains", "RS256", "nothing/**"), FAILS),
        (("contains", '"RS256"\n\n\ndef', "src/**"), HOLDS),
        (("matches", "RETRIES = [0-9]+", "src/**"), HOLDS),
        (("matches", "^def sign", "src/**"), HOLDS),
        (("matches", "claims$", "src/auth/jwt.py"), HOLDS),
        (("matches", "^claims", "src/**"), FAILS),
        (("matches", "x", "nothing"), FAILS),
        (("matches", "(", "src/**"), BLOCKED),
        (("matches", "(", "nothing"), BLOCKED),
        (("matches", r"(a)\1", "src/**"), BLOCKED),
        (("lacks", "HS256", "src/**"), HOLDS),
        (("lacks", "RS256", "src/**"), FAILS),
        (("lacks", "x", "nothing/**"), BLOCKED),
        (("same", README_SHA, "README.md"), HOLDS),
        (("same", "0" * 64, "README.md"), FAILS),
        (("same", README_SHA, "nothing.md"), FAILS),
    ],
)
def test_check_answers_as_documented(repo, words, outcome):
    assert ask(repo, *words).outcome == outcome


@each(
    ("words", "because"),
    [
        (("exists", "setup.py"), "setup.py does not exist"),
        (("absent", "README.md"), "README.md exists"),
        (("contains", "HS256", "src/**"), "no file of src/** contains 'HS256'"),
        (("contains", "HS256", "lib/**"), "no file matches lib/**"),
        (("matches", "H.256", "src/**"), "no file of src/** matches 'H.256'"),
        (("lacks", "=", "**"), "pyproject.toml:2 contains '=' and 2 more"),
        (("lacks", "RS256", "**"), "src/auth/jwt.py:1 contains 'RS256'"),
        (("same", "0" * 64, "README.md"), "README.md has another SHA-256"),
    ],
)
def test_answer_says_why_it_fails(repo, words, because):
    assert ask(repo, *words).because == because


def test_text_is_bytes_of_any_encoding(repo):
    commit_raw(repo, {b"latin1.txt": b"caf\xe9 \x00 end", b"utf8.txt": "café".encode()})

    assert ask(repo, "contains", "end", "latin1.txt").outcome == HOLDS
    assert ask(repo, "contains", "café", "latin1.txt").outcome == FAILS
    assert ask(repo, "contains", "café", "utf8.txt").outcome == HOLDS
    assert ask(repo, "matches", "caf. . end", "latin1.txt").outcome == HOLDS
    assert ask(repo, "matches", "café", "utf8.txt").outcome == HOLDS


def test_name_that_is_no_utf8_can_be_reported(repo):
    commit_raw(repo, {b"odd/\xff": b"secret plans"})

    answer = ask(repo, "lacks", "plans", "odd/**")

    assert answer.because == os.fsdecode(b"odd/\xff:1") + " contains 'plans'"


def test_uncommitted_change_is_not_looked_at(repo):
    (repo / "src/auth/jwt.py").write_text("HS256\n", encoding="utf-8")

    assert ask(repo, "contains", "RS256", "src/**").outcome == HOLDS


def test_content_behind_a_link_is_neither_true_nor_false(repo):
    (repo / "link").symlink_to("README.md")
    (repo / "code").symlink_to("src")
    commit_files(repo, {})
    named = {
        ("contains", "no such text", "link"): "link is a symbolic link to README.md",
        ("lacks", "no such text", "link"): "link is a symbolic link to README.md",
        ("agree", "README.md", "link"): "link is a symbolic link to README.md",
        ("absent", "code/auth/jwt.py"): "code is a symbolic link to src",
        ("exists", "code/auth/jwt.py"): "code is a symbolic link to src",
        ("contains", "RS256", "code/auth/*.py"): "code is a symbolic link to src",
    }

    answers = {check: ask(repo, *check) for check in named}

    assert ask(repo, "exists", "link").outcome == HOLDS
    assert ask(repo, "contains", "RS256", "**").outcome == HOLDS
    for check, why in named.items():
        assert answers[check] == BuiltinAnswer(BLOCKED, f"{why}: name the file that it leads to"), check


def test_submodule_is_there_and_holds_no_text(repo):
    git(repo, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},vendor/lib")
    git(repo, "commit", "-qm", "submodule")

    assert ask(repo, "exists", "vendor/lib").outcome == HOLDS
    assert ask(repo, "lacks", "x", "vendor/lib").outcome == BLOCKED


@pytest.mark.parametrize("name", ["contains", "matches", "lacks", "same"])
def test_file_that_cannot_be_read_makes_no_verdict(repo, name):
    blob = git(repo, "rev-parse", "HEAD:README.md")
    (repo / ".git/objects" / blob[:2] / blob[2:]).unlink()

    answer = ask(repo, name, README_SHA if name == "same" else "service", "README.md")

    assert answer == BuiltinAnswer(BLOCKED, "README.md could not be read")


def test_file_that_cannot_be_read_does_not_hide_one_that_can(repo):
    blob = git(repo, "rev-parse", "HEAD:README.md")
    (repo / ".git/objects" / blob[:2] / blob[2:]).unlink()

    assert ask(repo, "contains", "RS256", "**").outcome == HOLDS
    assert ask(repo, "lacks", "RS256", "**").outcome == FAILS
    assert ask(repo, "lacks", "HS256", "**").outcome == BLOCKED


def test_file_past_the_limit_is_not_read(repo, monkeypatch):
    monkeypatch.setattr(builtin_answers, "FILE_LIMIT", 10)

    assert ask(repo, "contains", "service", "README.md").outcome == BLOCKED or len(CODE["README.md"]) <= 10
    assert ask(repo, "lacks", "x", "src/auth/jwt.py") == BuiltinAnswer(BLOCKED, "src/auth/jwt.py could not be read")


def test_expression_that_would_take_for_ever_elsewhere_is_answered_at_once(repo):
    commit_files(repo, {"as.txt": "a" * 50_000 + "\n"})
    began = time.monotonic()

    answer = ask(repo, "matches", "(a*)*(a*)*(a*)*b$", "as.txt")

    assert answer.outcome == FAILS
    assert time.monotonic() - began < 60  # hours where it goes back


def test_expression_that_is_too_large_for_re2_makes_no_verdict(repo):
    assert ask(repo, "matches", "(" * 999 + "a" + "){1000}" * 3 + ")" * 996, "src/**").outcome == BLOCKED


@each("text", [r"a{1000}{1000}", r"\x{263A}", "[z-a]", "(?P<n", "*", "\udcff", "(?<=a)b"])
def test_expression_that_re2_rejects_is_invalid(repo, text):
    assert CHECKS["matches"].probe(parse_arguments(("matches", text, "a"))) is None
    assert ask(repo, "matches", text, "src/**").outcome == BLOCKED


def test_many_checks_read_each_file_once(repo, monkeypatch):
    reads: list[str] = []
    real = Git.read_blobs
    monkeypatch.setattr(
        Git, "read_blobs", lambda self, oids, **how: real(self, [reads.append(o) or o for o in oids], **how)
    )
    checks = [Check(BUILTIN, (name, str(n), "**")) for n in range(20) for name in ("contains", "lacks", "matches")]

    answers = answer_all(Git(discover(repo)), tree_of(repo), checks)

    assert len(answers) == 60
    assert len(reads) == len(set(reads)) == len(CODE)


def test_checks_answer_together_as_they_do_alone(repo):
    words = [("contains", "RS256", "src/**"), ("lacks", "RS256", "src/**"), ("exists", "src"), ("matches", "[", "**")]

    together = answer_all(Git(discover(repo)), tree_of(repo), [Check(BUILTIN, w) for w in words])

    assert [together[Check(BUILTIN, w)] for w in words] == [ask(repo, *w) for w in words]


def test_no_check_starts_a_program_other_than_git(repo, monkeypatch):
    from gitmem.system import process

    git(repo, "repack", "-adq")  # a few loose objects are read without it
    started: list[str] = []
    real = process._start
    monkeypatch.setattr(process, "_start", lambda argv, start: (started.append(argv[0]), real(argv, start))[1])

    ask(repo, "contains", "$(touch marker)", "**")

    assert set(started) == {"git"}
    assert not (repo / "marker").exists()


MANIFEST = '[project]\nname = "x"\nrequires-python = ">=3.11"\ndependencies = ["requests>=2.31"]\n'
STATED = {
    "pyproject.toml": MANIFEST,
    "package.json": '{"engines": {"node": ">=20"},\n"workspaces": ["packages/*"],\n"scripts": {"build": "tsc"}}\n',
    "packages/a/package.json": '{"scripts": {"dev": "vite"},\n"devDependencies": {"vite": "^5.2.0"}}\n',
    "other/package.json": '{"scripts": {"old": "x"}, "dependencies": {"left-pad": "1"}}\n',
    "Makefile": "include make/more.mk\ntest:\n\tpytest\n",
    "make/more.mk": "docs:\n\tmake\n",
    ".nvmrc": "v20.11.1\n",
    ".python-version": "3.11\n",
    "broken.json": "{",
    ".env": "API_TOKEN=hunter2hunter2\n",
}


@each(
    ("check", "outcome", "because"),
    [
        ({"value": "pyproject.toml#project.requires-python", "is": ">= 3.11"}, HOLDS, "pyproject.toml:3 states >=3.11"),
        (
            {"value": "pyproject.toml#project.requires-python", "is": ">=3.12"},
            FAILS,
            "pyproject.toml:3 states >=3.11, not >=3.12",
        ),
        ({"value": ".nvmrc", "within": "^20"}, HOLDS, ".nvmrc:1 states v20.11.1"),
        ({"value": ".nvmrc", "at-least": "22"}, FAILS, ".nvmrc:1 states v20.11.1, not at least 22"),
        (
            {"value": "pyproject.toml#project.name", "at-least": "1"},
            BLOCKED,
            "pyproject.toml:2 states x, which cannot be compared with at least 1",
        ),
        ({"value": "pyproject.toml#project.license", "is": "MIT"}, FAILS, "pyproject.toml states no project.license"),
        ({"value": "gone.toml#a", "is": "1"}, FAILS, "gone.toml does not exist"),
        (
            {"value": "broken.json#a", "is": "1"},
            BLOCKED,
            "broken.json could not be read: it is not valid JSON: it ends too early (line 1)",
        ),
        ({"value": ".env#API_TOKEN", "is": "x"}, FAILS, ".env:1 states [hidden], not x"),
        ({"script": "test"}, HOLDS, "Makefile:2 defines test"),
        ({"script": "docs"}, HOLDS, "make/more.mk:1 defines docs"),
        ({"script": "dev"}, HOLDS, "packages/a/package.json:1 defines dev"),
        ({"script": "old"}, FAILS, "no target old in Makefile, make/more.mk, package.json and 2 more"),
        ({"script": "old", "in": "other/package.json"}, HOLDS, "other/package.json:1 defines old"),
        ({"script": "build", "in": "Makefile"}, FAILS, "no target build in Makefile"),
        ({"depends": "Requests"}, HOLDS, "pyproject.toml:4 lists Requests >=2.31"),
        ({"depends": "requests", "at": ">=2"}, HOLDS, "pyproject.toml:4 states >=2.31"),
        ({"depends": "vite", "at": "4"}, FAILS, "packages/a/package.json:2 states ^5.2.0, not vite 4"),
        ({"depends": "left-pad"}, FAILS, "no manifest lists left-pad"),
        ({"depends": "left-pad", "in": "other/*.json"}, HOLDS, "other/package.json:1 lists left-pad 1"),
        ({"agree": [".python-version", ".nvmrc"]}, FAILS, ".python-version:1 states 3.11, and .nvmrc:1 v20.11.1"),
        ({"agree": [".nvmrc", ".nvmrc"]}, HOLDS, ".nvmrc:1 and .nvmrc:1 state v20.11.1"),
    ],
)
def test_check_of_what_files_state_says_where(repo, check, outcome, because):
    commit_files(repo, STATED)

    answer = ask(repo, *words_of(check))

    assert (answer.outcome, answer.because) == (outcome, because)


@each(
    ("name", "outcome", "because"),
    [
        ("flask", HOLDS, "deps/web.txt:1 lists flask >=3"),
        ("attrs", HOLDS, "base.in:1 lists attrs"),
        ("django", BLOCKED, "server/all.txt is included, but not read: name it with `in`"),
    ],
)
def test_dependency_in_a_file_that_requirements_include_is_found_or_unknown(repo, name, outcome, because):
    requirements = {"requirements.txt": "-r deps/web.txt\n-r base.in\n-r server/all.txt\n"}
    commit_files(repo, {**requirements, "deps/web.txt": "flask>=3\n", "base.in": "attrs\n", "notes.txt": "django\n"})

    answer = ask(repo, *words_of({"depends": name}))

    assert (answer.outcome, answer.because) == (outcome, because)
