"""A check sees the variables that its fact declares, and their values are kept nowhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import NOW, git
from support.each import each
from support.facts import BETWEEN, approve_all, commit_later, make_fact, outcomes, put, result_of, verify

from gitmem.memory import Memory
from gitmem.repository.approvals import deny_command, trust_of
from gitmem.system.environment import search_path
from gitmem.verify.options import Options
from gitmem.verify.sandbox import sandbox
from gitmem.verify.variables import contains_value, marks_of, without_values

PATH = search_path()
SECRET = "hunter2-and-more"


def dues(memory: Memory) -> dict[str, tuple[str, tuple[str, ...]]]:
    found = memory.verify(options=Options(dry_run=True), report=lambda *_: None).would_run
    return {due.row.key: (due.why, due.changed) for due in found}


@pytest.mark.parametrize("rung", ["bubblewrap", "landlock", "seatbelt", "none"])
def test_check_sees_the_variables_that_are_declared_and_no_others(memory, repo, monkeypatch, rung):
    if rung != "none" and not sandbox.works(rung, PATH):
        pytest.skip(f"{rung} does not work here")
    monkeypatch.setattr(sandbox, "probe", lambda _: rung)
    monkeypatch.setenv("WANTED", "a b")
    monkeypatch.setenv("EMPTY", "")
    monkeypatch.setenv("OTHER", "x")
    monkeypatch.delenv("MISSING", raising=False)
    command = (
        'test "$WANTED" = "a b" -a "${EMPTY-no}" = "" -a "${MISSING-no}" = no -a "${OTHER-no}" = no -a -s README.md'
    )
    put(repo, make_fact("a", command, env=["WANTED", "EMPTY", "MISSING"]), make_fact("b", '[ "$WANTED" ] && ls R*'))
    approve_all(memory)

    found = verify(memory, no_sandbox=rung == "none")

    assert outcomes(found) == {"a": "holds", "b": "blocked"}
    assert "WANTED" in result_of(found, "b").reason
    assert result_of(found, "a").verdict.sandbox == rung


def test_verdict_of_another_value_is_of_another_environment(memory, repo, monkeypatch):
    put(repo, make_fact("a", 'grep -q "$WORD" README.md', env="WORD"), make_fact("b", "grep -q service README.md"))
    approve_all(memory)
    monkeypatch.setenv("WORD", "service")
    assert outcomes(verify(memory)) == {"a": "holds", "b": "holds"}
    assert dues(memory) == {}

    monkeypatch.setenv("WORD", "no such word")
    said = "verified with another value of WORD; not judged with the value here"
    assert dues(memory) == {"a": ("environment", (said,))}
    assert memory.show("a").document["verdict"]["elsewhere"] == said
    found = result_of(verify(memory), "a")
    assert found.outcome == "blocked"
    assert found.reason.endswith("the environment changed: WORD has another value")

    monkeypatch.delenv("WORD")
    assert outcomes(verify(memory)) == {"a": "holds"}, "an empty pattern is in every file"
    monkeypatch.setenv("WORD", "")
    assert dues(memory)["a"][0] == "environment", "a variable that is not set is another environment than an empty one"


def test_claim_of_another_value_is_judged_here(memory, repo, monkeypatch):
    put(repo, make_fact("a", 'grep -q "$WORD" README.md', env="WORD"))
    approve_all(memory)
    monkeypatch.setenv("WORD", "service")
    verify(memory)
    memory.close()
    for kept in (repo / ".git/gitmem").glob("local.sqlite*"):
        kept.unlink()

    with Memory(repo, clock=lambda: float(NOW)) as other:
        assert dues(other) == {}
        monkeypatch.setenv("WORD", "the")
        assert dues(other) == {"a": ("environment", ("verified elsewhere: WORD has another value; not judged here",))}
        deny_command(other.repository, other.repository.commands(["a"])[0])
        assert dues(other) == {}, "the claim has to do"
        assert result_of(verify(other, "a"), "a").reason == "denied here", "who names a fact learns why it is not run"


@pytest.mark.parametrize(("end", "outcome"), [("true", "holds"), ("false", "unproven"), ("test ! -e bad", "fails")])
def test_value_is_in_nothing_that_is_kept(memory, repo, monkeypatch, end, outcome):
    monkeypatch.setenv("TOKEN", SECRET)
    command = f'echo "error: $TOKEN is refused"; cat "$TOKEN" README.md; test -d src && {end}'
    put(repo, make_fact("a", command, env="TOKEN", created=BETWEEN))
    commit_later(repo, {"bad": ""})
    approve_all(memory)

    result = result_of(verify(memory), "a")

    assert result.outcome == outcome
    assert "[TOKEN]" in result.output
    assert SECRET not in json.dumps([repr(result), memory.show("a").document])
    assert SECRET not in git(repo, "log", "-p", "--all")
    for kept in (repo / ".git/gitmem").glob("local.sqlite*"):
        assert SECRET.encode() not in kept.read_bytes()


def test_paths_of_the_code_are_no_secrets(memory, repo, monkeypatch):
    monkeypatch.setenv("PLACE", "src/auth/jwt.py")
    put(repo, make_fact("a", 'grep -q RS256 "$PLACE"', env="PLACE"))
    approve_all(memory)

    verdict = result_of(verify(memory), "a").verdict

    assert not verdict.reads or "=src/auth/jwt.py" in verdict.reads


@each(
    ("value", "text", "is_cut", "shown"),
    [
        (SECRET, f"a {SECRET} b{SECRET}", False, "a [T] b[T]"),
        ("12345", "a 12345", False, "a 12345"),
        (f"{SECRET}\n", f"a {SECRET} b", False, "a [T] b"),
        ("first line\nsecond line\nx", "x second line x", False, "x [T] x"),
        (SECRET, "and-more b", True, "[T] b"),
        (SECRET, "and-more b", False, "and-more b"),
    ],
)
def test_values_are_replaced_by_names(value: str, text: str, is_cut: bool, shown: str) -> None:
    assert without_values(text, {"T": value}, is_cut=is_cut) == shown


def test_no_mark_is_made_of_a_variable_that_no_check_may_see(monkeypatch) -> None:
    monkeypatch.setenv("GITMEM_FORGE_TOKEN", SECRET)

    assert marks_of(["GITMEM_FORGE_TOKEN", "PATH"]) == {}
    assert contains_value(f"x{SECRET}", {"T": SECRET})


def test_edited_list_of_variables_is_another_command_that_no_one_approved(memory: Memory, repo: Path) -> None:
    memory.fact("Fact", verify="test -s README.md && ls", key="a", env=["B", "A"], approve=True)
    (before,) = memory.repository.commands()

    memory.edit("a", fields={"env": ["C"]}, unproven=True)

    (after,) = memory.repository.commands()
    assert before.approved_line.endswith("test -s README.md && ls  [sees the variables A, B]")
    assert after.approved_line.endswith("test -s README.md && ls  [sees the variable C]")
    trust = trust_of(memory.repository)
    assert [trust.allows(due.row.spec) for due in (before, after)] == [True, False]
