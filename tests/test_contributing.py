"""CONTRIBUTING describes the house as it is: its picture, and the files that five common tasks touch."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import git

PROJECT = Path(__file__).resolve().parents[1]
CONTRIBUTING = PROJECT / "CONTRIBUTING.md"
# By file: texts, and what replaces each.
Edits = dict[str, list[tuple[str, str]]]


def described(task: str) -> set[str]:
    """Return the files that CONTRIBUTING names for a task, up to a semicolon."""
    row = next(line for line in CONTRIBUTING.read_text("utf-8").splitlines() if line.startswith(f"| {task} "))
    return set(re.findall(r"`(gitmem/[\w/.]+)`", row.split(";")[0]))


def test_picture_is_drawn_from_the_imports() -> None:
    """To draw it again: ``.venv/bin/python docs/make_house.py``."""
    script = f"import runpy; print(runpy.run_path({str(PROJECT / 'docs/make_house.py')!r})['picture'](), end='')"

    drawn = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout

    assert drawn == (PROJECT / "docs" / "house.svg").read_text("utf-8")


OPTION: Edits = {
    "gitmem/cli/list.py": [
        (
            "    add_json(parser)\n",
            '    add_json(parser)\n    parser.add_argument("--keys", action="store_true", help="keys")\n',
        ),
        (
            "        if args.json:",
            "        if args.keys:\n"
            '            out.line(*(f"<{h.key}>" for h in result.hits))\n'
            "        elif args.json:",
        ),
    ]
}
KIND: Edits = {
    "gitmem/policy/kinds.py": [("_TABLE = (\n", '_TABLE = (\n    Kind("idea", "ideas", "something to try"),\n')]
}
CLIENT: Edits = {
    "gitmem/agents/clients/NAME.py": [('"Qwen Code"', '"Acme Code"'), (".qwen/settings.json", ".acme/settings.json")],
}
CHECK: Edits = {
    "gitmem/document/builtin_checks.py": [
        (
            '    BuiltinCheck(\n        "contains",\n        TEXT,\n',
            "    BuiltinCheck(\n"
            '        "mentions", TEXT, "a file has it", file_checks.file_globs, file_checks.contains,\n'
            '        file_checks.some_file("{first} mentions {text!r}", "nothing mentions {text!r}"),\n'
            '        more=(_FILES,),\n    ),\n    BuiltinCheck(\n        "contains",\n        TEXT,\n',
        )
    ]
}
EXPORTER: Edits = {
    "gitmem/commands/export.py": [
        ("    is_okf: bool = False,\n", "    is_okf: bool = False,\n    is_titles: bool = False,\n"),
        (
            "    if is_okf:\n",
            "    if is_titles:\n"
            "        lines = (parse(text, path=path).title + '\\n' for path, text in texts(repository, files))\n"
            "        write_file(lines, Path(folder))\n        return iter([path for path, _ in files])\n"
            "    if is_okf:\n",
        ),
    ],
    "gitmem/memory/bulk.py": [
        ("is_okf: bool = False,", "is_okf: bool = False, is_titles: bool = False,"),
        ("is_okf=is_okf,", "is_okf=is_okf, is_titles=is_titles,"),
    ],
    "gitmem/cli/export.py": [
        (
            "    add_filters(parser)\n",
            '    parser.add_argument("--titles", default="", help="a file")\n    add_filters(parser)\n',
        ),
        ("args.okf or args.notes\n", "args.okf or args.notes or args.titles\n"),
        ('how = {"is_okf"', 'how = {"is_titles": bool(args.titles), "is_okf"'),
    ],
}


@pytest.mark.parametrize(
    ("task", "edits", "lines", "printed"),
    [
        (
            "an option of `list`",
            OPTION,
            ["remember Ports --key ports", "list --keys"],
            "<ports>",
        ),
        ("a kind of memory", KIND, ["remember Shards --kind idea --key shards", "list --kind idea"], "shards\tidea"),
        ("a client", CLIENT, ["install acme --print"], ".acme/settings.json"),
        (
            "a built-in check",
            CHECK,
            ["fact Retries --mentions RETRIES --in a.py --key retries", "show retries"],
            "verified",
        ),
        ("an exporter", EXPORTER, ["remember Ports", "export --titles titles.txt --all"], "1 memory exported"),
    ],
    ids=("option", "kind", "client", "check", "exporter"),
)
def test_task_is_done_in_the_files_that_are_named(
    tmp_path: Path, task: str, edits: Edits, lines: list[str], printed: str
) -> None:
    copy, work = tmp_path / "copy", tmp_path / "work"
    shutil.copytree(PROJECT / "gitmem", copy / "gitmem")
    shutil.copy(copy / "gitmem/agents/clients/qwen.py", copy / "gitmem/agents/clients/acme.py")
    for name, changes in edits.items():
        path = copy / name.replace("NAME", "acme")
        text = path.read_text("utf-8")
        for old, new in changes:
            assert old in text, (
                f"{name} has no {old!r} any more: change this test, and CONTRIBUTING if the files differ"
            )
            text = text.replace(old, new, 1)
        path.write_text(text, "utf-8")
    work.mkdir()
    git(work, "init", "-q")
    (work / "a.py").write_text("RETRIES = 3\n")
    git(work, "add", ".")
    git(work, "-c", "user.name=Ana", "-c", "user.email=ana@example.org", "commit", "-qm", "Start")
    env = os.environ | {"PYTHONPATH": str(copy), "HOME": str(tmp_path)}
    output = ""
    for line in ("init", *lines):
        done = subprocess.run(
            [sys.executable, "-m", "gitmem", *line.split()],
            cwd=work,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        output = done.stdout + done.stderr

    assert described(task) == set(edits)
    assert printed in output


def test_ci_runs_what_make_test_leaves_out() -> None:
    """Each test is run by one of two targets, and CI runs both."""
    if shutil.which("make") is None:
        pytest.skip("make is not installed")

    def left_in(*words: str) -> str:
        argv, env = ["make", "-n", *words], {"PATH": os.environ["PATH"]}
        commands = subprocess.run(argv, cwd=PROJECT, env=env, capture_output=True, text=True, check=True).stdout
        return commands.partition(" --basetemp ")[2].partition(" && ")[0].partition(" ")[2].strip()

    assert left_in("test") == "-m 'not whole_system'"
    assert left_in("test-systems") == "-m whole_system"
    assert (left_in("test-all"), left_in("test", "ARGS=tests/git")) == ("", "tests/git")
    steps = re.findall(r"; tests (\S+)'|'tests (\S+)'", (PROJECT / ".ci" / "run").read_text("utf-8"))
    assert ["".join(step) for step in steps] == ["test", "test-systems"]
