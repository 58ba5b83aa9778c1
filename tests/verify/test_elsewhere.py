"""A check with ``or-in`` follows one name or text out of a file that is still there, and fails only once it is gone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import commit_files
from support.code_changes import change, check, finding
from support.facts import make_fact, put, result_of, statuses, verify

from gitmem.document.builtin_checks import words_of
from gitmem.frozen import replace
from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.memory import Memory
from gitmem.model import BUILTIN, Check
from gitmem.verify.inputs import CodeTree
from gitmem.verify.moves import Moves, place_check
from gitmem.verify.overview.finding import BROKEN, MENDED, STILL

LOADS = {"symbol": "load_config", "in": "src/config.py", "or-in": "**"}
READS = {"contains": "APP_HOME", "in": "src/config.py", "or-in": "src/**"}
CONFIG = "HOME = env['APP_HOME']\n\n\ndef load_config(path): ...\n\n\ndef other(): ...\n"


@pytest.fixture
def facts(memory: Memory, repo: Path) -> Path:
    commit_files(repo, {"src/config.py": CONFIG, "README.md": "```\ndef load_config(path): ...\n```\n"})
    put(repo, make_fact("loads", LOADS), make_fact("reads", READS))
    verify(memory)
    return repo


def move_out(repo: Path, there: str, *, name: str = "load_config") -> None:
    line = next(line for line in CONFIG.splitlines() if name in line)
    old = (repo / "src/config.py").read_text().replace(f"{line}\n", "")
    commit_files(repo, {"src/config.py": old, there: f"{line}\n"}, f"move {name}")


def test_name_that_moved_to_another_file_is_followed_and_fails_once_no_code_has_it(memory: Memory, facts: Path) -> None:
    move_out(facts, "src/settings.py")
    verify(memory)
    assert statuses(memory) == {"loads": "verified", "reads": "verified"}
    assert verify(memory).due == 0

    commit_files(facts, {"src/settings.py": "nothing = 1\n"}, "remove it")
    run = verify(memory)
    assert result_of(run, "loads").because == "no file of the code defines load_config"
    assert statuses(memory) == {"loads": "failed", "reads": "verified"}

    # A name that comes back anywhere counts, without a change of the files where it was.
    commit_files(facts, {"lib/third.py": "def load_config(path): ...\n"}, "another place")
    verify(memory)
    assert statuses(memory)["loads"] == "verified"


def test_text_counts_only_within_its_scope_and_never_in_a_document(memory: Memory, facts: Path) -> None:
    commit_files(facts, {"src/config.py": "", "src/notes.md": "APP_HOME\n", "lib/a.py": "APP_HOME = 1\n"}, "away")

    verify(memory)

    assert statuses(memory) == {"loads": "failed", "reads": "failed"}


def test_check_of_a_change_does_not_accuse_a_move_and_names_what_it_removes(memory: Memory, facts: Path) -> None:
    source = CONFIG.replace("def load_config(path): ...\n", "").replace("APP_HOME", "HOME_DIR")
    change(facts, {"src/config.py": source, "src/settings.py": "def load_config(path): ...\n"})

    checked = check(memory)

    assert [one.key for one in checked.of(BROKEN)] == ["reads"]
    assert finding(checked, "reads").because == "no file of src/** contains 'APP_HOME'"


def test_move_before_a_change_that_no_one_verified_is_neither_its_fault_nor_its_merit(memory, facts) -> None:
    move_out(facts, "src/settings.py")
    change(facts, {"src/config.py": CONFIG.replace("def load_config(path): ...\n", "# more\n")})

    checked = check(memory)

    assert (checked.of(BROKEN), checked.of(MENDED), checked.of(STILL)) == ([], [], [])


def test_why_names_the_commit_that_took_the_name_out_of_the_code(memory: Memory, facts: Path, run_cli) -> None:
    move_out(facts, "src/settings.py")
    commit_files(facts, {"src/settings.py": "x = 1\n", "src/config.py": "y = 2\n"}, "remove the loader")
    commit_files(facts, {"src/more.py": "y = 1\n"}, "go on")
    verify(memory)

    shown = run_cli("why", "loads").out

    assert "remove the loader" in shown
    assert [line for line in shown.splitlines() if line.startswith("diff ")] == [
        "diff --git a/src/settings.py b/src/settings.py"
    ]
    assert "moved:" not in run_cli("show", "loads").out
    assert json.loads(run_cli("show", "loads", "--json").out)["verdict"]["moved"] == []
    assert memory.bulk.settle_moved() == []


@pytest.mark.parametrize(
    ("there", "is_believed"),
    [("src/settings.py", True), ("src/**", True), ("lib/settings.py", False), ("src/settings.md", False)],
)
def test_claimed_place_counts_only_within_the_scope_and_outside_of_documents(facts, there, is_believed):
    handle = Git(discover(facts))
    commit_files(facts, {there.replace("**", "x.py"): "APP_HOME\n"}, "it is there")
    tree = CodeTree(handle, handle.resolve("HEAD"))
    spec = Check(BUILTIN, words_of(READS))
    claimed = f"src/config.py\t{there}"
    with Memory(facts) as memory:
        verify(memory)
        local = memory.repository.local.verdicts(["reads"])["reads"][-1]

    known = Moves(handle, tree).trusted_moves(replace(local, own=False, moved=claimed), spec)

    assert known == (claimed if is_believed else "")
    assert (place_check(tree, spec, known).words[2] == there) is is_believed


def test_settle_writes_the_new_place_down(memory: Memory, facts: Path) -> None:
    move_out(facts, "src/settings.py")
    verify(memory)

    assert [one.fields["verify"] for one in memory.bulk.settle_moved()] == [{**LOADS, "in": "src/settings.py"}]
    assert verify(memory).due == 0
