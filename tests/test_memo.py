"""Caches without ``functools``, and what a plain recall does not load."""

from __future__ import annotations

import subprocess
import sys

from gitmem.memo import cache, lru_cache


def test_results_are_kept_for_all_arguments_or_for_the_last_ones() -> None:
    calls: list[int] = []

    def double(number: int) -> int:
        calls.append(number)
        return 2 * number

    kept, last = cache(double), lru_cache(maxsize=1)(double)

    assert [kept(1), kept(2), kept(1), last(1), last(2), last(1)] == [2, 4, 2, 2, 4, 2]
    assert calls == [1, 2, 1, 2, 1]


def test_sqlite_is_loaded_without_functools_which_stays_whole() -> None:
    code = (
        "import sys; from gitmem.memo import load_sqlite; load_sqlite(); assert 'functools' not in sys.modules;"
        "import _sqlite3; db = _sqlite3.connect(':memory:'); print(db.execute('SELECT 1').fetchall());"
        "import functools; print(functools.reduce is not None, functools.lru_cache.__module__)"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split("\n")[:2] == ["[(1,)]", "True functools"]
