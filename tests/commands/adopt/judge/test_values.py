"""Values that mean the same, however they are written."""

from support.each import each

from gitmem.commands.adopt.judge.values import is_nothing, is_same, kind_of


@each(
    ("one", "other", "name"),
    [
        ("True", "true", ""),
        ("on", "true", ""),
        ("1_000", "1000", ""),
        ("1,000", "1000", ""),
        ("0.50", ".5", ""),
        ("30s", "30.0", "timeout"),
        ("30s", "30_000", "timeout_ms"),
        ("30s", "30000", "timeout"),
        ("5 minutes", "300s", ""),
        ("24h", "1d", ""),
        ("10MB", "10485760", "max_size"),
        ("1.2M", "1_200_000", "tokens"),
        ("nil", "None", ""),
        ("none", "''", ""),
        ("empty", "null", ""),
    ],
)
def test_equal_values_are_the_same_however_they_are_written(one, other, name):
    assert is_same(one, other, name)


@each(
    ("one", "other", "name"),
    [("30s", "60", "timeout"), ("30s", "30", "timeout_ms"), ("3", "5", ""), ("true", "autoRecall", ""), ("0", "", "")],
)
def test_different_values_are_not_the_same(one, other, name):
    assert not is_same(one, other, name)


def test_type_of_a_value_is_known_and_nothing_is_one():
    assert [kind_of(value) for value in ("30s", "1_000", "off", "autoRecall")] == ["number", "number", "truth", "text"]
    assert is_nothing("undefined") and not is_nothing("0")
