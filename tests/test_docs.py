"""The documents tell the truth: every feature has one row, and a row that claims something names its tests."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from torture.run import PARTS

PROJECT = Path(__file__).resolve().parent.parent
FEATURES = PROJECT / "benchmarks" / "rows" / "README.md"

# The ids of the list of features, by letter: the last number of each.
LAST = {"A": 10, "B": 10, "C": 17, "D": 8, "E": 15, "F": 18, "G": 6}
# Those of later ones that work.
FURTHER = {"F": (20,)}
IDS = [f"{x}{number}" for x, last in LAST.items() for number in (*range(1, last + 1), *FURTHER.get(x, ()))]
STATES = ("works", "partly", "not yet")


def rows(text: str) -> list[list[str]]:
    """Return the cells of every row of every table that starts with an id: id, what, state, walk, tests."""
    lines = [line for line in text.splitlines() if re.match(r"\| *[A-G]\d+ *\|", line)]
    return [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]


def unproven(found: list[list[str]], project: Path) -> list[str]:
    """Return the ids whose row claims that something works without naming test files that exist."""
    wrong = []
    for name, _, state, _, tests in found:
        paths = re.findall(r"`(tests/[^`]+)`", tests)
        claims = state != "not yet"
        if (claims and not paths) or not all((project / path.split("::")[0]).is_file() for path in paths):
            wrong.append(name)
    return wrong


def test_every_feature_has_exactly_one_row_in_order() -> None:
    assert [row[0] for row in rows(FEATURES.read_text())] == IDS


def test_every_row_says_what_it_is_and_one_of_the_states() -> None:
    wrong = [row for row in rows(FEATURES.read_text()) if len(row) != 5 or not row[1] or row[2] not in STATES]

    assert wrong == []


def test_every_row_that_works_names_tests_that_exist() -> None:
    assert unproven(rows(FEATURES.read_text()), PROJECT) == []


def test_every_threat_names_tests_that_exist() -> None:
    text = (PROJECT / "docs" / "security.md").read_text(encoding="utf-8")
    threats = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| threat |")]
    named = [re.findall(r"`([\w/]+\.py)(?:::(\w+))?`", line.split("|")[3]) for line in threats]
    sources = {file: PROJECT / "tests" / file for files in named for file, _ in files}

    assert len(threats) >= 60
    assert [line for line, files in zip(threats, named, strict=True) if not files] == []
    assert [file for file, path in sources.items() if not path.is_file()] == []
    missing = [
        f"{file}::{test}"
        for files in named
        for file, test in files
        if test and f"def {test}(" not in sources[file].read_text(encoding="utf-8")
    ]
    assert missing == []


def test_every_guarantee_names_tests_or_parts_of_the_torture_that_exist() -> None:
    text = (PROJECT / "docs" / "guarantees.md").read_text(encoding="utf-8")
    promises = text.partition("## The promises")[2].partition("\n## ")[0]
    rows = [line.rsplit("|", 2)[1] for line in promises.splitlines() if re.match(r"\| (?!promise|-)", line)]
    tests = [re.findall(r"`(tests/[^`]+)`", row) for row in rows]
    parts = [set(re.findall(r"`(\w+)`", row)) & set(PARTS) for row in rows]

    assert len([paths for paths in tests if paths]) >= 12
    assert [row for row, paths, names in zip(rows, tests, parts, strict=True) if not paths and not names] == []
    assert [path for paths in tests for path in paths if not (PROJECT / path).is_file()] == []


def test_code_cites_only_what_a_reader_of_the_repository_can_open() -> None:
    cited = re.compile(
        r"\b(?:DESIGN|FEATURES)(?:\.md)?\b|\([A-G]\d{1,2}\)|\(threats? T\d|\bthe design's\b|\bof the reference\)"
    )
    sources = sorted((PROJECT / "gitmem").rglob("*.py"))

    assert [path.name for path in sources if cited.search(path.read_text("utf-8"))] == []


@pytest.mark.parametrize(
    ("state", "tests", "is_wrong"),
    [
        ("works", "", True),
        ("works", "`tests/test_missing.py`", True),
        ("works", "by hand", True),
        ("partly", "", True),
        ("works", "`tests/test_there.py`", False),
        ("works", "`tests/test_there.py`, `tests/test_missing.py`", True),
        ("partly", "`tests/test_there.py`: the rest comes later", False),
        ("not yet", "", False),
    ],
)
def test_claim_without_a_test_is_found(tmp_path: Path, state: str, tests: str, is_wrong: bool) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_there.py").touch()

    found = unproven(rows(f"| A1 | what | {state} | walk | {tests} |\n"), tmp_path)

    assert found == (["A1"] if is_wrong else [])
