"""``gitmem task tree``: ASCII in a pipe, boxes on a terminal, JSON."""

from __future__ import annotations

import io
import json

import pytest
from conftest import memory_text, put_files
from support.ids import id_of

from gitmem.cli.output import Output
from gitmem.cli.parser import parser_of
from gitmem.cli.task import tree


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def tasks(memory, repo):
    memory.tasks.add("Release", verify=None, key="release", priority=0)
    memory.tasks.add("Tokens", verify=None, key="tokens", parent="release", requires=["module", "nobody"])
    memory.tasks.add("Docs", verify=None, key="docs", parent="release", priority=3)
    memory.tasks.add("Module", verify=None, key="module")
    memory.tasks.close("module")
    return memory


def test_tree_in_a_pipe_is_ascii(tasks, run_cli):
    assert run_cli("task", "tree").out == (
        "[open] P0 release  Release\n"
        "|- [open] P2 tokens  Tokens\n"
        "|  |- requires module (there)\n"
        "|  `- requires nobody (waiting: nothing provides it)\n"
        "`- [open] P3 docs  Docs\n"
    )
    assert run_cli("task", "tree", "docs").out == "[open] P3 docs  Docs\n"
    assert "[closed] P2 module  Module\n" in run_cli("task", "tree", "--all").out


def test_tree_on_a_terminal_has_boxes(tasks, repo, monkeypatch):
    monkeypatch.chdir(repo)
    shown = Terminal()
    args = parser_of("task tree", tree).parse(["release"])

    tree.run(args, Output(color="never", stdout=shown, stderr=io.StringIO()))

    assert shown.getvalue().split("\n")[:4] == [
        f"○ P0 Release  {id_of('release')}",
        f"├─ ○ P2 Tokens  {id_of('tokens')}",
        "│  ├─ requires module (there)",
        "│  └─ requires nobody (waiting: nothing provides it)",
    ]


def test_tree_as_json_nests_and_a_cycle_ends(tasks, repo, run_cli):
    found = json.loads(run_cli("task", "tree", "--json").out)["tasks"]
    assert [part["key"] for part in found[0]["parts"]] == ["tokens", "docs"]
    assert found[0]["parts"][0]["requires"][0] == {
        "name": "module", "title": "Module", "state": "closed", "is_there": True,
    }  # fmt: skip

    put_files(repo, {f"tasks/{a}.md": memory_text(a, kind="task", parent=b) for a, b in (("x", "y"), ("y", "x"))})
    assert "      x  x  (drawn above: a cycle)" in run_cli("task", "tree").out.replace("`- [open] P2", "     ")
