"""Environments are compared by what a person would call different, and name no place."""

from __future__ import annotations

import pytest

from gitmem.store.environment import LIMIT, cleaned, difference, format_environment, parse_environment

A, B = "a" * 12, "b" * 12
LINUX, MAC = "linux-x86_64", "darwin-arm64"


def text(system: str = LINUX, programs: dict[str, tuple[str, str]] | None = None, **locks: str) -> str:
    return format_environment(system, programs or {}, {f"web/{name}.json": mark for name, mark in locks.items()})


def test_environment_is_read_as_it_was_written() -> None:
    found = parse_environment(text(programs={"python3": ("3.11", A), "sh": ("", B)}, lock=A))

    assert (found.system, found.versions, found.locks) == (LINUX, {"python3": "3.11", "sh": ""}, {"web/lock.json": A})


def test_what_is_too_long_is_left_out() -> None:
    found = text(programs={f"tool-{n:04}": ("1", A) for n in range(200)})

    assert len(found) <= LIMIT
    assert len(parse_environment(found).versions) > 30


@pytest.mark.parametrize(
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
    ],
)
def test_environments_differ_by_system_versions_and_lock_files(one: str, other: str, said: str) -> None:
    assert difference(one, other) == said


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        (text(programs={"python3": ("3.11", A)}, lock=B), True),
        (f"/usr/bin/python3:1:2 sh=:{A}", False),
        (f"{LINUX} /home/ana/x=1:{A}", False),
        ("\x1b[31m", False),
        ("", True),
    ],
)
def test_text_that_somebody_else_wrote_counts_in_this_form_alone(written: str, kept: bool) -> None:
    assert cleaned(written) == (written if kept else "")
