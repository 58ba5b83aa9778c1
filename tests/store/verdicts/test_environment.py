"""Environments are compared by what a person would call different, and name no place."""

from __future__ import annotations

from support.each import each

from gitmem.document.variables import LONGEST_VARIABLE, MAX_VARIABLES
from gitmem.store.verdicts.environment import (
    LIMIT,
    UNSET,
    clean_environment,
    describe_environment,
    difference,
    format_environment,
    mark_value,
    parse_environment,
)

A, B = "a" * 12, "b" * 12
LINUX, MAC = "linux-x86_64", "darwin-arm64"


def text(system: str = LINUX, programs: dict[str, tuple[str, str]] | None = None, **locks: str) -> str:
    return format_environment(system, programs or {}, {f"web/{name}.json": mark for name, mark in locks.items()})


def variables(**values: str | None) -> str:
    marks = {name: mark_value(name, value) for name, value in values.items()}
    return format_environment(LINUX, {}, {}, marks)


def test_value_is_not_written_and_its_mark_is_too_short_to_find_it_out() -> None:
    found = variables(TOKEN="hunter2")

    assert found.startswith(f"{LINUX} $TOKEN:")
    assert "hunter2" not in found
    assert len(parse_environment(found).variables["TOKEN"]) == 4
    assert variables(TOKEN=None) == f"{LINUX} $TOKEN:unset"


def test_variables_of_one_fact_are_never_left_out() -> None:
    marks = {f"{n:02}".rjust(LONGEST_VARIABLE, "A"): UNSET for n in range(MAX_VARIABLES)}
    found = format_environment(LINUX, {"sh": ("", A)}, {f"{n}.lock": A for n in range(100)}, marks)

    assert parse_environment(found).variables == marks
    assert len(found) <= LIMIT


def test_environment_is_described_for_people() -> None:
    found = text(programs={"python3": ("3.11", A), "sh": ("", B)}, lock=A)

    assert describe_environment(found) == "linux x86_64, python3 3.11"


def test_environment_is_read_as_it_was_written() -> None:
    found = parse_environment(text(programs={"python3": ("3.11", A), "sh": ("", B)}, lock=A))

    assert (found.system, found.versions, found.locks) == (LINUX, {"python3": "3.11", "sh": ""}, {"web/lock.json": A})


def test_words_beyond_the_limit_are_left_out() -> None:
    found = text(programs={f"tool-{n:04}": ("1", A) for n in range(200)})

    assert len(found) <= LIMIT
    assert len(parse_environment(found).versions) > 30


@each(
    ("one", "other", "said"),
    [
        (text(), text(), ""),
        ("", text(MAC), ""),
        (text(), text(MAC), "linux-x86_64, not darwin-arm64"),
        (text(programs={"python3": ("3.11", A)}), text(programs={"python3": ("3.12", A)}), "python3 3.11, not 3.12"),
        (text(programs={"python3": ("3.11", A)}), text(programs={"python3": ("3.11", B)}), ""),
        (text(programs={"sh": ("", A)}), text(programs={"sh": ("", B)}), ""),
        (text(programs={"node": ("20", A)}), text(programs={"ruby": ("3", A)}), ""),
        (text(lock=A), text(lock=B), "another web/lock.json"),
        (text(lock=A), text(), ""),
        (variables(CI="1"), variables(CI="1"), ""),
        (variables(CI="1"), variables(CI="2"), "CI has another value"),
        (variables(CI=None), variables(CI=""), "CI is not set"),
        (variables(CI=""), variables(CI=None), "CI has another value"),
        (variables(CI="1"), variables(), ""),
    ],
)
def test_environments_differ_by_system_versions_and_lock_files(one: str, other: str, said: str) -> None:
    assert difference(one, other) == said


@each(
    ("written", "kept"),
    [
        (text(programs={"python3": ("3.11", A)}, lock=B), True),
        (f"/usr/bin/python3:1:2 sh=:{A}", False),
        (f"{LINUX} /home/ana/x=1:{A}", False),
        ("\x1b[31m", False),
        ("", True),
        (variables(CI="1"), True),
    ],
)
def test_text_that_someone_else_wrote_counts_in_this_form_alone(written: str, kept: bool) -> None:
    assert clean_environment(written) == (written if kept else "")
