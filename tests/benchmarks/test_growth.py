"""The simulated year: what it writes in bulk is what the commands would have written."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from benchmarks.growth import CAPTURED, Year, _memory, _rows, _verdict
from benchmarks.measure import Figures
from gitmem.model import FAILS, Verdict
from gitmem.store import layout
from gitmem.store.verdicts import format_verdict, parse_verdict

SPEC, COMMIT = "a" * 64, "b" * 40
HOLDS = Verdict("value-1", spec=SPEC, claim="c", outcome="holds", commit=COMMIT, inputs="files:0", at=1_000)


def _year() -> Year:
    year = Year(Path(), Random(1), code={"src/f1.py": ""}, commits=[f"{n:040x}" for n in range(20)])
    year.sections[layout.bucket_path("value-1")] = {("value-1", SPEC[:16]): format_verdict(HOLDS).encode()}
    year.judged = {1: 0}
    return year


def test_new_verdict_is_one_that_gitmem_reads() -> None:
    text = _verdict(format_verdict(HOLDS), Random(1), "d" * 40, 90_000, True)
    found = parse_verdict(text, key="value-1", path="verdicts/00.toml")
    assert (found.outcome, found.commit, found.at, found.spec) == (FAILS, "d" * 40, 90_000, SPEC)


def test_verdict_is_recorded_only_if_it_changed_or_is_three_days_old() -> None:
    hours = [(b"", hour * 3600, [1]) for hour in range(20)]  # every fifth commit breaks the fact, the next mends it
    stream = b"".join(_memory(_year(), COMMIT, hours, memories=0))
    assert stream.count(b"\nverify: ") == 8
    days = [(b"", day * 4 * 86_400, [1]) for day in range(20)]
    assert b"".join(_memory(_year(), COMMIT, days, memories=0)).count(b"\nverify: ") == 20


def test_captures_of_a_session_are_one_commit() -> None:
    stream = b"".join(_memory(_year(), COMMIT, [(b"", 0, [1])], memories=4 * CAPTURED))
    assert stream.count(b"Gitmem-Source: capture:") == 2
    assert stream.count(f"learned: add {CAPTURED} memories".encode()) == 2


def test_ratio_compares_the_last_month_with_the_first() -> None:
    figures = {
        f"{name} {m}": Figures(cpu_s=[m / 10])
        for name in ("recall", "log --limit 5", "log newest", "log", "why", "verify", "clone")
        for m in (1, 3, 6, 12)
    }
    rows, ratios = _rows(figures, {1: 2.0, 3: 3.0, 6: 4.0, 12: 5.0})
    assert ratios["log"] == pytest.approx(12)
    assert rows[0][-2:] == ("2.50", "30 MB")
