"""A table of cases that one test walks: for rules whose cases share their fixtures and leave them as they were.

pytest makes a test of each case of ``parametrize``, with fixtures of its own, which takes longer than a pure case.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

import pytest


def each(
    names: str | Sequence[str], rows: Iterable[Any], ids: Sequence[str] | None = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that runs a test on every row; the test fails as its first row that fails, and names them all.

    It takes what ``pytest.mark.parametrize`` takes, and can be stacked like that. A test that skips a case, or that
    changes what the next one finds, needs ``parametrize``.
    """
    columns = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    is_single = isinstance(names, str) and len(columns) == 1
    table: list[tuple[str, dict[str, Any]]] = []
    for number, row in enumerate(rows):
        is_param = isinstance(row, type(pytest.param()))
        values = row.values if is_param else [row] if is_single else row
        named = (row.id if is_param else None) or (ids[number] if ids else None)
        table.append((named or repr(values), dict(zip(columns, values, strict=True))))
    assert table, "without a row, the test would show nothing"

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def walk(**fixtures: Any) -> None:
            failures: list[tuple[str, BaseException]] = []
            for name, row in table:
                try:
                    test(**fixtures, **row)
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - the other rows are tried, too
                    failures.append((name, error))
            if failures:
                first = failures[0][1]
                for name, error in failures:
                    first.add_note(f"row {name:.200}: {error!s:.200}")
                raise first

        signature = inspect.signature(test)
        kept = [parameter for name, parameter in signature.parameters.items() if name not in columns]
        walk.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]  # pytest reads it
        return walk

    return decorate
