"""Where code gives a name a value."""

import pytest

from gitmem.commands.adopt.judge.definitions import DECLARED, KEYED, PASSED, find_definitions, is_same, spellings


@pytest.mark.parametrize(
    ("text", "value", "strength"),
    [
        ("    max_size: int = 5,\n", "5", DECLARED),
        ("    max_size: int = Field(\n        default=7, ge=1)\n", "7", DECLARED),
        ("max_size = 3\n", "3", DECLARED),
        ('x = os.environ.get("max_size", "9")\n', "9", DECLARED),
        ("ARG max_size=0.22.0\n", "0.22.0", DECLARED),
        ("size: ${max_size:-4}\n", "4", DECLARED),
        ("max_size: 8\n", "8", KEYED),
        ('  "max_size": true,\n', "true", KEYED),
        ("call(max_size=2)\n", "2", PASSED),
        ("    const max_size = 1\n", "1", PASSED),
        ("max_size = compute()\n", "", DECLARED),
        ("max_size: str = f'{a}'\n", "", DECLARED),
    ],
)
def test_definition_has_its_value_and_how_sure_it_is(text, value, strength):
    assert [(one.value, one.strength) for one in find_definitions(text, ["max_size"])] == [(value, strength)]


@pytest.mark.parametrize(
    "text", ["# max_size = 3\n", "if max_size == 3:\n", "max_size_limit = 3\n", "my-max_size = 3\n"]
)
def test_comment_comparison_and_longer_name_define_nothing(text):
    assert find_definitions(text, ["max_size"]) == []


def test_names_are_spelled_as_other_languages_do():
    assert {"dolt.auto-push", "auto-push", "auto_push", "autoPush"} <= set(spellings("dolt.auto-push"))
    assert "max_size" in spellings("MAX_SIZE")


@pytest.mark.parametrize(
    ("one", "other"), [("True", "true"), ("1_000", "1000"), ("0.50", ".5".zfill(3)), ("nil", "None")]
)
def test_equal_values_are_the_same_however_they_are_written(one, other):
    assert is_same(one, other)


def test_lines_are_counted_and_what_is_far_along_a_line_defines_nothing():
    text = "max_size = 1\n\nmax_size = 2\n" + "x" * 500 + ", max_size = 3\nmax_size = 4\n"

    found = find_definitions(text, ["max_size"])

    assert [(one.line, one.value) for one in found] == [(1, "1"), (3, "2"), (5, "4")]
