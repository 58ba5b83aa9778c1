"""What a value in a policy may be."""

from __future__ import annotations

import pytest
from support.each import each

from gitmem.config import WrongValue
from gitmem.policy.settings import (
    read_command,
    read_field_names,
    read_flag,
    read_folder,
    read_lifetime,
    read_line,
    read_lines,
    read_number,
    read_rung,
    read_time_limit,
    read_whole,
)

DAY = 86_400


@each(
    ("reader", "value", "read"),
    [
        (read_number(0, 1), 1, 1.0),
        (read_number(0), 0.5, 0.5),
        (read_whole(0), 3, 3),
        (read_flag, False, False),
        (read_line, "", ""),
        (read_command, "a\n\tb", "a\n\tb"),
        (read_lines, ["a"], ("a",)),
        (read_field_names, ["created"], ("created",)),
        (read_lifetime, "2w", 14 * DAY),
        (read_lifetime, "never", None),
        (read_time_limit, "1d", DAY),
        (read_rung, "landlock", "landlock"),
        (read_rung, "", ""),
        (read_folder, "run_books", "run_books"),
    ],
)
def test_value_of_a_policy_is_read(reader: object, value: object, read: object) -> None:
    assert callable(reader)
    found = reader(value)

    assert (type(found), found) == (type(read), read)


@each(
    ("reader", "value"),
    [
        *((read_number(0, 1), value) for value in (-0.1, 1.1, True, "1", float("nan"), float("inf"), None)),
        (read_number(0, is_open=True), 0),
        *((read_whole(1, 9), value) for value in (0, 10, 1.0, True, "1")),
        *((read_flag, value) for value in (0, "true", None)),
        *((read_line, value) for value in ("a\nb", "\x1b", 1)),
        *((read_command, value) for value in ("a\rb", "a\u202eb", ["a"])),
        *((read_lines, value) for value in ("a", [""], [1], ["a\nb"])),
        *((read_field_names, value) for value in (["titel"], "title")),
        *((read_lifetime, value) for value in (3, "3", "", "0d", None)),
        *((read_time_limit, value) for value in ("25h", 60, "never")),
        *((read_rung, value) for value in ("seatbelt?", None, [])),
        *((read_folder, value) for value in ("archive", "verdicts", "A", "a", "a/b", "..", ".github", "a" * 41, 1)),
    ],
)
def test_value_of_a_policy_is_refused_with_what_it_must_be(reader: object, value: object) -> None:
    assert callable(reader)

    with pytest.raises(WrongValue, match=r".{8}"):
        reader(value)
