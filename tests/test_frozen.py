"""Frozen classes behave as frozen data classes do, and come without importing them."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import sys
from functools import cached_property
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem import frozen as module
from gitmem.frozen import fields_of, frozen, replace
from gitmem.system import process


@frozen
class Point:
    """A point."""

    x: int
    y: int = 0
    label: str = ""

    @property
    def sum(self) -> int:
        return self.x + self.y


@dataclasses.dataclass(frozen=True)
class Twin:
    x: int
    y: int = 0
    label: str = ""


@frozen
class Other:
    x: int
    y: int = 0
    label: str = ""


@frozen
class Nothing:
    """No fields."""


VALUES = st.tuples(st.integers(0, 1), st.integers(0, 1), st.sampled_from("ab"))


@given(VALUES, VALUES)
def test_two_are_equal_exactly_where_two_data_classes_are(a: tuple[int, int, str], b: tuple[int, int, str]) -> None:
    assert (Point(*a) == Point(*b)) is (Twin(*a) == Twin(*b))
    assert (hash(Point(*a)) == hash(Point(*b))) or a != b


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [((1,), {}), ((1, 2), {}), ((), {"x": 1, "label": "a"}), ((1,), {"y": 3}), ((1, 2, "z"), {})],
    ids=str,
)
def test_arguments_are_taken_as_a_data_class_takes_them(args: tuple[int, ...], kwargs: dict[str, object]) -> None:
    assert fields_of(Point(*args, **kwargs)) == dataclasses.asdict(Twin(*args, **kwargs))


@pytest.mark.parametrize(
    ("args", "kwargs"), [((), {}), ((1, 2, "a", 4), {}), ((1,), {"x": 2}), ((1,), {"z": 2})], ids=str
)
def test_wrong_arguments_are_a_type_error(args: tuple[int, ...], kwargs: dict[str, object]) -> None:
    with pytest.raises(TypeError):
        Point(*args, **kwargs)


def test_the_second_instance_is_made_as_the_first() -> None:
    @frozen
    class Fresh:
        a: int
        b: int = 2

    assert [fields_of(Fresh(1)), fields_of(Fresh(b=3, a=1))] == [{"a": 1, "b": 2}, {"a": 1, "b": 3}]


def test_a_field_cannot_be_set_or_deleted() -> None:
    point = Point(1)

    with pytest.raises(AttributeError, match=r"Point\.x cannot be changed"):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(AttributeError):
        del point.x
    with pytest.raises(AttributeError):
        point.new = 1  # type: ignore[attr-defined]
    assert point == Point(1)


def test_another_class_with_the_same_fields_is_not_equal() -> None:
    assert Point(1) != Other(1)
    assert Point(1) != (1, 0, "")


def test_it_can_be_a_key_and_a_member() -> None:
    assert {Point(1): "a"}[Point(1)] == "a"
    assert len({Point(1), Point(1), Point(2)}) == 2


def test_its_repr_makes_it_again() -> None:
    point = Point(1, label="a'b")

    assert eval(repr(point)) == point


def test_fields_stand_in_the_order_of_their_definition() -> None:
    assert list(fields_of(Point(1, 2))) == ["x", "y", "label"]


def test_replace_changes_a_copy() -> None:
    point = Point(1, 2)

    changed = replace(point, y=5)

    assert (point.y, changed) == (2, Point(1, 5))


def test_replace_computes_a_cached_property_again() -> None:
    @frozen
    class Span:
        start: int
        end: int

        @cached_property
        def length(self) -> int:
            return self.end - self.start

    span = Span(2, 5)

    assert (span.length, replace(span, end=9).length) == (3, 7)


def test_replace_of_an_unknown_field_is_a_type_error() -> None:
    with pytest.raises(TypeError):
        replace(Point(1), z=1)


def test_it_matches_by_position() -> None:
    match Point(3, 4):
        case Point(x, 4):
            assert x == 3
        case _:
            pytest.fail("it did not match")


def test_a_property_is_no_field() -> None:
    assert Point(1, 2).sum == 3
    assert "sum" not in fields_of(Point(1))


def test_a_class_without_fields_is_equal_to_itself() -> None:
    assert Nothing() == Nothing()
    assert repr(Nothing()) == "Nothing()"


@pytest.mark.parametrize("default", [[], {}, set()], ids=["list", "dict", "set"])
def test_a_default_that_could_be_changed_is_refused(default: object) -> None:
    with pytest.raises(TypeError, match="mutable default"):
        frozen(type("Bad", (), {"__annotations__": {"a": object}, "a": default}))


def test_it_can_be_copied_and_pickled() -> None:
    assert copy.deepcopy(Point(1, 2)) == Point(1, 2)
    assert pickle.loads(pickle.dumps(Point(1, 2))) == Point(1, 2)


def test_importing_it_loads_neither_dataclasses_nor_typing() -> None:
    heavy = "{'dataclasses', 'typing'} & {*sys.modules}"
    script = f"import sys; sys.path.append(sys.argv[1]); import gitmem.frozen; print({heavy})"
    root = str(Path(module.__file__).parents[1])

    done = process.run([sys.executable, "-I", "-S", "-c", script, root], env={})

    assert done.stdout == b"set()\n"
