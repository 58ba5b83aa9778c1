"""What a value in a policy may be."""

from __future__ import annotations

import pytest

from gitmem.config import WrongValue
from gitmem.policy.values import (
    command,
    field_names,
    flag,
    folder,
    lifetime,
    line,
    lines,
    number,
    rung,
    time_limit,
    whole,
)

DAY = 86_400


@pytest.mark.parametrize(
    ("reader", "value", "read"),
    [
        (number(0, 1), 1, 1.0),
        (number(0), 0.5, 0.5),
        (whole(0), 3, 3),
        (flag, False, False),
        (line, "", ""),
        (command, "a\n\tb", "a\n\tb"),
        (lines, ["a"], ("a",)),
        (field_names, ["created"], ("created",)),
        (lifetime, "2w", 14 * DAY),
        (lifetime, "never", None),
        (time_limit, "1d", DAY),
        (rung, "landlock", "landlock"),
        (rung, "", ""),
        (folder, "run_books", "run_books"),
    ],
)
def test_value_of_a_policy_is_read(reader: object, value: object, read: object) -> None:
    assert callable(reader)
    found = reader(value)

    assert (type(found), found) == (type(read), read)


@pytest.mark.parametrize(
    ("reader", "value"),
    [
        *((number(0, 1), value) for value in (-0.1, 1.1, True, "1", float("nan"), float("inf"), None)),
        (number(0, is_open=True), 0),
        *((whole(1, 9), value) for value in (0, 10, 1.0, True, "1")),
        *((flag, value) for value in (0, "true", None)),
        *((line, value) for value in ("a\nb", "\x1b", 1)),
        *((command, value) for value in ("a\rb", "a\u202eb", ["a"])),
        *((lines, value) for value in ("a", [""], [1], ["a\nb"])),
        *((field_names, value) for value in (["titel"], "title")),
        *((lifetime, value) for value in (3, "3", "", "0d", None)),
        *((time_limit, value) for value in ("25h", 60, "never")),
        *((rung, value) for value in ("seatbelt?", None, [])),
        *((folder, value) for value in ("archive", "verdicts", "A", "a", "a/b", "..", ".github", "a" * 41, 1)),
    ],
)
def test_value_of_a_policy_is_refused_with_what_it_must_be(reader: object, value: object) -> None:
    assert callable(reader)

    with pytest.raises(WrongValue, match=r".{8}"):
        reader(value)
