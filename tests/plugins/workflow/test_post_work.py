"""What a work leaves: lines of code, 50 to 500 tokens, and nothing that is said already."""

from __future__ import annotations

import pytest
from conftest import commit_files, git, put_files, tip
from support.branch import fields_of
from support.each import each

from gitmem.errors import DuplicateError, RefusedError
from gitmem.plugins.workflow.post_work import references_in
from gitmem.plugins.workflow.step import WorkflowStep

BUILT = (
    "Writes of the ledger go through one helper that retries serialization failures three times, with jitter. Callers"
    " pass a function and never open a cursor. The test forces a conflict with two connections and a barrier. Advisory"
    " locks came first and deadlocked under the nightly import, which holds the table lock."
)
STEP = WorkflowStep("dev", "LED-1", "Storage layer")


@pytest.fixture(autouse=True)
def _code(repo) -> None:
    commit_files(repo, dict.fromkeys(("src/db.py", "tests/test_db.py", "a.py"), "line\n" * 40))


def test_given_lines_must_exist_and_those_in_the_text_may_be_of_another_branch(memory, repo) -> None:
    for ref, message in (("src/dbx.py:1", "does not exist"), ("src/db.py:41", "which has 40 lines")):
        with pytest.raises(RefusedError, match=message):
            memory.workflow.post_work(BUILT, STEP, refs=[ref])

    done = memory.workflow.post_work(f"{BUILT} See src/other.py:12.", STEP, refs=["src/db.py:1-2"])

    assert [one.split(" ")[0] for one in fields_of(repo, done.path)["anchors"]] == ["src/db.py:1-2"]


def test_pattern_is_written_with_its_story_component_role_and_lines(memory, repo) -> None:
    done = memory.workflow.post_work(
        f"{BUILT} See src/db.py:12-40.", STEP, refs=["tests/test_db.py:5"], importance="high"
    )

    fields = fields_of(repo, done.path)
    assert (fields["kind"], fields["task"], fields["importance"]) == ("code_pattern", "LED-1", "high")
    assert fields["refs"] == ["tests/test_db.py:5", "src/db.py:12-40"]
    assert fields["tags"][0] == "storage-layer"
    assert fields["by"] == {"who": "Ana", "role": "developer"}
    assert git(repo, "log", "-1", "--format=%s", "memory") == f"code_pattern: add {done.key}"


@each(
    ("text", "refs", "message"),
    [
        (BUILT, [], "needs the lines of code"),
        (BUILT, ["src/db.py"], "'src/db.py' does not name a line of code"),
        (BUILT, ["https://example.org:80"], "does not name a line of code"),
        ("We built it.", ["a.py:1"], "this has 4 tokens; a useful description needs at least 50"),
        (" ".join(f"word{n}" for n in range(700)), ["a.py:1"], r"this has 1\d\d\d tokens; at most 500"),
        (BUILT + " AKIA" + "Q7ZP2LMX4RTNVB3K", ["a.py:1"], "secret"),
    ],
    ids=["no lines", "no line number", "a port", "too short", "too long", "a secret"],
)
def test_what_helps_no_one_is_refused(memory, repo, text: str, refs: list[str], message: str) -> None:
    before = tip(repo)

    with pytest.raises(RefusedError, match=message):
        memory.workflow.post_work(text, STEP, refs=refs)

    assert tip(repo) == before


def test_what_is_said_already_is_refused_and_written_with_force(memory) -> None:
    first = memory.workflow.post_work(BUILT, STEP, refs=["src/db.py:1"])

    with pytest.raises(DuplicateError, match=first.key):
        memory.workflow.post_work(BUILT, STEP, refs=["src/db.py:1"], kind="outcome")
    assert memory.workflow.post_work(BUILT, STEP, refs=["src/db.py:1"], kind="outcome", force=True).path.startswith(
        "outcomes/"
    )


def test_policy_says_how_long_it_may_be(memory, repo) -> None:
    put_files(repo, {"gitmem.toml": "[workflow]\nmin_tokens = 2\nmax_tokens = 5\n"})

    assert memory.workflow.post_work("We built it.", STEP, refs=["a.py:1"]).is_new
    with pytest.raises(RefusedError, match="at most 5 of one memory"):
        memory.workflow.post_work("We built it all in the end, too.", STEP, refs=["a.py:1"])


def test_references_are_found_in_prose_and_ports_and_steps_are_none() -> None:
    text = "In src/a.py:1 (tests/b_test.py:3-9), step:3, http://h.example:8080/x, then src/a.py:1 again, x.go:0."

    assert references_in(text) == ["src/a.py:1", "tests/b_test.py:3-9"]
