"""The fields that engines, scorer and weights speak of are the same ones, in the same order."""

from __future__ import annotations

from gitmem.index.engine import FIELD_WEIGHTS, FIELDS
from gitmem.model import IndexText


def test_texts_stand_in_the_order_of_the_fields() -> None:
    text = IndexText(1, **{field: f"the {field}" for field in FIELDS})

    assert text.texts() == tuple(f"the {field}" for field in FIELDS)


def test_every_field_has_a_weight_and_counts() -> None:
    assert len(FIELD_WEIGHTS) == len(FIELDS)
    assert min(FIELD_WEIGHTS) > 0


def test_a_title_weighs_most() -> None:
    assert max(zip(FIELD_WEIGHTS, FIELDS, strict=True)) == (FIELD_WEIGHTS[0], "title")
