"""Commands are approved together only if their words alone decide what they do."""

from __future__ import annotations

from support.each import each

from gitmem.commands.trust import program_and_options
from gitmem.frozen import replace
from gitmem.model import BUILTIN, PROGRAM, SHELL, Check, Spec


def shell(text: str) -> Spec:
    return Spec(Check(SHELL, (text,)), interpreter="sh", timeout_s=60)


def program(*words: str) -> Spec:
    return Spec(Check(PROGRAM, words), timeout_s=60)


@each(
    ("spec", "shared"),
    [
        (shell("pytest tests/a.py::test_b -q"), ("shell", "60", "pytest", "-q")),
        (shell("pytest -q tests/other.py"), ("shell", "60", "pytest", "-q")),
        (shell("grep -q 'a $b' \"src/a b.py\""), ("shell", "60", "grep", "-q")),
        (program("grep", "-q", "a $b; c", "README.md"), ("program", "60", "grep", "-q")),
        (shell("python -m pytest tests"), ("shell", "60", "python", "-m", "pytest")),
        (shell("python -W error -m http.server"), ("shell", "60", "python", "-W", "-m", "http.server")),
    ],
)
def test_commands_without_shell_syntax_are_grouped_by_program_and_options(spec: Spec, shared: tuple[str, ...]) -> None:
    assert program_and_options(spec) == shared


SINGLE = [
    # Shell syntax.
    *(
        "pytest && true",
        "pytest; rm x",
        "pytest $X",
        "pytest `x`",
        'pytest "$X"',
        "pytest *.py",
        "pytest ~/x",
        "pytest > x",
    ),
    *("pytest a\nrm x", "pytest a #b", "A=b pytest", "! pytest", "{ pytest", "pytest (a)", "pytest 'a", "pytest a\\ b"),
    *("pytest tests/a.py::b[c]", " pytest", "pytest\ta", "pytest é", ""),
    # Program text, and programs that run others.
    *(
        "python -c pass",
        "perl -ne 1",
        "bash -lc x",
        "node -p 1",
        "git -c a.b=c log",
        "x --eval=y",
        "php -r x",
        "ruby -E x",
    ),
    *("sh x.sh", "/usr/bin/env pytest", "sudo pytest", "xargs pytest", "find . -delete", "awk {} x", "eval pytest"),
    "pytest " + "a" * 200,
]


@each("text", SINGLE)
def test_command_with_shell_syntax_is_in_its_own_group(text: str) -> None:
    assert program_and_options(shell(text)) == ()


@each("word", ["a\x1b[2Kb", "a\nb", "a\u202eb", "a\u200bb", "-c", "--command=x"])
def test_command_with_hidden_characters_or_program_text_is_in_its_own_group(word: str) -> None:
    assert program_and_options(program("pytest", word)) == ()


@each(
    "more",
    [
        {"network": True},
        {"setup": "make"},
        {"refute": "rm x"},
        {"folders": ("node_modules",)},
        {"variables": ("HOME",)},
        {"outside": True},
    ],
)
def test_command_with_further_permissions_is_in_its_own_group(more: dict[str, object]) -> None:
    assert program_and_options(shell("pytest a")) != ()
    assert program_and_options(replace(shell("pytest a"), **more)) == ()


def test_builtin_check_needs_no_group() -> None:
    assert program_and_options(Spec(Check(BUILTIN, ("exists", "README.md")))) == ()
