"""The fields that engines, scorer and weights speak of are the same ones, in the same order."""

from __future__ import annotations

from gitmem.frozen import fields_of
from gitmem.index import FIELD_WEIGHTS, FIELDS, fts
from gitmem.index.whoosh import index
from gitmem.model import IndexText
from gitmem.policy import settings as policy
from gitmem.recall import bm25


def test_texts_stand_in_the_order_of_the_fields() -> None:
    text = IndexText(1, **{field: f"the {field}" for field in FIELDS})

    assert text.texts() == tuple(f"the {field}" for field in FIELDS)


def test_every_engine_reads_the_weights_of_the_policys_table() -> None:
    weights = fields_of(policy.Weights())

    assert dict(zip(FIELDS, FIELD_WEIGHTS, strict=True)) == weights
    assert bm25.WEIGHTS.fields == FIELD_WEIGHTS
    assert f"bm25(fts, {', '.join(map(str, weights.values()))})" in fts._SCORED
    assert {"title": weights["title"], "names": weights["paths"], "body": weights["body"]} == index.TEXTS
    assert min(FIELD_WEIGHTS) > 0


def test_a_title_weighs_most() -> None:
    assert max(zip(FIELD_WEIGHTS, FIELDS, strict=True)) == (FIELD_WEIGHTS[0], "title")
