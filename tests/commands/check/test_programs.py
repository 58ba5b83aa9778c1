"""The files of the code that a command runs, by its words."""

from __future__ import annotations

from support.each import each

from gitmem.commands.check.programs import list_programs, scripts_of
from gitmem.model import PROGRAM, SHELL, Check

FILES = {
    "Makefile": "PY = python\ninclude rules.mk\n\nall: ports\n\nports: dep\n\t@$(PY) scripts/ports.py --all\n\n"
    "dep:\n\tsh tools/dep.sh\n\nother:\n\tpython scripts/other.py\n",
    "rules.mk": "",
    "scripts/ports.py": "",
    "scripts/other.py": "",
    "tools/dep.sh": "set -e\n./tools/inner && echo\n",
    "tools/inner": "#!/bin/sh\npython -m pkg.mod\n",
    "src/pkg/mod.py": "",
    "src/cli.py": "",
    "package.json": '{"scripts": {"lint": "node lint.js", "prelint": "node pre.js", "x": "node x.js"}}',
    "lint.js": "",
    "pre.js": "",
    "x.js": "",
    "conftest.py": "",
    "tests/conftest.py": "",
    "sub/Makefile": "a:\n\t./run\n",
    "sub/run": "",
}
PORTS = {"Makefile", "rules.mk", "scripts/ports.py", "tools/dep.sh", "tools/inner"}


@each(
    ("command", "programs"),
    [
        ("make ports", PORTS),
        ("make", PORTS),
        ("make -C sub a", {"sub/Makefile", "sub/run"}),
        ("if make other; then true; fi", {"Makefile", "rules.mk", "scripts/other.py"}),
        ("sh -c 'make other'", {"Makefile", "rules.mk", "scripts/other.py"}),
        ("PYTHONPATH=. timeout 5 python3.11 ./scripts/other.py", {"scripts/other.py"}),
        ("test -f README.md || ./tools/dep.sh", {"tools/dep.sh", "tools/inner"}),
        ("npm run lint", {"package.json", "lint.js", "pre.js"}),
        ("uv run pytest -q", {"conftest.py", "tests/conftest.py"}),
        ("python -m pytest tests", {"conftest.py", "tests/conftest.py"}),
        # What is read, and the code itself, is not run to judge it.
        ("grep -q x scripts/ports.py", set()),
        ("python src/cli.py --version", set()),
        ("python -m pkg.mod", set()),
        ("echo 'unclosed", set()),
    ],
)
def test_files_that_a_command_runs_are_found_by_its_words(command: str, programs: set[str]) -> None:
    assert list_programs(Check(SHELL, (command,)), frozenset(FILES), lambda path: FILES[path]) == programs


def test_program_without_a_shell_is_read_word_by_word() -> None:
    check = Check(PROGRAM, ("python", "scripts/other.py"))

    assert list_programs(check, frozenset(FILES), lambda path: FILES[path]) == {"scripts/other.py"}


def test_scripts_that_run_each_other_end() -> None:
    files = {"a.sh": "sh b.sh\n", "b.sh": "sh a.sh\n", "Makefile": "a: b\n\tmake b\nb: a\n\tmake a\n"}

    found = list_programs(Check(SHELL, ("make a; ./a.sh",)), frozenset(files), lambda path: files[path])

    assert found == set(files)


def test_of_a_package_only_its_scripts_count() -> None:
    assert scripts_of('{"version": "1", "scripts": {"a": "b"}}') == scripts_of(
        '{"version": "2", "scripts": {"a": "b"}}'
    )
    assert scripts_of("not JSON") == "not JSON"
